"""How far a post can be relied on, as the whole site tells."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote
from devlog.model.view import Day, Link


class PostStatus(msgspec.Struct, frozen=True):
    """What is known of how far a post or page can be relied on.

    Attributes:
        status: one of `provenance.STATUSES`, or empty: that another post has taken its place counts more than what it
            says itself.
        newest: the ids of the texts at the ends of all chains of texts that superseded one another.
        superseded_by: links to them.
        supersedes: links to the texts whose place it took itself.
        reviewed: when somebody last made sure that it is right.
        applies_to: what it is about, such as a release; may be empty.
    """

    status: str = ""
    newest: tuple[str, ...] = ()
    superseded_by: tuple[Link, ...] = ()
    supersedes: tuple[Link, ...] = ()
    reviewed: Day | None = None
    applies_to: str = ""


class PostStatuses(msgspec.Struct, frozen=True):
    """How far the posts of a site can be relied on.

    Attributes:
        by_post: by id, those of which there is something to say.
        notes: what of that is shown, and what had a part in writing posts, likewise.
        problems: what is wrong with what they say.
    """

    by_post: Mapping[str, PostStatus] = {}
    notes: Mapping[str, PostNote] = {}
    problems: tuple[Diagnostic, ...] = ()
