"""The map of the project's source: its directories, as far as posts cite files in them, and these posts.

Only the cited files make the map, so it needs no checkout of the project. Each limit stands on what is made: a post can
name thousands of paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from devlog.features.source_references.assemble.index import FOLDER, Mentions
from devlog.features.source_references.model.citation import Cited
from devlog.model.slug import slug_in_ascii

SOURCE = f"{FOLDER}source/"
SOURCE_JSON = "/source.json"

MOST_LEVELS = 12
"""The maximum depth of a directory; files further down count for the directory at this depth."""

MOST_DIRECTORIES = 1_000
"""The maximum number of directories with a page; these are the most cited ones."""

_LONGEST_SEGMENT = 80  # of a URL, in characters


class Citations(NamedTuple):
    """What a post cites in a directory.

    Attributes:
        post: its index in `Mentions.posts`.
        files: the cited files.
        is_own: whether one of them is in the directory itself, not only below it.
    """

    post: int
    files: tuple[str, ...]
    is_own: bool


class Changes(NamedTuple):
    """How many places of files are cited as far as their state is known, and how many of them have changed."""

    places: int = 0
    changed: int = 0


class Directory(NamedTuple):
    """A directory of the map.

    Attributes:
        path: its path, without a slash at the end; empty for the root.
        parent: the path of the directory that lists it: the nearest one above it that is not folded.
        permalink: the permalink of its page.
        posts: the number of posts that cite files in it or below it.
    """

    path: str
    parent: str
    permalink: str
    posts: int


class SourceMap:
    """The cited files and directories of the project's source.

    Attributes:
        directories: the directories with a page, by path: the root first, then the most cited ones. A directory without
            cited files of its own that has just one directory is left out: it is folded into that one.
        files: the posts that cite each file, as indexes of `Mentions.posts`, newest first. A directory that a post
            links to is one of its own files, and ends with a slash.
    """

    def __init__(self, mentions: Mentions, cited: Mapping[str, tuple[Cited, ...]]) -> None:
        """
        Args:
            mentions: the mentions in posts.
            cited: the state of the places that posts cite, by the id of the post; empty without a checkout.
        """
        self._mentions = mentions
        self._cited = cited
        self.files: dict[str, tuple[int, ...]] = {
            item.id: tuple(post for post, _ in item.mentions)
            for item in mentions.by_kind.get("file", ())
            if ":" not in item.id  # in another repository, as org/repo:src/a.py
        }
        self._by_directory: dict[str, dict[int, list[str]]] = {}
        for file, posts in self.files.items():
            for path in above(file):
                by_post = self._by_directory.setdefault(path, {})
                for post in posts:
                    by_post.setdefault(post, []).append(file)
        self._changes = self._counted()
        self.directories = self._listed()
        self._below: dict[str, list[str]] = {}
        for path, directory in self.directories.items():
            if path:
                self._below.setdefault(directory.parent, []).append(path)

    def _counted(self) -> dict[tuple[str, int], Changes]:
        """The changes in each directory that matter to each post."""
        found: dict[tuple[str, int], Changes] = {}
        for index, post in enumerate(self._mentions.posts if self._cited else ()):
            for item in self._cited.get(post.id, ()):
                file, changed = item.source.spot.file, item.found.state != "unchanged"
                for path in above(file):
                    places, before = found.get((path, index), Changes())
                    found[path, index] = Changes(places + 1, before + changed)
        return found

    def _listed(self) -> dict[str, Directory]:
        own = {directory_of(file) for file in self.files}
        children: dict[str, int] = {}
        for path in self._by_directory:
            if path:
                children[path.rpartition("/")[0]] = children.get(path.rpartition("/")[0], 0) + 1
        # No directory has more posts than the one above it, so the chosen ones have all those above them, too.
        some = (path for path in self._by_directory if not path or path in own or children.get(path, 0) != 1)
        kept = sorted(some, key=lambda path: (path != "", -self.count(path), _depth(path), path))[:MOST_DIRECTORIES]
        present = frozenset(kept)
        urls = _permalinks(sorted(kept))
        return {
            path: Directory(
                path, next((up for up in _ancestors(path) if up in present), ""), urls[path], self.count(path)
            )
            for path in kept
        }

    def count(self, path: str) -> int:
        """The number of posts that cite files in or below a directory."""
        return len(self._by_directory.get(path, ()))

    def has(self, path: str) -> bool:
        """Whether posts cite files in or below a directory."""
        return path in self._by_directory

    def citations(self, path: str) -> Iterator[Citations]:
        """What posts cite in and below a directory, newest post first."""
        by_post = self._by_directory.get(path, {})
        for post in sorted(by_post):
            files = tuple(by_post[post])
            yield Citations(post, files, any(directory_of(file) == path for file in files))

    def changes(self, path: str, post: int) -> Changes:
        """The changes in a directory that matter to a post."""
        return self._changes.get((path, post), Changes())

    def all_changes(self, path: str) -> Changes:
        """The changes in a directory that matter to any post."""
        some = [self.changes(path, post) for post in self._by_directory.get(path, ())]
        return Changes(sum(one.places for one in some), sum(one.changed for one in some))

    def below(self, path: str) -> Iterable[Directory]:
        """The directories that a directory lists, the most cited first."""
        return [self.directories[name] for name in self._below.get(path, ())]

    def nearest(self, path: str) -> str | None:
        """The nearest directory above a path in or below which posts cite files; `None` if that is only the root."""
        return next((up for up in _ancestors(path) if up and up in self._by_directory), None)


def directory_of(file: str) -> str:
    """The directory of the map that contains a file; empty for the root."""
    return above(file)[-1]


def above(file: str) -> list[str]:
    """The directories that contain a file, from the root down."""
    parts = file.split("/")[:-1][:MOST_LEVELS]
    return ["/".join(parts[:end]) for end in range(len(parts) + 1)]


def _ancestors(path: str) -> Iterator[str]:
    """The directories above a path, from the nearest one up to the root."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def _depth(path: str) -> int:
    return path.count("/") + bool(path)


def _permalinks(paths: Iterable[str]) -> dict[str, str]:
    """Permalinks of directories.

    Paths come from posts. Their segments are reduced to letters, digits and hyphens, so that no page is taken for a
    file, nor for another page on a file system that ignores the letter case.
    """
    found: dict[str, str] = {}
    used: set[str] = set()
    for path in paths:
        parts = [slug_in_ascii(part)[:_LONGEST_SEGMENT].strip("-") or "directory" for part in path.split("/") if part]
        plain = candidate = SOURCE + "".join(f"{part}/" for part in parts)
        number = 2
        while candidate in used:
            candidate = f"{plain[:-1]}-{number}/"
            number += 1
        used.add(candidate)
        found[path] = candidate
    return found
