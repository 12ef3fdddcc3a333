"""The values about fetched avatars."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic

FOLDER = "/avatars/"
"""The permalink of the folder of all fetched avatars."""


class FetchedAvatars(msgspec.Struct, frozen=True):
    """The fetched avatars of a site.

    Attributes:
        avatars: the permalink of each, by the author's key. Equal images share one.
        blobs: the digests of their bytes, which are in the store, by permalink.
        problems: the authors without one, and why.
    """

    avatars: Mapping[str, str] = {}
    blobs: Mapping[str, str] = {}
    problems: tuple[Diagnostic, ...] = ()
