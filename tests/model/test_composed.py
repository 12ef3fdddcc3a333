"""Names in Unicode's composed form."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import build_site, write_site

from devlog.config import is_base_url
from devlog.model.composed import LONGEST, composed

MARKS = "\u0300\u0316"


def test_names_are_composed() -> None:
    assert composed("Cafe\u0301") == "Café"
    assert composed("a" + MARKS) == "à\u0316"
    assert composed("e\u0301" * LONGEST) == "e\u0301" * LONGEST


def test_no_base_url_is_longer_than_urls_that_are_requested() -> None:
    """Parsing a URL normalizes its host."""
    assert is_base_url("https://docs.example.org/" + "a" * 3_000)
    assert not is_base_url("https://docs.example.org/" + "a" * 4_000)
    assert not is_base_url("https://docs" + MARKS * 2_000 + "/")


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("target", ["b{}.md", "#b{}", "b{}.md#c{}"])
def test_no_link_keeps_a_build_busy(tmp_path: Path, target: str) -> None:
    """Bringing so many marks into their order would take minutes."""
    link = target.replace("{}", MARKS * 120_000)
    text = f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n\n[a](<{link}>)\n"
    root = write_site(
        tmp_path, {"content/log/_index.md": "---\ntitle: Log\n---\n", "content/log/2026-05-01-a.md": text}
    )
    (problem,) = build_site(root).diagnostics
    assert problem.code in ("broken-link", "broken-anchor")
    assert (problem.span.path, problem.span.line) == ("content/log/2026-05-01-a.md", 6)
