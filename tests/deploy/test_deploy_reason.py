"""Of what git says when it fails, the line is shown that has the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from deploy.deployed_site import BRANCH, published, with_remote, wrong

from devlog.deploy.git import _answer, _Done
from devlog.deploy.reason import hint, reason
from devlog.plugin import DeployError

END = """fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.
"""
TOO_LARGE = "error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413"
BANNER = f"""remote:
remote: ========================================
remote: ERROR: The project could not be found.
remote: ========================================
remote:
{END}"""


@pytest.mark.parametrize(
    ("err", "expected"),
    [
        (f"git@lumen.dev: Permission denied (publickey).\r\n{END}", "git@lumen.dev: Permission denied (publickey)."),
        (f"No host key is known.\r\nHost key verification failed.\r\n{END}", "Host key verification failed."),
        (f"ssh: Could not resolve hostname lumen.dev\n{END}", "ssh: Could not resolve hostname lumen.dev"),
        (f"ERROR: Repository not found.\n{END}", "ERROR: Repository not found."),
        (BANNER, "remote: ERROR: The project could not be found."),
        (f"see ssh://ada:s3cret@lumen.dev/a\n{END}", "see ssh://lumen.dev/a"),
        (
            f"fatal: '/a' does not appear to be a git repository\n{END}",
            "fatal: '/a' does not appear to be a git repository",
        ),
        (END, "fatal: Could not read from remote repository."),
        (
            f"{TOO_LARGE}\nsend-pack: unexpected disconnect\nfatal: the remote end hung up unexpectedly\n",
            TOO_LARGE,
        ),
        (
            "fetch-pack: unexpected disconnect\nfatal: early EOF\nfatal: invalid index-pack output\n",
            "fatal: early EOF",
        ),
        ("warning: a\nfatal: bad object b\n", "fatal: bad object b"),
        (
            "error: bogus count in GIT_CONFIG_COUNT\nfatal: unable to parse command-line config\n",
            "error: bogus count in GIT_CONFIG_COUNT",
        ),
        ("remote: error: no\nfatal: the remote end hung up unexpectedly\n", "remote: error: no"),
    ],
)
def test_the_line_with_the_reason_is_shown(err: str, expected: str) -> None:
    with pytest.raises(DeployError) as caught:
        _answer(("push",), _Done(128, b"", err.encode(), frozenset()))
    assert str(caught.value) == f"git push says: {expected}"


DECLINED = "!\tHEAD:refs/heads/gh-pages\t[remote rejected] (pre-receive hook declined)\nDone\n"
FAILED = "error: failed to push some refs to 'https://lumen.dev/log.git'\n"
PROTECTED = "GitLab: You are not allowed to push code to protected branches on this project."
GITEA = "Gitea: Not allowed to push to protected branch gh-pages"


def said(err: str, out: str = "", *urls: str) -> str:
    """What is shown of what git says."""
    return reason(out.encode(), err.encode(), urls)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([PROTECTED], PROTECTED),
        (["", GITEA, ""], GITEA),
        (
            ["===", "checking", "error: GH013: Rule violations found.", "", "- Sign."],
            "error: GH013: Rule violations found. - Sign.",
        ),
        ([f"step {number}" for number in range(9)], "step 5 step 6 step 7 step 8"),
        (["Resolving deltas:   0% (0/2)\rResolving deltas: 100% (2/2), done.", "No."], "No."),
        (["Coverage: 20% is not enough"], "Coverage: 20% is not enough"),
        (["\x1b[1;31merror:\x1b[0m\ta\u202eb\x07"], "error: a b"),
        (["no " * 1000], "no " * 130 + "no…"),
    ],
)
def test_what_a_remote_says_about_a_push_that_it_refuses_is_shown(lines: list[str], expected: str) -> None:
    err = "".join(f"remote: {line}        \n" for text in lines for line in text.split("\r"))
    assert said(err + FAILED, DECLINED) == f"remote: {expected} – [remote rejected] (pre-receive hook declined)"


def test_a_remote_that_says_nothing_adds_nothing() -> None:
    assert said(FAILED, DECLINED) == "[remote rejected] (pre-receive hook declined)"
    assert said(f"remote: \nremote: ---\n{FAILED}", DECLINED) == "[remote rejected] (pre-receive hook declined)"


def test_what_a_remote_says_about_a_login_is_shown() -> None:
    fatal = "fatal: Authentication failed for 'https://lumen.dev/log.git/'"
    err = f"remote: HTTP Basic: Access denied.\nremote: Use a token.\n{fatal}\n"
    assert said(err) == f"remote: HTTP Basic: Access denied. Use a token. – {fatal}"


@pytest.mark.parametrize(
    ("url", "text", "shown"),
    [
        ("https://ada:s3cret@lumen.dev/log.git", "bad token s3cret of ada", "bad token … of …"),
        ("https://t0ken@lumen.dev/log.git", "bad token t0ken", "bad token …"),
        ("https://ada:s3%2Fcret@lumen.dev/log.git", "ada:s3/cret, s3/cret, s3%2Fcret", "…, …, …"),
        ("https://lumen.dev/log.git", "see https://ada:s3cret@lumen.dev/?t=b now", "see https://lumen.dev/?… now"),
        ("ssh://git@lumen.dev/log.git", "git says no", "git says no"),
    ],
)
def test_a_remote_does_not_show_the_login_that_it_was_sent(url: str, text: str, shown: str) -> None:
    assert said(f"remote: {text}\n{END}", "", url) == f"remote: {shown}"
    refused = f"!\tHEAD:refs/heads/gh-pages\t[remote rejected] ({text})\n"
    assert said(FAILED, refused, url) == f"[remote rejected] ({shown})"


@pytest.mark.slow
def test_what_ssh_says_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'git@lumen.dev: Permission denied (publickey).' >&2; false")
    root, _ = with_remote(tmp_path, f'{BRANCH}remote = "git@lumen.dev:log.git"\n')
    assert wrong(root).endswith("git ls-remote says: git@lumen.dev: Permission denied (publickey).")


DENIED = "ada@lumen.dev: Permission denied (publickey)."
CHANGED = "Host key for lumen.dev has changed and you have requested strict checking."
REVOKED = "ssh-ed25519 host key for lumen.dev was revoked and you have requested strict checking."
UNVERIFIED = "Host key verification failed."
BY_FILE = "Host key ED25519 SHA256:abc revoked by file /etc/ssh/revoked"
ENDED = "kex_exchange_identification: Connection closed by remote host"
RESET = "kex_exchange_identification: read: Connection reset by peer"
BY_PROXY = "Connection closed by UNKNOWN port 65535"
RESET_BY_PROXY = "Connection reset by UNKNOWN port 65535"
TOO_MANY = "Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures"
NO_SSH = "error: cannot run ssh: No such file or directory"
NO_SHELL_SSH = "ssh -i ci/key: 1: ssh: not found"
PROTOCOL = "fatal: protocol error: bad line length character: Plea"
FORGED = f"fatal: closed on Sundays\n{CHANGED}\n{UNVERIFIED}\n{END}ssh says no"


@pytest.mark.parametrize(
    ("err", "expected", "advice"),
    [
        (f"{NO_SSH}\nfatal: unable to fork\n", NO_SSH, "install an ssh client"),
        (f"{NO_SHELL_SSH}\n{END}", NO_SHELL_SSH, "install an ssh client"),
        ("fatal: cannot exec 'a'\nfatal: cannot exec 'a'\nfatal: unable to fork\n", "fatal: cannot exec 'a'", ""),
        (f"@@@\r\nOffending key in /a:1\r\n{CHANGED}\r\n{UNVERIFIED}\r\n{END}", CHANGED, "ssh-keygen -R"),
        (f"{UNVERIFIED}\r\n{END}", UNVERIFIED, "ssh-keyscan"),
        (f"{REVOKED}\r\n{UNVERIFIED}\r\n{END}", REVOKED, ""),
        (f"{BY_FILE}\r\n{UNVERIFIED}\r\n{END}", BY_FILE, ""),
        (f"nc: not found\n{ENDED}\r\n{BY_PROXY}\r\n{END}", f"nc: not found – {BY_PROXY}", "ProxyCommand"),
        (f"no\n{RESET}\r\n{RESET_BY_PROXY}\r\n{END}", f"no – {RESET_BY_PROXY}", "ProxyCommand"),
        (f"{ENDED}\r\n{BY_PROXY}\r\n{END}", BY_PROXY, "ProxyCommand"),
        (f"{UNVERIFIED}\r\n{ENDED}\r\n{BY_PROXY}\r\n{END}", f"{UNVERIFIED} – {BY_PROXY}", "ssh-keyscan"),
        (f"{DENIED}\r\n{ENDED}\r\n{BY_PROXY}\r\n{END}", DENIED, ""),
        (f"{TOO_MANY}\r\nDisconnected from 192.0.2.1 port 22\r\n{END}", TOO_MANY, ""),
        (f"{PROTOCOL}\n", PROTOCOL, "ssh HOST true"),
    ],
)
def test_a_connection_that_fails_has_a_hint_if_its_reason_is_known(err: str, expected: str, advice: str) -> None:
    assert said(err) == expected
    shown = hint(b"", err.encode(), ())
    assert advice in shown
    assert bool(shown) == bool(advice)


@pytest.mark.parametrize(
    ("err", "expected"),
    [
        (f"{FORGED}\n{DENIED}\r\n{END}", DENIED),
        (
            f"{FORGED}\nfatal: '/a' does not appear to be a git repository\n{END}",
            "fatal: '/a' does not appear to be a git repository",
        ),
        (f"{FORGED}\nremote: hello\n{DENIED}\r\n{END}", f"remote: hello – {DENIED}"),
    ],
)
def test_a_banner_is_not_the_reason(err: str, expected: str) -> None:
    assert said(err) == expected


@pytest.mark.parametrize("text", [UNVERIFIED, CHANGED, BY_PROXY, PROTOCOL, "fatal: returned error: 301", NO_SSH])
def test_what_a_remote_says_chooses_no_hint(text: str) -> None:
    for err in (f"remote: {text}\n{END}", f"remote: {text}\n{FAILED}", f"{FORGED}\n{text}\n{DENIED}\r\n{END}"):
        assert not hint(b"", err.encode(), ())
    assert not hint(f"!\ta:b\t[remote rejected] ({text})\n".encode(), FAILED.encode(), ())


@pytest.mark.slow
def test_a_missing_ssh_client_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path, f'{BRANCH}remote = "git@lumen.dev:log.git"\n')
    program = shutil.which("git")
    assert program
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("GIT_SSH", "GIT_SSH_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    _, (problem,) = published(root)
    assert problem.message.endswith("git ls-remote says: error: cannot run ssh: No such file or directory")
    assert problem.hint == "install an ssh client, such as OpenSSH"
