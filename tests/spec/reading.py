"""Reading the examples of a Markdown specification, and HTML in a form that two writers of it share."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

_EXAMPLE = re.compile(r"^`{32} example ?([a-z]*)\n(.*?)^\.\n(.*?)^`{32}$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """An example: its number, the extension that it belongs to (often none), Markdown, and its HTML."""

    number: int
    extension: str
    markdown: str
    html: str


def read_examples(path: Path) -> list[Example]:
    """The examples of a ``spec.txt``, numbered as the published specification numbers them."""
    text = path.read_text(encoding="utf-8").replace("→", "\t")
    return [Example(number, *found.groups()) for number, found in enumerate(_EXAMPLE.finditer(text), start=1)]


Event = tuple[str, ...]

_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "frameset h1 h2 h3 h4 h5 h6 head header hr html iframe li link main menu nav ol p pre script section style "
    "summary table tbody td tfoot th thead title tr ul textarea video".split()
)


class _Reader(HTMLParser):
    """Tags with sorted attributes, text without character references, and no white space that shows nowhere."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[Event] = []
        self._pre = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._pre += tag == "pre"
        flat = [part for name, value in sorted(attrs, key=lambda item: item[0]) for part in (name, value or "")]
        self.events.append(("start", tag, *flat))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._pre -= tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        self._pre -= tag == "pre"
        self.events.append(("end", tag))

    def handle_data(self, data: str) -> None:
        if not self._pre:
            data = re.sub(r"\s+", " ", data)
        if self.events and self.events[-1][0] == "text":
            data = self.events.pop()[1] + data
        self.events.append(("text", data))

    def handle_comment(self, data: str) -> None:
        self.events.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.events.append(("declaration", decl))

    def unknown_decl(self, data: str) -> None:
        self.events.append(("declaration", data))

    def handle_pi(self, data: str) -> None:
        self.events.append(("instruction", data))


def read_html(html: str) -> list[Event]:
    """`html` as events; equal lists mean equal pages."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return _trimmed(reader.events)


def _trimmed(events: list[Event]) -> list[Event]:
    """Events without white space at the edges of blocks."""
    found: list[Event] = []
    pre = 0
    for index, event in enumerate(events):
        if event[1] == "pre":
            pre += 1 if event[0] == "start" else -1
        if event[0] == "text" and not pre:
            text = event[1]
            if not index or _is_edge(events[index - 1]):
                text = text.lstrip()
            if index + 1 == len(events) or _is_edge(events[index + 1]):
                text = text.rstrip()
            if text:
                found.append(("text", text))
        else:
            found.append(event)
    return found


def _is_edge(event: Event) -> bool:
    if event[0] in ("start", "end"):
        return event[1] in _BLOCKS or event[1] == "br"
    return event[0] != "text"
