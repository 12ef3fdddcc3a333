"""A good site is broken in a hundred random ways: each break is told at its line, and nothing else is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest
from breaks import KINDS, Break, Told
from check_cases import check_site, fix_site, problems_of, tree
from good_site import FILES
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import write_site

from devlog.checking import Checked

SEEDS = range(100)


@pytest.fixture(scope="session")
def checked_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The good site, with what a check of it leaves behind."""
    root = write_site(tmp_path_factory.mktemp("good"), FILES)
    assert problems_of(check_site(root, strict=True)) == ""
    return root


@pytest.mark.slow
def test_nothing_is_told_of_the_good_site(checked_site: Path, tmp_path: Path) -> None:
    root = write_site(tmp_path, FILES)
    checked = check_site(root, strict=True)
    assert (problems_of(checked), checked.posts) == ("", 11)
    assert fix_site(root).changes == ()
    assert problems_of(check_site(checked_site, strict=True)) == ""


def test_every_kind_of_break_is_tried() -> None:
    assert {seed % len(KINDS) for seed in SEEDS} == set(range(len(KINDS)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed}-{KINDS[seed % len(KINDS)].__name__}")
def test_a_break_is_told_and_fixed(seed: int, checked_site: Path, tmp_path: Path) -> None:
    _try(KINDS[seed % len(KINDS)](Random(seed)), checked_site, tmp_path / "site")


@settings(max_examples=40)
@given(number=st.integers(0, len(KINDS) - 1), seed=st.integers(0, 2**32))
@pytest.mark.slow
def test_breaks_of_any_seed(
    checked_site: Path, tmp_path_factory: pytest.TempPathFactory, number: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("broken")
    _try(KINDS[number](Random(seed)), checked_site, folder / "site")
    shutil.rmtree(folder)


def _try(broken: Break, checked_site: Path, root: Path) -> None:
    """Break a site that was checked when it was good, and fix it."""
    assert broken.files != FILES
    shutil.copytree(checked_site / ".devlog", root / ".devlog")
    write_site(root, broken.files)
    checked = check_site(root, strict=True)
    assert told(checked) == sorted(broken.told), problems_of(checked)
    fixed = fix_site(root)
    errors = [
        item for item in check_site(root).diagnostics if item.severity == "error" and item.span.path == "devlog.toml"
    ]
    assert [item.code for item in fixed.refused] == (["nothing-fixed"] if errors else [])
    assert tree(root) == (broken.fixed or broken.files)
    if broken.fixed:
        assert problems_of(fixed.checked) == ""


def told(checked: Checked) -> list[Told]:
    """What a check tells, without its words."""
    return sorted((problem.code, problem.span.path, problem.span.line) for problem in checked.diagnostics)
