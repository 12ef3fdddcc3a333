"""Parses dates as people and other generators write them, without locale, clock or time zone names except UTC's."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from devlog.model.document import Date

_TIME = r"""
    (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?: :(?P<second>[0-9]{2}) (?:[.,](?P<fraction>[0-9]{1,18}))? )?
    (?:[ ]?(?:(?P<utc>[Zz]|UTC|GMT)|(?P<sign>[+-])(?P<zone_hour>[0-9]{2}):?(?P<zone_minute>[0-9]{2})))?
"""
_MONTH = r"(?P<name>[A-Za-z]{3,9})\.?"
_YEAR = r"(?P<year>[0-9]{4})"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(form, re.VERBOSE)
    for form in (
        (
            rf"{_YEAR}(?P<mark>[-/])(?P<month>[0-9]{{1,2}})(?P=mark)(?P<day>[0-9]{{1,2}})"
            rf"(?:(?:[Tt]|[ ]+){_TIME})?"
        ),
        rf"{_MONTH}[ ]+{_DAY},?[ ]+{_YEAR}(?:,?[ ]+{_TIME})?",
        rf"(?:[A-Za-z]{{3,9}},[ ]*)?{_DAY}[ ]+{_MONTH},?[ ]+{_YEAR}(?:,?[ ]+{_TIME})?",
    )
)
_IN_NAME = re.compile(r"(?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2})(?:[-_ ]+(?P<rest>.*))?", re.DOTALL)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_LONGEST = 64


def parse_date(text: str) -> Date | None:
    """Read a date.

    Args:
        text: such as ``2026-05-03``, ``2026-05-03T10:00:00Z``, ``2025-08-20 10:00:00 -0700``,
            ``June 8, 2020`` or ``Mon, 08 Jun 2020 10:00:00 +0000``.

    Returns:
        The date, or None if the text is not a date or names a day that does not exist.
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    for form in _FORMS:
        match = form.fullmatch(text)
        if match:
            return _date(match.groupdict())
    return None


def date_from_name(name: str) -> tuple[Date | None, str]:
    """Split a file name that begins with a date.

    Args:
        name: a file name without its extension, such as ``2026-05-04-slug``.

    Returns:
        The date and the rest, which is empty if the name is only a date; None and the whole name if it does
        not begin with a date.
    """
    match = _IN_NAME.fullmatch(name)
    date = parse_date(match["date"]) if match else None
    if match is None or date is None:
        return None, name
    return date, match["rest"] or ""


def impossible_date(name: str) -> str:
    """The date at the beginning of a file name, if there is no such day, such as ``2026-02-31``; else empty."""
    match = _IN_NAME.fullmatch(name)
    return match["date"] if match and parse_date(match["date"]) is None else ""


def _date(parts: dict[str, str | None]) -> Date | None:
    name = parts.get("name")
    month = _month(name) if name else int(parts.get("month") or 0)
    hour = parts["hour"]
    fraction = (parts["fraction"] or "").ljust(6, "0")[:6]
    try:
        value = datetime(
            int(parts["year"] or 0),
            month,
            int(parts["day"] or 0),
            int(hour or 0),
            int(parts["minute"] or 0),
            int(parts["second"] or 0),
            int(fraction),
            tzinfo=_zone(parts),
        )
        if value.tzinfo is not None:
            value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    offset = value.utcoffset() or timedelta()
    return Date(value, hour is None, offset // timedelta(minutes=1))


def _month(name: str) -> int:
    name = name.lower()
    for number, month in enumerate(_MONTHS, 1):
        if month.startswith(name):
            return number
    return 0


def _zone(parts: dict[str, str | None]) -> timezone | None:
    if parts["utc"]:
        return UTC
    if not parts["sign"]:
        return None
    hours, minutes = int(parts["zone_hour"] or 0), int(parts["zone_minute"] or 0)
    if minutes >= 60:
        raise ValueError
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if parts["sign"] == "+" else -offset)
