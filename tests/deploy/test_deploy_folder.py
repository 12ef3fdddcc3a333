"""A site is published into a folder, and nothing of others there is lost."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from deploy.deployed_site import FOLDER, POST, SITE, built, outputs, published, wrong
from sites import build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST


def test_a_folder_becomes_the_site(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    lines, found = published(root)
    assert not found
    assert outputs(tmp_path / "out") == outputs(root / "public")
    assert lines == [f"Published to ../out: {len(outputs(root / 'public'))} written, 0 as before, 0 removed"]


@pytest.mark.skipif(os.name == "nt", reason="HOME says where the home folder is")
def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = built(tmp_path / "site", FOLDER.format(path="~/out"))
    lines, found = published(root)
    assert not found
    assert lines[0].startswith(f"Published to {tmp_path}/home/out: ")
    assert outputs(tmp_path / "home/out") == outputs(root / "public")
    assert not (root / "~").exists()


@pytest.mark.slow
def test_only_what_changed_is_written_and_what_is_gone_is_removed(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    kept = tmp_path / "out" / "theme" / "style.css"
    before = kept.stat().st_mtime_ns
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    published(root)
    assert outputs(tmp_path / "out") == outputs(root / "public")
    assert not (tmp_path / "out" / "storage" / "2026-05-01-a").exists()
    assert kept.stat().st_mtime_ns == before
    lines, _ = published(root)
    assert ": 0 written, " in lines[-1]


@pytest.mark.slow
def test_files_of_others_stay_in_the_folder(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    (tmp_path / "out" / "CNAME").write_text("log.example.org", "utf-8")
    (root / POST).write_text(SITE[POST].replace("Text", "More text"), "utf-8")
    build_site(root)
    _, found = published(root)
    assert not found
    assert (tmp_path / "out" / "CNAME").read_text("utf-8") == "log.example.org"


@pytest.mark.slow
def test_two_names_that_some_system_takes_for_one_are_not_published(tmp_path: Path) -> None:
    """No build writes both, but another program may have changed the output folder, and what devlog knows of it."""
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    manifest = json.loads((root / "public" / MANIFEST).read_text("utf-8"))
    manifest["entries"]["ROBOTS.txt"] = manifest["entries"]["robots.txt"]
    shutil.copy2(root / "public/robots.txt", root / "public/ROBOTS.txt")
    (root / "public" / MANIFEST).write_text(json.dumps(manifest), "utf-8")
    for dry_run in (True, False):
        lines, (problem,) = published(root, dry_run=dry_run)
        assert not lines
        assert (problem.code, problem.span.path) == ("not-as-built", "public/ROBOTS.txt")
        assert problem.hint == "run “devlog build”"
    assert not (tmp_path / "out").exists()
    build_site(root)
    assert not published(root)[1]


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    write_site(tmp_path / "out", {"photos/me.jpg": "x"})
    assert "is not empty and was not made by devlog" in wrong(root)
    assert outputs(tmp_path / "out") == {"photos/me.jpg": b"x"}


@pytest.mark.parametrize("path", [".", "..", "content", "public", "public/below", "static", ".devlog/x"])
def test_folders_that_the_site_needs_are_refused(path: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path=path))
    before = read_tree(root)
    assert f"“{path}” is " in wrong(root)
    assert {file: data for file, data in read_tree(root).items() if not file.startswith(".devlog/")} == {
        file: data for file, data in before.items() if not file.startswith(".devlog/")
    }


@pytest.mark.slow
def test_a_file_that_somebody_edited_there_is_told_and_left(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    edited = tmp_path / "out" / "storage" / "2026-05-01-a" / "index.html"
    edited.write_text("mine", "utf-8")
    (root / POST).unlink()
    build_site(root)
    _, found = published(root)
    assert [item.code for item in found] == ["edited-output"]
    assert edited.read_text("utf-8") == "mine"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["link", "folder", "file above", "edited", "stale and edited"])
def test_a_dry_run_of_a_folder_tells_what_is_in_the_way(kind: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    (root / POST).write_text(SITE[POST].replace("Text", "Another text"), "utf-8")
    place = tmp_path / "out" / "storage" / "2026-05-01-a"
    page = place / "index.html"
    page.unlink()
    if kind == "link":
        page.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        write_site(page, {"mine": "mine"})
    elif kind == "file above":
        shutil.rmtree(place)
        place.write_text("mine", "utf-8")
    else:
        page.write_text("mine", "utf-8")
    if kind == "stale and edited":
        (root / POST).unlink()
    build_site(root)
    before = read_tree(tmp_path / "out")
    lines, in_dry_run = published(root, dry_run=True)
    assert read_tree(tmp_path / "out") == before
    done, found = published(root)
    assert [item.code for item in found] == [item.code for item in in_dry_run] != []
    assert bool(lines) == bool(done)


@pytest.mark.slow
def test_a_dry_run_of_a_folder_names_the_files_and_writes_nothing(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    lines, _ = published(root, dry_run=True)
    assert not (tmp_path / "out").exists()
    assert "+ index.html" in lines
    published(root)
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    before = read_tree(tmp_path / "out")
    lines, _ = published(root, dry_run=True)
    assert read_tree(tmp_path / "out") == before
    assert {"~ index.html", "- storage/2026-05-01-a/index.html", "+ storage/2026-05-01-b/index.html"} <= set(lines)


@pytest.mark.slow
def test_a_file_that_somebody_deleted_there_is_new_in_a_dry_run(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    (tmp_path / "out" / "robots.txt").unlink()
    shutil.rmtree(tmp_path / "out" / "archive")
    (root / POST).write_text(SITE[POST].replace("Text", "Another text"), "utf-8")
    build_site(root)
    lines, _ = published(root, dry_run=True)
    assert {"+ robots.txt", "+ archive/index.html", "~ storage/2026-05-01-a/index.html"} <= set(lines)


@pytest.mark.slow
def test_a_dry_run_of_a_folder_counts_what_a_deployment_does(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    place = tmp_path / "out" / "storage" / "2026-05-01-a"
    (place / "index.html").write_text("mine", "utf-8")
    (place / "index.md").unlink()
    (tmp_path / "out" / "robots.txt").write_bytes(b"")
    (root / POST).unlink()
    build_site(root)
    (tmp_path / "out" / "archive" / "index.html").write_bytes((root / "public/archive/index.html").read_bytes())
    lines, in_dry_run = published(root, dry_run=True)
    assert "~ robots.txt" in lines
    assert not [line for line in lines if line.endswith(("storage/2026-05-01-a/index.html", "archive/index.html"))]
    before = outputs(tmp_path / "out")
    done, found = published(root)
    assert found == in_dry_run
    assert lines[-1].replace("Would publish", "Published") == done[-1]
    gone = sorted(before.keys() - outputs(tmp_path / "out").keys())
    assert gone
    assert [line for line in lines if line.startswith("- ")] == [f"- {path}" for path in gone]
