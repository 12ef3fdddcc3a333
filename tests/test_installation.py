"""Hints say how this very installation is extended."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from devlog import DISTRIBUTION, installation
from devlog.installation import Installation

REPOSITORY = Path(__file__).parent.parent


def recorded(tmp_path: Path, record: object) -> tuple[str, bool]:
    """What a record beside an installed package says of its source."""
    (tmp_path / "direct_url.json").write_text(record if isinstance(record, str) else json.dumps(record), "utf-8")
    return installation._source(str(tmp_path))


@pytest.mark.parametrize(
    ("known", "extra", "package"),
    [
        (
            Installation("pip", "python"),
            "python -m pip install 'devlog-ssg[mcp]'",
            "python -m pip install Pillow",
        ),
        (
            Installation("pip", ".venv/bin/python", "/home/ada/dev log", editable=True),
            ".venv/bin/python -m pip install --editable '/home/ada/dev log[mcp]'",
            ".venv/bin/python -m pip install Pillow",
        ),
        (
            Installation("uv pip", "/srv/env/bin/python"),
            "uv pip install --python /srv/env/bin/python 'devlog-ssg[mcp]'",
            "uv pip install --python /srv/env/bin/python Pillow",
        ),
        (
            Installation("pipx"),
            "pipx install --force 'devlog-ssg[mcp]'",
            "pipx inject devlog-ssg Pillow",
        ),
        (
            Installation("pipx", source="git+https://example.org/devlog"),
            "pipx install --force 'devlog-ssg[mcp] @ git+https://example.org/devlog'",
            "pipx inject devlog-ssg Pillow",
        ),
        (
            Installation("uv tool"),
            "uv tool install 'devlog-ssg[mcp]'",
            "uv tool install --with Pillow devlog-ssg",
        ),
        (
            Installation("uv tool", source=".", editable=True),
            "uv tool install --editable '.[mcp]'",
            "uv tool install --with Pillow --editable .",
        ),
    ],
    ids=["pip", "checkout", "uv pip", "pipx", "pipx-git", "uv tool", "uv tool-checkout"],
)
def test_commands(known: Installation, extra: str, package: str) -> None:
    assert known.add_extra("mcp") == extra
    assert known.add_package("Pillow") == package


def test_a_package_from_an_index_has_no_record(tmp_path: Path) -> None:
    assert installation._source(str(tmp_path)) == (DISTRIBUTION, False)


@pytest.mark.parametrize("editable", [True, False])
def test_a_checkout(editable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    record = {"url": REPOSITORY.as_uri(), "dir_info": {"editable": True} if editable else {}}
    assert recorded(tmp_path, record) == (str(REPOSITORY), editable)


def test_the_current_folder_is_a_dot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert recorded(tmp_path, {"url": REPOSITORY.as_uri(), "dir_info": {}}) == (".", False)


def test_a_checkout_that_was_moved_is_not_named(tmp_path: Path) -> None:
    record = {"url": (tmp_path / "gone").as_uri(), "dir_info": {"editable": True}}
    assert recorded(tmp_path, record) == (DISTRIBUTION, False)


def test_a_file_and_a_repository_are_named_by_url(tmp_path: Path) -> None:
    wheel = "https://example.org/devlog_ssg-1.0-py3-none-any.whl"
    assert recorded(tmp_path, {"url": wheel, "archive_info": {}}) == (wheel, False)
    repository = {"url": "https://example.org/devlog", "vcs_info": {"vcs": "git", "commit_id": "a" * 40}}
    assert recorded(tmp_path, repository) == ("git+https://example.org/devlog", False)


@pytest.mark.parametrize("record", ["", "{", "[]", "{}", '{"url": 3, "dir_info": []}', '{"url": "file:///x"}\0'])
def test_a_damaged_record_is_none(record: str, tmp_path: Path) -> None:
    assert recorded(tmp_path, record) == (DISTRIBUTION, False)


@pytest.mark.parametrize(("file", "tool"), [("pipx_metadata.json", "pipx"), ("uv-receipt.toml", "uv tool")])
def test_tools_are_known_by_their_files(file: str, tool: str, tmp_path: Path) -> None:
    assert installation._tool(tmp_path) in {"pip", "uv pip"}
    (tmp_path / file).touch()
    assert installation._tool(tmp_path) == tool


@pytest.mark.slow
def test_init_prints_commands_that_work_as_printed(tmp_path: Path) -> None:
    """In a shell that knows nothing of the environment that devlog is in."""
    program = Path(sys.executable).with_name("devlog")
    plain = {"PATH": os.defpath, "HOME": str(tmp_path)}

    def shell(line: str) -> str:
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    lines = shell(f"{shlex.quote(str(program))} init mylog").splitlines()
    (write,) = (line.partition(":")[2] for line in lines if line.startswith("Write:"))
    (publish,) = (line.partition(":")[2].partition(",")[0] for line in lines if line.startswith("Publish it:"))
    assert str(program) in write
    assert "a-title.md" in shell(write)
    shell(publish)
    assert (tmp_path / "mylog" / "public" / "index.html").exists()


@pytest.mark.parametrize(
    ("called", "typed"),
    [
        ("{bin}/devlog", "devlog"),
        ("{here}/.venv/bin/devlog", ".venv/bin/devlog"),
        ("{here}/devlog", "./devlog"),
        ("/srv/my tools/devlog", "'/srv/my tools/devlog'"),
    ],
)
def test_the_command_as_it_is_typed(called: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {"bin": tmp_path / "bin", "here": tmp_path / "here"}
    for folder in folders.values():
        folder.mkdir()
    (folders["bin"] / "devlog").touch(0o755)
    monkeypatch.setenv("PATH", str(folders["bin"]))
    monkeypatch.chdir(folders["here"])
    monkeypatch.setattr(sys, "argv", [called.format(**folders)])
    assert installation.own_command() == typed


@pytest.mark.slow
def test_the_command_works_without_an_activated_environment() -> None:
    """The interpreter is named by its path unless the shell finds just this one."""
    code = "from devlog.installation import installation; print(installation().add_package('Pillow'))"
    environment = {**os.environ, "PATH": os.defpath}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=REPOSITORY, capture_output=True, text=True, check=True
    ).stdout
    assert out.rstrip().endswith(" Pillow")
    python = next(word for word in shlex.split(out) if "python" in word)
    assert (REPOSITORY / python).samefile(sys.executable)
