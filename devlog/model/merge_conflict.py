"""Finds what git writes into a file whose changes it cannot merge."""

from __future__ import annotations

import re

CONFLICT_MARK = "<<<<<<< "
"""What the first line of a merge conflict begins with."""

CONFLICT = re.compile(rf"^{CONFLICT_MARK}.*", re.MULTILINE)
"""The first line of a merge conflict."""

RESOLVE = "resolve the merge conflict: keep what is right, and delete the lines of “<<<<<<<”, “=======” and “>>>>>>>”"
"""What to do about it."""


def hint_about_conflict(text: str) -> str:
    """A hint for an error of syntax in a text; empty unless a merge conflict in it is the likely cause."""
    return RESOLVE if CONFLICT.search(text) else ""
