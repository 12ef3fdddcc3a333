"""Where the targets of links are found."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.markdown import source_positions
from devlog.parse.markdown.source_positions import Finder
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


@pytest.mark.parametrize(
    "text",
    [
        "[t](→U) or →U",
        "→U or [t](→U)",
        "<→U> [t](<→U>) [t](→U) <→U>",
        "`U` [U](→U) **→U** (→U)",
        '<b title="U">b</b> →U [t](→U)',
    ],
)
def test_links_to_one_url_have_their_own_places(text: str) -> None:
    before, *links = text.replace("U", "https://a.example/9").split("→")
    columns = [len(before + "".join(links[:index])) + 1 for index in range(len(links))]
    _, _, facts = parse(Source("a.md", "a.md", before + "".join(links) + "\n"), ParseOptions())
    assert sorted(link.span.column for link in facts.outside) == columns


@pytest.mark.parametrize("text", ["[x][r] aaaa ", "[x](a) aaaa ", "`[x](a)` [x](a) "])
def test_a_short_target_is_looked_for_in_few_places(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target of one letter may be anywhere: looking at all places for each link takes the square of their number."""
    looked = 0
    search = Finder._search

    def counting(self: Finder, needle: str, start: int, end: int) -> int:
        nonlocal looked
        looked += 1
        return search(self, needle, start, end)

    monkeypatch.setattr(Finder, "_search", counting)
    finder = Finder(text * 1000 + "\n\n[r]: a\n", "a.md", 1)
    for _ in range(1000):
        assert finder.find_target("a", (0, 1)).length == 1
    assert looked <= 50 * 1000


def test_the_search_for_long_strings_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python may compare each character of such a string at each place."""
    compared = 0

    class Text(str):
        def find(self, needle: str, start: int = 0, end: int = 0) -> int:  # type: ignore[override]
            nonlocal compared
            compared += (end - start) * len(needle)
            return super().find(needle, start, end)

    monkeypatch.setattr(source_positions, "MAX_COMPARED", 1_000_000)
    finder = Finder(Text("a" * 1000), "a.md", 1)
    for _ in range(1000):
        assert not finder.find("a" * 50 + "b", (0, 1)).column
    assert compared <= 1_100_000
