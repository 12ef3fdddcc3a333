"""Parses the syntax of shortcodes: ``{{< name … >}}`` and ``{{% name … %}}``, as in Hugo.

Shortcodes name functions of a fixed set, built into devlog: a post is never a template. The text between
``{{< name >}}`` and ``{{< /name >}}`` is the content of the shortcode (see `devlog.parse.shortcodes.matching`);
``{{</* … */>}}`` is an escaped shortcode.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

_ESCAPED = re.compile(r"\{\{([<%])/\*(.{0,4000}?)\*/([>%])\}\}", re.DOTALL)


def read_escaped(text: str, position: int) -> tuple[str, int] | None:
    """The unescaped text of an escaped tag at `position`, and the position after it; `None` if there is none."""
    found = _ESCAPED.match(text, position)
    return ("{{" + found[1] + found[2] + found[3] + "}}", found.end()) if found else None


# Templates of other generators in the place of a link's target. The group is the target.
_TARGETS = (
    re.compile(r"""\{\{[<%]\s*(?:rel)?ref\s+(?:path\s*=\s*)?["`']([^"`'\n]+)["`']\s*[>%]\}\}"""),
    re.compile(r"""\{\{[<%]\s*(?:rel)?ref\s+([^\s"`'{}]+)\s*[>%]\}\}"""),
    re.compile(r"""\{%-?\s*link\s+([^\s%]+)\s*-?%\}"""),
    re.compile(r"""\{\{\s*["']([^"'\n]+)["']\s*\|\s*(?:relative_url|absolute_url)\s*\}\}"""),
)
_POST_URL = re.compile(r"""\{%-?\s*post_url\s+([^\s%]+)\s*-?%\}""")
_BASE_URL = re.compile(r"""\{\{-?\s*site\.(?:base)?url\s*-?\}\}""")


def read_link_target(text: str, position: int) -> tuple[str, int] | None:
    """A link target written as a template of another generator, and the position after it."""
    if not text.startswith(("{{", "{%"), position):
        return None
    for pattern in _TARGETS:
        found = pattern.match(text, position)
        if found:
            return found[1], found.end()
    found = _POST_URL.match(text, position)
    if found:
        return f"{found[1]}.md", found.end()
    end = position
    while found := _BASE_URL.match(text, end):
        end = found.end()
    return ("", end) if end > position else None


_ATTRIBUTE_TARGET = re.compile(r"""=\s*(["']?)(?=\{[{%])""")


def plain_targets(html: str) -> str:
    """Replace templates of other generators in the attributes of raw HTML by the targets that they name."""
    if "{{" not in html and "{%" not in html:
        return html
    parts: list[str] = []
    done = 0
    for found in _ATTRIBUTE_TARGET.finditer(html):
        read = read_link_target(html, found.end()) if found.end() >= done else None
        if read:
            target, end = read
            parts += (html[done : found.end()], escape(target) if found[1] else f'"{escape(target)}"')
            done = end
    return "".join(parts) + html[done:]


class LinkHelpers:
    """markdown-it's helpers for links, extended by targets that are templates of other generators."""

    def __init__(self, helpers: Any) -> None:
        self.parseLinkLabel = helpers.parseLinkLabel
        self.parseLinkTitle = helpers.parseLinkTitle
        self._destination = helpers.parseLinkDestination

    def parseLinkDestination(self, text: str, position: int, maximum: int) -> Any:  # noqa: N802
        """The target at `position`: a template of another generator, or else as markdown-it reads it."""
        read = read_link_target(text, position) if text.startswith("{", position) else None
        if read is None:
            return self._destination(text, position, maximum)
        target, end = read
        rest = self._destination(text, end, maximum)
        rest.pos = max(rest.pos, end)
        rest.str = target + (rest.str if rest.ok else "")
        rest.ok = True
        return rest
