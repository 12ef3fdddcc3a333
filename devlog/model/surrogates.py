"""Halves of surrogate pairs: JSON allows them in strings, but they are no characters, so no file can contain them."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
"""An escape in a string; the group matches an unpaired surrogate."""

HINT = "write the character itself, or both halves of its pair"
"""What to do about one."""


def without_surrogates(text: str) -> str:
    """A text with escapes in place of lone surrogates.

    Texts of exceptions may have some: Python puts them into the names of files that are not UTF-8. No report, cache or
    other process can take them.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def unpaired_surrogate(text: str) -> re.Match[str] | None:
    """The first escape in a JSON text that is only half of a surrogate pair."""
    return next((match for match in _ESCAPE.finditer(text) if match[1]), None)
