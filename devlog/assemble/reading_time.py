"""How long it takes to read a post."""

from __future__ import annotations

from devlog.model.site import Post

WORDS_PER_MINUTE = 213
"""Silent reading of English, as Hugo takes it."""


def reading_time(post: Post) -> int:
    """Minutes that reading takes, at least one."""
    return max(1, -(-post.parsed.document.words // WORDS_PER_MINUTE))
