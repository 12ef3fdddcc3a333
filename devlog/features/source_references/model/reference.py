"""The entries of ``refs.json``."""

from __future__ import annotations

from typing import NamedTuple


class ReferencePost(NamedTuple):
    """A post that mentions something: its URL, its file, and the line and sentence of the mention."""

    url: str
    source: str
    line: int
    sentence: str


class Reference(NamedTuple):
    """Something in the project's source, and the posts that mention it."""

    kind: str
    id: str
    url: str
    posts: tuple[ReferencePost, ...]
