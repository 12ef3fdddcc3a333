"""Runs git with limits, and asks it what has changed and who the user is. Without git, most answers are empty."""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING
from unicodedata import normalize

import msgspec

from devlog.disk.folder import is_there, without_links
from devlog.model.git_dates import GitFailure
from devlog.threads import start as start_thread

if TYPE_CHECKING:
    import subprocess

# A repository's own configuration may name programs to run. These settings prevent that (see also `uncommitted`).
_SAFE = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.quotePath=false",
    # These files are read to their end, which a device or a pipe does not have.
    "-c",
    "mailmap.file=",
    "-c",
    "diff.orderFile=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "mailmap.blob=HEAD:.mailmap",
    "-c",
    "log.showSignature=false",
    "--no-pager",
]
LOG = (
    *("-c", "log.showRoot=true", "-c", "log.follow=false", "-c", "log.diffMerges=separate"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),  # it is by default that of messages
    *("-c", "diff.relative=false", "-c", "diff.algorithm=default"),
    "log",
)
"""``git log`` with settings of its own where a configuration could change its output.

With ``-m --first-parent``, merges are compared with their first parent. Git has an option for that since version 2.31.
"""
KEPT_ENVIRONMENT = (
    "PATH HOME SYSTEMROOT XDG_CONFIG_HOME USERPROFILE GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM SUDO_UID"
).split()
"""Variables that git needs to run, to find the configurations of the user and the system, and to tell who runs it."""
NO_NETWORK = {"GIT_ALLOW_PROTOCOL": os.urandom(16).hex(), "GIT_NO_LAZY_FETCH": "1"}
"""Variables with which git contacts no server. A partial clone would fetch missing objects as its own configuration
says, which can name programs to run and files to write. Older versions of git only know the first variable. It allows a
protocol that nobody can guess: an empty list would allow the one without a name, and the configuration can say how git
uses that.
"""
_SECONDS = 20
LARGEST_ANSWER = 1 << 26
"""The maximum size of an answer in bytes: trees that contain each other many times make endless lists of files."""
_MEMORY = 2 << 30
"""How many bytes git may hold, beside the files that it maps: it collects all files that a commit has changed
before it answers, and compares texts as wholes."""


def state_of(root: Path) -> str:
    """A text that changes if the dates of files in git may have changed; empty if there is no commit.

    A commit identifies its whole history. The answer also depends on the location of the folder in the repository, and
    on whether the clone is shallow. git is run in such a way that other settings and replaced commits have no effect.
    If there seems to be a repository, but git does not answer, the state is the `GitFailure`: it may belong to another
    user. Without git, there are no commits.
    """
    command = ["rev-parse", "--revs-only", "--is-shallow-repository", "--show-prefix", "HEAD"]
    answer = _answer(root, command, _closed_environment())
    if not isinstance(answer, bytes):
        return answer.value if answer and _seems_inside(root) else ""
    # Decoded as Latin-1, names of folders that are not UTF-8 stay distinct, and can be stored in a record.
    state = answer.decode("latin-1").removesuffix("\n")
    # Before the first commit, the last line is the path of the folder: empty, or with a slash at its end.
    return "" if state.endswith(("\n", "/")) else state


def _seems_inside(folder: Path) -> bool:
    """Whether a folder is in a work tree, as far as can be told without git."""
    place = without_links(folder)
    return any(is_there(up / ".git") for up in (place, *place.parents))


def folder_in_repository(root: Path) -> str | None:
    """The path of a folder in its repository, with a trailing slash, empty for the top; `None` outside of one."""
    answer = ask(root, ["rev-parse", "--show-prefix"])
    return None if answer is None else os.fsdecode(answer.removesuffix(b"\n"))


def ask(
    folder: Path, command: list[str], settings: Iterable[tuple[str, str]] = (), *, given: bytes = b""
) -> bytes | None:
    """Run git, and return its output; `None` if it fails, or there is no git.

    Args:
        folder: the folder in which it runs.
        command: constant arguments; untrusted names come after ``--``, or cannot be parsed as an option.
        settings: keys and values of git's configuration.
        given: what the command reads from its standard input.
    """
    return run(folder, command, _closed_environment() | variables(settings), given)


def ask_checkout(folder: Path, command: list[str], *, given: bytes = b"") -> bytes | None:
    """Run git as `ask` does, in a folder that the user has named as a checkout: it may also be a bare repository.

    Args:
        folder: in the checkout, or the bare repository itself.
        command: see `ask`.
        given: what the command reads from its standard input.
    """
    return run(folder, command, environment_of(folder) if is_bare(folder) else _closed_environment(), given)


def variables(settings: Iterable[tuple[str, str]], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment variables with settings for git, which override those of all files.

    Unlike words of the command, they can name a section that contains ``=``. Git before version 2.31 ignores them.

    Args:
        settings: keys and values.
        given: such variables with other settings, to add to.
    """
    pairs, answer = tuple(settings), dict(given or {})
    first = int(answer.get("GIT_CONFIG_COUNT") or 0)
    answer["GIT_CONFIG_COUNT"] = str(first + len(pairs))
    for number, (key, value) in enumerate(pairs, first):
        answer |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return answer


def given_settings() -> dict[str, str]:
    """The variables by which the environment gives settings to git: by number, and as ``git -c`` does."""
    return {key: value for key, value in os.environ.items() if _GIVES_SETTING.fullmatch(key)}


_GIVES_SETTING = re.compile(r"GIT_CONFIG_(?:COUNT|PARAMETERS|(?:KEY|VALUE)_\d+)", re.ASCII)


def _closed_environment() -> dict[str, str]:
    """An environment in which git contacts no server, does not wait for locks, and replaces no commits.

    All configurations of the user and the system count: they say which repositories of other users are safe to read,
    which filters large files have, and which files are ignored.
    """
    # Replacements of a commit or its parents would change the history of the same commit.
    own = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
    return environment(KEPT_ENVIRONMENT) | NO_NETWORK | own


def environment_of(folder: Path) -> dict[str, str]:
    """The closed environment for a folder that must itself be the root of a checkout, or a bare repository.

    Its repository is named, so that git looks for none: it could take files that a commit has put there for one.
    """
    return _closed_environment() | {"GIT_DIR": str(folder if is_bare(folder) else folder / ".git"), "LC_ALL": "C"}


def is_bare(folder: Path) -> bool:
    """Whether a folder is a bare repository."""
    parts = all(is_there(folder / name, folder=name != "HEAD") for name in ("objects", "refs", "HEAD"))
    return parts and not is_there(folder / ".git")


def seems_bare_inside(folder: Path) -> bool:
    """Whether git could take a folder, or one above it, for a bare repository before it finds the ``.git`` around it.

    A commit can contain the files that make one, which in turn may name another repository. Git refuses it only since
    version 2.38, which has ``safe.bareRepository``.
    """
    place = without_links(folder)
    for up in (place, *place.parents):
        if is_there(up / ".git", follow=False):
            return False
        if is_there(up / "HEAD", follow=False) and (
            is_there(up / "commondir") or (is_there(up / "objects") and is_there(up / "refs"))
        ):
            return True
    return False


def environment(kept: Iterable[str]) -> dict[str, str]:
    """Those of the named environment variables that are set."""
    return {key: os.environ[key] for key in kept if key in os.environ}


def with_others(kept: Iterable[str]) -> dict[str, str]:
    """Those of the named environment variables that are set, and all that are not git's own."""
    return environment(kept) | {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}


_LONG_SECONDS = 5.0
_REST_SECONDS = 300.0
_failed: dict[tuple[object, ...], float] = {}
"""The questions that git failed to answer after some time, and when: a preview would wait for each at each edit. That
something does not exist is an answer, too, and comes sooner."""
_MOST_FAILED = 3
"""How many such questions a repository gets in some minutes: then the cause is hardly the question, but settings of the
repository, for example, that include a file which never ends."""


def run(folder: Path, command: list[str], variables: dict[str, str], given: bytes = b"") -> bytes | None:
    """Run git in an environment, and return its output as `ask` does.

    Args:
        folder: the folder in which it runs.
        command: see `ask`.
        variables: its whole environment, such as `environment_of`.
        given: what the command reads from its standard input.
    """
    answer = _answer(folder, command, variables, given)
    return answer if isinstance(answer, bytes) else None


def _answer(
    folder: Path, command: list[str], variables: dict[str, str], given: bytes = b""
) -> bytes | GitFailure | None:
    """Run git in an environment, and return its output, or why there is none: `None` if git cannot be started.

    It may take `_SECONDS`, `_MEMORY` and an answer of `LARGEST_ANSWER`. What it failed to answer after some time is not
    asked again for some minutes, and nothing else after `_MOST_FAILED` such questions.
    """
    question = (str(folder), *command, hash(given))
    earliest = time.monotonic() - _REST_SECONDS
    failed = [other for other, when in _failed.items() if when > earliest and other[0] == question[0]]
    if question in failed or len(failed) >= _MOST_FAILED:
        return GitFailure.STOPPED
    # Imported here because a build in which nothing has changed may start no program.
    import shutil
    import subprocess
    import tempfile

    begin = time.monotonic()
    with tempfile.TemporaryFile() if given else nullcontext(subprocess.DEVNULL) as questions:
        if not isinstance(questions, int):  # a pipe could fill up before the first answer is read
            questions.write(given)
            questions.seek(0)
        try:
            process = start(folder, command, variables, questions)
        except AmbiguousError:
            return GitFailure.NOT_ASKED if shutil.which("git") else None
        except OSError:
            return None

    timer = threading.Timer(_SECONDS, process.kill)
    timer.daemon = True
    with process:
        try:
            start_thread(timer)
            assert process.stdout
            answer = process.stdout.read(LARGEST_ANSWER + 1)
            if len(answer) <= LARGEST_ANSWER:
                process.wait()
        except OSError:  # the system refuses the timer, without which git might never end
            answer = b""
        finally:
            timer.cancel()
            process.kill()
    if process.returncode < 0 or (process.returncode and time.monotonic() - begin > _LONG_SECONDS):
        _failed[question] = time.monotonic()
        return GitFailure.STOPPED
    if len(answer) > LARGEST_ANSWER:  # it may have ended well after the part that was read
        return GitFailure.STOPPED
    return GitFailure.REFUSED if process.returncode else answer


class AmbiguousError(FileNotFoundError):
    """git could find a repository that a commit has put there, see `seems_bare_inside`."""


def start(
    folder: Path, command: Iterable[str], variables: Mapping[str, str], given: IO[bytes] | int
) -> subprocess.Popen[bytes]:
    """Start git, with a limit of its memory where the system has one for other processes.

    Args:
        folder: the folder in which it runs.
        command: see `ask`.
        variables: its whole environment.
        given: a file that it reads as its standard input, or what `subprocess` takes instead of one.

    Raises:
        AmbiguousError: if it could find a repository that a commit has put there.
        OSError: if it cannot be run.
    """
    import subprocess

    from devlog.programs import limit_memory

    if "GIT_DIR" not in variables and seems_bare_inside(folder):
        raise AmbiguousError(errno.ENOENT, "no repository of the user", str(folder))
    process = subprocess.Popen(  # noqa: S603 - all words are devlog's own, see `ask`
        words(command),
        cwd=folder,
        env=variables,
        stdin=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    limit_memory(process.pid, _MEMORY)
    return process


def words(command: Iterable[str]) -> list[str]:
    """A git command that runs no program which the repository's own configuration names."""
    return ["git", *_SAFE, *command]


def uncommitted(root: Path) -> tuple[str, ...] | None:
    """The files below a folder that differ from the last commit, including new ones.

    Returns:
        Their paths, relative to `root`; a folder that is entirely new is listed instead of its files. Empty outside of
        a work tree. `None` if there seems to be a work tree, but git does not answer.
    """
    prefix = ask(root, ["rev-parse", "--show-prefix"])
    # To find changes inside a submodule, git would run there, and read its configuration.
    shown = ["--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"]
    filters = _without_filters(root)
    command = ["--literal-pathspecs", "status", *shown, "--", "."]
    answer = None if filters is None else ask(root, command, filters)
    if answer is None or prefix is None:
        return None if _seems_inside(root) else ()
    names = (record[3:] for record in os.fsdecode(answer).split("\0") if len(record) > 3)
    above = os.fsdecode(prefix.removesuffix(b"\n"))
    return tuple(name.removeprefix(above) or "." for name in names)


def tracked(root: Path, *, new: bool = False) -> frozenset[str] | None:
    """The files of a folder that git has and compares, relative to it, without those of submodules.

    Of files that the user has marked (``skip-worktree``, ``assume-unchanged``), git shows no changes in `uncommitted`.

    Args:
        root: the folder.
        new: whether to return files, too, that git neither has nor ignores.

    Returns:
        The files; `None` without a work tree.
    """
    command = ["ls-files", "-v", "-z", *(["--cached", "--others", "--exclude-standard"] if new else [])]
    answer = ask(root, command)
    if answer is None:
        return None
    records = (record.partition(" ") for record in normalize("NFC", os.fsdecode(answer)).split("\0"))
    return frozenset(name for state, _, name in records if state != "S" and not state.islower())


def _without_filters(folder: Path) -> list[tuple[str, str]] | None:
    """Settings that turn off the filter programs in the repository's own configuration, through which git reads files.

    Filters that are configured for all repositories of the user or the system, for example for large files, stay.
    `None` if git does not tell all filters, cannot be given settings, as before version 2.31, or the repository's own
    configuration names a program for one of these to run: then any of them could run.
    """
    named = ["config", "--show-scope", "--name-only", "--null", "--get-regexp", r"^(filter|lfs|annex)\."]
    # git fails if there are none. With one of devlog's own, a failure has another reason.
    given = "filter.devlog.required"
    answer = ask(folder, named, [(given, "false")])
    if answer is None:
        return None
    words = os.fsdecode(answer).split("\0")
    found = list(zip(words[::2], words[1::2], strict=False))
    if ("command", given) not in found:  # nor would those settings count that turn filters off
        return None
    own = [key for scope, key in found if scope in _OF_REPOSITORY]
    if any(map(_RUN_BY_FILTER.fullmatch, own)):
        return None
    names = {key.rpartition(".")[0] for key in own if key.startswith("filter.")}
    return [(f"{name}.{key}", value) for name in sorted(names) for key, value in _NO_FILTER]


_OF_REPOSITORY = frozenset({"local", "worktree"})
_RUN_BY_FILTER = re.compile(
    r"lfs\.(?:extension|customtransfer)\..*|lfs\.(?:.*\.)?standalonetransferagent|annex\..*(?:command|hook|program)",
    re.DOTALL,
)
"""Settings with programs that Git LFS and git-annex run, whose filters users have configured for all repositories."""
_NO_FILTER = (("clean", ""), ("process", ""), ("required", "false"))


class Identity(msgspec.Struct, frozen=True):
    """Values of git's configuration in a folder; empty if they are not set.

    Attributes:
        name: the user's name.
        email: the user's email address.
        origin: the URL of the repository from which this one was cloned.
    """

    name: str = ""
    email: str = ""
    origin: str = ""


def branch_of(folder: Path) -> str:
    """The branch that is checked out in a repository, even if it has no commit yet; empty if there is none."""
    return os.fsdecode(ask(folder, ["symbolic-ref", "--quiet", "--short", "HEAD"]) or b"").removesuffix("\n")


def identity(folder: Path) -> Identity:
    """The user and the origin of a repository, from git's configuration.

    Args:
        folder: a folder, inside a repository or not.

    Returns:
        The configured values; all empty without git.
    """
    wanted = r"^(user\.(name|email)|remote\.origin\.url)$"
    command = ["config", "--includes", "--null", "--get-regexp", wanted]
    answer = ask(folder, command) or b""
    found: dict[str, str] = {}
    for record in answer.decode("utf-8", "replace").split("\0"):
        key, _, value = record.partition("\n")
        found[key] = value  # the nearest setting comes last
    return Identity(found.get("user.name", ""), found.get("user.email", ""), found.get("remote.origin.url", ""))
