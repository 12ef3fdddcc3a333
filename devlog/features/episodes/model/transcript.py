"""What is known of a transcript that stands in a file of its own."""

from __future__ import annotations

import msgspec

from devlog.model.check_facts import Notes
from devlog.model.document import Parsed


class Transcript(msgspec.Struct, frozen=True):
    """A transcript as a text of the site. Its `Body` and its cues lie in the store.

    Attributes:
        text: its file, parsed: the references of its words are resolved as those of any text.
        cues: the digest of the encoded cues, a tuple of `devlog.features.episodes.model.episode.Cue`.
        is_timed: whether it says when something is spoken.
        notes: what else was noted in it.
    """

    text: Parsed
    cues: str
    is_timed: bool
    notes: Notes = Notes()
