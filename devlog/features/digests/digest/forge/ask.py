"""What is asked of a forge for one digest, with as few requests as possible: items by number, and what comes next."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from devlog.features.digests.digest.forge.bodies import resolved
from devlog.features.digests.digest.forge.cache import Cache
from devlog.features.digests.digest.forge.client import (
    Answer,
    Client,
    ForgeFailedError,
    Pace,
    SpentError,
    TooLargeError,
)
from devlog.features.digests.digest.forge.project import Project
from devlog.features.digests.digest.forge.shapes import MOST_ISSUES, SHAPES, Shape
from devlog.features.digests.digest.forge.values import Item, Plan, objects
from devlog.features.digests.model.activity import Change, Issue, Milestone

PACE = Pace()
"""The limits of the command."""

_FEW = 3
"""So many items are asked for one by one; of more, lists are read as long as they have at least two of them a page."""

_MOST_ISSUES = 40
"""So many titles of resolved issues are asked for."""

_MOST_REACTIONS = 30
"""The reactions to so many pull requests are asked for, one by one: to those with the most comments."""

_MOST_MILESTONES = 5
_OVERDUE = timedelta(days=30)
"""Milestones that have been due for longer are forgotten rather than next."""


class Wanted(msgspec.Struct, frozen=True):
    """What a digest wants to know.

    Attributes:
        changes: the listed changes.
        messages: the commit messages of each change, by its commit.
        day: the date of the post.
    """

    changes: Sequence[Change]
    messages: Mapping[str, Sequence[str]]
    day: date


class Answers(msgspec.Struct, frozen=True):
    """What a forge answered.

    Attributes:
        url: the URL of the project.
        items: the pull requests, by number with sign.
        issues: the issues that each change resolves, by its commit.
        milestones: the open milestones, the next due first.
        host: that was asked.
        requests: how many requests were made.
        cached: how many answers came from the cache.
        asked: how many pull requests were asked for.
        missing: how many of these are unknown since no more requests may be made.
        large: how many pull requests and issues are unknown since they are too large.
    """

    url: str
    items: Mapping[str, Item]
    issues: Mapping[str, tuple[Issue, ...]]
    milestones: tuple[Milestone, ...]
    host: str
    requests: int
    cached: int
    asked: int
    missing: int = 0
    large: int = 0


def ask(root: Path, project: Project, wanted: Wanted, pace: Pace | None = None) -> Answers:
    """Ask a forge about the changes of a digest.

    Args:
        root: the folder of the site, which has the cache.
        project: on the forge.
        wanted: what the digest wants to know.
        pace: limits; `None` for those of the command.

    Raises:
        ForgeFailedError: the forge gives no usable answer.
    """
    shape, token = SHAPES[project.forge], project.token(os.environ)
    cache = Cache(root, has_token=bool(token))
    client = Client(
        project.api,
        shape.headers(token),
        cache,
        pace or PACE,
        token_hint=_hint(project, has_token=bool(token)),
        limit_hint="" if token else ", or set a token, with which more are allowed",
    )
    try:
        return _Asking(client, shape, project).all(wanted)
    finally:
        cache.save()


def _hint(project: Project, *, has_token: bool) -> str:
    own, usual = project.token_names
    if has_token:
        return f"check that the token in {own} or {usual} may read the project"
    if not project.is_named:
        return f"name the project as “forge” in devlog.toml, and set {own} or {usual} to a token that may read it"
    return f"set {own} or {usual} to a token that may read the project"


class _Asking:
    """The requests for one digest."""

    def __init__(self, client: Client, shape: Shape, project: Project) -> None:
        self._client, self._shape, self._project = client, shape, project
        self._known: dict[str, Item] = {}
        self._large = 0

    def all(self, wanted: Wanted) -> Answers:
        """Ask for everything, the most important first."""
        numbers = [change.number for change in wanted.changes if change.number.startswith(self._shape.sign)]
        numbers = list(dict.fromkeys(numbers))
        left, plans = len(numbers), list[Milestone]()
        resolves: dict[str, tuple[str, ...]] = {}
        try:
            self._check()
            self._ask(numbers, wanted.changes)
            left = 0
            resolves = self._resolves(wanted)
            plans = self._plans(wanted.day)
            self._ask_titles(resolves)
            self._ask_reactions(numbers)
        except SpentError:
            left = sum(number not in self._known for number in numbers) if left else 0
            resolves = resolves or self._resolves(wanted)
        issues = {
            commit: tuple(Issue(number, self._known[number].title if number in self._known else "") for number in some)
            for commit, some in resolves.items()
        }
        client = self._client
        return Answers(
            url=self._project.page or self._project.api,
            items=self._known,
            issues=issues,
            milestones=tuple(plans),
            host=self._project.host,
            requests=client.requests,
            cached=client.cached,
            asked=len(numbers),
            missing=left,
            large=self._large,
        )

    def _check(self) -> None:
        """See whether there is such a project, so that a missing pull request is distinguished from a wrong URL."""
        if not isinstance(self._client.get("", kinds=(dict,)).value, dict):
            raise ForgeFailedError(f"{self._project.api} is not a project")

    def _ask(self, numbers: Sequence[str], changes: Sequence[Change]) -> None:
        """Ask for pull requests: from the list of those updated since the first change, then by number.

        Everybody can write long texts into that list, so that a page may be too large: smaller ones are asked for then.
        """
        if len(numbers) > _FEW:
            first = min(datetime.fromisoformat(change.time) for change in changes) - timedelta(hours=1)
            time = first.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for page in self._shape.pages:
                try:
                    self._ask_list(self._shape.since(time, page), frozenset(numbers))
                    break
                except TooLargeError:
                    continue
        self._ask_one_by_one(numbers, self._shape.sign)

    def _ask_list(self, begin: str, asked: Collection[str]) -> None:
        """Ask for the pages of a list, as long as they have enough of what is asked for."""
        path, missing = begin, {number for number in asked if number not in self._known}
        while path and missing:
            answer = self._client.get(path, may_miss=path != begin)  # what another page has is asked for by number
            found = self._shape.items(answer.value, self._shape.sign)
            self._known |= {item.number: item if item.number in asked else _titled(item) for item in found}
            is_worth_it = len(missing & self._known.keys()) >= min(2, len(missing))
            missing -= self._known.keys()
            path = answer.following if is_worth_it else ""

    def _ask_one_by_one(self, numbers: Sequence[str], sign: str) -> None:
        """Ask for items by number, in batches if the forge has them. Those that are gone are left out."""
        missing = [number for number in numbers if number not in self._known]
        for begin in range(0, len(missing), self._shape.batch):
            self._ask_batch(missing[begin : begin + self._shape.batch], sign)

    def _ask_batch(self, numbers: Sequence[str], sign: str) -> None:
        """Ask for some items at once; by halves if that is too much. Those that are too large are left out."""
        try:
            answer = self._client.get(self._shape.by_number(numbers), may_miss=True).value
        except TooLargeError:
            half = len(numbers) // 2
            for some in (numbers[:half], numbers[half:]) if half else ():
                self._ask_batch(some, sign)
            self._large += half == 0
            return
        self._known |= {item.number: item for item in self._shape.items(answer, sign) if item.number in numbers}

    def _extra(self, path: str) -> Answer:
        """What a digest can do without; no value if there is nothing, or too much."""
        try:
            return self._client.get(path, may_miss=True)
        except TooLargeError:
            return Answer(None)

    def _resolves(self, wanted: Wanted) -> dict[str, tuple[str, ...]]:
        """The numbers of the issues that each change resolves."""
        found = {}
        for change in wanted.changes:
            item = self._known.get(change.number)
            bodies = [*([item.body] if item else []), *wanted.messages.get(change.commit, ())]
            numbers = tuple(one for one in resolved(bodies, self._project.page) if one != change.number)
            if numbers:
                found[change.commit] = numbers
        return found

    def _ask_titles(self, resolves: Mapping[str, Sequence[str]]) -> None:
        numbers = list(dict.fromkeys(number for some in resolves.values() for number in some))
        self._ask_one_by_one([one for one in numbers if one not in self._known][:_MOST_ISSUES], "#")

    def _ask_reactions(self, numbers: Sequence[str]) -> None:
        """Count the reactions to pull requests, if these do not tell their number."""
        known = [self._known[number] for number in numbers if number in self._known]
        for item in sorted(known, key=lambda item: -item.comments)[:_MOST_REACTIONS]:
            if path := self._shape.reactions(item.number):
                answer = self._extra(path).value
                self._known[item.number] = msgspec.structs.replace(item, reactions=len(objects(answer)))

    def _plans(self, day: date) -> list[Milestone]:
        """The open milestones that have a date or open issues, with some of these."""
        answer = self._extra(self._shape.milestones()).value
        plans = [plan for plan in self._shape.plans(answer) if not _is_forgotten(plan, day)]
        plans.sort(key=lambda plan: (plan.due or "9999", plan.title))
        found = []
        for plan in [plan for plan in plans if plan.due or plan.open][:_MOST_MILESTONES]:
            milestone = self._with_issues(plan)
            if milestone.due or milestone.open:
                found.append(milestone)
        return found

    def _with_issues(self, plan: Plan) -> Milestone:
        if not plan.open:
            return Milestone(plan.title, plan.due, 0, plan.closed)
        answer = self._extra(self._shape.open_issues(plan))
        items = self._shape.items(answer.value, "#")
        total = plan.open if plan.open >= 0 else max(answer.total, len(items))
        issues = tuple(Issue(item.number, item.title) for item in items[:MOST_ISSUES])
        return Milestone(plan.title, plan.due, total, plan.closed, issues)


def _titled(item: Item) -> Item:
    """What is kept of an item that was not asked for: it may be an issue that a change resolves."""
    return Item(item.number, item.title)


def _is_forgotten(plan: Plan, day: date) -> bool:
    return bool(plan.due) and date.fromisoformat(plan.due) < day - _OVERDUE
