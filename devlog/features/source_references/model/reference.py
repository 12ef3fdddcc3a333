"""What ``refs.json`` has of what posts speak of."""

from __future__ import annotations

from typing import NamedTuple


class ReferencePost(NamedTuple):
    """A post that speaks of something: its URL, its file, on which line and in which words."""

    url: str
    source: str
    line: int
    sentence: str


class Reference(NamedTuple):
    """Something of the project's source, and the posts that speak of it."""

    kind: str
    id: str
    url: str
    posts: tuple[ReferencePost, ...]
