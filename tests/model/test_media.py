"""Media types come from our own table; image sizes from the first bytes, whatever these are."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.media import image_size, media_type
from devlog.model.source import Size


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.md", "text/markdown"),
        ("index.HTML", "text/html"),
        ("x.tar.gz", "application/gzip"),
        ("feed.xml", "application/xml"),
        ("talk.m4a", "audio/mp4"),
        ("CNAME", "application/octet-stream"),
        ("folder.md/file", "application/octet-stream"),
        ("", "application/octet-stream"),
    ],
)
def test_media_type(path: str, expected: str) -> None:
    assert media_type(path) == expected


def _png(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def _jpeg(width: int, height: int, *before: bytes, frame: int = 0xC0) -> bytes:
    return (
        b"\xff\xd8"
        + b"".join(before)
        + bytes([0xFF, frame])
        + struct.pack(">HBHHB", 11, 8, height, width, 1)
        + b"\1\x11\0"
    )


def _segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def _exif(orientation: int, order: str) -> bytes:
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entry = struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
    return _segment(0xE1, b"Exif\0\0" + mark + struct.pack(order + "IH", 8, 1) + entry)


def _webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + struct.pack("<I", len(body)) + body


def _avif(*sizes: tuple[int, int]) -> bytes:
    boxes = b"".join(struct.pack(">I4sIII", 20, b"ispe", 0, *size) for size in sizes)
    return b"\0\0\0\x1cftypavif\0\0\0\0mif1avif" + boxes


APP0 = _segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")

SIZES = {
    "png": (_png(640, 480), Size(640, 480)),
    "png, nothing": (_png(0, 480), None),
    "png, bomb": (_png(65536, 1), None),
    "gif": (b"GIF89a" + struct.pack("<HH", 3, 70), Size(3, 70)),
    "jpeg": (_jpeg(300, 200, APP0), Size(300, 200)),
    "jpeg, progressive": (_jpeg(300, 200, APP0, _segment(0xC4, b"\0" * 9), frame=0xC2), Size(300, 200)),
    "jpeg, fill bytes": (_jpeg(300, 200, b"\xff\xff", APP0[1:]), Size(300, 200)),
    "jpeg, turned": (_jpeg(300, 200, _exif(6, "<")), Size(200, 300)),
    "jpeg, turned, big-endian": (_jpeg(300, 200, _exif(8, ">")), Size(200, 300)),
    "jpeg, turned by the second of two": (_jpeg(300, 200, _exif(1, "<"), _exif(6, "<")), Size(300, 200)),
    "jpeg, mirrored": (_jpeg(300, 200, _exif(2, "<")), Size(300, 200)),
    "jpeg, no frame": (b"\xff\xd8\xff\xda\0\x08", None),
    "jpeg, empty segments": (b"\xff\xd8" + b"\xff\xe0\0\0" * 50, None),
    "webp": (_webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 10, 20)), Size(10, 20)),
    "webp, lossless": (_webp(b"VP8L", b"\x2f" + struct.pack("<I", 9 | 19 << 14)), Size(10, 20)),
    "webp, extended": (_webp(b"VP8X", b"\0\0\0\0\x09\0\0\x13\0\0"), Size(10, 20)),
    "webp, cut": (_webp(b"VP8X", b"\0\0"), None),
    "avif": (_avif((100, 50)), Size(100, 50)),
    "avif, with a thumbnail": (_avif((10, 5), (100, 50)), Size(100, 50)),
    "svg": (b'<?xml version="1.0"?>\n<svg width="12.4px" height=\'30\'>', Size(12, 30)),
    "svg, view box": (b'<svg viewBox="0 0 200,100">', Size(200, 100)),
    "svg, percent": (b'<svg width="100%" height="100%" viewBox="0 0 20 10">', Size(20, 10)),
    "svg, stroke-width": (b'<svg stroke-width="3" height="2">', None),
    "svg, far": (b"<!--" + b" " * 5000 + b'--><svg width="1" height="1">', None),
    "html": (b"<p>no image", None),
    "nothing": (b"", None),
}


@pytest.mark.parametrize(("data", "expected"), SIZES.values(), ids=SIZES.keys())
def test_image_size(data: bytes, expected: Size | None) -> None:
    assert image_size(data) == expected


@pytest.mark.parametrize("data", [data for data, _ in SIZES.values()], ids=SIZES.keys())
def test_a_cut_image_never_raises(data: bytes) -> None:
    for end in range(min(len(data), 200)):
        image_size(data[:end])


@pytest.mark.slow
@given(st.sampled_from([data for data, _ in SIZES.values()]), st.binary(max_size=64), st.integers(0, 40))
def test_a_damaged_image_never_raises(data: bytes, noise: bytes, at: int) -> None:
    size = image_size(data[:at] + noise + data[at:])
    assert size is None or (1 <= size.width <= 65535 and 1 <= size.height <= 65535)


def test_hostile_svg_takes_no_time() -> None:
    # Quadratic work on 4 KB would be millions of steps: this returns at once or the suite hangs.
    for data in (b"<svg " * 10000, b"<svg" + b" width" * 10000, b"<svg width=" + b" " * 10000):
        assert image_size(data) is None
