"""How far a text can still be relied on, and who drafted it, as its front matter says."""

from __future__ import annotations

import msgspec

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
