"""When a post was written, and whether it is to be seen now."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone, tzinfo

from devlog.model.document import Date, FrontMatter


def moment(date: Date, zone: tzinfo) -> datetime:
    """A date as a moment, with the day as written; what has no time zone is local to the site."""
    if date.value.tzinfo is None:
        return date.value.replace(tzinfo=zone)
    return date.value.astimezone(timezone(timedelta(minutes=date.offset)))


def state_of(front_matter: FrontMatter, date: Date | None, now: datetime, zone: tzinfo) -> tuple[str, str]:
    """Whether a post is published.

    A day without a time counts as a day in the site's time zone: today is never in the future.

    Args:
        front_matter: of the post.
        date: of the post.
        now: with a time zone.
        zone: of the site.

    Returns:
        The state (``draft``, ``future``, ``expired``, or empty for a published post) and, for the writer,
        the reason why it is left out.
    """
    if front_matter.draft:
        return "draft", "draft"
    start = front_matter.publish or date
    if start and _after(start, now, zone):
        return "future", f"publishes {moment(start, zone).date().isoformat()}"
    expiry = front_matter.expiry
    if expiry and not _after(expiry, now, zone):
        return "expired", f"expired {moment(expiry, zone).date().isoformat()}"
    return "", ""


def _after(date: Date, now: datetime, zone: tzinfo) -> bool:
    if date.day_only:
        return date.value.date() > now.astimezone(zone).date()
    return moment(date, zone) > now
