"""Diagrams in the preview: after every edit it shows what a build publishes, and says the same of them."""

from __future__ import annotations

import gc
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from diagram_site import EDITS, REST, TOOL, post, site, taken
from outcomes import clean_outcome
from serve_sites import ORIGIN, all_shown, data_of, shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.model.derived import Work
from devlog.serve import sources
from devlog.serve.preview import Options, Preview
from devlog.serve.run import _watched_paths
from devlog.stages import CACHE

pytestmark = [pytest.mark.slow, pytest.mark.feature("diagrams")]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").write_text("")
    return tmp_path / "log"


@pytest.mark.parametrize("sketched", [False, True])
def test_the_preview_shows_what_a_build_publishes(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch, *, sketched: bool
) -> None:
    if sketched:
        monkeypatch.setattr(sources, "MANY", 0)
        monkeypatch.setattr(sources, "CHUNK", 1)
    files: dict[str, str | bytes] = {**site(log, a="one", b="two")}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs, lambda: ["/log/"])
    try:
        changed: frozenset[str] = frozenset()
        for edit in ({}, *EDITS):
            files |= edit
            write_site(root, edit)
            preview.change(changed := frozenset(edit))
            clean, report = clean_outcome(files, base_url=f"{ORIGIN}/log/", now=NOW)
            shown = all_shown(preview, jobs, clean.files)
            assert {path: shown[path] for path in clean.files} == clean.files
            while preview.is_reading:
                preview.read_more()
            expected = {(item.sort_key, item.severity) for item in report.diagnostics}
            assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected
        assert changed
    finally:
        preview.close()


@pytest.mark.parametrize("table", ["[diagrams.dot]\ncommand = ['dot']\n", ""])
def test_programs_of_the_machine_are_those_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """An edit of a body shows them, as a build does: replaced, removed, installed, or needed for the first time."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{tmp_path / 'base'}")
    base = tmp_path / "base"
    base.mkdir()
    (base / "sh").symlink_to("/bin/sh")
    drawn = '#!/bin/sh\necho \'<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="9"/>\'\n'
    program = write_site(tmp_path / "bin", {"dot": drawn.format(20)}) / "dot"
    program.chmod(0o755)
    plain = "---\ntitle: B\n---\n"
    files: dict[str, str | bytes] = {
        "devlog.toml": f'base_url = "/log/"\n{REST}{table}',
        "content/2026-05-01-a.md": post(),
        "content/2026-05-02-b.md": plain,
    }
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)

    def edit(name: str, text: str) -> None:
        files[name] = text
        write_site(root, {name: text})
        follow(name)

    def follow(name: str) -> None:
        preview.change(frozenset({name}))
        clean, report = clean_outcome(files, base_url=f"{ORIGIN}/log/", now=NOW)
        shown = all_shown(preview, jobs, clean.files)
        assert {path: shown[path] for path in clean.files} == clean.files
        expected = {(item.sort_key, item.severity) for item in report.diagnostics}
        assert {(item.sort_key, item.severity) for item in preview.diagnostics} == expected

    try:
        preview.change(frozenset())
        edit("content/2026-05-01-a.md", post("one").replace("```box", "```dot"))
        edit("content/2026-05-02-b.md", f"{plain}One.\n")
        program.write_text(drawn.format(30))
        edit("content/2026-05-02-b.md", f"{plain}Two.\n")
        program.unlink()
        edit("content/2026-05-02-b.md", f"{plain}Three.\n")
        program.write_text(drawn.format(40))
        program.chmod(0o755)
        edit("content/2026-05-02-b.md", f"{plain}Four.\n")
        name = os.path.relpath(program, root)
        watched = _watched_paths(root, preview.inputs)
        assert (name in watched.files, name in watched.links) == (bool(table), bool(table))
        program.write_text(drawn.format(50))
        follow(name)
    finally:
        preview.close()


def test_an_edit_beside_a_diagram_draws_nothing(tmp_path: Path, log: Path) -> None:
    root, jobs = write_site(tmp_path / "site", {**site(log, a="one")}), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        assert taken(log) == ["one"]
        write_site(root, {"content/2026-05-01-a.md": post("one", before="More.\n")})
        assert preview.change(frozenset({"content/2026-05-01-a.md"}))
        assert taken(log) == []
    finally:
        preview.close()


def test_earlier_versions_of_a_diagram_do_not_stay(tmp_path: Path, log: Path) -> None:
    file = "content/2026-05-01-a.md"
    root = write_site(tmp_path / "site", {**site(log, a="one", b="kept")})
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), Jobs())
    try:
        preview.change(frozenset())
        counts = []
        for number in range(12):
            write_site(root, {file: post(f"version{number}", "kept")})
            preview.change(frozenset({file}))
            with closing(sqlite3.connect(root / CACHE)) as connection:
                counts.append(connection.execute("SELECT COUNT(*) FROM record").fetchone()[0])
        assert counts[-1] == counts[-4]
        works = [one for one in gc.get_objects() if isinstance(one, Work)]
        texts = {text for one in works if (text := one.parts.get("text", "")).startswith("version")}
        assert texts == {f"version{number}\n" for number in (9, 10, 11)}
        assert taken(log).count("kept") == 1
        write_site(root, {file: post("version0", "kept")})
        preview.change(frozenset({file}))
        assert taken(log) == ["version0"]
    finally:
        preview.close()


def test_a_drawing_of_the_last_good_site_stays(tmp_path: Path, log: Path) -> None:
    """While an error keeps that site in view, its drawings are neither lost nor drawn again."""
    file = "content/2026-05-01-a.md"
    root, jobs = write_site(tmp_path / "site", {**site(log, a="one", b="two")}), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        page = data_of(shown(preview, jobs, "2026-05-01-a/index.html"))
        drawings = [name.decode() for name in re.findall(rb"diagrams/[0-9a-f]+\.svg", page)]
        for number in range(6):
            clashing = post(f"edit{number}").replace("title: A", "title: A\nurl: /2026-05-02-b/")
            write_site(root, {file: clashing})
            change = preview.change(frozenset({file}))
            assert change
            assert change.kept
        taken(log)
        assert b"one" in data_of(shown(preview, jobs, drawings[0]))
        assert taken(log) == []
    finally:
        preview.close()


def test_a_lost_drawing_that_is_drawn_differently_names_its_post(tmp_path: Path, log: Path) -> None:
    at_random = TOOL.replace("import sys", "import sys, time").replace("<text>", "<text>{time.time_ns()}")
    files = {**site(log, a="one"), "tools/draw.py": at_random}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        page = data_of(shown(preview, jobs, "2026-05-01-a/index.html"))
        with closing(sqlite3.connect(root / CACHE)) as connection, connection:
            connection.execute("DELETE FROM record")
        for name in re.findall(rb"diagrams/[0-9a-f]+\.svg", page):
            shown(preview, jobs, name.decode())
        preview.news()
        found = {item.span.path for item in preview.diagnostics if item.code == "changed-while-building"}
        assert found == {"content/2026-05-01-a.md"}
    finally:
        preview.close()


def test_a_configuration_that_cannot_be_read_names_no_language(tmp_path: Path) -> None:
    """The posts still have the diagrams in the languages that it named."""
    config = f'base_url = "/log/"\n{REST}[diagrams.box]\ncommand = ["cat"]\n'
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    files = {"devlog.toml": config, "content/2026-05-01-a.md": f"---\ntitle: A\n---\n```box\n{drawing}\n```\n"}
    root, jobs = write_site(tmp_path / "site", files), Jobs()
    preview = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        preview.change(frozenset())
        page = shown(preview, jobs, "2026-05-01-a/index.html")
        write_site(root, {"devlog.toml": f"{config}x = [\n"})
        preview.change(frozenset({"devlog.toml"}))
        assert {item.code for item in preview.diagnostics if item.severity == "error"} == {"invalid-config"}
        assert shown(preview, jobs, "2026-05-01-a/index.html") == page
    finally:
        preview.close()
