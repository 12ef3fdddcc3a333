"""How this copy of devlog was installed, and the command that adds a package to it.

A hint such as “run pip install …” is only true for the tool, the environment and the source that devlog came from: pipx
and uv keep it in an environment of its own, and a checkout is extended by its path.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from devlog import DISTRIBUTION
from devlog.packages import folder

Tool = Literal["pip", "uv pip", "pipx", "uv tool"]


class Installation(msgspec.Struct, frozen=True):
    """Where this copy of devlog came from, and what installed it.

    Attributes:
        tool: what manages the environment.
        python: the interpreter, as it can be called from the current folder.
        source: what was installed: the name of the distribution, the path of a checkout, or the URL of a file or
            repository.
        editable: whether `source` is a checkout that is imported where it is.
    """

    tool: Tool
    python: str = "python"
    source: str = DISTRIBUTION
    editable: bool = False

    def add_extra(self, extra: str) -> str:
        """The command that installs devlog once more, with an extra."""
        is_url = "://" in self.source
        wanted = f"{DISTRIBUTION}[{extra}] @ {self.source}" if is_url else f"{self.source}[{extra}]"
        option = ["--editable"] if self.editable else []
        match self.tool:
            case "pipx":
                return _line("pipx", "install", "--force", *option, wanted)
            case "uv tool":
                return _line("uv", "tool", "install", *option, wanted)
        return self._pip_install(*option, wanted)

    def add_package(self, package: str) -> str:
        """The command that installs a package beside devlog.

        Args:
            package: its name on package indexes.
        """
        match self.tool:
            case "pipx":
                return _line("pipx", "inject", DISTRIBUTION, package)
            case "uv tool":
                source = ["--editable", self.source] if self.editable else [self.source]
                return _line("uv", "tool", "install", "--with", package, *source)
        return self._pip_install(package)

    def _pip_install(self, *arguments: str) -> str:
        if self.tool == "uv pip":
            return _line("uv", "pip", "install", "--python", self.python, *arguments)
        return _line(self.python, "-m", "pip", "install", *arguments)


def installation() -> Installation:
    """How the devlog that runs now was installed."""
    source, editable = _source(folder(DISTRIBUTION))
    return Installation(_tool(Path(sys.prefix)), _python(), source, editable)


def _tool(prefix: Path) -> Tool:
    """What manages an environment, told by the files that pipx and uv leave in it."""
    if (prefix / "pipx_metadata.json").exists():
        return "pipx"
    if (prefix / "uv-receipt.toml").exists():
        return "uv tool"
    return "pip" if find_spec("pip") else "uv pip"


def _source(metadata: str) -> tuple[str, bool]:
    """What was installed, and whether it is imported where it is.

    Args:
        metadata: the folder with what installers have recorded; empty if devlog was not installed.
    """
    if not metadata:
        return str(Path(__file__).parent.parent), True  # run out of a checkout
    import json

    try:  # https://packaging.python.org/en/latest/specifications/direct-url/
        record = json.loads(Path(metadata, "direct_url.json").read_bytes())
        url, vcs = str(record["url"]), record.get("vcs_info")
        editable = bool(record.get("dir_info", {}).get("editable"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return DISTRIBUTION, False  # from an index: only what comes from elsewhere has such a record
    if vcs:
        return f"{vcs.get('vcs', 'git')}+{url}", False
    if "dir_info" not in record:
        return url, False
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    checkout = Path(url2pathname(urlsplit(url).path))
    if not (checkout / "pyproject.toml").exists():  # it has been moved since
        return DISTRIBUTION, False
    return "." if checkout == Path.cwd() else str(checkout), editable


def own_command() -> str:
    """The command that runs this devlog, as a person would type it here: its name, or its path without an activated
    environment.
    """
    program = Path(sys.argv[0]).absolute()
    if program.stem != "devlog":  # python -m devlog, or a test
        return _line(_python(), "-m", "devlog")
    return _line(_typed(program, "devlog"))


def _python() -> str:
    """The interpreter as a person would type it here."""
    return _typed(Path(sys.executable), "python", "python3")


def _typed(program: Path, *names: str) -> str:
    """A program by one of its names if the shell finds just this one, else by its path."""
    for name in names:
        found = shutil.which(name)
        if found and Path(found).absolute() == program:  # not resolved: links lead out of an environment
            return name
    here = Path.cwd()
    if not program.is_relative_to(here):
        return str(program)
    below = str(program.relative_to(here))
    return below if os.sep in below else f".{os.sep}{below}"  # a shell does not look for bare names here


def _line(*words: str) -> str:
    """A command as the shell of this system reads it."""
    if os.name == "nt":
        return " ".join(f'"{word}"' if any(sign in word for sign in " []@&") else word for word in words)
    import shlex

    return shlex.join(words)
