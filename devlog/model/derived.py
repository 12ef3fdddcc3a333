"""What is made once of files and values, before the site is planned: pictures in other sizes, drawn diagrams."""

from __future__ import annotations

from typing import Any

import msgspec

from devlog.features.episodes.model.audio import SiteAudio
from devlog.features.social_cards.model import CardParts
from devlog.features.source_references.model.citation import Sources
from devlog.model.diagnostic import Diagnostic
from devlog.model.image import Drawings, ImageVariants
from devlog.model.target import Copy


class Work(msgspec.Struct, frozen=True):
    """Something to be made. Equal works are made once, and the result is remembered by what it is made of.

    Attributes:
        function: what makes it, as ``package.module:name``: it gets `parts` and the bytes of `files`, and gives
            a `Made`.
        parts: values that it depends on, by name.
        files: of the site, in the order in which the function wants their bytes.
    """

    function: str
    parts: dict[str, Any]
    files: tuple[Copy, ...] = ()


class Made(msgspec.Struct, frozen=True):
    """What came of it.

    Attributes:
        facts: what planning wants to know of it, by name.
        blobs: the bytes of files to publish.
        problem: why it could not be made, in words for the writer; empty if it could.
        line: the line of the given text that the problem is about, counted from 1; 0 when that is not known.
        retry: whether another try may go better: then the problem is not remembered.
    """

    facts: dict[str, Any] = {}
    blobs: tuple[bytes, ...] = ()
    problem: str = ""
    line: int = 0
    retry: bool = False


class MadeRecord(msgspec.Struct, frozen=True):
    """A `Made` whose bytes lie in the store: `blobs` are their digests."""

    facts: dict[str, Any]
    blobs: tuple[str, ...]
    problem: str = ""
    line: int = 0


class Derived(msgspec.Struct, frozen=True):
    """All that is known of a site because of its files, and not of its texts.

    Attributes:
        audio: of episodes.
        images: in other sizes and formats.
        drawings: of diagrams.
        cards: what social cards are made of besides words.
        sources: what a clone knows of the source that texts speak of.
    """

    audio: SiteAudio = SiteAudio()
    images: ImageVariants = ImageVariants()
    drawings: Drawings = Drawings()
    cards: CardParts = CardParts()
    sources: Sources = Sources()

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is wrong with any of it."""
        parts = (self.audio, self.images, self.drawings, self.cards, self.sources)
        return tuple(problem for part in parts for problem in part.problems)
