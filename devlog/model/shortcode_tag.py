"""Parses the tags of shortcodes: ``{{< name … >}}`` and ``{{% name … %}}``, as in Hugo."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Role = Literal["open", "close", "alone"]


class Shortcode(msgspec.Struct, frozen=True):
    """A tag of a shortcode as written.

    Attributes:
        name: in lower case, without the slash of a closing tag.
        named: the named arguments; the names are in lower case.
        positional: the other arguments.
        text: the whole tag.
        role: whether the tag may open a paired shortcode, closes one, or is always unpaired.
        is_long: whether its arguments are longer than `LONGEST`, and not read.
    """

    name: str
    named: dict[str, str]
    positional: tuple[str, ...]
    text: str
    role: Role = "open"
    is_long: bool = False


# The end is searched for by itself: a single expression would try many ways to match a tag that has none.
_BEGINNING = re.compile(r"\{\{[<%]\s*(?:(/)\s*)?([A-Za-z][\w/.-]{0,60})")
_END = re.compile(r"([>%]\}\})|\{\{|\}\}")
LONGEST = 4_000
"""The maximum length of the arguments in characters."""
_ARGUMENT = re.compile(
    r"""(?:([A-Za-z][\w-]*)\s*=\s*)?(?:"((?:[^"\\]|\\(?:.|\Z))*)(?:"|\Z)|`([^`]*)`|([^\s"`=]+))""", re.DOTALL
)
"""Matches an argument. A string without an end is one all the same: else each quotation mark in it would begin one."""
_QUOTED = re.compile(r"\\(.)")


def read_shortcode(text: str, position: int) -> tuple[Shortcode, int] | None:
    """The tag that starts at `position` and the position after it; `None` if there is none."""
    if not text.startswith(("{{<", "{{%"), position):
        return None
    found = _BEGINNING.match(text, position)
    end = found and _END.search(text, found.end())
    if not found or not end or not end[1]:
        return None
    if end.start() - found.end() > LONGEST:
        return Shortcode(found[2].lower().rstrip("/"), {}, (), text[position : end.end()], "alone", True), end.end()
    arguments = text[found.end() : end.start()].rstrip()
    named: dict[str, str] = {}
    positional: list[str] = []
    for argument in _ARGUMENT.finditer(arguments.removesuffix("/")):
        value = next((part for part in argument.groups()[1:] if part is not None), "")
        if argument[2] is not None:
            value = _QUOTED.sub(r"\1", value)
        if argument[1]:
            named.setdefault(argument[1].lower(), value)
        else:
            positional.append(value)
    name, is_alone = found[2], found[2].endswith("/") or arguments.endswith("/")
    role: Role = "close" if found[1] else "alone" if is_alone else "open"
    tag = Shortcode(name.lower().rstrip("/"), named, tuple(positional), text[position : end.end()], role)
    return tag, end.end()
