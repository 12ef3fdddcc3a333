"""A build in which nothing has changed ends before it parses, and whatever could make another site is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from check_cases import repository
from lumen import lumen, post
from sites import NOW, build_site, read_tree, write_site
from writers import wav

import devlog.pipeline
from devlog import build_record, packages
from devlog.assemble.site import Visibility
from devlog.disk.stat_cache import StatCache
from devlog.inputs import read_inputs
from devlog.model.report import Report
from devlog.search.lookup import Lookup

LOG = "content/storage/2026-05-20-compaction.md"
EPISODE = "content/storage/2026-05-23-talk.md"
SPOKEN = "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>Good morning.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {**lumen(), LOG: post("Compaction", "2026-05-20"), "content/storage/notes.txt": "plain"}
    files["content/storage/2026-05-22-tags.md"] = post("Tags", "2026-05-22", tags="wal, WAL").replace("Text.", "[a](#)")
    talk = "audio: {file: talk.wav, transcript: talk.vtt, chapters: parts.json}"
    files[EPISODE] = post("Talk", "2026-05-23").replace("---\n", f"---\n{talk}\n", 1)
    files |= {"content/storage/talk.wav": wav(2), "content/storage/talk.vtt": SPOKEN}
    files["content/storage/parts.json"] = '{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "One"}]}'
    root = write_site(tmp_path / "site", files)
    assert not build_site(root).failed
    return root


def built_in_full(root: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[bool, Report]:
    """Whether a build plans the site, and its report."""
    planned = []

    class Watched(devlog.pipeline.Planner):
        def __init__(self, *values: Any) -> None:
            planned.append(1)
            super().__init__(*values)

    monkeypatch.setattr(devlog.pipeline, "Planner", Watched)
    report = build_site(root, **options)
    return bool(planned), report


def lasting(report: Report) -> Report:
    """A report without what only says how it came about."""
    return msgspec.structs.replace(report, seconds={}, written=(), unchanged=0, removed=(), parsed=0, rendered=0)


@pytest.mark.slow
def test_nothing_is_planned_and_all_is_reported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, clean = read_tree(root / "public"), build_site(root, cache=False)
    assert clean.diagnostics
    in_full, report = built_in_full(root, monkeypatch)
    assert not in_full
    assert lasting(report) == lasting(clean)
    assert (report.written, report.removed, report.unchanged) == ((), (), clean.outputs)
    assert read_tree(root / "public") == before


def changed(file: str, data: str | bytes) -> Callable[[Path], object]:
    def change(root: Path) -> None:
        write_site(root, {file: data})

    return change


CHANGES: dict[str, Callable[[Path], object]] = {
    "a text": changed(LOG, post("Compaction", "2026-05-20", body="Another text.")),
    "a new text": changed("content/storage/2026-05-21-b.md", post("B", "2026-05-21")),
    "a text less": lambda root: (root / LOG).unlink(),
    "a text that moved": lambda root: (root / LOG).rename(root / "content/storage/2026-05-20-other.md"),
    "a file beside texts": changed("content/storage/notes.txt", "other"),
    "a sound": changed("content/storage/talk.wav", wav(3)),
    "a transcript": changed("content/storage/talk.vtt", SPOKEN.replace("morning", "evening")),
    "chapters": changed("content/storage/parts.json", '{"version": "1.2.0", "chapters": []}'),
    "a static file": changed("static/robots.txt", "User-agent: *\n"),
    "a template": changed("templates/partials/footer.html", "<footer>Ours</footer>"),
    "a catalog": changed("i18n/en.toml", 'archive = "Everything"\n'),
    "the configuration": lambda root: (root / "devlog.toml").write_text(
        (root / "devlog.toml").read_text("utf-8").replace("title = ", 'description = "New"\ntitle = ', 1), "utf-8"
    ),
    "the registry": changed("content/authors.yml", "adaquill:\n  name: Ada M. Quill\n"),
    "a page that is gone": lambda root: (root / "public/index.html").unlink(),
    "a page that somebody changed": changed("public/index.html", "somebody's"),
    "the manifest": lambda root: (root / "public/.devlog-manifest.json").unlink(),
    "the store": lambda root: shutil.rmtree(root / ".devlog"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_changes_is_noticed(change: Callable[[Path], object], root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(root)
    in_full, report = built_in_full(root, monkeypatch)
    assert in_full
    if not report.failed:
        build_site(root)  # that a file of somebody's was replaced is told once, and no build with news is remembered
        assert not built_in_full(root, monkeypatch)[0]


@pytest.mark.slow
@pytest.mark.parametrize("is_edited", [False, True])
@pytest.mark.parametrize("folder", ["public", "public/storage", "public/storage/2026-05-20-compaction"])
def test_a_link_to_the_same_files_is_reported_as_by_a_clean_build(root: Path, folder: str, *, is_edited: bool) -> None:
    place, elsewhere = root / folder, root.parent / "elsewhere"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    if is_edited:
        CHANGES["a text"](root)
    before = read_tree(root / "public"), read_tree(elsewhere)
    report, again, clean = (build_site(root, cache=cache) for cache in (True, True, False))
    assert clean.failed
    assert lasting(report) == lasting(again) == lasting(clean)
    assert (read_tree(root / "public"), read_tree(elsewhere)) == before
    place.unlink()
    elsewhere.rename(place)
    assert not build_site(root).failed


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"drafts": True},
        {"future": True},
        {"expired": True},
        {"base_url": "https://other.example.org/"},
        {"output": "elsewhere"},
        {"cache": False},
    ],
    ids=str,
)
def test_other_options_are_noticed(options: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert built_in_full(root, monkeypatch, **options)[0]


@pytest.mark.slow
def test_a_strict_build_fails_on_what_was_a_warning(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_full, report = built_in_full(root, monkeypatch, strict=True)
    assert not in_full
    assert report.failed


@pytest.mark.slow
def test_what_a_strict_build_refused_is_not_taken_for_built(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(LOG, post("Compaction", "2026-05-20", body="Another text."))(root)
    assert build_site(root, strict=True).failed
    in_full, report = built_in_full(root, monkeypatch)
    assert in_full
    assert report.written


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value", "hours"),
    [
        ("date", "2026-06-16", 11),
        ("updated", "2026-06-16", 11),
        ("publishDate", "2026-06-15T15:00:00Z", 3),
        ("expiryDate", "2026-06-17", 35),
    ],
)
def test_a_date_that_comes_is_noticed(
    key: str, value: str, hours: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A day begins at midnight in Lisbon, where the site is: in June an hour before it does in UTC."""
    text = post("Soon", "2026-06-01").replace("date: 2026-06-01\n", "date: 2026-06-01\n" if key != "date" else "")
    write_site(root, {"content/storage/soon.md": text.replace("---\n", f"---\n{key}: {value}\n", 1)})
    build_site(root)
    then = NOW + timedelta(hours=hours)
    assert not built_in_full(root, monkeypatch, now=then - timedelta(seconds=1))[0]
    in_full, report = built_in_full(root, monkeypatch, now=then)
    assert in_full
    assert report.written or report.removed
    assert built_in_full(root, monkeypatch, now=NOW)[0], "the clock was set back"


@pytest.mark.slow
def test_a_commit_is_noticed_where_git_tells_dates(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        name = ["-c", "user.name=Ada Quill", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", *name, *words], cwd=root, check=True, capture_output=True)

    write_site(root, {"content/storage/undated.md": post("Undated", "").replace("date: \n", "")})
    git("init", "-q")
    git("add", LOG)
    git("commit", "-qm", "one")
    build_site(root)
    assert not built_in_full(root, monkeypatch)[0]
    git("add", "content")
    git("commit", "-qm", "two")
    assert built_in_full(root, monkeypatch)[0]


@pytest.mark.slow
def test_a_site_in_a_folder_whose_name_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / os.fsdecode(b"top/\xff/site")
    write_site(site, {**lumen(), "content/storage/undated.md": post("Undated", "").replace("date: \n", "")})
    repository(tmp_path / "top", day="2026-05-30")
    assert not build_site(site).failed
    assert not built_in_full(site, monkeypatch)[0]
    with closing(Lookup(site, NOW)) as lookup:
        lookup.refresh()
        assert [hit.date for hit in lookup.search("undated")] == ["2026-05-30"]


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_what_a_clone_is_at_is_noticed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = write_site(root.parent / "lumen", {"src/wal.c": "one\ntwo\n"})
    repository(clone)
    repo = 'source_repo = "https://github.com/example/lumen"\nsource_checkout = "../lumen"\n'
    changed("devlog.toml", repo + (root / "devlog.toml").read_text("utf-8"))(root)
    changed(LOG, post("Compaction", "2026-05-20", body="`src/wal.c:2`"))(root)
    assert not build_site(root).failed
    assert not built_in_full(root, monkeypatch)[0]
    (clone / "src/wal.c").unlink()
    repository(clone, day="2026-05-21")
    assert built_in_full(root, monkeypatch)[0]
    assert not built_in_full(root, monkeypatch)[0]
    shutil.rmtree(clone)
    in_full, report = built_in_full(root, monkeypatch)
    assert in_full
    assert "no-checkout" in {item.code for item in report.diagnostics}


@pytest.mark.slow
def test_each_field_of_the_inputs_counts(root: Path) -> None:
    inputs = read_inputs(root, "", StatCache())
    visibility = Visibility(NOW)
    loaded = msgspec.structs.replace(inputs.loaded, diagnostics=("other",))
    others = {"config": msgspec.structs.replace(inputs.config, title="Other"), "loaded": loaded}
    keys = {build_record.key_of(inputs, visibility, "public")}
    assert keys == {build_record.key_of(read_inputs(root, "", StatCache()), visibility, "public")}
    for name in inputs.__struct_fields__:
        changed = msgspec.structs.replace(inputs, **{name: others.get(name, "other")})
        keys.add(build_record.key_of(changed, visibility, "public"))
    assert len(keys) == len(inputs.__struct_fields__) + 1


@pytest.mark.slow
def test_other_packages_are_noticed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_versions", lambda: {"pillow": "99"})
    assert built_in_full(root, monkeypatch)[0]


@pytest.mark.slow
@pytest.mark.feature("diagrams")
def test_what_may_go_better_another_time_is_tried_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that draws a diagram is missing: when it is installed, no file of the site has changed."""
    config = '[diagrams.sketch]\ncommand = ["no-such-program-of-ours"]\n'
    changed("devlog.toml", (root / "devlog.toml").read_text("utf-8") + config)(root)
    changed(LOG, post("Compaction", "2026-05-20", body="```sketch\na -> b\n```"))(root)
    assert [problem.code for problem in build_site(root).diagnostics if problem.code == "diagram-failed"]
    assert built_in_full(root, monkeypatch)[0]
