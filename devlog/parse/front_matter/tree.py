"""The one shape that YAML, TOML and JSON front matter are read into, so that the schema knows no format."""

from __future__ import annotations

import json
import re

import msgspec

from devlog.model.diagnostic import Span

MAX_DEPTH = 4
"""How deep lists and mappings may stand inside each other, the front matter itself included."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_NULLS = ("", "~", "null", "Null", "NULL")
_CONSTANTS: dict[str, bool] = {"true": True, "false": False, "True": True, "False": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


class Scalar(msgspec.Struct, frozen=True):
    """A single value as its source text, never converted.

    Attributes:
        text: what was written, without quotes and escapes.
        span: where the text stands; its length equals the text's when the two match letter for letter.
        plain: whether it was written without quotes: a number, a date or a boolean looks like this.
    """

    text: str
    span: Span
    plain: bool = False

    @property
    def is_null(self) -> bool:
        """Whether nothing was written, or a word for nothing."""
        return self.plain and self.text in _NULLS


class Sequence(msgspec.Struct, frozen=True):
    """A list of values, and where it begins."""

    items: tuple[Node, ...]
    span: Span


class Entry(msgspec.Struct, frozen=True):
    """A key with its value."""

    key: Scalar
    value: Node


class Mapping(msgspec.Struct, frozen=True):
    """Keys with values, in the order in which they were written; no key comes twice."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> Node | None:
        """The value of `key`, whatever its case; None when there is none."""
        for entry in self.entries:
            if entry.key.text.lower() == key:
                return entry.value
        return None


Node = Scalar | Sequence | Mapping


def to_json(node: Node) -> Json:
    """A value for templates.

    Text without quotes becomes a boolean, a number or null only when that is how JSON writes the value, so
    that ``2.10`` stays as it is.

    Args:
        node: any value.

    Returns:
        The same value of Python's own types.
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
