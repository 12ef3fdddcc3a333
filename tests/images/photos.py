"""Pictures of all kinds for tests, and sites that show them. None is stored: each machine makes its own."""

from __future__ import annotations

import random
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from sites import write_site

CONFIG = 'base_url = "https://docs.example.org/lumen/"\n'
POST = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\ndate: 2026-05-01\n---\n"
A = "content/storage/2026-05-01-a.md"
PAGE = "public/storage/2026-05-01-a/index.html"
SITE = {"devlog.toml": CONFIG, "content/storage/_index.md": "---\ntitle: Storage\n---\n"}


def photo(width: int = 1000, height: int = 600, seed: int = 1) -> Image.Image:
    """Something like a photo: colors that change everywhere."""
    noise = random.Random(seed)
    small = Image.frombytes("RGB", (width // 10, height // 10), noise.randbytes(3 * (width // 10) * (height // 10)))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def written(image: Image.Image, kind: str = "JPEG", **options: Any) -> bytes:
    """A picture as a file."""
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def jpeg(width: int = 1000, height: int = 600, seed: int = 1, **options: Any) -> bytes:
    """A photo as a file."""
    return written(photo(width, height, seed), **options)


def opened(data: bytes) -> Image.Image:
    """A file as a picture, decoded."""
    image = Image.open(BytesIO(data))
    image.load()
    return image


def exif(orientation: int = 1, *, located: bool = True) -> bytes:
    """EXIF data with an orientation, the maker of the camera and perhaps a place."""
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010F] = "Quill Optics"
    if located:
        data.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0)})
    return data.tobytes()


def bomb(width: int = 30_000, height: int = 30_000) -> bytes:
    """A PNG of some kilobytes that says that it has very many pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 12_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def site(root: Path, pictures: dict[str, bytes], text: str = "", config: str = "") -> Path:
    """A site with one post that shows all of some pictures beside it."""
    shown = text or "\n".join(f"![{name}]({name})\n" for name in pictures)
    beside = {f"content/storage/{name}": data for name, data in pictures.items()}
    return write_site(root, {**SITE, "devlog.toml": CONFIG + config, A: POST + shown, **beside})
