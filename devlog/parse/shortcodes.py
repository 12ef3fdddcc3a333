"""Shortcodes: a closed set of functions of devlog's own; the text of a post is never a template.

``{{< name … >}}`` and ``{{% name … %}}`` start one; ``{{</* … */>}}`` stands for the text of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

KNOWN = ("figure", "ref", "relref")


class Shortcode(msgspec.Struct, frozen=True):
    """A shortcode as written: its name, its named and positional arguments, and its text."""

    name: str
    named: dict[str, str]
    positional: tuple[str, ...]
    text: str


_SHORTCODE = re.compile(r"\{\{([<%])\s*(/?[A-Za-z][\w/-]{0,60})((?:[^{}]|\{(?!\{)|\}(?!\})){0,4000}?)/?\s*([>%])\}\}")
_ESCAPED = re.compile(r"\{\{([<%])/\*(.{0,4000}?)\*/([>%])\}\}", re.DOTALL)
_ARGUMENT = re.compile(r"""(?:([A-Za-z][\w-]*)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|([^\s"`=]+))""", re.DOTALL)
_QUOTED = re.compile(r"\\(.)")


def read_shortcode(text: str, position: int) -> tuple[Shortcode, int] | None:
    """The shortcode that starts at `position` and the position after it; `None` when none does."""
    if not text.startswith(("{{<", "{{%"), position):
        return None
    found = _SHORTCODE.match(text, position)
    if not found:
        return None
    named: dict[str, str] = {}
    positional: list[str] = []
    for argument in _ARGUMENT.finditer(found[3]):
        value = next((part for part in argument.groups()[1:] if part is not None), "")
        if argument[2] is not None:
            value = _QUOTED.sub(r"\1", value)
        if argument[1]:
            named.setdefault(argument[1].lower(), value)
        else:
            positional.append(value)
    return Shortcode(found[2].lower(), named, tuple(positional), found[0]), found.end()


def replace_shortcodes(text: str, write: Callable[[Shortcode], str]) -> str:
    """`text` with each shortcode replaced by what `write` makes of it."""
    parts: list[str] = []
    done, position = 0, text.find("{{")
    while position >= 0:
        read = read_shortcode(text, position)
        if read is None:
            position = text.find("{{", position + 2)
            continue
        parts += (text[done:position], write(read[0]))
        done = read[1]
        position = text.find("{{", done)
    return "".join(parts) + text[done:]


# What other generators write where a link's target stands. The last group is the target.
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
    """Raw HTML with the templates of other generators in its attributes replaced by the targets that they name."""
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


def shortcode_plugin(md: MarkdownIt) -> None:
    """Teach a parser shortcodes: ``shortcode`` tokens, whose ``meta`` holds a `Shortcode`."""
    md.block.ruler.before("html_block", "shortcode_block", _block_rule, {"alt": []})
    md.inline.ruler.before("escape", "shortcode", _inline_rule)


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    start = state.bMarks[start_line] + state.tShift[start_line]
    read = read_shortcode(state.src, start)
    if read is None:
        return False
    shortcode, end = read
    line = start_line
    while line < end_line and state.eMarks[line] < end:
        line += 1
    if line >= end_line or state.src[end : state.eMarks[line]].strip():
        return False
    if silent:
        return True
    token = state.push("shortcode", "", 0)
    token.block = True
    token.map = [start_line, line + 1]
    token.meta = {"shortcode": shortcode}
    state.line = line + 1
    return True


def _inline_rule(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("{{", state.pos):
        return False
    escaped = _ESCAPED.match(state.src, state.pos)
    if escaped:
        if not silent:
            state.pending += "{{" + escaped[1] + escaped[2] + escaped[3] + "}}"
        state.pos = escaped.end()
        return True
    read = read_shortcode(state.src, state.pos)
    if read is None:
        return False
    shortcode, end = read
    if not silent:
        token = state.push("shortcode", "", 0)
        token.meta = {"shortcode": shortcode}
    state.pos = end
    return True


class LinkHelpers:
    """markdown-it's helpers for links, with targets that are templates of other generators."""

    def __init__(self, helpers: Any) -> None:
        self.parseLinkLabel = helpers.parseLinkLabel
        self.parseLinkTitle = helpers.parseLinkTitle
        self._destination = helpers.parseLinkDestination

    def parseLinkDestination(self, text: str, position: int, maximum: int) -> Any:  # noqa: N802
        """The target at `position`: as markdown-it reads it, unless a template of another generator is there."""
        read = read_link_target(text, position) if text.startswith("{", position) else None
        if read is None:
            return self._destination(text, position, maximum)
        target, end = read
        rest = self._destination(text, end, maximum)
        rest.pos = max(rest.pos, end)
        rest.str = target + (rest.str if rest.ok else "")
        rest.ok = True
        return rest
