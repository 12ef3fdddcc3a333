"""Collects facts about a source for `devlog check`: front matter keys, placeholders, pattern matches, waivers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING, NamedTuple

from devlog.model.check_facts import Block, Key, Match, Waiver
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping, Scalar
from devlog.parse.markdown.source_positions import Finder

if TYPE_CHECKING:  # code that reads only front matter does not load the Markdown parser
    from markdown_it.token import Token

MOST = 50
"""The maximum number of matches of one pattern that are recorded per source."""

_WAIVER = re.compile(r"<!--\s*devlog:(?:\s*allow\s+([a-z0-9.-]{1,60})(?:\s*:([^<>]{0,500}?))?\s{0,99}-->)?")
_LONGEST = 4_000  # longer values carry no further information


def note_block(language: str, first: int, last: int, root: Mapping) -> Block:
    """The facts about front matter that was parsed into `root`, from line `first` to line `last`."""
    if language == "yaml" and root.span.length == 1:
        begin, key = root.span, root.entries[0].key.span if root.entries else None
        if key is None or (begin.line, begin.column) < (key.line, key.column):  # an opening brace
            language = "json"
    return Block(language, first, last, tuple(_keys(root)), max(0, root.span.column - 1))


def _keys(root: Mapping) -> Iterator[Key]:
    for entry in root.entries:
        value, text = entry.value, ""
        if isinstance(value, Scalar) and not value.is_null and len(value.text) <= _LONGEST:
            text = value.text
        yield Key(entry.key.text, entry.key.span, text, value.span)


class Lines:
    """Converts character offsets in a file's text to spans."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def span(self, start: int, length: int) -> Span:
        """The span of `length` characters that begin at offset `start`."""
        line = bisect_right(self._starts, start) - 1
        return Span(self._file, line + 1, start - self._starts[line] + 1, length)


def note_matches(text: str, file: str, patterns: Sequence[tuple[str, str]]) -> tuple[Match, ...]:
    """The matches of patterns in a file, including its code and front matter, in order.

    Args:
        text: the whole text of a file.
        file: the file's name in messages.
        patterns: pairs of a name and a valid regular expression. A pattern with an empty name has named groups: the
            group that matched gives the match its name, and the match starts at the beginning of the word it is in.
    """
    found: list[tuple[int, str, str]] = []
    for name, pattern in patterns:
        for count, match in enumerate(_compiled(pattern).finditer(text)):
            if count == MOST:
                break
            start = match.start() if name else _begin_of_word(text, match.start())
            some = text[start : match.end()].partition("\n")[0][:200]
            if some:
                found.append((start, name or match.lastgroup or "", some))
    lines = Lines(text, file) if found else None
    return tuple(Match(name, some, lines.span(start, len(some))) for start, name, some in sorted(found) if lines)


def _begin_of_word(text: str, position: int) -> int:
    """The offset at which the word around `position` begins, at most 20 characters earlier, the length of a name."""
    before = text[max(0, position - 20) : position]
    return position - (len(before) - len(before.rstrip(_WORD)))


_WORD = "-_" + ascii_letters + digits


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Shown(NamedTuple):
    """A waiver that code shows: its words, the first line of the paragraph or block, and the line after it."""

    words: str
    first: int
    end: int


def note_shown(text: str, first_line: int, tokens: Iterable[Token]) -> tuple[Shown, ...]:
    """The waivers that the code of a body shows.

    Args:
        text: the body.
        first_line: the line of the file on which the body begins.
        tokens: the parsed body.
    """
    if _INSTRUCTION not in text:
        return ()
    return tuple(
        Shown(_words_of(found[0]), first_line + block.map[0], first_line + block.map[1])
        for block in tokens
        if block.map
        for token in (block, *(block.children or ()))
        if token.type in _CODE
        for found in _WAIVER.finditer(token.content)
    )


_INSTRUCTION = "devlog:"
_CODE = frozenset({"fence", "code_block", "code_inline"})


def note_waivers(text: str, file: str, shown: Iterable[Shown] = ()) -> tuple[Waiver, ...]:
    """Comments that allow a code in their file: ``<!-- devlog: allow CODE: reason -->``.

    Args:
        text: the whole text of a file.
        file: the file's name in messages.
        shown: those in its code, from `note_shown`, which allow nothing.
    """
    if _INSTRUCTION not in text:
        return ()
    in_code: dict[str, list[tuple[int, int]]] = {}  # the lines of blocks, which have no line in common, by words
    for words, first, end in sorted(shown):
        in_code.setdefault(words, []).append((first, end))
    lines, waivers = Lines(text, file), []
    for found in _WAIVER.finditer(text):
        span = lines.span(found.start(), len(found[0]))
        blocks = in_code.get(_words_of(found[0]), [])
        before = bisect_right(blocks, (span.line, len(text))) - 1
        if before < 0 or span.line >= blocks[before][1]:
            waivers.append(Waiver(found[1] or "", " ".join((found[2] or "").split()), span))
    return tuple(waivers)


def _words_of(text: str) -> str:
    """A text with single spaces: code in a paragraph has no line ends."""
    return " ".join(text.split())


def is_waiver(comment: str) -> bool:
    """Whether an HTML comment is an instruction to devlog, which is removed from pages."""
    return comment.lstrip().startswith(_INSTRUCTION)


def note_placeholders(
    text: str, file: str, first_line: int, words: Sequence[str], tokens: Iterable[Token]
) -> tuple[Match, ...]:
    """Words in prose that mark a post as unfinished. Ignores code, and mentions such as “a TODO list”.

    Args:
        text: the body.
        file: the file's name in messages.
        first_line: the line of the file on which the body begins.
        words: the words to find: those in capitals exactly as written, others in any letter case.
        tokens: the parsed body.
    """
    lower = text.lower()
    present = tuple([word for word in words if word in text or (not word.isupper() and word.lower() in lower)])
    pattern = _words(present)
    if pattern is None:
        return ()
    finder, found = Finder(text, file, first_line), list[Match]()
    for token in tokens:
        if token.type == "inline" and pattern.search(token.content):
            children = token.children or []
            for index, child in enumerate(children):
                for match in pattern.finditer(child.content) if child.type == "text" else ():
                    span = finder.find(match[0], token.map)  # the finder goes forward: ignored matches count too
                    if not match[0].isupper() or _is_note(match, children, index):
                        found.append(Match(match[0], match[0], span))
                    if len(found) == MOST:
                        return tuple(found)
    return tuple(found)


def _is_note(match: re.Match[str], children: Sequence[Token], index: int) -> bool:
    """Whether a word in capitals is a note: it begins or ends a sentence, so it is not merely mentioned in one."""
    text, start, end = match.string, match.start(), match.end()
    *earlier, before = _SENTENCE_END.split(text[max(0, start - _SENTENCE) : start])
    begins = bool(earlier) or index == 0 or children[index - 1].type.endswith(("break", "_open"))
    if begins and not any(map(str.isalnum, before)):
        return True
    if _MORE.match(text, end):
        return text[end] in ":.,;!?)]"
    return index + 1 == len(children) or children[index + 1].type.endswith(("break", "_close"))


_SENTENCE_END = re.compile(r"[.!?:;(\[]")
_SENTENCE = 500  # the longest sentence; without a limit, a paragraph of only such words takes quadratic time
_MORE = re.compile(r"\s*\S")


@lru_cache(maxsize=8)
def _words(words: tuple[str, ...]) -> re.Pattern[str] | None:
    parts = [re.escape(word) if word.isupper() else f"(?i:{re.escape(word)})" for word in words if word.strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)") if parts else None
