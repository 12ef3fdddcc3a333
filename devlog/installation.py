"""How this copy of devlog was installed, and the command that adds a package to it.

A hint such as “run pip install …” is only true for the tool, the environment and the source that devlog came from: pipx
and uv keep it in an environment of its own, and a checkout is extended by its path.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from devlog import DISTRIBUTION
from devlog.packages import folder

Tool = Literal["pip", "uv pip", "pipx", "uv tool"]


class Installation(msgspec.Struct, frozen=True):
    """The source of this copy of devlog, and the tool that installed it.

    Attributes:
        tool: the tool that manages the environment.
        python: the command that runs the interpreter from the current folder.
        source: what was installed: the name of the distribution, the path of a checkout, or the URL of a file or
            repository.
        editable: whether `source` is a checkout that Python imports in place.
    """

    tool: Tool
    python: str = "python"
    source: str = DISTRIBUTION
    editable: bool = False

    def add_extra(self, extra: str) -> str:
        """The command that installs devlog again, with an extra."""
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
    """How the running devlog was installed."""
    source, editable = _source(folder(DISTRIBUTION))
    return Installation(_tool(Path(sys.prefix)), _python(), source, editable)


def _tool(prefix: Path) -> Tool:
    """The tool that manages an environment, detected by the files that pipx and uv write into it."""
    if (prefix / "pipx_metadata.json").exists():
        return "pipx"
    if (prefix / "uv-receipt.toml").exists():
        return "uv tool"
    return "pip" if find_spec("pip") else "uv pip"


def _source(metadata: str) -> tuple[str, bool]:
    """The source that was installed, and whether Python imports it in place.

    Args:
        metadata: the ``.dist-info`` folder of devlog; empty if it was not installed.
    """
    if not metadata:
        return str(Path(__file__).parent.parent), True  # run from a checkout
    import json

    try:  # https://packaging.python.org/en/latest/specifications/direct-url/
        record = json.loads(Path(metadata, "direct_url.json").read_bytes())
        url, vcs = str(record["url"]), record.get("vcs_info")
        editable = bool(record.get("dir_info", {}).get("editable"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return DISTRIBUTION, False  # installed from an index: only other sources have such a record
    if vcs:
        return f"{vcs.get('vcs', 'git')}+{url}", False
    if "dir_info" not in record:
        return url, False
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    checkout = Path(url2pathname(urlsplit(url).path))
    if not (checkout / "pyproject.toml").exists():  # the checkout was moved after the installation
        return DISTRIBUTION, False
    return "." if checkout == Path.cwd() else str(checkout), editable


def own_command() -> str:
    """The command that runs this devlog, as a user would type it in the current folder: its name, or its path if the
    environment is not activated.
    """
    program = Path(sys.argv[0]).absolute()
    if program.stem != "devlog":  # python -m devlog, or a test
        return _line(_python(), "-m", "devlog")
    return _line(_typed(program, "devlog"))


def _python() -> str:
    """The interpreter, as a user would type it in the current folder."""
    return _typed(Path(sys.executable), "python", "python3")


def _typed(program: Path, *names: str) -> str:
    """The first of the names under which the shell finds exactly this program, else its path."""
    import shutil  # loads much, and few builds have a hint to give

    for name in names:
        found = shutil.which(name)
        if found and Path(found).absolute() == program:  # not resolved: symbolic links lead out of an environment
            return name
    here = Path.cwd()
    if not program.is_relative_to(here):
        return str(program)
    below = str(program.relative_to(here))
    return below if os.sep in below else f".{os.sep}{below}"  # a shell looks for bare names only in PATH


def _line(*words: str) -> str:
    """A command, quoted for the shell of this system."""
    if os.name == "nt":
        return " ".join(f'"{word}"' if any(sign in word for sign in " []@&") else word for word in words)
    import shlex

    return shlex.join(words)
