"""Splits identifiers into the parts that people remember, so that a search finds them by these."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST = 80
"""Words longer than this are data, not names."""


def humps(name: str) -> list[str]:
    """The parts of a name in mixed case, such as Torch, Dispatch and Mode of ``TorchDispatchMode``; else none."""
    if name.islower() or name.isupper() or len(name) > _LONGEST or not name.isascii():
        return []
    found = _HUMP.findall(name)
    return found if len(found) > 1 else []


def parts(text: str, targets: Iterable[str]) -> str:
    """The parts of all names in mixed case, which the index does not split itself, and the targets of links.

    Args:
        text: the text to search for names.
        targets: the targets of its links.
    """
    mixed = [name for name in dict.fromkeys(_WORD.findall(text)) if not name.islower()]
    lines = [" ".join(found) for name in mixed if (found := humps(name))]
    return "\n".join([*lines, *dict.fromkeys(target.partition("://")[2] or target for target in targets)])
