"""What a text says of the project's source: what is linked, what is left alone, and that nothing else changes."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devlog.features.source_references.model.mention import Mention, Mentioned
from devlog.features.source_references.model.repository import NAME, Repository, Speech, repository_of
from devlog.features.source_references.parse.mentions import LONGEST, MOST
from devlog.model.document import Document
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

URL = "https://github.com/example/lumen"
REPOSITORY = repository_of(URL)
assert REPOSITORY
ON, OFF = ParseOptions(prose=((NAME, Speech(REPOSITORY)),)), ParseOptions()


def written(text: str, options: ParseOptions = ON, name: str = "a.md") -> str:
    """The HTML of a text; holes are left out."""
    _, body, _ = parse(Source(name, f"content/{name}", text), options)
    return "".join(piece for piece in body.pieces if isinstance(piece, str))


def document(text: str, options: ParseOptions = ON, name: str = "a.md") -> Document:
    return parse(Source(name, f"content/{name}", text), options)[0].document


def named(text: str, options: ParseOptions = ON) -> list[tuple[str, str]]:
    return [(mention.kind, mention.id) for mention in document(text, options).of(Mentioned).mentions]


class _Shown(HTMLParser):
    """What a reader sees: all texts, and apart from them those of code."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = self.code = ""
        self._codes = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._codes += tag in ("code", "pre")

    def handle_endtag(self, tag: str) -> None:
        self._codes -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        self.text += data
        self.code += data if self._codes else ""


REFERENCES = st.one_of(
    st.sampled_from(
        ["PR ", "PRs ", "issue ", "Issues ", "pull request #", "#", "GH-", "org/repo#", "MR ", "!", "Frame #"]
    ).flatmap(lambda before: st.integers(0, 10**7).map(lambda number: f"{before}{number}")),
    st.sampled_from(["commit abc1234", "0123456789" * 4, "PRs 12, 13 and #14", "a@b.org", "@ada", "https://x.org/#12"]),
)
BLOCKS = [" ", "\n", "\n\n", "\n- ", "\n# ", "\n> ", "\n    ", "\n```\n", "|", "\n|-|\n", "[^1]", "\n[^1]: "]
INLINE = ["`", "``", "*", "**", "_", "~~", "[", "](x)", "](x#12)", "&amp;", "&#35;", ":rocket:"]
RAW = ["<", "<b>", "</b>", "<a href='x'>", "</a>", "<pre>", "</pre>"]
MARKS = st.sampled_from([*BLOCKS, *INLINE, *RAW])
TEXTS = st.lists(st.one_of(REFERENCES, MARKS, st.text(max_size=4)), max_size=14).map("".join)


@pytest.mark.slow
@given(TEXTS)
@example("PR 12 `PR 13` [PR 14](x) <a href='x'>PR 15</a>\n\n# PR 16\n")
@example("*PR 12*[^1]\n\n[^1]: #13 :rocket:")
def test_readers_see_the_same_text(text: str) -> None:
    if "\\" in text:  # which may be there only to forbid a link
        return
    on, off = (_Shown(written(text, options)) for options in (ON, OFF))
    assert on.text == off.text
    assert on.code == off.code


@pytest.mark.slow
@given(TEXTS)
def test_what_else_is_known_of_a_text_stays_as_it_is(text: str) -> None:
    if "\\" in text:
        return
    on, off = document(text), document(text, OFF)
    assert (on.headings, on.anchors, on.excerpt, on.words) == (off.headings, off.anchors, off.excerpt, off.words)
    assert (on.refs, on.terms, off.of(Mentioned).mentions) == (off.refs, off.terms, ())


@pytest.mark.slow
@given(TEXTS)
def test_no_link_stands_in_a_link_or_in_code(text: str) -> None:
    depth = codes = 0
    for tag in re.finditer(r"<(/?)(a|code|pre)\b([^>]*)>", written(text)):
        if tag[2] == "a":
            depth += -1 if tag[1] else 1
            assert tag[1] or not (codes and URL in tag[3])
        else:
            codes += -1 if tag[1] else 1
        assert depth < 2


@pytest.mark.slow
@given(TEXTS)
def test_mentions_are_in_order_and_have_their_sentences(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for mention in document(text).of(Mentioned).mentions:
        assert 1 <= mention.line <= lines
        assert len(mention.sentence) <= LONGEST
        assert mention.sentence == " ".join(mention.sentence.split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("PR 12", [("pull", "12")]),
        ("PR #1", [("pull", "1")]),
        ("PR 1", []),
        ("#1 and #12", [("issue", "12")]),
        ("pull request 12.", [("pull", "12")]),
        ("(#12)", [("issue", "12")]),
        ("#12 / #13", [("issue", "12"), ("issue", "13")]),
        ("#012 #12a a#12 #12.5 #12-15 #12%", []),
        ("PR 12: it works", [("pull", "12")]),
        ("PRs 1 and 2", [("pull", "1"), ("pull", "2")]),
        ("issues #3, 44, and #55", [("issue", "3"), ("issue", "44"), ("issue", "55")]),
        ("The issue 12 was", [("issue", "12")]),
        ("GitHub issue 12", [("issue", "12")]),
        ("a Lumen issue 12", [("issue", "12")]),
        ("a Rust issue 12", []),
        ("LWG issue 2255", []),
        ("a “Rust” issue 12", []),
        ("see Go’s C++ PR 12", []),
        ("Thanks to Ada, PR 12", [("pull", "12")]),
        ("Merged on Friday: PR 12", [("pull", "12")]),
        ("In the CI: issue 12", [("issue", "12")]),
        ("(in German) PR 12", [("pull", "12")]),
        ("We like GPUs. PR 12", [("pull", "12")]),
        ("He said “We like GPUs.” PR 12", [("pull", "12")]),
        ("We wrote a test. #12 has more, see fig. #13", [("issue", "12")]),
        ("org/other PR 12", []),
        ("Frame #12, figure #12", []),
        ("the color #123456", []),
        ("#123456 color", []),
        ("#123456", [("issue", "123456")]),
        ("example/lumen#12", [("issue", "12")]),
        ("Example/Lumen#12", [("issue", "12")]),
        ("other/parts#12", [("issue", "other/parts#12")]),
        ("commit abc1234", [("commit", "abc1234")]),
        ("commit deadbeef", []),
        ("abc1234", []),
        ("Commits abc1234 and 0def567", [("commit", "abc1234"), ("commit", "0def567")]),
        ("`src/a.py`", [("file", "src/a.py")]),
        ("`./src/a.py:12`", [("file", "src/a.py#L12")]),
        ("`src/a.py:12:5`", [("file", "src/a.py#L12")]),
        ("`src/a.py#L3-L9`", [("file", "src/a.py#L3-L9")]),
        ("`src/CMakeLists.txt`", [("file", "src/CMakeLists.txt")]),
        ("`../a/b.py` `/etc/x.conf` `a.py` `a/b.xyz` `a/b` `a/*.py` `https://x.org/a.py`", []),
        (f"[x]({URL}/pull/12#discussion_r1)", [("pull", "12")]),
        (f"[x]({URL}/issues/12)", [("issue", "12")]),
        (f"[x]({URL}/commit/abc1234)", [("commit", "abc1234")]),
        (f"[x]({URL}/blob/main/src/a.py#L10-L20)", [("file", "src/a.py#L10-L20")]),
        (f"[x]({URL}/blob/main/docs/a.md?plain=1#L3)", [("file", "docs/a.md#L3")]),
        (f"[x]({URL}/blob/feature/x/src/a.py#L1) [y]({URL}/tree/release/2.1/src)", []),
        (f"[x]({URL}/blob/feature%2Fx/src/a.py)", [("file", "src/a.py")]),
        (f"[x]({URL}/blob/refs/heads/main/src/a.py)", [("file", "src/a.py")]),
        (f"[x]({URL}/tree/refs/tags/v1.0/src)", [("file", "src/")]),
        (f"[x]({URL}/tree/main/src) [y]({URL}/tree/v1/a/%2e%2e/b)", [("file", "src/")]),
        (f"[x]({URL}/releases/tag/v1) [y]({URL}/tree/main) [z]({URL}x/pull/12345678901)", []),
        (f"<{URL}/pull/12>", [("pull", "12")]),
        (f'<a href="{URL}/pull/12">x</a>', [("pull", "12")]),
        ("[x](https://github.com/other/parts/blob/main/a.py#L1)", [("file", "other/parts:a.py#L1")]),
        ("[x](https://github.com/other/parts/blob/main/a.py)", []),
        ("[#12](https://example.org/)", []),
        (f"[one][x] and\n\n[x].\n\n[x]: {URL}/pull/12", [("pull", "12"), ("pull", "12")]),
        ("@ada-quill and @Bo.", [("handle", "ada-quill"), ("handle", "bo")]),
        ("[@ada](https://example.org/)", [("handle", "ada")]),
        ("a@b.org @torch.compile @dataclass @call() `@code` @a", []),
        ("`lumen_open`", []),
    ],
)
def test_what_is_found(text: str, found: list[tuple[str, str]]) -> None:
    assert named(text) == found


@pytest.mark.parametrize(
    ("code", "symbol"),
    [("lumen_open", "lumen_open"), ("wal.Log::cut()", "wal.Log::cut"), ("ab", ""), ("a + b", ""), ("--flag", "")],
)
def test_symbols_are_collected_where_they_are_asked_for(code: str, symbol: str) -> None:
    options = ParseOptions(prose=((NAME, Speech(REPOSITORY, symbols=True)),))
    assert named(f"`{code}`", options) == ([("symbol", symbol)] if symbol else [])


@pytest.mark.parametrize(
    "text", [r"\#123", r"\PR 123", r"PR \#123", r"\issue 123", r"\a/b#123", r"\GH-123", r"\commit abc1234", "&#35;123"]
)
def test_a_backslash_forbids_a_link(text: str) -> None:
    assert not named(text)
    assert _Shown(written(text)).text.strip() == text.replace("\\", "").replace("&#35;", "#")


def test_how_many_digits_a_number_needs_can_be_said() -> None:
    options = ParseOptions(prose=((NAME, Speech(REPOSITORY, digits=4)),))
    assert named("#123, #1234, PR 123", options) == [("issue", "1234"), ("pull", "123")]


def test_places_and_sentences() -> None:
    text = f"""\
---
title: A
---
One. Two is PR 12, e.g. here! Three
goes on with #13
and `a/b.py`. Four.

# About PR 14

| a | b |
|---|---|
| PR 15 | what it does |

<div>
See <a href="{URL}/pull/16">it</a>. Not this.
</div>
"""
    assert document(text).of(Mentioned).mentions == (
        Mention("pull", "12", f"{URL}/pull/12", 4, "Two is PR 12, e.g. here!"),
        Mention("issue", "13", f"{URL}/issues/13", 5, "Three goes on with #13 and a/b.py."),
        Mention("file", "a/b.py", f"{URL}/blob/HEAD/a/b.py", 6, "Three goes on with #13 and a/b.py."),
        Mention("pull", "14", f"{URL}/pull/14", 8, "About PR 14"),
        Mention("pull", "15", f"{URL}/pull/15", 12, "PR 15 – what it does"),
        Mention("pull", "16", f"{URL}/pull/16", 15, "See it."),
    )


def test_of_a_long_sentence_the_words_around_are_kept() -> None:
    [mention] = document("word " * 200 + "PR 12" + " word" * 200).of(Mentioned).mentions
    assert mention.sentence.startswith("… word ")
    assert mention.sentence.endswith(" word …")
    assert " PR 12 " in mention.sentence


def test_so_many_and_no_more() -> None:
    assert len(document("#12 " * (MOST + 100)).of(Mentioned).mentions) == MOST


@pytest.mark.parametrize(
    ("url", "forge", "pull", "file"),
    [
        ("https://github.com/a/b", "", "https://github.com/a/b/pull/1", "https://github.com/a/b/blob/HEAD/x/y.c#L3-L9"),
        (
            "https://github.com/a/b.git",
            "",
            "https://github.com/a/b/pull/1",
            "https://github.com/a/b/blob/HEAD/x/y.c#L3-L9",
        ),
        (
            "https://gitlab.example.org/a/s/b/",
            "",
            "https://gitlab.example.org/a/s/b/-/merge_requests/1",
            "https://gitlab.example.org/a/s/b/-/blob/HEAD/x/y.c#L3-9",
        ),
        (
            "https://codeberg.org/a/b",
            "",
            "https://codeberg.org/a/b/pulls/1",
            "https://codeberg.org/a/b/src/commit/HEAD/x/y.c#L3-L9",
        ),
        (
            "https://git.example.org/a/b",
            "gitlab",
            "https://git.example.org/a/b/-/merge_requests/1",
            "https://git.example.org/a/b/-/blob/HEAD/x/y.c#L3-9",
        ),
    ],
)
def test_addresses_in_the_manner_of_their_hosts(url: str, forge: str, pull: str, file: str) -> None:
    repository = repository_of(url, forge)
    assert repository
    assert repository.pull("1").url == pull
    assert repository.file("x/y.c", "3", "9").url == file
    for of in (
        repository.pull("1"),
        repository.issue("2"),
        repository.commit("abc1234"),
        repository.file("x/y.c", "3", "9"),
    ):
        assert repository.read(of.url) == of
        assert repository.read(of.url.replace("/a/", "/z/")) != of


@pytest.mark.parametrize(
    "url", ["", "lumen", "a/b", "https://example.org/", "https://example.org/lumen", "git@github.com:a/b"]
)
def test_what_is_no_address_of_a_repository(url: str) -> None:
    assert repository_of(url) is None


@pytest.mark.parametrize("path", ["../../etc/a.py", "src/%2e%2e/a.py", "src//a.py", "./a.py", "src/"])
def test_what_leads_out_of_a_repository_is_no_file_of_it(path: str) -> None:
    assert isinstance(REPOSITORY, Repository)
    assert REPOSITORY.read(f"{URL}/blob/main/src/a.py") is not None
    assert REPOSITORY.read(f"{URL}/blob/main/{path}") is None


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_address_can_be_read(rest: str) -> None:
    assert isinstance(REPOSITORY, Repository)
    found = REPOSITORY.read(URL + rest)
    assert found is None or found.url.startswith("https://github.com/")


TAGS = [
    "<p>",
    "</p>",
    "<a href='x'>",
    "</a>",
    "<code>",
    "</code>",
    "<p title='> #12'>",
    "<br>",
    "<!--",
    "-->",
    "<",
    ">",
]
HTML = st.lists(st.one_of(REFERENCES, st.sampled_from([*TAGS, '"', "&amp;", "&", " ", "\n"])), max_size=12).map("".join)


@pytest.mark.slow
@given(HTML)
@example("<p title='> #12'>#12")
def test_texts_of_html_show_the_same(text: str) -> None:
    front = "---\ntitle: A\n---\n"
    on, off = (_Shown(written(front + text, options, "a.html")) for options in (ON, OFF))
    assert on.text == off.text
    assert on.code == off.code


def test_places_in_texts_of_html() -> None:
    text = f"""\
---
title: A
---
<p title="> PR 11">See PR 12.
Then <a href='{URL}/pull/13'>it</a>, &amp; <code>PR 14</code>.</p>
PR 15
"""
    assert document(text, name="a.html").of(Mentioned).mentions == (
        Mention("pull", "12", f"{URL}/pull/12", 4, "See PR 12."),
        Mention("pull", "13", f"{URL}/pull/13", 5, "Then it, & PR 14."),
        Mention("pull", "15", f"{URL}/pull/15", 6, "PR 15"),
    )
