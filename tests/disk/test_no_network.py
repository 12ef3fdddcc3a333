"""Git contacts no server and runs no program for objects that a repository lacks, whatever its configuration says."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from check_cases import git, repository
from sites import write_site

from devlog.disk.git import ask

OLD = '#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {git} "$@"\n'
"""What every git does before 2.44, and some later ones of older series."""


@pytest.mark.parametrize("age", ["new", "old"])
@pytest.mark.parametrize(("key", "value"), [("url", "::x"), ("url", "ext::{trap}"), ("vcs", ""), ("vcs", "none")])
def test_a_missing_object_is_not_fetched(
    key: str, value: str, age: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_site(tmp_path / "site", {"a.md": "Text.\n"})
    repository(root)
    trap = tmp_path / "trap"
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "x",
        "remote.origin.promisor": "true",
        "protocol.allow": "always",
        "alias.remote-": f"!touch {trap}",
        "alias.remote-none": f"!touch {trap}",
        f"remote.origin.{key}": value.format(trap=f"touch {trap}"),
    }
    for name, text in settings.items():
        git(root, "config", name, text)
    if age == "old":
        shim = tmp_path / "bin" / "git"
        shim.parent.mkdir()
        shim.write_text(OLD.format(git=shutil.which("git")), "utf-8")
        shim.chmod(0o755)
        monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    assert ask(root, ["cat-file", "blob", "HEAD:a.md"]) == b"Text.\n"
    assert ask(root, ["cat-file", "blob", "1" * 40]) is None
    assert not trap.exists()
