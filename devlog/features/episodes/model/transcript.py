"""A transcript in a file of its own."""

from __future__ import annotations

import msgspec

from devlog.model.check_facts import CheckFacts
from devlog.model.document import Parsed


class Transcript(msgspec.Struct, frozen=True):
    """A transcript, parsed like a source. Its `Body` and its cues are in the store.

    Attributes:
        text: the parsed file; its links are resolved like those of any source.
        cues: the digest of the encoded cues, a tuple of `devlog.features.episodes.model.episode.Cue`.
        is_timed: whether it has times.
        facts: the facts recorded about it for checks.
    """

    text: Parsed
    cues: str
    is_timed: bool
    facts: CheckFacts = CheckFacts()
