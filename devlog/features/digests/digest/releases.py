"""The releases that a series of digests lacks, by the tags of the clone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from devlog.features.digests.digest.history import Span, Tag
from devlog.features.digests.digest.periods import MOST, Edition
from devlog.features.digests.digest.understand import Period
from devlog.features.digests.model.activity import VERSION, order


class _Version(NamedTuple):
    """A tag of a release: what stands before the version, such as the name of a package, and its numbers."""

    series: str
    numbers: tuple[int, ...]
    tag: Tag


def lacking_editions(
    tags: Sequence[Tag], written: Collection[str], now: datetime, zone: ZoneInfo
) -> tuple[Edition, ...]:
    """The editions that a series of releases lacks, the oldest first.

    Each begins after the release with the next lower version that existed when it was made, so that ``v2.0.1`` on an
    old branch does not list the changes of ``v3.0.0`` again.

    Args:
        tags: the tags of the clone.
        written: the last commits of the digests that there are; none asks for one edition, of the newest release.
        now: the current time; tags of a later time are left out.
        zone: the time zone of the site.
    """
    versions = [version for tag in tags if tag.time <= now.timestamp() and (version := _version(tag))]
    versions.sort(key=lambda version: (version.tag.time, version.numbers, version.tag.name))
    begin = max((number for number, version in enumerate(versions) if version.tag.commit in written), default=None)
    lacking = versions[-1:] if begin is None else versions[begin + 1 :]
    by_commit: dict[str, _Version] = {}
    for version in reversed(lacking):
        commit = version.tag.commit
        if commit not in written:
            by_commit[commit] = max(by_commit.get(commit, version), version, key=lambda one: order(one.tag.name))
    newest = list(by_commit.values())[:MOST]
    return tuple(_edition(version, versions, zone) for version in reversed(newest))


def _version(tag: Tag) -> _Version | None:
    found = VERSION.fullmatch(tag.name)
    return _Version(found["series"], tuple(map(int, found["version"].split("."))), tag) if found else None


def _edition(version: _Version, versions: Sequence[_Version], zone: ZoneInfo) -> Edition:
    def is_before(other: _Version) -> bool:
        is_lower = other.series == version.series and other.numbers < version.numbers
        return is_lower and other.tag.time <= version.tag.time and other.tag.commit != version.tag.commit

    before = max(filter(is_before, versions), key=lambda other: other.numbers, default=None)
    day = datetime.fromtimestamp(version.tag.time, zone).date()
    return Edition(day, Period(), Span(first=before.tag.commit if before else "", last=version.tag.commit))
