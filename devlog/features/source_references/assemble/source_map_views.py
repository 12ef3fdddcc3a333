"""What pages and programs get of the map of the source."""

from __future__ import annotations

from itertools import islice
from typing import Any

from devlog.assemble.views import Views
from devlog.features.source_references.assemble.index import Mentions
from devlog.features.source_references.assemble.source_map import Citations, SourceMap
from devlog.model import view
from devlog.plugin import Outline

MOST_SHOWN = 300
"""The maximum number of directories on a page."""

MOST_POSTS = 50
"""The maximum number of posts on the page of a directory, and of a directory in ``source.json``."""

NEWEST = 3
"""The maximum number of posts of each directory in a tree."""

_NAMED = 4  # the maximum number of files that are named for a post


def directory_view(found: SourceMap, mentions: Mentions, views: Views, path: str) -> view.SourceDirectory:
    """A directory with those below it, as far as a page can show them: the upper and the most cited ones first."""
    shown, rest = {path}, [path]
    while rest and len(shown) < MOST_SHOWN:
        level = [below.path for up in rest for below in found.below(up)]
        rest = sorted(level, key=lambda name: -found.count(name))[: MOST_SHOWN - len(shown)]
        shown.update(rest)

    def seen(at: str, name: str, *, is_top: bool = False) -> view.SourceDirectory:
        changes = found.all_changes(at)
        own = islice((item for item in found.citations(at) if item.is_own), NEWEST)
        return view.SourceDirectory(
            name=name,
            url=views.url(found.directories[at].permalink),
            count=found.count(at),
            posts=tuple(_post(found, mentions, views, at, item) for item in own if not (is_top and path)),
            places=changes.places,
            changed=changes.changed,
            directories=tuple(
                seen(below.path, below.path[len(at) + bool(at) :]) for below in found.below(at) if below.path in shown
            ),
        )

    return seen(path, path, is_top=True)


def source_posts(found: SourceMap, mentions: Mentions, views: Views, path: str) -> tuple[view.SourcePost, ...]:
    """The newest posts that cite files in or below a directory."""
    return tuple(_post(found, mentions, views, path, item) for item in islice(found.citations(path), MOST_POSTS))


def _post(found: SourceMap, mentions: Mentions, views: Views, path: str, item: Citations) -> view.SourcePost:
    post, changes = mentions.posts[item.post], found.changes(path, item.post)
    return view.SourcePost(
        title=post.title,
        url=views.url(post.permalink),
        date=views.refs((post,))[0].date,
        files=tuple(_name_in(path, file) for file in item.files[:_NAMED]),
        more=max(0, len(item.files) - _NAMED),
        places=changes.places,
        changed=changes.changed,
    )


def _name_in(path: str, file: str) -> str:
    """The name of a file on the page of a directory: relative to it, unless it is the directory itself."""
    return file[len(path) + bool(path) :] or f"{path.rpartition('/')[2]}/"


def record_of(found: SourceMap, mentions: Mentions, outline: Outline) -> dict[str, Any]:
    """``source.json``: the files and directories that posts cite, each with the numbers of its posts.

    Posts are listed once, and referred to by number, so that the file stays small if many posts cite many files.
    """
    used = sorted({post for posts in found.files.values() for post in posts})
    number = {post: place for place, post in enumerate(used)}
    return {
        "posts": [
            {
                "title": post.title,
                "url": outline.absolute(post.permalink),
                "source": post.parsed.file,
                "date": post.date.date().isoformat() if post.date else "",
            }
            for post in (mentions.posts[index] for index in used)
        ],
        "files": {
            file: [number[post] for post in posts]
            for file, posts in sorted(found.files.items())
            if not file.endswith("/")  # a directory
        },
        "directories": {
            path: {
                "url": outline.absolute(directory.permalink),
                "count": directory.posts,
                "posts": [number[item.post] for item in islice(found.citations(path), MOST_POSTS)],
            }
            for path, directory in sorted(found.directories.items())
        },
    }
