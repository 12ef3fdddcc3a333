"""Reading raw HTML: the URLs in it, the anchors it sets, its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape, unescape
from html.parser import HTMLParser

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
"""The attributes of raw HTML that hold a URL; ``srcset`` holds several."""

Replace = Callable[[str, str, str, int, dict[str, str]], str | None]
"""``(tag, attribute, url, offset, attributes of the tag)`` to the new value, or `None` to leave it."""

# One attribute inside a start tag. Quoted values cannot run past their quotes, so this never backtracks far.
_ATTRIBUTE = re.compile(
    r"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'=<>`]+)))?"""
)


Frame = Callable[["Tag"], tuple[str, str]]
"""What stands before and behind a tag whose URLs have just been replaced."""


class Tag:
    """A start tag found in raw HTML: its lower-case name, attributes, offset, source text, and whether it is a choice.

    `is_choice` says that it stands in a ``<picture>``, which has its own ways of choosing.
    """

    __slots__ = ("attributes", "is_choice", "name", "offset", "text")

    def __init__(
        self, name: str, attributes: dict[str, str], offset: int, text: str, *, is_choice: bool = False
    ) -> None:
        self.name = name
        self.attributes = attributes
        self.offset = offset
        self.text = text
        self.is_choice = is_choice


VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_CLOSES = {
    "p": ("p",),
    "li": ("p", "li"),
    "dt": ("p", "dt", "dd"),
    "dd": ("p", "dt", "dd"),
    "td": ("p", "td", "th"),
    "th": ("p", "td", "th"),
    "tr": ("p", "td", "th", "tr"),
}
"""What a start tag ends when nobody has closed it."""

_ENOUGH = 1_000  # deeper than any limit: from here on nesting is no longer counted


def _finished(html: str) -> tuple[str, str]:
    """`html` up to its last tag, and the text after it: `HTMLParser` reads an unfinished tag again and again."""
    end = html.rfind(">") + 1
    return html[:end], html[end:]


class _Scanner(HTMLParser):
    """Collects start tags and the nesting depth."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[Tag] = []
        self.depth = 0
        self._open: list[str] = []
        self._line_starts = [0]
        for index, char in enumerate(html):
            if char == "\n":
                self._line_starts.append(index + 1)
        self.feed(_finished(html)[0])
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID and len(self._open) < _ENOUGH:
            while self._open and self._open[-1] in _CLOSES.get(tag, ()):
                self._open.pop()
            self._open.append(tag)
            self.depth = max(self.depth, len(self._open))
        self._record(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._record(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def _record(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        offset = self._line_starts[line - 1] + column
        attributes: dict[str, str] = {}
        for name, value in attrs:
            attributes.setdefault(name, value or "")
        text = self.get_starttag_text() or ""
        self.tags.append(Tag(tag, attributes, offset, text, is_choice="picture" in self._open))


def scan(html: str) -> tuple[list[Tag], int]:
    """The start tags of `html` in order, and how deep elements nest."""
    scanner = _Scanner(html)
    return scanner.tags, scanner.depth


def replace_urls(html: str, tags: list[Tag], replace: Replace, frame: Frame) -> str:
    """`html` with the URLs of its start tags replaced; everything else stays as written.

    Args:
        html: raw HTML.
        tags: its start tags, from `scan`.
        replace: called for each URL, with character references resolved; what it returns is put in, escaped.
        frame: called for each tag that may have a URL.
    """
    parts: list[str] = []
    done = 0
    for tag in tags:
        wanted = URL_ATTRIBUTES.get(tag.name)
        if not wanted or not html.startswith(tag.text, tag.offset):
            continue
        parts += (html[done : tag.offset], "")
        done, place = tag.offset, len(parts) - 1
        seen: set[str] = set()
        for found in _ATTRIBUTE.finditer(tag.text, 1 + len(tag.name)):
            name = found["name"].lower()
            value = found["double"] or found["single"] or found["bare"]
            if name not in wanted or name in seen or value is None:
                continue
            seen.add(name)
            start = tag.offset + found.start()
            url = unescape(value).strip()
            new = replace(tag.name, name, url, start, tag.attributes)
            if new is not None:
                parts.append(html[done:start])
                parts.append(f'{name}="{escape(new)}"')
                done = tag.offset + found.end()
        end = tag.offset + len(tag.text)
        parts[place], behind = frame(tag)
        parts += (html[done:end], behind)
        done = end
    parts.append(html[done:])
    return "".join(parts)


def show_as_text(html: str, names: Iterable[str]) -> str:
    """`html` with the tags of some elements turned into the text that they look like."""
    wanted = "|".join(re.escape(name) for name in sorted(names))
    return re.sub(rf"<(?=/?(?:{wanted})[\s/>])", "&lt;", html, flags=re.IGNORECASE) if wanted else html


_BLOCKS = frozenset(
    "address article aside blockquote br dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header "
    "hr li main ol p pre section summary table td th tr ul".split()
)
_SILENT = frozenset({"script", "style", "pre", "table", "figcaption", "template", "svg", "math"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


class _Text(HTMLParser):
    """Collects text, and the prose an excerpt is made of: without headings, code, tables and captions."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.prose: list[str] = []
        self._silent = 0
        self._marker_seen = False
        self.teaser: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._space()
        if tag in _SILENT or tag in _HEADINGS:
            self._silent += 1
        if tag == "a" and ("name", "more") in attrs:
            self.mark()

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._space()
        if tag in _SILENT or tag in _HEADINGS:
            self._silent = max(0, self._silent - 1)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if not self._silent:
            self.prose.append(data)

    def handle_comment(self, data: str) -> None:
        if is_marker(data):
            self.mark()

    def mark(self) -> None:
        """Everything so far is the teaser; only the first mark counts."""
        if self.teaser is None:
            self.teaser = list(self.prose)

    def _space(self) -> None:
        self.text.append(" ")
        self.prose.append(" ")


class HtmlText:
    """The text of raw HTML: all of it, its prose, and the prose before an excerpt marker (or `None`)."""

    __slots__ = ("prose", "teaser", "text")

    def __init__(self, html: str) -> None:
        reader = _Text()
        finished, rest = _finished(html)
        reader.feed(finished)
        reader.close()
        reader.handle_data(unescape(rest.partition("<")[0]))
        self.text = " ".join("".join(reader.text).split())
        self.prose = " ".join("".join(reader.prose).split())
        self.teaser = None if reader.teaser is None else " ".join("".join(reader.teaser).split())


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
            descriptor, _, _ = text[position:].partition(",")
            position += len(descriptor) + 1
        found.append((url, descriptor.strip()))
    return found


def comments(html: str) -> list[str]:
    """The insides of the comments of `html`, found in one pass however many begin."""
    ended = html.split("-->")[:-1]
    return [part.partition("<!--")[2] for part in ended if "<!--" in part]


def is_marker(comment: str) -> bool:
    """Whether the inside of a comment says that the excerpt ends here, in any generator's spelling."""
    return comment.strip().partition(":")[0].strip().lower() in _MARKERS
