"""The activity of a repository in a period: what a digest reports, and what its text is verified against.

`docs/digests.md` documents the JSON form of `Activity`, which writers get and which is kept
in the folder `devlog.config.RECORDS`.
"""

from __future__ import annotations

import datetime
import re
from typing import Literal

import msgspec

from devlog.model.gaps import Gaps

SCHEMA = 1
"""The version of the JSON form."""

MOST_FILES = 500
"""So many paths of a change are kept."""

SHORT = 10
"""So many digits of a commit's id name it in a text."""

VERSION = re.compile(r"(?P<series>.*?)(?P<version>[0-9]{1,9}(?:\.[0-9]{1,9}){1,9})")
"""Matches the tag of a release: it ends with a version. ``v1.1-rc1`` is part of the release that comes after it."""


def order(name: str) -> tuple[bool, tuple[int, ...], str]:
    """A key that orders tags: those without a version first, then by version as numbers, and by name."""
    found = VERSION.fullmatch(name)
    return found is not None, tuple(map(int, found["version"].split("."))) if found else (), name


Fate = Literal["listed", "folded", "counted"]
"""What a digest does with a change: list it, fold it into another change, or only count it with others of its kind."""

Reason = Literal["", "reverted", "revert", "reland", "backport", "bot", "dependency", "submodule"]
"""Why a change is not listed by itself; empty for one that is."""

Kind = Literal["feature", "fix", "performance", "documentation", "test", "maintenance", "change"]
"""The type of a change as its subject states it; ``change`` if it does not."""


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody who wrote changes.

    Attributes:
        name: as the repository's mailmap spells it.
        changes: how many of the listed changes are theirs.
        is_new: whether they have no earlier commit. False if the history is too long to tell.
    """

    name: str
    changes: int = 0
    is_new: bool = False


class Issue(msgspec.Struct, frozen=True, omit_defaults=True):
    """An issue: its number with its sign, such as ``#12``, and its title, which is empty if it is not known."""

    number: str
    title: str = ""


class Milestone(msgspec.Struct, frozen=True, omit_defaults=True):
    """An open milestone of the project.

    Attributes:
        title: of the milestone.
        due: the day on which it is due, such as ``2026-07-01``; empty if none is set.
        open: how many of its issues are open.
        closed: how many of its issues are closed.
        issues: some of the open ones.
    """

    title: str
    due: str = ""
    open: int = 0
    closed: int = 0
    issues: tuple[Issue, ...] = ()

    @property
    def day(self) -> datetime.date | None:
        """The day on which it is due."""
        return datetime.date.fromisoformat(self.due) if self.due else None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A merge, or a commit made directly on the branch.

    Attributes:
        commit: its full id.
        number: of the pull request with its sign, such as ``#123``, ``!123`` or ``D123``; empty if none is known.
        title: without number and scope; of a commit without a message the beginning of its id.
        detail: the first sentences of its description; empty if that has none.
        time: of the commit, in the time zone of the site (ISO 8601).
        kind: its type.
        scope: the area that its subject names, such as ``parser`` in ``parser: fix …``; empty if none.
        authors: names of the people who wrote it.
        reviewers: names of the people who approved it.
        files: the paths that it changes, without generated ones; of very large changes only the first `MOST_FILES`.
        added: how many lines it adds to them.
        removed: how many lines it removes from them.
        area: the name of its area; empty unless it is listed.
        fate: whether it is listed.
        reason: why it is not.
        into: the commit into which it is folded; empty otherwise.
        labels: of its pull request; like the following ones only known from a forge.
        milestone: the title of its milestone; empty if none.
        comments: how many comments its pull request has.
        reactions: how many reactions it has.
        issues: the issues that it resolves.
    """

    commit: str
    title: str
    time: str
    number: str = ""
    detail: str = ""
    kind: Kind = "change"
    scope: str = ""
    authors: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    area: str = ""
    fate: Fate = "listed"
    reason: Reason = ""
    into: str = ""
    labels: tuple[str, ...] = ()
    milestone: str = ""
    comments: int = 0
    reactions: int = 0
    issues: tuple[Issue, ...] = ()

    @property
    def short_id(self) -> str:
        """The beginning of the commit's id."""
        return self.commit[:SHORT]


class Area(msgspec.Struct, frozen=True):
    """A part of the project with listed changes.

    Attributes:
        name: of the area.
        changes: the commits of its changes, the most important first.
        authors: names of the people who wrote them, the most active first.
        themes: words that its titles have more often than the history before.
    """

    name: str
    changes: tuple[str, ...]
    authors: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


class Release(msgspec.Struct, frozen=True):
    """A tag that was made in the period.

    Attributes:
        name: of the tag.
        date: its day in the time zone of the site, such as ``2026-06-03``.
        commit: the full id of the commit that it names.
    """

    name: str
    date: str
    commit: str = ""

    @property
    def day(self) -> datetime.date:
        """Its day."""
        return datetime.date.fromisoformat(self.date)


class Totals(msgspec.Struct, frozen=True):
    """Counts of the whole period.

    Attributes:
        changes: all merges and direct commits; the sum of the next three.
        listed: changes that are listed.
        folded: changes that are part of another one.
        counted: changes that are only counted.
        people: authors of listed changes.
        new_people: those of them without an earlier commit.
        files: different files of listed changes, without generated ones.
        added: lines that these changes add.
        removed: lines that they remove.
    """

    changes: int = 0
    listed: int = 0
    folded: int = 0
    counted: int = 0
    people: int = 0
    new_people: int = 0
    files: int = 0
    added: int = 0
    removed: int = 0


class Activity(msgspec.Struct, frozen=True):
    """What happened in a repository in a period.

    Attributes:
        schema: `SCHEMA`.
        project: the name of the repository.
        first: the commit before the period; empty if the period has the root commit.
        last: the last commit of the period; empty without any.
        since: the day with which the period begins, in the time zone of the site; empty for a range of commits.
        until: the last day of the period; empty for a range of commits.
        totals: counts.
        areas: the areas, the most important first.
        changes: all changes, the newest first.
        people: the authors of listed changes, the most active first.
        releases: tags, the oldest first.
        counted: how many changes are only counted or folded, by reason.
        themes: words that titles have more often than the history before, the strongest first.
        forge: the URL of the project on the forge that was asked about the changes; empty if none was.
        milestones: open milestones with a due date or open issues, the next due first; only known from a forge.
        gaps: what no post is about and these changes touch, if that is asked for; `post` is the target of a link.
    """

    project: str
    first: str
    last: str
    since: str
    until: str
    totals: Totals
    areas: tuple[Area, ...] = ()
    changes: tuple[Change, ...] = ()
    people: tuple[Person, ...] = ()
    releases: tuple[Release, ...] = ()
    counted: dict[str, int] = {}
    themes: tuple[str, ...] = ()
    schema: int = SCHEMA
    forge: str = ""
    milestones: tuple[Milestone, ...] = ()
    gaps: Gaps = Gaps("")

    @property
    def release(self) -> Release | None:
        """The release that this is about: a range of commits that ends with it, of several the last one in `order`."""
        ends = [release for release in self.releases if release.commit and release.commit == self.last]
        return max(ends, key=lambda release: order(release.name), default=None) if not self.until else None

    def by_commit(self) -> dict[str, Change]:
        """The changes by their commit."""
        return {change.commit: change for change in self.changes}


def encode(activity: Activity) -> bytes:
    """The JSON form of an activity, with sorted keys and a final newline."""
    return msgspec.json.format(msgspec.json.encode(activity, order="sorted"), indent=1) + b"\n"


def decode(data: bytes) -> Activity:
    """The activity of a JSON form.

    Raises:
        msgspec.DecodeError: the data is not the JSON form of an activity.
    """
    return msgspec.json.decode(data, type=Activity)
