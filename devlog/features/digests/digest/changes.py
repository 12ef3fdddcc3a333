"""The changes of a history: who wrote each, and whether a digest lists it, folds it into another, or only counts it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import translate
from zoneinfo import ZoneInfo

import msgspec

from devlog.features.digests.digest.history import Commit, File, History
from devlog.features.digests.digest.subjects import Contact, Statement, read_message
from devlog.features.digests.model.activity import MOST_FILES, SHORT, Change, Fate, Reason

_BOT = re.compile(
    r"\[bot\]$|(?:^|[-_ ])bots?$|^(?:dependabot|renovate|pre-commit-ci|github-actions|mergify)\b", re.IGNORECASE
)

_SHORTEST = 7
"""Messages name commits by at least so many digits."""

GENERATED = (
    "*.lock",
    "*.lockb",
    "*.min.css",
    "*.min.js",
    "*.snap",
    "*_pb2.py",
    "*.pb.go",
    "go.sum",
    "package-lock.json",
    "pnpm-lock.yaml",
    "third_party/*",
    "vendor/*",
    "node_modules/*",
)
"""Patterns of files that programs write, or that others do: their lines say nothing about a change."""


class Found(msgspec.Struct, frozen=True):
    """A change with what only its history tells.

    Attributes:
        change: the change, without an area.
        paths: the files that it changes, without generated ones.
        emails: the email addresses of its authors, where they are known.
    """

    change: Change
    paths: tuple[str, ...]
    emails: Mapping[str, str]


def contacts(history: History) -> tuple[str, ...]:
    """The people in the trailers of a history, each as ``Name <email>``: the mailmap may spell them otherwise."""
    named = (
        contact
        for commit in _all(history)
        for statement in (read_message(commit.message),)
        for contact in (*statement.authors, *statement.reviewers)
        if contact.email
    )
    return tuple(dict.fromkeys(map(_contact, named)))


def _all(history: History) -> Iterator[Commit]:
    for commit in history.branch:
        yield commit
        yield from history.merged.get(commit.id, ())


def _contact(contact: Contact) -> str:
    return f"{contact.name} <{contact.email}>"


def changes_of(
    history: History,
    spelling: Mapping[str, str],
    zone: ZoneInfo,
    bots: Sequence[str] = (),
    generated: Sequence[str] = (),
) -> tuple[Found, ...]:
    """The changes of a history, the newest first: one for each merge or direct commit on the branch.

    Args:
        history: the commits.
        spelling: names by ``Name <email>``, as the mailmap has them.
        zone: the time zone of the site.
        bots: more names of authors that are programs.
        generated: more patterns of generated files.
    """
    read = _Read(history, {commit.id: read_message(commit.message) for commit in _all(history)})
    fates = _fates(read, bots)
    patterns = re.compile("|".join(map(translate, (*GENERATED, *generated))))
    return tuple(_found(commit, read, fates[commit.id], spelling, zone, patterns) for commit in history.branch)


class _Read(msgspec.Struct, frozen=True):
    """A history with what the message of each of its commits states, by id."""

    history: History
    statements: Mapping[str, Statement]

    def merged(self, commit: Commit) -> Sequence[Commit]:
        """The commits that a merge brings; none if it is no merge."""
        return self.history.merged.get(commit.id, ())


class _Fate(msgspec.Struct, frozen=True):
    fate: Fate = "listed"
    reason: Reason = ""
    into: str = ""


def _found(
    commit: Commit,
    read: _Read,
    fate: _Fate,
    spelling: Mapping[str, str],
    zone: ZoneInfo,
    generated: re.Pattern[str],
) -> Found:
    statement = read.statements[commit.id]
    merged = read.merged(commit)
    people: dict[str, str] = {}
    for own in merged or (commit,):
        people.setdefault(own.name, own.email)
        for contact in read.statements[own.id].authors:
            people.setdefault(spelling.get(_contact(contact), contact.name), contact.email)
    for contact in statement.authors:
        people.setdefault(spelling.get(_contact(contact), contact.name), contact.email)
    if len(people) > 1:  # a program that merges, or rewrites, is no author beside people
        people = {name: email for name, email in people.items() if not _BOT.search(name)} or people
    reviewers = dict.fromkeys(spelling.get(_contact(contact), contact.name) for contact in statement.reviewers)
    files = [file for file in commit.files if not _is_generated(file, generated)]
    first = read.statements[merged[0].id] if len(merged) == 1 and statement.is_branch_merge else None
    change = Change(
        commit=commit.id,
        title=(first or statement).title or commit.id[:SHORT],
        time=datetime.fromtimestamp(commit.time, zone).isoformat(),
        number=statement.number or (first.number if first else ""),
        detail=(first or statement).detail,
        kind=(first or statement).kind,
        scope=(first or statement).scope,
        authors=tuple(people),
        reviewers=tuple(reviewers),
        files=tuple(file.path for file in files[:MOST_FILES]),
        added=sum(file.added for file in files),
        removed=sum(file.removed for file in files),
        fate=fate.fate,
        reason=fate.reason,
        into=fate.into,
    )
    return Found(change, tuple(file.path for file in files), people)


def _is_generated(file: File, patterns: re.Pattern[str]) -> bool:
    return bool(patterns.match(file.path) or patterns.match(file.path.rpartition("/")[2]))


def _fates(read: _Read, bots: Sequence[str]) -> dict[str, _Fate]:
    """What becomes of each change.

    A revert of a change in the range takes both out, and a reland brings the original back, once. A revert of an older
    change is listed, as the news that it is.
    """
    branch = read.history.branch
    own = {commit.id: _ordinary(commit, read, bots) for commit in branch}
    named = _Named(read)
    for commit in reversed(branch):
        statement = read.statements[commit.id]
        if statement.relanded_title:
            target = named.before(commit, statement.relanded_title, "")
            if target:
                own[target.id] = _Fate()
                own[commit.id] = _Fate("folded", "reland", target.id)
        elif statement.reverted_title or statement.reverts:
            target = named.before(commit, statement.reverted_title, statement.reverts)
            if target:
                own[target.id] = _Fate("folded", "reverted", commit.id)
                own[commit.id] = _Fate("folded", "revert", target.id)
    return own


def _ordinary(commit: Commit, read: _Read, bots: Sequence[str]) -> _Fate:
    statement = read.statements[commit.id]
    own = read.merged(commit) or (commit,)
    names = [one.name for one in own]
    names += [contact.name for one in {*own, commit} for contact in read.statements[one.id].authors]
    is_bot = all(name in bots or _BOT.search(name) for name in names)
    if statement.is_dependency:
        return _Fate("counted", "dependency")
    if is_bot:
        return _Fate("counted", "bot")
    if statement.is_backport:
        return _Fate("counted", "backport")
    if commit.files and all(file.is_submodule for file in commit.files):
        return _Fate("counted", "submodule")
    return _Fate()


class _Named:
    """The changes on a branch by what reverts and relands call them."""

    def __init__(self, read: _Read) -> None:
        self.branch = read.history.branch
        self.places = {commit.id: place for place, commit in enumerate(self.branch)}
        self.by_id: dict[str, list[int]] = {}
        self.by_number: dict[str, list[int]] = {}
        self.by_title: dict[str, list[int]] = {}
        self.by_merged: dict[str, list[int]] = {}
        for place, commit in enumerate(self.branch):
            statement = read.statements[commit.id]
            self.by_id.setdefault(commit.id[:_SHORTEST], []).append(place)
            self.by_number.setdefault(statement.number, []).append(place)
            for title in {statement.title, _subject(commit, statement)}:
                self.by_title.setdefault(title, []).append(place)
            for title in {read.statements[one.id].title for one in read.merged(commit)}:
                self.by_merged.setdefault(title, []).append(place)

    def before(self, commit: Commit, title: str, name: str) -> Commit | None:
        """The newest change before another one that has a title, an id or a number; each may be empty."""
        places = []
        if name:
            own = [place for place in self.by_id.get(name[:_SHORTEST], ()) if self.branch[place].id.startswith(name)]
            places += [own, self.by_number.get(name, [])]
        elif title:
            places.append(self.by_merged.get(title, []))
        if title:
            places.append(self.by_title.get(title, []))
        older = [(some, bisect_right(some, self.places[commit.id])) for some in places]
        first = min((some[index] for some, index in older if index < len(some)), default=-1)
        return self.branch[first] if first >= 0 else None


def _subject(commit: Commit, statement: Statement) -> str:
    """The subject of a commit as a revert of it quotes it, without the number."""
    subject = commit.message.strip("\n").partition("\n")[0].strip()
    return subject.removesuffix(f"({statement.number})").rstrip() if statement.number else subject
