"""From a history to an activity, without any model: pure functions of what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from devlog.features.digests.digest.areas import OTHER, ConfiguredAreas, areas_of
from devlog.features.digests.digest.changes import Found
from devlog.features.digests.digest.history import History, Tag
from devlog.features.digests.digest.ranking import Usual, themes, usual, weight
from devlog.features.digests.model.activity import Activity, Area, Change, Person, Release, Totals


class Period(msgspec.Struct, frozen=True):
    """The days that a digest is about, both included, such as ``2026-06-02``; empty for a range of commits."""

    since: str = ""
    until: str = ""


def understand(
    project: str,
    history: History,
    changes: Sequence[Found],
    configured: ConfiguredAreas,
    period: Period,
    zone: ZoneInfo,
) -> Activity:
    """The activity of a range.

    Args:
        project: the name of the repository.
        history: the commits of the range, and what the history before tells.
        changes: the changes of the history.
        configured: the areas that the configuration names.
        period: the days that the range stands for.
        zone: the time zone of the site.
    """
    listed = [one for one in changes if one.change.fate == "listed"]
    area_of = areas_of(listed, configured, history.owners, history.before.changed)
    new = _new_people(listed, history)
    weights = {
        one.change.commit: weight(one.change, one.paths, is_first=not new.isdisjoint(one.change.authors))
        for one in listed
    }
    before = usual(history.before.subjects)
    areas = _areas(listed, area_of, weights, before)
    counts = Counter(name for one in listed for name in one.change.authors)
    people = tuple(
        Person(name, counts[name], name in new) for name in sorted(counts, key=lambda name: (-counts[name], name))
    )
    everything = tuple(msgspec.structs.replace(one.change, area=area_of.get(one.change.commit, "")) for one in changes)
    return Activity(
        project=project,
        first=history.first,
        last=history.last,
        since=period.since,
        until=period.until,
        totals=_totals(everything, listed, people),
        areas=areas,
        changes=everything,
        people=people,
        releases=tuple(_release(tag, zone) for tag in history.tags),
        counted=dict(sorted(Counter(change.reason for change in everything if change.reason).items())),
        themes=themes((one.change.title for one in listed), before),
    )


def _release(tag: Tag, zone: ZoneInfo) -> Release:
    return Release(tag.name, datetime.fromtimestamp(tag.time, zone).date().isoformat(), tag.commit)


def _new_people(listed: Sequence[Found], history: History) -> frozenset[str]:
    """The authors without an earlier commit; none if the history is too long to tell, or begins in the range."""
    earlier = history.before.emails
    if not earlier:
        return frozenset()
    names = {name: email for one in listed for name, email in one.emails.items()}
    return frozenset(name for name, email in names.items() if email and email not in earlier)


def _areas(
    listed: Sequence[Found], area_of: Mapping[str, str], weights: Mapping[str, float], before: Usual
) -> tuple[Area, ...]:
    """The areas, those with the most weight first, and the changes of no area last."""
    by_name: dict[str, list[Change]] = {}
    for one in listed:
        by_name.setdefault(area_of[one.change.commit], []).append(one.change)
    found = []
    for name, changes in by_name.items():
        ranked = sorted(changes, key=lambda change: (-weights[change.commit], change.time, change.commit))
        authors = Counter(author for change in changes for author in change.authors)
        found.append(
            Area(
                name,
                tuple(change.commit for change in ranked),
                tuple(sorted(authors, key=lambda author: (-authors[author], author))),
                themes((change.title for change in changes), before),
            )
        )

    def order(area: Area) -> tuple[bool, float, str]:
        return area.name == OTHER, -sum(weights[commit] for commit in area.changes), area.name

    return tuple(sorted(found, key=order))


def _totals(changes: Sequence[Change], listed: Sequence[Found], people: Sequence[Person]) -> Totals:
    fates = Counter(change.fate for change in changes)
    return Totals(
        changes=len(changes),
        listed=fates["listed"],
        folded=fates["folded"],
        counted=fates["counted"],
        people=len(people),
        new_people=sum(person.is_new for person in people),
        files=len({path for one in listed for path in one.paths}),
        added=sum(one.change.added for one in listed),
        removed=sum(one.change.removed for one in listed),
    )
