"""What a clone knows, in the preview: after every edit it shows what a build publishes, and says the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import git, repository
from outcomes import clean_outcome
from serve_sites import ORIGIN, all_shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.features.source_references import disk
from devlog.serve import sources
from devlog.serve.preview import Options, Preview
from devlog.serve.run import _watched_paths

HOST = "https://github.com/example/lumen"
A, B = "content/storage/2026-05-03-a.md", "content/storage/2026-05-03-b.md"


def post(text: str) -> str:
    return f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n{text}\n"


def site(lumen: Path) -> dict[str, str | bytes]:
    """A site beside a clone whose files are gone or elsewhere since its posts were written."""
    write_site(lumen, {"src/gone.py": "alone = 1\n", "src/cache.py": "def lookup_entry(key):\n    return key\n"})
    repository(lumen, day="2026-05-01")
    git(lumen, "mv", "src/cache.py", "src/store.py")
    git(lumen, "rm", "-q", "src/gone.py")
    repository(lumen, day="2026-05-05")
    return {
        "devlog.toml": f'source_repo = "{HOST}"\nsource_checkout = "{lumen}"\n[search]\nenabled = false\n',
        "content/storage/_index.md": "---\ntitle: Storage\n---\n",
        A: post(f"See [it]({HOST}/blob/main/src/gone.py#L1)."),
        B: post("Nothing."),
    }


EDITS: tuple[dict[str, str | bytes], ...] = (
    {B: post("See `src/cache.py:1`.")},
    {B: post("See `src/cache.py:1`. And more.")},
    {A: post("Nothing, but `lookup_entry`.")},
    {A: post(f"See [it]({HOST}/blob/main/src/gone.py#L1).")},
    {A: post(f"See [it]({HOST}/blob/{'0' * 40}/src/gone.py#L1).")},  # nothing but the commit is another
    {B: post(f"See `src/cache.py:1`.\n\n[More]({HOST}/blob/main/src/gone.py#L1).")},
    {B: post(f"[More]({HOST}/blob/main/src/gone.py#L1).\n\nSee `src/cache.py:1`.")},
)


@pytest.mark.slow
@pytest.mark.parametrize("sketched", [False, True])
def test_the_preview_shows_what_a_build_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sketched: bool
) -> None:
    if sketched:
        monkeypatch.setattr(sources, "MANY", 0)
        monkeypatch.setattr(sources, "CHUNK", 1)
    files = site(tmp_path / "lumen")
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs, lambda: ["/storage/"])
    cited = []
    try:
        for edit in ({}, *EDITS):
            files |= edit
            write_site(root, edit)
            preview.change(frozenset(edit))
            while preview.is_reading:
                preview.read_more()
            clean, report = clean_outcome(files, base_url=f"{ORIGIN}/", now=NOW)
            shown = all_shown(preview, jobs, clean.files)
            assert {path: shown[path] for path in clean.files} == clean.files
            expected = {(item.sort_key, item.severity) for item in report.diagnostics}
            assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected
            cited.append([b'class="cited"' in shown[f"storage/2026-05-03-{name}/index.html"] for name in "ab"])
    finally:
        preview.close()
    first, both, second = [True, False], [True, True], [False, True]
    assert cited == [first, both, both, second, both, second, second, second]


def test_an_edit_that_cites_nothing_new_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, jobs = write_site(tmp_path / "site", site(tmp_path / "lumen")), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        monkeypatch.setattr(disk, "Checkout", None)  # whoever asks fails
        write_site(root, {A: post(f"Now, see [it]({HOST}/blob/main/src/gone.py#L1) here.")})
        assert preview.change(frozenset({A}))
    finally:
        preview.close()


def test_a_commit_of_the_clone_is_shown(tmp_path: Path) -> None:
    files = site(tmp_path / "lumen")
    root, jobs = write_site(tmp_path / "site", files | {A: post("See `src/cache.py:1`.")}), Jobs()
    options = Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1)
    preview = Preview(options, jobs, lambda: ["/storage/2026-05-03-a/"])
    try:
        preview.change(frozenset())
        log = "../lumen/.git/logs/HEAD"
        assert log in _watched_paths(root, preview.inputs).files
        assert preview.change(frozenset({log})) is None
        write_site(tmp_path / "lumen", {"src/store.py": "# A comment.\ndef lookup_entry(key):\n    return key\n"})
        repository(tmp_path / "lumen", day="2026-05-06")
        change = preview.change(frozenset({log}))
        assert change
        assert "/storage/2026-05-03-a/" in change.update.changed
        clean, _ = clean_outcome(files | {A: post("See `src/cache.py:1`.")}, base_url=f"{ORIGIN}/", now=NOW)
        shown = all_shown(preview, jobs, clean.files)
        assert {path: shown[path] for path in clean.files} == clean.files
    finally:
        preview.close()
