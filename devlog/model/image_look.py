"""Finds what the metadata of an image means for its publication, while its file is read piece by piece."""

from __future__ import annotations

from io import BytesIO

from devlog.model.media import holds_metadata, media_type, says_where
from devlog.model.metadata import can_strip, without_metadata
from devlog.model.source import Location

_SEVERAL = (".mjpeg", ".mjpg", ".mpo")
"""The suffixes of files that consist of several JPEGs, of which only the first would stay without metadata."""


class ImageLook:
    """Looks at a file that may be an image: its bytes decide, because browsers display images whatever their names are.

    Attributes:
        strips: whether metadata can be removed from it.
    """

    def __init__(self, name: str) -> None:
        """
        Args:
            name: the name of the file, or its path.
        """
        self.strips = False
        self._name = name
        self._begun = False
        self._is_located = False
        self._read = BytesIO()  # holds the file once, where joined pieces would be a second copy
        self._is_needed = False  # whether the rest is needed to answer

    def feed(self, piece: bytes) -> None:
        """Look at the next piece of the file."""
        if not self._begun:
            self._begun = True
            is_whole_needed, has_parts = holds_metadata(piece), can_strip(piece)
            self.strips = has_parts and not self._name.lower().endswith(_SEVERAL)
            is_image = is_whole_needed or has_parts or piece.startswith(b"GIF8")
            is_image = is_image or media_type(self._name).startswith("image/")
            self._is_located = is_image and says_where(piece)
            self._is_needed = is_whole_needed or (self._is_located and self.strips)
        if self._is_needed:
            self._read.write(piece)

    def location(self) -> Location:
        """Whether the file tells where it was taken, after all of its pieces are known."""
        if not self._is_needed:
            return "kept" if self._is_located else ""
        data = self._read.getvalue()
        if self.strips:  # some files violate their format, so that nothing can be removed from them
            return "kept" if says_where(without_metadata(data)) else "removable"
        return "kept" if says_where(data) else ""
