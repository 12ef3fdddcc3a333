"""Splits HTML pages of any generator into tags, in one pass over the text, even if the HTML is broken."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from devlog.model.character_references import unescape

_START = re.compile(r"<(?:(?P<end>/)?(?P<name>[a-zA-Z][^\s/>]*)|(?P<comment>!--)|[!?/])")
# Repeated groups have a limit: matching takes memory for each repetition, and a page may have millions.
# Quotes protect a “>” only after an equals sign.
_REST = re.compile(r"""[^>=]*(?:=(?:\s*(?:"[^"]*"|'[^']*')|(?!\s*["']))[^>=]*){0,1000}""")
# Markup without facts about the page; it makes up most of a page with code.
_DULL = re.compile(r"""(?:[^<]+|</?(?:code|em|li|p|pre|span|strong|td|tr)>|<span class="[a-z0-9 ]{1,8}">){1,1000}""")
_ATTRIBUTE = re.compile(r"""([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in "iframe noembed noframes script style textarea title xmp".split()
}
"""Elements whose content is text up to their end tag, even if it looks like tags."""
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([a-zA-Z0-9_:.-]{1,40})""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEAD = 2048
_MOST_ATTRIBUTES = 1_000


class Tag(NamedTuple):
    """A tag, and the text before it.

    Attributes:
        name: in lower case.
        opens: whether it is a start tag.
        source: its attributes as written; see `attributes`.
        before: the text since the previous tag, as written.
    """

    name: str
    opens: bool
    source: str
    before: str


def _always() -> bool:
    return True


def tags(html: str, wanted: Callable[[], bool] = _always) -> Iterator[Tag]:
    """The tags of a page, in order; the content of comments, scripts and styles is not searched for tags.

    Args:
        html: the page.
        wanted: returns whether the caller currently needs text. If not, simple tags that only mark up text are skipped.
    """
    at = 0
    before: list[str] = []
    while found := _START.search(html, at):
        before.append(html[at : found.start()])
        name = found["name"]
        if not name:
            at = _after_comment(html, found.start()) if found["comment"] else html.find(">", found.end()) + 1
            if not at:
                return
            continue
        end = _end_of_tag(html, found.end())
        if end < 0:
            return
        name = name.lower()
        yield Tag(name, not found["end"], html[found.end() : end], "".join(before))
        before.clear()
        at = end + 1
        if name in _RAW and not found["end"]:
            close = _RAW[name].search(html, at)
            stop = close.start() if close else len(html)
            before.append(html[at:stop])
            at = stop
        elif not wanted() and (dull := _DULL.match(html, at)):
            at = dull.end()


def _end_of_tag(html: str, start: int) -> int:
    """The offset of the “>” that ends a tag; -1 if it never ends, as with an open quote: the rest is inside of it.

    Args:
        html: the page.
        start: the offset after the tag's name.
    """
    while (rest := _REST.match(html, start)) and rest.end() > start and not html.startswith(">", rest.end()):
        start = rest.end()
    return rest.end() if rest and html.startswith(">", rest.end()) else -1


def _after_comment(html: str, start: int) -> int:
    """The offset at which a comment ends; 0 if it never ends."""
    end = html.find("-->", start + 2)
    return end + 3 if end >= 0 else 0


def attributes(source: str) -> dict[str, str]:
    """The first attributes of a tag, as many as any tag needs, by name in lower case; the first of duplicates."""
    found: dict[str, str] = {}
    for match in islice(_ATTRIBUTE.finditer(source), _MOST_ATTRIBUTES):
        name, double, single, bare = match.groups("")
        value = double or single or bare
        found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found


def decode(data: bytes) -> str:
    """Decode a page: by its byte order mark, as UTF-8 if valid, else as it declares, else as browsers assume."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode(_declared(data), "replace")


def _declared(data: bytes) -> str:
    said = _CHARSET.search(data[:_HEAD].lower())
    name = said[1].decode() if said else ""
    try:
        encoding = codecs.lookup(name).name if name else "cp1252"
        "".encode(encoding)  # some codecs are not for text
    except (LookupError, ValueError):
        return "cp1252"
    return "cp1252" if encoding in {"utf-8", "ascii", "iso8859-1", "idna", "punycode"} else encoding
