"""What plugins print does not get into what commands write for programs."""

from __future__ import annotations

import json
import os
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


def shell(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable}
    return subprocess.run(
        ["sh", "-c", f'"$PYTHON" -m devlog {command}'],
        cwd=root,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


LOUD = SITE | {
    "devlog.toml": SITE["devlog.toml"] + '[deploy.to]\nto = "lumen"\n',
    "plugins.py": SITE["plugins.py"]
    .replace("    os.write(1, b'PRINTED')\n    os.system('echo PRINTED')\n", "    print('PRINTED', file=sys.stderr)\n")
    .replace("plugin = ", "def deploy(release):\n    shout()\n    yield 'Published.'\nplugin = ")
    .replace("checks=", "deployers={'lumen': deploy}, checks="),
}
"""As the other one, but it prints only to streams of Python: others may fail in their own way."""


def write_posts(root: Path, count: int) -> None:
    for number in range(count):
        text = f"---\ntitle: Post {number}\nauthor: Ann\n---\nHi.\n"
        write_site(root, {f"content/storage/2026-05-05-{number}.md": text})


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&-", "2>&- <&-"])
def test_nobody_reads_what_plugins_print(streams: str, jobs: int, tmp_path: Path) -> None:
    root = write_site(tmp_path, LOUD)
    write_posts(root, 70 if jobs > 1 else 0)
    done = shell(root, f"build --format json --jobs {jobs} {streams}")
    assert json.loads(done.stdout)["posts"] == (71 if jobs > 1 else 1)
    assert (root / "public/x.txt").read_text() == "x"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "streams", [">/dev/full 2>/dev/full", ">/dev/full", ">&-", ">&- 2>&-", "2>&1 >&- | sleep 0", "2>&1 | sleep 0"]
)
def test_a_site_is_built_though_nobody_reads_anything(streams: str, tmp_path: Path) -> None:
    done = shell(write_site(tmp_path, LOUD), f"build --jobs 1 {streams}")
    assert "plugin" not in done.stderr
    assert (tmp_path / "public/x.txt").read_text() == "x"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_deployer_prints_what_nobody_reads(tmp_path: Path) -> None:
    root = write_site(tmp_path, LOUD)
    assert shell(root, "build --jobs 1").returncode == 0
    done = shell(root, "deploy 2>/dev/full")
    assert done.returncode == 0
    assert done.stdout.endswith("Published.\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="runs a POSIX shell")
def test_streams_that_are_closed_are_open_in_workers(tmp_path: Path) -> None:
    """Otherwise the next file that a worker opens gets the number of one, and a program's output goes into it."""
    lines = "def read(state):\n    assert all(os.path.sameopenfile(number, null) for number in (0, 1, 2))\n"
    code = "import os\nfrom devlog.plugin import Plugin\nnull = os.open(os.devnull, os.O_RDWR)\n"
    plugin = "plugin = Plugin('lumen', markdown=lambda parser: parser.core.ruler.push('x', read))\n"
    root = write_site(tmp_path, SITE | {"plugins.py": code + lines + plugin})
    write_posts(root, 70)
    shell(root, "build --jobs 2 <&- >&- 2>&-")
    assert (root / "public/index.html").exists()
