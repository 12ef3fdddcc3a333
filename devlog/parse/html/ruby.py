"""Sets the readings of ruby text apart in plain text: ``<ruby>base<rt>reading</rt></ruby>`` becomes “base(reading)”."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?P<end>/?)(?P<name>ruby|rp|rt)(?![\w:-])[^<>]*>", re.IGNORECASE)


class Readings:
    """Replaces the tags of ruby text, one after the other, by brackets, where there are none in ``<rp>``."""

    __slots__ = ("_has_own", "_is_open")

    def __init__(self) -> None:
        self._has_own = False  # whether the element has brackets
        self._is_open = False

    def instead(self, name: str, *, is_end: bool) -> str:
        """The text instead of a tag; empty for other elements.

        Args:
            name: of the element, in lower case.
            is_end: whether it is an end tag. That of ``<rt>`` is often left out.
        """
        if name not in ("ruby", "rp", "rt"):
            return ""
        closing = ")" if self._is_open else ""
        if name != "rt":
            self._has_own = name == "rp"
        self._is_open = name == "rt" and not is_end and not self._has_own
        return f"{closing}(" if self._is_open else closing


def with_readings(html: str) -> str:
    """HTML with brackets instead of the tags of ruby text."""
    if "<r" not in html and "<R" not in html:
        return html
    readings = Readings()
    return _TAG.sub(lambda tag: readings.instead(tag["name"].lower(), is_end=bool(tag["end"])), html)
