"""Extracts what to speak from a body: its words in reading order, and announcements of content that is not spoken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from devlog.config import Speak
from devlog.features.episodes.speak.pronunciation import pronounced
from devlog.model.document import Body, Drawing, Image
from devlog.parse.html.raised import as_power, as_text
from devlog.parse.html.tokens import tokens
from devlog.programs import filled

_BLOCKS = frozenset(
    """
    address article aside blockquote caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr
    li main nav ol p section summary table tbody td tfoot th thead tr ul
    """.split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_SILENT = frozenset(
    "audio button canvas del iframe math noscript object pre rp rt s script select style svg table template textarea "
    "title video".split()
)
"""Elements whose content is not spoken; some are announced."""
_SILENT_CLASSES = frozenset({"code", "code-title", "footnote-ref", "footnotes", "footnote-backref"})
_WORDS = re.compile(r"\w")
_TLDR = re.compile(r"TL\s*(?:;\s*)?DR\b\s*[:.,–—-]*\s*", re.IGNORECASE)
_ADDRESS = re.compile(r"\bhttps?://(?:www\.)?([^\s/?#:]+)(\S*)")
_BASE = re.compile(r"(?:[\d)]|(?<!\w)[A-Za-z])\Z")
"""What is raised to a power, and no word with the number of a note."""
_NEAR = 8
"""The number of parts in which the base is looked for."""
_CLOSING = ".,;:!?)"
"""Punctuation that belongs to the sentence if a URL ends with it."""
TITLE = "{title}"
"""The placeholder of the title."""
_FORMULA = re.compile(r"[\w\s.,+*/=<>()-]+")
_SIGNS = re.compile("[\u2190-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]+")
"""Arrows, boxes, symbols and emoji, which text-to-speech programs either skip or spell out."""
_ENDS = (".", "!", "?", "…", ":", ";")
_QUOTES = "\"'”’»)]"
_NAMES = {"cpp": "C++", "csharp": "C#", "cuda": "CUDA", "sql": "SQL", "html": "HTML", "css": "CSS", "json": "JSON"}
_NAMES |= {"js": "JavaScript", "javascript": "JavaScript", "ts": "TypeScript", "typescript": "TypeScript"}
_NAMES |= {"yaml": "YAML", "toml": "TOML", "xml": "XML", "llvm": "LLVM", "php": "PHP", "bash": "shell", "sh": "shell"}


class Passage(NamedTuple):
    """A part that is spoken as a whole.

    Attributes:
        text: its words as they are spoken, on one line.
        level: of a heading: 1 for the title, 2 to 7 for those in the body, of which the largest is `<h1>`; 0 otherwise.
        heading: the words of a heading as they are written.
    """

    text: str
    level: int = 0
    heading: str = ""

    @property
    def is_heading(self) -> bool:
        """Whether it is the title or a heading."""
        return self.level > 0


def script(title: str, body: Body, language: str, speaking: Speak, values: Mapping[str, str]) -> tuple[Passage, ...]:
    """The passages to speak for a body.

    Args:
        title: its title, which is spoken first, unless the greeting has it.
        body: the body.
        language: its language. Announcements of content that is not spoken, such as code, are only made in English.
        speaking: the configuration: words that the site spells for its voice, a greeting and a farewell.
        values: what the placeholders of greeting and farewell stand for, such as ``{title}``.

    Returns:
        A passage for the greeting, and for each paragraph, heading and list item, and the farewell. Only the title for
        a body without words, and nothing without any.
    """
    is_english = language.partition("-")[0].lower() in {"en", ""}

    def read_aloud(text: str) -> str:
        return pronounced(text, speaking.lexicon) if is_english else text

    def sentence(text: str) -> str:
        return _sentence(read_aloud(" ".join(text.split())))

    reader = _Reader(read_aloud, announces=is_english)
    reader.read("".join(_html(body)))
    heading = "" if TITLE in speaking.greeting else sentence(title)
    said = [*([Passage(heading, 1, title)] if heading else []), *reader.said()]
    if not said:
        return ()
    first, last = (sentence(filled(text, values)) for text in (speaking.greeting, speaking.farewell))
    return tuple(one for one in (Passage(first), *said, Passage(last)) if one.text)


def _html(body: Body) -> Iterator[str]:
    for piece in body.pieces:
        if isinstance(piece, Image):
            yield piece.start + piece.end
        elif isinstance(piece, Drawing):
            yield piece.source
        elif isinstance(piece, str):
            yield piece


class _Reader:
    """Reads sanitized HTML, and collects the passages to speak."""

    def __init__(self, read_aloud: Callable[[str], str], *, announces: bool) -> None:
        self._read_aloud = read_aloud
        self._announces = announces
        self._passages: list[Passage] = []
        self._parts: list[str] = []
        self._has_begun = False  # whether any of these parts has text
        self._heading = ""
        self._raised = -1  # the number of parts before raised text, while it is read
        self._silent: list[str] = []  # the open elements from the outermost silent one on
        self._columns: list[str] | None = None  # of a table, while its head is read

    def said(self) -> list[Passage]:
        """The passages collected so far."""
        self._end()
        return self._passages

    def read(self, html: str) -> None:
        """Collect the passages of a piece of HTML."""
        for token in tokens(html):
            if token.kind == "start":
                self._start(token.name, token.values())
                if token.closes_itself and token.name not in _VOID:  # as in formulas
                    self._leave(token.name)
            elif token.kind == "end":
                self._leave(token.name)
            elif token.kind == "text":
                self._hear(token.text)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._silent:
            if tag not in _VOID:
                self._silent.append(tag)
            if tag == "th" and self._columns is not None:
                self._columns.append("")
            return
        if tag in _BLOCKS:
            self._end()
        if tag in _HEADINGS:
            self._heading = tag
        if tag == "sup":
            self._raised = len(self._parts)
        if tag == "br":
            self._add(" ")
        elif tag == "img":
            self._add(self._picture(attributes.get("alt", "")))
        elif tag == "input" and attributes.get("type") == "checkbox":
            self._add(_capital(attributes.get("aria-label", "")) + ": ")
        if tag not in _VOID and _is_silent(tag, attributes):
            self._announce(tag, attributes)
            self._silent = [tag]

    def _leave(self, tag: str) -> None:
        if self._silent:
            self._leave_silent(tag)
        elif tag == "sup" and self._raised >= 0:
            self._end_raised()
        elif tag in _BLOCKS:
            self._end()
            self._heading = "" if tag == self._heading else self._heading

    def _end_raised(self) -> None:
        """Finish raised text, which may be an exponent."""
        text = "".join(self._parts[self._raised :])
        before = "".join(self._parts[max(0, self._raised - _NEAR) : self._raised])
        if not self._announces:
            text = as_text("sup", text, before[-1:])
        elif _BASE.search(before, max(0, len(before) - 2)):
            text = as_power(text)
        self._parts[self._raised :] = [text]
        self._raised = -1

    def _hear(self, data: str) -> None:
        if not self._silent:
            self._add(data)
        elif self._columns and self._silent[-1] not in {"tr", "thead"} and "th" in self._silent:
            self._columns[-1] += data

    def _leave_silent(self, tag: str) -> None:
        """Leave an element inside silent ones, together with unclosed elements inside it."""
        if tag in self._silent:
            del self._silent[len(self._silent) - 1 - self._silent[::-1].index(tag) :]
        if tag in {"thead", "table"} and self._columns is not None:
            names = [" ".join(name.split()) for name in self._columns]
            self._columns = None
            self._say_table([name for name in names if name])

    def _say_table(self, names: list[str]) -> None:
        if not names:
            self._say("A table follows.")
        elif len(names) == 1:
            self._say(f"A table follows, with the column {names[0]}.")
        else:
            self._say(f"A table follows, with the columns {', '.join(names[:-1])} and {names[-1]}.")

    def _announce(self, tag: str, attributes: dict[str, str]) -> None:
        """Announce content that is not spoken."""
        classes = attributes.get("class", "").split()
        if tag == "table":
            self._end()
            self._columns = []
        elif tag == "math" and attributes.get("display") == "block":
            self._say("A formula follows.")
        elif tag == "math":
            self._add(self._formula(attributes))
        elif "code" in classes or tag == "pre":
            self._end()
            language = attributes.get("data-lang", "")
            self._say(f"A block of {_named(language)} code follows." if language else "A block of code follows.")
        elif tag in {"video", "audio", "iframe"}:
            self._end()
            self._say({"video": "A video follows.", "audio": "A recording follows."}.get(tag, "Another page is shown."))

    def _formula(self, attributes: dict[str, str]) -> str:
        tex = attributes.get("alttext", "")
        if _FORMULA.fullmatch(tex):
            return tex
        return "a formula" if self._announces else ""

    def _picture(self, alt: str) -> str:
        words = " ".join(alt.split())
        if not words or self._has_begun:
            return words
        return f"Figure: {words}" if self._announces else words

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._has_begun = self._has_begun or bool(text.strip())

    def _say(self, text: str) -> None:
        if self._announces:
            self._passages.append(Passage(text))

    def _end(self) -> None:
        """Finish the current passage."""
        written = " ".join("".join(self._parts).split())
        sentence = _sentence(self._read_aloud(" ".join(_ADDRESS.sub(_spoken, written).split())))
        self._parts = []
        self._raised = -1
        self._has_begun = False
        if sentence:
            self._passages.append(
                Passage(sentence, int(self._heading[1:]) + 1, written) if self._heading else Passage(sentence)
            )


def _is_silent(tag: str, attributes: dict[str, str]) -> bool:
    hidden = "hidden" in attributes or attributes.get("aria-hidden") == "true"
    return hidden or tag in _SILENT or not _SILENT_CLASSES.isdisjoint(attributes.get("class", "").split())


def _sentence(text: str) -> str:
    """A text prepared for speech: on one line, with punctuation at its end; empty if it has no words."""
    words = " ".join(_SIGNS.sub(" ", text).split())
    words = _TLDR.sub("In short: ", words, count=1) if _TLDR.match(words) else words
    words = _ADDRESS.sub(_spoken, words)
    if not _WORDS.search(words):
        return ""
    return words if words.rstrip(_QUOTES).endswith(_ENDS) else f"{words}."


def _spoken(address: re.Match[str]) -> str:
    """The host of a URL, and the punctuation of the sentence that follows it."""
    return f"a page of {address[1]}{address[2][len(address[2].rstrip(_CLOSING)) :]}"


def _named(language: str) -> str:
    """The name of a programming language as people say it."""
    return _NAMES.get(language, _capital(language))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
