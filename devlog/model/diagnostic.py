"""Diagnostics: problems with their location and a hint what to do. They are values, never exceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

MOST_OF_A_KIND = 1_000
"""How many problems of one kind are reported of one file, which may have a hundred thousand."""

Severity = Literal["error", "warning", "info"]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Span(msgspec.Struct, frozen=True, order=True):
    """A span of a source file.

    Attributes:
        path: the file, relative to the site's root, with ``/`` between segments.
        line: the line, counted from 1; 0 means the whole file.
        column: the column, counted from 1, in characters; 0 means the whole line.
        length: the length in characters; 0 if unknown.
        is_file: whether `path` is a file, and not the name of something that devlog makes, such as “the archive”.
    """

    path: str
    line: Count = 0
    column: Count = 0
    length: Count = 0
    is_file: bool = True


def generated(name: str) -> Span:
    """A span that stands for something which devlog makes, and for no file.

    Args:
        name: what it is called in messages, such as “the archive”.
    """
    return Span(name, is_file=False)


class Edit(msgspec.Struct, frozen=True):
    """A change to a text.

    Attributes:
        span: where to make the change; without a column, somewhere in the line.
        old: the text to replace, which must occur exactly once in the span; empty to insert at its start.
        new: the replacement, with ``\\n`` line ends.
        lines: the number of whole lines to replace, starting with the line of `span`; 0 to replace `old`.
    """

    span: Span
    old: str
    new: str
    lines: Count = 0


class Fix(msgspec.Struct, frozen=True):
    """The only correct solution of a problem: edits of its file, and a new name for it, relative to the site's root."""

    edits: tuple[Edit, ...] = ()
    rename: str = ""


class Diagnostic(msgspec.Struct, frozen=True):
    """One problem.

    Attributes:
        code: the stable name of the kind of problem, such as ``broken-link``.
        severity: what it means for the build: only an ``error`` stops it.
        message: one sentence without a period.
        span: where the problem is.
        hint: what to do; empty if the advice could be wrong.
        line_text: the source line of ``span``, which the build adds for display.
        fix: the fix, if there is only one correct solution.
        others: other files that the problem is about just as much: one of two with the same URL, for example.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    line_text: str = ""
    fix: Fix | None = None
    others: tuple[str, ...] = ()

    @property
    def sort_key(self) -> tuple[Span, str, str]:
        """The order in which problems are reported: by span, then by code."""
        return (self.span, self.code, self.message)


def limited(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Problems without those of a kind of which a file has too many.

    Args:
        diagnostics: all problems that one step has found, of any files.

    Returns:
        The first `MOST_OF_A_KIND` of each kind and file; the last of these says how many more there are.
    """
    found: list[Diagnostic] = []
    last: dict[tuple[str, str], int] = {}
    counts = Counter[tuple[str, str]]()
    for diagnostic in diagnostics:
        kind = (diagnostic.span.path, diagnostic.code)
        counts[kind] += 1
        if counts[kind] <= MOST_OF_A_KIND:
            last[kind] = len(found)
            found.append(diagnostic)
    for kind, place in last.items():
        more = counts[kind] - MOST_OF_A_KIND
        if more > 0:
            what = "one more problem" if more == 1 else f"{more:,} more problems"
            message = f"{found[place].message}, and {what} of this kind in this file"
            found[place] = msgspec.structs.replace(found[place], message=message)
    return tuple(found)
