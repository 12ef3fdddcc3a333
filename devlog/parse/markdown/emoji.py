"""Replaces short names such as ``:rocket:`` in text by emoji."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

# Colons also occur in times and URLs, so a match is only a candidate for a name.
_SHORTCODE = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,60}):(?![\w:])")


def replace_emoji(text: str) -> str:
    """`text` with the short names of emoji replaced; unknown names stay as written."""
    if ":" not in text:
        return text
    return _SHORTCODE.sub(lambda found: _names().get(found[1], found[0]), text)


@cache
def _names() -> dict[str, str]:
    """Emoji by name. The names are GitHub's (the gemoji data set, MIT), so that posts look the same in both places."""
    found: dict[str, str] = json.loads(Path(__file__).with_name("emoji.json").read_text("utf-8"))
    return found
