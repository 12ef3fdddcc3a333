"""Sites that are built again and again into one output folder, in this process or in one that is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from disk_trees import publish

from devlog.disk.manifest import load_manifest, unchanged
from devlog.disk.write import Planned, Published

Plan = dict[str, bytes]
OLD: Plan = {"index.html": b"old", "a/index.html": b"a", "a/b/index.html": b"same", "gone/x/y.html": b"y"}
NEW: Plan = {"index.html": b"new", "a/index.html": b"a2", "a/b/index.html": b"same", "c/d/e.html": b"e"}


def build(site: Path, plan: Plan, output: str = "public") -> Published:
    manifest, _ = load_manifest(site, output)
    ours = unchanged(site, output, manifest)
    keep = {path: entry for path, entry in ours.items() if path in plan and entry.key == plan[path].hex()}
    planned = [Planned(path, data.hex(), data) for path, data in plan.items() if path not in keep]
    return publish(site, output, manifest, planned, keep=keep)


def inode(path: Path) -> int:
    return path.stat().st_ino


def swapped(site: Path, plan: Plan, output: str = "public") -> bool:
    """Whether a build replaces the output folder as a whole; what comes of it must be right in any case."""
    before = inode(site / output)
    assert build(site, plan, output).diagnostics == ()
    return inode(site / output) != before


def in_former(site: Path, *plans: Plan) -> Path:
    """Builds in a row; returns the output folder of the last but one, as a shell in it would see it."""
    for plan in plans:
        assert build(site, plan).diagnostics == ()
    return site / ".devlog" / "spare"


def kill(site: Path, plan: Plan, where: str, output: str = "public") -> None:
    """Builds in a process that dies before it calls a function of the module."""
    script = (
        "import os\nfrom pathlib import Path\nfrom swapped_output import build\nfrom devlog.disk import swap\n"
        f"swap.{where} = lambda *_, **__: os._exit(9)\n"
        f"build(Path({str(site)!r}), {plan!r}, {output!r})\n"
    )
    tests = Path(__file__).parent
    path = os.pathsep.join((str(tests.parent.parent), str(tests.parent), str(tests)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 9
