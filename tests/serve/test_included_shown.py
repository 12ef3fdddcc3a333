"""Included files in the preview: after every edit it shows what a build publishes, and says the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from check_cases import git, repository
from outcomes import clean_outcome
from serve_sites import ORIGIN, all_shown, data_of, shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.serve import sources
from devlog.serve.file_stats import differences, look
from devlog.serve.preview import Options, Preview
from devlog.serve.run import _watched_paths

A, B = "content/storage/2026-05-03-a.md", "content/storage/2026-05-03-b.md"


def post(file: str) -> str:
    return f'---\ntitle: A\n---\n{{{{< code file="{file}" >}}}}\n'


FILES: dict[str, str | bytes] = {
    "devlog.toml": "search.enabled = false\nllms.enabled = false\n",
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    A: post("log.py"),
    B: post("/shared/log.py"),
    "content/storage/log.py": "a = 1\n",
    "content/storage/log.js": "let a\n",
}
EDITS: tuple[dict[str, str | bytes], ...] = (
    {"content/storage/log.py": "b = 2\n"},
    {"content/shared/log.py": "c = 3\n"},
    {A: post("/shared/log.py")},
    {A: post("2026-05-03-b.md")},
    {B: post("/storage/log.py")},
    {A: post("log.js")},
    {A: post("log.js"), B: post("log.py")},
    {A: post("log.py")},
)


@pytest.mark.slow
@pytest.mark.parametrize("sketched", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_preview_shows_what_a_build_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sketched: bool
) -> None:
    if sketched:
        monkeypatch.setattr(sources, "MANY", 0)
        monkeypatch.setattr(sources, "CHUNK", 1)
    files = dict(FILES)
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs, lambda: ["/storage/"])
    try:
        for edit in ({}, *EDITS):
            files |= edit
            write_site(root, edit)
            assert preview.change(frozenset(edit))
            clean, report = clean_outcome(files, base_url=f"{ORIGIN}/", now=NOW)
            shown = all_shown(preview, jobs, clean.files)
            assert {path: shown[path] for path in clean.files} == clean.files
            while preview.is_reading:
                preview.read_more()
            expected = {(item.sort_key, item.severity) for item in report.diagnostics}
            assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected
    finally:
        preview.close()


@pytest.mark.parametrize("kind", ["checkout", "worktree"])
def test_a_commit_of_the_checkout_is_shown(tmp_path: Path, kind: str) -> None:
    lumen = write_site(tmp_path / ("lumen" if kind == "checkout" else "main"), {"src/cut.py": "a = 1\n"})
    repository(lumen, day="2026-05-01")
    if kind == "worktree":
        git(lumen, "worktree", "add", "-q", str(tmp_path / "lumen"))
        lumen = tmp_path / "lumen"
    files = {**FILES, "devlog.toml": f'source_checkout = "../lumen"\n{FILES["devlog.toml"]}', B: post("src/cut.py")}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        log = "../lumen/.git/logs/HEAD" if kind == "checkout" else "../main/.git/worktrees/lumen/logs/HEAD"
        assert (root / log).exists()
        assert log in _watched_paths(root, preview.inputs).files
        write_site(lumen, {"src/cut.py": "b = 2\n"})
        repository(lumen, day="2026-05-02")
        assert preview.change(frozenset({log}))
        assert b'<span class="n">b</span>' in data_of(shown(preview, jobs, "storage/2026-05-03-b/index.html"))
    finally:
        preview.close()


@pytest.mark.parametrize("kind", ["clones", "worktrees", "bare", "clone", "worktree"])
def test_another_repository_in_the_place_of_the_checkout_is_shown(tmp_path: Path, kind: str) -> None:
    """A link to one leads to another one by now, whose commits are followed then, or one is made later."""
    source = write_site(tmp_path / "source", {"src/cut.py": "a = 1\n"})
    repository(source, day="2026-05-01")
    place = tmp_path / "lumen"
    if kind in {"clones", "worktrees"}:
        make(kind.rstrip("s"), source, tmp_path / "v1")
        place.symlink_to("v1")
    write_site(source, {"src/cut.py": "b = 2\n"})
    repository(source, day="2026-05-02")
    files = {**FILES, "devlog.toml": f'source_checkout = "../lumen"\n{FILES["devlog.toml"]}', B: post("src/cut.py")}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    options = Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1)
    preview = Preview(options, jobs, lambda: ["/storage/2026-05-03-b/"])

    def is_followed(act: Callable[[], object], name: str) -> None:
        watched = _watched_paths(root, preview.inputs).files
        before = look(str(root), watched)
        act()
        names = differences(dict.fromkeys(watched, True), before, look(str(root), watched))
        assert names
        assert preview.change(frozenset(names))
        page = data_of(shown(preview, jobs, "storage/2026-05-03-b/index.html"))
        assert f'<span class="n">{name}</span>'.encode() in page

    def take_its_place() -> None:
        if kind in {"clones", "worktrees"}:
            make(kind[:-1], source, tmp_path / "v2")
            place.unlink()
            place.symlink_to("v2")
        else:
            make(kind, source, place)

    def commit() -> None:
        if kind == "bare":
            write_site(source, {"src/cut.py": "c = 3\n"})
            repository(source, day="2026-05-03")
            git(source, "push", "-q", str(place), "HEAD:main")
        else:
            write_site(place, {"src/cut.py": "c = 3\n"})
            repository(place, day="2026-05-03")

    try:
        preview.change(frozenset())
        is_followed(take_its_place, "b")
        is_followed(commit, "c")
    finally:
        preview.close()


def make(kind: str, source: Path, place: Path) -> None:
    """Make a clone, a bare one, or a work tree of a repository."""
    if kind == "worktree":
        git(source, "worktree", "add", "-q", "--detach", str(place))
    else:
        git(source, "clone", "-q", *(["--bare"] if kind == "bare" else []), str(source), str(place))


@pytest.mark.parametrize("kind", ["fetch", "push", "tag"])
def test_what_a_repository_gets_without_a_checkout_is_shown(tmp_path: Path, kind: str) -> None:
    """A fetch brings a cited commit, a push gives a bare repository another one, and a tag is moved."""
    origin = write_site(tmp_path / "origin", {"src/cut.py": "a = 1\n"})
    repository(origin, day="2026-05-01")
    git(origin, "tag", "v1.0")
    bare = ["--bare"] if kind == "push" else []
    git(tmp_path, "clone", "-q", *bare, str(origin), "lumen")
    write_site(origin, {"src/cut.py": "b = 2\n"})
    repository(origin, day="2026-05-02")
    commit = git(origin, "rev-parse", "HEAD").strip()
    cited = {"fetch": f'commit="{commit}"', "push": "", "tag": 'commit="v1.0"'}[kind]
    text = f'---\ntitle: B\n---\n{{{{< code file="src/cut.py" {cited} >}}}}\n'
    files = {**FILES, "devlog.toml": f'source_checkout = "../lumen"\n{FILES["devlog.toml"]}', B: text}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    options = Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1)
    preview = Preview(options, jobs, lambda: ["/storage/2026-05-03-b/"])
    try:
        preview.change(frozenset())
        watched = _watched_paths(root, preview.inputs).files
        before = look(str(root), watched)
        if kind == "push":
            git(origin, "push", "-q", str(tmp_path / "lumen"), "HEAD:main")
        else:
            git(tmp_path / "lumen", "fetch", "-q", *(["--tags", "--force"] if kind == "tag" else []))
        if kind == "tag":
            git(tmp_path / "lumen", "tag", "-f", "v1.0", "origin/main")
        names = differences(dict.fromkeys(watched, True), before, look(str(root), watched))
        assert names
        assert preview.change(frozenset(names))
        assert b'<span class="n">b</span>' in data_of(shown(preview, jobs, "storage/2026-05-03-b/index.html"))
    finally:
        preview.close()
