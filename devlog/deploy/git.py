"""Runs git for publishing, in such a way that only the user's own settings can start other programs.

Objects are read, made, fetched and pushed in a scratch repository that also has those of the site's own repository, and
the settings that `devlog.deploy.git_settings` chooses. In the site's own repository, git reads names and moves a
branch, without a network.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from devlog.deploy import git_settings, protocols
from devlog.deploy.git_settings import Found
from devlog.deploy.objects import add_objects
from devlog.deploy.reason import hint, reason
from devlog.disk.folder import Folder, describe, is_link
from devlog.disk.git import (
    KEPT_ENVIRONMENT,
    NO_NETWORK,
    environment,
    given_settings,
    seems_bare_inside,
    variables,
    with_others,
    words,
)
from devlog.plugin import DeployError
from devlog.programs import ended_with_this, limit_files, limit_memory

_KEPT = (
    *KEPT_ENVIRONMENT,
    *"TMPDIR TEMP LANG SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS".split(),
    *"GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS GIT_PROXY_COMMAND".split(),
    *"GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE".split(),
    *"GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE".split(),
    *"GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_CERT GIT_SSL_KEY GIT_SSL_CERT_PASSWORD_PROTECTED".split(),
    *"GIT_SSL_NO_VERIFY GIT_SSL_VERSION GIT_SSL_CIPHER_LIST".split(),
    *"GIT_PROXY_SSL_CAINFO GIT_PROXY_SSL_CERT GIT_PROXY_SSL_KEY GIT_PROXY_SSL_CERT_PASSWORD_PROTECTED".split(),
    *"GIT_HTTP_PROXY_AUTHMETHOD GIT_HTTP_USER_AGENT GIT_HTTP_LOW_SPEED_LIMIT GIT_HTTP_LOW_SPEED_TIME".split(),
)
"""Git's variables that the user may set for a push. Settings in the environment count, too: see `given_settings`."""
_SAFE = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_NETWORK = {"GIT_NO_LAZY_FETCH": "1"}
"""For commands that contact a remote, in a scratch repository in whose configuration there are only settings and
remotes that were checked. Missing objects are not fetched one by one: a server could make git start a process for each
without end. These commands get all variables that are not git's, too: the user's helpers for passwords and keys need
any.
"""
_OF_SCRATCH = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
"""The variables with which git gets other settings of the user in a scratch repository."""
_SECONDS = 600
_OFTEN = 0.05
"""Seconds between two checks of a running command."""
_GRACE = 2.0
_LARGEST = 256_000_000
"""The maximum size of git's output and of its error output in bytes, if not all of it is held in memory."""
_SMALL = 1 << 24
"""The maximum size otherwise, and of a file of git's that is read."""
_OF_A_FILE = 1_000
"""In the scratch repository, the maximum is this for each file of the site, or `_SMALL` if that is more: a remote
decides what is there, and some trees that contain each other are a list of a million files."""
_LONGEST_RECORD = 1 << 16
"""How many bytes of a line about a file are read: no system has longer paths."""
_EXCERPT = 64_000
"""How many bytes at the beginning and at the end of git's error output are searched for the reason of a failure."""
_UNNAMED = "devlog-remote"
_ABSOLUTE = "--path-format=absolute"
_NO_REMOTE = 2
"""The status of ``git remote get-url`` if there is no such remote."""
_FETCHED = "refs/devlog/fetched"
FETCHING = "--no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance --quiet".split()
"""Options of fetching that override the user's settings, which are meant for their own work."""
_INCOMPLETE = "a partial clone may lack a part of the last commit: use a clone without a filter"
_NESTED = b"ignoring alternate object stores, nesting too deep"
_TOO_DEEP = "the repository borrows objects over too many others: with “git repack -a -d”, it has all of its own"
_MEMORY = 3 << 30
"""How many bytes git may hold, or write into a file: a remote of some kilobytes can have files of gigabytes."""
# With these, it needs less for the largest files of a site.
_SPARING = ("-c", "core.bigFileThreshold=32m", "-c", "pack.windowMemory=256m")
# The scratch repository has no branches, so garbage collection would consider all shared objects unreachable.
_ALONE = ("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.writeCommitGraph=false")
# As packs, objects that are fetched leave the times alone of those that the site's repository has: see `rehearse`.
_PACKED = ("-c", "fetch.unpackLimit=1")
# A remote learns of no commits but those of `Repository.know`, and cannot send git and what it pushes elsewhere.
_CLOSED = ("-c", "core.alternateRefsPrefixes=refs/devlog/none/", "-c", "http.followRedirects=false")
# The messages of devlog's commits say which site a branch has.
_UTF_8 = ("-c", "i18n.commitEncoding=UTF-8", "-c", "i18n.logOutputEncoding=UTF-8")
_NOBODY = {"NAME": "devlog", "EMAIL": "devlog@localhost"}


class _Where(NamedTuple):
    """Where git runs.

    Attributes:
        variables: the variables of the environment that select a repository, and settings that override all others.
        network: whether git may contact remotes.
    """

    variables: Mapping[str, str] = {}
    network: bool = False


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


class Repository:
    """The git repository of a site, without its work tree.

    Attributes:
        folder: the site's folder.
        top: the root of the work tree, to which git resolves relative URLs of remotes.
        prefix: the site's folder relative to `top`, with a trailing ``/``; empty for the root.
        common: the folder that git shares between all work trees of the repository (``--git-common-dir``).
        is_shallow: whether the repository lacks older commits.
    """

    def __init__(self, folder: Path, scratch: Path, *, files: int) -> None:
        """
        Args:
            folder: the site's folder.
            scratch: an empty folder for temporary files, and for new objects: see `keep_objects`.
            files: the number of files of the site, by which the size of answers is limited.

        Raises:
            DeployError: there is no git or no repository, or its configuration would run programs.
        """
        if seems_bare_inside(folder):
            raise DeployError(
                "the site's folder, or one above it, has files that git could take for a bare repository",
                "see where there are “HEAD”, “objects” and “refs” beside each other",
            )
        self.folder = self._cwd = folder
        self._largest = max(_SMALL, _OF_A_FILE * files)
        self._urls = set[str]()
        self._given = given_settings()
        self._own = self._scratch = _Where(self._given)
        self.prefix = self.own("rev-parse", "--show-prefix")
        top = self._run(("rev-parse", "--show-toplevel"), self._own)  # fails in a bare repository
        self.top = folder / ("" if top.status else _without_end(top.out))
        git_dir = self.own("rev-parse", "--absolute-git-dir")
        self._git_dir = Path(git_dir)
        self._own = _Where({"GIT_DIR": git_dir, **self._given})  # before that, git finds it from the site's folder
        if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(self.top)):
            # Like git, so that the user's programs and certificates are found that have relative paths.
            self._cwd = self.top
        self.common = Path(self._path("--git-common-dir"))
        boundary = _boundary(self.common / "shallow")
        self.is_shallow = bool(boundary)
        folders = git_settings.folders_of(folder, self._git_dir, self.common)
        settings = git_settings.read(self.own(*git_settings.LIST), folders, environment(_KEPT))
        all_used = (*settings.users, *git_settings.used(settings.own), *settings.given)
        self._urls |= git_settings.proxies(all_used, with_others(()))
        self._own = _Where({"GIT_DIR": git_dir, **variables(git_settings.without_hooks(settings.own), self._given)})
        self._top, self._addresses = scratch / "repository", scratch / "addresses"
        self._separate, self._users, self._kept = scratch / "separate", scratch / "users", scratch / "kept"
        self._overriding = scratch / "given"
        self._scratch = self._at(self._top, GIT_INDEX_FILE=str(scratch / "index"))
        self._rehearsed = scratch / "rehearsed"
        self._make(settings, boundary)
        self._protocols = self._allowed()
        for who in ("AUTHOR", "COMMITTER"):
            if self.run("var", f"GIT_{who}_IDENT") is None:
                named = {f"GIT_{who}_{key}": value for key, value in _NOBODY.items()}
                self._scratch = _Where({**self._scratch.variables, **named})

    def _make(self, settings: Found, boundary: bytes) -> None:
        """Create the scratch repository, and one that is only asked about addresses, as git answers in no other place.

        Args:
            settings: those that git finds in the site's repository.
            boundary: the repository's oldest commits, see `_boundary`.
        """
        git_settings.write(self._users, [("include.path", str(self._kept)), *settings.users])
        git_settings.write(self._overriding, settings.given)
        for top in (self._top, self._addresses):
            self._init(top)
            git_settings.write(top / "config", git_settings.used(settings.own))
        git_settings.write(self._addresses / "config", git_settings.addresses(settings.own))
        if boundary:
            (self._top / "shallow").write_bytes(boundary)
        (self._top / "objects" / "info").mkdir(exist_ok=True)
        self._rehearsed.mkdir()
        objects = self._path("--git-path", "objects")
        folders = (objects, str(self._rehearsed))
        lines = "".join(f"{git_settings.quoted(folder)}\n" for folder in folders)
        (self._top / "objects" / "info" / "alternates").write_bytes(os.fsencode(lines))

    def _allowed(self) -> Mapping[str, str]:
        """The variable with the protocols by which git may contact a remote."""
        done = self._run(protocols.LIST, self._scratch)
        answer = "" if done.status == 1 else _line(protocols.LIST, done)
        found = protocols.allowed(answer, environment(protocols.VARIABLES))
        return {"GIT_ALLOW_PROTOCOL": ":".join(found) or NO_NETWORK["GIT_ALLOW_PROTOCOL"]}

    def _at(self, top: Path, **more: str) -> _Where:
        """Another repository, in which the settings of the user and the environment are those of the site's own one.

        Conditions, such as ``includeIf``, would not hold there, or hold once more.
        """
        users = {"GIT_CONFIG_GLOBAL": str(self._users), "GIT_CONFIG_NOSYSTEM": "1"}
        given = variables([("include.path", str(self._overriding))])
        return _Where({"GIT_DIR": str(top), **users, **given, **more})

    def _init(self, top: Path) -> None:
        """Create an empty bare repository with the same names of objects."""
        kind = self.own("rev-parse", "--show-object-format")
        command = ("init", "--quiet", "--bare", "--template=", f"--object-format={kind}", "--", str(top))
        _answer(command, self._run(command, _Where(self._given)))

    def _path(self, *asked: str) -> str:
        answer = self.own("rev-parse", _ABSOLUTE, *asked)
        if answer.startswith(_ABSOLUTE):  # what git does not know, it repeats
            raise DeployError("git is too old", "install git 2.32 or later")
        return answer

    # -- in the site's own repository, only for commands that need no objects: they read names and move a branch

    def own(self, *command: str) -> str:
        """Run git in the site's own repository, and return its one line of output.

        Raises:
            DeployError: git fails.
        """
        return _line(command, self._run(command, self._own))

    def refuse_links(self, reference: str) -> None:
        """Refuse to move a branch if git would write elsewhere: it follows symbolic links in the repository's folder.

        Args:
            reference: the branch.

        Raises:
            DeployError: one of the files, or of the folders above it, is a link.
        """
        shared = _links(self.common, (reference, f"logs/{reference}", "reftable", "objects"))
        for link in (*shared, *_links(self._git_dir, ("logs/HEAD",))):
            raise DeployError(
                f"“{link}” in the repository is a symbolic link, to where git would write",
                "publish from the repository that it leads to, or replace it with what is there",
            )

    def keep_objects(self) -> None:
        """Add the new objects of the scratch repository to the site's own repository.

        Git must not write them there itself while it talks to a remote, see `devlog.deploy.objects`.

        Raises:
            OSError: they cannot be written, or a folder of objects is a link.
        """
        add_objects(self._top / "objects", self.common)

    def head(self) -> str:
        """The reference that is checked out in the site's work tree; empty if there is none."""
        return self.stands_for("HEAD")

    def stands_for(self, reference: str) -> str:
        """The target of a symbolic reference; empty if it is not symbolic."""
        return self._own_answer("symbolic-ref", "--quiet", reference)

    def setting(self, key: str) -> str:
        """The value of a setting in the site's repository, from all of git's configuration; empty if it is not set."""
        return self._own_answer("config", "--get", key)

    def _own_answer(self, *command: str) -> str:
        """Run git in the site's own repository, and return its one line of output; empty if git has no answer.

        Raises:
            DeployError: git fails otherwise, which is no answer.
        """
        done = self._run(command, self._own)
        return "" if done.status == 1 else _line(command, done)

    # -- in the scratch repository

    def commit_of(self, reference: str) -> str:
        """The commit that a name denotes in the site's own repository; empty if there is none.

        Raises:
            DeployError: the repository lacks the commit.
        """
        found = self._own_answer("rev-parse", "--verify", "--quiet", reference)
        if found:
            self._of_own("cat-file", "-e", f"{found}^{{commit}}")
        return found

    def contents_of(self, commit: str, paths: Container[str]) -> str:
        """Some files of a commit of the site's own repository, in the format of ``git ls-tree -z``.

        Args:
            commit: the commit. There may be any number of files in it.
            paths: those of the files, with a replacement character for each byte that is not UTF-8.

        Raises:
            DeployError: the repository lacks some of the commit's folders.
        """
        command = ("ls-tree", "-r", "-z", "--full-tree", commit)
        return self._of_own(*command, largest=_LARGEST, read=partial(_records_of, paths))

    def text_of(self, commit: str, path: str) -> str:
        """The content of a file in a commit of the site's own repository; empty if there is none.

        Args:
            commit: whose folders are all there, see `contents_of`.
            path: of the file.

        Raises:
            DeployError: the repository lacks the content.
        """
        found = self.run("rev-parse", "--verify", "--quiet", f"{commit}:{path}")
        return self._of_own("cat-file", "blob", _without_end(found)) if found else ""

    def _of_own(self, *command: str, largest: int = _SMALL, read: Callable[[IO[bytes]], bytes] = _content) -> str:
        """Run git in the scratch repository for the site's own objects; see `line` and `_run`."""
        done = self._run(command, self._scratch, largest=largest, read=read)
        if done.status:
            hint = _TOO_DEEP if _NESTED in done.err else _INCOMPLETE
            raise DeployError(f"git {command[0]} says: {done.reason()}", hint)
        return _without_end(done.out)

    def know(self, references: Iterable[str]) -> None:
        """Create references in the scratch repository to existing commits, so that git does not fetch them again.

        Git believes that everything below a reference is there, which it is not in a partial clone.
        """
        for number, reference in enumerate(references):
            with suppress(DeployError):  # the repository lacks the commit
                commit = self.commit_of(reference)
                if commit and self.run("rev-list", "--quiet", "--objects", commit, "--") is not None:
                    self.ask("update-ref", f"refs/devlog/{number}", commit)

    def remotes(self) -> list[str]:
        """The names of all remotes.

        Raises:
            DeployError: git fails.
        """
        found = _line(("remote",), self._run(("remote",), self._at(self._addresses)))
        return [name for name in found.split("\n") if name]

    def addresses(self, remote: str, *which: str) -> list[str]:
        """The URLs of a remote, rewritten as git's configuration says; empty if there is no such remote.

        Args:
            remote: its name.
            which: options of ``git remote get-url``.

        Raises:
            DeployError: git fails.
        """
        self._urls.add(remote)
        command = ("remote", "get-url", *which, "--all", "--", remote)
        done = self._run(command, self._at(self._addresses))
        found = [] if done.status == _NO_REMOTE else _line(command, done).split("\n")
        self._urls.update(found)
        return found

    def addresses_of(self, url: str) -> list[str]:
        """The URLs that a push to a URL goes to, rewritten as git's configuration says."""
        git_settings.write(self._addresses / "config", [(f"remote.{_UNNAMED}.url", url)])
        return self.addresses(_UNNAMED, "--push")

    def git_folder_at(self, path: str) -> str:
        """The git folder at an absolute path, or the one that a ``.git`` file there names; empty if there is none."""
        done = self._run(("rev-parse", "--resolve-git-dir", path), _Where(self._given))
        return "" if done.status else _without_end(done.out)

    def answer_of(self, folder: str, *command: str) -> str:
        """Run git in another repository on this machine, and return its output without its last line end.

        Settings of the environment do not count there: git starts the other side of a push without them. The answer is
        empty if git fails: why, it says when it pushes.
        """
        done = self._run(command, _Where({"GIT_DIR": folder}))
        return "" if done.status else _without_end(done.out)

    def add_remote(self, name: str, url: str) -> str:
        """Give a URL a name in the scratch repository, as arguments can be read by all users; returns the name.

        Git rewrites a URL by the longest prefix that it knows, and of several by the first. This is here the whole URL,
        before all rules of the user, so that it stays as it is. A URL for pushing alone is not rewritten for pushing.
        """
        settings = [(f"remote.{name}.url", url), (f"remote.{name}.pushurl", url)]
        if Path(url).is_absolute():  # on this machine, where git starts the other side itself
            settings.append((f"remote.{name}.receivepack", _receive_pack()))
        git_settings.write(self._top / "config", settings)
        git_settings.write(self._kept, [(f"url.{url}.insteadof", url)])
        return name

    def run(self, *command: str, data: bytes = b"", folder: Path | None = None) -> bytes | None:
        """Run git in the scratch repository, and return its output; `None` if git fails.

        Raises:
            DeployError: git is not installed, takes too long, or writes too much.
        """
        done = self._run(command, self._scratch, data=data, folder=folder, largest=self._largest)
        return done.out if done.status == 0 else None

    def ask(self, *command: str, data: bytes = b"", folder: Path | None = None) -> bytes:
        """Run git in the scratch repository, and return its output.

        Raises:
            DeployError: git fails.
        """
        done = self._run(command, self._scratch, data=data, folder=folder, largest=self._largest)
        return _answer(command, done)

    def line(self, *command: str, data: bytes = b"") -> str:
        """Run git in the scratch repository, and return its one line of output.

        Raises:
            DeployError: git fails.
        """
        return _line(command, self._run(command, self._scratch, data=data, largest=self._largest))

    def rehearse(self, *command: str, data: bytes = b"") -> str:
        """Run git in the scratch repository, and return its one line of output, without a look at any objects.

        What it writes can be read afterwards. If it saw the site's own repository, and the same objects there, it would
        set the times of their files instead, which say for how long ``git gc`` keeps them.

        Raises:
            DeployError: git fails.
        """
        where = _Where({**self._scratch.variables, "GIT_OBJECT_DIRECTORY": str(self._rehearsed)})
        return _line(command, self._run(command, where, data=data, largest=self._largest))

    def talk(self, *command: str) -> str:
        """Run git in the scratch repository with a network, and return its output without its last line end.

        Raises:
            DeployError: git fails.
        """
        return _line(command, self._run(command, self._scratch._replace(network=True), largest=self._largest))

    def separate(self, remote: str, reference: str, commit: str) -> None:
        """Fetch all of a branch into a repository that has no other objects, as `push_separately` needs it.

        Args:
            remote: the name of the remote, which has the branch.
            reference: the branch.
            commit: its newest commit.

        Raises:
            DeployError: git fails, or the remote does not send all of the commit's history.
        """
        self._init(self._separate)
        shutil.copyfile(self._top / "config", self._separate / "config")
        self._talk_separately("fetch", *FETCHING, "--", remote, f"+{reference}:{_FETCHED}")
        found = self._talk_separately("rev-parse", "--verify", _FETCHED)
        if found != commit:
            has = f"it is at {found[:10]}, and not at {commit[:10]}"
            raise DeployError(f"the branch has changed meanwhile: {has}", "see what is on it, and deploy again")

    def push_separately(self, *command: str) -> None:
        """Push from the repository of `separate`. Raises DeployError if git fails."""
        self._talk_separately("push", *command)

    def _for_network(self) -> dict[str, str]:
        """The environment of commands that contact a remote."""
        return {**with_others(_KEPT), **_NETWORK, **self._protocols}

    def _talk_separately(self, *command: str) -> str:
        where = self._at(self._separate)._replace(network=True)
        return _line(command, self._run(command, where, largest=self._largest))

    def _run(
        self,
        command: tuple[str, ...],
        where: _Where,
        *,
        data: bytes = b"",
        folder: Path | None = None,
        largest: int = _SMALL,
        read: Callable[[IO[bytes]], bytes] = _content,
    ) -> _Done:
        # Output goes to files, whose size can be checked: a remote decides how much it sends.
        is_apart = not _has_terminal()  # at a terminal, Ctrl-C reaches all processes in the foreground
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(data)
            given.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603 - constant words; names from elsewhere are never options
                    words((*_ALONE, *_PACKED, *_CLOSED, *_SPARING, *_UTF_8, *command)),
                    cwd=folder or self._cwd,
                    env={
                        **(self._for_network() if where.network else environment(_KEPT) | NO_NETWORK),
                        **_SAFE,
                        **where.variables,
                    },
                    stdin=given,
                    stdout=out,
                    stderr=err,
                    start_new_session=is_apart,
                )
            except FileNotFoundError as error:
                raise DeployError("git is not installed", "install git") from error
            except OSError as error:
                raise DeployError(f"git {command[0]} cannot be run: {error.strerror}") from error
            limit_memory(process.pid, _MEMORY)
            limit_files(process.pid, _MEMORY)
            try:
                # A signal that git can handle: it removes its lock files then.
                with ended_with_this(-process.pid if is_apart else process.pid, "TERM"):
                    status = _status(process, command[0], (out, err), min(largest, _LARGEST))
            finally:
                _end(process, is_apart=is_apart)
            return _Done(status, read(out), _ends(err), frozenset(self._urls))


def _receive_pack() -> str:
    """The command, for a shell, by which a repository on this machine takes a push.

    Its hooks are its owner's, who expects there the user's own configuration, and not devlog's limits for the site.
    """
    own = [*_OF_SCRATCH, *_NETWORK, "GIT_ALLOW_PROTOCOL"]
    users = environment((*_OF_SCRATCH, *protocols.VARIABLES))
    given = "".join(f"export {key}={shlex.quote(value)}; " for key, value in users.items())
    return f"unset {' '.join(own)}; {given}git-receive-pack"


class _Done(NamedTuple):
    """The result of a git command.

    Attributes:
        status: its status.
        out: its output.
        err: the beginning and end of its error output.
        urls: those that git knew.
    """

    status: int
    out: bytes
    err: bytes
    urls: frozenset[str]

    def reason(self) -> str:
        """Why it has failed."""
        return reason(self.out, self.err, self.urls)

    def hint(self) -> str:
        """What to do about that; empty if that is not known."""
        return hint(self.out, self.err, self.urls)


def _status(process: subprocess.Popen[bytes], name: str, said: Iterable[IO[bytes]], largest: int) -> int:
    """Wait for a command, and return its status.

    Raises:
        DeployError: it takes too long, or writes too much.
    """
    end, status = time.monotonic() + _SECONDS, None
    while status is None:
        if time.monotonic() > end:
            raise DeployError(f"git {name} takes longer than {_SECONDS // 60} minutes")
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(_OFTEN)
        if any(os.fstat(file.fileno()).st_size > largest for file in said):
            raise DeployError(f"git {name} says more than {largest:,} bytes")
    return status


def _end(process: subprocess.Popen[bytes], *, is_apart: bool) -> None:
    """Terminate a command that is still running, and the processes that it has started to talk to a remote."""
    if process.poll() is not None:
        return
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    with suppress(ProcessLookupError, PermissionError):
        if is_apart and sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _has_terminal() -> bool:
    """Whether there is a terminal, where ssh can ask the user for the passphrase of a key, for example."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def _records_of(paths: Container[str], file: IO[bytes]) -> bytes:
    """Some records of an answer of ``git ls-tree -z``: it is not held in memory, as it may list any number of files."""
    file.seek(0)
    found, rest = list[bytes](), b""
    while piece := file.read(1 << 20):
        *records, rest = (rest + piece).split(b"\0")
        rest = rest[:_LONGEST_RECORD]
        found += [record for record in records if record.partition(b"\t")[2].decode("utf-8", "replace") in paths]
    return b"\0".join(found)


def _ends(file: IO[bytes]) -> bytes:
    """The beginning and the end of a file, as lines of their own if there is more between them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= 2 * _EXCERPT:
        return file.read()
    first = file.read(_EXCERPT)
    file.seek(-_EXCERPT, os.SEEK_END)
    return first + b"\n" + file.read()


def _boundary(file: Path) -> bytes:
    """The content of the file with the oldest commits of a shallow clone; empty if there is none.

    Raises:
        DeployError: it is larger than any real one, a link, or no regular file.
    """
    try:
        return read_limited(file, _SMALL)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise DeployError(f"“{file.name}” in the repository cannot be read: {describe(error)}") from error


def read_limited(file: Path, largest: int, *, follow: bool = False) -> bytes:
    """The content of one of git's own files, which a repository's author may have made in any size.

    Args:
        file: the file.
        largest: its maximum size in bytes.
        follow: whether to follow a link.

    Raises:
        DeployError: it is larger.
        OSError: it cannot be read, or is no regular file.
    """
    try:
        with Folder.open(file.parent) as folder:
            return folder.read_all(file.name, largest, follow=follow)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        raise DeployError(f"“{file.name}” of a repository is larger than {largest:,} bytes") from error


def _links(top: Path, paths: Iterable[str]) -> Iterator[str]:
    """The symbolic links among some paths relative to a folder, and among the folders above them."""
    for path in paths:
        place = PurePosixPath(path)
        for part in (place, *place.parents[:-1]):
            with suppress(OSError):
                if is_link((top / part).lstat()):
                    yield str(part)


def _answer(command: tuple[str, ...], done: _Done) -> bytes:
    if done.status:
        raise DeployError(f"git {command[0]} says: {done.reason()}", done.hint())
    return done.out


def _line(command: tuple[str, ...], done: _Done) -> str:
    return _without_end(_answer(command, done))


def _without_end(line: bytes) -> str:
    """A line of output without its line break; names of folders may begin and end with blanks."""
    return os.fsdecode(line).removesuffix("\n")
