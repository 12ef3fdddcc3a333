"""The arguments of shortcodes whose text a block shows beside its content, such as a caption.

A line of text has no place for them: what it leaves out is reported.
"""

from __future__ import annotations

from devlog.model.shortcode_tag import Shortcode
from devlog.parse.code.highlight import read_info
from devlog.parse.shortcodes import paired

FIGURES = frozenset({"figure", "img", "image", "resize_image"})
PLAYERS = {"video": "video", "audio": "audio"}


def has_caption(shortcode: Shortcode) -> bool:
    """Whether a shortcode is a figure with text: a tag of that kind on lines of its own is always a block."""
    is_figure = shortcode.name in FIGURES or shortcode.name in PLAYERS
    return is_figure and shortcode.role != "close" and bool(block_arguments(shortcode))


def block_arguments(shortcode: Shortcode) -> list[str]:
    """The texts, as written, that only a block shows."""
    kind, named = paired.kind_of(shortcode.name), shortcode.named
    found: list[str] = []
    if shortcode.name in FIGURES or shortcode.name in PLAYERS:
        found = [named.get(name, "") for name in ("title", "caption", "attr")]
    elif kind == "alert":
        found = [paired.alert_of(shortcode).title]
    elif kind == "details":
        found = [paired.summary_of(shortcode)]
    elif kind == "quote":
        found = [*paired.author_and_source(shortcode)]
    elif kind == "tab":
        found = [paired.tab_title(shortcode)]
    elif kind == "code":
        found = [read_info(paired.code_info(shortcode)).title]
    return [text.strip() for text in found if text.strip()]
