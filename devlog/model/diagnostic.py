"""What is wrong, where, and what to do about it: problems are values, never exceptions."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Severity = Literal["error", "warning", "info"]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Span(msgspec.Struct, frozen=True, order=True):
    """A place in a source file.

    Attributes:
        path: the file, relative to the site's root, with ``/`` between segments.
        line: counted from 1; 0 means the file as a whole.
        column: counted from 1, in characters; 0 means the line as a whole.
        length: how many characters the place covers; 0 when unknown.
    """

    path: str
    line: Count = 0
    column: Count = 0
    length: Count = 0


class Edit(msgspec.Struct, frozen=True):
    """A change of a text.

    Attributes:
        span: where; without a column the line as a whole.
        old: what stands there and nowhere else within the place; empty to put something in before it.
        new: what is to stand there instead, with ``\\n`` line ends.
        lines: how many whole lines are replaced, from that of `span` on; 0 to replace `old`.
    """

    span: Span
    old: str
    new: str
    lines: int = 0


class Fix(msgspec.Struct, frozen=True):
    """The one right answer to a problem: changes of its file, and a new name for it (relative to the site's root)."""

    edits: tuple[Edit, ...] = ()
    rename: str = ""


class Diagnostic(msgspec.Struct, frozen=True):
    """One problem.

    Attributes:
        code: the stable name of the kind of problem, such as ``broken-link``.
        severity: what it means for the build: only an ``error`` stops it.
        message: one sentence without a full stop.
        span: where it is.
        hint: what to do; empty when nothing certain can be said.
        line_text: the source line of ``span``, recorded by the build for display.
        fix: what mends it, where there is one right answer.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    line_text: str = ""
    fix: Fix | None = None

    @property
    def sort_key(self) -> tuple[Span, str, str]:
        """The order in which problems are reported: by place, then by code."""
        return (self.span, self.code, self.message)
