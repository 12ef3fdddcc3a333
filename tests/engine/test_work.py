"""How much work each kind of edit causes: what is parsed, rendered and written, by name."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lumen import lumen, post
from sites import build_site, read_tree, write_site

import devlog.cache_keys
import devlog.pipeline
import devlog.stages
from devlog.disk.theme import built_in_themes
from devlog.parse.record import ParsedRecord
from devlog.stages import CACHE, Stages


@dataclass
class Work:
    """What a build really did."""

    parsed: list[str]
    rendered: list[str]
    written: list[str]
    removed: list[str]
    markdown_versions: list[str] = field(default_factory=list)
    """Those that were rendered with their pages."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_site(tmp_path / "site", lumen())
    edit(
        root, "devlog.toml", "search.enabled", "llms = { enabled = false, markdown = false }\nsearch.enabled"
    )  # what they cost is at the end
    build_site(root)
    return root


def work(root: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Work:
    """Build, and watch what goes into the two stages."""
    parsed: list[str] = []
    rendered: list[str] = []
    markdown_versions: list[str] = []

    class Watched(Stages):
        def _parse(self, sources: Any, options: Any) -> Iterable[ParsedRecord]:
            parsed.extend(source.path for source in sources)
            return super()._parse(sources, options)

        def render(self, targets: Any, theme: Any, bodies: Any = None) -> Any:
            targets = list(targets)
            rendered.extend(target.path for target in targets)
            markdown_versions.extend(target.markdown for target in targets if target.markdown)
            return super().render(targets, theme, bodies)

    monkeypatch.setattr(devlog.pipeline, "Stages", Watched)
    report = build_site(root, **options)
    assert not report.failed
    assert (report.parsed, report.rendered) == (len(parsed), len(rendered))
    return Work(parsed, rendered, list(report.written), list(report.removed), markdown_versions)


def edit(root: Path, path: str, old: str, new: str) -> None:
    file = root / path
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), "utf-8")


def feeds(*folders: str, full: bool) -> set[str]:
    return {f"{folder}{name}" for folder in folders for name in ("index.xml", "feed.xml", *(["feed.json"] * full))}


REPLAY = "content/storage/2026-04-02-replay.md"
PAGE = "storage/2026-04-02-replay/index.html"
FULL = feeds("", "storage/", full=True)
SHORT = feeds("authors/adaquill/", "authors/boreed/", "tags/wal/", "tags/testing/", "tags/", full=False)
LISTS = {
    "index.html",
    "storage/index.html",
    "archive/index.html",
    "authors/adaquill/index.html",
    "authors/boreed/index.html",
    "tags/wal/index.html",
    "tags/testing/index.html",
}


@pytest.mark.slow
def test_nothing_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert work(root, monkeypatch) == Work([], [], [], [])


@pytest.mark.slow
def test_a_copy_with_new_times(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a build server restores it."""
    copy = shutil.copytree(root, tmp_path / "copy", copy_function=shutil.copyfile)
    for path in copy.rglob("*"):
        os.utime(path, (2_000_000_000, 2_000_000_000))
    assert work(copy, monkeypatch) == Work([], [], [], [])


@pytest.mark.slow
def test_without_the_output_nothing_is_parsed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(root / "public")
    done = work(root, monkeypatch)
    assert done.parsed == []
    assert set(done.rendered) <= set(done.written)


@pytest.mark.slow
def test_without_the_cache_nothing_is_rendered(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(root / ".devlog")
    done = work(root, monkeypatch)
    assert len(done.parsed) == 12
    assert (done.rendered, done.written) == ([], [])


@pytest.mark.slow
def test_body_behind_the_excerpt(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of the post, and the feeds that hold it in full."""
    edit(root, REPLAY, "apply(record)", "apply(again)")
    done = work(root, monkeypatch)
    assert done.parsed == ["storage/2026-04-02-replay.md"]
    assert set(done.rendered) == set(done.written) == {PAGE, *FULL}


@pytest.mark.slow
def test_words_behind_the_excerpt(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists do not count words, but ``posts.json`` does."""
    edit(root, REPLAY, "## Idempotence", "Two words.\n\n## Idempotence")
    assert set(work(root, monkeypatch).rendered) == {PAGE, "posts.json", *FULL}


@pytest.mark.slow
def test_excerpt(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lists the post. Dense lists show no excerpts: they are rendered, since a list's posts are one name of
    its context, but not written."""
    edit(root, REPLAY, "A record that is applied twice", "A record that is read twice")
    done = work(root, monkeypatch)
    assert len(done.parsed) == 1
    assert set(done.rendered) == {PAGE, "posts.json", *LISTS, *FULL, *SHORT}
    assert set(done.written) == {PAGE, "posts.json", "index.html", "storage/index.html", *FULL, *SHORT}


@pytest.mark.slow
@pytest.mark.feature("social_cards")
def test_title(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(root, REPLAY, "Replaying the log twice", "Replaying the log")
    neighbours = {"storage/2026-03-01-log-format/index.html", "storage/2026-04-20-pages/index.html"}
    others = {"old/replay/index.html", PAGE.replace("index.html", "card.png")}
    done = work(root, monkeypatch)
    assert len(done.parsed) == 1
    assert set(done.rendered) == set(done.written) == {PAGE, "posts.json", *LISTS, *FULL, *SHORT, *neighbours, *others}


@pytest.mark.slow
@pytest.mark.feature("social_cards")
def test_tag(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag more: its pages and feeds appear, and everything that shows the post's tags."""
    edit(root, REPLAY, "tags: [wal, testing]", "tags: [wal, testing, crash]")
    crash = {"tags/crash/index.html", "tags/crash/card.png", *feeds("tags/crash/", full=False)}
    done = work(root, monkeypatch)
    assert len(done.parsed) == 1
    assert set(done.rendered) == {
        *(PAGE, "tags/index.html", "posts.json", "sitemap.xml"),
        *(*crash, *LISTS, *FULL, *SHORT),
    }
    assert set(done.written) == {
        *(PAGE, "index.html", "tags/index.html", "posts.json", "sitemap.xml", "storage/index.html"),
        *(*crash, *FULL, *SHORT),
    }


@pytest.mark.slow
@pytest.mark.feature("supersession")
def test_superseding(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all posts only the pages of both; besides them what lists the old one, or is told all of the new one."""
    pages = post_pages(root)
    edit(root, REPLAY, "tags: [wal, testing]", "tags: [wal, testing]\nsupersedes: 2026-03-01-log-format.md")
    done = work(root, monkeypatch)
    old = "storage/2026-03-01-log-format/index.html"
    assert done.parsed == ["storage/2026-04-02-replay.md"]
    assert pages & set(done.rendered) == pages & set(done.written) == {PAGE, old}
    lists = {"storage/index.html", "archive/index.html", "authors/adaquill/index.html", "tags/wal/index.html"}
    lists |= {"tags/design/index.html"}
    listed = {path for path in done.rendered if path.endswith((".html", ".xml", "feed.json"))} - pages
    short = feeds("authors/adaquill/", "tags/wal/", "tags/design/", "tags/", full=False)
    assert listed == {*lists, *FULL, *short}
    assert lists | FULL | short <= set(done.written)


@pytest.mark.slow
@pytest.mark.feature("supersession")
def test_a_chain_goes_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of those that are superseded lead to a newer post; lists say of one of them that it is, as they did."""
    edit(root, REPLAY, "tags: [wal, testing]", "tags: [wal, testing]\nsupersedes: 2026-03-01-log-format.md")
    build_site(root)
    pages = post_pages(root)
    edit(root, "content/storage/2026-04-20-pages/index.md", "tags:", "supersedes: ../2026-04-02-replay.md\ntags:")
    done = work(root, monkeypatch)
    new, oldest = "storage/2026-04-20-pages/index.html", "storage/2026-03-01-log-format/index.html"
    assert pages & set(done.written) == {PAGE, new, oldest}
    assert "tags/testing/index.html" in done.written
    assert "tags/design/index.html" not in done.written


@pytest.mark.slow
@pytest.mark.feature("supersession")
def test_a_review(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands on the page alone, and in feeds that can say so."""
    edit(root, REPLAY, "tags: [wal, testing]", "tags: [wal, testing]\nreviewed: 2026-05-20")
    done = work(root, monkeypatch)
    assert {path for path in done.rendered if path.endswith(".html")} == {PAGE}
    assert {path for path in done.written if not path.endswith((".md", ".txt"))} == {
        *(PAGE, "feed.json", "storage/feed.json"),
    }


def post_pages(root: Path) -> set[str]:
    """The pages of posts."""
    found = {path: data for path, data in read_tree(root / "public").items() if path.endswith(".html")}
    return {path for path, data in found.items() if b'<body class="kind-post' in data}


@pytest.mark.slow
@pytest.mark.feature("social_cards")
def test_new_post(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = post("Sorting", "2026-06-10", "Bo Reed (@boreed)", "planner", "All about sorting.")
    write_site(root, {"content/planner/2026-06-10-sorting.md": text})
    done = work(root, monkeypatch)
    assert done.parsed == ["planner/2026-06-10-sorting.md"]
    assert set(done.rendered) == {
        "planner/2026-06-10-sorting/index.html",
        "planner/2026-06-10-sorting/card.png",
        "planner/2026-05-20-estimates/index.html",  # its older neighbour
        "planner/2026-05-04-joins/index.html",  # which it is related to
        *("index.html", "404.html", "archive/index.html", "sitemap.xml", "posts.json"),
        *("planner/index.html", "authors/index.html", "authors/boreed/index.html"),
        *("tags/index.html", "tags/planner/index.html"),
        *feeds("", "planner/", full=True),
        *feeds("authors/boreed/", "tags/planner/", "tags/", full=False),
    }


@pytest.mark.slow
@pytest.mark.feature("social_cards")
def test_deletion(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "content/planner/2026-05-20-estimates.md").unlink()
    done = work(root, monkeypatch)
    assert done.parsed == []
    assert done.removed == ["planner/2026-05-20-estimates/card.png", "planner/2026-05-20-estimates/index.html"]
    assert set(done.rendered) == {
        "planner/2026-05-04-joins/index.html",
        *("index.html", "404.html", "archive/index.html", "sitemap.xml", "posts.json"),
        *("planner/index.html", "authors/index.html", "authors/boreed/index.html"),
        *("tags/index.html", "tags/planner/index.html"),
        *feeds("", "planner/", full=True),
        *feeds("authors/boreed/", "tags/planner/", "tags/", full=False),
    }


@pytest.mark.slow
def test_footer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A partial of every page: no text is parsed, no feed rendered."""
    theme = built_in_themes() / "default/templates/partials/footer.html"
    write_site(root, {"templates/partials/footer.html": theme.read_text("utf-8") + "<!-- new -->"})
    done = work(root, monkeypatch)
    pages = {path for path in read_tree(root / "public") if path.endswith(".html")} - {"old/replay/index.html"}
    assert done.parsed == []
    assert set(done.rendered) == set(done.written) == pages


@pytest.mark.slow
def test_one_template(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = built_in_themes() / "default/templates/tag.html"
    write_site(root, {"templates/tag.html": theme.read_text("utf-8") + "{# only a comment #}"})
    done = work(root, monkeypatch)
    assert set(done.rendered) == {f"tags/{tag}/index.html" for tag in ("design", "planner", "testing", "wal")}
    assert done.written == []  # the pages are as they were


@pytest.mark.slow
def test_template_that_nothing_uses(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(root, {"templates/partials/unused.html": "{{ site.title }}"})
    assert work(root, monkeypatch) == Work([], [], [], [])


@pytest.mark.slow
def test_style(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address holds its digest, so every page that links to it is new, and no feed."""
    config = (root / "devlog.toml").read_text("utf-8")
    write_site(
        root,
        {
            "devlog.toml": 'theme = "own"\n' + config,
            "themes/own/theme.toml": 'extends = "default"\n',
            "themes/own/static/style.css": "body {}",
        },
    )
    build_site(root)
    write_site(root, {"themes/own/static/style.css": "body { color: black }"})
    done = work(root, monkeypatch)
    pages = {path for path in read_tree(root / "public") if path.endswith(".html")} - {"old/replay/index.html"}
    assert done.parsed == []
    assert set(done.rendered) == pages
    assert set(done.written) == {*pages, "theme/style.css"}


@pytest.mark.slow
def test_message(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only pages whose templates have it are rendered, though all of them use the catalog."""
    write_site(root, {"i18n/en.toml": 'recent = "Latest"\n'})
    done = work(root, monkeypatch)
    assert done.parsed == []
    assert set(done.rendered) == {"empty/index.html", "planner/index.html", "storage/index.html"}
    assert sorted(done.written) == ["planner/index.html", "storage/index.html"]


@pytest.mark.slow
def test_message_that_moves(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(root, {"i18n/en.toml": 'tag = "Label"\n'})
    build_site(root)
    write_site(root, {"i18n/en.toml": '# Ours.\n\n[tag]\nother = "Label"\n'})
    assert work(root, monkeypatch) == Work([], [], [], [])


@pytest.mark.slow
def test_message_of_a_script(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script's URL has a digest of its bytes, so that pages with another script are new too, as for a style."""
    write_site(root, {"i18n/en.toml": 'wrap = "Break lines"\n'})
    done = work(root, monkeypatch)
    assert done.parsed == []
    assert "theme/code.js" in done.written
    assert "index.xml" not in done.rendered
    assert b'"Break lines"' in (root / "public/theme/code.js").read_bytes()


@pytest.mark.slow
def test_language(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalog of a language that the site does not have changes nothing."""
    write_site(root, {"i18n/de.toml": 'tag = "Schlagwort"\n'})
    assert work(root, monkeypatch) == Work([], [], [], [])


@pytest.mark.slow
def test_static_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(root, {"static/humans.txt": "Ada, Bo, Cleo\n"})
    assert work(root, monkeypatch) == Work([], [], ["humans.txt"], [])


@pytest.mark.slow
def test_draft(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody sees is parsed, and that is all."""
    edit(root, "content/planner/2026-06-01-unfinished.md", "Text.", "More text.")
    assert work(root, monkeypatch) == Work(["planner/2026-06-01-unfinished.md"], [], [], [])


@pytest.mark.slow
def test_deleted_output(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "public/about/index.html").unlink()
    assert work(root, monkeypatch) == Work([], ["about/index.html"], ["about/index.html"], [])


@pytest.mark.slow
def test_another_moment_without_consequence(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert work(root, monkeypatch, now=datetime(2026, 7, 1, tzinfo=UTC)) == Work([], [], [], [])


@pytest.mark.slow
def test_configuration_that_no_page_shows(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(root, "devlog.toml", 'bio = "Works on storage."', 'bio = "Works on files."')
    done = work(root, monkeypatch)
    assert done.parsed == []
    assert "authors/adaquill/index.html" in done.rendered
    assert not {path for path in done.rendered if path.startswith(("storage/", "planner/", "tags/"))}


MARKDOWN_VERSION = PAGE.replace("index.html", "index.md")


@pytest.fixture
def told(root: Path) -> Path:
    """The same with all that is for programs."""
    edit(root, "devlog.toml", "llms = { enabled = false, markdown = false }\n", "")
    build_site(root)
    return root


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_body_of_a_post_with_a_markdown_version(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Markdown version is rendered with its page."""
    edit(told, REPLAY, "apply(record)", "apply(again)")
    done = work(told, monkeypatch)
    assert set(done.rendered) == {PAGE, "llms-full.txt", *FULL}
    assert done.markdown_versions == [MARKDOWN_VERSION]
    assert set(done.written) == {*done.rendered, MARKDOWN_VERSION}


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_title_of_a_post_with_a_markdown_version(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(told, REPLAY, "Replaying the log twice", "Replaying the log")
    done = work(told, monkeypatch)
    markdown_versions = {path for path in done.written if path.endswith(".md")}
    assert markdown_versions == {MARKDOWN_VERSION, *(path.replace(".html", ".md") for path in LISTS)}
    assert {"llms.txt", "llms-full.txt", "posts.json"} <= set(done.written)


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_deletion_of_a_post_with_a_markdown_version(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (told / "content/planner/2026-05-20-estimates.md").unlink()
    assert "planner/2026-05-20-estimates/index.md" in work(told, monkeypatch).removed


@pytest.mark.slow
def test_template_of_a_page_with_a_markdown_version(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No template has a part in a Markdown version."""
    write_site(told, {"templates/partials/footer.html": "<footer>Ours</footer>"})
    done = work(told, monkeypatch)
    assert PAGE in done.written
    assert done.markdown_versions == []
    assert not {path for path in done.written if path.endswith(".md")}


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_a_page_or_its_markdown_version_that_was_taken_away(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (told / "public" / PAGE).unlink()
    assert work(told, monkeypatch) == Work([], [PAGE], [PAGE], [], [])
    (told / "public" / MARKDOWN_VERSION).unlink()
    assert work(told, monkeypatch) == Work([], [PAGE], [MARKDOWN_VERSION], [], [MARKDOWN_VERSION])


@pytest.mark.slow
def test_what_another_devlog_made_is_forgotten(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records are not merely of no use: they lie between those that each build reads."""
    # Else the first build, but not the next, is too early to remember that files have not changed.
    monkeypatch.setattr("devlog.disk.stat_cache.SETTLED_NS", -(10**18))
    write_site(root, {f"content/storage/more-{n}.md": post(f"More {n}", "2026-02-01") for n in range(30)})
    build_site(root)
    with closing(sqlite3.connect(root / CACHE)) as database:
        own = database.execute("SELECT COUNT(*) FROM record").fetchone()
    assert own[0] > 50  # fewer are kept anyway
    for module in (devlog.stages, devlog.cache_keys):
        monkeypatch.setattr(module, "toolchain", lambda: "another")
    assert len(work(root, monkeypatch).parsed) == len(list((root / "content").rglob("*.md")))
    with closing(sqlite3.connect(root / CACHE)) as database:
        assert database.execute("SELECT COUNT(*) FROM record").fetchone() == own
