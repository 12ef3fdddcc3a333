"""Media types of files by their names, and sizes and GPS positions of images from their first bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal

from devlog.model.source import Size

# The standard library's `mimetypes` reads files of the system, so its answers differ between machines.
_TYPES = {
    "aac": "audio/aac",
    "apng": "image/apng",
    "atom": "application/atom+xml",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "bz2": "application/x-bzip2",
    "cast": "application/x-asciicast",
    "css": "text/css",
    "csv": "text/csv",
    "diff": "text/x-diff",
    "eot": "application/vnd.ms-fontobject",
    "epub": "application/epub+zip",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "htm": "text/html",
    "html": "text/html",
    "ico": "image/x-icon",
    "ics": "text/calendar",
    "ipynb": "application/x-ipynb+json",
    "jfif": "image/jpeg",
    "jpe": "image/jpeg",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "jxl": "image/jxl",
    "m4a": "audio/mp4",
    "m4v": "video/mp4",
    "map": "application/json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mjs": "text/javascript",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opus": "audio/ogg",
    "otf": "font/otf",
    "patch": "text/x-diff",
    "pdf": "application/pdf",
    "pjp": "image/jpeg",
    "pjpeg": "image/jpeg",
    "png": "image/png",
    "py": "text/x-python",
    "rss": "application/rss+xml",
    "srt": "application/x-subrip",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tgz": "application/gzip",
    "toml": "application/toml",
    "tsv": "text/tab-separated-values",
    "ttf": "font/ttf",
    "txt": "text/plain",
    "vtt": "text/vtt",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webm": "video/webm",
    "webmanifest": "application/manifest+json",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xhtml": "application/xhtml+xml",
    "xml": "application/xml",
    "xsl": "application/xslt+xml",
    "xz": "application/x-xz",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
    "zst": "application/zstd",
}

ON_THEIR_SIDE = frozenset((5, 6, 7, 8))
"""The EXIF orientations of images that are shown with width and height exchanged (EXIF 2.32, section 4.6.5)."""

_SVG_HEAD = 4096
_SVG_TAG = re.compile(rb"<svg\b([^>]*)")
_SVG_ATTRIBUTE = re.compile(rb"""\s(width|height|viewBox)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')""")
_SVG_LENGTH = re.compile(rb"\s{0,9}\+?(\d{1,9}(?:\.\d{1,9})?)(?:px)?\s{0,9}")


def media_type(path: str) -> str:
    """The media type of a file by its name, without a charset parameter."""
    suffix = path.rpartition("/")[2].rpartition(".")[2]
    return _TYPES.get(suffix.lower(), "application/octet-stream")


def image_size(data: bytes) -> Size | None:
    """Read the size of an image from its first bytes.

    Args:
        data: the file or its beginning: PNG, GIF, JPEG, WebP, AVIF or SVG.

    Returns:
        The size as a browser shows the image (rotated by its EXIF orientation), or None if the bytes do not contain
        it, or if a side is less than 1 or more than 65535.
    """
    pair: tuple[int, int] | None = None
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        pair = _png(data)
    elif data.startswith((b"GIF87a", b"GIF89a")):
        pair = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    elif data.startswith(b"\xff\xd8\xff"):
        pair = _jpeg(data)
    elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        pair = _webp(data)
    elif data[4:8] == b"ftyp" and (b"avif" in data[8:64] or b"avis" in data[8:64]):
        pair = _avif(data)
    elif data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        pair = _svg(data[:_SVG_HEAD])
    if pair is None or not all(1 <= side <= 65535 for side in pair):
        return None
    return Size(*pair)


def _number(data: bytes, start: int, length: int) -> int:
    """A big-endian number; 0 if the data ends before the number does."""
    piece = data[start : start + length]
    return int.from_bytes(piece, "big") if len(piece) == length else 0


def _png(data: bytes) -> tuple[int, int]:
    width, height = _number(data, 16, 4), _number(data, 20, 4)
    at = 8
    while at + 12 <= len(data) and data[at + 4 : at + 8] != b"IDAT":
        length = _number(data, at, 4)
        if data[at + 4 : at + 8] == b"eXIf":
            turned = exif_orientation(data[at + 8 : at + 8 + length]) in ON_THEIR_SIDE
            return (height, width) if turned else (width, height)
        at += 12 + length
    return width, height


def _jpeg(data: bytes) -> tuple[int, int] | None:
    orientation: int | None = None
    for marker, start, length in _jpeg_segments(data):
        if marker == 0xE1 and data[start : start + 6] == b"Exif\0\0" and orientation is None:  # browsers obey the first
            orientation = exif_orientation(data[start + 6 : start + length])
        # The frame headers, SOF0 to SOF15; the three excluded markers are tables and an extension.
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _number(data, start + 1, 2), _number(data, start + 3, 2)
            return (height, width) if orientation in ON_THEIR_SIDE else (width, height)
    return None


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """The segments before the image data: the marker, and the start and length of the content."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker in (0xD9, 0xDA):  # the end of the image, and the start of the image data
            return
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a length
            at += 2
            continue
        length = _number(data, at + 2, 2)
        yield marker, at + 4, length - 2
        at += 2 + max(length, 2)


def exif_orientation(tiff: bytes) -> int:
    """The orientation, 1 to 8, in the first directory of EXIF data; 0 if there is none."""
    if tiff[:4] not in (b"II*\0", b"MM\0*"):
        return 0
    little = tiff[:2] == b"II"

    def number(start: int, length: int) -> int:
        return int.from_bytes(tiff[start : start + length], "little" if little else "big")

    directory = number(4, 4)
    for index in range(min(number(directory, 2), 256)):
        entry = directory + 2 + 12 * index
        if number(entry, 2) == 0x0112:
            return number(entry + 8, 2)
    return 0


_EXIF = re.compile(rb"(?:Exif\0\0|eXIf|EXIF.{4})(?=II\*\0|MM\0\*)", re.DOTALL)
_EXIF_BLOCKS = 16  # an image has one; a malicious file may have as many as fit
_LONGEST_EXIF = 1 << 20
_GPS, _LATITUDE = 0x8825, 0x0002  # tags of EXIF 2.32, sections 4.6.3 and 4.6.6


_TIFF = (b"II*\0", b"MM\0*")
_TIFF_IN_BOX = re.compile(rb"II\*\0\x08\0\0\0|MM\0\*\0\0\0\x08")
_BRANDS = re.compile(rb"avi[fs]|hei[cmsx]|hev[cmsx]|mif[12]|msf1")


def holds_metadata(head: bytes) -> bool:
    """Whether a file is an image whose metadata may be anywhere in it: AVIF, HEIC, JPEG XL in boxes, or TIFF.

    Args:
        head: the first bytes of the file, at least 64.
    """
    return head.startswith(_TIFF) or _has_boxes(head)


def _has_boxes(head: bytes) -> bool:
    if head.startswith(b"\0\0\0\x0cJXL "):
        return True
    return head[4:8] == b"ftyp" and _BRANDS.search(head[:64], 8) is not None


def says_where(data: bytes) -> bool:
    """Whether the metadata in an image's bytes contains a GPS position (EXIF, also that of TIFF itself; XMP)."""
    if b"GPSLatitude" in data or (data.startswith(_TIFF) and _has_position(data)):
        return True
    # In boxes, EXIF data follows a length, not a name. The header that all programs write is rare enough in pixels.
    exif = (found.start() for found in _TIFF_IN_BOX.finditer(data)) if _has_boxes(data) else _exif_starts(data)
    return any(_has_position(data[start : start + _LONGEST_EXIF]) for start in islice(exif, _EXIF_BLOCKS))


def _exif_starts(data: bytes) -> Iterator[int]:
    return (found.end() for found in _EXIF.finditer(data))


def _has_position(tiff: bytes) -> bool:
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"

    def number(start: int, length: int) -> int:
        return int.from_bytes(tiff[start : start + length], order)

    def entries(directory: int) -> Iterator[tuple[int, int]]:
        for index in range(min(number(directory, 2), 256)):
            entry = directory + 2 + 12 * index
            yield number(entry, 2), number(entry + 8, 4)

    position = next((at for tag, at in entries(number(4, 4)) if tag == _GPS), None)
    return position is not None and any(tag == _LATITUDE for tag, _ in entries(position))


def _webp(data: bytes) -> tuple[int, int] | None:
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8 " and body[3:6] == b"\x9d\x01\x2a" and len(body) == 10:
        return int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF
    if kind == b"VP8L" and body[:1] == b"\x2f" and len(body) >= 5:
        bits = int.from_bytes(body[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(body) == 10:
        return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
    return None


def _avif(data: bytes) -> tuple[int, int] | None:
    """The largest of the sizes that it declares: besides the image, it may contain tiles and thumbnails."""
    found: list[tuple[int, int]] = []
    at = data.find(b"ispe")
    while at != -1 and len(found) < 64:
        found.append((_number(data, at + 8, 4), _number(data, at + 12, 4)))
        at = data.find(b"ispe", at + 16)
    largest = max(found, key=lambda pair: pair[0] * pair[1], default=None)
    turn = data.find(b"irot")
    if largest and turn != -1 and _number(data, turn + 4, 1) % 2:  # rotated by 90 or 270 degrees
        return largest[1], largest[0]
    return largest


def _svg(head: bytes) -> tuple[int, int] | None:
    tag = _SVG_TAG.search(head)
    if tag is None:
        return None
    values: dict[bytes, bytes] = {}
    for name, double, single in _SVG_ATTRIBUTE.findall(tag[1]):
        values.setdefault(name, double or single)
    sides = _lengths([values.get(b"width", b""), values.get(b"height", b"")])
    box = values.get(b"viewBox", b"").replace(b",", b" ").split()
    return sides or (_lengths(box[2:]) if len(box) == 4 else None)


def _lengths(texts: list[bytes]) -> tuple[int, int] | None:
    """Two lengths in pixels, rounded."""
    width, height = (_SVG_LENGTH.fullmatch(text) for text in texts)
    return (round(float(width[1])), round(float(height[1]))) if width and height else None
