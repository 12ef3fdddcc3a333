"""Plans the files of fetched avatars."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.features.avatars.model import FetchedAvatars
from devlog.model.diagnostic import generated
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile

_SPAN = generated("the avatars of authors")


def plan_avatars(outline: Outline) -> Iterator[PlannedFile]:
    """Plan a file for each fetched avatar."""
    for permalink, digest in outline.derived.of(FetchedAvatars).blobs.items():
        yield PlannedFile(permalink, "blob", {"blob": Blob(digest)}, span=_SPAN)
