"""What git knows: when a file was added, what has changed, who works here. Without git, nothing is known."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec

from devlog.disk.folder import is_there

# The repository's own configuration may name programs to run; none of these settings lets it (see also `uncommitted`).
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
LARGEST_ANSWER = 1 << 26
"""So many bytes of an answer are read: folders that stand in each other many times make endless lists of files."""
_FARTHEST_EAST = timezone(timedelta(hours=23, minutes=59))
BRANCH = re.compile(r"[\w-]+(?:\.[\w-]+)*", re.ASCII)
"""Names of branches that git takes neither for a range nor for a question."""


class Added(msgspec.Struct, frozen=True):
    """When files were first committed, as a repository says in one of its states.

    Attributes:
        dates: the author's date, in UTC, by file. Files that git does not know are missing; all are when there is no
            git, no repository, or only a shallow copy of one.
        state: see `state_of`; empty when git has not answered, so that nobody takes that for its answer.
    """

    dates: dict[str, datetime]
    state: str


def dates_added(root: Path, folder: str) -> Added:
    """When the files of a folder were first committed.

    Args:
        root: the site's folder.
        folder: relative to it.

    Returns:
        That, by file relative to `root`.
    """
    state = state_of(root)
    is_shallow, _, rest = state.partition("\n")
    if is_shallow != "false":
        return Added({}, state)  # the oldest commit of a shallow copy seems to add everything
    commit = rest.rpartition("\n")[2]
    shown = ["--diff-filter=A", "--format=%x01%at", "--name-only", "-z", "--relative", "--no-renames"]
    answer = ask(root, ["--literal-pathspecs", *_OWN_LOG, "log", *shown, commit, "--", folder])
    return Added({}, "") if answer is None else Added(_read(answer.decode("utf-8", "surrogateescape")), state)


_OWN_LOG = ("-c", "log.showRoot=true", "-c", "log.follow=false", "-c", "log.diffMerges=separate")
"""What a configuration could make another history of."""


def state_of(root: Path) -> str:
    """What is another text when `dates_added` may have another answer; empty where there is no commit.

    A commit names its whole history. What that shows of it is decided by where the folder lies in the repository, and
    by whether this has all of it; other settings, and what replaces commits, git is told to leave alone.
    """
    answer = ask(root, ["rev-parse", "--is-shallow-repository", "--show-prefix", "HEAD"])
    # As Latin-1, names of folders that are not UTF-8 still differ, and a record can hold them.
    return "" if answer is None else answer.decode("latin-1").removesuffix("\n")


def folder_in_repository(root: Path) -> str | None:
    """The path of a folder in its repository, with a slash at its end, empty at the top; `None` outside of one."""
    answer = ask(root, ["rev-parse", "--show-prefix"])
    return None if answer is None else os.fsdecode(answer.removesuffix(b"\n"))


def ask(folder: Path, command: list[str], settings: Iterable[tuple[str, str]] = ()) -> bytes | None:
    """What git answers; `None` when it refuses, or there is no git.

    Args:
        folder: where to ask.
        command: fixed words; names that others chose follow ``--``, or cannot be taken for an option.
        settings: keys of git's configuration, and what they are to be.
    """
    return _run(folder, command, closed_environment() | variables(settings))


def variables(settings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The variables of the environment that tell git some settings, which count more than those of any file."""
    pairs = tuple(settings)
    answer = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (key, value) in enumerate(pairs):
        answer |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return answer


def closed_environment() -> dict[str, str]:
    """The environment in which git asks nobody else, waits for nobody, and hears of nothing but a repository."""
    # A partial clone would fetch what it lacks, by whatever program its configuration names.
    answer = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
    # What stands in for a commit, or for its parents, would make another history of the same commit.
    own = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
    return environment(_KEPT_ENVIRONMENT) | answer | own


def environment(kept: Iterable[str]) -> dict[str, str]:
    """Those of some variables of the environment that are set."""
    return {key: os.environ[key] for key in kept if key in os.environ}


def _run(folder: Path, command: list[str], variables: dict[str, str]) -> bytes | None:
    try:
        process = subprocess.Popen(  # noqa: S603 - see above
            words(command),
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    timer = threading.Timer(_SECONDS, process.kill)
    timer.daemon = True
    with process:
        timer.start()
        try:
            assert process.stdout
            answer = process.stdout.read(LARGEST_ANSWER + 1)
            if len(answer) <= LARGEST_ANSWER:
                process.wait()
        finally:
            timer.cancel()
            process.kill()
    return answer if process.returncode == 0 else None


def words(command: Iterable[str]) -> list[str]:
    """A command of git's that has no program run which the repository's own configuration names."""
    return ["git", *_SAFE, *command]


def uncommitted(root: Path) -> tuple[str, ...] | None:
    """The files below a folder that differ from the last commit, new ones included.

    Returns:
        Their names, relative to `root`; a folder that is new as a whole is named instead of its files. None of them
        outside of a work tree. `None` where there seems to be one and git does not answer.
    """
    above = folder_in_repository(root)
    # What is changed inside a submodule would be asked there, and its own configuration be heard.
    shown = ["--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"]
    answer = ask(root, ["--literal-pathspecs", "status", *shown, "--", "."], _without_filters(root))
    if answer is None or above is None:
        inside = any(is_there(folder / ".git") for folder in (root.resolve(), *root.resolve().parents))
        return None if inside else ()
    names = (record[3:] for record in os.fsdecode(answer).split("\0") if len(record) > 3)
    return tuple(name.removeprefix(above) or "." for name in names)


def _without_filters(folder: Path) -> list[tuple[str, str]]:
    """Settings that take away the programs through which the repository's own configuration would have files read.

    Those that users have set for all their repositories, as for large files, stay.
    """
    answer = ask(folder, ["config", "--show-scope", "--name-only", "--null", "--get-regexp", r"^filter\."]) or b""
    words = os.fsdecode(answer).split("\0")
    found = zip(words[::2], words[1::2], strict=False)
    names = {key.rpartition(".")[0] for scope, key in found if scope in _OF_REPOSITORY}
    return [(f"{name}.{key}", value) for name in sorted(names) for key, value in _NO_FILTER]


_OF_REPOSITORY = frozenset({"local", "worktree"})
_NO_FILTER = (("clean", ""), ("process", ""), ("required", "false"))


def commit_of(folder: Path, day: str, branch: str = "") -> str:
    """The newest commit of a repository at the end of a day.

    Args:
        folder: in the repository.
        day: such as ``2026-05-03``; empty for today.
        branch: as the repository or the one that it was cloned from has it; empty for what is checked out.

    Returns:
        Empty when there is none.
    """
    if branch and not BRANCH.fullmatch(branch):
        return ""
    before = [f"--before={day}T23:59:59Z"] if day else []
    for ref in (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}") if branch else ("HEAD",):
        if answer := ask(folder, ["rev-list", "-1", "--first-parent", *before, ref, "--"]):
            return answer.decode("ascii", "replace").strip()
    return ""


def lines_at(folder: Path, commit: str, file: str) -> int:
    """How many lines a file of a repository has in a commit; -1 when it is not there, or is no file."""
    if not set(file.split("/")).isdisjoint({"", ".", ".."}) or "\0" in file:
        return -1  # git would count such a path from where it runs
    answer = ask(folder, ["cat-file", "blob", f"{commit}:{file}"])
    return -1 if answer is None else answer.count(b"\n") + (not answer.endswith(b"\n") and bool(answer))


class Identity(msgspec.Struct, frozen=True):
    """What git's configuration says in a folder; what it does not say is empty.

    Attributes:
        name: of the person who works there.
        email: theirs.
        origin: the address of the repository from which this one was cloned.
    """

    name: str = ""
    email: str = ""
    origin: str = ""


def identity(folder: Path) -> Identity:
    """Who works in a folder, and on what, as git's configuration says.

    Args:
        folder: inside a repository or not.

    Returns:
        What is known: nothing where there is no git.
    """
    wanted = r"^(user\.(name|email)|remote\.origin\.url)$"
    command = ["config", "--includes", "--null", "--get-regexp", wanted]
    answer = _run(folder, command, environment((*_KEPT_ENVIRONMENT, "XDG_CONFIG_HOME", "USERPROFILE"))) or b""
    found: dict[str, str] = {}
    for record in answer.decode("utf-8", "replace").split("\0"):
        key, _, value = record.partition("\n")
        found[key] = value  # the nearest setting comes last
    return Identity(found.get("user.name", ""), found.get("user.email", ""), found.get("remote.origin.url", ""))


def _read(log: str) -> dict[str, datetime]:
    """Read records of the form ``\\x01seconds\\0\\nfile\\0file\\0``; the oldest commit comes last and wins."""
    found: dict[str, datetime] = {}
    for record in log.split("\x01")[1:]:
        seconds, _, names = record.partition("\0")
        try:
            added = datetime.fromtimestamp(int(seconds), UTC)
            added.astimezone(_FARTHEST_EAST)
        except (ValueError, OverflowError, OSError):  # whoever makes a commit says when; git takes any number
            continue
        for name in names.split("\0"):
            if name.strip("\n"):
                found[name.strip("\n")] = added
    return found
