"""Taking metadata out of pictures, byte by byte: nothing is decoded, and what is shown stays the same."""

from __future__ import annotations

import re
import struct
import zlib

from devlog.model.media import exif_orientation

SUFFIXES = (".jpg", ".jpeg", ".png", ".apng", ".webp")
"""The endings of files whose metadata can be taken out."""


def can_strip(path: str) -> bool:
    """Whether a file's name says that its metadata can be taken out."""
    return path.lower().endswith(SUFFIXES)


def without_metadata(data: bytes) -> bytes:
    """A picture without what it says of how, when, where and by whom it was made.

    Color profiles stay, and so does the orientation by which it is turned. What stands behind the end of the picture
    goes: other pictures, films, what a careless program has cut off.

    Args:
        data: a JPEG, PNG or WebP.

    Returns:
        The file without metadata; `data` itself if there are none, or if it is no such file from beginning to end.
    """
    try:
        if data.startswith(b"\xff\xd8\xff"):
            made = _jpeg(data)
        elif data.startswith(_PNG):
            made = _png(data)
        elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            made = _webp(data)
        else:
            return data
    except (_BrokenError, struct.error):
        return data
    return made if made != data else data


class _BrokenError(Exception):
    """The file does not go on as its format says: it is better left alone."""


_ORIENTED = struct.Struct(">2sHIHHHIHHI")


def _exif(orientation: int) -> bytes:
    """EXIF data that say only how a picture is turned; empty if it is not."""
    if not 2 <= orientation <= 8:
        return b""
    return _ORIENTED.pack(b"MM", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


# -- JPEG

_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))


def _jpeg(data: bytes) -> bytes:
    kept = [data[:2]]
    at = 2
    while True:
        while data[at : at + 2] == b"\xff\xff":  # fill bytes
            at += 1
        if len(data) < at + 2 or data[at] != 0xFF:
            raise _BrokenError
        marker = data[at + 1]
        if marker == 0xD9:
            return b"".join((*kept, b"\xff\xd9"))
        if marker in _ALONE:
            kept.append(data[at : at + 2])
            at += 2
            continue
        (length,) = struct.unpack_from(">H", data, at + 2)
        end = at + 2 + length
        if length < 2 or end > len(data):
            raise _BrokenError
        kept.append(_segment(marker, data[at:end]))
        at = end
        if marker == 0xDA:
            found = _END_OF_SCAN.search(data, at)
            if found is None:
                raise _BrokenError
            kept.append(data[at : found.start()].rstrip(b"\xff"))  # fill bytes
            at = found.start()


def _segment(marker: int, segment: bytes) -> bytes:
    """What is kept of a segment: tables, frames, and of what applications write only what changes the picture."""
    body = segment[4:]
    if marker == 0xE1 and body.startswith(b"Exif\0\0"):
        exif = _exif(exif_orientation(body[6:]))
        return b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif if exif else b""
    kept = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
    if marker in kept:
        return segment if body.startswith(kept[marker]) else b""
    return b"" if 0xE0 <= marker <= 0xEF or marker == 0xFE else segment


# -- PNG

_PNG = b"\x89PNG\r\n\x1a\n"
_TOLD = frozenset((b"tEXt", b"zTXt", b"iTXt", b"tIME", b"dSIG", b"caBX"))


def _png(data: bytes) -> bytes:
    kept = [data[:8]]
    at = 8
    while True:
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            raise _BrokenError
        if kind in (b"eXIf", b"zxIf"):
            exif = _exif(exif_orientation(data[at + 8 : end - 4]))
            chunk = b"eXIf" + exif
            kept.append(struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk)) if exif else b"")
        elif kind not in _TOLD:
            kept.append(data[at:end])
        if kind == b"IEND":
            return b"".join(kept)
        at = end


# -- WebP

_SHOWN = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))


def _webp(data: bytes) -> bytes:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise _BrokenError
    kept: list[bytes] = []
    flags = 0
    at = 12
    while at < end:
        kind, length = struct.unpack_from("<4sI", data, at)
        after = at + 8 + length + length % 2
        if after > end + 1:
            raise _BrokenError
        chunk = data[at:after]
        if kind == b"EXIF":
            exif = _exif(exif_orientation(chunk[8 : 8 + length].removeprefix(b"Exif\0\0")))
            chunk = b"EXIF" + struct.pack("<I", len(exif)) + exif if exif else b""
            flags |= 0x08 if exif else 0
            kept.append(chunk)
        elif kind in _SHOWN:
            kept.append(chunk)
        at = after
    chunks = b"".join(kept)
    if chunks.startswith(b"VP8X") and len(chunks) >= 18:  # its flags say what there is
        chunks = chunks[:8] + bytes([chunks[8] & ~0x0C | flags]) + chunks[9:]
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks
