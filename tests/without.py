"""Runs the tests in a copy of this repository without features: all but those of these features must pass.

    python -m tests.without site_search               the tests that run by default
    python -m tests.without site_search tests/parse   some of them; all arguments of pytest are possible
    python -m tests.without site_search images plots  without three features, in one run

Tests of the features are left out by `tests/selection.py`. A test that fails without one feature also fails without
that and two others, unless it is a test of these: a few runs, each without several features that have few tests in
common, find what a run for each would.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


def copied(target: Path) -> Path:
    """A copy of all files that are not ignored, as a repository, which some tests look for."""

    def git(*words: str, folder: Path = ROOT) -> str:
        return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    for name in git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    git("init", "-q", folder=target)
    git("add", "-A", folder=target)
    return target


def main(features: Iterable[str], arguments: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="devlog-without-") as folder:
        copy = copied(Path(folder))
        for feature in features:
            shutil.rmtree(copy / "devlog" / "features" / feature)
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        return subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=copy, env=environment, check=False
        ).returncode


if __name__ == "__main__":
    names = sorted(path.parent.name for path in ROOT.glob("devlog/features/*/__init__.py"))
    without = list(itertools.takewhile(names.__contains__, sys.argv[1:]))
    if not without:
        sys.exit(f"name features: {', '.join(names)}")
    sys.exit(main(dict.fromkeys(without), sys.argv[1 + len(without) :]))
