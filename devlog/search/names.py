"""Identifiers: whole, and by the parts that people remember."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST = 80
"""Longer words are not names but data."""


def humps(name: str) -> list[str]:
    """The parts of a name in mixed case: ``TorchDispatchMode`` is Torch, Dispatch and Mode; none of any other."""
    if name.islower() or name.isupper() or len(name) > _LONGEST or not name.isascii():
        return []
    found = _HUMP.findall(name)
    return found if len(found) > 1 else []


def parts(text: str, targets: Iterable[str]) -> str:
    """The parts of all names in a text that the index does not take apart itself, and of what its links lead to."""
    mixed = [name for name in dict.fromkeys(_WORD.findall(text)) if not name.islower()]
    lines = [" ".join(found) for name in mixed if (found := humps(name))]
    return "\n".join([*lines, *dict.fromkeys(target.partition("://")[2] or target for target in targets)])
