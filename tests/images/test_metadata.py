"""Taking metadata out of pictures: nothing that is shown changes, and nothing of what they tell stays."""

from __future__ import annotations

import re
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from photos import exif, jpeg, opened, photo, site, written
from PIL import ImageCms, ImageFile, ImageOps, PngImagePlugin
from sites import build_site

from devlog.model.image_look import ImageLook
from devlog.model.media import says_where
from devlog.model.metadata import without_metadata

XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a photographer="Bo Reed"/></x:xmpmeta>'
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
TOLD = re.compile(rb"Quill Optics|Bo Reed|xmpmeta|GPS|by hand")


def text() -> PngImagePlugin.PngInfo:
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "Bo Reed")
    info.add_text("Comment", "by hand", zip=True)
    info.add_itxt("Title", "by hand")
    return info


FILES = {
    "jpeg": written(photo(200, 100), exif=exif(), xmp=XMP, comment="by hand", icc_profile=PROFILE),
    "progressive": written(photo(200, 100), exif=exif(), comment="by hand", progressive=True, icc_profile=PROFILE),
    "restarts": written(photo(200, 100), exif=exif(), restart_marker_rows=1, icc_profile=PROFILE),
    "cmyk": written(photo(200, 100).convert("CMYK"), exif=exif(), comment="by hand"),
    "png": written(photo(200, 100), "PNG", exif=exif(), pnginfo=text(), icc_profile=PROFILE),
    "palette": written(photo(200, 100).quantize(16), "PNG", pnginfo=text(), transparency=3),
    "webp": written(photo(200, 100), "WEBP", exif=exif(), xmp=XMP, icc_profile=PROFILE),
    "lossless": written(photo(200, 100), "WEBP", exif=exif(), lossless=True),
    "animated": written(
        photo(200, 100), "WEBP", save_all=True, append_images=[photo(200, 100, 2)], exif=exif(), xmp=XMP
    ),
    "apng": written(photo(200, 100), "PNG", save_all=True, append_images=[photo(200, 100, 2)], pnginfo=text()),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_shown_stays_and_what_is_told_goes(name: str) -> None:
    before = FILES[name]
    after = without_metadata(before)
    assert len(after) < len(before)
    assert not TOLD.search(after)
    assert not says_where(after)
    old, new = opened(before), opened(after)
    assert not new.getexif()
    assert (new.format, new.mode, new.size) == (old.format, old.mode, old.size)
    assert new.info.get("icc_profile") == old.info.get("icc_profile")
    assert new.info.get("transparency") == old.info.get("transparency")
    frames = getattr(old, "n_frames", 1)
    assert getattr(new, "n_frames", 1) == frames
    for frame in range(frames):
        old.seek(frame)
        new.seek(frame)
        assert new.tobytes() == old.tobytes()


@pytest.mark.parametrize("name", FILES)
def test_doing_it_twice_is_doing_it_once(name: str) -> None:
    once = without_metadata(FILES[name])
    assert without_metadata(once) == once


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_picture_stays_turned(kind: str, orientation: int) -> None:
    before = written(photo(200, 100), kind, exif=exif(orientation))
    after = without_metadata(before)
    assert dict(opened(after).getexif()) == ({0x0112: orientation} if orientation > 1 else {})
    assert ImageOps.exif_transpose(opened(after)).tobytes() == ImageOps.exif_transpose(opened(before)).tobytes()


def test_without_metadata_a_file_stays_as_it_is() -> None:
    for data in (jpeg(200, 100), written(photo(200, 100), "PNG"), written(photo(200, 100), "WEBP")):
        assert without_metadata(data) is data


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_nothing_stands_behind_the_picture(kind: str) -> None:
    """Programs that cut off a part of a screenshot have left the rest of the old file there."""
    picture = written(photo(200, 100), kind)
    assert without_metadata(picture + b"the part that nobody should see") == picture


def test_pictures_behind_the_first_one_go() -> None:
    """Phones put others into the same file, each with metadata of its own."""
    several = written(photo(200, 100), "MPO", save_all=True, append_images=[photo(100, 100, 2)], exif=exif())
    after = without_metadata(several)
    assert b"MPF" in several
    assert b"MPF" not in after
    assert after.count(b"\xff\xd8\xff") == 1
    assert opened(after).tobytes() == opened(several).tobytes()


def test_other_files_stay_as_they_are() -> None:
    for data in (b"", b"text", written(photo(20, 10), "GIF"), b"\xff\xd8", b"<svg/>", written(photo(20, 10), "AVIF")):
        assert without_metadata(data) is data


@pytest.mark.parametrize("name", FILES)
def test_files_cut_short_tell_nothing_either(name: str) -> None:
    """Browsers show what there is of them."""
    whole = FILES[name]
    for length in range(0, len(whole), 37):
        short = whole[:length]
        after = without_metadata(short)
        assert len(after) <= length
        assert not TOLD.search(after)


def test_what_is_shown_of_a_file_cut_short_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    for name in ("jpeg", "png"):
        short = FILES[name][:-100]
        after = without_metadata(short)
        assert len(after) < len(short)
        assert opened(after).tobytes() == opened(short).tobytes()


def test_what_decoders_pass_over_between_segments_hides_no_metadata() -> None:
    before = FILES["jpeg"].replace(b"\xff\xe1", b"\0\xff\xff\xe1", 1)
    after = without_metadata(before)
    assert b"\0\xff\xff\xe1" in before
    assert not TOLD.search(after)
    assert opened(after).tobytes() == opened(before).tobytes()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@pytest.mark.parametrize("kind", [b"mkBT", b"skRf", b"prVW", b"meTa", b"acPr"])
def test_what_programs_keep_in_a_png_for_themselves_goes(kind: bytes) -> None:
    """Layers, and how the image was before it was cropped, in chunks that only one program knows."""
    picture = FILES["png"]
    before = picture[:33] + chunk(kind, b"Bo Reed, by hand") + picture[33:]
    assert without_metadata(before) == without_metadata(picture)


def test_what_changes_how_a_png_is_shown_stays() -> None:
    picture = written(photo(200, 100), "PNG")
    shown = chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1))
    before = picture[:33] + shown + picture[33:]
    assert without_metadata(before) is before


def riff(chunks: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def part(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("<I", len(content)) + content


JFIF = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
SCAN = b"\xff\xda\x00\x02"
SIZE = 100_000
MANY_PARTS = {
    "markers": JFIF + b"\xff\xd0" * (SIZE // 2),
    "comments": JFIF + b"\xff\xfe\x00\x02" * (SIZE // 4),
    "markers and comments": JFIF + b"\xff\xd0\xff\xfe\x00\x02" * (SIZE // 6),
    "scans": JFIF + SCAN * (SIZE // 4) + b"\xff\xfe\x00\x02",
    "scan": JFIF + SCAN + b"x" * SIZE + b"\xff" * SIZE + b"\xff\xd9" + b"x",
    "chunks": b"\x89PNG\r\n\x1a\n" + (chunk(b"IDAT", b"") + chunk(b"tEXt", b"")) * (SIZE // 24),
    "chunk": b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", bytes(SIZE)) + chunk(b"tEXt", b""),
    "EXIF chunk": b"\x89PNG\r\n\x1a\n" + chunk(b"IDAT", bytes(SIZE)) + chunk(b"eXIf", bytes(SIZE)),
    "RIFF chunks": riff((part(b"VP8 ", b"") + part(b"XMP ", b"")) * (SIZE // 16)),
    "RIFF chunk": riff(part(b"VP8 ", bytes(SIZE)) + part(b"XMP ", b"x")),
    "frames": riff(part(b"ANMF", bytes(16) + part(b"VP8 ", b"") + part(b"more", b"")) * (SIZE // 40)),
    "frame": riff(part(b"ANMF", bytes(16) + part(b"VP8 ", b"") * (SIZE // 8)) + part(b"XMP ", b"")),
}


@pytest.mark.parametrize("name", MANY_PARTS)
def test_memory_is_needed_for_one_more_file_however_many_parts_it_has(name: str) -> None:
    data = MANY_PARTS[name]
    tracemalloc.start()
    try:
        without_metadata(data)
        assert tracemalloc.get_traced_memory()[1] < 1.25 * len(data) + 30_000
        tracemalloc.reset_peak()
        look = ImageLook("a.bin")
        look.feed(b"II*\0" + bytes(100))
        for start in range(0, len(data), 1 << 12):
            look.feed(data[start : start + (1 << 12)])
        look.location()
        assert tracemalloc.get_traced_memory()[1] < 1.25 * len(data) + 30_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("first", [b"\xff\xf7", b"\xff\xf8"], ids=["frame", "parameters"])
def test_jpeg_ls_stays_as_it_is(first: bytes) -> None:
    """In its scans, which are those of medical images, other bytes follow 0xFF than in a JPEG."""
    told = b"\xff\xe1" + struct.pack(">H", 2 + len(exif())) + exif()
    lossless = b"\xff\xd8" + told + first + b"\x00\x04ab" + SCAN + b"a\xff\x7e\xff\x01\x00\x02b\xff\xd9"
    assert without_metadata(lossless) is lossless
    look = ImageLook("scan.jls")
    look.feed(lossless)
    assert look.location() == "kept"
    behind = JFIF + told + SCAN + b"a" + first + b"\x00\x02"  # browsers display this
    assert not TOLD.search(without_metadata(behind))


def test_small_pictures_in_a_jpeg_go() -> None:
    """They show how the image was before an edit."""
    whole = jpeg(200, 100)
    assert whole[2:4] == b"\xff\xe0"
    small = bytes(range(1, 4 * 4 * 3 + 1))
    header = whole[6:18] + b"\4\4" + small
    before = whole[:2] + b"\xff\xe0" + struct.pack(">H", len(header) + 2) + header + whole[20:]
    assert opened(before).size == (200, 100)
    assert without_metadata(before) == whole


def test_chunks_of_a_frame_that_are_not_shown_go() -> None:
    whole = FILES["animated"]
    at = whole.index(b"ANMF")
    (length,) = struct.unpack_from("<I", whole, at + 4)
    frame = whole[at + 8 : at + 8 + length] + b"XMP " + struct.pack("<I", 8) + b"Bo Reed!"
    body = whole[12:at] + b"ANMF" + struct.pack("<I", len(frame)) + frame + whole[at + 8 + length + length % 2 :]
    before = b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body
    assert without_metadata(before) == without_metadata(whole)


def test_frames_in_frames_go() -> None:
    frame = b""
    for _ in range(2000):
        frame = b"ANMF" + struct.pack("<I", 16 + len(frame)) + b"\0" * 16 + frame
    body = b"VP8X" + struct.pack("<I", 10) + b"\x02" + b"\0" * 9 + frame
    after = without_metadata(b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body)
    assert after.count(b"ANMF") == 1


def test_of_two_orientations_the_first_counts_as_in_browsers() -> None:
    turned = written(photo(200, 100), exif=exif(6))
    upright = b"Exif\0\0" + struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, 0x0112, 3, 1, 1, 0, 0)
    before = turned[:2] + b"\xff\xe1" + struct.pack(">H", len(upright) + 2) + upright + turned[2:]
    assert opened(without_metadata(before)).getexif() == {}


@pytest.mark.slow
@given(st.sampled_from(sorted(FILES)), st.data())
def test_no_file_does_harm(name: str, data: st.DataObject) -> None:
    changed = bytearray(FILES[name])
    for place in data.draw(st.lists(st.integers(0, len(changed) - 1), max_size=8)):
        changed[place] = data.draw(st.integers(0, 255))
    assert len(without_metadata(bytes(changed))) <= len(changed) + 40


# -- what is published


def test_published_pictures_tell_nothing(tmp_path: Path) -> None:
    pictures = {"a.jpg": FILES["jpeg"], "b.png": FILES["png"], "c.webp": FILES["webp"]}
    root = site(tmp_path, pictures)
    (root / "static").mkdir()
    for name in ("D.JPEG", "e.jfif", "f.jpe"):
        (root / "static" / name).write_bytes(FILES["jpeg"])
    assert not build_site(root).diagnostics
    published = [*(root / "public/storage").glob("*/[abc].*"), *(root / "public/storage").glob("[abc].*")]
    assert len(published) == 3
    for file in (*published, *(root / "public" / name for name in ("D.JPEG", "e.jfif", "f.jpe"))):
        assert not TOLD.search(file.read_bytes())
    for name, data in pictures.items():
        assert (root / "content/storage" / name).read_bytes() == data, "the writer's own file is not touched"


def test_nothing_is_written_again(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": FILES["jpeg"]})
    first = build_site(root)
    assert any(path.endswith("a.jpg") for path in first.written)
    assert build_site(root).written == ()


def test_the_configuration_decides(tmp_path: Path) -> None:
    root = site(tmp_path, {"a.jpg": FILES["jpeg"]}, config="[images]\nstrip = false\n")
    build_site(root)
    (published,) = (root / "public").rglob("a.jpg")
    assert published.read_bytes() == FILES["jpeg"]
    (root / "devlog.toml").write_text((root / "devlog.toml").read_text().replace("false", "true"))
    build_site(root)
    assert published.read_bytes() == without_metadata(FILES["jpeg"])


def test_the_made_up_files_are_what_they_are_meant_to_be() -> None:
    assert {opened(data).format for data in FILES.values()} == {"JPEG", "PNG", "WEBP"}
    assert all(TOLD.search(data) for data in FILES.values())
