"""What AGENTS.md tells agents to run, runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import NOW

from devlog.disk.git import Identity
from devlog.scaffold.starter import NewSite, site_files

Devlog = Callable[..., Result]

TEXT = site_files(NewSite(), NOW, Identity())["AGENTS.md"]
BLOCKS = re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
MENTIONED = [text for text in re.findall(r"`(devlog [^`\n]*)`", TEXT) if text not in COMMANDS]


@pytest.mark.slow
@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_does_what_it_should(
    command: str, tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch, git_says: Callable[..., None]
) -> None:
    git_says("Ada Quill", "7+adaquill@users.noreply.github.com")
    folder = tmp_path / "log"
    assert devlog("init", str(folder)).exit_code == 0
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command)
    assert program == "devlog"
    done = devlog(*arguments)
    assert done.exit_code == 0
    assert "error[" not in done.stderr
    assert "warning[" not in done.stderr


@pytest.mark.parametrize("command", MENTIONED)
def test_each_command_that_is_mentioned_is_there(command: str, devlog: Devlog) -> None:
    _, *words = shlex.split(command)
    name = words[:2] if words[0] == "new" else words[:1]
    options = [word for word in words if word.startswith("--")]
    shown = devlog(*name, "--help")
    assert shown.exit_code == 0
    assert all(option in shown.stdout for option in options)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z]+)`", TEXT))))
def test_each_option_that_is_mentioned_is_there(option: str, devlog: Devlog) -> None:
    assert any(option in devlog(*name, "--help").stdout for name in (["search"], ["new", "post"], ["check"]))


def test_there_is_something_to_run() -> None:
    assert {command.split()[1] for command in COMMANDS} == {"search", "new", "check", "build"}
    assert {command.split()[1] for command in MENTIONED} == {"check", "new", "serve"}
