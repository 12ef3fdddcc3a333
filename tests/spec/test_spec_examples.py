"""The examples of CommonMark and of GitHub's dialect, read by devlog as a site that trusts its posts reads them.

What devlog adds on purpose to everything of a kind is taken off again before the comparison (`plain`). What is left
different is listed example by example in `deviations`: a listed example that agrees, or an unlisted one that does not,
fails.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from catalogs import ENGLISH
from deviations import COMMONMARK, GFM
from reading import Event, Example, read_examples, read_html

from devlog.assemble.links import LinkIndex, resolve_all
from devlog.config import Config
from devlog.model.source import Source
from devlog.model.target import Filling
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.render.body_html import fill

SPECS = os.environ.get("DEVLOG_SPECS", "")
pytestmark = pytest.mark.spec

# A title that no example has, so that no first heading is taken for one.
FRONT_MATTER = "---\ntitle: A title of its own\n---\n"


def written(markdown: str, *, autolink: bool) -> str:
    """What devlog makes of `markdown` in a post at ``/spec/``: emoji are off, since the specifications have none."""
    source = Source("spec.md", "content/spec.md", FRONT_MATTER + markdown)
    parsed, body, _ = parse(source, ParseOptions(html="trusted", emoji=False, autolink=autolink))
    places = tuple(item.link for item in resolve_all(LinkIndex(Config()), parsed, "/spec/"))
    return fill(body, Filling(parsed.document.body, places, "/spec/"), ENGLISH)


def plain(events: list[Event]) -> list[Event]:
    """Events without what devlog adds to every heading, code block, image, table and list."""
    found: list[Event] = []
    opened: list[tuple[str, bool]] = []  # elements, and whether their tags are left out
    skipping = code = 0
    for event in events:
        kind, name = event[0], event[1]
        attributes = dict(zip(event[2::2], event[3::2], strict=True)) if kind == "start" else {}
        if kind == "start" and name not in VOID:
            anchor = name == "a" and attributes.get("class") == "anchor"  # a heading's link to itself
            wrapper = name == "div" and attributes.get("class") in ("code", "table")
            color = name == "span" and code > 0
            skipping += anchor
            code += name == "code"
            opened.append((name, anchor or wrapper or color))
            left_out = opened[-1][1]
        elif kind == "end" and opened and opened[-1][0] == name:
            _, left_out = opened.pop()
            code -= name == "code"
            if left_out and name == "a":
                skipping -= 1
                continue
        else:
            left_out = False
        if skipping or left_out:
            continue
        found.append(_bare(name, attributes) if kind == "start" else event)
    return _joined(found)


VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_ALIGN = {"align-left": "left", "align-center": "center", "align-right": "right"}


def _bare(name: str, attributes: dict[str, str]) -> Event:
    if name in {"h1", "h2", "h3", "h4", "h5", "h6"}:
        attributes.pop("id", None)
    if name == "pre":
        attributes.pop("tabindex", None)
    if name == "ol" and attributes.get("class") == "wide":  # its numbers need room
        del attributes["class"]
    if name == "img":
        attributes = {key: value for key, value in attributes.items() if key not in ("loading", "decoding")}
    if name in {"td", "th"} and attributes.get("class") in _ALIGN:
        attributes["align"] = _ALIGN[attributes.pop("class")]
    return ("start", name, *(part for item in sorted(attributes.items()) for part in item))


def _joined(events: list[Event]) -> list[Event]:
    """Neighbouring texts as one; the space before a heading's link to itself goes with the link."""
    found: list[Event] = []
    for event in events:
        joins = event[0] == "text" and found and found[-1][0] == "text"
        if event[0] == "end" and event[1] in {"h1", "h2", "h3", "h4", "h5", "h6"} and found[-1][0] == "text":
            text = found.pop()[1].rstrip()
            found += [("text", text)] if text else []
        found.append(("text", found.pop()[1] + event[1]) if joins else event)
    return found


def agrees(example: Example, *, autolink: bool) -> bool:
    return plain(read_html(written(example.markdown, autolink=autolink))) == read_html(example.html)


def _differing(name: str, *, autolink: bool) -> tuple[int, set[int]]:
    examples = read_examples(Path(SPECS) / f"{name}.txt")
    return len(examples), {example.number for example in examples if not agrees(example, autolink=autolink)}


def test_commonmark() -> None:
    count, differing = _differing("commonmark", autolink=False)
    assert count == 652
    assert differing == set(COMMONMARK)


def test_gfm() -> None:
    count, differing = _differing("gfm", autolink=True)
    assert count == 672
    assert differing == set(GFM)


@pytest.mark.parametrize("listed", [COMMONMARK, GFM])
def test_every_deviation_has_a_reason(listed: dict[int, str]) -> None:
    assert all(len(reason) > 10 for reason in listed.values())
