"""Mentions: what of a project's own source a text speaks of, and what of it has a place of its own on the web."""

from __future__ import annotations

from typing import Literal

import msgspec

from devlog.model.document import Parsed

MentionKind = Literal["pull", "issue", "commit", "file", "symbol", "handle"]

KINDS: tuple[MentionKind, ...] = ("pull", "issue", "commit", "file", "symbol", "handle")
"""In the order in which readers see them."""


class Mention(msgspec.Struct, frozen=True, array_like=True):
    """Something that a text speaks of.

    Attributes:
        kind: what it is. A number of which nobody says whether it is a pull request is an ``issue``.
        id: what names it: ``185998``, or ``org/repo#12`` in another repository; a commit as far as it is written, or
            ``org/repo@abc1234``; a file by its path, with the lines that are meant as in ``src/a.py#L10-L20``, or
            ``org/repo:src/a.py``; a symbol or a handle as written, a handle in lower case and without its ``@``.
        url: where it is to be seen; empty for a symbol, and for a handle without a page.
        line: of the source file, counted from 1.
        sentence: in which it is spoken of, as plain text.
    """

    kind: MentionKind
    id: str
    url: str
    line: int
    sentence: str


class Mentioned(msgspec.Struct, frozen=True):
    """What of the project's source a text speaks of, in order."""

    mentions: tuple[Mention, ...] = ()


def mentions_of(parsed: Parsed) -> tuple[Mention, ...]:
    """What of the project's source a text speaks of, in order."""
    return parsed.document.of(Mentioned).mentions if parsed.document.parts else ()
