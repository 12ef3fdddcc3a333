"""Lists and reads the files of a site that is imported, without changing anything or following symbolic links.

Links to files are listed: to read one is a problem like any other, which must not go unnoticed.
"""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from unicodedata import normalize

from devlog.disk import problems
from devlog.disk.folder import describe
from devlog.disk.manifest import MANIFEST
from devlog.disk.read import TEXT_LIMIT, read_bytes, read_text
from devlog.disk.text import decode_leniently
from devlog.model.diagnostic import Diagnostic

MARKDOWN = (".md", ".markdown")
"""The extensions of files that devlog reads as Markdown."""
NOTEBOOK = ".ipynb"
"""The extension of Jupyter notebooks."""

LIMIT = 200_000
"""The maximum number of files listed: more than any site has, so that scanning a home folder by mistake ends."""

_PASSED_OVER = frozenset({".git", ".hg", ".svn", ".devlog", ".jekyll-cache", ".hugo_build.lock", "node_modules"})

_TEXTS = (*MARKDOWN, ".html", ".htm", NOTEBOOK)
"""The extensions of files that are pages, or else, if they are named ``_index``, say something of those below them."""


class UnreadableError(Exception):
    """A file that may say what the old site did not publish cannot be read.

    Attributes:
        diagnostics: the reasons.
    """

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.diagnostics = diagnostics


class Survey:
    """The names of a site's files, and their contents on demand.

    Attributes:
        files: every file's path, with ``/`` between segments, sorted.
        folders: every folder's path, sorted.
    """

    def __init__(self, root: Path) -> None:
        """
        Args:
            root: the site's folder.

        Raises:
            UnreadableError: if a folder cannot be listed: nobody could tell which posts are missing.
        """
        self._root = root
        files: list[str] = []
        folders: list[str] = []
        for path, is_folder in _below(root, ""):
            (folders if is_folder else files).append(path)
            if len(files) >= LIMIT:
                break
        self.files = tuple(sorted(files))
        self.folders = tuple(sorted(folders))
        self._files = frozenset(files)
        self._folders = frozenset(folders)

    @property
    def name(self) -> str:
        """The name of the site's folder."""
        return self._root.resolve().name

    @property
    def absolute(self) -> str:
        """The absolute path of the site's folder."""
        return self._root.resolve().as_posix()

    def has(self, path: str) -> bool:
        """Whether a file exists."""
        return path in self._files

    def has_folder(self, path: str) -> bool:
        """Whether a folder exists; ``.`` is the site's own folder."""
        return path == "." or path.strip("/") in self._folders

    def is_taken(self, path: str) -> bool:
        """Whether anything is at a path, also if it is passed over or a symbolic link, as the file system finds it."""
        return os.path.lexists(self._root / path)

    def first(self, *paths: str) -> str:
        """The first of several files that exists; empty if none does."""
        return next((path for path in paths if path in self._files), "")

    def below(self, folder: str, suffixes: tuple[str, ...] = ()) -> list[str]:
        """The files at any depth below a folder, optionally only those with one of several suffixes."""
        found = self.files if folder in ("", ".") else self._inside(folder.strip("/"))
        return [path for path in found if not suffixes or path.lower().endswith(suffixes)]

    def _inside(self, folder: str) -> tuple[str, ...]:
        """The files below a folder: neighbors, since paths are sorted."""
        after = chr(ord("/") + 1)
        return self.files[bisect_left(self.files, f"{folder}/") : bisect_left(self.files, folder + after)]

    def endings(self, folder: str, wanted: AbstractSet[str]) -> frozenset[str]:
        """Those of any number of endings that a name at any depth below a folder has, ignoring case.

        Args:
            folder: the folder.
            wanted: the endings, in lower case, each with a dot at its beginning.
        """
        names = (posixpath.basename(path).lower() for path in (self.below(folder) if wanted else ()))
        ends = (name[dot.start() :] for name in names for dot in re.finditer(r"\.", name))
        return frozenset(end for end in ends if end in wanted)

    def beside(self, folder: str) -> list[str]:
        """The files directly in a folder."""
        own = "" if folder in ("", ".") else folder.strip("/")
        return [path for path in self.files if posixpath.dirname(path) == own]

    def text(self, path: str) -> str | Diagnostic:
        """The text of a file, or the problem if it cannot be read."""
        return read_text(self._root, path)

    def head(self, path: str) -> str:
        """The text of a file, with bytes that are not UTF-8 replaced; empty if it does not exist.

        It is also empty if it is a page that cannot be read, which the trial build reports.

        Raises:
            UnreadableError: if any other file cannot be read. It may hide pages.
        """
        data = read_bytes(self._root, path, limit=TEXT_LIMIT) if path in self._files else b""
        text = data if isinstance(data, Diagnostic) else decode_leniently(data, path)
        if not isinstance(text, Diagnostic):
            return text
        if path.lower().endswith(_TEXTS) and not posixpath.basename(path).startswith("_index."):
            return ""
        raise UnreadableError(text)

    def is_free(self, folder: str) -> bool:
        """Whether a folder can be the output folder: it is empty, missing, or was written by devlog."""
        return self.has_output(folder) or not (self.below(folder) or self.has(folder))

    def has_output(self, folder: str) -> bool:
        """Whether a folder was written by devlog; then no other file in it is listed."""
        return self.has(f"{folder}/{MANIFEST}")


def _below(folder: Path, path: str) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        raise UnreadableError(problems.unreadable(path or ".", describe(error))) from error
    is_output = bool(path) and any(entry.name == MANIFEST for entry in entries)
    for entry in entries:
        if entry.name in _PASSED_OVER or (entry.is_symlink() and not _is_file(entry)):
            continue
        if is_output and entry.name != MANIFEST:  # what devlog has written is no part of the old site
            continue
        name = normalize("NFC", entry.name)
        own = f"{path}/{name}" if path else name
        yield own, entry.is_dir()
        if entry.is_dir() and own.count("/") < 32:
            yield from _below(folder / entry.name, own)


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or a link to one."""
    try:
        return entry.is_file()
    except OSError:  # such as a link to itself
        return False
