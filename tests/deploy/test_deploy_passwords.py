"""No message has a part of a password or a token, also where git takes it for something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, with_remote, wrong

from devlog.deploy.passwords import shown, without_passwords


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "fatal: https://ada:p@ss@one.example/a and ssh://git@two.example, or a@b",
            "https://one.example/a and ssh://two",
        ),
        ("at 'https://one.example/a?token=S3cret/': is it there?", "'https://one.example/a?…': is it there?"),
        ("at 'https://ada:s3/cret@one.example/a/'", "'https://…@one.example/a/'"),
        ("at 'https://S3/cret@one.example/a/'", "'https://…@one.example/a/'"),
        ("at 'https://ada:p@s3/cret@one.example/a/'", "'https://…@one.example/a/'"),
        ("ssh://one.example/a", "ssh://one.example/a"),
    ],
)
def test_of_a_password_nothing_is_told(text: str, expected: str) -> None:
    found = without_passwords(text)
    assert expected in found
    assert "ada" not in found
    assert "cret" not in found


@pytest.mark.parametrize(
    "remote",
    [
        "https://ada:s3cret@one.example/a.git",
        "https://ada:s3/cret@one.example/a.git",
        "https://ada:s3/c@ret@one.example/a.git?s3cret",
        "https://one.example/a.git?ada's3 s3\"?s3",
        "ada:s3cret@one.example/a.git",
        "ada:s3/cret@one.example:a.git",
    ],
)
def test_a_remote_is_shown_without_its_password(remote: str) -> None:
    found = shown(remote)
    assert "one.example" in found
    assert "ada" not in found
    assert "s3" not in found


@pytest.mark.parametrize(
    "remote", ["origin", "git@one.example:ada/log", "/srv/a:b@c", "../a:b@c", "https://one.example/a"]
)
def test_a_remote_without_a_password_is_shown_as_it_is(remote: str) -> None:
    assert shown(remote) == remote


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "url"),
    [
        ("devlog.toml", "http://ada:s3/cret@localhost:1/log.git"),
        ("devlog.toml", "http://ada:987/cret@localhost:1/log.git"),
        ("devlog.toml", "http://s3/cret@localhost:1/log.git"),
        ("devlog.toml", "http://ada:p@s3/cret@localhost:1/log.git"),
        ("devlog.toml", "http://ada:987/%63ret@localhost:1/log.git"),
        ("devlog.toml", "git://ada:987/cret@localhost/log.git"),
        ("devlog.toml", "git://s3cret@localhost/log.git"),
        ("devlog.toml", "git://ada:s3cret@localhost/log.git"),
        ("devlog.toml", "http://localhost:1/log.git?t=ada'987"),
        ("url", 'http://localhost:1/log.git?t=ada"s3&u=987'),
        ("url", "http://localhost:1/log.git?t=ada s3'987"),
        ("devlog.toml", "ssh://ada:987/cret@localhost:1/log.git"),
        ("devlog.toml", "ada:987/cret@localhost"),
        ("url", "http://ada:s3/cr et@localhost:1/log.git"),
        ("pushurl", "http://ada:987/cret@localhost:1/log.git"),
        ("insteadOf", "http://ada:987/cret@localhost:1/log.git"),
    ],
)
def test_what_git_takes_for_a_host_is_hidden(
    how: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'fatal: no' >&2; echo")
    root, _ = with_remote(tmp_path, f'{BRANCH}remote = "{url}"\n' if how == "devlog.toml" else BRANCH)
    if how == "insteadOf":
        git(root, "config", f"url.{url}.insteadOf", str(tmp_path / "remote.git"))
    elif how != "devlog.toml":
        git(root, "config", f"remote.origin.{how}", url)
    message = wrong(root)
    for part in ("ada", "s3", "cret", "987", " et@"):
        assert part not in message.removeprefix("deployment “pages” failed: ")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["http.proxy", "http_proxy", "GIT_CONFIG_COUNT"])
@pytest.mark.parametrize(
    "proxy",
    [
        "http://ada:s3/cret@localhost:1",
        "http://ada:s3#cret@localhost:1",
        "http://s3/cret@localhost:1",
        "ada:s3/cret@localhost:1",
        "s3/cret@localhost:1",
    ],
)
def test_the_login_of_a_proxy_is_hidden(proxy: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    root, _ = with_remote(tmp_path, f'{BRANCH}remote = "http://log.lumen.example/log.git"\n')
    if how == "http_proxy":
        monkeypatch.setenv(how, proxy)
    elif how == "http.proxy":
        git(root, "config", how, proxy)
    else:
        for name, given in (("COUNT", "1"), ("KEY_0", "http.proxy"), ("VALUE_0", proxy)):
            monkeypatch.setenv(f"GIT_CONFIG_{name}", given)
    message = wrong(root)
    assert "git ls-remote says: " in message
    for part in ("ada", "s3", "cret"):
        assert part not in message


@pytest.mark.slow
def test_the_name_of_a_setting_has_no_password(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    git(root, "config", "http.https://ada:s3cret@one.example/.sslVerify", "false")
    message = wrong(root)
    assert "“http.https://one.example/.sslverify”" in message
