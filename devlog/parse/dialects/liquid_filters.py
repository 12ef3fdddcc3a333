"""Liquid filters that operate on text only."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

from devlog.model.slug import anchor

_TAG = re.compile(r"<[^<>]*>")


def _cut(value: str, length: str) -> str:
    """Liquid's ``truncate``: the three dots count toward the length."""
    limit = int(length) if length.isdecimal() and len(length) < 10 else 50
    return value if len(value) <= limit else value[: max(0, limit - 3)] + "..."


Filter = tuple[Callable[..., str], int]

FILTERS: dict[str, Filter] = {
    "absolute_url": (str, 0),
    "append": (lambda value, end: value + end, 1),
    "capitalize": (lambda value: value[:1].upper() + value[1:].lower(), 0),
    "cgi_escape": (quote_plus, 0),
    "default": (lambda value, other: value or other, 1),
    "downcase": (str.lower, 0),
    "escape": (escape, 0),
    "lstrip": (str.lstrip, 0),
    "markdownify": (str, 0),
    "newline_to_br": (str, 0),
    "prepend": (lambda value, start: start + value, 1),
    "relative_url": (str, 0),
    "remove": (lambda value, part: value.replace(part, "") if part else value, 1),
    "remove_first": (lambda value, part: value.replace(part, "", 1) if part else value, 1),
    "replace": (lambda value, old, new: value.replace(old, new) if old else value, 2),
    "replace_first": (lambda value, old, new: value.replace(old, new, 1) if old else value, 2),
    "rstrip": (str.rstrip, 0),
    "slugify": (anchor, 0),
    "smartify": (str, 0),
    "strip": (str.strip, 0),
    "strip_html": (lambda value: _TAG.sub("", value), 0),
    "strip_newlines": (lambda value: value.replace("\n", ""), 0),
    "truncate": (_cut, 1),
    "upcase": (str.upper, 0),
    "uri_escape": (lambda value: quote(value, safe="/:?&=#%+,;@"), 0),
    "url_encode": (quote_plus, 0),
    "xml_escape": (escape, 0),
}
"""By name: the function, and the number of its arguments."""
