"""A site to write into, and the command that does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sites import write_site

from devlog.cli import main

SITE = {
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    "content/storage/cache/_index.md": "---\ntitle: Cache\n---\n",
    "content/planner/_index.md": "---\ntitle: Planner\n---\n",
    "content/storage/2026-03-01-log-format.md": (
        "---\ntitle: A format for the log\nauthor: Ada Quill (@adaquill)\ntags: [dynamic_shapes, wal]\n---\n\nText.\n"
    ),
    "content/planner/2026-04-01-joins.md": (
        "---\ntitle: Joins\nauthor: Bo Reed (@boreed), Cy Fern\ntags: [planner]\n---\n\nText.\n"
    ),
}

Devlog = Callable[..., Result]


@pytest.fixture
def git_says(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets what git's configuration says of the user; nothing unless it is called."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def say(name: str = "", email: str = "") -> None:
        lines = ["[user]", f'name = "{name}"' if name else "", f'email = "{email}"' if email else ""]
        (home / ".gitconfig").write_text("\n".join(lines), "utf-8")

    return say


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git_says: Callable[..., None]) -> Path:
    """The log of the Lumen database, where we are, on 15 June 2026."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1781524800")  # 2026-06-15T12:00:00Z
    monkeypatch.chdir(write_site(tmp_path, SITE))
    return tmp_path


@pytest.fixture
def devlog() -> Devlog:
    """Runs the command."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, arguments, catch_exceptions=False, prog_name="devlog")

    return run
