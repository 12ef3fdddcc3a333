"""Broken references: what is suggested for them, and how much work that is when there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial

import pytest
from steps import steps

from devlog.assemble.links import LinkIndex, resolve_all
from devlog.assemble.references import link_index
from devlog.assemble.site import Assembled, SiteFiles, Visibility, assemble
from devlog.config import Config
from devlog.model.closest import MOST_SUGGESTIONS, Words
from devlog.model.diagnostic import Diagnostic
from devlog.model.git_dates import GitDates
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

HEAD = "---\ntitle: A post\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\n---\n"


def _site(texts: dict[str, str]) -> tuple[Assembled, LinkIndex]:
    config = Config()
    parsed = [parse(Source(path, f"content/{path}", HEAD + text), ParseOptions())[0] for path, text in texts.items()]
    assembled = assemble(config, SiteFiles(parsed), GitDates(), Visibility(datetime(2027, 1, 1, tzinfo=UTC)))
    return assembled, link_index(config, assembled, "")


def _wrong(assembled: Assembled, index: LinkIndex, path: str) -> list[Diagnostic]:
    post = next(post for post in assembled.site.posts if post.id == path)
    return [item.problem for item in resolve_all(index, post.parsed, post.permalink) if item.problem]


def _shown(assembled: Assembled, index: LinkIndex, path: str) -> list[str]:
    post = next(post for post in assembled.site.posts if post.id == path)
    return [item.link.url for item in resolve_all(index, post.parsed, post.permalink)]


def _word(number: int) -> str:
    return "".join(chr(ord("a") + number // 26**place % 26) for place in range(3))


def _anchors(count: int) -> dict[str, str]:
    """A post with headings, and with links to others that it has not."""
    names = [_word(number) for number in range(count)]
    return {"log/a.md": "".join(f"## The {name} of it\n\n[x](#the-{name}-of-itt)\n\n" for name in names)}


def _files(count: int) -> dict[str, str]:
    """A post with links to files that are not there, beside others with names like theirs."""
    names = [_word(number) for number in range(count)]
    texts = {f"log/page-{name}-x.md": "Text.\n" for name in names}
    return {"log/a.md": "".join(f"[x](page-{name}-y.md)\n\n" for name in names), **texts}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of words of each collection for comparisons that is made."""
    numbers: list[int] = []
    real = Words.__init__

    def init(self: Words, words: Iterable[str]) -> None:
        real(self, words := tuple(words))
        numbers.append(len(words))

    monkeypatch.setattr(Words, "__init__", init)
    return numbers


@pytest.mark.slow
@pytest.mark.parametrize("texts", [_anchors, _files])
def test_many_broken_links_take_work_by_their_number(texts: Callable[[int], dict[str, str]]) -> None:
    counts = []
    for size in (150, 300, 600):
        assembled, index = _site(texts(size))
        found = _wrong(assembled, index, "log/a.md")
        assert len(found) == size
        assert sum(bool(item.hint) for item in found) == MOST_SUGGESTIONS
        assembled, index = _site(texts(size))
        counts.append(steps(partial(_wrong, assembled, index, "log/a.md")))
    assert counts[2] < 3 * counts[1]
    assert counts[1] < 3 * counts[0]


def test_a_file_that_moved_is_named_however_many_there_are() -> None:
    count = 3 * MOST_SUGGESTIONS
    moved = {f"other/moved-{number}.md": "Text.\n" for number in range(count)}
    assembled, index = _site({"log/a.md": "".join(f"[x](gone/moved-{n}.md)\n\n" for n in range(count)), **moved})
    found = _wrong(assembled, index, "log/a.md")
    assert [item.code for item in found] == ["broken-link"] * count
    assert all(item.fix for item in found)


def test_equal_links_share_what_they_lead_to_and_what_is_wrong_with_them() -> None:
    """The URL of a page may be far longer than the name of its file, and all posts are in memory at once."""
    text = "[x](b.md) [y](gone/c.md)\n\n[x](b.md) [y](gone/c.md)\n\n[z](#b)\n\n[z](#b)\n"
    assembled, index = _site({"log/a.md": text, "log/b.md": "Text.\n", "other/c.md": "Text.\n"})
    post = next(post for post in assembled.site.posts if post.id == "log/a.md")
    found = resolve_all(index, post.parsed, post.permalink)
    assert found[0].link is found[2].link
    assert found[4].link is found[5].link
    moved, again, no_anchor, no_anchor_again = (item.problem for item in found if item.problem)
    for one, other in ((moved, again), (no_anchor, no_anchor_again)):
        assert (one.code, one.hint) == (other.code, other.hint)
        assert one.message is other.message
    assert [(item.span.line, item.span.column) for item in (moved, again)] == [(6, 15), (8, 15)]
    assert [item.span.line for item in (no_anchor, no_anchor_again)] == [10, 12]
    edits = [item.fix.edits[0] for item in (moved, again) if item.fix]
    assert [edit.span for edit in edits] == [moved.span, again.span]
    assert edits[0].new is edits[1].new


def test_a_long_path_is_not_suggested_again_and_again() -> None:
    deep = "/".join(["w" * 60] * 4)
    texts = {"log/a.md": "[x](gone/b.md) [y](gone/c.md)\n", f"{deep}/b.md": "Text.\n", f"{deep[:60]}/c.md": "Text.\n"}
    assembled, index = _site(texts)
    found = _wrong(assembled, index, "log/a.md")
    assert [(item.code, bool(item.hint), bool(item.fix)) for item in found] == [
        ("broken-link", False, False),
        ("broken-link", True, True),
    ]


@pytest.mark.slow
def test_fragments_of_long_pages_are_found_without_a_search() -> None:
    size = 400
    text = "".join(f"## {_word(number)}\n\n[x](#{_word(number)})\n\n" for number in range(size))
    assembled, index = _site({"log/a.md": text, "log/b.md": "".join(f"[x](a.md#{_word(n)})\n\n" for n in range(size))})
    assert not _wrong(assembled, index, "log/a.md")
    assert not _wrong(assembled, index, "log/b.md")
    assert len(index._fragments) == 1


@pytest.mark.slow
def test_fragments_of_two_pages_in_turn_are_found_without_a_search(made: list[int]) -> None:
    """Even if both have one URL, which is an error."""
    size = 100
    texts = {f"log/{name}.md": "".join(f"## {name}{_word(n)}\n\n" for n in range(size)) for name in "ab"}
    links = "".join(f"[x](a.md#a{_word(n)}) [y](b.md#b{_word(n)})\n\n" for n in range(size))
    config = Config()
    parsed = [
        parse(Source(path, f"content/{path}", HEAD.replace("title", "url: /x/\ntitle") + text), ParseOptions())[0]
        for path, text in texts.items()
    ]
    parsed.append(parse(Source("log/c.md", "content/log/c.md", HEAD + links), ParseOptions())[0])
    assembled = assemble(config, SiteFiles(parsed), GitDates(), Visibility(datetime(2027, 1, 1, tzinfo=UTC)))
    assert not _wrong(assembled, link_index(config, assembled, ""), "log/c.md")
    assert made == [size, size]


@pytest.mark.slow
def test_what_many_texts_mean_by_their_broken_links_is_looked_up_in_words_made_once(made: list[int]) -> None:
    """A post that is long, and a folder that has many, would else be looked through for each link of every post."""
    long = "".join(f"## The {_word(number)}\n\n" for number in range(200))
    texts = {f"log/page-{_word(number)}.md": "[x](long.md#the-aax)\n\n[x](page-aax.md)\n" for number in range(100)}
    assembled, index = _site({"log/long.md": long, **texts})
    assert all(len(_wrong(assembled, index, path)) == 2 for path in texts)
    assert sorted(made) == [101, 200]


def _made_for(made: list[int], page: str, target: str, count: int) -> list[int]:
    """The collections for comparisons that are made for a number of posts with one broken link each."""
    made.clear()
    texts = {f"log/page-{_word(number)}.md": f"[x]({target})\n" for number in range(count)}
    assembled, index = _site({"log/long.md": page, **texts})
    assert all(len(_wrong(assembled, index, path)) == 1 for path in texts)
    return made.copy()


@pytest.mark.slow
@pytest.mark.parametrize("of_page", ["## The {}\n\n", "```\n{}\n```\n\n"])
def test_what_links_to_lines_mean_is_looked_up_in_words_made_once(made: list[int], of_page: str) -> None:
    """A long page would else be looked through for each link to lines of it, whether it has code or not."""
    page = "".join(of_page.format(_word(number)) for number in range(100))
    made_for = partial(_made_for, made, page, "long.md#zz-L5")
    assert made_for(10) == made_for(40)


def test_a_link_to_lines_is_meant_for_a_block_with_nearly_the_name() -> None:
    for more in (0, 60):
        page = '```sh title="deploy.sh"\nls\n```\n\n' + "".join(f"## The {_word(n)}\n\n" for n in range(more))
        assembled, index = _site({"log/a.md": "[x](b.md#delpoy-sh-L1)\n", "log/b.md": page})
        assert [item.hint for item in _wrong(assembled, index, "log/a.md")] == ["did you mean “#deploy.sh-L1”?"]


@pytest.mark.parametrize("more", [0, 60])
def test_a_link_has_the_fragment_in_the_normalization_of_the_page(more: int) -> None:
    """Browsers compare code points: a heading in NFD, as some editors write it, has another id than one in NFC."""
    apart, together = "de\u0301tails", "d\u00e9tails"
    raw = '<a id="raw-e\u0301"></a><a id="two-e\u0301"></a><a id="two-\u00e9"></a>\n\n'
    links = f"[x](#{apart}) [y](#{together}) [z](#raw-\u00e9) [t](#two-e\u0301) [u](#two-\u00e9)"
    rest = "".join(f"\n\n## {_word(number)}" for number in range(more))
    texts = {
        "log/a.md": f"## D{apart[1:]}\n\n{raw}{links}{rest}\n",
        "log/b.md": f"[x](a.md#{apart}) [y](a.md#{together})",
    }
    assembled, index = _site(texts)
    assert not [_wrong(assembled, index, path) for path in texts if _wrong(assembled, index, path)]
    own = ["#de%CC%81tails", "#de%CC%81tails", "#raw-e%CC%81", "#two-e%CC%81", "#two-%C3%A9"]
    assert _shown(assembled, index, "log/a.md") == own
    assert _shown(assembled, index, "log/b.md") == ["/log/a/#de%CC%81tails"] * 2


def test_a_link_in_nfd_leads_to_a_heading_in_nfc() -> None:
    assembled, index = _site({"log/a.md": "## D\u00e9tails\n\n[x](#de\u0301tails) [y](#de\u0301tail)\n"})
    assert _shown(assembled, index, "log/a.md") == ["#d%C3%A9tails", "#de%CC%81tail"]
    assert [item.code for item in _wrong(assembled, index, "log/a.md")] == ["broken-anchor"]


CODE = """\
```python title="lumen/page.py"
x = 1
```

```python title="a+b\u0301 c.cc"
x = 1
```

    y = 2

```python title="other/page.py"
x = 1
```

```mermaid title="plan.mmd"
graph TD; A-->B
```
"""


@pytest.mark.parametrize("more", ["", "<b>x</b>\n", "".join(f"\n## {_word(number)}\n" for number in range(60))])
def test_links_lead_to_lines_of_code(more: str) -> None:
    own = ["page.py-L1", "a+b\u0301-c.cc-L1-L2", "code-3-L1", "code-4-L1", "plan.mmd-L1"]
    texts = {
        "log/a.md": CODE + more + "".join(f"\n[x](<#{fragment}>)" for fragment in own),
        "log/b.md": "".join(f"[x](<a.md#{fragment}>)\n" for fragment in own),
    }
    assembled, index = _site(texts)
    assert not [_wrong(assembled, index, path) for path in texts if _wrong(assembled, index, path)]
    assert _shown(assembled, index, "log/b.md")[:2] == ["/log/a/#page.py-L1", "/log/a/#a+b%CC%81-c.cc-L1-L2"]


def test_links_to_lines_of_code_that_the_page_does_not_have() -> None:
    wrong = ["pagee.py-L1", "code-1-L1", "code-7-L2", "page.py-Lx", "page-L1-L"]
    texts = {"log/a.md": f"{CODE}\n## Code 1\n" + "".join(f"[x](#{name}) " for name in wrong)}
    found = _wrong(*_site(texts), "log/a.md")
    assert [item.code for item in found] == ["broken-anchor"] * len(wrong)
    assert [item.hint for item in found] == [
        "did you mean “#page.py-L1”?",
        "did you mean “#code-4-L1”?",
        "did you mean “#code-4-L2”?",
        "",
        "",
    ]
