"""The status of a source and the disclosure of AI, as given in its front matter."""

from __future__ import annotations

import msgspec

from devlog.model.document import Date, Ref

STATUSES = ("current", "superseded", "historical")
"""The values of `status`: still right, replaced by a newer post, or kept for the record."""

ASSISTANT = "AI"
"""The name of the tool that drafted a post if no other is given."""


class Ai(msgspec.Struct, frozen=True, omit_defaults=True):
    """How AI was involved in writing a post.

    Attributes:
        drafted: the tool that drafted it; empty if it is not given.
        edited_by: who edited it; may be empty.
        note: a sentence in the author's own words instead, or empty.
    """

    drafted: str = ""
    edited_by: str = ""
    note: str = ""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """What front matter says about the status of its source.

    Attributes:
        status: one of `STATUSES`, or empty.
        supersedes: the posts that it supersedes, written like links.
        superseded_by: the posts that supersede it, likewise.
        reviewed: when somebody last verified that it is correct.
        applies_to: what it applies to, such as a release; may be empty.
        ai: how AI was involved in writing it; `None` if that is not declared.
    """

    status: str = ""
    supersedes: tuple[Ref, ...] = ()
    superseded_by: tuple[Ref, ...] = ()
    reviewed: Date | None = None
    applies_to: str = ""
    ai: Ai | None = None
