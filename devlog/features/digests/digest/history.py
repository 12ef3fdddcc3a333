"""The commits of a range, read with git's own plumbing: no history is walked here, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from devlog.disk.git import LOG, ask_checkout

MOST_COMMITS = 20_000
"""A range may have so many commits, those of merged branches included."""

BEFORE = 1_000
"""So many commits before the range tell which words are usual, and which files change together."""

_SUBMODULE = "160000"
_HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COUNTING = ("-c", "core.bigFileThreshold=8m")
"""Git counts the lines of no larger file: comparing two takes more than forty times their size."""
_FILES = ("-m", "--first-parent", "--ignore-submodules=none", "-M", "-z")
_LATEST = 253_370_764_800
"""2 January 9999: a commit can bear any time, and dates end there."""
_LONGEST_NAME = 200
_NOBODY = "somebody"
"""Who wrote a commit that does not say it."""
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
"""Characters that no name or title has on purpose: they would end a line, or change the order of what is shown."""


class NoHistoryError(Exception):
    """The history cannot be read. The message is a sentence without a full stop; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class File(msgspec.Struct, frozen=True):
    """A file that a commit changes.

    Attributes:
        path: in the repository; of a renamed file the new one.
        added: how many lines are new; 0 for binary files and those of more than 8 MB.
        removed: how many lines are gone, likewise.
        is_submodule: whether it is a submodule, of which another commit is used now.
    """

    path: str
    added: int = 0
    removed: int = 0
    is_submodule: bool = False


class Commit(msgspec.Struct, frozen=True):
    """A commit.

    Attributes:
        id: its full id.
        parents: theirs.
        time: when it was committed, in seconds since 1970.
        name: of its author, as the mailmap spells it; without one, the first part of the email address, or “somebody”.
        email: of its author, likewise.
        message: subject and body.
        files: the files that it changes compared with its first parent; only of commits on the branch itself.
    """

    id: str
    parents: tuple[str, ...]
    time: int
    name: str
    email: str
    message: str
    files: tuple[File, ...] = ()


class Tag(msgspec.Struct, frozen=True):
    """A tag: its name, the commit that it names, and when it was made, in seconds since 1970."""

    name: str
    commit: str
    time: int


class Before(msgspec.Struct, frozen=True):
    """What the history before a range tells.

    Attributes:
        subjects: of the last `BEFORE` commits on the branch.
        changed: the paths that each of some of the last commits changes.
        emails: the email addresses of all earlier authors; `None` if not all of the history can be read.
    """

    subjects: tuple[str, ...] = ()
    changed: tuple[tuple[str, ...], ...] = ()
    emails: frozenset[str] | None = None


class History(msgspec.Struct, frozen=True):
    """A range of commits.

    Attributes:
        first: the commit before the range; empty if the range has the root commit.
        last: its last commit; empty without any.
        branch: the commits on the branch itself, the newest first: merges and direct commits.
        merged: the commits that each merge brings in, by the id of the merge.
        tags: the tags that name a commit of the range, the oldest first.
        before: what the history before it tells.
        owners: the text of the CODEOWNERS file; empty without one.
    """

    first: str
    last: str
    branch: tuple[Commit, ...]
    merged: dict[str, tuple[Commit, ...]]
    tags: tuple[Tag, ...]
    before: Before
    owners: str = ""


class Span(msgspec.Struct, frozen=True):
    """The commits that are asked for: by time, or by names.

    Attributes:
        since: the first second of the period; 0 to go by `first`.
        until: the second after its last one; 0 for no end.
        first: the name of the commit before the range.
        last: the name of its last commit.
    """

    since: int = 0
    until: int = 0
    first: str = ""
    last: str = "HEAD"

    def has(self, time: int) -> bool:
        """Whether a second is in the period."""
        return self.since <= time and (not self.until or time < self.until)


def read_history(folder: Path, span: Span) -> History:
    """Read the commits of a range.

    Args:
        folder: in a clone of the repository.
        span: which commits.

    Raises:
        NoHistoryError: it is no clone, lacks objects, does not know a name, or the range is too long.
    """
    last = _commit(folder, span.last)
    named = _commit(folder, span.first) if span.first else ""
    is_shallow = ask_checkout(folder, ["rev-parse", "--is-shallow-repository"]) == b"true\n"
    if is_shallow:
        _require_whole(folder, span, _range(last, named))
    ids = [one for one, time in _times(folder, ["--first-parent", *_range(last, named)]) if span.has(time)]
    if len(ids) > MOST_COMMITS:
        raise NoHistoryError(f"the range has more than {MOST_COMMITS:,} commits", "choose a shorter one")
    if not ids:
        return History(named, "", (), {}, (), Before())
    parent = _lines(_asked(folder, ["rev-list", "--parents", "--max-count=1", ids[-1], "--"]))[0].split(" ")[1:]
    first = parent[0] if parent else ""
    commits = {commit.id: commit for commit in _commits(folder, ids[0], first)}
    files = dict(_files(folder, ids[0], first))
    branch = tuple(msgspec.structs.replace(commits[one], files=files.get(one, ())) for one in ids if one in commits)
    return History(
        first=first,
        last=ids[0],
        branch=branch,
        merged=_merged([*_branch(ids[0], commits)], commits),
        tags=tuple(tag for tag in _tags(folder) if tag.commit in commits),
        before=_before(folder, first, is_whole=not is_shallow),
        owners=_owners(folder, ids[0]),
    )


def _times(folder: Path, command: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Some commits, each with its time.

    Git could select commits by time itself, but then stops at the first one with an earlier time: clocks differ, and
    behind a commit with a time of the day before there may be more of this day.
    """
    for line in _lines(_asked(folder, ["rev-list", "--timestamp", *command])):
        time, _, commit = line.partition(" ")
        yield commit, _time(time.encode())


def _require_whole(folder: Path, span: Span, commits: Sequence[str]) -> None:
    """Refuse a shallow clone that lacks a part of a range: git tells its oldest commits as if nothing came before.

    Args:
        folder: in the clone.
        span: the range.
        commits: with which git names those of the range, whatever their times.

    Raises:
        NoHistoryError: the clone lacks some of them.
    """
    for commit, time in _times(folder, ["--max-parents=0", *commits]):
        head = _asked(folder, ["cat-file", "commit", commit]).partition(b"\n\n")[0]
        if b"\nparent " in head and time >= span.since:
            hint = "run “git fetch --unshallow” in the clone"
            raise NoHistoryError(f"the clone is shallow, and lacks the commits before {commit[:12]}", hint)


def _branch(last: str, commits: Mapping[str, Commit]) -> Iterator[Commit]:
    """The commits of the branch that ends with one of them, the newest first."""
    while last in commits:
        yield commits[last]
        last = next(iter(commits[last].parents), "")


def _commit(folder: Path, name: str) -> str:
    """The full id of a commit."""
    command = ["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"]
    answer = None if name.startswith("-") else ask_checkout(folder, command)
    if answer:
        return answer.decode("ascii", "replace").strip()
    if ask_checkout(folder, ["rev-parse", "--git-dir"]) is None:
        raise NoHistoryError("it is not a git repository", "clone the repository, and name the folder of the clone")
    raise NoHistoryError(f"there is no commit “{name}”")


def _asked(folder: Path, command: Sequence[str]) -> bytes:
    answer = ask_checkout(folder, [*command])
    if answer is None:
        raise NoHistoryError(
            "git cannot read the history",
            "a partial or shallow clone may lack a part of it: run “git fetch --unshallow”; or one commit is too large",
        )
    return answer


def _lines(answer: bytes) -> list[str]:
    return answer.decode("ascii", "replace").split("\n")[:-1]


def _range(last: str, first: str) -> list[str]:
    return [last, *([f"^{first}"] if first else []), "--"]


def _commits(folder: Path, last: str, first: str) -> Iterator[Commit]:
    """All commits that a range brings in, those of merged branches included."""
    form = "--format=%H%x00%P%x00%ct%x00%aN%x00%aE%x00%B"
    command = [*LOG, "-z", f"--max-count={MOST_COMMITS + 1}", form]
    fields = _asked(folder, [*command, *_range(last, first)]).split(b"\0")
    records = list(zip(*[iter(fields)] * 6, strict=False))
    if len(records) > MOST_COMMITS:
        raise NoHistoryError(f"the range has more than {MOST_COMMITS:,} commits", "choose a shorter one")
    for commit, parents, time, name, email, message in records:
        author = _author(name, email)
        yield Commit(_text(commit), tuple(_text(parents).split()), _time(time), *author, cleaned(message))


def _author(name: bytes, email: bytes) -> tuple[str, str]:
    """The name and the email address of an author; the name may have to be taken from the address.

    Where a commit has none, as after some imports, git prints nothing, or what stands for it in the format.
    """
    known = "" if name == b"%aN" else cleaned(name)[:_LONGEST_NAME].strip()
    address = "" if email == b"%aE" else cleaned(email)[:_LONGEST_NAME]
    return known or address.partition("@")[0].strip() or _NOBODY, address


def _time(digits: bytes) -> int:
    """A time in seconds since 1970, within the years that dates can have."""
    return min(int(digits), _LATEST) if digits.isdigit() and len(digits) < _LONGEST_NAME else 0


def cleaned(data: bytes) -> str:
    """Text for readers from any bytes of a repository, without control characters."""
    return CONTROL.sub("", _text(data))


def _text(data: bytes) -> str:
    """Text of a repository, which may have any bytes, on any number of lines."""
    return data.decode("utf-8", "replace")


def _files(folder: Path, last: str, first: str) -> Iterator[tuple[str, tuple[File, ...]]]:
    """The files that each commit on the branch changes, compared with its first parent."""
    answer = _asked(folder, [*_COUNTING, *LOG, *_FILES, "--raw", "--numstat", "--format=%x00%H", *_range(last, first)])
    for commit, words in _records(answer):
        yield commit, tuple(_changed(words))


def _records(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """What ``git log -z --format=%x00%H`` prints: the id of each commit, and the words of its files."""
    commit, words, previous = "", list[bytes](), b"-"
    for word in (part.removeprefix(b"\n") for part in answer.split(b"\0")):
        if not previous and _HASH.fullmatch(word):  # no path is empty, so this is no path
            if commit:
                yield commit, words
            commit, words = word.decode("ascii"), []
        elif word:
            words.append(word)
        previous = word
    if commit:
        yield commit, words


def _changed(words: Iterable[bytes]) -> Iterator[File]:
    """The files of a commit, from the words of ``--raw --numstat -z``."""
    submodules = set[bytes]()
    rest = iter(words)
    for word in rest:
        if word.startswith(b":"):
            fields = word.split(b" ")
            paths = [next(rest, b"") for _ in range(2 if fields[-1][:1] in (b"R", b"C") else 1)]
            if _SUBMODULE.encode() in (fields[0][1:], fields[1]):
                submodules.add(paths[-1])
            continue
        added, _, more = word.partition(b"\t")
        removed, _, path = more.partition(b"\t")
        if not path:  # a renamed file: its old path, and its new one
            next(rest, b"")
            path = next(rest, b"")
        yield File(cleaned(path), _count(added), _count(removed), path in submodules)


def _count(word: bytes) -> int:
    return int(word) if word.isdigit() else 0


def _merged(branch: Sequence[Commit], commits: dict[str, Commit]) -> dict[str, tuple[Commit, ...]]:
    """The commits that each merge brings in: those that no older merge has brought in already."""
    taken = {commit.id for commit in branch}
    found = {}
    for merge in reversed(branch):
        own: list[Commit] = []
        waiting = [parent for parent in merge.parents[1:] if parent in commits]
        while waiting:
            one = waiting.pop()
            if one in taken or one not in commits:
                continue
            taken.add(one)
            own.append(commits[one])
            waiting += commits[one].parents
        if own:
            found[merge.id] = tuple(sorted(own, key=lambda commit: (commit.time, commit.id)))
    return found


def read_tags(folder: Path) -> tuple[Tag, ...]:
    """All tags of a clone, the oldest first.

    Raises:
        NoHistoryError: it is no clone.
    """
    _commit(folder, "HEAD")
    return _tags(folder)


def _tags(folder: Path) -> tuple[Tag, ...]:
    form = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)"
    found = []
    for line in (ask_checkout(folder, ["for-each-ref", form, "refs/tags"]) or b"").split(b"\n"):
        name, named, peeled, time, *_ = [*map(cleaned, line.split(b"\0")), "", "", "", ""]
        if name:
            found.append(Tag(name, peeled or named, _time(time.encode())))
    return tuple(sorted(found, key=lambda tag: (tag.time, tag.name)))


def _before(folder: Path, first: str, *, is_whole: bool) -> Before:
    if not first:
        return Before(emails=frozenset())
    subjects = _fields(folder, ["--first-parent", f"--max-count={BEFORE}", "--format=%s", first, "--"])
    emails = _fields(folder, [f"--max-count={MOST_COMMITS}", "--format=%aE", first, "--"])
    command = [*LOG, *_FILES, f"--max-count={BEFORE // 5}", "--name-only", "--format=%x00%H", first, "--"]
    changed = [tuple(map(cleaned, words)) for _, words in _records(ask_checkout(folder, command) or b"")]
    return Before(
        subjects,
        tuple(changed),
        frozenset(emails) if is_whole and len(emails) < MOST_COMMITS else None,
    )


def _fields(folder: Path, command: Sequence[str]) -> tuple[str, ...]:
    """One field of each of some commits; nothing if git cannot tell."""
    answer = ask_checkout(folder, [*LOG, "-z", *command]) or b""
    return tuple(map(cleaned, answer.split(b"\0")[:-1]))


_OWNERS = ("CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS")
_LONGEST_OWNERS = 1_000_000


def _owners(folder: Path, commit: str) -> str:
    for file in _OWNERS:
        answer = ask_checkout(folder, ["cat-file", "blob", f"{commit}:{file}"])
        if answer is not None and len(answer) <= _LONGEST_OWNERS:
            return cleaned(answer)
    return ""


def read_origin(folder: Path) -> str:
    """The URL of the repository from which a clone was made; empty if it does not tell."""
    return cleaned((ask_checkout(folder, ["config", "--get", "remote.origin.url"]) or b"").removesuffix(b"\n"))


def spellings(folder: Path, contacts: Sequence[str]) -> dict[str, str]:
    """The names that the repository's mailmap gives people.

    Args:
        folder: in the clone.
        contacts: each as ``Name <email>``.

    Returns:
        The name by contact; those that the mailmap does not know are missing.
    """
    asked = "".join(f"{contact}\n" for contact in contacts).encode()
    answer = ask_checkout(folder, ["check-mailmap", "--stdin"], given=asked) if contacts else None
    names = (cleaned(line).rpartition(" <")[0] for line in (answer or b"").split(b"\n"))
    return {contact: name for contact, name in zip(contacts, names, strict=False) if name}
