"""Zola's shortcodes: ``{{ name(key="value") }}``, and ``{% name(…) %}`` with an inside up to ``{% end %}``.

Only what is a call by Zola's grammar is one; any other text in double braces stays as it is.
"""

from __future__ import annotations

import re

from devlog.parse.shortcodes import Role, Shortcode

_VALUE = r"""(?:"[^"]{0,2000}+"|'[^']{0,2000}+'|`[^`]{0,2000}+`|\[[^\[\]]{0,2000}+\]|[\w.+-]{1,60}+)"""
_ARGUMENT = rf"\s*+[A-Za-z_]\w*+\s*+=\s*+{_VALUE}\s*+"
_CALL = re.compile(
    rf"\{{(?P<mark>[{{%])-?\s*+(?P<name>[A-Za-z_][\w:]{{0,60}}+)\s*+"
    rf"\((?P<arguments>(?:{_ARGUMENT}(?:,?{_ARGUMENT}){{0,30}}+,?)?+\s*+)\)\s*+-?(?P<end>[}}%])\}}"
)
_END = re.compile(r"\{%-?\s*+end\s*+-?%\}")
_ESCAPED = re.compile(r"\{(?:\{/\*(.{0,2000}?)\*/\}|%/\*(.{0,2000}?)\*/%)\}", re.DOTALL)
_NAMED = re.compile(rf"([A-Za-z_]\w*+)\s*+=\s*+({_VALUE})")
_ITEM = re.compile(r"""["'`]?([^"'`,\[\]]+)["'`]?""")


def read_call(text: str, position: int) -> tuple[Shortcode, int] | None:
    """The tag that starts at `position` and the position after it; `None` when none does."""
    end = _END.match(text, position)
    if end:
        return Shortcode("end", {}, (), end[0], "close"), end.end()
    found = _CALL.match(text, position)
    if not found or (found["mark"], found["end"]) not in (("{", "}"), ("%", "%")):
        return None
    named = {name.lower(): _value(value) for name, value in _NAMED.findall(found["arguments"])}
    role: Role = "open" if found["mark"] == "%" else "alone"
    return Shortcode(found["name"].lower(), named, (), found[0], role), found.end()


def _value(written: str) -> str:
    """A value as text: items of a list with commas between them."""
    if written.startswith("["):
        return ", ".join(item.strip() for item in _ITEM.findall(written) if item.strip())
    return written[1:-1] if written[0] in "\"'`" else written


def read_escaped_call(text: str, position: int) -> tuple[str, int] | None:
    """The text that an escaped tag at `position` stands for, and the position after it."""
    found = _ESCAPED.match(text, position)
    return (_unescaped(found), found.end()) if found else None


def unescape_calls(code: str) -> str:
    """Code, in which Zola's authors must escape what looks like a shortcode, as it is meant."""
    return _ESCAPED.sub(_unescaped, code) if "/*" in code else code


def _unescaped(found: re.Match[str]) -> str:
    return "{{" + found[1] + "}}" if found[1] is not None else "{%" + found[2] + "%}"
