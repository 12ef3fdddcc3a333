"""The index of what posts speak of: what is one reference, who speaks of it, and which pages a change touches."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sites import NOW, build_site, read_tree, write_site

from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.config import Config
from devlog.features.source_references.assemble.index import LISTED, Mentions
from devlog.features.source_references.model.repository import NAME, Speech, repository_of
from devlog.model.git_dates import GitDates
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

URL = "https://github.com/example/lumen"
CONFIG = f'title = "Lumen"\nbase_url = "https://lumen.example/log/"\nsource_repo = "{URL}"\npage_size = 2\n'


def post(text: str, *more: str) -> str:
    return "\n".join(["---", "title: A post", *more, "---", text, ""])


def site(**posts: str) -> dict[str, str]:
    """The files of a site: posts of the days of May that their names end in."""
    return {"devlog.toml": CONFIG} | {f"content/2026-05-{name[1:]}.md": text for name, text in posts.items()}


def refs(root: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((root / "public/refs.json").read_text("utf-8"))["refs"]
    return found


def built(root: Path, files: Mapping[str, str], **options: Any) -> dict[tuple[str, str], list[str]]:
    """Which posts speak of what, by kind and id, as ``refs.json`` has it after a build."""
    report = build_site(write_site(root, files), **options)
    assert not report.failed
    return {(ref["kind"], ref["id"]): [Path(item["source"]).stem[-2:] for item in ref["posts"]] for ref in refs(root)}


def indexed(texts: Mapping[str, str], url: str = URL, symbols: Mapping[str, str] | None = None) -> Mentions:
    """The index of some texts, by path."""
    repository = repository_of(url)
    assert repository
    options = ParseOptions(prose=((NAME, Speech(repository, symbols=True)),))
    parsed = [parse(Source(path, f"content/{path}", text), options)[0] for path, text in texts.items()]
    assembled = assemble(Config(), SiteFiles(parsed), GitDates(), Visibility(NOW))
    return Mentions(assembled.site, repository, symbols or {}, {})


def found(index: Mentions) -> list[tuple[str, str, str, int]]:
    return [(item.kind, item.id, item.url, len(item.mentions)) for some in index.by_kind.values() for item in some]


def test_a_number_that_is_a_pull_request_anywhere_is_one_everywhere(tmp_path: Path) -> None:
    files = site(p01=post("See #12 and #13."), p02=post("See issue 12."), p03=post("See PR 12."))
    assert built(tmp_path, files) == {("pull", "12"): ["03", "02", "01"], ("issue", "13"): ["01"]}
    assert refs(tmp_path)[0]["url"] == f"{URL}/pull/12"


def test_where_both_are_counted_apart_they_stay_apart() -> None:
    index = indexed({"2026-05-01-a.md": post("MR 12 and issue 12")}, "https://gitlab.com/example/lumen")
    assert [(kind, id_) for kind, id_, *_ in found(index)] == [("pull", "12"), ("issue", "12")]


def test_commits_are_the_same_however_short_they_are_written() -> None:
    full, other = "0123456789" * 4, "01234567ff" * 4
    index = indexed(
        {"2026-05-01-a.md": post("commit 0123456, commit 0123456789, commit 0fff000"), "2026-05-02-b.md": post(full)}
    )
    assert sorted((id_, url, count) for _, id_, url, count in found(index)) == [
        (full, f"{URL}/commit/{full}", 2),
        ("0fff000", f"{URL}/commit/0fff000", 1),
    ]
    index = indexed({"2026-05-01-a.md": post(f"commit 01234567, {full}, {other}, commit 01234567ff")})
    assert sorted((id_, url) for _, id_, url, _ in found(index)) == [
        ("01234567", f"{URL}/commit/01234567"),  # of two that begin so, nobody knows which is meant
        (full, f"{URL}/commit/{full}"),
        (other, f"{URL}/commit/{other}"),
    ]


def test_lines_of_a_file_are_places_in_one_reference() -> None:
    text = f"`src/a.c:3`, `src/a.c:9-12` and [this]({URL}/blob/v1/src/a.c#L3), [that](https://github.com/x/y/blob/v1/a.c#L3)"
    assert found(indexed({"2026-05-01-a.md": post(text)})) == [
        ("file", "src/a.c", f"{URL}/blob/HEAD/src/a.c", 1),
        ("file", "x/y:a.c", "https://github.com/x/y/blob/v1/a.c", 1),
    ]


def test_only_known_symbols_count() -> None:
    texts = {"2026-05-01-a.md": post("`lumen_open` and `lumen_close()`")}
    assert found(indexed(texts)) == []
    known = {"lumen_open": f"{URL}/blob/abc/src/a.c#L3"}
    assert found(indexed(texts, symbols=known)) == [("symbol", "lumen_open", known["lumen_open"], 1)]


def test_newest_posts_come_first_and_plain_pages_last(tmp_path: Path) -> None:
    files = site(p01=post("PR 12"), p03=post("PR 12, PR 12"), p02=post("PR 12")) | {"content/about.md": post("PR 12")}
    build_site(write_site(tmp_path, files))
    [ref] = refs(tmp_path)
    assert [item["source"] for item in ref["posts"]] == [
        *(f"content/2026-05-{day}.md" for day in ("03", "02", "01")),
        "content/about.md",
    ]


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ("draft: true", {"drafts": True}),
        ("date: 2030-01-01", {"future": True}),
        ("expiryDate: 2020-01-01", {"expired": True}),
    ],
)
def test_what_is_not_published_is_never_told(tmp_path: Path, more: str, options: dict[str, bool]) -> None:
    files = site(p01=post("PR 12"), p02=post("PR 13 and PR 12", more))
    assert built(tmp_path, files, **options) == {("pull", "12"): ["01"]}
    pages = {path: data for path, data in read_tree(tmp_path / "public").items() if path.startswith("refs/")}
    assert pages
    told = re.compile(rb"(?<![0-9a-f])13(?![0-9a-f])")  # the hashes in URLs of style sheets have any digits
    assert not any(told.search(data) for data in pages.values())


def test_without_anything_to_tell_there_are_no_pages(tmp_path: Path) -> None:
    build_site(write_site(tmp_path, site(p01=post("Nothing, `lumen_open`."), p02=post("PR 13", "draft: true"))))
    tree = read_tree(tmp_path / "public")
    assert not [path for path in tree if path.startswith("refs")]
    assert b"/refs/" not in tree["index.html"]


def test_a_page_of_the_own_site_stays(tmp_path: Path) -> None:
    files = site(p01=post("PR 12")) | {"content/refs.md": post("My own.")}
    report = build_site(write_site(tmp_path, files))
    assert not report.failed
    tree = read_tree(tmp_path / "public")
    assert b"My own." in tree["refs/index.html"]
    assert not {"refs.json", "refs/pulls/index.html"} & tree.keys()
    assert b'/refs/">References' not in tree["index.html"]


@pytest.mark.slow
def test_long_lists_have_several_pages_and_long_references_an_end(tmp_path: Path) -> None:
    texts = {f"p{day:02}": post("PR 12" + (" PR 13 PR 14" if day == 1 else "")) for day in range(1, LISTED + 4)}
    build_site(write_site(tmp_path, site(**texts)))
    tree = read_tree(tmp_path / "public")
    first, second = (tree[f"refs/pulls/{path}index.html"].decode() for path in ("", "page/2/"))
    assert [f'id="{number}"' in first for number in (14, 13, 12)] == [True, True, False]
    assert second.count('class="ref-post"') == LISTED
    assert "and 3 older logs" in second
    assert len(refs(tmp_path)[2]["posts"]) == LISTED + 3
    overview = tree["refs/index.html"].decode()
    assert (
        f'<a href="/log/refs/pulls/page/2/#12">Pull request #12</a> <span class="count">{LISTED + 3} logs</span>'
        in overview
    )


@pytest.mark.slow
def test_an_edit_touches_only_pages_that_show_it(tmp_path: Path) -> None:
    files = site(p01=post("PR 12"), p02=post("PR 13 and issue 14"))
    build_site(write_site(tmp_path, files))

    def edited(text: str) -> set[str]:
        before = read_tree(tmp_path / "public")
        build_site(write_site(tmp_path, {"content/2026-05-01.md": text}))
        after = read_tree(tmp_path / "public")
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        return {path for path in changed if path.startswith("refs")}

    assert edited(post("PR 12\n\nNo more is said.")) == set()
    assert edited(post("\nPR 12\n\nNo more is said.")) == {"refs.json"}  # which alone has the line
    assert edited(post("It was PR 12.")) == {"refs.json", "refs/pulls/index.html", "refs/index.html"}
    assert edited(post("It was issue 14.")) == {
        *("refs.json", "refs/index.html", "refs/issues/index.html", "refs/pulls/index.html"),
    }


def test_both_themes_show_everything(tmp_path: Path) -> None:
    files = site(
        p01=post("See PR 12, commit abc1234, `src/a.c:3` and @adaquill; #15.", "author: Ada Quill (@adaquill)")
    )
    for theme in ("default", "paper"):
        files["devlog.toml"] = CONFIG + f'theme = "{theme}"\n'
        build_site(write_site(tmp_path, files))
        tree = {path: data.decode() for path, data in read_tree(tmp_path / "public").items() if path.endswith(".html")}
        for kind, target in {
            "pulls": f'id="12"|{URL}/pull/12|#12',
            "issues": f'id="15"|{URL}/issues/15|#15',
            "commits": f'id="abc1234"|{URL}/commit/abc1234|abc1234',
            "files": f'id="src/a.c"|{URL}/blob/HEAD/src/a.c|src/|a.c',
            "handles": 'id="adaquill"|/log/authors/adaquill/|@adaquill',
        }.items():
            assert f'href="/log/refs/{kind}/"' in tree["refs/index.html"]
            page = tree[f"refs/{kind}/index.html"]
            for part in (*target.split("|"), "See PR 12, commit abc1234", 'href="/log/2026-05-01/"'):
                assert part in page, (theme, kind, part)
        assert all('href="/log/refs/"' in page for page in tree.values())
