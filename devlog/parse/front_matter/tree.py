"""The common tree for front matter in YAML, TOML and JSON, so that the schema is independent of the format."""

from __future__ import annotations

import json
import re
from functools import cached_property

import msgspec

from devlog.model.diagnostic import Span

MAX_DEPTH = 4
"""The maximum nesting depth of lists and mappings, including the front matter itself."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_NULLS = ("", "~", "null", "Null", "NULL")
_CONSTANTS: dict[str, bool] = {"true": True, "false": False, "True": True, "False": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


class Scalar(msgspec.Struct, frozen=True):
    """A single value as its source text, never converted.

    Attributes:
        text: the value as written, without quotes and escapes.
        span: the span in the source; its length equals the text's if the two match character for character.
        plain: whether it was written without quotes, as numbers, dates and booleans are.
    """

    text: str
    span: Span
    plain: bool = False

    @property
    def is_null(self) -> bool:
        """Whether the value is empty or null."""
        return self.plain and self.text in _NULLS


class Sequence(msgspec.Struct, frozen=True):
    """A list of values, and the span of its beginning."""

    items: tuple[Node, ...]
    span: Span


class Entry(msgspec.Struct, frozen=True):
    """A key with its value."""

    key: Scalar
    value: Node


class Mapping(msgspec.Struct, frozen=True, dict=True):
    """Keys with values, in the order of the source, without duplicates."""

    entries: tuple[Entry, ...]
    span: Span

    @cached_property
    def by_name(self) -> dict[str, Entry]:
        """The entries by their keys in lower case; of several with one name, the first."""
        return {entry.key.text.lower(): entry for entry in reversed(self.entries)}

    def get(self, key: str) -> Node | None:
        """The value of `key`, ignoring case; None if there is none."""
        entry = self.by_name.get(key)
        return entry.value if entry else None


Node = Scalar | Sequence | Mapping


def to_json(node: Node) -> Json:
    """Convert a node to a value for templates.

    Unquoted text becomes a boolean, a number or null only if JSON writes the value in the same way, so that
    ``2.10`` stays unchanged.

    Args:
        node: any value.

    Returns:
        The same value in Python's built-in types.
    """
    if isinstance(node, Mapping):
        return {entry.key.text: to_json(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [to_json(item) for item in node.items]
    return _plain_json(node) if node.plain else node.text


def _plain_json(node: Scalar) -> Json:
    if node.is_null:
        return None
    if node.text in _CONSTANTS:
        return _CONSTANTS[node.text]
    if _NUMBER.fullmatch(node.text):
        number: int | float = json.loads(node.text)
        return number if json.dumps(number) == node.text else node.text
    return node.text
