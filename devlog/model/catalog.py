"""The message catalog of a theme: messages by key, each in the site's language or, if that lacks it, in English.

A message is plain text with placeholders in braces. One that depends on a number has a form for each plural category of
its language; the number is its placeholder ``{count}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.plurals import OTHER, plural_form

FALLBACK = "en"
"""The language of messages that no other catalog has."""

COUNT = "count"
"""The placeholder of the number that the plural form depends on; the number is written with separators."""

THOUSANDS = "thousands_separator"
"""The key of the separator between groups of three digits."""

_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_LANGUAGE = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8})*")


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """The message of a key.

    Attributes:
        language: the language of the text, which decides its plural forms.
        forms: the text by plural category; always has ``other``, and nothing else if it does not depend on a number.
        file: the file of the catalog.
        line: the line in that file.
        is_known: whether a theme has the key in English, or a script uses it: others are for templates.
    """

    language: str
    forms: dict[str, str]
    file: str = ""
    line: int = 0
    is_known: bool = False

    @property
    def span(self) -> Span:
        """Where the message is defined."""
        return Span(self.file, self.line)

    @property
    def is_plural(self) -> bool:
        """Whether it depends on a number."""
        return len(self.forms) > 1

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of the placeholders in its texts."""
        return frozenset(name for text in self.forms.values() for name in _PLACEHOLDER.findall(text))


class Catalog:
    """Messages by key. Call it with a key to get the text of that message.

    Attributes:
        messages: all messages, by key.
        thousands: the separator between groups of three digits.
    """

    def __init__(self, messages: Mapping[str, Message]) -> None:
        """
        Args:
            messages: the messages, by key.
        """
        self.messages = messages
        self.thousands = messages[THOUSANDS].forms[OTHER] if THOUSANDS in messages else ","

    def __call__(self, key: str, **values: object) -> str:
        """The text of a message; its key if there is none, as while the catalog cannot be read, which is an error.

        Args:
            key: the key of a message in the catalog.
            **values: the values of its placeholders; ``count`` selects the plural form.

        Raises:
            KeyError: if one of its placeholders has no value.
        """
        message = self.messages.get(key)
        if message is None:
            return key
        count = values.get(COUNT)
        form = plural_form(message.language, count) if isinstance(count, int) and message.is_plural else OTHER
        text = message.forms.get(form) or message.forms[OTHER]
        if "{" not in text:
            return text
        if isinstance(count, int):
            values[COUNT] = grouped(count, self.thousands)
        return text.format_map(values)


def grouped(number: int, separator: str) -> str:
    """A number with a separator between groups of three digits."""
    return f"{number:,}" if separator == "," else f"{number:,}".replace(",", separator)


def encoded(messages: Mapping[str, Message]) -> str:
    """Messages as JSON text, which is fast to compare and to send to another process."""
    return _shared(msgspec.json.encode(messages, order="sorted").decode())


@lru_cache(maxsize=8)
def _shared(text: str) -> str:
    """The same text, as one object for all that are equal: it is long, and is in the keys of hundreds of templates."""
    return text


@lru_cache(maxsize=8)
def catalog_of(text: str) -> Catalog:
    """Decode a catalog that `encoded` has encoded."""
    return Catalog(msgspec.json.decode(text, type=dict[str, Message]))


def language_code(name: str) -> str:
    """The normalized code of a language, such as ``de-at``; empty if the name is not a language code."""
    code = name.strip().replace("_", "-").lower()
    return code if _LANGUAGE.fullmatch(code) else ""


def languages_of(language: str) -> Iterator[str]:
    """The languages in which to look for a message, the best first: ``de-at``, ``de``, ``en``."""
    code = language_code(language)
    while code and code != FALLBACK:
        yield code
        code = code.rpartition("-")[0]
    yield FALLBACK


def pieces_of(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a text in order: plain text, and the name of the placeholder after it; either may be empty."""
    parts = _PLACEHOLDER.split(text)
    yield from zip(parts[::2], [*parts[1::2], ""], strict=True)


def has_odd_braces(text: str) -> bool:
    """Whether a text has a brace that belongs to no placeholder."""
    rest = _PLACEHOLDER.sub("", text)
    return "{" in rest or "}" in rest
