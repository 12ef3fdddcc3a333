"""Writers' own branch is refused where they push it, by whatever URL, and not on another server of the same host."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, published, with_remote, wrong
from sites import build_site

from devlog.deploy import same_place
from devlog.deploy.same_place import may_be_same

SSH = '#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n'
"""Runs the command for a remote machine here, as the user whose home folder this one is."""


@pytest.mark.parametrize(
    "urls",
    [
        # one repository, as servers with several protocols have it
        "https://lumen.dev/ada/log git@lumen.dev:ada/log.git ssh://git@lumen.dev:2222/ada/log/ http://lumen.dev:80/ada/log",
        "git@lumen.dev:ada/log https://me:token@LUMEN.dev/Ada/log.git/ git://lumen.dev//ada/log https://lumen.dev./ada/l%6Fg",
        "https://lumen.dev/a https://lumen.dev:443/a https://lumen.dev:0443/a https://lumen.dev:/a.git",
        "http://lumen.dev/a http://lumen.dev:80/a",
        "git://lumen.dev/a git://lumen.dev:9418/a",
        # a home folder
        "ada@lumen.dev:log ada@lumen.dev:~/log ssh://ada@lumen.dev/~/log ssh://ada@lumen.dev/~ada/log.git",
        "ada@lumen.dev:log bob@lumen.dev:~ada/log ada@lumen.dev:/home/ada/log git+ssh://lumen.dev/~ada/log/.git",
        "git@lumen.dev:~ada/log https://lumen.dev/~ada/log",
        # the user and the port are in the configuration of ssh
        "lumen.dev:log ada@lumen.dev:log ssh://ada@lumen.dev:2222/~/log [ada@lumen.dev:2222]:log",
        "ssh://lumen.dev/srv/log ssh://ada@lumen.dev:2222/srv/log",
        # some servers have the same repositories for all users
        "git@lumen.dev:ada/log org-7@lumen.dev:ada/log",
        # users of one server have the same root
        "ada@lumen.dev:/srv/log ssh://bob@lumen.dev/srv/log",
        "ada@[::1]:log ssh://ada@[::1]:22/~/log [::1]:log",
    ],
)
def test_one_repository(urls: str) -> None:
    for one in urls.split():
        assert [other for other in urls.split() if not may_be_same(one, other)] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ssh://git@lumen.dev:2201/srv/log", "ssh://git@lumen.dev:2202/srv/log"),
        ("ssh://git@lumen.dev:22/srv/log", "[git@lumen.dev:2222]:log"),
        ("https://lumen.dev/log", "https://lumen.dev:8443/log"),
        ("http://lumen.dev/log", "http://lumen.dev:8080/log"),
        ("git://lumen.dev/log", "git://lumen.dev:9419/log"),
        ("ada@lumen.dev:~/log", "bob@lumen.dev:log"),
        ("ada@lumen.dev:log", "lumen.dev:~bob/log"),
        ("ada@lumen.dev:log", "ssh://ada@lumen.dev/~bob/log"),
        ("ada@lumen.dev:log", "ssh://ada@lumen.dev/home/bob/log"),
        ("ada@lumen.dev:log", "ada@prism.dev:log"),
        ("https://lumen.dev/ada/log", "https://lumen.dev/ada/pages"),
        ("ada@[::1]:log", "ada@[::2]:log"),
        ("/srv/log", "/srv/Log"),
        ("/srv/log", "lumen.dev:/srv/log"),
    ],
)
def test_two_repositories(one: str, other: str) -> None:
    assert not may_be_same(one, other)
    assert not may_be_same(other, one)


@pytest.mark.parametrize(
    "url",
    [
        "ada@lumen.dev:log",
        "lumen.dev:/log",
        "[ada@lumen.dev:2222]:log",
        "[lumen.dev:2222]/x:log",
        "ada@[::1]:log",
        "[::1]:log",
        "[lumen.dev]:log",
        "ssh://ada@[::1]:22/log",
        "ssh://lumen.dev:/log",
        "ssh://l%75men.dev/a%2Flog",
        "ssh://ada%40home@lumen.dev/log",
        "git+ssh://lumen.dev/log",
        "ada:se/cret@lumen.dev",
    ],
)
def test_the_parts_are_those_that_git_finds(url: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    lines = git(tmp_path, "fetch-pack", "--diag-url", url).splitlines()
    found = dict(line.removeprefix("Diag: ").split("=", 1) for line in lines)
    user, _, host = found["userandhost"].rpartition("@")
    parts = same_place._parsed(url)
    assert parts is not None
    assert (parts.protocol, parts.host, parts.port) == ("ssh", host, found["port"].replace("NONE", ""))
    assert parts.path == found["path"].strip("/")
    assert parts.owner == (None if found["path"].startswith("/") else user)


@pytest.mark.slow
@pytest.mark.parametrize("port", [2201, 2202])
def test_a_server_on_another_port_is_another_one(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path, f'{BRANCH}branch = "main"\nremote = "ssh://git@lumen.dev:{port}{tmp_path}/p.git"\n')
    (tmp_path / "ssh").write_text(SSH, "utf-8")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(tmp_path / "ssh"))
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "p.git")
    git(root, "remote", "set-url", "origin", f"ssh://git@lumen.dev:2201{tmp_path}/p")
    build_site(root)
    if port == 2201:
        assert wrong(root).endswith("the branch “main” is checked out")
    else:
        assert not published(root)[1]
