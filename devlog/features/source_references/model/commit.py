"""A commit of the repository that posts refer to, as far as activity in its directories is counted."""

from __future__ import annotations

import msgspec


class Commit(msgspec.Struct, frozen=True):
    """A commit: its time in seconds since 1970, its author, and the files that it changed."""

    second: int
    author: str
    files: tuple[str, ...]
