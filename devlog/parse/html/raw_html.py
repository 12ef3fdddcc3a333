"""Functions that scan raw HTML for URLs, anchors and text, and that replace its URLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from html import escape
from typing import NamedTuple

from devlog.parse.html import raised
from devlog.parse.html.ruby import Readings
from devlog.parse.html.tokens import Attribute, Token, small_name, tokens, unclosed, unterminated
from devlog.sanitize import NOT_SHOWN

URL_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "a": ("href",),
    "area": ("href",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "track": ("src",),
    "iframe": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "link": ("href",),
}
"""The attributes of raw HTML that contain a URL; ``srcset`` contains several."""

Replace = Callable[[str, str, str, int, dict[str, str]], str | None]
"""``(tag, attribute, url, offset, attributes of the tag)`` to the new value, or `None` to leave it."""

Frame = Callable[["Tag"], tuple[str, str]]
"""Returns the strings to write before and after a tag whose URLs have just been replaced."""


class Tag:
    """A start tag found in raw HTML.

    Attributes:
        name: in lower case.
        written: the attributes with their offsets.
        attributes: the values of the attributes by name.
        offset: where the tag begins.
        text: the tag as written.
        is_foreign: whether the tag is part of SVG or MathML.
        is_choice: whether the tag is inside a ``<picture>``, which has its own mechanism to choose an image.
    """

    __slots__ = ("attributes", "is_choice", "is_foreign", "name", "offset", "text", "written")

    def __init__(self, token: Token, text: str, *, is_choice: bool = False, is_foreign: bool = False) -> None:
        self.name = token.name
        self.written: list[Attribute] = token.attributes()
        self.attributes = {attribute.name: attribute.value or "" for attribute in self.written}
        self.offset = token.start
        self.text = text
        self.is_choice = is_choice
        self.is_foreign = is_foreign


VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
CLOSES = {
    "p": ("p",),
    "li": ("p", "li"),
    "dt": ("p", "dt", "dd"),
    "dd": ("p", "dt", "dd"),
    "td": ("p", "td", "th"),
    "th": ("p", "td", "th"),
    "tr": ("p", "td", "th", "tr"),
}
"""The open elements that a start tag closes implicitly."""

_ENOUGH = 1_000  # deeper than any limit: deeper nesting is not counted


class _Nesting:
    """The open elements at the current position, up to a maximum depth."""

    def __init__(self) -> None:
        self.depth = 0
        self.names: list[str] = []
        self._foreign: list[bool] = []  # for each open element, whether its content is SVG or MathML

    @property
    def is_foreign(self) -> bool:
        """Whether the current position is inside SVG or MathML."""
        return bool(self._foreign) and self._foreign[-1]

    def start(self, token: Token) -> None:
        name = token.name
        if name in VOID or len(self.names) >= _ENOUGH:
            return
        is_foreign = self.is_foreign
        if is_foreign and name in LEAVES_FOREIGN:
            while self._foreign and self._foreign[-1]:
                self._pop()
            is_foreign = False
        if token.closes_itself and (is_foreign or name in FOREIGN):
            return
        while self.names and self.names[-1] in CLOSES.get(name, ()):
            self._pop()
        self.names.append(name)
        self._foreign.append(name in FOREIGN or (is_foreign and name not in HOLDS_HTML))
        self.depth = max(self.depth, len(self.names))

    def end(self, name: str) -> None:
        if name in self.names:
            while self._pop() != name:
                pass

    def _pop(self) -> str:
        self._foreign.pop()
        return self.names.pop()


FOREIGN = frozenset({"svg", "math"})
HOLDS_HTML = frozenset("foreignobject desc title annotation-xml mi mo mn ms mtext".split())
LEAVES_FOREIGN = frozenset(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
"""Elements whose start tag closes the SVG or MathML that contains it."""


class Scanned(NamedTuple):
    """What `scan` finds in raw HTML.

    Attributes:
        tags: its start tags, in order.
        depth: the maximum depth of its elements.
        unterminated: the offset of a comment or tag that it does not end; -1 if there is none.
    """

    tags: list[Tag]
    depth: int
    unterminated: int


def scan(html: str, markup: Collection[str] = ()) -> Scanned:
    """Find the start tags of a text, the depth of its elements, and what it leaves open.

    Args:
        html: any text.
        markup: raw text elements that are read like other elements.
    """
    nesting = _Nesting()
    tags: list[Tag] = []
    token = None
    for token in tokens(html, markup):
        if token.kind == "start":
            is_foreign = nesting.is_foreign
            nesting.start(token)
            written, is_choice = html[token.start : token.end], "picture" in nesting.names
            tags.append(Tag(token, written, is_choice=is_choice, is_foreign=is_foreign))
        elif token.kind == "end":
            nesting.end(token.name)
    return Scanned(tags, nesting.depth, unterminated(html, token))


_TABLE = "table"  # the element, and the class of a container that scrolls
_OWN_FOCUS = frozenset({"role", "tabindex"})  # a table with another role, as of one for layout, is none to focus


def replace_urls(html: str, tags: list[Tag], replace: Replace, frame: Frame) -> str:
    """`html` with the URLs of its start tags replaced, and with tables that can be focused to scroll them by keyboard.

    Args:
        html: raw HTML.
        tags: its start tags, from `scan`.
        replace: called for each URL, with character references resolved; its result is escaped and inserted.
        frame: called for each tag that may have a URL.
    """
    parts: list[str] = []
    done = 0
    in_container = False
    for tag in tags:
        in_container = in_container or (tag.name == "div" and _TABLE in tag.attributes.get("class", "").split())
        if tag.name == _TABLE and not (in_container or tag.attributes.keys() & _OWN_FOCUS):
            behind_name = tag.offset + len(f"<{_TABLE}")
            parts += (html[done:behind_name], ' tabindex="0"')
            done = behind_name
        wanted = URL_ATTRIBUTES.get(tag.name)
        if not wanted:
            continue
        parts += (html[done : tag.offset], "")
        done, place = tag.offset, len(parts) - 1
        for attribute in tag.written:
            if attribute.name not in wanted or attribute.value is None:
                continue
            new = replace(tag.name, attribute.name, attribute.value.strip(), attribute.start, tag.attributes)
            if new is not None:
                parts.append(html[done : attribute.start])
                parts.append(f'{attribute.name}="{escape(new)}"')
                done = attribute.end
        end = tag.offset + len(tag.text)
        parts[place], behind = frame(tag)
        parts += (html[done:end], behind)
        done = end
    parts.append(html[done:])
    return "".join(parts)


def show_as_text(html: str, names: Iterable[str]) -> str:
    """`html` with the tags of the named elements escaped, so that they are shown as text."""
    wanted = frozenset(names)
    if not wanted:
        return html

    def shown(tag: re.Match[str]) -> str:
        is_wanted = tag.end() < len(html) and small_name(tag[2]) in wanted
        return f"&lt;{tag[0][1:]}" if is_wanted else tag[0]

    return _NAMED.sub(shown, html)


_NAMED = re.compile(r"<(/?)([a-zA-Z][^\t\n\f\r />]*)")


BLOCKS = frozenset(
    "address article aside blockquote br dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header "
    "hr li main ol p pre section summary table td th tr ul".split()
)
"""Elements at which a line begins and ends, so that what is before and behind their tags is not one word."""

_SILENT = frozenset("script style pre table figcaption template h1 h2 h3 h4 h5 h6".split())


class HtmlText:
    """The text of raw HTML: all of it, its prose, and the prose before an excerpt marker (or `None`).

    No text is the content of elements that `NOT_READ` names, such as the title of a saved page. Prose also excludes
    headings, code, tables and captions.
    """

    __slots__ = ("prose", "teaser", "text")

    def __init__(self, html: str, lone: Collection[str] = ()) -> None:
        """
        Args:
            html: as written.
            lone: the names of elements that nothing closes, whose tags are shown as text.
        """
        text: list[str] = []
        prose: list[str] = []
        teaser = -1  # the number of parts of the prose before the marker
        silent = 0
        removed = ""  # the element that is removed at the current position
        readings = Readings()
        scripts: list[tuple[str, int, int]] = []
        removable = _removed_in(html).difference(lone)
        for token in tokens(html, unclosed(html).union(lone)):
            if removed:
                removed = "" if token.kind == "end" and token.name == removed else removed
            elif token.kind == "start" and token.name in removable:
                removed = token.name
            elif token.kind == "text" or token.name in lone:
                shown = token.text or html[token.start : token.end]
                text.append(shown)
                if not silent:
                    prose.append(shown)
            elif token.kind in ("start", "end"):
                apart = " " if token.name in BLOCKS else readings.instead(token.name, is_end=token.kind == "end")
                text.append(apart)
                prose.append(" " if silent and apart else apart)
                _note_script(token, scripts, text, prose)
                if token.name in _SILENT:
                    silent = silent + 1 if token.kind == "start" else max(0, silent - 1)
            if teaser < 0 and not removed and _is_mark(token):
                teaser = len(prose)
        self.text = " ".join("".join(text).split())
        self.prose = " ".join("".join(prose).split())
        self.teaser = None if teaser < 0 else " ".join("".join(prose[:teaser]).split())


_NEAR = 8
"""The number of parts in which the character before raised text is looked for."""


def _note_script(token: Token, opened: list[tuple[str, int, int]], text: list[str], prose: list[str]) -> None:
    """At the end of raised or lowered text, replace the parts that it has added to texts by what it reads as.

    Args:
        token: a tag.
        opened: the elements that have begun, and the number of parts in the texts before them. It is changed.
        text: the parts of a text. They are changed.
        prose: likewise.
    """
    if token.name not in raised.NAMES:
        return
    if token.kind == "start":
        opened[:] = [(token.name, len(text), len(prose))]
    elif opened and opened[0][0] == token.name:
        for parts, start in ((text, opened[0][1]), (prose, opened[0][2])):
            before = "".join(parts[max(0, start - _NEAR) : start])[-1:]
            written = "".join(parts[start:])
            if (read := raised.as_text(token.name, written, before)) != written:
                parts[start:] = [read]
        opened.clear()


def _removed_in(html: str) -> frozenset[str]:
    """The elements in raw HTML that are removed with their content; not those without an end, which become text."""
    small = html.lower()
    return frozenset(name for name in NOT_READ if f"</{name}" in small)


NOT_READ = NOT_SHOWN | FOREIGN | {"audio", "video"}
"""Elements whose content nobody reads in the page: it is removed, is a drawing, or stands in for a player."""


def _is_mark(token: Token) -> bool:
    """Whether a token marks the end of the excerpt."""
    if token.kind == "comment":
        return is_marker(token.text)
    return token.kind == "start" and token.name == "a" and token.values().get("name") == "more"


_MARKERS = frozenset({"more", "truncate", "excerpt", "teaser_end", "pelican_end_summary"})


_CANDIDATE = re.compile(r"[\s,]*(\S+)")


def srcset_candidates(text: str) -> list[tuple[str, str]]:
    """URL and descriptor of each candidate of a ``srcset``, as the HTML standard splits them."""
    found: list[tuple[str, str]] = []
    position = 0
    while candidate := _CANDIDATE.match(text, position):
        url, position = candidate[1], candidate.end()
        descriptor = ""
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            end = text.find(",", position) % (len(text) + 1)  # of the text, without a comma
            descriptor, position = text[position:end], end + 1
        found.append((url, descriptor.strip()))
    return found


def comments(html: str) -> list[str]:
    """The contents of the comments in `html`, found in one pass, regardless of how many are opened."""
    ended = html.split("-->")[:-1]
    return [part.partition("<!--")[2] for part in ended if "<!--" in part]


def is_marker(comment: str) -> bool:
    """Whether the content of a comment marks the end of the excerpt, in the spelling of any generator."""
    return comment.strip().partition(":")[0].strip().lower() in _MARKERS
