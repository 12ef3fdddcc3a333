"""Of what git says when it fails, the line is shown that has the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from deploy.deployed_site import BRANCH, with_remote, wrong

from devlog.deploy.git import _answer, _Done
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
        ("remote: error: no\nfatal: the remote end hung up unexpectedly\n", "remote: error: no"),
    ],
)
def test_the_line_with_the_reason_is_shown(err: str, expected: str) -> None:
    with pytest.raises(DeployError) as caught:
        _answer(("push",), _Done(128, b"", err.encode(), frozenset()))
    assert str(caught.value) == f"git push says: {expected}"


@pytest.mark.slow
def test_what_ssh_says_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'git@lumen.dev: Permission denied (publickey).' >&2; false")
    root, _ = with_remote(tmp_path, f'{BRANCH}remote = "git@lumen.dev:log.git"\n')
    assert wrong(root).endswith("git ls-remote says: git@lumen.dev: Permission denied (publickey).")
