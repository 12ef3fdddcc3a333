"""The section of a digest about what has changed and no post is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from repositories import HOUR, NOON, Repository
from sites import build_site, write_site

from devlog.cli import main

pytestmark = pytest.mark.feature("source_references")

CONFIG = """
title = "Lumen DevLog"
base_url = "https://lumen.example.org/"
source_repo = "https://github.com/lumen/db"
source_checkout = "../lumen"

[digest.nightly]
topic = "nightly"
gaps = true
"""
OLD_POST = "---\ntitle: How [pages] are *written*\ndate: 2026-05-20\n---\nSee `wal/log.c` and `wal/page.c`.\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A year with many changes of four directories, of which the last day touches three."""
    made = Repository(tmp_path / "lumen", NOON - 100 * HOUR)
    for number in range(8):
        who = ("Ada Quill", "Bo Lint")[number % 2]
        texts = {"wal/log.c": f"{number}\n", "net/a.c": f"{number}\n", "old/b.c": f"{number}\n", "pl`an/{{s}}.c": "x\n"}
        made.commit(f"Change all for the {number}th time", texts, author=who)
    for number in range(6):
        made.commit(f"Plan step {number}", {"pl`an/{{s}}.c": f"{number}\n"})
    made.time = NOON - 30 * HOUR
    made.commit("Answer requests twice (#12)", {"net/a.c": "new\n", "wal/log.c": "new\n"}, author="Cy Marsh")
    made.commit("Plan joins (#13)", {"pl`an/{{s}}.c": "new\n"})
    return made


@pytest.fixture
def site(tmp_path: Path, repository: Repository) -> Path:
    files = {
        "devlog.toml": CONFIG,
        "content/nightly/_index.md": "---\ntitle: Nightly\n---\n",
        "content/wal/_index.md": "---\ntitle: Write-ahead log\n---\n",
        "content/wal/2026-05-20-pages.md": OLD_POST,
    }
    return write_site(tmp_path / "site", files)


def digest(site: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["digest", "--root", str(site), "--now", "2026-06-03T20:00:00Z", *arguments])


def body(site: Path) -> str:
    return (site / "content/nightly/2026-06-03-digest.md").read_text("utf-8").partition("\n---\n\n")[2]


@pytest.mark.slow
def test_what_has_changed_again_and_no_post_is_about(site: Path) -> None:
    done = digest(site, "nightly")
    assert done.exit_code == 0, done.output
    post = body(site)
    assert (
        """
## Worth a post

No post is about these directories, which have changed again:

- `net/`: nine commits by three people in a year
- pl\\`an/: eight commits by one person in a year

These posts cite files that have changed again since they were written:

- [How \\[pages\\] are \\*written\\*](/wal/2026-05-20-pages.md): nine commits to one file since May 20th, 2026
"""
        in post
    )
    assert "`old/`" not in post  # it has changed often, but not on this day
    report = build_site(site, drafts=True)
    assert [item for item in report.diagnostics if item.severity != "info"] == []
    page = (site / "public/nightly/2026-06-03-digest/index.html").read_text("utf-8")
    assert '<a href="/wal/2026-05-20-pages/">How [pages] are *written*</a>' in page


@pytest.mark.slow
def test_the_record_has_the_gaps_and_makes_the_same_post(site: Path) -> None:
    digest(site, "nightly")
    post = site / "content/nightly/2026-06-03-digest.md"
    recorded = json.loads((site / "digests/nightly/2026-06-03-digest.json").read_text("utf-8"))["activity"]["gaps"]
    assert [item["path"] for item in recorded["directories"]] == ["net", "pl`an"]
    assert [item["post"] for item in recorded["posts"]] == ["/wal/2026-05-20-pages.md"]
    write_site(site, {"content/net/2026-06-01-a.md": "---\ntitle: Net\n---\nSee `net/a.c`.\n"})
    assert digest(site, "--again", str(post)).stdout == post.read_text("utf-8")
    assert (
        "exists already" in digest(site, "--since", "2026-06-02", "--until", "2026-06-02", "--topic", "nightly").output
    )


@pytest.mark.slow
def test_a_post_closes_a_gap(site: Path) -> None:
    write_site(site, {"content/net/2026-06-01-a.md": "---\ntitle: Net\n---\nSee `net/a.c`.\n"})
    digest(site, "nightly")
    assert "`net/`" not in body(site)
    assert "[Net](/net/2026-06-01-a.md): one commit to one file" in body(site)


@pytest.mark.slow
def test_the_option_decides(site: Path) -> None:
    assert "Worth a post" not in digest(site, "nightly", "--no-gaps", "--dry-run").stdout
    assert "Worth a post" in digest(site, "--since", "2026-06-02", "--topic", "nightly", "--gaps", "--dry-run").stdout
    assert "Worth a post" not in digest(site, "--since", "2026-06-02", "--topic", "nightly", "--dry-run").stdout


@pytest.mark.slow
def test_a_writer_gets_the_gaps_and_is_verified_against_them(site: Path) -> None:
    said = "No post is about net/, where nine people made 9 commits. See #12 and #13."
    script = f"import json, sys; print(len(json.load(sys.stdin)['gaps']['directories']) and {said!r})\n"
    write_site(site, {"write.py": script, "devlog.toml": f'{CONFIG}writer = ["python3", "{{root}}/write.py"]\n'})
    done = digest(site, "nightly")
    assert done.exit_code == 1
    assert done.output.count("error[") == 1
    assert "wrong count: “nine people”" in done.output
    write_site(site, {"write.py": script.replace("nine people", "three people")})
    assert digest(site, "nightly").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("source_repo", "set “source_repo” and “source_checkout” to find what nobody has written about"),
        ("source_checkout", "set “source_repo” and “source_checkout”"),
    ],
)
def test_a_site_that_cannot_tell(site: Path, key: str, message: str) -> None:
    lines = [line for line in CONFIG.split("\n") if not line.startswith(key)]
    write_site(site, {"devlog.toml": "\n".join([*lines, 'source = "../lumen"'])})
    done = digest(site, "nightly")
    assert done.exit_code == 1
    assert "digest.nightly: error[no-gaps]: cannot tell what nobody has written about: " + message in done.output
    assert not (site / "digests").exists()
