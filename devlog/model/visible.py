"""Tells whether a reader sees anything of a text, such as a title, which lists and search results show as a link."""

from __future__ import annotations

from devlog.model.outpath import UNSEEN


def is_visible(text: str) -> bool:
    """Whether a text has any character that is shown: not white space, nor a joiner or another that has no shape."""
    return bool(text and not text.isspace() and (text.isascii() or UNSEEN.sub("", text).strip()))
