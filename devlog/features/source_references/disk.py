"""Asks a checkout of the repository that posts cite, with one git process for each kind of question.

Programs that the checkout's own configuration names are never run, nothing is fetched, and each answer has a time
limit.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple

from devlog.disk.checkout_folder import Refusal
from devlog.disk.folder import is_there, words_of
from devlog.disk.git import LARGEST_ANSWER, LOG, environment_of, is_bare, start
from devlog.disk.git_contents import BRANCH, BRANCHES, branch_names
from devlog.features.source_references.model.commit import Commit
from devlog.model.digest import digest_bytes
from devlog.threads import start as start_thread

SECONDS = 60.0
"""The time limit for an answer of git."""

LARGEST = 2_000_000
"""The maximum size of a file in bytes; larger ones were not written by hand."""

MOST_COMMITS = 50_000
"""The maximum number of commits of a period that are read."""

MOST_CHANGES = 1_000_000
"""The maximum number of changed files in them."""

MOST_OF_NAMES = LARGEST_ANSWER
"""The maximum size in bytes of the names of these files and of the authors, each of which is held once."""

_MOST_OLDER = 100
"""With so many commits in a row from before a period, the period is over."""

_HEAD = re.compile(rb"\x01[0-9a-f]{40,64}\x01([0-9]{1,12})\x01([^\n]*)")
_REFUSED = "git does not recognize it as a repository, or cannot read it"
_PARTIAL = "it is a partial clone, and lacks what is asked for"
_NAME = re.compile(r"[\w.][\w./+@-]*", re.ASCII)
_COMMIT = re.compile(rb"[0-9a-f]{40,64}")
_CHUNK = 1 << 16
_LARGEST_LIST = 1 << 26
_LONGEST_RECORD = 1 << 16
"""No system has files with longer names, although git's objects may."""


class SilentError(Exception):
    """git has not answered: it is not installed, takes too long, or rejects the folder. The message says which."""


class SlowError(SilentError):
    """git has not answered in time, and will most likely not answer the next question in time either."""


class Moment(NamedTuple):
    """A commit and its time in seconds since 1970."""

    second: int
    commit: str


def answers(folder: Path | Refusal, names: Sequence[str]) -> str:
    """A digest that changes if any answer of a checkout may change; empty if the checkout does not answer.

    Args:
        folder: the folder of the checkout, or why it is not to be read.
        names: the names of all commits that it is asked for.
    """
    if isinstance(folder, Refusal):
        return folder.name
    checkout = Checkout(folder)
    if not checkout.exists:
        return NO_CHECKOUT
    try:
        return answers_of(checkout.commits(["HEAD", *names]), checkout.extent())
    except SilentError:
        return ""


def answers_of(commits: Sequence[str], extent: str) -> str:
    """The same digest for a checkout that has already answered.

    All other answers of a checkout follow from commits, which identify their whole content. New objects in a checkout
    change an answer only if one of the names then refers to another commit, or if more of the history is available.

    Args:
        commits: the commit that is checked out, and those to which the names refer.
        extent: see `Checkout.extent`.
    """
    return digest_bytes("\0".join([extent, *commits]).encode())


NO_CHECKOUT = "no checkout"
"""The digest if there is no folder."""


class Checkout:
    """A folder that is the root of a checkout, or a bare repository."""

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        """
        Args:
            folder: the folder, which need not exist.
            seconds: the time limit for one answer.
        """
        self._folder = Path(os.path.realpath(folder))  # which accepts loops of symbolic links
        self._seconds = seconds
        self._environment = environment_of(self._folder)

    @property
    def exists(self) -> bool:
        """Whether the folder exists."""
        return is_there(self._folder, folder=True)

    def commits(self, names: Sequence[str]) -> list[str]:
        """The commits to which names refer; empty for a name that refers to none."""
        return self._objects([f"{name}^{{commit}}" if _NAME.fullmatch(name) else "" for name in names], "commit")

    def blobs(self, places: Sequence[tuple[str, str]]) -> list[str]:
        """The blobs of files in commits; empty for a file that does not exist there."""
        found = self._objects([f"{commit}:{file}" if _is_plain(file) else "" for commit, file in places], "blob")
        unknown = [place for place, blob in zip(places, found, strict=True) if not blob and _is_plain(place[1])]
        if unknown and self._lacks_any(unknown):
            raise self._refused()
        return found

    def _lacks_any(self, places: Sequence[tuple[str, str]]) -> bool:
        """Whether the checkout lacks an object for one of some files without a blob: the file or a folder above it.

        A missing object may arrive at any time, whereas it never changes that a commit does not have a file.
        """
        wanted: dict[str, set[tuple[bytes, bool]]] = {}  # by tree, names that it must not have, and whether of a file
        level, left = 0, [(commit, file.split("/")) for commit, file in places]
        while left:  # some levels at once: posts may cite any number of paths that are deeper than those of the commit
            chains = [_chain(commit, parts, level) for commit, parts in left]
            asked = list(dict.fromkeys(chain.from_iterable(chains)))
            trees = dict(zip(asked, self._objects(asked, "tree"), strict=True))
            deeper = []
            for (commit, parts), names in zip(left, chains, strict=True):
                present = [depth for depth, name in enumerate(names, level) if trees[name]]
                if not present:
                    return True
                depth = present[-1]
                if depth - level == _LEVELS:
                    deeper.append((commit, parts))
                else:
                    own = os.fsencode(parts[depth]), depth == len(parts) - 1
                    wanted.setdefault(trees[names[depth - level]], set()).add(own)
            level, left = level + _LEVELS, deeper
        return any(
            (name, is_file) in wanted[tree]
            for tree, data in self.contents(wanted)
            for name, is_file in _entries(data, len(tree) // 2)
        )

    def extent(self) -> str:
        """A digest that changes when the checkout gets more of its history, or more of its files."""
        folder = _git_folder(self._folder)
        if folder is None:
            return ""
        shallow = "\0".join(self._promised())
        shallow += words_of(folder / "shallow", _LARGEST_LIST)
        return digest_bytes(shallow.encode(errors="backslashreplace")) if shallow else ""

    def _promised(self) -> list[str]:
        """The names of promisor packs, whose missing objects a server has promised, as in partial clones."""
        folder = _git_folder(self._folder)
        try:
            return sorted(pack.name for pack in (folder / "objects" / "pack").glob("*.promisor")) if folder else []
        except (OSError, ValueError):
            return []

    def history(self, commit: str) -> tuple[Moment, ...]:
        """The first parents of a commit, including itself, newest first."""
        output = self._all(["rev-list", "--first-parent", "--timestamp", commit, "--"])
        pairs = (line.split() for line in output.decode("ascii", "replace").splitlines())
        return tuple(Moment(int(second), name) for second, name in pairs)

    def branches(self) -> frozenset[str]:
        """The names of its branches and of those of its origin."""
        return branch_names(self._all(list(BRANCHES)))

    def newest(self, day: str, branch: str = "") -> str:
        """The newest commit at the end of a day: see `devlog.disk.git.commit_of`."""
        if branch and not BRANCH.fullmatch(branch):
            return ""
        named = [f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"] if branch else ["HEAD"]
        ref = next(filter(None, self.commits(named)), "")
        before = [f"--before={day}T23:59:59Z"] if day else []
        output = self._all(["rev-list", "-1", "--first-parent", *before, ref, "--"]) if ref else b""
        return output.decode("ascii", "replace").strip()

    def line_count(self, commit: str, file: str) -> int:
        """The number of lines of a file in a commit; -1 if it does not exist there, or is too large."""
        (blob,) = self.blobs([(commit, file)])
        for _, data in self.contents([blob] if blob else []):
            return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        return -1

    def files(self, commit: str) -> dict[str, str]:
        """The regular files of a commit with their blobs, without symbolic links and submodules."""
        output = self._all(["ls-tree", "-r", "-z", "--full-tree", commit])
        found = {}
        for record in output.split(b"\0"):
            about, _, name = record.partition(b"\t")
            if about.startswith(b"100"):  # the mode of a regular file
                found[os.fsdecode(name)] = about.rpartition(b" ")[2].decode("ascii")
        return found

    def contents(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The bytes of blobs, in order; those that are too large are left out."""
        asked = list(blobs)
        if not asked:
            return
        with self._process(["cat-file", "--batch"], _joined(asked)) as out:
            for blob in asked:
                answer = out.readline().split()
                if len(answer) != 3:
                    raise self._refused()  # the missing object may arrive at any time
                size = int(answer[2])
                if size > LARGEST:
                    _skip(out, size + 1)
                    continue
                data = out.read(size + 1)
                if len(data) != size + 1:
                    raise self._refused()
                yield blob, data[:-1]

    def last_changes(self, commit: str, files: Iterable[str]) -> dict[str, str]:
        """For each of some files the newest commit that changed it, among the first parents of a commit."""
        wanted = {os.fsencode(file): file for file in files}
        found: dict[str, str] = {}
        if not wanted:
            return found
        # Git would compare each path with every requested one. So no paths are requested, and git is stopped when all
        # are found.
        shown = ["--first-parent", "-m", "--root", "--format=%x01%H", "--name-only", "-z", "--no-renames"]
        safe = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
        with self._process([*LOG, *shown, *safe, commit, "--"], stopped=lambda: not wanted) as out:
            current = ""
            for name in _records(out):
                head, mark, rest = name.rpartition(b"\x01")
                if mark and not head.strip(b"\n") and _COMMIT.fullmatch(rest):  # else a file with such a name
                    current = rest.decode("ascii", "replace").strip()
                elif file := wanted.pop(name.lstrip(b"\n"), None):
                    found[file] = current
                    if not wanted:
                        break
        return found

    def commits_since(self, commit: str, since: datetime, until: datetime) -> tuple[Commit, ...]:
        """The first parents of a commit in a period, with their authors and the files that they changed, newest first.

        At most `MOST_COMMITS`, with at most `MOST_CHANGES` changed files in all, and only as long as all names fit
        into `MOST_OF_NAMES`. A few commits with an older date, as imported ones and those of a wrong clock have, do not
        end the period: with ``--since`` the first one would.
        """
        shown = ["--first-parent", "-m", "--root", "--format=%x01%H%x01%ct%x01%aE", "--name-only", "-z", "--no-renames"]
        safe = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"]
        period = [f"--until={until.isoformat()}", f"--max-count={MOST_COMMITS}"]
        heads: list[tuple[int, str, list[str]]] = []
        files: list[str] = []
        names = _Names(MOST_OF_NAMES)
        left, older = MOST_CHANGES, 0

        def is_enough() -> bool:
            return left <= 0 or older > _MOST_OLDER or names.left <= 0

        with self._process([*LOG, *shown, *safe, *period, commit, "--"], stopped=is_enough) as out:
            for record in _records(out):
                name = record.lstrip(b"\n")
                if head := _HEAD.fullmatch(name):
                    second, files = int(head[1]), []
                    older = older + 1 if second < since.timestamp() else 0
                    if not older:
                        heads.append((second, names.once(head[2].decode("utf-8", "replace").casefold()), files))
                elif name:
                    files.append(names.once(os.fsdecode(name)))
                    left -= 1
                if is_enough():
                    break
        return tuple(Commit(second, author, tuple(changed)) for second, author, changed in heads)

    # -- running git

    def _refused(self) -> SilentError:
        """The error if git ends before its answer is complete, as it does if it would have to fetch objects."""
        return SilentError(_PARTIAL if self._promised() else _REFUSED)

    def _objects(self, names: Sequence[str], kind: str) -> list[str]:
        """The objects to which names refer; empty for a name without an object of the given kind."""
        asked = [name for name in names if name]
        if not asked:
            return [""] * len(names)
        output = self._all(["cat-file", "--batch-check=%(objecttype) %(objectname)"], _joined(asked)).splitlines()
        if len(output) != len(asked):
            raise self._refused()
        begin = f"{kind} ".encode()
        answers = iter([line[len(begin) :].decode("ascii") if _is_answer(line, begin) else "" for line in output])
        return [next(answers) if name else "" for name in names]

    def _all(self, command: list[str], given: bytes = b"") -> bytes:
        answer = b""
        with self._process(command, given, stopped=lambda: len(answer) > LARGEST_ANSWER) as out:
            answer = out.read(LARGEST_ANSWER + 1)
        if len(answer) > LARGEST_ANSWER:
            raise SilentError(f"git's answer is longer than {LARGEST_ANSWER:,} bytes")
        return answer

    @contextmanager
    def _process(
        self, command: list[str], given: bytes = b"", *, stopped: Callable[[], bool] = bool
    ) -> Iterator[IO[bytes]]:
        """Run git, and yield its output stream; `stopped` says at the end whether enough output was read."""
        with tempfile.TemporaryFile() as file:  # a pipe could fill up before the first answer is read
            file.write(given)
            file.seek(0)
            try:
                process = start(self._folder, command, self._environment, file)
            except OSError as error:
                raise SilentError("git cannot be run") from error
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, end)
        timer.daemon = True
        try:
            start_thread(timer)
        except OSError as error:
            end()
            with process:  # closes the pipe
                pass
            raise SilentError("git cannot be run") from error
        try:
            assert process.stdout
            yield process.stdout
        finally:
            assert process.stdout
            enough = stopped()
            if enough or process.stdout.read(1):
                process.kill()
            process.stdout.close()
            code = process.wait()
            timer.cancel()
        if late.is_set():
            raise SlowError(f"git did not answer for {self._seconds:g} seconds")
        if not enough and code != 0:
            raise self._refused()


class _Names:
    """Names that are held only once, as the same ones come in every commit.

    Attributes:
        left: how many bytes of others may come.
    """

    def __init__(self, most: int) -> None:
        self._known: dict[str, str] = {}
        self.left = most

    def once(self, name: str) -> str:
        """The name as it is held."""
        known = self._known.setdefault(name, name)
        if known is name:
            self.left -= sys.getsizeof(name)
        return known


def _joined(lines: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def _is_plain(file: str) -> bool:
    """Whether a file name is relative to the root of the repository, and on one line."""
    return set(file.split("/")).isdisjoint({"", ".", ".."}) and not set(file) & {"\0", "\n"}


_LEVELS = 12


def _chain(commit: str, parts: Sequence[str], level: int) -> list[str]:
    """The names of the folders that contain a file of a commit, from some level down for `_LEVELS` more."""
    ends = range(level, min(level + _LEVELS + 1, len(parts)))
    return [f"{commit}:{'/'.join(parts[:end])}" if end else f"{commit}^{{tree}}" for end in ends]


def _entries(tree: bytes, size: int) -> Iterator[tuple[bytes, bool]]:
    """The names in a tree object, and whether each is a file; submodules are left out.

    Args:
        tree: the content of the tree object.
        size: the size of a digest in bytes.
    """
    start = 0
    while start < len(tree):
        end = tree.find(b"\0", start)
        if end < 0:  # git stops earlier in a malformed tree
            return
        mode, _, name = tree[start:end].partition(b" ")
        start = end + 1 + size
        if mode != _REPOSITORY:
            yield name, mode != _FOLDER


_FOLDER, _REPOSITORY = b"40000", b"160000"


def _is_answer(line: bytes, begin: bytes) -> bool:
    return line.startswith(begin) and re.fullmatch(rb"[0-9a-f]{40,64}", line[len(begin) :]) is not None


def _skip(out: IO[bytes], count: int) -> None:
    while count > 0:
        some = out.read(min(count, _CHUNK))
        count -= len(some) or count


def _records(out: IO[bytes]) -> Iterator[bytes]:
    """The records between zero bytes; of one that is longer than `_LONGEST_RECORD`, only the beginning."""
    parts, size = list[bytes](), 0
    while some := out.read(_CHUNK):
        first, *others = some.split(b"\0")
        if size <= _LONGEST_RECORD:
            parts.append(first)
            size += len(first)
        if others:
            yield b"".join(parts)
            yield from others[:-1]
            parts, size = [others[-1]], len(others[-1])
    if size:
        yield b"".join(parts)


def _git_folder(folder: Path) -> Path | None:
    """The folder with the git objects of a checkout: in the checkout itself, or where its ``.git`` file says."""
    if is_bare(folder):
        return folder
    own = folder / ".git"
    if is_there(own, folder=True):
        return own
    named = _first_line(own).removeprefix("gitdir:").strip()
    if not named:
        return None
    apart = folder / named
    common = _first_line(apart / "commondir").strip()
    return apart / common if common else apart


def _first_line(file: Path) -> str:
    return words_of(file, 4096).partition("\n")[0]
