"""Finds the posts about a path of the project's source, for terminals, editors and agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from devlog.features.source_references.assemble.index import Mentions
from devlog.features.source_references.assemble.pages import known_source
from devlog.features.source_references.assemble.source_map import Citations, SourceMap
from devlog.plugin import Outline

MOST_FILES = 5
"""The maximum number of files that are named for a post."""


class PostAbout(NamedTuple):
    """A post that cites a file, or files of a directory.

    Attributes:
        title: its title.
        url: its URL, absolute if the site has a base URL.
        source: its file.
        date: its day, empty for a plain page.
        files: the first cited files.
        more: the number of other cited files.
    """

    title: str
    url: str
    source: str
    date: str
    files: tuple[str, ...]
    more: int


class Found(NamedTuple):
    """The posts about a path.

    Attributes:
        path: the path whose posts these are: the requested one, or the nearest directory above it; empty for the whole
            project.
        kind: what that is. It is ``above`` if no post cites the requested path or anything below it.
        total: the number of posts in all.
        posts: the newest posts, and then plain pages.
    """

    path: str
    kind: Literal["file", "directory", "above"]
    total: int
    posts: tuple[PostAbout, ...]

    def record(self) -> dict[str, Any]:
        """The same for programs."""
        return {**self._asdict(), "posts": [post._asdict() for post in self.posts]}


def posts_about(outline: Outline, path: str, limit: int) -> Found | None:
    """Find the posts about a path of the source.

    Args:
        outline: the site.
        path: a file or directory, relative to the root of the repository; empty for the whole project.
        limit: the maximum number of posts to return.

    Returns:
        `None` if no post cites the path, or anything in the directories above it besides the root.
    """
    known = known_source(outline)
    if known is None:
        return None
    mentions, found = known
    name = path.strip("/")
    if name in found.files:
        cited = [Citations(post, (name,), is_own=True) for post in found.files[name]]
        return Found(name, "file", len(cited), tuple(_posts(outline, mentions, cited[:limit])))
    nearest = name if found.has(name) else found.nearest(name)
    if nearest is None:
        return None
    kind: Literal["directory", "above"] = "directory" if nearest == name else "above"
    return Found(nearest, kind, found.count(nearest), tuple(_some(outline, mentions, found, nearest, limit)))


def _some(outline: Outline, mentions: Mentions, found: SourceMap, path: str, limit: int) -> Iterator[PostAbout]:
    yield from _posts(outline, mentions, list(found.citations(path))[:limit])


def _posts(outline: Outline, mentions: Mentions, cited: Iterable[Citations]) -> Iterator[PostAbout]:
    for item in cited:
        post = mentions.posts[item.post]
        yield PostAbout(
            post.title,
            outline.absolute(post.permalink),
            post.parsed.file,
            post.date.date().isoformat() if post.date else "",
            item.files[:MOST_FILES],
            max(0, len(item.files) - MOST_FILES),
        )
