"""What features and plugins derive from bodies, in the preview: after every edit it shows what a build publishes."""

from __future__ import annotations

import io
import random
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from outcomes import clean_outcome
from serve_sites import ORIGIN, all_shown, data_of, shown
from sites import NOW, build_site, read_tree, write_site
from writers import png

from devlog.disk.manifest import MANIFEST
from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview
from devlog.stages import CACHE

CONFIG = 'title = "Lumen"\nbase_url = "https://lumen.example/"\nsearch.enabled = false\ncards.enabled = false\n'
A, B = "content/log/2026-05-01-a.md", "content/log/2026-05-02-b.md"


def post(text: str) -> str:
    return f"---\ntitle: A\n---\n{text}\n"


def site(files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    plain = {"content/log/_index.md": "---\ntitle: Log\n---\n", A: post("One."), B: post("Two.")}
    return {"devlog.toml": CONFIG, **plain, **files}


def follow(root: Path, files: dict[str, str | bytes], edits: list[dict[str, str]]) -> None:
    """Fail unless the preview shows and tells what a build would, at first and after each edit."""
    jobs = Jobs()
    write_site(root, files)
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        for edit in ({}, *edits):
            files |= edit
            write_site(root, edit)
            preview.change(frozenset(edit))
            clean, report = clean_outcome(files, base_url=f"{ORIGIN}/", now=NOW)
            shown = all_shown(preview, jobs, clean.files)
            assert {path: shown[path] for path in clean.files} == clean.files, edit
            while preview.is_reading:
                preview.read_more()
            expected = {(item.sort_key, item.severity) for item in report.diagnostics}
            assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected, edit
    finally:
        preview.close()


def picture(seed: int) -> bytes:
    from PIL import Image

    data = io.BytesIO()
    Image.frombytes("RGB", (1500, 900), random.Random(seed).randbytes(1500 * 900 * 3)).save(data, "JPEG")
    return data.getvalue()


@pytest.mark.slow
@pytest.mark.feature("images")
def test_images_that_move_come_and_go(tmp_path: Path) -> None:
    images = {"static/a.jpg": picture(1), "static/b.jpg": picture(2)[:100_000]}
    files = site({**images, A: post("First ![a](/a.jpg) here. ![b](/b.jpg)")})
    build_site(write_site(tmp_path, files), base_url=f"{ORIGIN}/")  # a preview makes no other sizes
    follow(
        tmp_path,
        files,
        [
            {A: post("More.\n\nFirst ![a](/a.jpg) here. ![b](/b.jpg)")},
            {A: post("First ![a](/a.jpg) here.")},
            {A: post("None.")},
            {B: post("Now ![a](/a.jpg) here.")},
        ],
    )


FEEDS = """
import msgspec
from devlog.model.view import FeedLink
from devlog.plugin import Plugin


class Feeds(msgspec.Struct, frozen=True):
    feeds: dict[str, tuple[FeedLink, ...]] = {}


def feeds(work):
    words = sum(post.parsed.document.words for post in work.site.posts)
    return Feeds({"log": (FeedLink(f"{words} words", "/words.xml", "application/atom+xml"),)})


plugin = Plugin("lumen", derive=feeds)
"""
TARGETS = """
import msgspec
from devlog.model.derived import LinkTargets
from devlog.plugin import Plugin


class Found(msgspec.Struct, frozen=True):
    targets: LinkTargets


def words(work):
    anchors = {post.id: (f"w{post.parsed.document.words}",) for post in work.site.posts}
    return Found(LinkTargets(anchors=anchors))


plugin = Plugin("lumen", targets=words)
"""


@pytest.mark.parametrize("plugin", [FEEDS, TARGETS])
def test_a_plugin_that_reads_bodies(tmp_path: Path, plugin: str) -> None:
    link = post("See [it](2026-05-01-a.md#w2).")
    files = {"devlog.toml": f'plugins = ["plugins.py"]\n{CONFIG}', "plugins.py": plugin, B: link}
    follow(tmp_path, site(files), [{A: post("One more.")}, {A: post("One more word.")}, {A: post("One word.")}])


SAVES: dict[str, Callable[[int], dict[str, str | None]]] = {
    "a text": lambda number: {A: post(f"Edit {number}.")},
    "a text with code": lambda number: {A: post(f"```python\nx = {number}\n```")},
    "front matter": lambda number: {A: post("One.").replace("title: A", f"title: A{number}")},
    "an error": lambda number: {
        A: post(f"Edit {number}.").replace("title: A", "title: [A" if number % 9 else "title: A")
    },
    "one text again": lambda number: {
        A: post("Edit." if number % 2 else "One.").replace("title: A", f"title: A{number}")
    },
    "the configuration": lambda number: {"devlog.toml": f"{CONFIG}[params]\nnumber = {number}\n"},
    "words": lambda number: {"i18n/en.toml": f'note = "Note {number}"\n'},
    "a template": lambda number: {"templates/partials/footer.html": f"<footer>{number}</footer>\n"},
    "a new file": lambda number: {
        f"content/log/n{number}.md": post(f"```python\nx = {number}\n```"),
        f"content/log/n{number - 1}.md": None,
    },
    "a new name": lambda number: {f"content/log/n{number}.md": post("A."), f"content/log/n{number - 1}.md": None},
}


@pytest.mark.parametrize("kind", SAVES)
def test_the_cache_forgets_old_versions(tmp_path: Path, kind: str) -> None:
    root, jobs = write_site(tmp_path, site({})), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    counts = []
    try:
        preview.change(frozenset())
        for number in range(1, 37):
            files = SAVES[kind](number)
            write_site(root, {name: text for name, text in files.items() if text is not None})
            for name in (name for name, text in files.items() if text is None):
                (root / name).unlink(missing_ok=True)
            preview.change(frozenset(files))
            with closing(sqlite3.connect(f"file:{root / CACHE}?mode=ro", uri=True)) as connection:
                counts.append(connection.execute("SELECT COUNT(*) FROM record").fetchone()[0])
        for path in ("index.html", "log/index.html", "log/2026-05-01-a/index.html"):
            assert data_of(shown(preview, jobs, path))
    finally:
        preview.close()
    assert counts[-1] == counts[17] == counts[8]
    built = []
    for folders in ((), (".devlog", "public")):  # with the cache of the preview, and without one
        for folder in folders:
            shutil.rmtree(root / folder)
        build_site(root)
        built.append({path: data for path, data in read_tree(root / "public").items() if path != MANIFEST})
    assert built[0] == built[1] != {}


TEXT = post("The words of both.")
WRONG = {
    "front matter": TEXT.replace("title: A", "title: [A"),
    "a URL": TEXT.replace("title: A", "title: A\nurl: /log/2026-05-02-b/"),
}


@pytest.mark.parametrize("kind", ["one text", *WRONG])
def test_texts_that_are_shown_stay_in_the_cache(tmp_path: Path, kind: str) -> None:
    """Of another file that has the same text, and of one that has an error now."""
    root, jobs = write_site(tmp_path, site({A: TEXT, B: TEXT if kind == "one text" else post("Two.")})), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        preview.change(frozenset())
        for number in range(8):
            text = post(f"Edit {number}.") if kind == "one text" else f"{WRONG[kind]}{number}\n"
            write_site(root, {A: text})
            preview.change(frozenset({A}))
        name = "2026-05-02-b" if kind == "one text" else "2026-05-01-a"
        assert b"<p>The words of both.</p>" in data_of(shown(preview, jobs, f"log/{name}/index.html"))
    finally:
        preview.close()


@pytest.mark.parametrize("builds", [True, False])
def test_the_cache_is_removed(tmp_path: Path, builds: bool) -> None:
    """As by somebody who wants a clean build beside the preview, while a page shows the last version without errors."""
    root, jobs = write_site(tmp_path, site({A: TEXT})), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        preview.change(frozenset())
        write_site(root, {A: WRONG["front matter"]})
        preview.change(frozenset({A}))
        for number in range(3):
            shutil.rmtree(root / ".devlog")
            if builds:
                build_site(root)
            write_site(root, {B: post(f"Edit {number}.")})
            preview.change(frozenset({B}))
            assert b"<p>The words of both.</p>" in data_of(shown(preview, jobs, "log/2026-05-01-a/index.html"))
            assert f"<p>Edit {number}.</p>".encode() in data_of(shown(preview, jobs, "log/2026-05-02-b/index.html"))
            assert [item.code for item in preview.diagnostics] == ["front-matter-syntax"]
            with closing(sqlite3.connect(f"file:{root / CACHE}?mode=ro", uri=True)) as connection:
                assert connection.execute("SELECT COUNT(*) FROM record").fetchone()[0]  # other processes see them
    finally:
        preview.close()


@pytest.mark.feature("images")
def test_images_of_builds_after_the_cache_was_removed(tmp_path: Path) -> None:
    config = f"{CONFIG}images.widths = [80]\n"
    files = {"devlog.toml": config, "static/a.png": png(300, 200), A: post("![a](/a.png)")}
    root, jobs = write_site(tmp_path, site(files)), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        preview.change(frozenset())
        shutil.rmtree(root / ".devlog")
        build_site(root)
        write_site(root, {A: post("![a](/a.png)").replace("title: A", "title: Again")})
        preview.change(frozenset({A}))
        assert b"srcset" in data_of(shown(preview, jobs, "log/2026-05-01-a/index.html"))
    finally:
        preview.close()


def test_a_page_of_jekyll_that_loses_its_front_matter(tmp_path: Path) -> None:
    page = "---\ntitle: About\n---\nAbout us.\n"
    files = {"devlog.toml": f'dialect = "jekyll"\n{CONFIG}', "content/about.md": page}
    edits = [{"content/about.md": "About us.\n"}, {"content/about.md": page}, {A: "One.\n"}]
    follow(tmp_path, site(files), edits)


@pytest.mark.parametrize("name", ["new.tmp", "4913", "notes~", "#read", "~ada/a.txt"])
def test_what_editors_create_is_published_nowhere(tmp_path: Path, name: str) -> None:
    files = site({})
    follow(tmp_path, files, [{f"static/{name}": "x"}, {"static/plain.txt": "x"}])
    clean, _ = clean_outcome(files)
    assert "plain.txt" in clean.files
    assert name not in clean.files
