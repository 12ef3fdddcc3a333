"""Mentions: references in a post to parts of a project's source, such as pull requests, commits, files and symbols."""

from __future__ import annotations

from typing import Literal

import msgspec

from devlog.model.document import Parsed

MentionKind = Literal["pull", "issue", "commit", "file", "symbol", "handle"]

KINDS: tuple[MentionKind, ...] = ("pull", "issue", "commit", "file", "symbol", "handle")
"""In the order in which pages list them."""


class Mention(msgspec.Struct, frozen=True, array_like=True):
    """A reference in a post to something in the project.

    Attributes:
        kind: its kind. A number that is not marked as a pull request is an ``issue``.
        id: its identifier: ``185998``, or ``org/repo#12`` in another repository; a commit as far as it is written, or
            ``org/repo@abc1234``; a file by its path, with the lines that are meant as in ``src/a.py#L10-L20``, or
            ``org/repo:src/a.py``; a symbol or a handle as written, a handle in lower case and without its ``@``.
        url: the URL that shows it; empty for a symbol, and for a handle without a page.
        line: the line of the source file, counted from 1.
        sentence: the sentence that contains it, as plain text.
    """

    kind: MentionKind
    id: str
    url: str
    line: int
    sentence: str


class Mentioned(msgspec.Struct, frozen=True):
    """The mentions in a source, in order."""

    mentions: tuple[Mention, ...] = ()


def mentions_of(parsed: Parsed) -> tuple[Mention, ...]:
    """The mentions in a source, in order."""
    return parsed.document.of(Mentioned).mentions if parsed.document.parts else ()
