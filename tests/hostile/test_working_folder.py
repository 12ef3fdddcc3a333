"""The folder in which a command runs is often a repository of somebody else: nothing in it is imported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sites import read_tree, write_site

import devlog
from devlog import packages

MODULES = ("selectors", "signal", "struct", "socket", "msgspec", "devlog", "multiprocessing", "markdown_it")


@pytest.mark.slow
def test_processes_import_nothing_from_the_folder_that_a_command_runs_in(tmp_path: Path) -> None:
    command = shutil.which("devlog", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("devlog is not installed beside this Python")
    noted = tmp_path / "noted"
    files = {f"{name}.py": f"open({str(noted)!r}, 'a').write({name!r} + ' ')\n" for name in MODULES}
    text = "---\ntitle: Pages\n---\n\nThey hold rows.\n"
    files |= {f"content/core/2026-05-{day:02}-{name}.md": text for day in range(1, 29) for name in "abc"}
    root = write_site(tmp_path / "site", {"devlog.toml": 'title = "Lumen"\n', **files})
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [command, "build", "--quiet", "--executor", "processes", "--jobs", "2"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "core/index.html" in read_tree(root / "public")
    assert not noted.exists(), noted.read_text()


@pytest.mark.slow
def test_the_module_imports_nothing_from_the_folder_that_it_runs_in(tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    names = ("selectors", "signal", "socket", "struct", "click", "msgspec", "markdown_it", "mcp", "tomllib")
    files = {f"{name}.py": f"open({str(noted)!r}, 'a').write({name!r} + ' ')\n" for name in names}
    files |= {"devlog.toml": 'title = "Lumen"\n', "content/core/2026-05-01-pages.md": "---\ntitle: Pages\n---\nText.\n"}
    root = write_site(tmp_path / "site", files)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    # The extra may be missing: the check alone tells what an installation without it does.
    for command in (["check"], *([["mcp"]] if packages.version("mcp") else [])):
        done = subprocess.run(
            [sys.executable, "-m", "devlog", *command],
            cwd=root,
            env={**environment, "PYTHONPATH": str(Path(devlog.__file__).parent.parent)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert not noted.exists(), noted.read_text()
