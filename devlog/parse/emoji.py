"""Emoji by their short names: ``:rocket:`` in text, never in code."""

from __future__ import annotations

import json
import re
from importlib.resources import files

# The names are those of GitHub (the gemoji data set, MIT), so that a text reads the same here and there.
_EMOJI: dict[str, str] = json.loads(files("devlog.parse").joinpath("emoji.json").read_text("utf-8"))
_SHORTCODE = re.compile(r"(?<![\w:]):([a-z0-9_+-]{1,60}):(?![\w:])")


def replace_emoji(text: str) -> str:
    """`text` with the short names of emoji replaced; unknown names stay as written."""
    if ":" not in text:
        return text
    return _SHORTCODE.sub(lambda found: _EMOJI.get(found[1], found[0]), text)
