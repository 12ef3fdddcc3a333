"""Emoji by their short names: ``:rocket:`` in text, never in code."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

# Of a name a text is mostly only suspected: times and addresses have colons too.
_SHORTCODE = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,60}):(?![\w:])")


def replace_emoji(text: str) -> str:
    """`text` with the short names of emoji replaced; unknown names stay as written."""
    if ":" not in text:
        return text
    return _SHORTCODE.sub(lambda found: _names().get(found[1], found[0]), text)


@cache
def _names() -> dict[str, str]:
    """Emoji by name. The names are those of GitHub (the gemoji data set, MIT): a text reads the same here and there."""
    found: dict[str, str] = json.loads(Path(__file__).with_name("emoji.json").read_text("utf-8"))
    return found
