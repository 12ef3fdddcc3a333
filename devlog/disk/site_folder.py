"""Finds the folder of the site that a command is about."""

from __future__ import annotations

from pathlib import Path

from devlog.disk.folder import is_there
from devlog.disk.read import read_text

CONFIGURATIONS = ("devlog.toml", "pyproject.toml")
"""The names of the files that may configure a site, the preferred one first."""

OWN = ".devlog"
"""The name of devlog's own folder in a site, which git and all commands pass over."""


def is_site(folder: Path) -> bool:
    """Whether a folder is a site that devlog can build: it has a configuration or a content folder."""
    return any(_configures(folder / name) for name in CONFIGURATIONS) or is_there(folder / "content", folder=True)


def _configures(file: Path) -> bool:
    """Whether a file exists and has a configuration of devlog."""
    if file.name == CONFIGURATIONS[0]:
        return is_there(file)
    text = read_text(file.parent, file.name) if is_there(file) else ""
    return isinstance(text, str) and "[tool.devlog" in text


def find_root(folder: Path) -> Path:
    """The folder of the site that a folder belongs to: itself or the nearest parent; if there is none, itself."""
    absolute = folder.absolute()
    if is_site(absolute):
        return folder
    for here in absolute.parents:
        below = absolute.relative_to(here).parts[0]
        if any(_configures(here / name) for name in CONFIGURATIONS) or below == "content":
            return here
    return folder


def folder_in_checkout(root: Path) -> str:
    """The path of a folder in the git checkout that it is in, by the nearest ``.git``; ``.`` at its top or outside."""
    top = checkout_around(root)
    # It becomes a part of URLs, and may have bytes that are no text.
    return root.resolve().relative_to(top).as_posix().encode("utf-8", "replace").decode() if top else "."


def checkout_around(root: Path) -> Path | None:
    """The top of the git checkout that a folder is in, by the nearest ``.git``; `None` outside of one."""
    folder = root.resolve()
    # Of a worktree or a submodule it is a file.
    return next((top for top in (folder, *folder.parents) if is_there(top / ".git")), None)
