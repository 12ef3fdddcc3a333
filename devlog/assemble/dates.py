"""The dates of posts, and whether a post is published at the current time."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone, tzinfo

from devlog.model.document import Date, FrontMatter

_AROUND = timedelta(days=2)
"""The date differs by time zone. A day that is further back than this is over everywhere."""


def moment(date: Date, zone: tzinfo) -> datetime:
    """A date as a moment, with the day as written. A date without a time zone is in the time zone of the site.

    Where that would be outside of the calendar of UTC, it is in UTC, so that it can be stored.
    """
    if date.value.tzinfo is None:
        found = date.value.replace(tzinfo=zone)
        return found if _is_in_calendar(found, UTC) else date.value.replace(tzinfo=UTC)
    return date.value.astimezone(timezone(timedelta(minutes=date.offset)))


def in_zone(date: datetime, zone: tzinfo) -> datetime:
    """A moment in a time zone; as it is if it would be outside of the calendar there."""
    return date.astimezone(zone) if _is_in_calendar(date, zone) else date


def _is_in_calendar(date: datetime, zone: tzinfo) -> bool:
    """Whether a moment is in the years 1 to 9999 in a time zone, which are all that Python knows."""
    if 1 < date.year < 9999:
        return True
    try:
        date.astimezone(zone)
    except OverflowError:
        return False
    return True


def state_of(front_matter: FrontMatter, date: Date | None, now: datetime, zone: tzinfo) -> tuple[str, str]:
    """The publication state of a post.

    A day without a time starts at midnight in the site's time zone, so today is never in the future.

    Args:
        front_matter: the front matter of the post.
        date: the date of the post.
        now: the current time, with a time zone.
        zone: the time zone of the site.

    Returns:
        The state (``draft``, ``future``, ``expired``, or empty for a published post), and the reason why
        the post is left out, in words for its author.
    """
    if front_matter.draft:
        return "draft", "draft"
    start = front_matter.publish or date
    if start and begin_of(start, zone) > now:
        return "future", f"publishes {moment(start, zone).date().isoformat()}"
    expiry = front_matter.expiry
    if expiry and begin_of(expiry, zone) <= now:
        return "expired", f"expired {moment(expiry, zone).date().isoformat()}"
    return "", ""


def begin_of(date: Date, zone: tzinfo) -> datetime:
    """The moment from which a date is no longer in the future."""
    return datetime.combine(date.value.date(), time.min, zone) if date.day_only else moment(date, zone)


def next_change(front_matter: FrontMatter, date: Date | None, now: datetime, zone: tzinfo) -> datetime | None:
    """The next time at which `state_of` changes for a post, or its `updated` comes; `None` if there is none."""
    start, expiry, updated = front_matter.publish or date, front_matter.expiry, front_matter.updated
    if expiry is None and updated is None and (start is None or start.value.date() < now.date() - _AROUND):
        return None
    begins = (begin_of(item, zone) for item in (start, expiry, updated) if item)
    return min((begin for begin in begins if begin > now), default=None)
