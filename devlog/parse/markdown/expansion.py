"""How much of a page short references may make: a long URL that is defined once can be used many thousand times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markdown_it.token import Token

from devlog.model.diagnostic import Span

_ALWAYS = 1 << 20
_FACTOR = 64
_MOST = 16 << 20

_REPEATED = ("href", "src", "title")


class ExpansionError(Exception):
    """A text makes far more of a page than it is long.

    Attributes:
        span: the block in which the limit was exceeded.
        limit: how many characters the references of this text may become.
    """

    def __init__(self, span: Span, limit: int) -> None:
        super().__init__(span, limit)
        self.span = span
        self.limit = limit


class Allowance:
    """What the references of one text may still become.

    Links that a text spells out always fit. Only what it names again and again (link definitions, abbreviations,
    values of the front matter) can become more, and cells of tables that it leaves out.
    """

    def __init__(self, length: int) -> None:
        """
        Args:
            length: of the text, in characters.
        """
        self._limit = min(max(_ALWAYS, _FACTOR * length), _MOST)
        self._left = self._limit

    def take(self, count: int, span: Span) -> None:
        """Count characters that come into the page.

        Args:
            count: how many.
            span: the block in which they are used.

        Raises:
            ExpansionError: there are more than the text may have.
        """
        self._left -= count
        if self._left < 0:
            raise ExpansionError(span, self._limit)

    def take_links(self, tokens: Sequence[Token], start: Span) -> None:
        """Count the URLs and titles of all links, images and abbreviations.

        Args:
            tokens: of a whole text.
            start: the line of the file on which the text begins.

        Raises:
            ExpansionError: there are more than the text may have.
        """
        for token in tokens:
            if token.children:
                line = start.line + (token.map[0] if token.map else 0)
                self.take(_count(token.children), Span(start.path, line))


def _count(tokens: Iterable[Token]) -> int:
    """The characters of attributes that a definition may hold."""
    count = 0
    for token in tokens:
        if token.attrs:
            count += sum(len(str(token.attrs.get(name, ""))) for name in _REPEATED)
        if token.children:
            count += _count(token.children)
    return count
