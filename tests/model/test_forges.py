"""The URLs at which files of a repository are edited."""

from __future__ import annotations

import pytest

from devlog.model.forges import edit_pattern, view_pattern


@pytest.mark.parametrize(
    ("repository", "forge", "branch", "pattern"),
    [
        ("https://github.com/o/r", "", "", "https://github.com/o/r/edit/HEAD/{path}"),
        ("https://github.com/o/r", "", "a/b#1", "https://github.com/o/r/edit/a/b%231/{path}"),
        ("https://github.example.org/o/r", "", "main", "https://github.example.org/o/r/edit/main/{path}"),
        ("https://gitlab.com/o/s/r", "", "main", "https://gitlab.com/o/s/r/-/edit/main/{path}"),
        ("https://gitlab.com/o/r", "", "", ""),
        ("https://codeberg.org/o/r", "", "main", "https://codeberg.org/o/r/_edit/main/{path}"),
        ("https://bitbucket.org/o/r", "", "main", "https://bitbucket.org/o/r/src/main/{path}?mode=edit"),
        ("https://code.example.org/o/r", "", "main", ""),
        ("https://code.example.org/o/r", "gitlab", "main", "https://code.example.org/o/r/-/edit/main/{path}"),
        ("https://notgithub.com/o/r", "", "main", ""),
        ("https://mygithub.example.org/o/r", "", "", ""),
    ],
)
def test_where_files_are_edited(repository: str, forge: str, branch: str, pattern: str) -> None:
    assert edit_pattern(repository, forge, branch) == pattern


@pytest.mark.parametrize(
    ("repository", "forge", "branch", "pattern"),
    [
        ("https://github.com/lumen/db", "", "", "https://github.com/lumen/db/blob/HEAD/{path}"),
        ("https://gitlab.com/lumen/db", "", "next", "https://gitlab.com/lumen/db/-/blob/next/{path}"),
        ("https://codeberg.org/lumen/db", "", "", "https://codeberg.org/lumen/db/src/branch/HEAD/{path}"),
        ("https://bitbucket.org/lumen/db", "", "", "https://bitbucket.org/lumen/db/src/HEAD/{path}"),
        ("https://code.example/lumen/db", "", "", "https://code.example/lumen/db/blob/HEAD/{path}"),
        ("https://code.example/lumen/db", "forgejo", "a b", "https://code.example/lumen/db/src/branch/a%20b/{path}"),
    ],
)
def test_where_a_file_is_shown(repository: str, forge: str, branch: str, pattern: str) -> None:
    assert view_pattern(repository, forge, branch) == pattern
