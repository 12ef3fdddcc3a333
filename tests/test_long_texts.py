"""What is cached by a process that runs for days: short texts, or a limited number of bytes."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from devlog import sanitize
from devlog.assemble.site import parents
from devlog.assemble.urls import topic_permalink
from devlog.check.evidence import Evidence
from devlog.check.images import tracker_image
from devlog.check.tags import fold_tag
from devlog.model.check_facts import Outside
from devlog.model.closest import closest
from devlog.model.diagnostic import Span
from devlog.model.document import Body
from devlog.model.markdown import escaped
from devlog.model.names import fold
from devlog.model.short_texts import LONGEST, cache_of_short
from devlog.model.slug import slug
from devlog.model.source import Source
from devlog.model.target import Entry, FeedView, Filling
from devlog.parse.markdown.keywords import terms
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.render.feed import atom, json_feed, rss

LENGTH = 100_000


def held(call: Callable[[str], object], times: int, length: int) -> int:
    """How many bytes remain in use after calls with as many different texts."""
    call("x" * length)  # imports what it needs
    tracemalloc.start()
    for number in range(times):
        call(f"{number}{'x' * length}")
    gc.collect()
    found = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return found


def _parsed(text: str, dialect: str = "devlog") -> None:
    parse(Source("a.md", "a.md", text), ParseOptions(dialect=dialect))


def _tracked(text: str) -> None:
    outside = Outside("image", f"https://bugs.example.org/attachment{text}", Span("a.md"))
    source = SimpleNamespace(facts=SimpleNamespace(outside=[outside]))
    (found,) = tracker_image(cast("Evidence", SimpleNamespace(sources=[source])))
    assert "bugs.example.org" in found.message


CALLS: dict[str, Callable[[str], object]] = {
    "text escaped for Markdown": lambda text: escaped(f"*{text}*"),
    "name": lambda text: fold(f"A{text}"),
    "slug": lambda text: slug(f"A{text}"),
    "tag": lambda text: fold_tag(f"A-{text}"),
    "folders above a file": lambda text: parents(f"a/{text}/b"),
    "topic": lambda text: topic_permalink(f"a/{text}"),
    "word of a heading": lambda text: terms("A title", (f"The x{text}",), ()),
    "similar words": lambda text: closest("sectoin", ["section", text], 0.7),
    "info string": lambda text: _parsed(f'```py title="{text}"\nx\n```\n'),
    "abbreviations": lambda text: _parsed("".join(f"*[{text[:2]}{n}]: x\n" for n in range(len(text) // 70)), "jekyll"),
    "URL of an image": _tracked,
}


@pytest.mark.parametrize("name", CALLS)
def test_no_long_text_is_kept(name: str) -> None:
    assert held(CALLS[name], 5, LENGTH) < LENGTH


def test_results_for_short_texts_are_cached() -> None:
    made: list[int] = []

    @cache_of_short(2)
    def upper(text: str) -> str:
        made.append(len(text))
        return text.upper()

    for length in (1, 1, LONGEST, LONGEST, LONGEST + 1, LONGEST + 1):
        assert upper("a" * length) == "A" * length
    assert made == [1, LONGEST, LONGEST + 1, LONGEST + 1]


FEED = FeedView(
    title="Lumen",
    description="",
    home="https://lumen.example/",
    url="https://lumen.example/index.xml",
    id="https://lumen.example/",
    language="en",
    updated="2026-03-02T10:00:00+00:00",
    origin="https://lumen.example",
)


def _entry(page: str) -> Entry:
    moment = "2026-03-02T10:00:00+00:00"
    return Entry(page, page, "Pages", moment, moment, (), (), "", Filling("a", (), page))


def test_feeds_in_all_formats_sanitize_a_body_once(monkeypatch: pytest.MonkeyPatch) -> None:
    real, sanitized = sanitize.sanitize_for_feed, list[str]()

    def note(html: str) -> str:
        sanitized.append(html)
        return real(html)

    monkeypatch.setattr(sanitize, "sanitize_for_feed", note)
    for write in (rss, atom, json_feed):
        for page in ("https://lumen.example/one/", "https://lumen.example/two/"):
            body = Body(('<p id="a">The same on pages that differ only in their URLs</p>',))
            write(FEED, (_entry(page),), {"a": body})
    assert len(sanitized) == 1


def test_the_sanitized_bodies_of_feeds_are_kept_within_a_number_of_bytes() -> None:
    def write(text: str) -> None:
        rss(FEED, (_entry("https://lumen.example/one/"),), {"a": Body((f"<p>{text}</p>",))})

    assert held(write, 20, 2_000_000) < 33 << 20
