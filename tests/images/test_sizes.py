"""Encoding one picture: all kinds come out right, and what cannot be decoded is an answer."""

from __future__ import annotations

import multiprocessing
import struct
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from typing import Any

import pytest
from photos import bomb, exif, jpeg, opened, photo, written
from PIL import Image, ImageChops, ImageCms, ImageDraw, ImageStat
from PIL.PngImagePlugin import PngInfo

from devlog.engine.memory import MEMORY
from devlog.engine.untrusted_images import _SCANS, DAMAGED, DEEP, TOO_LARGE, TOO_MANY_SCANS, decoded
from devlog.features.images.derive.encode import encode, look
from devlog.features.images.derive.variants import chosen_widths
from devlog.model.derived import Made
from devlog.model.media import image_size
from devlog.model.source import Size

WIDTHS = (200, 400)


def made(data: bytes, kind: str = "webp", widths: tuple[int, ...] = WIDTHS, quality: int = 75) -> Made:
    return encode({"formats": [kind], "widths": widths, "quality": quality}, [data])


def near(one: Any, other: Any, most: int = 12) -> bool:
    """Whether two colors look alike."""
    return all(abs(left - right) <= most for left, right in zip(one, other, strict=True))


@pytest.mark.parametrize(("width", "has_original", "chosen"), [
    (2400, False, (480, 960, 1920)),
    (1920, False, (480, 960, 1920)),
    (1600, False, (480, 960, 1600)),
    (1000, False, (480, 1000)),  # 960 is nearly that
    (500, False, (500,)),
    (300, False, (300,)),
    (1600, True, (480, 960)),
    (2400, True, (480, 960, 1920)),
    (480, True, ()),
])  # fmt: skip
def test_widths(width: int, has_original: bool, chosen: tuple[int, ...]) -> None:
    assert chosen_widths(width, (480, 960, 1920), has_original=has_original) == chosen
    assert chosen_widths(width, (1920, 480, 960, 480), has_original=has_original) == chosen


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["webp", "avif"])
def test_each_picture_is_what_is_said_of_it(kind: str) -> None:
    done = made(jpeg(1000, 600), kind)
    assert [tuple(size[:2]) for size in done.facts["sizes"][kind]] == [(200, 120), (400, 240)]
    for (width, height, length), blob in zip(done.facts["sizes"][kind], done.blobs, strict=True):
        image = opened(blob)
        assert (image.format, image.size, image.mode) == (kind.upper(), (width, height), "RGB")
        assert len(blob) == length
        size = image_size(blob)
        assert size is not None
        assert (size.width, size.height) == (width, height)
    difference = ImageChops.difference(opened(done.blobs[1]), photo(1000, 600).resize((400, 240)))
    assert max(ImageStat.Stat(difference).mean) < 25, "it shows the same"
    assert max(ImageStat.Stat(ImageChops.difference(opened(done.blobs[1]), photo(400, 240, 2))).mean) > 40


@pytest.mark.slow
def test_all_formats_are_made_at_once() -> None:
    """As each would be made alone; but the picture is decoded once."""
    data = jpeg(1000, 600)
    both = encode({"formats": ["avif", "webp"], "widths": WIDTHS, "quality": 75}, [data])
    avif, webp = made(data, "avif"), made(data, "webp")
    sizes = {**avif.facts["sizes"], **webp.facts["sizes"]}
    assert both == Made({"sizes": sizes, "original": "jpeg"}, avif.blobs + webp.blobs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["webp", "avif"])
def test_metadata_stay_behind_and_small_profiles_do_not(kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for source in ("JPEG", "PNG", "WEBP"):
        done = made(written(photo(), source, exif=exif(), icc_profile=profile), kind)
        for blob in done.blobs:
            image = opened(blob)
            assert not image.getexif()
            assert "xmp" not in image.info
            assert b"Quill" not in blob
            assert image.info.get("icc_profile") == profile


@pytest.mark.parametrize("orientation", [3, 6, 8])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "AVIF"])
def test_pictures_are_turned(kind: str, orientation: int) -> None:
    source = Image.new("RGB", (600, 400), "white")
    source.paste("red", (0, 0, 300, 200))  # the upper left quarter
    source.paste(photo(600, 200), (0, 200))  # something that makes the file large enough
    data = written(source, kind, exif=exif(orientation))
    size = image_size(data)
    assert size is not None
    assert (size.width, size.height) == ((600, 400) if orientation == 3 else (400, 600))
    done = made(data, "webp", (200, 300))
    image = opened(done.blobs[0])
    assert (image.width > image.height) == (orientation == 3)
    corner = {3: (0.9, 0.9), 6: (0.9, 0.1), 8: (0.1, 0.9)}[orientation]
    assert near(image.getpixel((int(corner[0] * image.width), int(corner[1] * image.height))), (254, 0, 0), 30)


@pytest.mark.parametrize("orientation", [1, 6])
def test_photos_of_any_orientation_are_as_wide_as_wanted(orientation: int) -> None:
    stored = (2400, 1200) if orientation == 1 else (1200, 2400)
    done = made(written(photo(*stored), exif=exif(orientation)), widths=(300, 600))
    assert [opened(blob).width for blob in done.blobs] == [300, 600]


XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    b'<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
)


def test_what_browsers_do_not_obey_turns_nothing() -> None:
    xmp, profile = PngInfo(), PngInfo()
    xmp.add_itxt("XML:com.adobe.xmp", XMP.decode())
    tiff = b"Exif\0\0" + exif(6).removeprefix(b"Exif\0\0")
    profile.add_text("Raw profile type exif", f"\nexif\n{len(tiff):8}\n{tiff.hex()}\n")
    for data in (
        written(photo(600, 400), xmp=XMP),
        written(photo(600, 400), "PNG", pnginfo=xmp),
        written(photo(600, 400), "PNG", pnginfo=profile),
    ):
        assert image_size(data) == Size(600, 400)
        assert [opened(blob).size for blob in made(data, widths=(300,)).blobs] == [(300, 200)]


def test_inks_become_light() -> None:
    inks = Image.new("CMYK", (1000, 600), (0, 255, 255, 0))
    inks.paste(photo(1000, 300).convert("CMYK"), (0, 0))
    image = opened(made(written(inks)).blobs[-1])
    assert image.mode == "RGB"
    assert near(image.getpixel((200, 200)), (254, 0, 0), 30)


def test_sixteen_bits_of_grey_are_scaled() -> None:
    grey = Image.frombytes("I;16", (1000, 600), struct.pack("<1000H", *(x * 65 for x in range(1000))) * 600)
    image = opened(made(written(grey, "PNG") + b"\0" * 40_000).blobs[-1])
    assert near(image.getpixel((100, 100)), (63, 63, 63))
    assert near(image.getpixel((300, 100)), (190, 190, 190))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["webp", "avif"])
@pytest.mark.parametrize("mode", ["RGBA", "P", "LA", "RGB"])
def test_what_can_be_seen_through_still_can(mode: str, kind: str) -> None:
    source = photo().convert("RGBA")
    source.paste((0, 0, 0, 0), (0, 0, 500, 600))
    options: dict[str, Any] = {}
    image: Image.Image = source
    if mode == "P":
        image = source.quantize(64)
    elif mode == "LA":
        image = source.convert("LA")
    elif mode == "RGB":
        image = Image.new("RGB", source.size, (1, 2, 3))
        image.paste(source, mask=source.getchannel("A"))
        options = {"transparency": (1, 2, 3)}
    done = made(written(image, "PNG", **options), kind)
    for blob in done.blobs:
        small = opened(blob).convert("RGBA")
        assert small.getpixel((small.width // 4, 60))[3] == 0  # type: ignore[index]
        assert small.getpixel((3 * small.width // 4, 60))[3] == 255  # type: ignore[index]


def png_of(depth: int, color: int, row: bytes, transparent: bytes) -> bytes:
    """A PNG of 16 equal rows of 16 pixels, as optimizers write it, with a transparent color."""
    header = struct.pack(">IIBBBBB", 16, 16, depth, color, 0, 0, 0)
    rows = zlib.compress((b"\0" + row) * 16)
    parts = ((b"IHDR", header), (b"tRNS", transparent), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
@pytest.mark.parametrize("level", ["black", "white"])
def test_a_transparent_shade_of_few_bits_stays_transparent(depth: int, level: str) -> None:
    white = 2**depth - 1 if level == "white" else 0
    row = (b"\xff" if white else b"\0") * depth + (b"\0" if white else b"\xff") * depth
    image, _, _ = decoded(png_of(depth, 0, row, struct.pack(">H", white)), 400)
    assert image.mode == "RGBA"
    assert [image.getpixel((x, 8))[3] for x in (0, 7, 8, 15)] == [0, 0, 255, 255]  # type: ignore[index]


PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""Of an interlaced PNG: where each begins, and how far apart its pixels are."""


def png_of_many_bits(color: int, pixels: list[list[tuple[int, ...]]], *, interlaced: bool) -> bytes:
    """A PNG with 16 bits per channel, which Pillow does not write."""
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 16, color, 0, 0, interlaced)
    rows = b""
    for left, top, right, down in PASSES if interlaced else ((0, 0, 1, 1),):
        for row in pixels[top::down]:
            rows += b"\0" + b"".join(struct.pack(f">{len(pixel)}H", *pixel) for pixel in row[left::right])
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("kind", ["webp", "avif"])
@pytest.mark.parametrize(("color", "channels"), [(0, "L"), (2, "RGB"), (4, "LA"), (6, "RGBA")])
def test_sixteen_bits_of_any_channels_look_the_same(color: int, channels: str, kind: str, interlaced: bool) -> None:
    boxes = [[(9_000, 30_000, 60_000), (60_000, 9_000, 30_000)], [(30_000, 60_000, 9_000), (200, 200, 200)]]
    opaque = [[65_535, 65_535], [32_768, 0]]

    def pixel(x: int, y: int) -> tuple[int, ...]:
        own = boxes[y // 40][x // 40][: 3 if "RGB" in channels else 1]
        return (*own, opaque[y // 40][x // 40]) if channels.endswith("A") else own

    data = png_of_many_bits(color, [[pixel(x, y) for x in range(80)] for y in range(80)], interlaced=interlaced)
    done = made(data + b"\0" * 40_000, kind, (40, 80))
    assert len(done.blobs) == 2
    for blob in done.blobs:
        image = opened(blob).convert("RGBA")
        for x, y in ((20, 20), (60, 20), (20, 60), (60, 60)):
            seen = image.getpixel((x * image.width // 80, y * image.width // 80))
            *colors, alpha = (value >> 8 for value in (*pixel(x, y), *([] if channels.endswith("A") else [65_535])))
            assert isinstance(seen, tuple)
            assert near(seen[3:], [alpha])
            assert alpha == 0 or near(seen[:3], colors if len(colors) == 3 else colors * 3)


@pytest.mark.parametrize("color", [0, 2])
def test_a_transparent_color_of_many_bits_makes_nothing_else_transparent(color: int) -> None:
    channels = 1 if color == 0 else 3
    data = png_of(16, color, struct.pack(">H", 0x9C9C) * 16 * channels, struct.pack(">H", 40_000) * channels)
    assert look({"widths": WIDTHS}, [data]) == made(data) == Made(problem=DEEP)


@pytest.mark.slow
def test_what_nobody_sees_through_is_no_channel() -> None:
    assert opened(made(written(photo().convert("RGBA"), "PNG")).blobs[0]).mode == "RGB"


@pytest.mark.slow
def test_few_colors_of_a_chart_stay_as_they_are() -> None:
    """Lines are drawn without loss where that is smaller."""
    chart = Image.new("RGB", (400, 3000), "white")
    for x in range(0, 400, 7):
        chart.paste((x % 256, 0, 200), (x, (x * 37) % 2990, x + 4, 3000))
    data = written(chart, "PNG", compress_level=1)
    assert len(data) * 8 < 400 * 3000
    assert opened(made(data).blobs[-1]).tobytes() == chart.tobytes()


def lines() -> Image.Image:
    """What a chart shows: a few colors, and edges."""
    chart = Image.new("RGB", (400, 300), "white")
    for column in range(0, 400, 16):
        chart.paste("navy", (column, 300 - column // 2, column + 9, 300))
    return chart


def shades() -> Image.Image:
    """What a rendering shows: no edge, and no two pixels of the same color beside each other."""
    return Image.merge("RGB", [Image.radial_gradient("L").resize((400, 300)).rotate(turn) for turn in (0, 90, 180)])


def screen() -> Image.Image:
    """What a screenshot shows: text in many shades."""
    shown = Image.new("RGB", (400, 300), "#f4f1ea")
    draw = ImageDraw.Draw(shown)
    for row in range(20):
        draw.text(
            (8, 15 * row), "".join(chr(33 + (7 * row + 5 * at) % 90) for at in range(60)), f"rgb({row * 9},40,90)"
        )
    return shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "tried"), [(lines(), ["exact"]), (screen(), ["lossy", "exact"]), (shades(), ["lossy"])]
)
def test_both_ways_are_tried_only_where_the_original_does_not_tell(
    shown: Image.Image, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []
    save = Image.Image.save

    def saving(image: Image.Image, out: BytesIO, kind: str, **how: Any) -> None:
        saved.append("exact" if how.get("lossless") else "lossy")
        save(image, out, kind, **how)

    data = written(shown, "PNG", optimize=True)
    with monkeypatch.context() as patch:
        patch.setattr(Image.Image, "save", saving)
        done = made(data, "webp", (400,))
    assert saved == tried
    (blob,) = done.blobs
    ways = (written(shown, "WEBP", quality=75, method=2), written(shown, "WEBP", lossless=True, quality=60, method=3))
    assert len(blob) == min(map(len, ways))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "AVIF"])
def test_what_moves_is_left_alone(kind: str) -> None:
    moving = written(photo(), kind, save_all=True, append_images=[photo(seed=2)])
    assert made(moving) == Made()
    assert look({"widths": WIDTHS}, [moving]) == Made()


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_photo_with_a_second_picture_is_a_photo(orientation: int) -> None:
    """Phones add a preview or a gain map, which browsers do not show (CIPA DC-007, Multi-Picture Format)."""
    stored = (600, 400) if orientation == 1 else (400, 600)
    options = {"exif": exif(orientation), "quality": 90}
    both = written(photo(*stored), "MPO", save_all=True, append_images=[photo(80, 40, 2)], **options)
    assert opened(both).format == "MPO"
    done = made(both, widths=(300,))
    (one,), (other,) = done.blobs, made(written(photo(*stored), **options), widths=(300,)).blobs
    assert opened(one).size == (300, 200)
    assert ImageChops.difference(opened(one), opened(other)).getbbox() is None
    assert not look({"widths": WIDTHS}, [both]).problem


def test_a_picture_that_is_small_already_is_left_alone() -> None:
    flat = written(Image.new("RGB", (1000, 600), "white"), "PNG", optimize=True)
    assert made(flat, "avif") == Made(facts={}) or sum(map(len, made(flat, "avif").blobs)) < len(flat)
    light = jpeg(300, 200, quality=5)
    assert made(light, "webp", (200, 400), quality=95) == Made()


@pytest.mark.slow
def test_an_original_of_the_same_format_is_the_widest() -> None:
    done = made(written(photo(400, 240), "WEBP", quality=90), "webp")
    assert [size[0] for size in done.facts["sizes"]["webp"]] == [200]
    wide = made(written(photo(1000, 600), "WEBP", quality=90), "webp")
    assert [size[0] for size in wide.facts["sizes"]["webp"]] == [200, 400]


@pytest.mark.slow
def test_a_profile_that_is_none_does_no_harm() -> None:
    head = b"\0" * 16
    for profile in (b"no profile", b"\0" * 5000, head + b"CMYK" + b"\0" * 200, head + b"RGB " + b"\0" * 9000):
        for image in (photo(), photo().convert("L"), photo().convert("CMYK")):
            assert len(made(written(image, icc_profile=profile)).blobs) == 2


# -- what cannot be decoded

BAD: dict[str, Callable[[], bytes]] = {
    "cut short": lambda: jpeg()[:9000],
    "a PNG cut short": lambda: written(photo(), "PNG")[:50_000],
    "a WebP cut short": lambda: written(photo(), "WEBP")[:5000],
    "a GIF cut short": lambda: written(photo(), "GIF")[:5000],
    "no picture": lambda: b"\x89PNG\r\n\x1a\n" + b"x" * 20_000,
    "a format that is not opened": lambda: written(photo(), "TIFF"),
    "a picture of Windows": lambda: written(photo(), "BMP"),
    "text": lambda: b"text" * 5000,
    "nothing": lambda: b"",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
def test_what_is_damaged_is_told(name: str) -> None:
    data = BAD[name]()
    for kind in ("webp", "avif"):
        assert made(data, kind) == Made(problem=DAMAGED)
    assert look({"widths": WIDTHS}, [data]) == Made(problem=DAMAGED)


@pytest.mark.parametrize(("width", "height"), [(30_000, 30_000), (8000, 5001), (65_535, 65_535)])
def test_a_bomb_is_not_decoded(width: int, height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load_prepare", forbidden)
    data = bomb(width, height)
    assert len(data) < 20_000
    assert made(data) == Made(problem=TOO_LARGE)
    assert look({"widths": WIDTHS}, [data]) == Made(problem=TOO_LARGE)


@pytest.mark.slow
def test_a_jpeg_of_many_scans_is_not_decoded() -> None:
    data = jpeg(progressive=True)
    usual = data.count(b"\xff\xda")
    last = data[data.rindex(b"\xff\xda") : -2]
    assert usual > 5
    assert not look({"widths": WIDTHS}, [data[:-2] + last * (_SCANS - usual) + data[-2:]]).problem
    many = data[:-2] + last * (_SCANS - usual + 1) + data[-2:]
    assert made(many) == Made(problem=TOO_MANY_SCANS)
    assert look({"widths": WIDTHS}, [many]) == Made(problem=TOO_MANY_SCANS)


def _profile_of_steps(count: int) -> bytes:
    """A color profile that says how colors are made in so many steps, each of which makes them darker."""
    curve = b"curf" + bytes(4) + struct.pack(">HH", 1, 0) + b"parf" + bytes(8) + struct.pack(">4f", 1.1, 1, 0, 0)
    step = b"cvst" + bytes(4) + struct.pack(">HH", 3, 3) + struct.pack(">II", 36, len(curve)) * 3 + curve
    first = 16 + 8 * count
    steps = b"mpet" + bytes(4) + struct.pack(">HHI", 3, 3, count) + struct.pack(">II", first, len(step)) * count + step
    usual = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    tags = struct.unpack(">I", usual[128:132])[0]
    entries = usual[132 : 132 + 12 * tags]
    places = [struct.unpack(">4sII", entries[at : at + 12]) for at in range(0, len(entries), 12)]
    moved = b"".join(struct.pack(">4sII", name, place + 12, length) for name, place, length in places)
    data = usual[132 + 12 * tags :]
    place = 132 + 12 * (tags + 1) + len(data)
    table = struct.pack(">I", tags + 1) + moved + struct.pack(">4sII", b"D2B0", place, len(steps))
    return struct.pack(">I", place + len(steps)) + usual[4:128] + table + data + steps


@pytest.mark.slow
def test_steps_of_a_color_profile_are_not_taken() -> None:
    picture = photo()
    profile = _profile_of_steps(1000)
    source = ImageCms.ImageCmsProfile(BytesIO(profile))
    darker = ImageCms.profileToProfile(picture, source, ImageCms.createProfile("sRGB"))
    assert darker
    assert darker.tobytes() != picture.tobytes()
    assert made(written(picture, icc_profile=profile)).blobs == made(written(picture)).blobs


@pytest.mark.slow
def test_a_picture_as_large_as_may_be_is_decoded() -> None:
    large = written(Image.new("L", (8000, 5000)), "PNG", compress_level=1)
    assert made(large + b"\0" * 1_000_000).problem == ""


def greedy(data: bytes) -> tuple[Made, tuple[int, int]]:
    """In a worker: what comes of a picture that takes all memory, and what the worker may have after that."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("devlog.engine.untrusted_images._plain", lambda _: bytearray(MEMORY))
        done = made(data)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    return done, before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such limit")
def test_a_worker_has_no_more_memory_than_it_needs() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as workers:
        done, _ = workers.submit(greedy, jpeg()).result()
    assert done == Made(problem="there is not enough memory for it", retry=True)


def test_a_tower_is_left_alone() -> None:
    """Twelve million pixels as AVIF would take too long, and no WebP is so tall."""
    tower = written(Image.new("RGB", (200, 20_000), "white"), "PNG", compress_level=0)
    assert made(tower, "webp", (100, 200)) == Made()


@pytest.mark.slow
def test_the_same_bytes_each_time() -> None:
    data = jpeg()
    for kind in ("webp", "avif"):
        assert made(data, kind) == made(data, kind)
