"""Splits a source into sections at its headings, with their lines, by scanning it quickly instead of parsing it.

The fragments equal those of the parser, as far as a heading can be read without parsing; tests compare both.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from devlog.model.slug import anchor
from devlog.search.names import parts
from devlog.search.plain import one_line, pieces, plain, urls
from devlog.search.values import Section

MOST = 2000
"""The maximum number of sections of one source; everything after belongs to the last."""

_ATX = re.compile(r"(?P<hashes>#{1,6})(?:[ \t]+(?P<atx>[^\n]*))?$", re.MULTILINE)
_UNDERLINE = re.compile(r"\n {0,3}(?P<line>=+|-+)[ \t]*$", re.MULTILINE)
_IN_HTML = re.compile(
    r"<h(?P<html>[1-6])(?P<attributes>\b[^>]{0,500})>(?P<inner>.{0,1000}?)</h(?P=html)>", re.DOTALL | re.IGNORECASE
)
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[#>|<`~]|[-+*](?:[ \t]|$)|\d{1,9}[.)][ \t]|$)")
_CLOSING = re.compile(r"(?:\A|[ \t])#+\Z")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"[ \t]*\{:?(?P<before>[^{}#\n]*)#(?P<id>[^\s{}]+)(?:\s[^{}\n]*)?\}[ \t]*$")


_LONGEST = 1000  # characters of a heading
_MOST_LINES = 8  # lines of a heading
_INDENT = 3  # spaces before a heading; a line that is indented further is code


class Read(NamedTuple):
    """The sections of a source.

    Attributes:
        title: the heading of level 1 at its very start, if the page shows it as its title; else empty.
        sections: in order; the first has no heading, and may be empty.
        names: for each section, the parts of the names in it, and the targets of its links.
    """

    title: str
    sections: tuple[Section, ...]
    names: tuple[str, ...]


class _Found(NamedTuple):
    start: int
    end: int
    level: int
    text: str
    written: str
    own: str | None  # the id that is set explicitly
    in_html: bool


def read_sections(text: str, first_line: int, title: str, *, html: bool, profile: str) -> Read:
    """Split a source into sections.

    Args:
        text: its content without the front matter.
        first_line: the line of the file where `text` begins.
        title: from the front matter.
        html: whether it is HTML rather than Markdown.
        profile: how fragments are derived from headings: see `devlog.parse.markdown.anchors`.
    """
    stretches = [(0, len(text), False)] if html else [(piece.start, piece.end, piece.is_code) for piece in pieces(text)]
    headings = list(_headings(text, stretches, html=html))
    first = headings[0] if headings else None
    at_top = first is not None and first.level == 1 and not first.in_html and not text[: first.start].strip()
    own_title = first.text if first and at_top and (not title or _same(first.text, title)) else ""
    fragments = _fragments(headings, profile, dropped=bool(own_title))
    clean = _Cleaned(text, stretches)
    line_of = _Lines(text, first_line)
    sections: list[Section] = []
    names: list[str] = []
    begin, start, heading, level, fragment = 0, 0, "", 0, ""
    for found, own in zip((*headings[: MOST - 1], None), (*fragments[: MOST - 1], ""), strict=True):
        if found is not None and found is first and own_title:
            continue  # the page shows this heading as its title
        end = found.start if found else len(text)
        targets: list[str] = []
        shown = "\n" * text.count("\n", begin, start) + clean.between(start, end, targets)
        sections.append(Section(heading, fragment, line_of(begin), shown, level))
        names.append(parts(f"{heading} {shown}", targets))
        if found:
            begin, start = found.start, found.end
            heading, level, fragment = found.text, found.level, own or fragment
    return Read(own_title, tuple(sections), tuple(names))


def _same(one: str, other: str) -> bool:
    return one_line(one).casefold() == one_line(other).casefold()


def _headings(text: str, stretches: list[tuple[int, int, bool]], *, html: bool) -> Iterator[_Found]:
    for start, end, is_code in stretches:
        if is_code:
            continue
        found = [_html(match) for match in _IN_HTML.finditer(text, start, end)]
        if not html:
            found += filter(None, (_atx(match, start) for match in _ATX.finditer(text, start, end)))
            found += filter(None, (_setext(match, start) for match in _UNDERLINE.finditer(text, start, end)))
            found.sort()
        yield from found


def _html(match: re.Match[str]) -> _Found:
    own = _ID.search(match["attributes"])
    name = next(filter(None, own.groups()), "") if own else ""
    return _Found(*match.span(), int(match["html"]), one_line(plain(match["inner"])), "", name, in_html=True)


def _atx(match: re.Match[str], start: int) -> _Found | None:
    begin = max(match.string.rfind("\n", 0, match.start()) + 1, start)
    if match.start() - begin > _INDENT or match.string[begin : match.start()].strip(" "):
        return None
    written = _CLOSING.sub("", one_line((match["atx"] or "")[:_LONGEST])).rstrip()
    return _markdown(begin, match.end(), len(match["hashes"]), written)


def _setext(match: re.Match[str], start: int) -> _Found | None:
    """A setext heading, which is marked by the line below; all lines of its paragraph are part of it."""
    begin = end = match.start()
    lines: list[str] = []
    while begin > start and len(lines) < _MOST_LINES:
        above = max(match.string.rfind("\n", start, begin) + 1, start)
        line = match.string[above:begin]
        if _NO_PARAGRAPH.match(line):
            break
        lines.insert(0, line)
        begin = above - 1
        end = above
    if not lines:
        return None
    return _markdown(
        end, match.end(), 1 if match["line"][0] == "=" else 2, "\n".join(line.strip() for line in lines)[:_LONGEST]
    )


def _markdown(begin: int, end: int, level: int, written: str) -> _Found:
    own = _ATTRIBUTES.search(written)
    if own and own["before"][-1:].strip():  # the braces belong to another word
        own = None
    if own:
        written = written[: own.start()]
    shown = one_line(plain(written, is_block=False))
    return _Found(begin, end, level, shown, written, own["id"] if own else None, in_html=False)


def _fragments(headings: list[_Found], profile: str, *, dropped: bool) -> list[str]:
    """The fragments of headings; HTML headings have one only if it is set explicitly."""
    make = _maker(profile)
    taken = {found.own for found in headings if found.own}
    made = []
    last: dict[str, int] = {}
    for number, found in enumerate(headings):
        if found.own is not None or found.in_html:
            made.append(found.own or "")
            continue
        if dropped and number == 0:
            made.append("")
            continue
        wanted = make(found)
        fragment = wanted
        while fragment in taken:
            last[wanted] = last.get(wanted, 0) + 1
            fragment = f"{wanted}{'_' if profile == 'python-markdown' else '-'}{last[wanted]}"
        taken.add(fragment)
        made.append(fragment)
    return made


def _maker(profile: str) -> Callable[[_Found], str]:
    if profile == "github":
        return lambda found: anchor(found.text) or "heading"
    from markdown_it.token import Token  # imports the Markdown parser, which only sites with another profile need

    from devlog.parse.markdown.anchors import EMPTY, PROFILES

    def make(found: _Found) -> str:
        token = Token("inline", "", 0, content=found.written, children=[Token("text", "", 0, content=found.text)])
        return PROFILES[profile](token) or EMPTY.get(profile, "section")

    return make


class _Lines:
    """Converts offsets in a text to lines of its file."""

    def __init__(self, text: str, first: int) -> None:
        self._ends = [place.start() for place in re.finditer("\n", text)]
        self._first = first

    def __call__(self, offset: int) -> int:
        return self._first + bisect_right(self._ends, offset - 1)


class _Cleaned:
    """Returns parts of a text without markup."""

    def __init__(self, text: str, stretches: list[tuple[int, int, bool]]) -> None:
        self._text = text
        self._stretches = stretches
        self._ends = [stretch[1] for stretch in stretches]

    def between(self, start: int, end: int, targets: list[str]) -> str:
        """The text between two offsets, without markup; the targets of its links are appended to `targets`."""
        shown = []
        for begin, stop, is_code in self._stretches[bisect_right(self._ends, start) :]:
            if begin >= end:
                break
            piece = self._text[max(begin, start) : min(stop, end)]
            shown.append(piece if is_code else plain(piece, targets))
            if not is_code:
                targets += urls(piece)
        return "".join(shown)
