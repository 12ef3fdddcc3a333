"""Finds references to the project's source in posts: numbers, commits and files become links, and are collected."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from devlog.features.source_references.model.mention import Mention, Mentioned
from devlog.features.source_references.model.repository import NAME, Named, Repository, Speech
from devlog.model.character_references import unescape
from devlog.parse.markdown.fast_tokens import make_token
from devlog.parse.markdown.made_links import MADE
from devlog.parse.markdown.math import as_text
from devlog.parse.shortcodes.inclusion import Extract

LONGEST = 240
"""The maximum number of characters of a sentence to keep."""

MOST = 2_000
"""The maximum number of mentions to keep for one source."""

# Every reference in prose except a full commit contains one of these words, followed by the given pattern. Most
# paragraphs contain none, and searching for words takes a tenth of the time of any pattern.
_HINTS = (
    ("#", re.compile("[1-9]").match),
    ("PR", re.compile(r"s?[ \xa0]\d").match),
    ("equest", re.compile(r"s?[ \xa0]\d").match),
    ("ssue", re.compile(r"s?[ \xa0]\d").match),
    ("ommit", re.compile(r"s?[ \xa0][0-9a-f]{7}").match),
    ("GH-", re.compile(r"\d").match),
    ("MR", re.compile(r"s?[ \xa0]\d").match),
    ("!", re.compile("[1-9]").match),
)
_FULL = re.compile(r"\b[0-9a-f]{40}\b", re.ASCII)
_FOURTHS = re.compile("[0-9a-f]{10}")

_NUMBER = r"[1-9]\d{0,8}"
_SHA = r"[0-9a-f]{7,40}"
_MORE = r"(?:,\ (?:and\ |or\ )?|\ (?:and|or|&)\ |/)"
# After a number: it is not part of a word, a version, a range or an amount.
_END = r"(?![\w%]|[.,:/-]\w|\ ?%)"
_SPOKEN = re.compile(
    rf"""
    (?<![\w/#!&@.:=-])
    (?P<escape>\\?)
    (?:
        (?P<other>[\w-]+(?:\.[\w-]+)*/[\w-]+(?:\.[\w-]+)*)(?P<mark>[#!])(?P<there>{_NUMBER}){_END}
      | (?P<alone>[#!]|GH-)(?P<number>{_NUMBER}){_END}
      | (?P<word>PR|MR|(?:[Pp]ull|[Mm]erge)[\ \xa0][Rr]equest|[Ii]ssue)
        (?:[\ \xa0]?[#!]|[\ \xa0](?=\d\d))(?P<single>{_NUMBER}){_END}
      | (?P<words>PRs|MRs|(?:[Pp]ull|[Mm]erge)[\ \xa0][Rr]equests|[Ii]ssues)[\ \xa0]
        (?P<list>[#!]?{_NUMBER}{_END}(?:{_MORE}[#!]?{_NUMBER}{_END})*)
      | [Cc]ommit[\ \xa0](?P<short>{_SHA}){_END}
      | (?P<shas>[Cc]ommits)[\ \xa0](?P<shorts>{_SHA}{_END}(?:{_MORE}{_SHA}{_END})*)
      | (?P<full>[0-9a-f]{{40}}){_END}
    )
    """,
    re.VERBOSE | re.ASCII,
)
_IN_LIST = re.compile(rf"([#!]?)({_NUMBER})|{_SHA}", re.ASCII)
_SHAS = re.compile(_SHA)

# Words for other things with numbers: “frame #12”, “Figure 12”.
_COUNTED = frozenset(
    """
    appendix build case chapter core cpu day device episode example exercise fig fig. figure frame gpu item job level
    line listing lesson node note number option page part phase point question rank release round section sheet slide
    slot stage step table test thread tip top version volume wave week worker wrapper
    """.split()
)
_BEFORE = re.compile(r"(\S+)[ \xa0]$")
_COLOUR_BEFORE = re.compile(r"\bcolou?rs?\b[\s:=(“\"']*(?:(?:is|of|to|was)\s)?$", re.IGNORECASE)
_COLOUR_AFTER = re.compile(r"\s+colou?r", re.IGNORECASE)

_HANDLE = re.compile(
    r"(?<![\w/.@`:+=-])@([A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){1,38})(?![\w@(/\0]|[.:-]\w)", re.ASCII
)
# Not people, but words that programming languages write with an @.
_NO_HANDLES = frozenset(
    """
    abstractmethod author autoclosure available cache charset classmethod contextmanager dataclass dataclasses decorator
    deprecated escaping example expect export final fixture font-face import include inline interface keyframes layer
    lru main mainactor media mixin noescape nonnull nullable objc overload override page param parameterized patch
    property pytest return returns see since skip staticmethod supports test testable throws todo try type typedef
    unchecked version
    """.split()
)

# A path in backticks: with a folder, a known extension, and optionally lines.
_PATH = re.compile(
    r"(?:\./)?(?P<path>[\w+@-][\w.+@-]*(?:/[\w.+@-]+)+\.(?P<ending>[A-Za-z]\w{0,7}))"
    r"(?:(?::|\#L|:L)(?P<first>[1-9]\d{0,6})(?:-L?(?P<last>[1-9]\d{0,6})|:\d+)?)?",
    re.ASCII,
)
_ENDINGS = frozenset(
    """
    adoc asm bat bazel bzl c cc cfg cl clj cmake cpp cs css csv cu cuh cxx dart def el erl ex exs f f90 fs glsl go
    gradle graphql h hcl hh hip hlsl hpp hs html hxx i inc ini inl ipp ipynb java jinja jl js json jsonl jsx kt kts
    lean less ll lock lua m md mdx metal mjs mk ml mli mlir mm mojo nim nix nu php pl pm proto ps1 pxd py pyi pyx r rb
    rs rst s sass scala scss sh sol sql sv svelte svg swift tcl td template tf thrift toml ts tsx txt v vala vhd vue
    wasm wat wgsl xml yaml yml zig zsh
    """.split()
)
_FILES = re.compile(r"(?:\./)?(?P<path>[\w+@-][\w.+@-]*(?:/[\w.+@-]+)*/(?:CMakeLists\.txt|Makefile|Dockerfile|BUILD))")
_SYMBOL = re.compile(r"[A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_~][\w]*)*(?:\(\))?", re.ASCII)

# Elements whose text is not prose, or is already a link.
_CLOSED = "a|code|pre|kbd|samp|var|tt|script|style|svg|math|textarea|title|button|select|template|h[1-6]"
_TAG = re.compile(rf"<(/?)({_CLOSED})(?=[\s/>])[^<>]*>", re.IGNORECASE)
_Names = tuple[str, ...]
"""The names of open elements, the innermost last."""
_DEEPEST = 50
"""The maximum nesting to track; real documents do not nest these elements deeper."""
_HREF = re.compile(r"""<a\s[^<>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)

_STOP = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[A-Z0-9À-Þ“‘\"'(\[@#])")


class Spoken(NamedTuple):
    """A reference in prose: its start, its end, and what it refers to."""

    start: int
    end: int
    named: Named


def has_commits(text: str) -> bool:
    """Whether a text contains a full commit id. For speed, only every fourth character is searched first."""
    return _FOURTHS.search(text[::4]) is not None and _FULL.search(text) is not None


def may_speak(text: str, *, commits: bool) -> bool:
    """Whether a text may contain a reference in prose.

    Args:
        text: a block, or a whole source.
        commits: whether the text or the text around it contains a full commit id.
    """
    for word, behind in _HINTS:
        place = text.find(word)
        while place >= 0:
            if behind(text, place + len(word)):
                return True
            place = text.find(word, place + 1)
    return commits and _FULL.search(text) is not None


def spoken(text: str, repository: Repository, digits: int) -> Iterator[Spoken | int]:
    """Find the references in a piece of prose, in order; a number is the position of a backslash that suppresses one.

    Args:
        text: plain text.
        repository: the repository to which references lead.
        digits: the minimum number of digits in a number that stands alone.
    """
    for found in _SPOKEN.finditer(text):
        if not _is_meant(found, text, repository, digits):
            continue
        if found["escape"]:
            yield found.start()
        else:
            yield from _named(found, repository)


def _is_meant(found: re.Match[str], text: str, repository: Repository, digits: int) -> bool:
    start = found.start()
    if found["mark"] == "!" or found["alone"] == "!":
        return repository.forge == "gitlab" and len(found["number"] or "00") >= digits
    if found["other"] or found["short"] or found["shas"] or found["full"]:
        return any(map(str.isdigit, found["short"] or "0"))
    before = _BEFORE.search(text, max(0, start - 40), start)
    word = before[1].lstrip("(“\"'[") if before else ""
    if found["alone"]:
        if found["alone"] == "#" and len(found["number"]) < digits:
            return False
        if word.lower() in _COUNTED:
            return False
        return not (len(found["number"]) in (3, 6) and _is_color(text, start, found.end()))
    return not _names_another(word, text[max(0, start - 80) : start], repository)


def _is_color(text: str, start: int, end: int) -> bool:
    """Whether the words around ``#123456`` show that it is a color."""
    return bool(_COLOUR_BEFORE.search(text, max(0, start - 20), start) or _COLOUR_AFTER.match(text, end))


def _names_another(word: str, before: str, repository: Repository) -> bool:
    """Whether the word before “issue 12” refers to another project: a name, or an abbreviation such as “LWG”."""
    if "/" in word:
        return True
    if word.rstrip("\"'”’")[-1:] in _ENDS:  # as in “Thanks to Ada, PR 12”
        return False
    if not word[:1].isupper() or word.lower() in _OF_HOSTS or word.lower() in repository.name.lower().split("/"):
        return False
    if len(word) > 1 and word.isupper():
        return True
    opening = before[: len(before) - len(word) - 1].rstrip()
    return bool(opening) and opening[-1] not in ".!?:;–—•"  # not the first word of a sentence


_ENDS = ",.:;!?…)]–—"
"""Punctuation that parts a word from what comes after it."""

_OF_HOSTS = frozenset({"github", "gitlab", "codeberg", "forgejo", "gitea"})


def _named(found: re.Match[str], repository: Repository) -> Iterator[Spoken]:
    start, end = found.span()
    if found["other"]:
        other = "" if found["other"].lower() == repository.name.lower() else found["other"]
        make = repository.pull if found["mark"] == "!" else repository.issue
        yield Spoken(start, end, make(found["there"], other))
    elif found["alone"]:
        make = repository.pull if found["alone"] == "!" else repository.issue
        yield Spoken(start, end, make(found["number"]))
    elif found["word"]:
        make = repository.issue if found["word"].lower() == "issue" else repository.pull
        yield Spoken(start, end, make(found["single"]))
    elif found["words"]:
        make = repository.issue if found["words"].lower() == "issues" else repository.pull
        for item in _IN_LIST.finditer(text := found["list"]):
            if item[1] or len(item[2]) > 1 or item[0] != text:
                place = found.start("list") + item.start()
                yield Spoken(place, place + len(item[0]), make(item[2]))
    elif found["shas"]:
        for item in _SHAS.finditer(found["shorts"]):
            if any(map(str.isdigit, item[0])):
                place = found.start("shorts") + item.start()
                yield Spoken(place, place + len(item[0]), repository.commit(item[0]))
    else:
        yield Spoken(start, end, repository.commit(found["short"] or found["full"]))


# -- links


def link_spoken(state: StateCore) -> None:
    """A rule for markdown-it: makes references in prose links, before escapes are joined with the text around them."""
    speech: Speech | None = state.env.get("prose", {}).get(NAME)
    if speech is None:  # as for the caption of a figure
        return
    if state.env["writer"].included:
        _address_included(state.tokens, speech.repository)
    commits = has_commits(state.src)
    if not may_speak(state.src, commits=commits):
        return
    names: _Names = ()
    in_heading = False
    for token in state.tokens:
        if token.type == "inline":
            if may_speak(token.content, commits=commits):
                token.meta["speaks"] = True
                names = _open_after(token.children or (), names) if in_heading else _link_children(token, speech, names)
            elif "<" in token.content:
                names = _open_after(token.children or (), names)
        elif token.type in ("heading_open", "heading_close"):
            in_heading = token.nesting > 0
        elif token.type == "html_block":
            names = _open_in(token.content, names)


def _address_included(tokens: Iterable[Token], repository: Repository) -> None:
    """Note the URLs of files that are included from the repository checkout."""
    for token in tokens:
        if "included" in token.meta and not token.meta["included"].found.file:
            named = _included(token, repository)
            token.meta["url"] = named[0].url


def _included(token: Token, repository: Repository) -> list[Named]:
    """The parts of a file that a block includes."""
    extract: Extract = token.meta["included"]
    found, ranges = extract.found, extract.ranges or ((0, 0),)
    return [
        repository.file(found.path, str(first or ""), str(last or ""), found.commit or "HEAD") for first, last in ranges
    ]


def _open_after(children: Iterable[Token], names: _Names) -> _Names:
    for child in children:
        if child.type == "html_inline":
            names = _open_in(child.content, names)
    return names


def _open_in(html: str, names: _Names) -> _Names:
    """The elements with protected text that are open after some HTML; `names` are those open before it."""
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        if not tag[1]:
            names = names if tag[0].endswith("/>") else (*names[-_DEEPEST:], name)
        elif name in names:
            names = names[: len(names) - 1 - names[::-1].index(name)]
    return names


def _link_children(token: Token, speech: Speech, names: _Names) -> _Names:
    """Split the texts of a block at references; returns the elements that are open after it."""
    done: list[Token] = []
    links = 0
    for child in _with_backslashes(token.children or ()):
        if child.type == "text" and not names and not links:
            done += _split(child, speech)
            continue
        if child.type in ("link_open", "link_close"):
            links += child.nesting
        elif child.type == "html_inline":
            names = _open_in(child.content, names)
        done.append(child)
    token.children = done
    return names


def _with_backslashes(children: Sequence[Token]) -> Sequence[Token]:
    """Inline tokens, in which a backslash that escapes nothing is joined with the text around it again."""
    if not any(_is_lone_backslash(child) for child in children):
        return children
    done: list[Token] = []
    for is_text, some in groupby(children, lambda child: child.type == "text" or _is_lone_backslash(child)):
        group = list(some)
        text = "".join([child.content for child in group]) if is_text else ""
        done += [make_token("text", "", 0, group[0].level, text)] if is_text else group
    return done


def _is_lone_backslash(token: Token) -> bool:
    return token.type == "text_special" and len(token.content) == 2 and token.content[0] == "\\"


def _split(token: Token, speech: Speech) -> list[Token]:
    """A text token, split into texts and links."""
    text, level, place = token.content, token.level, 0
    parts: list[Token] = []
    for item in spoken(text, speech.repository, speech.digits):
        if isinstance(item, int):  # drop the backslash
            parts.append(make_token("text", "", 0, level, text[place:item]))
            place = item + 1
            continue
        if item.start > place:
            parts.append(make_token("text", "", 0, level, text[place : item.start]))
        opening = make_token("link_open", "a", 1, level)
        opening.attrs = {"href": item.named.url}
        opening.info = MADE
        opening.meta = {"named": item.named}
        parts += (opening, make_token("text", "", 0, level + 1, text[item.start : item.end]))
        parts.append(make_token("link_close", "a", -1, level))
        place = item.end
    if not parts:
        return [token]
    if place < len(text):
        parts.append(make_token("text", "", 0, level, text[place:]))
    return parts


# -- collecting


_At = tuple[int, int, Named]
"""A mention, after its position in a text and its line."""


class _Block:
    """A block while it is read: its text so far, its mentions, and the current line."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.place = 0
        self.parts: list[str] = []
        self.found: list[_At] = []

    def say(self, text: str) -> None:
        self.parts.append(text)
        self.place += len(text)

    def note(self, named: Named | None) -> None:
        if named:
            self.found.append((self.place, self.line, named))


class Collector:
    """Collects the mentions in a source, block by block.

    Attributes:
        mentions: the mentions found so far, in order.
    """

    def __init__(self, speech: Speech, first_line: int, *, labels: bool = False) -> None:
        """
        Args:
            speech: the settings of the site.
            first_line: the line of the file on which the text begins.
            labels: whether the text may define the targets of links elsewhere.
        """
        self.mentions: list[Mention] = []
        self._speech = speech
        self._first = first_line
        self._symbols = speech.symbols
        self._host = speech.repository.host
        self._labels = labels

    def tokens(self, tokens: Sequence[Token]) -> None:
        """Collect the mentions in a parsed source."""
        start, in_heading = 0, False
        row: list[Token] | None = None
        for token in tokens:
            kind = token.type
            if token.map:
                start = token.map[0]
            if kind == "inline":
                if row is not None:
                    row.append(token)
                elif self._may_mention(token):
                    self._add(*self._inline(token, start, in_heading=in_heading))
            elif kind in ("heading_open", "heading_close"):
                in_heading = token.nesting > 0
            elif kind == "tr_open":
                row = []
            elif kind == "tr_close":
                self._row(row or (), start)
                row = None
            elif kind == "html_block" and self._host in token.content:
                self.html(token.content, start)
            elif kind == "fence" and "url" in token.meta:
                title = token.meta["included"].fence.title
                self._add([(0, start, named) for named in _included(token, self._speech.repository)], title)

    def _may_mention(self, token: Token) -> bool:
        """Whether a block may contain a mention, so that it must be read."""
        text = token.content
        return (
            "@" in text
            or self._host in text
            or "speaks" in token.meta
            or ("`" in text and (self._symbols or "/" in text))
            or (self._labels and "]" in text)
        )

    def _row(self, cells: Sequence[Token], line: int) -> None:
        """Collect from a row of a table, which counts as one sentence."""
        if not any(map(self._may_mention, cells)):
            return
        found: list[_At] = []
        text = ""
        for cell in cells:
            some, own = self._inline(cell, line, in_heading=False)
            text += " – " if text and own else ""
            found += ((len(text) + place, line, named) for place, line, named in some)
            text += own
        self._add(found, text, [0, len(text)])

    def _inline(self, token: Token, line: int, *, in_heading: bool) -> tuple[list[_At], str]:
        """The mentions in a block, with their positions and lines, and the text of the block."""
        block, links = _Block(line), 0
        for child in token.children or ():
            kind = child.type
            if kind == "text":
                self._prose(child.content, block, is_linked=not in_heading or links > 0)
            elif kind == "link_open":
                links += 1
                block.note(child.meta.get("named") or self._leads_to(str(child.attrs.get("href", ""))))
            elif kind == "link_close":
                links -= 1
            elif kind in ("softbreak", "hardbreak"):
                block.say(" ")
                block.line += 1
            else:
                self._other(child, block)
        return block.found, "".join(block.parts)

    def _prose(self, text: str, block: _Block, *, is_linked: bool) -> None:
        """Collect from plain text. References that are already links have been collected as such."""
        if "@" in text:
            block.found += ((block.place + at, block.line, named) for at, named in _handles(text, self._host))
        if not is_linked:
            said = spoken(text, self._speech.repository, self._speech.digits)
            items = (item for item in said if not isinstance(item, int))
            block.found += ((block.place + item.start, block.line, item.named) for item in items)
        block.say(text)

    def _other(self, child: Token, block: _Block) -> None:
        """Collect from code, HTML and formulas."""
        if child.type == "code_inline":
            block.note(self._code(child.content))
            block.say(child.content)
        elif child.type == "html_inline":
            for named in self._hrefs(child.content) if self._host in child.content else ():
                block.note(named)
            block.line += child.content.count("\n")
        elif child.type == "math_inline":
            block.say(as_text(child))

    def _code(self, code: str) -> Named | None:
        """The file or symbol that inline code names; `None` for other code."""
        if "/" in code and len(code) <= 300:
            path = _PATH.fullmatch(code) or _FILES.fullmatch(code)
            if path is None or ".." in path["path"]:
                return None
            groups = path.groupdict()
            if groups.get("ending", "txt").lower() not in _ENDINGS:
                return None
            return self._speech.repository.file(path["path"], groups.get("first") or "", groups.get("last") or "")
        if self._symbols and 3 <= len(code) <= 120 and _SYMBOL.fullmatch(code):
            return Named("symbol", code.removesuffix("()"), "")
        return None

    def _hrefs(self, html: str) -> Iterator[Named]:
        for link in _HREF.finditer(html):
            named = self._leads_to(unescape(link[1] or link[2] or link[3] or "").strip())
            if named:
                yield named

    def _leads_to(self, url: str) -> Named | None:
        """What a link refers to; a file of another repository only counts if the link names lines."""
        named = self._speech.repository.read(url)
        if named and named.kind == "file" and ":" in named.id and "#L" not in named.id:
            return None
        return named

    def html(self, html: str, line: int, said: Sequence[tuple[int, Named]] = ()) -> None:
        """Collect the targets of links in HTML.

        Args:
            html: a block, or a whole source.
            line: its first line, counted from 0.
            said: references and handles in its prose, with their positions.
        """
        ends = [newline.end() for newline in re.finditer("\n", html)]
        waiting = deque(said)
        for start, block in _blocks_of(html):
            found = []
            while waiting and waiting[0][0] < start + len(block):
                at, named = waiting.popleft()
                found.append((max(0, at - start), named))
            for link in _HREF.finditer(block):
                leads = self._leads_to(unescape(link[1] or link[2] or link[3] or "").strip())
                found += [(link.start(), leads)] if leads else []
            text = _ANY_TAG.sub(lambda tag: "\0" * len(tag[0]), block)  # keeps all positions
            if not found:
                continue
            placed = []
            place = shown = 0
            for at, named in sorted(found, key=lambda item: item[0]):
                shown += len(_plain(text[place:at]))
                place = at
                placed.append((shown, line + bisect_right(ends, start + at), named))
            self._add(placed, _plain(text).replace("\n", " "))

    def _add(self, found: Sequence[_At], text: str, stops: Sequence[int] | None = None) -> None:
        if found and stops is None:
            stops = [0, *(stop.end() for stop in _STOP.finditer(text)), len(text)]
        for place, line, named in found:
            if len(self.mentions) < MOST:
                sentence = _sentence(text, place, stops or ())
                self.mentions.append(Mention(named.kind, named.id, named.url, self._first + line, sentence))


_INSIDE = r"""[^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*)*"""
"""The rest of a tag, whose attribute values may contain “>”."""

# No alternative looks beyond the point where another match can begin, so that the time is linear in the text.
_ANY_TAG = re.compile(
    r"<!--[^-<]*(?:(?!-->|<!--)[-<][^-<]*)*-->"
    r"|<(script|style)\b[^<]*(?:<(?!/|(?:script|style)\b)[^<]*)*</\1\s*>"
    rf"|</?[a-z]{_INSIDE}>"
    r"|<[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_BLOCK = re.compile(
    r"</?(?:address|article|aside|blockquote|br|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|ol|"
    rf"p|pre|section|summary|table|td|th|tr|ul)(?=[\s/>])(?:{_INSIDE}|[^<>]*)>|\n[ \t]*\n",
    re.IGNORECASE,
)


def _plain(text: str) -> str:
    """A piece of HTML, in which tags have been overwritten, as plain text."""
    return unescape(text.replace("\0", ""))


def _blocks_of(html: str) -> Iterator[tuple[int, str]]:
    """The blocks of HTML with their positions."""
    place = 0
    for found in _BLOCK.finditer(html):
        if found.start() > place:
            yield place, html[place : found.start()]
        place = found.end()
    if place < len(html):
        yield place, html[place:]


def _open_texts(html: str) -> Iterator[tuple[int, str]]:
    """The texts of HTML in which references may become links, with their positions."""
    names: _Names = ()
    place = 0
    for tag in _ANY_TAG.finditer(html):
        if not names and tag.start() > place and "<" not in html[place : tag.start()]:  # else a malformed tag
            yield place, html[place : tag.start()]
        place = tag.end()
        if not tag[1]:
            names = _open_in(tag[0], names)
    if not names and "<" not in html[place:]:
        yield place, html[place:]


def link_html(html: str, speech: Speech) -> str:
    """The HTML of a whole source, in which references in prose are links."""
    commits = has_commits(html)
    if not may_speak(html, commits=commits):
        return html
    parts: list[str] = []
    place = 0
    for start, text in _open_texts(html):
        may = may_speak(text, commits=commits)
        for item in spoken(text, speech.repository, speech.digits) if may else ():
            if isinstance(item, int):
                parts.append(html[place : start + item])
                place = start + item + 1
                continue
            first, last = start + item.start, start + item.end
            parts += (html[place:first], f'<a href="{escape(item.named.url)}">', html[first:last], "</a>")
            place = last
    parts.append(html[place:])
    return "".join(parts)


def collect_mentions(tokens: Sequence[Token], speech: Speech, first_line: int, has_labels: bool) -> Mentioned | None:
    """Collect the mentions in a source.

    Args:
        tokens: the tokens of the source.
        speech: the settings of the site.
        first_line: the line of the file on which the text begins.
        has_labels: whether the text may define the targets of links elsewhere.
    """
    collector = Collector(speech, first_line, labels=has_labels)
    collector.tokens(tokens)
    return Mentioned(tuple(collector.mentions)) if collector.mentions else None


def collect_in_html(html: str, speech: Speech, first_line: int) -> Mentioned | None:
    """Collect the mentions in an HTML source; `first_line` is the line of the file on which it begins."""
    said: list[tuple[int, Named]] = []
    host = speech.repository.host
    commits = has_commits(html)
    for start, text in _open_texts(html) if "@" in html or may_speak(html, commits=commits) else ():
        if may_speak(text, commits=commits):
            items = spoken(text, speech.repository, speech.digits)
            said += ((start + item.start, item.named) for item in items if not isinstance(item, int))
        if "@" in text:
            said += ((start + place, named) for place, named in _handles(text, host))
    collector = Collector(speech, first_line)
    if said or host in html:
        collector.html(html, 0, said)
    return Mentioned(tuple(collector.mentions)) if collector.mentions else None


def _handles(text: str, host: str) -> Iterator[tuple[int, Named]]:
    for found in _HANDLE.finditer(text):
        handle = found[1].lower()
        if handle not in _NO_HANDLES and not handle.isdigit():
            yield found.start(), Named("handle", handle, f"{host}/{found[1]}")


def _sentence(text: str, place: int, stops: Sequence[int]) -> str:
    """The sentence at a position; for a long sentence, the words around the position."""
    index = max(1, bisect_right(stops, place))
    start, end = stops[index - 1], stops[index] if index < len(stops) else len(text)
    if end - start <= LONGEST:
        return " ".join(text[start:end].split())
    begin = max(start, min(place - LONGEST // 2, end - LONGEST))
    words = " ".join(text[begin : begin + LONGEST].split())
    if begin > start:
        words = "… " + words.partition(" ")[2]
    if begin + LONGEST < end:
        words = words.rpartition(" ")[0] + " …"
    return words
