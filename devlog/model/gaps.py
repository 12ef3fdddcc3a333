"""What nobody has written about: active directories of a repository, and posts whose cited files have changed."""

from __future__ import annotations

import msgspec


class ActiveDirectory(msgspec.Struct, frozen=True):
    """A directory that is changed often and that no post is about.

    Attributes:
        path: its path in the repository.
        commits: the number of commits that changed files in it or below it.
        people: the number of their authors.
    """

    path: str
    commits: int
    people: int


class ChangedSincePost(msgspec.Struct, frozen=True):
    """A post, and the commits that changed the files that it cites since its day.

    Attributes:
        post: its file, relative to the site's folder.
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
        problem: why nothing is known; empty if the repository could be read.
    """

    since: str
    directories: tuple[ActiveDirectory, ...] = ()
    posts: tuple[ChangedSincePost, ...] = ()
    problem: str = ""
