"""A file with several texts says what each of them says: labels of links and footnotes hold for a whole file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from sites import build_site, write_site

pytestmark = pytest.mark.feature("markdown_versions")

SITE = (
    'title = "Lumen"\nbase_url = "https://lumen.example/"\n[markdown]\nmath = true\n'
    "[cards]\nenabled = false\n[search]\nenabled = false\n"
)


def written(folder: Path, texts: Sequence[str]) -> tuple[str, list[str]]:
    """The file with all of some posts, and the Markdown version of each without its properties."""
    posts = {
        f"content/log/2026-05-{20 - number}-post.md": f"---\ntitle: Post\nauthor: Ada Quill (@ada)\n---\n{text}\n"
        for number, text in enumerate(texts)
    }
    root = write_site(folder, {"devlog.toml": SITE, "content/log/_index.md": "---\ntitle: Log\n---\n", **posts})
    report = build_site(root)
    assert not [item for item in report.diagnostics if item.severity == "error"], report.diagnostics
    output = root / "public"
    versions = [output / f"log/2026-05-{20 - number}-post/index.md" for number in range(len(texts))]
    return (output / "llms-full.txt").read_text(), [version.read_text().partition("\n---\n")[2] for version in versions]


def said(markdown: str, *, notes: bool) -> tuple[list[Any], list[Any]]:
    """The links and images that a program finds in Markdown, in order, and those of each footnote where it is used.

    Args:
        markdown: the text.
        notes: whether the program knows footnotes.
    """
    parser = MarkdownIt("commonmark").enable("table")
    env: dict[str, Any] = {}
    tokens = (parser.use(footnote_plugin) if notes else parser).parse(markdown, env)
    found: list[Any] = []
    own: dict[int, list[Any]] = {}
    used: list[int] = []
    into = found
    for token in tokens:
        if token.type == "footnote_open":
            into = own[token.meta["id"]] = []
        if token.type == "inline":
            into += _links(token.children or ())
            used += [child.meta["id"] for child in token.children or () if child.type == "footnote_ref"]
            if into is not found:
                into.append(token.content)
    return found, [own.get(number) for number in used]


def _links(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    return [
        (str(token.attrs.get("href") or token.attrs.get("src")), tokens[at + 1].content if at + 1 < len(tokens) else "")
        for at, token in enumerate(tokens)
        if token.type in ("link_open", "image")
    ]


def assert_same(folder: Path, texts: Sequence[str]) -> None:
    whole, versions = written(folder, texts)
    for notes in (True, False):
        links, in_notes = said(whole, notes=notes)
        each = [said(version, notes=notes) for version in versions]
        links = [(url, re.sub(r"(^|\[)\^\d+-", r"\1^", text)) for url, text in links]  # without notes, a mark is text
        assert links == [link for found, _ in each for link in found], whole
        # In the whole file, the notes of one text come behind the next one.
        assert sorted(map(_plain, in_notes)) == sorted(_plain(note) for _, found in each for note in found), whole


def _plain(note: object) -> str:
    """A note with the marks that it has in its own post."""
    return re.sub(r"\[\^\d+-", "[^", str(note))


@pytest.mark.parametrize(
    "text",
    [
        "![The log](https://x.example/{n}) ^[A note.]",
        "See [the log][a] and [a].\n\n[a]: https://x.example/{n}",
        "See [the log][a] and [a].",
        "One[^1] and[^two].\n\n[^1]: https://x.example/{n}\n\n[^two]: Note *{n}*.\n",
        "One[^1].",
        "<b>One</b>[^1] [a].\n\n[^1]: Note {n}, [a].\n\n[a]: https://x.example/{n}",
        "> [a]\n>\n> [a]: https://x.example/{n}",
        "`[a]: https://x.example/{n}` [a] `[^1]: x` [^1]",
        "```\n[a]: https://x.example/{n}\n[^1]: x\n```\n\n[a] [^1]",
        "Unused.\n\n[a]: https://x.example/{n}\n\n[^1]: Unused {n}.",
        "[a\nb]\n\n[a\nb]: https://x.example/{n}",
        "![a]\n\n[a]: https://x.example/{n}.png",
    ],
)
def test_labels_of_one_post_hold_for_no_other(tmp_path: Path, text: str) -> None:
    other = "[a] and [b][a] and [^1]\n\n[a]: https://other.example/\n\n[^1]: Other."
    assert_same(tmp_path, [text.replace("{n}", "0"), other, text.replace("{n}", "2"), "[a], [^1], [a b], [^3-1]."])


def test_a_note_stays_as_it_is_in_the_page_of_its_post(tmp_path: Path) -> None:
    whole, versions = written(tmp_path, ["One[^a].\n\n[^a]: Note.", "Two[^a].\n\n[^a]: Other."])
    assert versions[0].endswith("One[^a].\n\n[^a]: Note.\n")
    assert "One[^2-a].\n\n[^2-a]: Note.\n" in whole
    assert "Two[^1-a].\n\n[^1-a]: Other.\n" in whole


PARTS = st.sampled_from(
    """[a] [x][a] [a][] [A] [b](https://x.example/i) note[^1] [^a] `[a]:|b` `[^1]` \\[a] ![a] ^[in|a|note] <b>b</b> [b]
    ¶¶[a]:|https://x.example/{n}¶¶ ¶¶[b]:|<https://x.example/{n}b>¶¶ ¶¶[^1]:|Note|{n}.¶¶ ¶¶[^a]:|https://x.example/n{n}¶¶
    ¶¶```¶[a]:|https://x.example/c¶```¶¶ ¶¶>|[a]:|https://x.example/q{n}¶¶ ¶¶-|[b]:|https://x.example/l{n}¶¶
    ¶¶$$¶[a]:|b¶$$¶¶ $[a]:|b$ ¶¶term¶:|[a]:|https://x.example/d{n}¶¶ ¶¶*[a]:|https://x.example/x¶¶ ¶¶|---|¶¶
    ¶¶|||||[a]:|b¶¶ word [^3-1]
    <!--|[a]:|b|--> ¶¶<!--¶¶[a]:|https://x.example/k¶¶-->¶¶ ¶¶##|[a]¶¶ ¶¶|a|[a]|¶|-|-|¶|[b]|c|¶¶
    \\[^1]:|b ¶[^1]:|c ] [""".split()
).map(lambda part: part.replace("|", " ").replace("¶", "\n"))


@pytest.mark.slow
@settings(max_examples=60)
@given(texts=st.lists(st.lists(PARTS, max_size=8).map(" ".join), min_size=2, max_size=3))
@example(texts=["[a]\n\n[a]: https://x.example/{n}"] * 2)
@example(texts=["a[^1]\n\n[^1]: Note {n}."] * 2)
@example(texts=["a[^1]\n\n[^1]: Note {n}[^1] [^3-1]."] * 2)
def test_a_file_with_many_texts_says_what_each_says(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    numbered = [text.replace("{n}", str(number)) for number, text in enumerate(texts)]
    assert_same(tmp_path_factory.mktemp("many"), numbered)
