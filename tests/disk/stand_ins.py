"""Programs that run instead of git."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

OLD = """#!/bin/bash
words=()
for word; do [ "$word" = safe.bareRepository=explicit ] && word=devlog.none=1; words+=("$word"); done
exec {git} "${{words[@]}}"
"""
"""A git before 2.38, which does not know this setting."""
OLDER = """#!/bin/sh
unset GIT_CONFIG_COUNT
for word; do case "$word" in --diff-merges=first-parent) exit 128;; esac; done
exec {git} "$@"
"""
"""A git before 2.31, which takes no settings from these variables, and does not know this option."""
LATE = """#!/bin/sh
case "$*" in *"worktree list"*" -z"*) echo "error: unknown switch" >&2; exit 129;; esac
exec {git} "$@"
"""
"""A git before 2.36, which cannot end the lines about work trees with a null character."""
OF_ANOTHER = """#!/bin/sh
GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {git} "$@"
"""
"""A git that takes each repository for that of another user."""


def use(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a stand-in run instead of git."""
    file = folder / "bin" / "git"
    file.parent.mkdir()
    file.write_text(program.format(git=shutil.which("git")), "utf-8")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}{os.pathsep}{os.environ['PATH']}")
    return file
