"""The status of a post, as the whole site determines it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote
from devlog.model.view import Day, Link


class PostStatus(msgspec.Struct, frozen=True):
    """The status of a post or plain page.

    Attributes:
        status: one of `provenance.STATUSES`, or empty. If another post supersedes it, that overrides its own front
            matter.
        newest: the ids of the posts at the ends of all chains of supersession.
        superseded_by: links to them.
        supersedes: links to the posts that it directly supersedes.
        reviewed: when somebody last verified that it is correct.
        applies_to: what it applies to, such as a release; may be empty.
    """

    status: str = ""
    newest: tuple[str, ...] = ()
    superseded_by: tuple[Link, ...] = ()
    supersedes: tuple[Link, ...] = ()
    reviewed: Day | None = None
    applies_to: str = ""


class PostStatuses(msgspec.Struct, frozen=True):
    """The status of the posts of a site.

    Attributes:
        by_post: the statuses, by id of the post; posts without any are missing.
        notes: the values shown on pages and in feeds, including how AI was involved, likewise.
        problems: diagnostics about the front matter of posts.
    """

    by_post: Mapping[str, PostStatus] = {}
    notes: Mapping[str, PostNote] = {}
    problems: tuple[Diagnostic, ...] = ()
