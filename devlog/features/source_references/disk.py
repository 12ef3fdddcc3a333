"""A checkout of the repository that posts write about, asked through git: one process for each kind of question.

What the checkout's own configuration names is never run, nothing is fetched, and no answer takes more than its time.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from devlog.disk.folder import is_there, words_of
from devlog.disk.git import BRANCH, LARGEST_ANSWER, closed_environment, words
from devlog.model.digest import digest_bytes

SECONDS = 60.0
"""How long one answer of git may take."""

LARGEST = 2_000_000
"""So many bytes of a file are looked at; one that has more was not written by hand."""

_REFUSED = "git does not recognize it as a repository, or cannot read it"
_PARTIAL = "it is a partial clone, and lacks what is asked for"
_NAME = re.compile(r"[\w.][\w./+@-]*", re.ASCII)
_COMMIT = re.compile(rb"[0-9a-f]{40,64}")
_CHUNK = 1 << 16
_LARGEST_LIST = 1 << 26


class SilentError(Exception):
    """git has not answered: there is none, it takes too long, or it does not know this folder. It says which."""


class SlowError(SilentError):
    """git has not answered in time, and will not do so for the next question either."""


class Moment(NamedTuple):
    """A commit and the second, since 1970, in which it was made."""

    second: int
    commit: str


def answers(folder: Path, names: Sequence[str]) -> str:
    """What is another text when a checkout may answer anything in another way; empty where it does not answer.

    Args:
        folder: of the checkout.
        names: of all commits that it is asked for.
    """
    checkout = Checkout(folder)
    if not checkout.exists:
        return NO_CHECKOUT
    try:
        return answers_of(checkout.commits(["HEAD", *names]), checkout.extent())
    except SilentError:
        return ""


def answers_of(commits: Sequence[str], extent: str) -> str:
    """The same where a checkout has answered already.

    All else that a checkout is asked follows from commits, which name their whole content: nothing that comes into a
    checkout changes an answer unless one of these names stands for another commit then, or more of the history is
    there.

    Args:
        commits: what it is at, and what each name stands for.
        extent: see `Checkout.extent`.
    """
    return digest_bytes("\0".join([extent, *commits]).encode())


NO_CHECKOUT = "no checkout"
"""What is answered where there is no folder."""


class Checkout:
    """A folder that is the top of a checkout, or a bare repository."""

    def __init__(self, folder: Path, seconds: float = SECONDS) -> None:
        """
        Args:
            folder: which need not exist.
            seconds: how long one answer may take.
        """
        self._folder = Path(os.path.realpath(folder))  # which minds no loop of links
        self._seconds = seconds
        own = {"GIT_CEILING_DIRECTORIES": str(self._folder.parent), "LC_ALL": "C"}
        self._environment = closed_environment() | own
        if _is_bare(self._folder):  # git believes in one only where it is named
            self._environment["GIT_DIR"] = str(self._folder)

    @property
    def exists(self) -> bool:
        """Whether there is a folder."""
        return is_there(self._folder, folder=True)

    def commits(self, names: Sequence[str]) -> list[str]:
        """The commits that some names stand for, each empty where it stands for none."""
        return self._objects([f"{name}^{{commit}}" if _NAME.fullmatch(name) else "" for name in names], "commit")

    def blobs(self, places: Sequence[tuple[str, str]]) -> list[str]:
        """The blobs that are files of commits, each empty where there is no such file."""
        found = self._objects([f"{commit}:{file}" if _is_plain(file) else "" for commit, file in places], "blob")
        unknown = [place for place, blob in zip(places, found, strict=True) if not blob and _is_plain(place[1])]
        if unknown and self._lacks_any(unknown):
            raise self._refused()
        return found

    def _lacks_any(self, places: Sequence[tuple[str, str]]) -> bool:
        """Whether the checkout lacks one of some files for which git has no blob, or a folder above it.

        What it lacks may come at any time; that a commit has no such file is true for ever.
        """
        chains = [_chain(*place) for place in places]
        asked = list(dict.fromkeys(name for chain in chains for name, _ in chain))
        trees = dict(zip(asked, self._objects(asked, "tree"), strict=True))
        wanted: dict[str, set[tuple[bytes, bool]]] = {}  # by tree, what it must not have: a name, and whether of a file
        for chain in chains:
            there = [(trees[name], rest) for name, rest in chain if trees[name]]
            if not there:
                return True
            tree, rest = there[-1]
            name, _, below = rest.partition("/")
            wanted.setdefault(tree, set()).add((os.fsencode(name), not below))
        return any(
            (name, is_file) in wanted[tree]
            for tree, data in self.contents(wanted)
            for name, is_file in _entries(data, len(tree) // 2)
        )

    def extent(self) -> str:
        """What is another text when the checkout was given more of its history, or more of its files."""
        folder = _git_folder(self._folder)
        if folder is None:
            return ""
        shallow = "\0".join(self._promised())
        shallow += words_of(folder / "shallow", _LARGEST_LIST)
        return digest_bytes(shallow.encode(errors="backslashreplace")) if shallow else ""

    def _promised(self) -> list[str]:
        """The names of the packs of which somebody has promised the rest, as a partial clone has them."""
        folder = _git_folder(self._folder)
        try:
            return sorted(pack.name for pack in (folder / "objects" / "pack").glob("*.promisor")) if folder else []
        except (OSError, ValueError):
            return []

    def history(self, commit: str) -> tuple[Moment, ...]:
        """The first parents of a commit, itself included, newest first."""
        output = self._all(["rev-list", "--first-parent", "--timestamp", commit, "--"])
        pairs = (line.split() for line in output.decode("ascii", "replace").splitlines())
        return tuple(Moment(int(second), name) for second, name in pairs)

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
        """How many lines a file has in a commit; -1 when it is not there, or too large."""
        (blob,) = self.blobs([(commit, file)])
        for _, data in self.contents([blob] if blob else []):
            return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        return -1

    def files(self, commit: str) -> dict[str, str]:
        """The files of a commit and their blobs: no links, and no other repositories."""
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
                    raise self._refused()  # what is missing may come at any time
                size = int(answer[2])
                if size > LARGEST:
                    _skip(out, size + 1)
                    continue
                data = out.read(size + 1)
                if len(data) != size + 1:
                    raise self._refused()
                yield blob, data[:-1]

    def last_changes(self, commit: str, files: Iterable[str]) -> dict[str, str]:
        """The newest commits, of the first parents of one, that changed some of its files."""
        wanted = {os.fsencode(file): file for file in files}
        found: dict[str, str] = {}
        if not wanted:
            return found
        # Git compares each path with each of those that it is asked for: it is asked for none, and stopped in time.
        shown = ["--first-parent", "-m", "--root", "--format=%x01%H", "--name-only", "-z", "--no-renames"]
        safe = ["--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all"]
        own = ["-c", "log.showRoot=true", "-c", "log.diffMerges=separate"]
        with self._process([*own, "log", *shown, *safe, commit, "--"], stopped=lambda: not wanted) as out:
            current = ""
            for name in _records(out):
                head, mark, rest = name.rpartition(b"\x01")
                if mark and not head.strip(b"\n") and _COMMIT.fullmatch(rest):  # else a file of such a name
                    current = rest.decode("ascii", "replace").strip()
                elif file := wanted.pop(name.lstrip(b"\n"), None):
                    found[file] = current
                    if not wanted:
                        break
        return found

    # -- asking

    def _refused(self) -> SilentError:
        """Why git ends before it has said all: where it would have to fetch something, it does."""
        return SilentError(_PARTIAL if self._promised() else _REFUSED)

    def _objects(self, names: Sequence[str], kind: str) -> list[str]:
        """The objects that names stand for, each empty where there is none of a kind."""
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
        """What git says, while it says it; `stopped` tells whether enough of it has been heard."""
        with tempfile.TemporaryFile() as file:  # a pipe would be full before the first answer is read
            file.write(given)
            file.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603 - no word of the command is anybody's but ours
                    words(command),
                    cwd=self._folder,
                    env=self._environment,
                    stdin=file,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                raise SilentError("git cannot be run") from error
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, end)
        timer.daemon = True
        timer.start()
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


def _joined(lines: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(line) + b"\n" for line in lines)


def _is_plain(file: str) -> bool:
    """Whether a name is one that git counts from the top of a repository, and that stands on one line."""
    return set(file.split("/")).isdisjoint({"", ".", ".."}) and not set(file) & {"\0", "\n"}


def _chain(commit: str, file: str) -> list[tuple[str, str]]:
    """The names of the folders in which a file of a commit lies, the top first, and what stands behind each."""
    parts = file.split("/")
    folders = [f"{commit}^{{tree}}", *(f"{commit}:{'/'.join(parts[:end])}" for end in range(1, len(parts)))]
    return [(folder, "/".join(parts[end:])) for end, folder in enumerate(folders)]


def _entries(tree: bytes, size: int) -> Iterator[tuple[bytes, bool]]:
    """The names in a tree of git, and whether each is a file; other repositories are not among them.

    Args:
        tree: as git keeps it.
        size: of a digest, in bytes.
    """
    start = 0
    while start < len(tree):
        end = tree.index(b"\0", start)
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
    """What stands between zero bytes."""
    rest = b""
    while some := out.read(_CHUNK):
        *whole, rest = (rest + some).split(b"\0")
        yield from whole
    if rest:
        yield rest


def _is_bare(folder: Path) -> bool:
    parts = all(is_there(folder / name, folder=name != "HEAD") for name in ("objects", "refs", "HEAD"))
    return parts and not is_there(folder / ".git")


def _git_folder(folder: Path) -> Path | None:
    """Where git keeps the objects of a checkout: in the checkout, or where a file in it says."""
    if _is_bare(folder):
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
