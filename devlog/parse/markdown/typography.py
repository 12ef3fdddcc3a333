"""Typographic quotes, dashes and ellipses in place of those of a keyboard: ``typographer`` in the configuration.

markdown-it has rules for it too, but they take quadratic time for a paragraph of quotes, and change more than engineers
want: ``(c)``, ``+-``, ``--flag`` and ``./...`` stay as they are here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from devlog.model.catalog import languages_of
from devlog.parse.markdown.anchors import NAMES_OF_EMOJI, PROFILES
from devlog.parse.markdown.attributes import take_attributes
from devlog.parse.markdown.emoji import replace_emoji

NAME = "typographer"

APOSTROPHE = "’"
_ENGLISH = ("“", "”", "‘", "’")
_GERMAN = ("„", "“", "‚", "‘")
_NORDIC = ("”", "”", "’", "’")
_LATIN = ("«", "»", "“", "”")
_RUSSIAN = ("«", "»", "„", "“")
_BRACKETS = ("「", "」", "『", "』")
_QUOTES: dict[str, tuple[str, str, str, str]] = {
    **dict.fromkeys(("bg", "cs", "de", "et", "lt", "sk", "sl"), _GERMAN),
    **dict.fromkeys(("fi", "sv"), _NORDIC),
    **dict.fromkeys(("ca", "el", "es", "it", "pt-pt"), _LATIN),
    **dict.fromkeys(("be", "ru", "uk"), _RUSSIAN),
    **dict.fromkeys(("ja", "zh-hant", "zh-hk", "zh-tw"), _BRACKETS),
    **dict.fromkeys(("de-ch", "de-li", "fr-ch", "it-ch"), ("«", "»", "‹", "›")),
    **dict.fromkeys(("nb", "nn", "no"), ("«", "»", "‘", "’")),
    **dict.fromkeys(("pl", "ro"), ("„", "”", "«", "»")),
    "fr": ("«\xa0", "\xa0»", "“", "”"),
    "hr": ("„", "”", "‚", "’"),
    "hu": ("„", "”", "»", "«"),
}
"""Outer and inner quotes by language, as in Unicode's locale data, with Switzerland's as they are printed there."""

_MARK = re.compile(r"""["']|-{2,}|\.{3,}""")
_DECADE = re.compile(r"'\d\ds\b")
_FOLDED = str.maketrans(dict.fromkeys("“”„‘’‚«»‹›「」『』'", '"') | {"—": "---", "–": "--", "…": "...", "\xa0": None})


def quotes_of(language: str) -> tuple[str, str, str, str]:
    """The quotes of a language, such as ``de-at``: outer opening and closing, inner opening and closing."""
    return next((_QUOTES[code] for code in languages_of(language) if code in _QUOTES), _ENGLISH)


def folded(text: str) -> str:
    """A text for comparisons in which it does not matter whether its quotes and dashes are typographic."""
    return text.translate(_FOLDED)


def typography_plugin(md: MarkdownIt) -> None:
    """Add the rule to a parser. Escaped characters stay: markdown-it joins them to the text only afterwards."""
    md.core.ruler.before("text_join", NAME, _rule)


def _rule(state: StateCore) -> None:
    quotes = quotes_of(state.env.get("language", ""))
    heading = False
    for token in state.tokens:
        if token.type == "inline" and token.children and _MARK.search(token.content):
            attributes = _take_attributes(token.children) if heading else ""
            if heading and "writer" in state.env:
                token.meta["fragment"] = _fragment(token, state.env["writer"].profile)
            _typeset(token.children, quotes)
            token.children[-1].content += attributes
        heading = token.type == "heading_open"


def _take_attributes(children: Sequence[Token]) -> str:
    """Remove a heading's trailing attributes, whose quotes are syntax, and return them."""
    last = children[-1]
    taken = take_attributes(last.content) if last.type == "text" else None
    if taken is None:
        return ""
    attributes = last.content[len(taken[0]) :]
    last.content = taken[0]
    return attributes


def _fragment(heading: Token, profile: str) -> str:
    """The fragment of a heading, which stays the same when the typographer is turned on."""
    replace = str if profile in NAMES_OF_EMOJI else replace_emoji
    children = [
        Token("text", "", 0, content=replace(child.content)) if child.type.startswith("text") else child
        for child in heading.children or ()
    ]
    return PROFILES[profile](Token("inline", "", 0, content=heading.content, children=children))


class _Mark(NamedTuple):
    """Characters to judge: a quote, or a run of hyphens or periods."""

    child: int
    level: int
    start: int
    text: str
    before: str
    """The character before it, across the borders of tokens."""
    after: str


def _typeset(children: Sequence[Token], quotes: tuple[str, str, str, str]) -> None:
    """Replace the quotes, dashes and ellipses in the texts of a block."""
    marks = list(_marks(children))
    edits = dict(_quoted([mark for mark in marks if mark.text in "'\""], children, quotes))
    pieces: dict[int, list[str]] = {}
    done: dict[int, int] = {}
    for mark in marks:
        new = edits.get(mark) or _dashed(mark)
        if new:
            start = done.get(mark.child, 0)
            pieces.setdefault(mark.child, []).extend((children[mark.child].content[start : mark.start], new))
            done[mark.child] = mark.start + len(mark.text)
    for child, parts in pieces.items():
        children[child].content = "".join(parts) + children[child].content[done[child] :]


def _marks(children: Sequence[Token]) -> Iterator[_Mark]:
    """The marks in the texts of a block, except in URLs that are links by themselves."""
    befores = list(_neighbors(children, -1))
    afters = list(_neighbors(children[::-1], 0))[::-1]
    bare = False
    for index, child in enumerate(children):
        if child.type == "link_open":
            bare = child.info == "auto"
        elif child.type == "link_close":
            bare = False
        elif child.type == "text" and not bare:
            text = child.content
            for found in _MARK.finditer(text):
                before = text[found.start() - 1] if found.start() else befores[index]
                after = text[found.end()] if found.end() < len(text) else afters[index]
                yield _Mark(index, child.level, found.start(), found[0], before, after)


def _neighbors(children: Iterable[Token], end: int) -> Iterator[str]:
    """The character next to each token: the last or first one of the nearest token with text, else a space."""
    char = " "
    for child in children:
        yield char
        if child.type in ("softbreak", "hardbreak"):
            char = " "
        elif child.content:
            char = child.content[end]


def _dashed(mark: _Mark) -> str:
    """The dash or ellipsis for a run of characters; empty if it stays, as in ``--flag`` and ``./...``."""
    if mark.text == "---":
        return "—"
    if mark.text == "--":
        apart = mark.before.isspace() and mark.after.isspace()
        between = (mark.before.isalnum() or mark.before in ")]") and not mark.after.isspace()
        return "–" if apart or between else ""
    return "…" if mark.text == "..." and "/" not in (mark.before, mark.after) else ""


def _quoted(
    marks: Sequence[_Mark], children: Sequence[Token], quotes: tuple[str, str, str, str]
) -> Iterator[tuple[_Mark, str]]:
    """The replacement of each quote that has one. A quote without a partner stays, or is an apostrophe."""
    opened: list[_Mark] = []  # the innermost last
    waiting: Counter[tuple[str, int]] = Counter()  # how many of them there are, so that no search is in vain

    def take() -> _Mark:
        waiting[opened[-1].text, opened[-1].level] -= 1
        return opened.pop()

    for mark in marks:
        while opened and opened[-1].level > mark.level:  # their element has ended
            yield from _alone(take())
        single, kind = mark.text == "'", (mark.text, mark.level)
        can_open, can_close = _directions(mark)
        if single and not can_close and _DECADE.match(children[mark.child].content, mark.start):
            yield mark, APOSTROPHE
        elif can_close and waiting[kind]:
            while opened[-1].text != mark.text:
                yield from _alone(take())
            yield take(), quotes[2 if single else 0]
            yield mark, quotes[3 if single else 1]
        elif can_open:
            opened.append(mark)
            waiting[kind] += 1
        elif not mark.before.isdecimal():  # 5'10" has none
            yield from _alone(mark)
    for mark in opened:
        yield from _alone(mark)


def _alone(mark: _Mark) -> Iterator[tuple[_Mark, str]]:
    if mark.text == "'":
        yield mark, APOSTROPHE


def _directions(mark: _Mark) -> tuple[bool, bool]:
    """Whether a quote can open and can close something, by the characters next to it."""
    space_before, space_after = isWhiteSpace(ord(mark.before)), isWhiteSpace(ord(mark.after))
    sign_before, sign_after = isPunctChar(mark.before), isPunctChar(mark.after)
    opens = not space_after and (not sign_after or space_before or sign_before)
    closes = not space_before and (not sign_before or space_after or sign_after)
    return (sign_before, sign_after) if opens and closes else (opens, closes)
