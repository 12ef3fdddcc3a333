"""How pages show dates: in one of the named forms, or by a pattern of the site."""

from __future__ import annotations

import re
from datetime import date

from devlog.model.catalog import Catalog

FORMS = ("short", "long", "iso")
"""The named forms: ``May 3, 2026`` with the short and the long name of the month, and ``2026-05-03``."""

PLACEHOLDERS = ("{day}", "{dd}", "{month}", "{month_short}", "{month_number}", "{mm}", "{year}")
"""What a pattern may contain: the day and the month also with two digits."""

MONTHS = "january february march april may june july august september october november december".split()
"""The keys of the months' names in a catalog; with ``_short``, those of their short names."""

_BRACED = re.compile(r"\{[^{}]*\}?|\}")


def unknown_placeholder(form: str) -> str | None:
    """What is wrong with a form of dates.

    Args:
        form: the name of a form, or a pattern.

    Returns:
        The first placeholder that a pattern cannot have, an empty text if it has none and is no name of a form, and
        `None` for a form that can be used.
    """
    if form in FORMS:
        return None
    braced: list[str] = _BRACED.findall(form)
    wrong = [text for text in braced if text not in PLACEHOLDERS]
    return wrong[0] if wrong else None if braced else ""


def date_in_words(day: date, form: str, t: Catalog) -> str:
    """A date as pages show it.

    Args:
        day: the date.
        form: one of `FORMS`, or a pattern with placeholders of `PLACEHOLDERS`.
        t: the message catalog, which has the names of months and the order of the parts in its language.
    """
    if form == "iso":
        return f"{day.year:04}-{day.month:02}-{day.day:02}"
    name = MONTHS[day.month - 1]
    if form in FORMS:
        month = t(name) if form == "long" else _short(name, t)
        return t("date", month=month, month_number=day.month, day=day.day, year=day.year)
    values = {
        "{day}": str(day.day),
        "{dd}": f"{day.day:02}",
        "{month}": t(name),
        "{month_short}": _short(name, t),
        "{month_number}": str(day.month),
        "{mm}": f"{day.month:02}",
        "{year}": str(day.year),
    }
    return _BRACED.sub(lambda found: values[found[0]], form)


def _short(name: str, t: Catalog) -> str:
    """The short name of a month; the long one in a language that has no other."""
    key = f"{name}_short"
    short, long = t.messages.get(key), t.messages.get(name)
    return t(key if short and long and short.language == long.language else name)
