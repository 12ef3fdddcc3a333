"""What the output depends on besides the input: devlog's own code and the libraries that shape it."""

from __future__ import annotations

import sys
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_LIBRARIES = ("Jinja2", "MarkupSafe", "markdown-it-py", "mdit-py-plugins", "msgspec", "nh3", "Pygments", "PyYAML")


@cache
def toolchain() -> str:
    """A digest of devlog's own source and of the versions of Python and the libraries.

    Nobody has to remember to change a version: another line of code is another toolchain.
    """
    digest = blake2b(f"{sys.version_info[:2]}".encode(), digest_size=16)
    for name in _LIBRARIES:
        try:
            digest.update(f"{name} {version(name)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"{name} missing\n".encode())
    package = Path(__file__).resolve().parent.parent
    for path in sorted(package.rglob("*.py"), key=lambda path: path.relative_to(package).as_posix()):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    digest.update((package / "parse" / "emoji.json").read_bytes())
    return digest.hexdigest()
