"""Diagrams of a site: each is drawn once, remembered, and drawn anew when anything of it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from diagram_site import EDITS, TOOL, post, site, taken
from outcomes import clean_outcome, outcome
from sites import NOW, build_site, read_tree, write_site

from devlog.build import Options, build


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").write_text("")
    return tmp_path / "log"


def codes(report: object) -> list[str]:
    return [item.code for item in report.diagnostics if item.code.startswith("diagram")]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_each_is_drawn_once(tmp_path: Path, log: Path) -> None:
    root = write_site(tmp_path / "site", site(log, a="one", b="one", c="two"))
    assert codes(build_site(root)) == []
    assert taken(log) == ["one", "two"]
    first = read_tree(root / "public")
    assert len([path for path in first if path.startswith("diagrams/")]) == 4  # for light and dark mode
    assert build_site(root).written == ()
    (root / "content/2026-05-01-a.md").rename(root / "content/2026-05-09-z.md")
    build_site(root)
    assert taken(log) == []
    (root / "content/2026-05-02-b.md").write_text(post("three"))
    build_site(root)
    assert taken(log) == ["three"]
    build_site(root, cache=False)
    assert taken(log) == ["one", "three", "two"]


@pytest.mark.slow
def test_another_program_draws_all_anew(tmp_path: Path, log: Path) -> None:
    root = write_site(tmp_path / "site", site(log, a="one"))
    build_site(root)
    taken(log)
    (root / "tools/draw.py").write_text(TOOL.replace('height="3"', 'height="4"'))
    build_site(root)
    assert taken(log) == ["one"]
    assert 'height="4"' in (root / "public/2026-05-01-a/index.html").read_text()


@pytest.mark.slow
def test_a_program_that_is_replaced_during_a_build_counts_for_neither(tmp_path: Path, log: Path) -> None:
    root = write_site(tmp_path / "site", site(log, a="one"))

    def replace(stage: str, _done: int, _total: int) -> None:
        if stage == "Reading posts":
            (root / "tools/draw.py").write_text(TOOL.replace('height="3"', 'height="4"'))

    report = build(Options(root=root, now=NOW, jobs=1, search=False), replace)
    assert codes(report) == ["diagram-failed"]
    write_site(root, site(log, a="one"))
    assert codes(build_site(root)) == []
    assert 'height="3"' in (root / "public/2026-05-01-a/index.html").read_text()


@pytest.mark.slow
def test_what_went_wrong_is_remembered_with_its_message(tmp_path: Path, log: Path) -> None:
    root = write_site(tmp_path / "site", site(log, a="wrong"))
    first = build_site(root)
    assert codes(first) == ["diagram-failed"]
    again = build_site(root)
    assert again.diagnostics == first.diagnostics
    assert taken(log) == ["wrong"]
    assert not (root / "public/diagrams").exists()
    assert "<code" in (root / "public/2026-05-01-a/index.html").read_text()


@pytest.mark.slow
def test_a_program_that_is_installed_later(tmp_path: Path, log: Path) -> None:
    files = site(log, a="one")
    tool = tmp_path / "tool"
    files["devlog.toml"] = f"[diagrams.box]\ncommand = {json.dumps([str(tool), str(log)])}\n"
    root = write_site(tmp_path / "site", files)
    assert codes(build_site(root)) == ["diagram-failed"]
    tool.write_text(f"#!/usr/bin/env python3\n{TOOL}")
    tool.chmod(0o755)
    assert codes(build_site(root)) == []
    assert taken(log) == ["one"]


def test_drafts_are_not_drawn(tmp_path: Path, log: Path) -> None:
    files = site(log, a="one")
    files["content/2026-05-01-a.md"] = files["content/2026-05-01-a.md"].replace("title: A", "title: A\ndraft: true")
    root = write_site(tmp_path / "site", files)
    build_site(root)
    assert taken(log) == []
    build_site(root, drafts=True)
    assert taken(log) == ["one"]


@pytest.mark.slow
def test_the_sites_own_file_in_the_way(tmp_path: Path, log: Path) -> None:
    root = write_site(tmp_path / "site", site(log, a="one"))
    build_site(root)
    drawing, _ = (root / "public/diagrams").iterdir()
    write_site(root, {f"static/diagrams/{drawing.name}": "<svg/>"})
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == ["colliding-url"]


@pytest.mark.slow
def test_where_text_of_trusted_posts_is_not_cleaned(tmp_path: Path, log: Path) -> None:
    files = site(log, a="one")
    for html in ("trusted", "escape"):
        configuration = f'html = "{html}"\n{files["devlog.toml"]}'
        root = write_site(tmp_path / html, {**files, "devlog.toml": configuration})
        build_site(root)
        assert '<img src="/log/diagrams/' in (root / "public/2026-05-01-a/index.html").read_text()


@pytest.mark.graphviz
def test_graphviz(tmp_path: Path) -> None:
    page = post().replace("title: A", "title: B") + (
        '\n```dot {title="The way of a text"}\n'
        'digraph { read -> parse [label="a < b & c", URL="javascript:x()"] }\n```\n'
        "\n```dot\ndigraph {\n a -> -> b\n}\n```\n"
    )
    root = write_site(tmp_path, {"content/2026-05-01-a.md": page})
    (problem,) = [item for item in build_site(root).diagnostics if item.code == "diagram-failed"]
    assert problem.span.line == 12
    assert "syntax error in line 2 near '->'" in problem.message
    for drawing in (root / "public/diagrams").iterdir():
        svg = drawing.read_text()
        assert "a &lt; b &amp; c" in svg
        assert "javascript" not in svg
    assert 'alt="The way of a text"' in (root / "public/2026-05-01-a/index.html").read_text()


@pytest.mark.slow
def test_an_edit_gives_what_a_clean_build_gives(tmp_path: Path, log: Path) -> None:
    files: dict[str, str | bytes] = {**site(log, a="one", b="two")}
    root = write_site(tmp_path / "site", files)
    for edit in ({}, *EDITS):
        files |= edit
        write_site(root, edit)
        clean, _ = clean_outcome(files, now=NOW)
        assert outcome(root, build_site(root)) == clean
