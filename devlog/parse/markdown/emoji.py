"""Replaces short names such as ``:rocket:`` in text by emoji."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from devlog.model.closest import Words, closest

_NEAR = 0.8
_SHORTEST = 4  # each short word is near to some name

# Colons also occur in times and URLs, so a match is only a candidate for a name.
NAME = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,60}):(?![\w:])")


def replace_emoji(text: str) -> str:
    """`text` with the short names of emoji replaced; unknown names stay as written."""
    if ":" not in text:
        return text
    return NAME.sub(lambda found: _names().get(found[1], found[0]), text)


def unknown_emoji(text: str) -> list[str]:
    """The names between colons that are no emoji."""
    return [found[1] for found in NAME.finditer(text) if found[1] not in _names()]


def nearest_emoji(name: str) -> str:
    """The name of an emoji that `name` was most likely meant to be; empty when none is near."""
    return closest(name, _words(), _NEAR) if len(name) >= _SHORTEST else ""


@cache
def _words() -> Words:
    return Words(_names())


@cache
def _names() -> dict[str, str]:
    """Emoji by name. The names are GitHub's (the gemoji data set, MIT), so that posts look the same in both places."""
    found: dict[str, str] = json.loads(Path(__file__).with_name("emoji.json").read_text("utf-8"))
    return found
