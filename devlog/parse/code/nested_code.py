"""Lexers for languages in which a text names the language of code inside of it.

Pygments would run any of its lexers for that code, also those that take exponential time, that keep state, or that call
each other without end. Here the code has a lexer that is allowed, one level deep, or stays plain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers.sql import PlPgsqlLexer, PostgresLexer
from pygments.lexers.textfmts import HttpLexer

_BODIES = frozenset(
    {"application/json", "application/javascript", "application/xml", "text/css", "text/html", "text/xml"}
)
"""The media types of bodies of HTTP that are highlighted."""


class _Http(HttpLexer):
    """Splits HTTP into tokens."""

    _media_type = ""

    @property
    def content_type(self) -> str:
        """The media type of the body that follows, as far as it is highlighted."""
        return self._media_type

    @content_type.setter
    def content_type(self, found: str | None) -> None:
        kind = (found or "").lower()
        family = f"{kind.partition('/')[0]}/{kind.rpartition('+')[2]}" if "+" in kind else kind
        self._media_type = family if family in _BODIES else ""


def _plain(_language: str) -> None:
    """No lexer: the code stays a string."""


def nested(name: str, find: Callable[[str], Lexer | None], **options: Any) -> Lexer:
    """A lexer for a language that may contain code in others.

    Args:
        name: the name of the language for Pygments: ``http``, ``postgres`` or ``postgresql``.
        find: returns the lexer of an allowed language by its name.
        options: for the lexer.
    """
    if name == "http":
        return _Http(**options)

    def inner(language: str) -> Lexer | None:
        language = language.lower()
        if language in ("sql", "plpgsql"):
            lexer: Any = (PostgresLexer if language == "sql" else PlPgsqlLexer)(**options)
            lexer._get_lexer = _plain
            return lexer  # type: ignore[no-any-return]
        return find(language.removeprefix("pl").removesuffix("u"))

    outer: Any = PostgresLexer(**options)
    outer._get_lexer = inner
    return outer  # type: ignore[no-any-return]
