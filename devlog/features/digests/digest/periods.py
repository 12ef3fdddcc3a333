"""The periods of a series of digests: complete days or weeks in the time zone of the site."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from devlog.features.digests.digest.history import Span
from devlog.features.digests.digest.understand import Period

MOST = 60
"""So many missed periods are caught up at most; older ones are left out."""

_DAYS = {"day": 1, "week": 7}


class Edition(msgspec.Struct, frozen=True):
    """A digest that is to be written.

    Attributes:
        day: the date of the post: the day after the period.
        period: the days that it is about; empty for a range of commits.
        span: the commits that it is about.
    """

    day: date
    period: Period
    span: Span


def between(since: date, until: date | None, now: datetime, zone: ZoneInfo) -> Edition:
    """The edition for the days from `since` to `until`, both included; `None` for all until now."""
    today = now.astimezone(zone).date()
    last = min(until or today, today)
    period = Period(since.isoformat(), last.isoformat())
    end = last + timedelta(days=1)
    return Edition(min(end, today), period, Span(_seconds(since, zone), _seconds(end, zone)))


def missed(every: Literal["day", "week"], last: date | None, now: datetime, zone: ZoneInfo) -> tuple[Edition, ...]:
    """The editions that a series lacks, the oldest first: one for each complete period.

    Args:
        every: how long a period is; weeks begin on Monday.
        last: the last day of the newest edition that there is; `None` without any, which asks for one edition.
        now: the present moment.
        zone: the time zone of the site.
    """
    length = timedelta(days=_DAYS[every])
    today = now.astimezone(zone).date()
    end = today - timedelta(days=today.weekday()) if every == "week" else today
    begin = last + timedelta(days=1) if last else end - length
    found: list[Edition] = []
    while end - length >= begin and len(found) < MOST:
        found.append(between(end - length, end - timedelta(days=1), now, zone))
        end -= length
    return tuple(reversed(found))


def _seconds(day: date, zone: ZoneInfo) -> int:
    """The first second of a day, since 1970; no commit is older."""
    return max(1, int(datetime.combine(day, time(), zone).timestamp()))
