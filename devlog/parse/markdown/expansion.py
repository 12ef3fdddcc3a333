"""Limits the output that short references expand to: a long URL can be defined once and used thousands of times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markdown_it.token import Token

from devlog.model.diagnostic import Span

_REPEATED = ("href", "src", "title")


class ExpansionError(Exception):
    """Raised for a body whose output would be far larger than its source.

    Attributes:
        span: the block in which the limit was exceeded.
        limit: the maximum number of characters that the references of this body may expand to.
    """

    def __init__(self, span: Span, limit: int) -> None:
        super().__init__(span, limit)
        self.span = span
        self.limit = limit


class Allowance:
    """The number of characters that the references of one body may still expand to.

    Links that are spelled out always fit. Only repeated references (to link definitions, abbreviations and values of
    the front matter), missing cells of tables, and the HTML of included files can exceed the limit.
    """

    def __init__(self, limit: int) -> None:
        """
        Args:
            limit: the number of characters.
        """
        self._limit = limit
        self._left = self._limit

    def take(self, count: int, span: Span) -> None:
        """Count characters that are added to the page.

        Args:
            count: the number of characters.
            span: the block in which they are used.

        Raises:
            ExpansionError: the total exceeds the limit.
        """
        self._left -= count
        if self._left < 0:
            raise ExpansionError(span, self._limit)

    def take_links(self, tokens: Sequence[Token], start: Span) -> None:
        """Count the URLs and titles of all links, images and abbreviations.

        Args:
            tokens: the tokens of a whole body.
            start: the line of the file on which the body begins.

        Raises:
            ExpansionError: the total exceeds the limit.
        """
        for token in tokens:
            if token.children:
                line = start.line + (token.map[0] if token.map else 0)
                self.take(_count(token.children), Span(start.path, line))


def _count(tokens: Iterable[Token]) -> int:
    """The number of characters in attributes whose value a definition may supply."""
    count = 0
    for token in tokens:
        if token.attrs:
            values = [str(token.attrs.get(name, "")) for name in _REPEATED]
            count += sum(len(value) + 4 * value.count("&") for value in values)  # as HTML
        if token.children:
            count += _count(token.children)
    return count
