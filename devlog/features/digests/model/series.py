"""The digests of a topic."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote
from devlog.model.site import Post
from devlog.model.view import DigestRow


class Digest(msgspec.Struct, frozen=True):
    """A post of a series.

    Attributes:
        post: the post.
        changes: how many changes were merged in its period; 0 if it does not say.
        people: how many people made them, likewise.
    """

    post: Post
    changes: int
    people: int


class DigestSeries(msgspec.Struct, frozen=True):
    """The series of a site.

    Attributes:
        notes: the notes on its posts, by id.
        digests_by_author: the digests that list changes of an author, newest first, by the key of the author.
        problems: none: what is wrong with front matter is reported when it is read.
    """

    notes: Mapping[str, PostNote] = {}
    digests_by_author: Mapping[str, tuple[DigestRow, ...]] = {}
    problems: tuple[Diagnostic, ...] = ()
