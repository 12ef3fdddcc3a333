"""Makes the excerpts in lists of posts: plain text from Markdown tokens, never from stripped HTML."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from markdown_it.token import Token

from devlog import sanitize
from devlog.model.directional_controls import turning, without_directions
from devlog.model.document import Mark
from devlog.model.sentences import whole_sentences
from devlog.parse.html import raised
from devlog.parse.html.raw_html import BLOCKS, NOT_READ, HtmlText, comments, is_marker
from devlog.parse.html.ruby import Readings
from devlog.parse.markdown.math import as_text
from devlog.parse.markdown.unclosed_html import UNCLOSED
from devlog.parse.shortcodes.matching import replace_shortcodes
from devlog.parse.shortcodes.paired import prose_of

_TAG = re.compile(r"</?([a-z][a-z0-9:-]*)", re.IGNORECASE)
_TLDR = re.compile(r"\s*TL\s*(?:;\s*)?DR\b\s*[:.–—-]*\s*", re.IGNORECASE)
_DISCLOSURE = re.compile(r"\s*(?:AI[ -])?dis(?:closure|claimer)s?(?:[.:]|\s*[–—]|\s+-\s|\s*$)", re.IGNORECASE)
# Words by which a disclosure is about how the post was written, and not, for example, about shares of its author.
_MADE = re.compile(r"\b(?:AI|LLMs?|(?i:assistant|drafted|generated|language model|written (?:by|with)))\b")
_MDX_MARKER = re.compile(r"\{/\*\s*(\w+)\s*\*/\}")
_OLD_MARKER = re.compile(r"""<a\s+name\s*=\s*["']?more["']?\s*>""", re.IGNORECASE)


_MAY_CHANGE = re.compile("[<^~]")
"""What a text has if it has raw HTML, or raised or lowered text."""


class Prose(msgspec.Struct, frozen=True):
    """The readable text of a document, from which excerpts are cut.

    Attributes:
        text: paragraphs, list items and quotes, without headings, code blocks, tables, footnotes and disclosures.
        teaser: the text before a manual marker; `None` if there is no marker.
        tldr: the text of a TL;DR; empty if there is none.
        words: the number of words of the whole document, including code and headings.
        first: the first paragraph, list item or quote.
        discloses: whether a disclosure says how the post was written, for example with the help of AI.
        marks: the code and the emphasized words at the beginning of `text`, of which `teaser` and `first` are prefixes.
        tldr_marks: those of `tldr`.
    """

    text: str
    teaser: str | None
    tldr: str
    words: int
    first: str = ""
    discloses: bool = False
    marks: tuple[Mark, ...] = ()
    tldr_marks: tuple[Mark, ...] = ()


class Excerpt(msgspec.Struct, frozen=True):
    """An excerpt: its text, and the code and emphasized words in it."""

    text: str
    marks: tuple[Mark, ...] = ()


def read_prose(tokens: Sequence[Token]) -> Prose:
    """Collect the prose of a token stream."""
    reader = _Reader()
    for token in tokens:
        if token.type == "inline":
            reader.inline(token)
        elif token.type in reader.NOTED:
            reader.block(token)
    return Prose(
        " ".join(reader.prose),
        None if reader.teaser is None else " ".join(reader.teaser),
        " ".join(reader.tldr),
        reader.words,
        next(iter(reader.prose), ""),
        reader.discloses,
        tuple(reader.marks),
        tuple(reader.tldr_marks),
    )


def html_prose(html: str, unclosed: frozenset[str] = frozenset()) -> Prose:
    """Collect the prose of raw HTML; the tags of its `unclosed` elements are text."""
    text = HtmlText(replace_shortcodes(html, prose_of), unclosed)
    return Prose(text.prose, text.teaser, "", count_words(text.text))


def make_excerpt(prose: Prose, words: int, *, first_only: bool = False) -> Excerpt:
    """The excerpt of a document without a summary: the teaser, else the TL;DR, else the first `words` words.

    With `first_only`, the words are taken only from the first paragraph, as in Jekyll.

    What is longer ends with a sentence, if that keeps at least half of it, else with a word and “ …”. The label “TL;DR”
    is left out: in a list, the text speaks for itself.
    """
    if prose.teaser:
        return without_label(Excerpt(prose.teaser, _within(prose.marks, len(prose.teaser))))
    whole = text = prose.tldr or (first_only and prose.first) or prose.text
    if len(text) > words * 24:  # scripts without spaces: assume a number of letters per word
        text = text[: words * 24].rsplit(" ", 1)[0]
    cut = _first_words(text, words)
    ellipsis = ""
    if len(cut) < len(whole) and cut:
        sentences = whole_sentences(whole, len(cut))
        cut, ellipsis = (sentences, "") if sentences else (cut, " …")
    marks = _within(prose.tldr_marks if prose.tldr else prose.marks, len(cut))
    return without_label(Excerpt(cut + ellipsis, marks))


def _first_words(text: str, words: int) -> str:
    """The beginning of a text with at most `words` words; a character of a script without spaces is half a word."""
    if text.isascii():
        return " ".join(text.split()[:words])
    halves = 2 * words
    for part in _WIDE_OR_WORD.finditer(text):
        halves -= 1 if part["wide"] else 2
        if halves < 0:
            return text[: part.start()].rstrip()
    return text


def without_label(excerpt: Excerpt) -> Excerpt:
    """An excerpt without a “TL;DR –” at its beginning; what follows begins with a capital letter, unless it is code."""
    label = _TLDR.match(excerpt.text)
    length = label.end() if label else 0
    if not 0 < length < len(excerpt.text):
        return excerpt
    text = excerpt.text[length:]
    marks = tuple(
        Mark(max(0, mark.start - length), mark.end - length, mark.kind) for mark in excerpt.marks if mark.end > length
    )
    if not any(mark.start == 0 and mark.kind == "code" for mark in marks):
        first = text[0].upper()
        text = first + text[1:] if len(first) == 1 else text
    return Excerpt(text, marks)


def without_turns(excerpt: Excerpt) -> Excerpt:
    """An excerpt that changes the direction of no text beside it.

    In a post, what is left open ends with its paragraph. An excerpt may end earlier, and in feeds, in `llms.txt` and in
    descriptions of pages it is a part of a line.
    """
    removed = turning(excerpt.text)
    if not removed:
        return excerpt
    moved = (
        Mark(mark.start - bisect_left(removed, mark.start), mark.end - bisect_left(removed, mark.end), mark.kind)
        for mark in excerpt.marks
    )
    return Excerpt(without_directions(excerpt.text)[0], tuple(mark for mark in moved if mark.start < mark.end))


def _within(marks: Iterable[Mark], end: int) -> tuple[Mark, ...]:
    """The marks before an index; the last may be cut there."""
    return tuple(Mark(mark.start, min(mark.end, end), mark.kind) for mark in marks if mark.start < end)


_EMPHASIS = {"strong_open": ("strong", 1), "strong_close": ("strong", -1), "em_open": ("em", 1), "em_close": ("em", -1)}
_MARKING = frozenset({"code_inline", *_EMPHASIS})

MOST_MARKED = 1_200
"""Marks are collected in that many characters at the beginning of a text, where nearly all excerpts end. More would
take time in each text, and a longer excerpt can be read without.
"""


_PIECES: dict[str, Callable[[Token], str]] = {
    "text": lambda child: child.content,
    "code_inline": lambda child: child.content,
    "html_inline": lambda child: _as_text(child.content),
}
"""The text of inline tokens of CommonMark that have some."""


def _marks_of(children: Iterable[Token], text: str) -> list[Mark]:
    """The code and emphasized words of a paragraph, by their places in its `text` with single spaces.

    Every piece is searched for behind the one before it, since the text has all of them in this order.
    """
    found: list[Mark] = []
    depth = {"strong": 0, "em": 0}
    place = 0
    for child in children:
        if child.type in _EMPHASIS:
            kind, step = _EMPHASIS[child.type]
            depth[kind] = max(0, depth[kind] + step)  # it may have begun before an excerpt marker
        piece = " ".join(_PIECES.get(child.type, text_in_place)(child).split())
        if not piece:
            continue
        start = text.find(piece, place)
        if start < 0:  # it is not shown; looking on for all others could take the square of the time
            break
        place = start + len(piece)
        kind = "code" if child.type == "code_inline" else next((kind for kind in depth if depth[kind]), "")
        if kind and found and found[-1].kind == kind and text[found[-1].end : start] in ("", " "):
            found[-1] = Mark(found[-1].start, place, kind)
        elif kind:
            found.append(Mark(start, place, kind))
    return found


def _moved(marks: Iterable[Mark], before: int) -> list[Mark]:
    """The marks of a paragraph, moved to where it stands in a longer text."""
    return [Mark(before + mark.start, before + mark.end, mark.kind) for mark in marks] if marks else []


_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"  # Korean has spaces
_WIDE_OR_WORD = re.compile(rf"(?P<wide>{_UNSPACED})|(?:(?!{_UNSPACED})\S)+")


def count_words(text: str) -> int:
    """The number of words; a character of a script without spaces counts as half a word."""
    return len(text.split()) + _count_wide(text)


def _count_wide(text: str) -> int:
    return 0 if text.isascii() else len(_WIDE.findall(text)) // 2


def is_marker_paragraph(text: str) -> bool:
    """Whether a paragraph is an excerpt marker in MDX's spelling, ``{/* truncate */}``."""
    found = _MDX_MARKER.fullmatch(text.strip()) if "{/*" in text else None
    return bool(found and is_marker(found[1]))


def is_tldr(text: str) -> bool:
    """Whether a paragraph or heading opens a TL;DR, in any of its spellings."""
    return bool(_TLDR.match(text))


def is_disclosure(text: str) -> bool:
    """Whether a quote that begins with `text` is a disclosure: it is about the making of the post, not its subject."""
    return bool(_DISCLOSURE.match(text))


def plain_text(children: Sequence[Token] | None) -> str:
    """The text of inline tokens as readers see it: without footnote references, images and HTML."""
    if not children:
        return ""
    if len(children) == 1 and children[0].type == "text":
        return children[0].content
    parts: list[str] = []
    for child in children:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "html_inline":
            parts.append(_as_text(child.content))
        else:
            parts.append(text_in_place(child))
    return "".join(parts)


def text_in_place(token: Token) -> str:
    """What an inline token that CommonMark does not have reads as where there is no HTML.

    Args:
        token: any inline token.

    Returns:
        A formula as TeX, or what a token of a plugin says; empty for all others.
    """
    if token.type == "math_inline":
        return as_text(token)
    text = token.meta.get("text") if isinstance(token.meta, dict) else None
    return text if isinstance(text, str) else ""


def shown_text(inline: Token) -> str:
    """The text of a heading, where readings of ruby text and lines are set apart: in its fragment, they are not."""
    children = inline.children or ()
    return plain_text(list(shown(children)) if _MAY_CHANGE.search(inline.content) else children)


def alt_text(children: Iterable[Token] | None) -> str:
    """The alt texts of the images among inline tokens: the text of a heading that has no other."""
    return " ".join(plain_text(child.children) for child in children or () if child.type == "image")


def _as_text(html: str) -> str:
    """A tag of no known HTML element as text, as the page shows it; empty for any other tag."""
    tag = _TAG.match(html)
    return "" if tag is None or tag[1].lower() in sanitize.KNOWN or ":" in tag[1] else html


def shown(children: Sequence[Token]) -> Iterator[Token]:
    """Inline tokens except those inside an element whose content is not shown, such as a script.

    The tags of ruby text become brackets around its readings, which readers see above it, those of blocks and line
    breaks, such as ``<p>`` and ``<br>``, become spaces, and raised digits are characters of their own.
    """
    closing = ""
    readings = Readings()
    last = _last_ends(children)
    before, done = "", -1  # the character before, and the index of the last token that is part of another text
    for index, child in enumerate(children):
        if index <= done:
            continue
        is_html = child.type == "html_inline"
        if closing:
            if is_html and child.content.lower().startswith(closing):
                closing = ""
            continue
        tag = _TAG.match(child.content) if is_html else None
        name = tag[1].lower() if tag else ""
        if tag and child.content[1] != "/" and last.get(name, -1) > index:
            closing = f"</{name}"
        apart = " " if name in BLOCKS else readings.instead(name, is_end=child.content[1] == "/") if tag else ""
        script, end = _script(children, index, before)
        if script:
            apart, done = script, end
        said = Token("text", "", 0, content=apart) if apart else child
        before = (" " if said.type in _BREAKS else _PIECES.get(said.type, text_in_place)(said)[-1:]) or before
        yield said


_BREAKS = ("softbreak", "hardbreak")
_LONGEST_SCRIPT = 12
"""The number of tokens in which the end of raised text is looked for."""


def _script(children: Sequence[Token], index: int, before: str) -> tuple[str, int]:
    """What raised or lowered text reads as that begins at an index, and the index of its end; empty if it has no mark.

    Args:
        children: inline tokens.
        index: that of the first of them.
        before: the character before it.
    """
    name = _name_of_script(children[index], "<", "_open")
    for end in range(index + 1, min(index + _LONGEST_SCRIPT, len(children))) if name else ():
        if _name_of_script(children[end], "</", "_close") == name:
            text = plain_text(children[index + 1 : end])
            written = raised.as_text(name, text, before)
            return (written, end) if written != text else ("", -1)
    return "", -1


def _name_of_script(token: Token, opening: str, ending: str) -> str:
    """The name of the element that a token begins or ends, if it is raised or lowered text; else empty."""
    if token.type == "html_inline":
        tag = _TAG.match(token.content)
        name = tag[1].lower() if tag and token.content.startswith(f"{opening}{tag[1]}") else ""
    else:
        name = token.tag if token.type.endswith(ending) else ""
    return name if name in raised.NAMES else ""


def _last_ends(children: Sequence[Token]) -> dict[str, int]:
    """The index of the last end tag of each element whose content is not shown, by name."""
    found: dict[str, int] = {}
    for index, child in enumerate(children):
        if child.content.startswith("</"):
            small = child.content[:12].lower()
            found.update({name: index for name in NOT_READ if small.startswith(f"</{name}")})
    return found


_BOXES = frozenset({"blockquote_open", "blockquote_close", "alert_open", "alert_close"})


class _Reader:
    """Walks a token stream once, and collects the text for each kind of excerpt, with single spaces."""

    _SILENT = frozenset({"heading_open", "table_open", "footnote_block_open", "alert_title_open", "tab_title_open"})
    NOTED = frozenset(
        {
            *_SILENT,
            *(kind.replace("_open", "_close") for kind in _SILENT),
            *_BOXES,
            *("fence", "code_block", "math_block", "html_block"),
        }
    )
    """The types of the tokens that `block` handles."""

    def __init__(self) -> None:
        self.prose: list[str] = []
        self.teaser: list[str] | None = None
        self.tldr: list[str] = []
        self.marks: list[Mark] = []
        self.tldr_marks: list[Mark] = []
        self._lengths = {"prose": 0, "tldr": 0}  # including the spaces between paragraphs
        self.words = 0
        self.discloses = False
        self._silent = ""
        self._quotes = 0
        self._tldr_until = ""
        self._boxes = 0  # quotes and alerts
        self._is_first = False  # whether a box has just begun
        self._is_disclosure = False  # whether the outermost box is a disclosure

    def block(self, token: Token) -> None:
        kind = token.type
        if kind in self._SILENT and not self._silent:
            self._silent = kind.replace("_open", "_close")
            if kind == "heading_open" and self._tldr_until == "heading_open":
                self._tldr_until = ""
        elif kind == self._silent:
            self._silent = ""
        elif kind in _BOXES:
            self._box(kind)
        elif self._is_disclosure:
            return
        elif kind in ("fence", "code_block", "math_block"):
            self.words += count_words(token.content)
        elif kind == "html_block":
            self._html(token.content, token.meta.get(UNCLOSED, frozenset()))

    def _box(self, kind: str) -> None:
        """Process the beginning or end of a quote or an alert."""
        step = 1 if kind.endswith("_open") else -1
        self._boxes += step
        self._is_first = step > 0 and self._boxes == 1
        self._is_disclosure = self._is_disclosure and self._boxes > 0
        if kind.startswith("blockquote"):
            self._quotes += step
            if not self._quotes and self._tldr_until == "blockquote_close":
                self._tldr_until = "done"

    def inline(self, token: Token) -> None:
        children: Sequence[Token] = token.children or ()
        if _MAY_CHANGE.search(token.content):
            text, children = self._html_inline(children)
        else:
            text = plain_text(children)
        if is_marker_paragraph(text):
            self._mark()
            return
        if self._silent == "heading_close" and is_tldr(text) and not self._tldr_until:
            self._tldr_until = "heading_open"
        if self._boxes and not self._silent and self._discloses(text):
            return
        self._add(text, children)

    def _discloses(self, text: str) -> bool:
        """Whether a paragraph in a quote belongs to a disclosure."""
        if self._is_first:
            self._is_disclosure = is_disclosure(text)
            self._is_first = False
        if self._is_disclosure and _MADE.search(text):
            self.discloses = True
        return self._is_disclosure

    def _html_inline(self, children: Sequence[Token]) -> tuple[str, list[Token]]:
        """The text of a block that may contain HTML, and the tokens it is made of: those behind an excerpt marker."""
        text = ""
        said: list[Token] = []
        for child in shown(children):
            said.append(child)
            if child.type == "html_inline":
                if self._is_marker(child.content):
                    self._add(text, said)
                    text = ""
                    said = []
                    self._mark()
                text += _as_text(child.content)
            elif child.type in ("text", "code_inline"):
                text += child.content
            elif child.type in ("softbreak", "hardbreak"):
                text += " "
            else:
                text += text_in_place(child)
        return text, said

    def _add(self, text: str, children: Sequence[Token] = ()) -> None:
        words = text.split()
        self.words += len(words) + _count_wide(text)
        if self._silent or not words:
            return
        if self._quotes and not self._tldr_until and is_tldr(text):
            self._tldr_until = "blockquote_close"
        text = " ".join(words)
        marks: list[Mark] = []
        if self._lengths["prose"] < MOST_MARKED and not _MARKING.isdisjoint([child.type for child in children]):
            marks = _marks_of(children, text)
        if self._tldr_until and self._tldr_until != "done":
            self.tldr_marks += _moved(marks, self._lengths["tldr"])
            self._lengths["tldr"] += len(text) + 1
            self.tldr.append(text)
        self.marks += _moved(marks, self._lengths["prose"])
        self._lengths["prose"] += len(text) + 1
        self.prose.append(text)

    def _html(self, html: str, unclosed: frozenset[str]) -> None:
        if self._is_marker(html):
            self._mark()
        text = HtmlText(replace_shortcodes(html, prose_of), unclosed)
        self.words += count_words(text.text)
        if not self._silent and text.prose:
            self._lengths["prose"] += len(text.prose) + 1
            self.prose.append(text.prose)

    @staticmethod
    def _is_marker(html: str) -> bool:
        return any(map(is_marker, comments(html))) or bool(_OLD_MARKER.search(html))

    def _mark(self) -> None:
        if self.teaser is None:
            self.teaser = list(self.prose)
