"""What is cached by a process that runs for days: short texts, or a limited number of bytes."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from devlog.assemble.site import parents
from devlog.assemble.urls import topic_permalink
from devlog.check.evidence import Evidence
from devlog.check.images import tracker_image
from devlog.check.tags import fold_tag
from devlog.model.check_facts import Outside
from devlog.model.closest import closest
from devlog.model.diagnostic import Span
from devlog.model.markdown import escaped
from devlog.model.names import fold
from devlog.model.short_texts import LONGEST, cache_of_short
from devlog.model.slug import slug
from devlog.model.source import Source
from devlog.parse.markdown.keywords import terms
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

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
