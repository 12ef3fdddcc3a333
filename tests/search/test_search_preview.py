"""The search of the preview: made when somebody searches, and again when texts have changed; nobody else waits."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from search_sites import GUARDS, write
from sites import NOW, build_site

from devlog.disk.read import read_bytes
from devlog.engine.jobs import Jobs
from devlog.engine.store import Store
from devlog.features.site_search import serve as searching
from devlog.features.site_search.derive import bundles
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.indexing_process import Making
from devlog.serve import status_pages
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Answer, Data, File, Page
from devlog.stages import CACHE

ENTRY = "/devlogs/pagefind/pagefind-entry.json"
POST = "content/kernels/2026-05-04-guards.md"
OLDEST = "content/storage/2025-02-03-pages.md"
SECONDS = 60


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def preview(tmp_path: Path, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Preview]:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    root = write(tmp_path / "site")
    made = Preview(Options(root, "http://127.0.0.1:8000", now=lambda: NOW, jobs=1), jobs)
    made.change(frozenset())
    yield made
    made.close()
    assert list(temporary.iterdir()) == []


def data(future: Future[Answer]) -> bytes:
    answer = future.result(SECONDS)
    assert isinstance(answer, File), answer
    found = read_bytes(answer.root, answer.file)
    assert isinstance(found, bytes)
    return found


def key(preview: Preview) -> str:
    entry = json.loads(data(preview.ask(ENTRY)))
    assert entry["languages"]["en"]["page_count"] == 3  # no draft, though the preview shows it
    return str(entry["languages"]["en"]["hash"])


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each index has that is made from now on."""
    made: list[int] = []
    start = Making.__init__

    def begin(self: Making, bundles: list[Bundle], *rest: object) -> None:
        made.append(sum(len(bundle.records) for bundle in bundles))
        start(self, bundles, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Making, "__init__", begin)
    return made


@pytest.mark.slow
def test_the_index_is_made_on_first_use_and_kept(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch)
    assert preview.ask("/devlogs/nothing/") is not None
    assert made == []
    assert b"pagefind_version" in data(preview.ask("/devlogs/pagefind/pagefind.js"))
    first = key(preview)
    assert data(preview.ask(f"/devlogs/pagefind/pagefind.{first}.pf_meta"))
    assert key(preview) == first
    assert made == [3]


@pytest.mark.slow
def test_only_bundles_with_other_texts_are_made_anew(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "SMALLEST", 1)
    monkeypatch.setattr(bundles, "LARGEST", 1)
    made = counted(monkeypatch)

    def entries() -> list[bytes]:
        answer = preview.ask("/devlogs/pagefind/facets.json").result(SECONDS)
        assert isinstance(answer, Data)
        names = ["", *(f"{name}/" for name in json.loads(answer.data)["bundles"])]
        return [data(preview.ask(f"/devlogs/pagefind/{name}pagefind-entry.json")) for name in names]

    first = entries()
    assert len(set(first)) == 3
    for word in ("week", "month", "year"):
        (preview._options.root / POST).write_text(GUARDS.replace("a day", f"a {word}"), "utf-8")
        preview.change(frozenset({POST}))
        assert len(set(entries()) - set(first)) == 1
    assert made == [3, 1, 1, 1]
    assert b"pagefind_version" in data(preview.ask("/devlogs/pagefind/pagefind.js"))


@pytest.mark.slow
def test_another_bundle_becomes_the_first(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files have other paths then, although its texts are the same."""
    monkeypatch.setattr(bundles, "SMALLEST", 1)
    monkeypatch.setattr(bundles, "LARGEST", 1)
    made = counted(monkeypatch)

    def first() -> tuple[bytes, int]:
        answer = preview.ask("/devlogs/pagefind/facets.json").result(SECONDS)
        assert isinstance(answer, Data)
        return data(preview.ask(ENTRY)), len(json.loads(answer.data)["bundles"])

    before = first()
    oldest = preview._options.root / OLDEST
    text = oldest.read_text("utf-8")
    oldest.unlink()
    preview.change(frozenset({OLDEST}))
    after = first()
    assert after[0] != before[0]
    assert (before[1], after[1]) == (2, 1)
    oldest.write_text(text, "utf-8")
    preview.change(frozenset({OLDEST}))
    assert first() == before
    assert made == [3, 1, 2]


@pytest.mark.slow
def test_it_is_made_anew_when_a_text_has_changed(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted(monkeypatch)
    first = key(preview)
    root = preview._options.root
    (root / POST).write_text(GUARDS.replace("a day", "a week"), "utf-8")
    preview.change(frozenset({POST}))
    assert made == [3]  # an edit waits for nobody
    second = key(preview)
    assert second != first
    assert made == [3, 3]
    assert data(preview.ask(f"/devlogs/pagefind/pagefind.{first}.pf_meta"))  # for a tab that has begun with it
    assert data(preview.ask(f"/devlogs/pagefind/pagefind.{second}.pf_meta"))
    (root / "static").mkdir()
    (root / "static" / "extra.css").write_text("p { color: red }", "utf-8")
    preview.change(frozenset())
    assert key(preview) == second
    assert made == [3, 3]


@pytest.mark.slow
def test_what_is_not_there_is_not_found(preview: Preview) -> None:
    for name in ("nothing.js", "../facets.json", "fragment/../facets.json", "words", ""):
        answer = preview.ask(f"/devlogs/pagefind/{name}").result(SECONDS)
        assert isinstance(answer, Page)
        assert answer.status == 404


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["static/pagefind", "content/pagefind"])
def test_no_file_of_the_site_passes_for_a_part_of_the_index(tmp_path: Path, jobs: Jobs, folder: str) -> None:
    """Pages run the scripts of the index, and believe its list of folders."""
    files = {f"{folder}/{name}": "{}" for name in ("pagefind.js", "pagefind-worker.js", "facets.json")}
    made = Preview(Options(write(tmp_path, **files), "http://127.0.0.1:8000", now=lambda: NOW, jobs=1), jobs)
    made.change(frozenset())
    assert "search-folder-taken" in {item.code for item in made.diagnostics}
    assert b"pagefind_version" in data(made.ask("/devlogs/pagefind/pagefind.js"))
    worker = made.ask("/devlogs/pagefind/pagefind-worker.js").result(SECONDS)  # which the index does not have
    assert isinstance(worker, Page)
    assert worker.status == 404
    answer = made.ask("/devlogs/pagefind/facets.json").result(SECONDS)
    assert isinstance(answer, Data)
    assert b"Ada Quill" in answer.data
    made.close()


@pytest.mark.slow
def test_nobody_waits_but_who_searches(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    follow: Callable[..., None] = searching.Searching._follow

    def slow(self: searching.Searching, snapshot: object) -> None:
        assert go.wait(SECONDS)
        follow(self, snapshot)

    monkeypatch.setattr(searching.Searching, "_follow", slow)
    asked = preview.ask(ENTRY)
    (preview._options.root / POST).write_text(GUARDS.replace("a day", "a week"), "utf-8")
    assert preview.change(frozenset({POST}))
    assert not asked.done()
    go.set()
    assert data(asked)


@pytest.mark.slow
def test_an_indexer_that_fails_is_told_to_who_searches(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagefind_bin.get_executable", lambda: preview._options.root / "nowhere")
    answer = preview.ask(ENTRY).result(SECONDS)
    assert isinstance(answer, Page)
    assert answer.status == 500
    monkeypatch.undo()
    assert key(preview)


def test_a_site_without_search_has_no_index(preview: Preview, jobs: Jobs) -> None:
    file = preview._options.root / "devlog.toml"
    file.write_text(file.read_text("utf-8") + "\n[search]\nenabled = false\n", "utf-8")
    preview.change(frozenset())
    asked = preview.ask(ENTRY)
    while jobs.step():
        pass
    answer = asked.result(0)
    assert isinstance(answer, Page)
    assert answer.status == 404


def asked(preview: Preview, jobs: Jobs) -> Answer:
    """The answer to a request for the index, while the main thread does what is needed for it."""
    future = preview.ask("/devlogs/pagefind/facets.json")
    until = time.monotonic() + SECONDS
    while not future.done() and time.monotonic() < until:
        jobs.step()
        time.sleep(0.01)
    return future.result(0)


@pytest.mark.parametrize("builds", [True, False])
def test_the_cache_is_removed(preview: Preview, jobs: Jobs, builds: bool) -> None:
    """As by somebody who wants a clean build: the file that the preview has open is no longer the one at the path."""
    root = preview._options.root
    shutil.rmtree(root / ".devlog")
    if builds:
        build_site(root)
    assert isinstance(asked(preview, jobs), Data)
    for word in ("week", "month"):
        (root / POST).write_text(GUARDS.replace("a day", f"a {word}"), "utf-8")
        preview.change(frozenset({POST}))
        assert isinstance(asked(preview, jobs), Data)
        shutil.rmtree(root / ".devlog")


def test_the_cache_is_only_in_memory(tmp_path: Path, jobs: Jobs) -> None:
    root = write(tmp_path / "site")
    (root / ".devlog").write_text("no folder")
    with closing(Preview(Options(root, "http://127.0.0.1:8000", now=lambda: NOW, jobs=1), jobs)) as preview:
        preview.change(frozenset())
        assert isinstance(asked(preview, jobs), Data)


def test_another_process_removes_texts_from_the_cache(preview: Preview, jobs: Jobs) -> None:
    with closing(Store(preview._options.root / CACHE)) as store:
        store.keep_only(set(), slack=-1)
    assert isinstance(asked(preview, jobs), Data)


def test_a_preview_ends_while_its_search_waits_for_texts(preview: Preview, jobs: Jobs) -> None:
    shutil.rmtree(preview._options.root / ".devlog")
    future = preview.ask("/devlogs/pagefind/facets.json")
    until = time.monotonic() + SECONDS
    while preview._searching._asked is None and time.monotonic() < until:  # type: ignore[union-attr]
        time.sleep(0.01)
    preview.close()
    assert future.result(SECONDS) == status_pages.failed()
