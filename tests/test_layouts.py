"""The layouts of other generators: what a build and a preview do in a site's own folder, and after edits."""

from __future__ import annotations

from pathlib import Path

import pytest
from sites import NOW, build_site, read_tree, write_site

from devlog.disk.guard import check_output
from devlog.disk.stat_cache import StatCache
from devlog.engine.jobs import Jobs
from devlog.inputs import read_inputs
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Page, RedirectResponse

CONFIGURATION = """\
content = "."
dialect = "jekyll"

[permalinks]
post = "/:categories/:year/:slug.html"
page = "/:topic/:name.html"

[tags]
also = ["categories"]
"""

JEKYLL = {
    "devlog.toml": CONFIGURATION,
    "_posts/2026-05-01-first.md": "---\ntitle: First\ncategories: storage\n---\nOne.\n",
    "_posts/2026-05-02-second.md": "---\ntitle: Second\n---\n[first](2026-05-01-first.md)\n",
    "about.md": "---\ntitle: About\n---\nWho we are.\n",
    "assets/a.txt": "a file\n",
    "themes/own/theme.toml": 'name = "own"\n',
    "static/b.txt": "a static file\n",
}


def published(folder: Path) -> dict[str, bytes]:
    return {path: data for path, data in read_tree(folder).items() if not path.startswith(".")}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path, JEKYLL)


def test_a_second_build_of_the_site_s_own_folder_finds_nothing_new(site: Path) -> None:
    first = build_site(site)
    assert not first.failed
    before = published(site / "public")
    assert not [path for path in before if path.startswith(("public/", "themes/", "static/", "devlog", "_"))]
    assert {"2026/second.html", "storage/2026/first.html", "about.html", "assets/a.txt", "b.txt"} <= before.keys()
    second = build_site(site)
    assert (second.written, second.removed, second.parsed, second.rendered) == ((), (), 0, 0)
    assert published(site / "public") == before


def test_a_key_of_the_author_named_like_one_of_jekyll_s(site: Path) -> None:
    write_site(site, {"_posts/2026-05-03-third.md": "---\ntitle: Third\nown:\n  permalink: /:x/\n---\nThree.\n"})
    assert not build_site(site).failed
    assert "2026/third.html" in published(site / "public")


@pytest.mark.slow
def test_a_site_that_was_written_elsewhere_into_the_folder_is_no_content(site: Path) -> None:
    build_site(site, output="preview/of/mine")
    build_site(site)
    assert not [path for path in published(site / "public") if path.startswith("preview")]
    assert not build_site(site, output="preview/of/mine").written


@pytest.mark.parametrize("output", [".", "_posts", "static", "themes", ".devlog", "assets"])
def test_what_is_not_the_output_s_own_stays_out_of_reach(site: Path, output: str) -> None:
    inputs = read_inputs(site, "", StatCache())
    assert [item.code for item in check_output(site, output, inputs.folders(site))] == ["unsafe-output"]
    before = read_tree(site)
    assert build_site(site, output=output).failed
    assert {path: data for path, data in read_tree(site).items() if not path.startswith(".devlog")} == before


EDITS = {
    "another category": ("_posts/2026-05-01-first.md", "---\ntitle: First\ncategories: query\n---\nOne.\n"),
    "no front matter": ("about.md", "Only text.\n"),
    "another dialect": ("devlog.toml", CONFIGURATION.replace('"jekyll"', '"devlog"')),
    "no other tags": ("devlog.toml", CONFIGURATION.replace('"categories"', "")),
    "a draft": ("_drafts/third.md", "---\ntitle: Third\n---\nx\n"),
    "a template": ("index.html", "---\n---\n{% for post in site.posts %}{% endfor %}\n"),
    "a template no more": ("index.html", "---\n---\n<p>Welcome.</p>\n"),
    "a page without a place in lists": ("about.md", "---\ntitle: About\nunlisted: true\n---\nWho we are.\n"),
    "no page": ("about.md", "---\ntitle: About\nheadless: true\n---\nWho we are.\n"),
    "a topic by its folder": ("query/_posts/2026-05-03-third.md", "---\ntitle: Third\n---\nx\n"),
    "other names of feeds": ("devlog.toml", CONFIGURATION + '\n[feeds]\nrss = "rss.xml"\n'),
    "a redirect": ("devlog.toml", CONFIGURATION + '\n[redirects]\n"/old/" = "/about.html"\n'),
}


def test_each_edit_gives_what_a_clean_build_gives(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    build_site(site)
    seen = set()
    for name, (path, text) in EDITS.items():
        write_site(site, {path: text})
        edited = build_site(site)
        sources = {file: data for file, data in read_tree(site).items() if not file.startswith(("public/", ".devlog"))}
        clean = write_site(tmp_path_factory.mktemp("clean"), sources)
        report = build_site(clean)
        assert edited.diagnostics == report.diagnostics, name
        assert published(site / "public") == published(clean / "public"), name
        seen.add(frozenset(published(site / "public").items()))
    assert len(seen) > len(EDITS) / 2  # most edits show


def preview(folder: Path) -> Preview:
    shown = Preview(Options(folder, "http://localhost:8000", now=lambda: NOW, jobs=1, search=False), Jobs())
    shown.change(frozenset())
    return shown


@pytest.mark.slow
def test_the_preview_follows_the_site_s_own_folder_and_not_its_output(site: Path) -> None:
    shown = preview(site)
    try:
        build_site(site)
        assert shown.change(frozenset()) is None
        assert shown.change(frozenset({"public/index.html", "public/about.html"})) is None
        write_site(site, {"_posts/2026-05-02-second.md": "---\ntitle: Changed\n---\nx\n"})
        change = shown.change(frozenset({"_posts/2026-05-02-second.md"}))
        assert change
        assert change.files == ("_posts/2026-05-02-second.md",)
        write_site(site, {"_posts/2026-05-04-new.md": "---\ntitle: New\n---\nx\n"})
        change = shown.change(frozenset({"_posts/2026-05-04-new.md"}))
        assert change
        assert change.files == ("+ _posts/2026-05-04-new.md",)
        answer = shown.ask("/2026/new.html")
        shown_page = answer.result() if answer.done() else shown._answer("/2026/new.html")
        assert isinstance(shown_page, Page)
        assert b"New" in shown_page.html
    finally:
        shown.close()


def test_the_preview_leads_where_a_redirect_leads(site: Path) -> None:
    redirects = '\n[redirects]\n"/old/" = "/about.html#who"\n"/chat/" = "https://chat.example.org/lumen?x=1"\n'
    write_site(site, {"devlog.toml": CONFIGURATION + redirects})
    shown = preview(site)
    try:
        assert shown._answer("/old/") == RedirectResponse("/about.html#who")
        assert shown._answer("/chat/") == RedirectResponse("https://chat.example.org/lumen?x=1")
    finally:
        shown.close()


DRAFTS = {
    "_drafts/merger.md": "---\ntitle: Merger\n---\n![Plan](plan.png)\n",
    "_drafts/salaries.csv": "1\n",
    "_drafts/sub/plan.txt": "A plan\n",
    "blog/_drafts/deal.txt": "A deal\n",
    "_posts/_drafts/2026-05-04-later.md": "---\ntitle: Later\n---\nx\n",
    "_posts/_drafts/later.txt": "Later\n",
    "_lab/_drafts/idea.md": "---\ntitle: Idea\n---\nx\n",
    "_lab/_drafts/idea.txt": "An idea\n",
    "_lab/ready.md": "---\ntitle: Ready\n---\nx\n",
}


def test_what_is_in_folders_of_drafts_needs_builds_with_drafts(site: Path) -> None:
    lab = CONFIGURATION + '\n[permalinks.topics]\n"_lab" = "/lab/:name/"\n'
    write_site(site, {**DRAFTS, "devlog.toml": lab})
    # What has the name of a file of a draft is published.
    write_site(site, {"salaries.csv": "Of everybody\n"})
    assert not build_site(site).failed
    shown = published(site / "public")
    files = {path for path in shown if path.endswith((".csv", ".txt")) and not path.startswith("llms")}
    assert files >= {"salaries.csv", "assets/a.txt"}
    assert shown["salaries.csv"] == b"Of everybody\n"
    told = ("plan", "deal", "later", "idea", "merger")
    assert not [path for path in shown if any(word in path.lower() for word in told)]
    assert "lab/ready/index.html" in shown
    (site / "salaries.csv").unlink()
    assert not build_site(site, drafts=True).failed
    assert {"salaries.csv", "sub/plan.txt", "blog/deal.txt", "2026/later.html"} <= published(site / "public").keys()
