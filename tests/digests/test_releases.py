"""Digests of releases: which tags are releases, where each begins, and what its post says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result
from repositories import HOUR, NOON, Repository
from sites import build_site, write_site

from devlog.cli import main
from devlog.features.digests.digest import releases
from devlog.features.digests.digest.history import Tag
from devlog.features.digests.digest.periods import MOST
from devlog.features.digests.digest.releases import lacking_editions
from devlog.features.digests.model.activity import Activity, Release, Totals

CONFIG = """
title = "Lumen DevLog"
base_url = "https://lumen.example.org/"
source_repo = "https://github.com/lumen/db"

[digest.releases]
source = "{source}"
topic = "releases"
period = "release"
"""
UTC_ZONE = ZoneInfo("UTC")


def tags(*names: str) -> tuple[Tag, ...]:
    """Tags, each a day after the one before; the commit of each has its name."""
    return tuple(Tag(name, f"at {name}", NOON + 24 * HOUR * number) for number, name in enumerate(names))


def ranges(some: tuple[Tag, ...], *written: str, now: int = NOON * 2) -> list[tuple[str, str]]:
    editions = lacking_editions(some, {f"at {name}" for name in written}, datetime.fromtimestamp(now, UTC), UTC_ZONE)
    return [(edition.span.first.removeprefix("at "), edition.span.last.removeprefix("at ")) for edition in editions]


def test_the_first_time_only_the_newest_release() -> None:
    assert ranges(tags("v1.0", "v1.1", "v1.2")) == [("v1.1", "v1.2")]
    assert ranges(tags("v1.0")) == [("", "v1.0")]
    assert ranges(()) == []


def test_then_all_that_came_after() -> None:
    some = tags("v1.0", "v1.1", "v1.2", "v1.3")
    assert ranges(some, "v1.1") == [("v1.1", "v1.2"), ("v1.2", "v1.3")]
    assert ranges(some, "v1.3") == []
    assert ranges(some, "v1.0", now=NOON + 24 * HOUR) == [("v1.0", "v1.1")]


def test_a_release_of_an_old_branch_begins_after_the_one_before_it() -> None:
    some = tags("v1.9.0", "v2.0.0", "v1.9.1", "v2.0.1")
    assert ranges(some, "v1.9.0") == [("v1.9.0", "v2.0.0"), ("v1.9.0", "v1.9.1"), ("v2.0.0", "v2.0.1")]


def test_of_very_many_releases_only_the_newest_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    edition = releases._edition
    monkeypatch.setattr(releases, "_edition", lambda version, *rest: made.append("") or edition(version, *rest))
    found = ranges(tags(*(f"v1.{number}" for number in range(200))), "v1.0", now=NOON + 1000 * 24 * HOUR)
    assert found == [(f"v1.{number - 1}", f"v1.{number}") for number in range(200 - MOST, 200)]
    assert len(made) == MOST


def test_numbers_are_compared_as_numbers() -> None:
    assert ranges(tags("v1.9", "v1.10", "v1.11"), "v1.10") == [("v1.10", "v1.11")]


@pytest.mark.parametrize("name", ["v1.1-rc1", "nightly-20260603", "latest", "v2", "v1.1.", "v١.٢"])
def test_other_tags_are_no_releases(name: str) -> None:
    assert ranges(tags("v1.0", name, "v1.1"), "v1.0") == [("v1.0", "v1.1")]


def test_each_package_of_a_repository_has_its_own_releases() -> None:
    some = tags("core-v1.0", "cli/v3.0", "core-v1.1", "cli/v3.1")
    assert ranges(some, "cli/v3.0") == [("core-v1.0", "core-v1.1"), ("cli/v3.0", "cli/v3.1")]


def test_two_tags_of_one_commit_are_one_release() -> None:
    some = (*tags("v1.0"), Tag("v1.1", "x", NOON + HOUR), Tag("v1.1.0", "x", NOON + HOUR))
    assert ranges(some, "v1.0") == [("v1.0", "x")]


@pytest.mark.parametrize("later", [0, HOUR])
def test_of_two_tags_of_one_commit_the_highest_version_counts(later: int) -> None:
    """A digest begins after the version below the one that its title names."""
    some = (*tags("v1.8", "v1.9.1"), Tag("v1.9.0", "x", NOON + 48 * HOUR + later), Tag("v1.10", "x", NOON + 48 * HOUR))
    assert ranges(some, "v1.8") == [("v1.8", "v1.9.1"), ("v1.9.1", "x")]
    of_commit = tuple(Release(tag.name, "2026-06-03", tag.commit) for tag in (*some, Tag("a-nightly", "x", NOON)))
    for releases_of in (of_commit, of_commit[::-1]):
        activity = Activity(
            "Lumen", first="at v1.9.1", last="x", since="", until="", totals=Totals(), releases=releases_of
        )
        assert activity.release == Release("v1.10", "2026-06-03", "x")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two releases, of three and of nine changes."""
    made = Repository(tmp_path / "lumen")
    for number, subject in enumerate(("feat(wal): add checksums", "fix(wal): flush twice", "docs: explain pages"), 1):
        made.commit(f"{subject} (#{number})", {f"wal/{number}.c": "x\n"}, author="Bo Lint")
    made.git("tag", "v1.0.0")
    made.commit("feat(wal): compress pages (#10)\n\nPages take half of the space on disk.", {"wal/p.c": "x\n" * 90})
    for number in range(11, 14):
        made.commit(f"fix(wal): handle case {number} (#{number})", {f"wal/{number}.c": "x\n"}, author="Cy Marsh")
    made.commit("perf(planner): cache statistics (#14)", {"planner/s.c": "x\n" * 40}, author="Di Vo")
    for number in range(15, 18):
        made.commit(f"feat(planner): accept hint {number} (#{number})", {f"planner/{number}.c": "x\n"})
    made.commit("chore: bump zlib from 1.2 to 1.3 (#18)", {"deps.txt": "zlib 1.3\n"})
    made.git("tag", "-a", "-m", "The second one", "v1.1.0")
    return made


@pytest.fixture
def site(tmp_path: Path, repository: Repository) -> Path:
    config = CONFIG.replace("{source}", str(repository.folder))
    return write_site(
        tmp_path / "site", {"content/releases/_index.md": "---\ntitle: Releases\n---\n", "devlog.toml": config}
    )


def digest(site: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["digest", "--root", str(site), "--now", "2026-06-03T20:00:00Z", *arguments])


@pytest.mark.slow
def test_a_release_is_told_by_what_its_changes_are(site: Path) -> None:
    done = digest(site, "releases")
    assert done.exit_code == 0, done.output
    assert "covers 100 % of eight changes" in done.output
    post = (site / "content/releases/2026-06-02-v1-1-0.md").read_text("utf-8")
    assert 'title: "Lumen v1.1.0: Wal – case"' in post
    body = post.partition("\n---\n\n")[2]
    headings = [line for line in body.split("\n") if line.startswith("## ")]
    assert headings == ["## Highlights", "## New", "## Fixed", "## Contributors", "## In short"]
    assert "**Compress pages** (#10, Ada Quill). Pages take half of the space on disk.\n" in body
    assert [body.count(f"#{number})") + body.count(f"#{number},") for number in range(10, 18)] == [1] * 8
    assert "Three people wrote these changes: Ada Quill, Cy Marsh and Di Vo.\n" in body
    assert "- One dependency update.\n" in body
    report = build_site(site, drafts=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []


@pytest.mark.slow
def test_a_series_of_releases_catches_up(site: Path, repository: Repository) -> None:
    assert digest(site, "releases").exit_code == 0
    assert digest(site, "releases").stdout == "Up to date: no digest is missing.\n"
    for version in ("v1.2.0-rc1", "v1.2.0", "v1.3.0"):
        repository.commit(f"fix: prepare {version}")
        repository.git("tag", version)
    assert digest(site, "releases").exit_code == 0
    assert sorted(path.name[11:] for path in (site / "content/releases").glob("2*.md")) == [
        "v1-1-0.md",
        "v1-2-0.md",
        "v1-3-0.md",
    ]
    post = next((site / "content/releases").glob("*-v1-2-0.md"))
    assert digest(site, "--again", str(post)).stdout == post.read_text("utf-8")


@pytest.mark.slow
def test_changes_without_types_are_told_by_area(site: Path, repository: Repository) -> None:
    for number in range(20, 24):
        repository.commit(f"[wal] Shorten record {number} (#{number})", {f"wal/{number}.c": "x\n"})
        repository.commit(f"[net] Answer request {number}0 (#{number}0)", {f"net/{number}.c": "x\n"})
    done = digest(site, "releases", "--range", "v1.1.0..")
    assert done.exit_code == 0, done.output
    post = (site / "content/releases/2026-06-03-digest.md").read_text("utf-8")
    assert "\n## Highlights\n" in post
    assert "\n## Wal\n" in post
    assert "\n## Net\n" in post


@pytest.mark.slow
def test_a_folder_that_is_no_clone(site: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = digest(site, "releases", "--source", str(tmp_path / "empty"))
    assert done.exit_code == 1
    assert "error[no-history]" in done.output
    assert "it is not a git repository" in done.output


@pytest.mark.slow
def test_what_to_do_next_depends_on_whether_it_is_a_draft(site: Path) -> None:
    assert "remove “draft: true” to publish it" in digest(site, "releases").stdout
    (site / "content/releases/2026-06-02-v1-1-0.md").unlink()
    (site / "digests/releases/2026-06-02-v1-1-0.json").unlink()
    with (site / "devlog.toml").open("a") as config:
        config.write("draft = false\n")
    said = digest(site, "releases").stdout
    assert "draft" not in said
    assert "edit it before you publish the site" in said
