"""Removes metadata from images without decoding them; what is displayed stays the same."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

from devlog.model.media import exif_orientation


def can_strip(head: bytes) -> bool:
    """Whether metadata can be removed from a file with such first bytes: its name may be that of another format."""
    return _format(head) is not None


def _format(data: bytes) -> Callable[[bytes, BytesIO], None] | None:
    """What writes a file with such first bytes without its metadata; `None` if nothing does."""
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg
    if data.startswith(_PNG):
        return _png
    return _webp if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else None


def without_metadata(data: bytes) -> bytes:
    """Remove the metadata of an image, which tells how, when, where and by whom it was made.

    Memory for another such file is needed, however many parts the file has: they are written to one buffer, since an
    object for each could take many times their size.

    Color profiles and the orientation stay. Everything after the end of the image is removed: other images, videos,
    or remains of an image that a careless program has cropped. So are thumbnails, and layers that programs store for
    themselves. Metadata is removed from truncated files too, because browsers display them.

    Args:
        data: a JPEG, PNG or WebP.

    Returns:
        The file without metadata; `data` itself if it has none, or if it violates its format.
    """
    remove = _format(data)
    if remove is None:
        return data
    written = BytesIO()
    try:
        remove(data, written)
    except (_BrokenError, struct.error):
        return data
    made = written.getvalue()  # the buffer itself, not a copy
    return made if made != data else data


class _BrokenError(Exception):
    """The file violates its format, or has one that is not known here, so it must not be changed."""


_ORIENTED = struct.Struct(">2sHIHHHIHHI")


def _exif(orientation: int) -> bytes:
    """EXIF data with nothing but the orientation of an image; empty if it is not rotated."""
    if not 2 <= orientation <= 8:
        return b""
    return _ORIENTED.pack(b"MM", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)


# -- JPEG

_MARKER = re.compile(rb"\xff[^\x00\xff]")
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_EXIF = b"Exif\0\0"
_ALONE = frozenset((0x01, *range(0xD0, 0xD8)))
_JPEG_LS = frozenset((0xF7, 0xF8))
"""The frame and the parameters of JPEG-LS, in whose scans other bytes follow 0xFF (ITU-T T.87, annex A.1)."""


def _jpeg(data: bytes, written: BytesIO) -> None:
    view = memoryview(data)
    written.write(view[:2])
    has_exif = has_scan = False
    at = 2
    # Between segments, decoders skip fill bytes and everything else that is not a marker.
    while found := _MARKER.search(data, at):
        at = found.start()
        marker = data[at + 1]
        if marker == 0xD9:
            written.write(b"\xff\xd9")
            return
        if marker in _ALONE:
            written.write(view[at : at + 2])
            at += 2
            continue
        if marker in _JPEG_LS and not has_scan:  # behind a scan, browsers have displayed the image
            raise _BrokenError
        length = int.from_bytes(data[at + 2 : at + 4])
        end = at + 2 + length
        if max(end, at + 4) > len(data):  # truncated
            written.write(b"" if _is_metadata(marker) else view[at:])
            return
        if length < 2:
            raise _BrokenError
        is_exif = marker == 0xE1 and data.startswith(_EXIF, at + 4)
        written.write(b"" if is_exif and has_exif else _segment(marker, data[at:end]))  # browsers obey the first
        has_exif |= is_exif
        at = end
        if marker == 0xDA:
            has_scan = True
            after = _END_OF_SCAN.search(data, at)
            written.write(view[at : _before_fill(data, at, after.start()) if after else len(data)])
            at = after.start() if after else len(data)


_STEP = 1 << 12


def _before_fill(data: bytes, start: int, end: int) -> int:
    """The end of a part without the fill bytes that it ends with, found without a copy of the part."""
    while end > start:
        step = max(start, end - _STEP)
        if kept := len(data[step:end].rstrip(b"\xff")):
            return step + kept
        end = step
    return end


def _is_metadata(marker: int) -> bool:
    """Whether a segment is an application segment or a comment."""
    return 0xE0 <= marker <= 0xEF or marker == 0xFE


def _segment(marker: int, segment: bytes) -> bytes:
    """The part of a segment to keep: tables and frames, and of application segments only what affects the display."""
    body = segment[4:]
    if marker == 0xE1 and body.startswith(_EXIF):
        exif = _exif(exif_orientation(body[6:]))
        return b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + _EXIF + exif if exif else b""
    if marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) >= 14:
        return b"\xff\xe0\x00\x10" + body[:12] + b"\0\0"  # a thumbnail from before an edit may follow
    if marker == 0xEE and body.startswith(b"Adobe"):
        return b"\xff\xee" + struct.pack(">H", len(body[:12]) + 2) + body[:12]
    if marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"):
        return segment
    return b"" if _is_metadata(marker) else segment


# -- PNG

_PNG = b"\x89PNG\r\n\x1a\n"
_SHOWING = frozenset(b"tRNS gAMA cHRM sRGB iCCP cICP mDCV mDCv cLLI cLLi sBIT bKGD pHYs acTL fcTL fdAT".split())
"""The ancillary chunks that affect the display. Programs add others, in which they store layers, or the image before it
was cropped."""


def _png(data: bytes, written: BytesIO) -> None:
    view = memoryview(data)
    written.write(view[:8])
    at = 8
    while len(data) >= at + 8:
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        is_shown = kind[0] & 0x20 == 0 or kind in _SHOWING  # the names of critical chunks begin so
        if end > len(data):  # truncated
            written.write(view[at:] if is_shown else b"")
            return
        if kind in (b"eXIf", b"zxIf"):
            exif = _exif(exif_orientation(data[at + 8 : end - 4]))
            chunk = b"eXIf" + exif
            written.write(struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk)) if exif else b"")
        elif is_shown:
            written.write(view[at:end])
        at = end
        if kind == b"IEND":
            return
    written.write(view[at:])


# -- WebP

_SHOWN = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))
_SHOWN_IN_FRAME = frozenset((b"VP8 ", b"VP8L", b"ALPH"))
"""Of a frame of an animation; a frame in a frame is none (WebP Container Specification, section “Animation”)."""


def _webp(data: bytes, written: BytesIO) -> None:
    end = 8 + int.from_bytes(data[4:8], "little")
    written.write(data[:12])
    flags = _write_chunks(memoryview(data)[12:end], written)
    size = written.tell() - 8 + max(0, end - len(data))
    with written.getbuffer() as made:
        made[4:8] = struct.pack("<I", size)
        if bytes(made[12:16]) == b"VP8X" and len(made) >= 30:  # its flags tell which chunks exist
            made[20] = made[20] & ~0x0C | flags


def _write_chunks(data: memoryview, written: BytesIO) -> int:
    """Write the chunks of a WebP to keep; returns the flag of an EXIF chunk if one is kept for the orientation."""
    flags = 0
    for kind, length, chunk in _split(data):
        if kind == b"EXIF":
            start = 8 + (len(_EXIF) if bytes(chunk[8:14]) == _EXIF else 0)
            exif = _exif(exif_orientation(bytes(chunk[start : 8 + length])))
            written.write(b"EXIF" + struct.pack("<I", len(exif)) + exif if exif else b"")
            flags |= 0x08 if exif else 0
        elif kind == b"ANMF" and 16 <= length <= len(chunk) - 8:
            _write_frame(chunk[: 8 + length], written)
        elif kind in _SHOWN:
            written.write(chunk)
    return flags


def _write_frame(chunk: memoryview, written: BytesIO) -> None:
    """Write a frame of an animation, which has chunks of its own."""
    start = written.tell()
    written.write(chunk[:24])
    written.writelines(own for kind, _length, own in _split(chunk[24:]) if kind in _SHOWN_IN_FRAME)
    length = written.tell() - start - 8
    with written.getbuffer() as made:
        made[start + 4 : start + 8] = struct.pack("<I", length)
    written.write(b"\0" * (length % 2))


def _split(data: memoryview) -> Iterator[tuple[bytes, int, memoryview]]:
    """The chunks that follow each other: the kind, the length of the content, and the whole chunk with its padding."""
    at = 0
    while len(data) >= at + 8:
        kind, length = struct.unpack_from("<4sI", data, at)
        end = at + 8 + length + length % 2
        yield kind, length, data[at:end]
        at = end
