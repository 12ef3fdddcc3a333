"""What the commits of a repository contain: its branches, files by commit and path, and the contents of blobs."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from devlog.disk.git import ask, environment_of, run, start
from devlog.threads import start as start_thread

if TYPE_CHECKING:
    import subprocess

BRANCH = re.compile(r"[\w-]+(?:\.[\w-]+)*", re.ASCII)
"""Matches names of branches that git does not parse as a range or another expression."""


def commit_of(folder: Path, day: str, branch: str = "") -> str:
    """The newest commit of a repository at the end of a day.

    Args:
        folder: a folder in the repository.
        day: the day, such as ``2026-05-03``; empty for today.
        branch: a branch of the repository or of its origin; empty for what is checked out.

    Returns:
        The commit; empty if there is none.
    """
    if branch and not BRANCH.fullmatch(branch):
        return ""
    before = [f"--before={day}T23:59:59Z"] if day else []
    for ref in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}") if branch else ("HEAD",):
        if answer := ask(folder, ["rev-list", "-1", "--first-parent", *before, ref, "--"]):
            return answer.decode("ascii", "replace").strip()
    return ""


BRANCHES = ("for-each-ref", "--format=%(refname)", "refs/heads/", "refs/remotes/origin/")
"""The command of git that lists branches."""


def branches_of(folder: Path) -> frozenset[str]:
    """The names of the branches of a repository and of its origin; empty if git does not answer."""
    return branch_names(ask(folder, list(BRANCHES)) or b"")


def branch_names(answer: bytes) -> frozenset[str]:
    """The names in git's answer to `BRANCHES`."""
    refs = os.fsdecode(answer).split("\n")
    return frozenset(ref.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/") for ref in refs if ref)


def lines_at(folder: Path, commit: str, file: str) -> int:
    """The number of lines of a file in a commit; -1 if it does not exist there, or is not a file."""
    if not set(file.split("/")).isdisjoint({"", ".", ".."}) or "\0" in file:
        return -1  # git would resolve such a path relative to the folder in which it runs
    answer = ask(folder, ["cat-file", "blob", f"{commit}:{file}"])
    return -1 if answer is None else answer.count(b"\n") + (not answer.endswith(b"\n") and bool(answer))


class Blob(msgspec.Struct, frozen=True):
    """The content of a file in a commit: git's name of it, and its size in bytes."""

    name: str
    size: int


def blobs_in(checkout: Path, places: Sequence[tuple[str, str]]) -> list[Blob | str] | None:
    """The contents of files in commits, with one process for all. Nothing is fetched.

    Args:
        checkout: the root of a checkout, or a bare repository.
        places: pairs of a commit, tag or ``HEAD`` and a path from the root. Links between files of a commit are
            followed, no others.

    Returns:
        For each place its content, or else what git says in its place: ``missing`` if there is no such commit or file,
        ``symlink`` for a link that leads out of the commit. `None` if git does not answer.
    """
    folder = Path(os.path.realpath(checkout))
    asked = b"".join(os.fsencode(f"{_ref(commit)}:{path}\n") for commit, path in places)
    command = ["cat-file", "--follow-symlinks", "--batch-check=%(objecttype) %(objectname) %(objectsize)"]
    answer = run(folder, command, environment_of(folder), asked) if places else b""
    if answer is None:
        return None
    found: list[Blob | str] = []
    start = 0
    while start < len(answer):
        end = answer.index(b"\n", start)
        line, start = answer[start:end], end + 1
        kind, _, rest = line.partition(b" ")
        if kind in _FOLLOWED and rest.isdigit():  # a length, and a text of that length on the next line
            start += int(rest) + 1
            found.append("symlink" if kind == b"symlink" else "missing")
        elif blob := _BLOB.fullmatch(line):
            found.append(Blob(blob[1].decode(), int(blob[2])))
        else:
            found.append("missing")
    return found if len(found) == len(places) else None


_BLOB = re.compile(rb"blob ([0-9a-f]{40,64}) ([0-9]{1,18})")
_FOLLOWED = frozenset({b"symlink", b"dangling", b"loop", b"notdir"})
_COMMIT = re.compile(r"HEAD|[0-9a-f]{7,64}")


def _ref(name: str) -> str:
    """The name under which git knows a commit or a tag."""
    return name if _COMMIT.fullmatch(name) else f"refs/tags/{name}"


_MOST_STARTS = 5


class NoAnswerError(Exception):
    """git does not answer: it cannot be run or fails, or all answers together have taken too long."""


class Contents:
    """The contents of blobs, with one process for all. It is started for the first one; `close` ends it.

    If git fails, it is started again a few times, and not after all answers together have taken too long.
    """

    def __init__(self, checkout: Path, seconds: float = 60.0) -> None:
        """
        Args:
            checkout: the root of a checkout, or a bare repository.
            seconds: how long all answers together may take.
        """
        self._folder = Path(os.path.realpath(checkout))
        self._seconds = seconds
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None

    def of(self, blob: str, most: int) -> bytes | None:
        """The bytes of a blob; `None` if there is no such blob, or it is larger than `most`.

        Raises:
            NoAnswerError: if git does not answer.
        """
        if self._process:
            with contextlib.suppress(NoAnswerError):  # the process may have ended because of an earlier question
                return self._asked(self._process, blob, most)
        self._process = self._started()
        return self._asked(self._process, blob, most)

    def _asked(self, process: subprocess.Popen[bytes], blob: str, most: int) -> bytes | None:
        begin = time.monotonic()
        timer = threading.Timer(max(0, self._seconds), process.kill)
        timer.daemon = True
        try:
            start_thread(timer)
            return _asked(process, blob, most)
        except ValueError:
            self.close()  # else its next words would belong to this question
            return None
        except OSError as error:
            self.close()
            raise NoAnswerError from error
        finally:
            timer.cancel()
            self._seconds -= time.monotonic() - begin

    def _started(self) -> subprocess.Popen[bytes]:
        import subprocess  # a build in which nothing has changed may start no program

        if self._starts == _MOST_STARTS or self._seconds <= 0:
            raise NoAnswerError
        self._starts += 1
        try:
            return start(self._folder, ["cat-file", "--batch"], environment_of(self._folder), subprocess.PIPE)
        except OSError as error:
            raise NoAnswerError from error

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            with contextlib.suppress(OSError), process:  # there may be words that it did not read
                pass


def _asked(process: subprocess.Popen[bytes], blob: str, most: int) -> bytes | None:
    """The bytes of a blob; `None` if there is no such object.

    Raises:
        OSError: if the process has ended.
        ValueError: if it is larger than `most`, or no blob; the answer goes on.
    """
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{blob}\n".encode())
    process.stdin.flush()
    about = process.stdout.readline(_LONGEST_LINE).split()
    if about[1:] == [b"missing"]:
        return None
    if len(about) != 3:
        raise OSError("no answer")
    if about[1] != b"blob" or int(about[2]) > most:
        raise ValueError("another object")
    size = int(about[2])
    data = process.stdout.read(size + 1)
    if len(data) != size + 1:
        raise OSError("a part of an answer")
    return data[:-1]


_LONGEST_LINE = 1 << 10
