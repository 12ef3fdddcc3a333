"""The reading time of a post."""

from __future__ import annotations

from devlog.model.site import Post

WORDS_PER_MINUTE = 213
"""The speed of silent reading of English, as Hugo assumes it."""


def reading_time(post: Post) -> int:
    """The reading time in minutes, rounded up, at least one."""
    return max(1, -(-post.parsed.document.words // WORDS_PER_MINUTE))
