"""The bytes of an image decide whether its metadata is removed, not its name; what stays is reported."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from check_cases import check_site
from opened_files import note_opened
from photos import POST, A, exif, photo, site, written
from PIL import features
from sites import build_site, write_site

from devlog.disk import stat_cache
from devlog.model.diagnostic import Span
from devlog.model.image_look import ImageLook
from devlog.model.media import says_where

PHOTO = written(photo(200, 100), exif=exif())
TIFF = written(photo(200, 100), "TIFF", exif=exif())
BOXES = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 8 + exif().removeprefix(b"Exif\0\0")
NAMES = ("a.gif", "b.png", "c.bin", "d", "e.webp", "f.heic", "G.JPG")
OFF = "[images]\nstrip = false\n"


def told(root: Path) -> list[tuple[str, Span]]:
    """What a check reports of locations, which must be what a build reports, except for the rule of checks."""
    checked, built = (
        [(item.code, item.span) for item in found if "location" in item.code]
        for found in (check_site(root).diagnostics, build_site(root).diagnostics)
    )
    assert built == [(code, span) for code, span in checked if code != "leaks.location"]
    return checked


@pytest.mark.parametrize("folder", ["content/storage", "static"])
def test_the_name_does_not_matter(tmp_path: Path, folder: str) -> None:
    root = site(tmp_path, {}, f"{POST}Text.")
    write_site(root, {f"{folder}/{name}": PHOTO for name in NAMES})
    assert told(root) == []
    published = [file for file in (root / "public").rglob("*") if file.name in NAMES]
    assert {file.name for file in published} == {*NAMES}
    assert not [file.name for file in published if says_where(file.read_bytes())]


def test_checks_report_all_names_where_nothing_is_removed(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.gif": PHOTO, "c.bin": PHOTO, "f.heic": BOXES}, config=OFF)
    (root / A).write_text(f"{POST}Text.\n")
    files = [f"content/storage/{name}" for name in ("a.gif", "c.bin", "f.heic")]
    assert told(root) == [("leaks.location", Span(file)) for file in files]


def test_what_cannot_be_removed_is_reported(tmp_path: Path) -> None:
    kept = {
        "boxes.heic": BOXES,
        "boxes.bin": BOXES,
        "damaged.bin": b"\xff\xd8\xff\xe1\0\0GPSLatitude",
        "gif": b"GIF89a" + PHOTO,
        "late.tif": TIFF,
        "several.mpo": PHOTO + PHOTO,
    }
    if features.check("avif"):
        kept["x.avif"] = written(photo(200, 100), "AVIF", exif=exif())
    root = write_site(site(tmp_path, {}, "Text."), {f"static/{name}": data for name, data in kept.items()})
    assert told(root) == [("kept-location", Span(f"static/{name}")) for name in sorted(kept)]
    assert (root / "public/several.mpo").read_bytes() == PHOTO + PHOTO


def test_a_location_far_behind_the_beginning() -> None:
    data = b"II*\0" + (3_000_008).to_bytes(4, "little") + b"\0" * 3_000_000
    data += b"\1\0\x25\x88\4\0\1\0\0\0" + (3_000_026).to_bytes(4, "little") + b"\0" * 4
    data += b"\1\0\2\0\5\0\3\0\0\0" + b"\0" * 8
    look = ImageLook("scan.tif")
    for start in range(0, len(data), 1 << 20):
        look.feed(data[start : start + (1 << 20)])
    assert (look.location(), look.strips) == ("kept", False)


def test_images_without_a_location() -> None:
    for data in (written(photo(200, 100), "TIFF"), BOXES[:40], b"", b"text", written(photo(20, 10), "GIF")):
        look = ImageLook("a")
        look.feed(data)
        assert look.location() == ""


def test_nothing_is_read_again_to_know_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    root = write_site(site(tmp_path, {}, "Text."), {f"static/{name}": PHOTO for name in NAMES} | {"static/x.tif": TIFF})
    time.sleep(0.02)  # the clock of file systems is slower than the test
    build_site(root)
    opened = note_opened(monkeypatch)
    build_site(root)
    check_site(root)
    assert {*NAMES, "x.tif"}.isdisjoint(opened)
