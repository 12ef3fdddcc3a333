"""Runs the tests in a copy of this repository without a feature: all but those of the feature must pass.

    python -m tests.without site_search               those that run by default
    python -m tests.without site_search tests/parse   some of them; all arguments of pytest are possible

Tests of the feature are left out by `tests/selection.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
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


def main(feature: str, *arguments: str) -> int:
    with tempfile.TemporaryDirectory(prefix="devlog-without-") as folder:
        copy = copied(Path(folder))
        shutil.rmtree(copy / "devlog" / "features" / feature)
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        return subprocess.run(
            [sys.executable, "-m", "pytest", *arguments], cwd=copy, env=environment, check=False
        ).returncode


if __name__ == "__main__":
    names = sorted(path.parent.name for path in ROOT.glob("devlog/features/*/__init__.py"))
    if sys.argv[1:2] and sys.argv[1] in names:
        sys.exit(main(*sys.argv[1:]))
    sys.exit(f"name a feature: {', '.join(names)}")
