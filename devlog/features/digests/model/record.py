"""The record of a digest: everything that its post was written from."""

from __future__ import annotations

from datetime import date

import msgspec

from devlog.features.digests.model.activity import Activity
from devlog.features.digests.model.provenance import Provenance


class Head(msgspec.Struct, frozen=True):
    """What the front matter of a digest is made of, beside its activity.

    Attributes:
        title: of the post.
        description: of the post.
        author: the lines that name its authors.
        tags: of the post.
        draft: whether it is a draft.
        ai: what drafted the text, if a model did.
    """

    title: str
    description: str
    author: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    draft: bool = True
    ai: str = ""


class Record(msgspec.Struct, frozen=True):
    """All that a digest is written from: ``devlog digest --again`` makes the same post of it.

    Attributes:
        activity: what it is about.
        day: the date of the post.
        head: what its front matter is made of.
        provenance: what its front matter says of how it was made.
        template: the template that wrote its text; empty if a program did.
        text: what that program wrote; empty if a template did.
    """

    activity: Activity
    day: str
    head: Head
    provenance: Provenance
    template: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if a day is none, or an area has a change that is not there."""
        activity = self.activity
        days = (
            self.day,
            *filter(None, (activity.since, activity.until, activity.gaps.since)),
            *(release.date for release in activity.releases),
            *(post.day for post in activity.gaps.posts),
        )
        for day in days:
            date.fromisoformat(day)
        known = {change.commit for change in activity.changes}
        for area in activity.areas:
            if not known.issuperset(area.changes):
                raise ValueError(f"the area “{area.name}” has a change that is not listed")


def encode_record(record: Record) -> bytes:
    """The JSON form of a record, with sorted keys and a final newline."""
    return msgspec.json.format(msgspec.json.encode(record, order="sorted"), indent=1) + b"\n"


def decode_record(data: bytes) -> Record:
    """The record of a JSON form.

    Raises:
        msgspec.DecodeError: the data is not the JSON form of a record.
        RecursionError: it is nested too deeply.
    """
    return msgspec.json.decode(data, type=Record)
