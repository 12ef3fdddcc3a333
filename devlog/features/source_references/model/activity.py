"""The activity in a project's source: how often its directories and files changed, and by how many people."""

from __future__ import annotations

import msgspec


class Commit(msgspec.Struct, frozen=True):
    """A commit: its time in seconds since 1970, its author, and the files that it changed."""

    second: int
    author: str
    files: tuple[str, ...]


class Activity(msgspec.Struct, frozen=True):
    """The activity in a directory.

    Attributes:
        path: its path.
        commits: the number of commits that changed files in it or below it.
        people: the number of their authors.
    """

    path: str
    commits: int
    people: int


class ChangedSincePost(msgspec.Struct, frozen=True):
    """A post, and the commits that changed the files that it cites since its day.

    Attributes:
        post: its file.
        title: its title.
        day: its day.
        commits: the number of commits.
        files: the changed files among those that it cites, the most changed first.
    """

    post: str
    title: str
    day: str
    commits: int
    files: tuple[str, ...]


class Gaps(msgspec.Struct, frozen=True):
    """What nobody has written about, ranked.

    Attributes:
        since: the first day that counts.
        directories: directories without a post.
        posts: posts whose cited files have changed.
        problem: why nothing is known; empty if the checkout has answered.
    """

    since: str
    directories: tuple[Activity, ...] = ()
    posts: tuple[ChangedSincePost, ...] = ()
    problem: str = ""
