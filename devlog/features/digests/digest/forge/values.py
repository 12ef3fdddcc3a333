"""What every forge tells, in one form. All of it is untrusted text: see `clean`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

MOST_OBJECTS = 100
"""So many objects of an answer are read: more are never asked for, whatever a host sends."""

MOST_LABELS = 30
MOST_BODY = 20_000
"""So many characters of a description are read."""

_LONGEST_TITLE = 300
_LONGEST_LABEL = 100
_LARGEST = 1_000_000
# Characters that no title has on purpose: they would end a line, or change the order of what is shown.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_DAY = re.compile(r"[12]\d{3}-\d\d-\d\d", re.ASCII)


class Item(msgspec.Struct, frozen=True):
    """A pull request or an issue.

    Attributes:
        number: with its sign, such as ``#12`` or ``!12``.
        title: as its author wrote it.
        body: its description.
        labels: their names.
        milestone: the title of its milestone; empty if it has none.
        comments: how many there are.
        reactions: how many there are.
    """

    number: str
    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    milestone: str = ""
    comments: int = 0
    reactions: int = 0


class Plan(msgspec.Struct, frozen=True):
    """An open milestone.

    Attributes:
        id: by which the forge finds its issues.
        title: of the milestone.
        due: the day on which it is due; empty if none is set.
        open: how many issues are open; -1 if only asking for them would tell.
        closed: how many are closed.
    """

    id: str
    title: str
    due: str = ""
    open: int = -1
    closed: int = 0


def clean(value: Any, longest: int = _LONGEST_TITLE) -> str:
    """A value as one line of text; empty if it is none."""
    return " ".join(_CONTROL.sub("", value[: 4 * longest]).split())[:longest] if isinstance(value, str) else ""


def body_of(value: Any) -> str:
    """A description as text of several lines; empty if it is none."""
    return _CONTROL.sub("", value[:MOST_BODY].replace("\r\n", "\n")) if isinstance(value, str) else ""


def count_of(value: Any) -> int:
    """A number of things, never below 0."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return max(0, min(value, _LARGEST)) if is_number else 0


def id_of(value: Any) -> int:
    """A number that identifies something; 0 if it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9 else 0


def day_of(value: Any) -> str:
    """The day of a point in time, such as ``2026-07-01``; empty if it is none."""
    found = _DAY.match(value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(found[0]).isoformat() if found else ""
    except ValueError:
        return ""


def labels_of(value: Any) -> tuple[str, ...]:
    """The names of labels, each once: a list of names, or of objects with names."""
    if not isinstance(value, list):
        return ()
    names = (clean(one.get("name") if isinstance(one, Mapping) else one, _LONGEST_LABEL) for one in value[:MOST_LABELS])
    return tuple(dict.fromkeys(filter(None, names)))


def objects(value: Any) -> list[dict[str, Any]]:
    """The first objects of a list; none if it is no list."""
    some = value[:MOST_OBJECTS] if isinstance(value, list) else ()
    return [one for one in some if isinstance(one, dict)]


def title_in(value: Any) -> str:
    """The title of an object that may be missing, such as a milestone."""
    return clean(value.get("title")) if isinstance(value, dict) else ""
