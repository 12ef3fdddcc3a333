"""What the repository's history knows: when a file was added. Without git, nothing is known."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

# The repository's own configuration may name programs to run; none of these settings lets it.
_SAFE = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.quotePath=false",
    "-c",
    "log.showSignature=false",
    "--no-pager",
]
_KEPT_ENVIRONMENT = ("PATH", "HOME", "SYSTEMROOT")
_SECONDS = 20


def dates_added(root: Path, folder: str) -> dict[str, datetime]:
    """When the files of a folder were first committed.

    Args:
        root: the site's folder.
        folder: relative to it.

    Returns:
        The author's date, in UTC, by file relative to `root`. Files that git does not know are missing; all are
        when there is no git, no repository, or only a shallow copy of one.
    """
    environment = {key: os.environ[key] for key in _KEPT_ENVIRONMENT if key in os.environ}
    # A partial clone would fetch what it lacks, by whatever program its configuration names.
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
    shown = ["--diff-filter=A", "--format=%x01%at", "--name-only", "-z", "--relative"]
    command = ["git", *_SAFE, "--literal-pathspecs", "log", *shown, "--", folder]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command; the folder follows "--"
            command, cwd=root, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if done.returncode != 0:
        return {}
    return _read(done.stdout.decode("utf-8", "surrogateescape"))


def _read(log: str) -> dict[str, datetime]:
    """Read records of the form ``\\x01seconds\\0\\nfile\\0file\\0``; the oldest commit comes last and wins."""
    found: dict[str, datetime] = {}
    for record in log.split("\x01")[1:]:
        seconds, _, names = record.partition("\0")
        if not seconds.strip().isdecimal():
            continue
        added = datetime.fromtimestamp(int(seconds), UTC)
        for name in names.split("\0"):
            if name.strip("\n"):
                found[name.strip("\n")] = added
    return found
