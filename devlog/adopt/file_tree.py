"""Finds what paths and globs name among very many files, and the fewest patterns that ignore it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from devlog.adopt.common import as_patterns
from devlog.disk.ignore import compile_ignore

SPECIAL = re.compile(r"[*?\[]")
"""The wildcards of a glob."""
_AFTER = chr(ord("/") + 1)
_LAST = chr(sys.maxunicode)


class FileTree:
    """Files with the folders that they are in. It is made once: lists of paths to ignore have thousands of lines."""

    def __init__(self, files: Sequence[str], content: str) -> None:
        """
        Args:
            files: their paths, sorted, all in the content folder.
            content: the content folder; ``.`` is the site's own folder.
        """
        self._content = content
        self._top = "" if content == "." else content
        self._depth = self._top.count("/") + 1 if self._top else 0
        self._first = {path: number for number, path in enumerate(files)}  # of a folder, its first file
        self._sizes: Counter[str] = Counter()  # how many files a folder has, at any depth
        for number, path in enumerate(files):
            for folder in folders_above(path):
                self._sizes[folder] += 1
                self._first.setdefault(folder, number)
        self._paths = sorted(self._first)

    def named(self, path: str, glob: re.Pattern[str]) -> list[str]:
        """The files and folders that a path names, in the order of the files, without those inside of another.

        Args:
            path: the path, which may be a glob; without slashes at its ends.
            glob: the compiled path. It is only compared with paths in the folder that comes before its first wildcard.
        """
        special = SPECIAL.search(path)
        if special is None:
            return [path] if path in self._first else []
        folder = path[: special.start()].rpartition("/")[0]
        start = bisect_left(self._paths, f"{folder}/") if folder else 0
        end = bisect_left(self._paths, folder + _AFTER) if folder else len(self._paths)
        found = {one for one in self._paths[start:end] if glob.fullmatch(one)}
        outermost = (one for one in found if not one or found.isdisjoint(folders_above(one)))
        return sorted(outermost, key=self._first.__getitem__)

    def patterns(self, hidden: Collection[str]) -> tuple[str, ...]:
        """Patterns that ignore files and folders, of which none is inside of another: folders where nothing else is."""
        counts: Counter[str] = Counter()
        for path in hidden:
            size = self._sizes.get(path, 1)
            for folder in self._chain(path):
                counts[folder] += size
        found = dict.fromkeys(self._outermost(path, counts) for path in hidden)
        return ("/**",) if self._top in found else as_patterns(found, self._content)

    def _outermost(self, path: str, counts: Counter[str]) -> str:
        """The outermost folder around a path, not above the content folder, of which all files are counted."""
        chain = self._chain(path)[self._depth :]
        if not chain and path in self._sizes:  # a folder that contains the content folder
            return self._top
        return next((folder for folder in chain if counts[folder] == self._sizes[folder]), path)

    def _chain(self, path: str) -> list[str]:
        """The folders that a file is in, and a folder itself."""
        return folders_above(f"{path}/" if path else "") if path in self._sizes else folders_above(path)


class Pages:
    """Files with another path each that globs are for. As in `FileTree`, a glob is only compared with paths that begin
    as it does.
    """

    def __init__(self, paths: Mapping[str, str]) -> None:
        """
        Args:
            paths: the path that globs are for, by file.
        """
        self._path_of = paths
        self._files = sorted(paths)
        by_path = sorted((path, file) for file, path in paths.items())
        self._paths = [path for path, _ in by_path]
        self._by_path = [file for _, file in by_path]

    def reached(self, folder: str, globs: Sequence[str]) -> Iterator[str]:
        """The files in a folder, at any depth, whose other path matches a glob; some more than once.

        Args:
            folder: the folder; empty for the site's own.
            globs: valid globs, without a slash at the beginning.
        """
        start = f"{folder}/" if folder else ""
        inside = _range(self._files, start)
        for glob in globs:
            matches = compile_ignore((f"/{glob}",))[0].paths[0].fullmatch
            special = SPECIAL.search(glob)
            alike = _range(self._paths, glob[: special.start()] if special else glob)
            if len(inside) < len(alike):
                candidates = [self._files[at] for at in inside]
            else:
                candidates = [file for at in alike if (file := self._by_path[at]).startswith(start)]
            yield from (file for file in candidates if matches(self._path_of[file]))


def _range(texts: Sequence[str], start: str) -> range:
    """The indices of those sorted texts that begin with something."""
    return range(bisect_left(texts, start), bisect_left(texts, start + _LAST))


def folders_above(path: str) -> list[str]:
    """The folders that a file is in, the outermost first; empty for the site's own."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]
