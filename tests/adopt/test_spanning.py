"""Globs whose “*” matches “/” too become patterns of `ignore` that match the same paths."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product

import pytest

from devlog.adopt.spanning import spanning
from devlog.disk.ignore import compile_ignore

PATHS = sorted("".join(chars) for length in range(1, 6) for chars in product("ab/", repeat=length))
PATHS = [path for path in PATHS if not path.startswith("/") and not path.endswith("/") and "//" not in path]


@pytest.mark.parametrize(
    "glob",
    [
        "*",
        "a*",
        "*a",
        "a*b",
        "a/*",
        "*/a",
        "a*/b",
        "**/a",
        "a/**",
        "a***b",
        "[!b]*",
        "?",
        "a?b",
        "*?/a",
        "*a*b*a*a",
        "a[!b]a",
        "a[+-b]a",
    ],
)
def test_the_same_paths_match(glob: str) -> None:
    patterns, wrong = compile_ignore(spanning(glob, PATHS))
    assert not wrong
    found = [path for path in PATHS if any(pattern.fullmatch(path) for pattern in patterns.paths)]
    assert found == [path for path in PATHS if fnmatchcase(path, glob)]
