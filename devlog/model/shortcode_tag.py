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
    """

    name: str
    named: dict[str, str]
    positional: tuple[str, ...]
    text: str
    role: Role = "open"


# A run of blanks must match in only one way, or a run of almost a megabyte takes quadratic time: all blanks before the
# end belong to the arguments, except the last few.
_SHORTCODE = re.compile(
    r"\{\{([<%])\s*(?:(/)\s*)?([A-Za-z][\w/.-]{0,60})((?:[^{}]|\{(?!\{)|\}(?!\})){0,4000}?)(/?)\s{0,20}([>%])\}\}"
)
_ARGUMENT = re.compile(r"""(?:([A-Za-z][\w-]*)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\s"`=]+))""", re.DOTALL)
_QUOTED = re.compile(r"\\(.)")


def read_shortcode(text: str, position: int) -> tuple[Shortcode, int] | None:
    """The tag that starts at `position` and the position after it; `None` if there is none."""
    if not text.startswith(("{{<", "{{%"), position):
        return None
    found = _SHORTCODE.match(text, position)
    if not found:
        return None
    named: dict[str, str] = {}
    positional: list[str] = []
    for argument in _ARGUMENT.finditer(found[4]):
        value = next((part for part in argument.groups()[1:] if part is not None), "")
        if argument[2] is not None:
            value = _QUOTED.sub(r"\1", value)
        if argument[1]:
            named.setdefault(argument[1].lower(), value)
        else:
            positional.append(value)
    alone = found[5] or found[3].endswith("/")
    role: Role = "close" if found[2] else "alone" if alone else "open"
    return Shortcode(found[3].lower().rstrip("/"), named, tuple(positional), found[0], role), found.end()
