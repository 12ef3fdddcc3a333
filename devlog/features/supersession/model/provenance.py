"""How far a text can still be relied on, and who drafted it, as its front matter says."""

from __future__ import annotations

import msgspec

from devlog.model.document import Date, Ref

STATUSES = ("current", "superseded", "historical")
"""What `status` can be: right as it stands, replaced by a newer text, or kept for the record."""

ASSISTANT = "AI"
"""What drafted a text where nothing more exact is said."""


class Ai(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a program that writes had to do with a text.

    Attributes:
        drafted: what drafted it; empty where that is not said.
        edited_by: who went over it; may be empty.
        note: a sentence of the writer's own instead, or empty.
    """

    drafted: str = ""
    edited_by: str = ""
    note: str = ""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a front matter says of its text.

    Attributes:
        status: one of `STATUSES`, or empty.
        supersedes: the texts whose place it takes, named as links name them.
        superseded_by: likewise those that take its place.
        reviewed: when somebody last made sure that it is right.
        applies_to: what it is about, such as a release; may be empty.
        ai: what had a part in writing it, where that is said.
    """

    status: str = ""
    supersedes: tuple[Ref, ...] = ()
    superseded_by: tuple[Ref, ...] = ()
    reviewed: Date | None = None
    applies_to: str = ""
    ai: Ai | None = None
