"""What the front matter of a digest says about how it was made. Every command loads this, so it imports little."""

from __future__ import annotations

import msgspec

MOST_AUTHORS = 100
"""So many authors of changes are named, the most active first."""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the front matter of a digest says about how it was made; each field may be empty.

    Attributes:
        name: of the series in the configuration.
        since: the first day that it is about.
        until: the last day.
        first: the commit before the first one that it is about.
        last: the last commit.
        writer: the template or program that wrote it.
        version: of devlog.
        changes: how many changes were merged.
        people: how many people made them.
        activity: the file of the site that has its record.
        authors: who wrote the changes that it lists, each with their number, as in ``Ada Quill (3)``.
    """

    name: str = ""
    since: str = ""
    until: str = ""
    first: str = ""
    last: str = ""
    writer: str = ""
    version: str = ""
    changes: str = ""
    people: str = ""
    activity: str = ""
    authors: tuple[str, ...] = ()
