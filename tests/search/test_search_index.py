"""The index is made when, and only when, what it holds has changed; without it there is no search, or no new site."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from search_sites import CONFIG, GUARDS, SITE, STORAGE, write
from sites import build_site, read_tree

from devlog.disk.manifest import MANIFEST
from devlog.features.site_search.derive import bundles, indexing_process
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.indexing_process import Making
from devlog.model.report import Report
from devlog.stages import Stages

POST = "content/kernels/2026-05-04-guards.md"


def built(root: Path, **options: object) -> Report:
    return build_site(root, search=True, **options)


def index_of(root: Path) -> dict[str, bytes]:
    return read_tree(root / "public" / "pagefind")


def page(root: Path) -> str:
    return (root / "public" / "kernels" / "2026-05-04-guards" / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_an_unlisted_post_is_not_in_the_index(tmp_path: Path) -> None:
    hidden = "---\ntitle: Hidden\ndate: 2026-05-05\nunlisted: true\n---\nNobody finds this.\n"
    write(tmp_path, **{"content/kernels/2026-05-05-hidden.md": hidden})
    assert built(tmp_path).indexed == 3
    assert (tmp_path / "public/kernels/2026-05-05-hidden/index.html").exists()


@pytest.mark.slow
def test_a_site_gets_an_index_and_pages_that_offer_it(tmp_path: Path) -> None:
    report = built(write(tmp_path))
    assert not report.diagnostics
    assert report.indexed == 3
    assert report.indexing > 0
    assert "search" in report.seconds
    names = index_of(tmp_path)
    assert {"pagefind.js", "pagefind-entry.json", "facets.json", "words/p.json"} <= names.keys()
    assert not [name for name in names if "-ui." in name or "highlight" in name]
    assert json.loads(names["pagefind-entry.json"])["languages"]["en"]["page_count"] == 3
    assert 'data-index="/devlogs/pagefind/"' in page(tmp_path)
    assert (tmp_path / "public" / "search" / "index.html").exists()
    assert "/search/" not in (tmp_path / "public" / "sitemap.xml").read_text("utf-8")
    assert report.outputs == len(read_tree(tmp_path / "public")) - 1  # the manifest


@pytest.mark.slow
def test_no_server_finds_a_page_in_a_fragment(tmp_path: Path) -> None:
    """Apache, with mod_mime_magic, would send the title of a post as HTML, and browsers would run its script."""
    title = "A <html> <script>alert(1)</script> b"
    built(write(tmp_path, **{POST: GUARDS.replace("Guards and", title)}))
    fragments = [data for name, data in index_of(tmp_path).items() if name.startswith("fragment/")]
    texts = [gzip.decompress(data).removeprefix(b"pagefind_dcd") for data in fragments]
    (found,) = [text for text in texts if b"html>" in text]
    assert b"<" not in found
    assert json.loads(found)["meta"]["title"].startswith(title)
    assert any(b"<" in text for text in texts), "others stay as the indexer made them"


@pytest.mark.slow
def test_drafts_are_not_indexed(tmp_path: Path) -> None:
    built(write(tmp_path), drafts=True)
    assert "Secret plans" in (tmp_path / "public" / "kernels" / "index.html").read_text("utf-8")
    assert json.loads(index_of(tmp_path)["pagefind-entry.json"])["languages"]["en"]["page_count"] == 3
    assert not any(b"xylophone" in data for data in index_of(tmp_path).values())


def test_without_a_place_for_temporary_files_there_is_no_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path)

    def refuse(**_: object) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    report = built(root)
    assert [problem.code for problem in report.diagnostics] == ["no-search"]
    assert not (root / "public/search").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of folders are text here")
def test_a_site_in_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    root = write(tmp_path / os.fsdecode(b"b\xff"))
    report = built(root)
    assert (report.failed, report.indexed) == (False, 3)
    assert (root / "public" / "pagefind" / "facets.json").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="elsewhere variables are text")
def test_variables_that_are_no_text_do_not_end_the_indexer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PWD", os.fsdecode(b"/srv/sur\xff"))
    monkeypatch.setenv("OWNER", os.fsdecode(b"Andr\xe9"))
    report = built(write(tmp_path))
    assert not report.diagnostics
    assert report.indexed == 3


@pytest.mark.slow
def test_an_unchanged_site_keeps_its_index(tmp_path: Path) -> None:
    built(write(tmp_path))
    before = index_of(tmp_path)
    report = built(tmp_path)
    assert (report.indexed, report.written, report.removed) == (0, (), ())
    assert report.outputs == len(read_tree(tmp_path / "public")) - 1
    assert index_of(tmp_path) == before


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (POST, GUARDS.replace("for a day", "for a week")),
        (POST, GUARDS.replace("Guards and", "Guards, and")),
        (POST, GUARDS.replace("planner]", "planning]")),
        (POST, GUARDS.replace("2026-05-04", "2026-05-05")),
        ("content/kernels/_index.md", "---\ntitle: Kernel\n---\n"),
        ("content/storage/2026-01-01-new.md", STORAGE),
        ("devlog.toml", f'language = "de"\n{CONFIG}'),
    ],
)
@pytest.mark.slow
def test_what_is_indexed_is_indexed_anew(tmp_path: Path, path: str, text: str) -> None:
    built(write(tmp_path))
    before = index_of(tmp_path)
    assert built(write(tmp_path, **{path: text})).indexed >= 3
    after = index_of(tmp_path)
    assert after != before
    fresh = tmp_path / "fresh"
    built(write(fresh, **{path: text}))
    assert index_of(fresh) == after


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("devlog.toml", CONFIG.replace('"Lumen"', '"Lumen log"')),
        ("devlog.toml", CONFIG.replace("/devlogs/", "/log/")),
        ("content/kernels/_index.md", "---\ntitle: Kernels\n---\nWhat runs on them.\n"),
        ("content/kernels/2026-05-07-draft.md", SITE["content/kernels/2026-05-07-draft.md"]),
        ("static/extra.css", "p { color: red }"),
    ],
)
def test_nothing_else_makes_it_anew(tmp_path: Path, path: str, text: str) -> None:
    built(write(tmp_path))
    assert built(write(tmp_path, **{path: text})).indexed == 0


@pytest.mark.slow
def test_a_file_of_the_index_that_is_gone_or_edited_comes_back(tmp_path: Path) -> None:
    built(write(tmp_path))
    before = index_of(tmp_path)
    (tmp_path / "public" / "pagefind" / "facets.json").unlink()
    assert built(tmp_path).indexed == 0, "it says what all texts have in common, which is remembered"
    assert index_of(tmp_path) == before
    (tmp_path / "public" / "pagefind" / "pagefind.js").write_text("edited", "utf-8")
    assert built(tmp_path).indexed == 3
    assert index_of(tmp_path) == before


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bundles of one text each."""
    monkeypatch.setattr(bundles, "SMALLEST", 1)
    monkeypatch.setattr(bundles, "LARGEST", 1)


def fresh(folder: Path, **more: str) -> dict[str, bytes]:
    """The index of a site that has never been built."""
    built(write(folder, **more))
    return index_of(folder)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_only_bundles_with_other_texts_are_indexed(tmp_path: Path) -> None:
    assert built(write(tmp_path / "one")).indexed == 3
    edited = {POST: GUARDS.replace("for a day", "for a week")}
    report = built(write(tmp_path / "one", **edited))
    assert report.indexed == 1
    assert index_of(tmp_path / "one") == fresh(tmp_path / "edited", **edited)
    changed = [path for path in report.written if path.startswith("pagefind/")]
    assert changed
    assert not [path for path in changed if path.endswith((".js", ".pagefind"))], "what reads the index stays"
    later = {**edited, "content/storage/2026-06-01-new.md": STORAGE.replace("2025-02-03", "2026-06-01")}
    assert built(write(tmp_path / "one", **later)).indexed == 1
    assert index_of(tmp_path / "one") == fresh(tmp_path / "later", **later)
    (tmp_path / "one" / "content/storage/2026-06-01-new.md").unlink()
    assert built(tmp_path / "one").indexed == 0
    assert index_of(tmp_path / "one") == fresh(tmp_path / "again", **edited)


@pytest.mark.slow
@pytest.mark.parametrize("llms", ["", "enabled = false\nmarkdown = false"])
def test_bundles_are_cut_by_size_with_and_without_markdown_versions(
    llms: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "MOST_BYTES", 1)
    built(write(tmp_path, **{"devlog.toml": f"{CONFIG}\n[llms]\n{llms}\n"}))
    others = json.loads(index_of(tmp_path)["facets.json"])["bundles"]
    assert len(others) == 2, "of three texts, the first is in the index folder itself"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_an_older_post_becomes_the_first_bundle(tmp_path: Path) -> None:
    """The first one has what reads the index."""
    built(write(tmp_path / "one"))
    older = {"content/storage/2020-01-01-old.md": STORAGE.replace("2025-02-03", "2020-01-01")}
    assert built(write(tmp_path / "one", **older)).indexed == 2
    assert index_of(tmp_path / "one") == fresh(tmp_path / "two", **older)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_bundles_whose_words_are_forgotten_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(write(tmp_path / "one"))
    edited = {POST: GUARDS.replace("for a day", "for a week")}
    recall = Stages.recall
    monkeypatch.setattr(Stages, "recall", lambda self, name: b"" if " words " in name else recall(self, name))
    assert built(write(tmp_path / "one", **edited)).indexed == 3
    assert index_of(tmp_path / "one") == fresh(tmp_path / "two", **edited)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_bundles_without_a_cache_that_lasts(tmp_path: Path) -> None:
    root = write(tmp_path / "two")
    (root / ".devlog").mkdir()
    (root / ".devlog" / "cache.db").mkdir()
    assert built(root).indexed == 3
    assert index_of(root) == fresh(tmp_path / "one")


@pytest.mark.slow
def test_two_builds_make_the_same_bytes(tmp_path: Path) -> None:
    trees = []
    for name in ("one", "two"):
        built(write(tmp_path / name))
        trees.append(read_tree(tmp_path / name / "public"))
        trees[-1].pop(MANIFEST)
    assert trees[0] == trees[1]


@pytest.mark.slow
def test_without_a_cache_that_lasts_the_index_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(write(tmp_path / "one"))
    root = write(tmp_path / "two")
    (root / ".devlog").mkdir()
    (root / ".devlog" / "cache.db").mkdir()  # no database can be opened there: it stays in memory
    assert built(root).indexed == 3
    assert index_of(root) == index_of(tmp_path / "one")


@pytest.mark.slow
def test_a_site_that_wants_no_search_has_none(tmp_path: Path) -> None:
    built(write(tmp_path))
    report = built(write(tmp_path, **{"devlog.toml": f"{CONFIG}\n[search]\nenabled = false\n"}))
    assert not report.diagnostics
    assert not (tmp_path / "public" / "pagefind").exists()
    assert not (tmp_path / "public" / "search").exists()
    assert "search.js" not in page(tmp_path)


def test_a_build_without_search(tmp_path: Path) -> None:
    report = build_site(write(tmp_path), search=False)
    assert not report.diagnostics
    assert "search" not in report.seconds
    assert not (tmp_path / "public" / "pagefind").exists()
    assert "search.js" not in page(tmp_path)


def test_a_site_without_texts_offers_no_search(tmp_path: Path) -> None:
    drafts = {name: text for name, text in SITE.items() if "2026-05-07" in name or name == "devlog.toml"}
    for name, text in drafts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(str(text), "utf-8")
    built(tmp_path, drafts=True)
    assert not (tmp_path / "public" / "pagefind").exists()
    assert not (tmp_path / "public" / "search").exists()


def test_a_theme_without_the_page_has_no_search(tmp_path: Path) -> None:
    report = built(write(tmp_path, **{"devlog.toml": f'theme = "paper"\n{CONFIG}'}))
    assert not report.failed
    assert not (tmp_path / "public" / "pagefind").exists()


@pytest.mark.slow
def test_without_the_package_there_is_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.features.site_search.inputs.version", lambda _name: "")
    report = built(write(tmp_path), strict=True)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("no-search", "info")]
    assert "search.js" not in page(tmp_path)
    asked = {"devlog.toml": f"{CONFIG}\n[search]\nenabled = true\n"}
    (problem,) = built(write(tmp_path, **asked)).diagnostics
    assert (problem.code, problem.severity, problem.span.line) == ("no-search", "warning", 11)


def indexer(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program in the place of the indexer."""
    program = folder / "indexer"
    program.write_text(f"#!{sys.executable}\n{script}", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("pagefind_bin.get_executable", lambda: program)


ANSWERING = """
import base64, json, sys
def answer(**payload):
    sys.stdout.buffer.write(base64.b64encode(json.dumps({"message_id": 1, "payload": payload}).encode()) + b",")
    sys.stdout.flush()
def asked():
    data = b""
    while not data.endswith(b","):
        data += sys.stdin.buffer.read(1) or sys.exit()
    return json.loads(base64.b64decode(data[:-1]))["payload"]["type"]
asked()
answer(type="NewIndex", index_id=0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", ["raise SystemExit(101)", "print('no,')", "import os; os.kill(os.getpid(), 9)"])
def test_an_indexer_that_does_not_run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    root = write(tmp_path / "site")
    indexer(tmp_path, monkeypatch, script)
    report = built(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("no-search", "warning")]
    assert "search.js" not in page(root)
    assert not (root / "public" / "search").exists()
    monkeypatch.setattr("pagefind_bin.get_executable", lambda: tmp_path / "nowhere")
    assert [item.code for item in built(root).diagnostics] == ["no-search"]


@pytest.mark.parametrize(
    "script",
    [
        "asked(); sys.exit(3)",
        "asked(); answer(type='Error', message='a bad day')",
        "asked(); print('nonsense', end=',')",
        "while True:\n    answer(type='IndexedFile') if asked() == 'AddFile' else sys.exit(1)",
    ],
)
@pytest.mark.slow
def test_an_indexer_that_gives_up_leaves_the_last_good_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    root = write(tmp_path / "site")
    built(root)
    before = read_tree(root / "public")
    indexer(tmp_path, monkeypatch, ANSWERING + script)
    report = built(write(root, **{POST: GUARDS.replace("a day", "a week")}))
    assert [(item.code, item.severity) for item in report.diagnostics] == [("search-failed", "error")]
    assert read_tree(root / "public") == before
    monkeypatch.undo()
    assert not built(root).diagnostics
    assert "a week" in page(root)


@pytest.mark.slow
def test_an_indexer_that_never_answers_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "site")
    indexer(tmp_path, monkeypatch, ANSWERING + "asked(); import signal; signal.pause()")
    monkeypatch.setattr(indexing_process, "PATIENCE", 0.5)
    report = built(root)
    assert [(item.code, item.severity) for item in report.diagnostics] == [("search-failed", "error")]
    assert not (root / "public").exists()


@pytest.mark.slow
def test_files_of_the_site_where_the_index_belongs(tmp_path: Path) -> None:
    report = built(write(tmp_path, **{"static/Pagefind/own.js": "1"}))
    assert [item.code for item in report.diagnostics] == ["search-folder-taken"]
    assert [item.span.path for item in report.diagnostics] == ["static/Pagefind/own.js"]
    assert not (tmp_path / "public").exists()
    built(write(tmp_path / "other"))
    report = built(write(tmp_path / "other", **{"static/pagefind/own.js": "1"}))  # beside an index that is kept
    assert [item.code for item in report.diagnostics] == ["search-folder-taken"]


@pytest.mark.slow
def test_a_page_of_the_site_at_the_address_of_the_search(tmp_path: Path) -> None:
    report = built(write(tmp_path, **{"content/search.md": "---\ntitle: How to search\n---\nMy own page.\n"}))
    assert not report.failed
    assert "My own page." in (tmp_path / "public" / "search" / "index.html").read_text("utf-8")
    assert "search.js" in page(tmp_path)


@pytest.mark.slow
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    root = write(tmp_path / "site")
    built(root)
    built(write(root, **{POST: GUARDS.replace("[guards, planner]", "[guards, [planner]]")}))
    monkeypatch.setattr("pagefind_bin.get_executable", lambda: tmp_path / "nowhere")
    built(write(root, **{POST: GUARDS.replace("a day", "a year")}))
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_what_a_killed_build_has_left_is_removed_a_day_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    (temporary / "devlog-search-old").mkdir(parents=True)
    yesterday = time.time() - 25 * 3600
    os.utime(temporary / "devlog-search-old", (yesterday, yesterday))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    built(write(tmp_path / "site"))
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
def test_a_text_that_is_no_longer_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(tmp_path / "site")
    built(root)
    before = index_of(root)
    (root / "public" / "pagefind" / "pagefind.js").unlink()
    whole = Stages.bodies
    calls = []

    def bodies(self: Stages, digests: set[str]) -> dict[str, bytes]:
        calls.append(digests)
        return whole(self, digests)

    def elsewhere(self: Making, some: Sequence[Bundle], language: str, _store: Path) -> None:
        start(self, some, language, tmp_path / "empty.db")

    start = Making.__init__
    monkeypatch.setattr(Making, "__init__", elsewhere)
    monkeypatch.setattr(Stages, "bodies", bodies)
    report = built(root)
    assert len(calls[-1]) == 3
    assert not report.diagnostics
    assert index_of(root) == before


PLUGIN = """\
from devlog.plugin import PlannedFile, Plugin


def plan(outline):
    for name in ("found", "hidden"):
        search = "a <tessellation> of pages" if name == "found" else ""
        yield PlannedFile(f"/{name}/", "page", {}, template="own.html", title=f"Page {name}", search=search)


plugin = Plugin("lumen", pages=(plan,))
"""


@pytest.mark.slow
def test_pages_of_plugins_are_found_if_they_ask_for_it(tmp_path: Path) -> None:
    config = 'plugins = ["own.py"]\n' + CONFIG
    template = '{% extends "base.html" %}'
    write(tmp_path, **{"devlog.toml": config, "own.py": PLUGIN, "templates/own.html": template})
    report = built(tmp_path)
    assert not report.diagnostics
    assert report.indexed == 4
    assert json.loads(index_of(tmp_path)["pagefind-entry.json"])["languages"]["en"]["page_count"] == 4
    assert any(b"tessellation" in data for path, data in index_of(tmp_path).items() if path.startswith("words/"))
    assert built(tmp_path).indexed == 0
    (tmp_path / "own.py").write_text(PLUGIN.replace("tessellation", "covering"), "utf-8")
    assert built(tmp_path).indexed == 4
    assert not any(b"tessellation" in data for path, data in index_of(tmp_path).items() if path.startswith("words/"))


def test_an_alias_or_a_file_does_not_replace_the_page_of_the_search(tmp_path: Path) -> None:
    alias = GUARDS.replace("---\n", "---\naliases: [/search/]\n", 1)
    report = built(write(tmp_path / "alias", **{POST: alias}))
    assert [(item.code, item.span.line) for item in report.diagnostics] == [("colliding-alias", 2)]
    report = built(write(tmp_path / "file", **{"content/search": "data"}))
    assert [(item.code, item.span.path) for item in report.diagnostics] == [("colliding-url", "content/search")]
