"""A remote is contacted only by protocols that devlog knows, and that neither the user nor the environment forbids."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, published, with_remote, wrong
from sites import build_site, write_site

from devlog.deploy.protocols import allowed

ALL = ["file", "git", "http", "https", "ssh"]


@pytest.mark.parametrize(
    ("settings", "environment", "expected"),
    [
        ("", {}, ALL),
        ("protocol.version\n2\0protocol.ext.allow\nalways\0", {}, ALL),
        ("protocol.http.allow\nnever\0protocol.git.allow\nNEVER\0", {}, ["file", "https", "ssh"]),
        ("protocol.allow\nnever\0protocol.https.allow\nalways\0", {}, ["https"]),
        ("protocol.allow\nnever\0protocol.allow\nuser\0", {}, ALL),
        ("protocol.ssh.allow\0", {}, ["file", "git", "http", "https"]),
        ("protocol.ssh.allow\nunknown\0", {}, ["file", "git", "http", "https"]),
        ("protocol.SSH.allow\nnever\0", {}, ALL),
        ("", {"GIT_ALLOW_PROTOCOL": "ext:https::ssh"}, ["https", "ssh"]),
        ("protocol.https.allow\nnever\0", {"GIT_ALLOW_PROTOCOL": "https"}, ["https"]),
        ("", {"GIT_ALLOW_PROTOCOL": ""}, []),
        ("", {"GIT_PROTOCOL_FROM_USER": "0"}, ALL[1:]),
        ("protocol.allow\nuser\0protocol.ssh.allow\nalways\0", {"GIT_PROTOCOL_FROM_USER": "false"}, ["ssh"]),
        ("protocol.allow\nuser\0", {"GIT_PROTOCOL_FROM_USER": "1"}, ALL),
    ],
)
def test_the_protocols_that_nobody_forbids(settings: str, environment: dict[str, str], expected: list[str]) -> None:
    assert allowed(settings, environment) == expected


@pytest.mark.slow
@pytest.mark.parametrize("how", ["protocol.file.allow", "protocol.allow", "GIT_CONFIG_COUNT", "GIT_ALLOW_PROTOCOL", ""])
def test_what_the_user_or_the_environment_forbids_is_not_used(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = write_site(tmp_path / "home", {".gitconfig": ""})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    root, remote = with_remote(tmp_path)
    git(root, "config", "protocol.file.allow", "always")  # the repository does not decide on it
    if how.startswith("protocol."):
        git(root, "config", "--file", str(home / ".gitconfig"), how, "never")
    elif how == "GIT_CONFIG_COUNT":
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", "never")
    else:
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https" if how else "")
    before = git(remote, "for-each-ref")
    assert "transport 'file' not allowed" in wrong(root)
    assert git(remote, "for-each-ref") == before


@pytest.mark.slow
def test_a_program_for_a_protocol_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if the user allows it for remotes of others."""
    home = write_site(tmp_path / "home", {".gitconfig": '[protocol "ext"]\nallow = always\n'})
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:file")
    root, _ = with_remote(tmp_path, BRANCH)
    git(root, "remote", "set-url", "origin", f"ext::touch {tmp_path}/ran")
    build_site(root)
    assert "transport 'ext' not allowed" in wrong(root)
    assert not (tmp_path / "ran").exists()
    git(root, "remote", "set-url", "origin", str(tmp_path / "remote.git"))
    assert not published(root)[1]
