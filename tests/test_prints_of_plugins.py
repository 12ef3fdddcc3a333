"""What plugins print does not get into what commands write for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from check_cases import repository
from sites import write_site

POST = "content/storage/2026-05-04-compaction.md"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\nplugins = ["plugins.py"]\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: Compaction\nauthors: Ada Quill\n---\n![A](a.png)\n",
    "plugins.py": (
        "import os, sys\nfrom devlog.plugin import PlannedFile, Plugin\n"
        "print('PRINTED')\n"
        "def shout():\n"
        "    print('PRINTED')\n    sys.stdout.write('PRINTED')\n    sys.__stdout__.write('PRINTED')\n"
        "    os.write(1, b'PRINTED')\n    os.system('echo PRINTED')\n"
        "def rule(evidence):\n    shout()\n    return ()\n"
        "def plan(outline):\n    shout()\n    yield PlannedFile('/x.txt', 'x', {})\n"
        "def write(target, resources):\n    shout()\n    return 'x'\n"
        "def read(state):\n    shout()\n"
        "plugin = Plugin('lumen', markdown=lambda parser: parser.core.ruler.push('x', read), checks=(rule,),"
        " plans=(plan,), recipes={'x': write})\n"
    ),
}


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "devlog", *arguments], cwd=root, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "build --format json",
        "check --format json",
        "check --format sarif",
        "check --gaps --format json",
        "search --format json",
        "schema front-matter",
    ],
)
def test_what_plugins_print_is_not_in_json(command: str, tmp_path: Path) -> None:
    done = run(write_site(tmp_path, SITE), *command.split())
    assert json.loads(done.stdout)
    assert "PRINTED" in done.stderr


@pytest.mark.slow
def test_what_plugins_print_in_workers_is_not_in_json(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    for number in range(70):
        write_site(
            root, {f"content/storage/2026-05-05-{number}.md": f"---\ntitle: Post {number}\nauthor: Ann\n---\nHi.\n"}
        )
    done = run(root, "build", "--format", "json", "--jobs", "2")
    assert json.loads(done.stdout)["posts"] == 71


@pytest.mark.slow
def test_what_plugins_print_is_not_in_patches(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    repository(root)
    done = run(root, "check", "--fix", "--dry-run")
    assert "+author: Ada Quill" in done.stdout
    assert "PRINTED" not in done.stdout


@pytest.mark.slow
def test_what_plugins_print_is_shown_to_people(tmp_path: Path) -> None:
    assert "PRINTED" in run(write_site(tmp_path, SITE), "build").stdout
