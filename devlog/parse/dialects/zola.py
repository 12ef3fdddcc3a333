"""Parses Zola's shortcodes: ``{{ name(key="value") }}``, and ``{% name(…) %}`` with a body up to ``{% end %}``.

Only calls that are valid in Zola's grammar are read; any other text in double braces is left unchanged.
"""

from __future__ import annotations

import re

from devlog.model.shortcode_tag import LONGEST, Role, Shortcode

_OPENING = re.compile(r"\{(?P<mark>[{%])-?\s*(?P<name>[A-Za-z_][\w:]{0,60})\s*\(")
_UP_TO, _MORE = f"{{0,{LONGEST}}}", f"{{{LONGEST + 1}}}"
_ARGUMENT = re.compile(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*="
    rf"""\s*(?P<value>"[^"]{_UP_TO}"|'[^']{_UP_TO}'|`[^`]{_UP_TO}`|\[[^\[\]]{_UP_TO}\]|[\w.+-]{{1,60}})\s*"""
)
_LONG = re.compile(rf"""\s*[A-Za-z_]\w*\s*=\s*(?:"[^"]{_MORE}|'[^']{_MORE}|`[^`]{_MORE}|\[[^\[\]]{_MORE})""")
"""The beginning of an argument that is too long."""
_CLOSING = re.compile(r"\s*\)\s*-?(?P<end>[}%])\}")
_MOST = 31  # arguments of one call
_END = re.compile(r"\{%-?\s*end\s*-?%\}")
_ESCAPED = re.compile(r"\{(?:\{/\*(.{0,2000}?)\*/\}|%/\*(.{0,2000}?)\*/%)\}", re.DOTALL)
_ITEM = re.compile(r"""["'`]?([^"'`,\[\]]+)["'`]?""")


def read_call(text: str, position: int) -> tuple[Shortcode, int] | None:
    """The tag that starts at `position` and the position after it; `None` if there is none.

    Of a tag with an argument that is too long, it is the beginning, so that the end of many is not looked for.
    """
    end = _END.match(text, position)
    if end:
        return Shortcode("end", {}, (), end[0], "close"), end.end()
    opening = _OPENING.match(text, position)
    if not opening:
        return None
    named, place = _arguments(text, opening.end())
    closing = _CLOSING.match(text, place)
    if not closing and (long := _LONG.match(text, place)):
        return Shortcode(opening["name"].lower(), {}, (), text[position : long.end()], "alone", True), long.end()
    if not closing or (opening["mark"], closing["end"]) not in (("{", "}"), ("%", "%")):
        return None
    role: Role = "open" if opening["mark"] == "%" else "alone"
    written = text[position : closing.end()]
    return Shortcode(opening["name"].lower(), named, (), written, role), closing.end()


def _arguments(text: str, place: int) -> tuple[dict[str, str], int]:
    """The arguments that begin at `place`, and the offset after them and a trailing comma.

    Arguments are matched one by one and greedily: a single expression for all of them would backtrack through every
    way to split text that is not a call.
    """
    named: dict[str, str] = {}
    for number in range(_MOST):
        comma = bool(number) and text.startswith(",", place)
        argument = _ARGUMENT.match(text, place + comma)
        if not argument:
            return named, place + comma
        named[argument["name"].lower()] = _value(argument["value"])
        place = argument.end()
    return named, place + text.startswith(",", place)


def _value(written: str) -> str:
    """A value as text; the items of a list are joined with commas."""
    if written.startswith("["):
        return ", ".join(item.strip() for item in _ITEM.findall(written) if item.strip())
    return written[1:-1] if written[0] in "\"'`" else written


def read_escaped_call(text: str, position: int) -> tuple[str, int] | None:
    """The unescaped text of an escaped tag at `position`, and the position after it; `None` if there is none."""
    found = _ESCAPED.match(text, position)
    return (_unescaped(found), found.end()) if found else None


def unescape_calls(code: str) -> str:
    """Unescape shortcodes in code, since Zola requires authors to escape them there too."""
    return _ESCAPED.sub(_unescaped, code) if "/*" in code else code


def _unescaped(found: re.Match[str]) -> str:
    return "{{" + found[1] + "}}" if found[1] is not None else "{%" + found[2] + "%}"
