"""Posts show when their files were last changed, if the configuration asks for it, and follow each commit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from check_cases import git
from outcomes import outcome
from sites import build_site, write_site

from devlog import inputs
from devlog.config import Config
from devlog.disk.git import state_of
from devlog.disk.git_dates import FileDates
from devlog.inputs import WantedDates, ask_git_dates

HEAD = "title: {title}\nauthor: Ada Quill (@adaquill)\n"
SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/"\nupdated_from_git = true\n',
    "content/_index.md": "",
    "content/2026-05-01-a.md": f"---\n{HEAD.format(title='A')}---\nOne.\n",
    "content/2026-05-01-said.md": f"---\n{HEAD.format(title='B')}updated: 2026-05-02\n---\nOne.\n",
    "content/2026-05-10-early.md": f"---\n{HEAD.format(title='C')}---\nOne.\n",
}


def commit(root: Path, day: str) -> None:
    git(root, "add", "-A", day=day)
    git(root, "commit", "-q", "-m", "More", day=day)


def edit(root: Path, word: str) -> None:
    for path in root.glob("content/2026*.md"):
        path.write_text(path.read_text("utf-8") + f"\n{word}.\n", "utf-8")


def updated(root: Path) -> dict[str, str | None]:
    """The day of the last change of each post, as ``posts.json`` has it."""
    posts = json.loads((root / "public/posts.json").read_bytes())
    return {post["title"]: post["updated"] and post["updated"][:10] for post in posts}


@pytest.mark.slow
def test_builds_follow_each_commit(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, ".gitignore": ".devlog\npublic\n"})
    git(root, "init", "-q")
    commit(root, "2026-05-01")
    build_site(root)
    assert updated(root) == {"A": None, "B": "2026-05-02", "C": None}
    edit(root, "Two")
    build_site(root)
    assert updated(root) == {"A": None, "B": "2026-05-02", "C": None}
    commit(root, "2026-05-07")
    found = outcome(root, build_site(root))
    assert updated(root) == {"A": "2026-05-07", "B": "2026-05-02", "C": None}
    assert "May 7, 2026" in (root / "public/2026-05-01-a/index.html").read_text("utf-8")
    assert found == outcome(root, build_site(root, cache=False))
    write_site(root, {"devlog.toml": SITE["devlog.toml"].replace("true", "false")})
    build_site(root)
    assert updated(root) == {"A": None, "B": "2026-05-02", "C": None}


def test_a_commit_between_two_questions_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    git(root, "init", "-q")
    commit(root, "2026-05-01")
    wanted = WantedDates({"content/a.md": "a.md"}, {"content/a.md": "a.md"})
    before = ask_git_dates(root, Config(), wanted).state
    added = inputs.dates_added

    def late(*values: Any) -> FileDates:
        found = added(*values)
        edit(root, "Two")
        commit(root, "2026-05-07")
        return found

    monkeypatch.setattr(inputs, "dates_added", late)
    assert ask_git_dates(root, Config(), wanted).state not in ("", before, state_of(root))
