"""Finding plugins: those of installed packages, and those in files of the site."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from devlog import packages
from devlog.disk.read import read_text
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.theme import PluginRef

GROUP = "devlog.plugins"
"""The entry points by which installed packages offer plugins."""


@cache
def installed() -> tuple[PluginRef, ...]:
    """The plugins of installed packages, by name."""
    return tuple(
        PluginRef(point.name, point.module, point.attribute, f"{point.package.version} {_source(point.module)}")
        for point in packages.offers(GROUP)
    )


def _source(module: str) -> str:
    """A digest of the code that a module's package holds: of one that is being worked on, the version says nothing."""
    top = module.partition(".")[0]
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin:
        return ""  # loading will say what is wrong
    file = Path(spec.origin)
    folder = file.parent
    files = sorted(folder.rglob("*.py")) if spec.submodule_search_locations else [file]
    digest = blake2b(digest_size=16)
    for path in files:
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def local(root: Path, file: str) -> PluginRef | Diagnostic:
    """A plugin in a file of the site, or why it cannot be read.

    Args:
        root: the site's folder.
        file: as configured, relative to it.
    """
    text = read_text(root, file)
    return text if isinstance(text, Diagnostic) else PluginRef(file, file, "plugin", digest_bytes(text.encode()), text)
