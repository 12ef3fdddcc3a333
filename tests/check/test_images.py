"""Pictures: how large they are, where they were taken, and whether anything shows them."""

from __future__ import annotations

import struct
import time
import zlib
from pathlib import Path

import pytest
from cases_format import png
from check_cases import check_site
from opened_files import note_opened
from sites import write_site

from devlog.disk import stat_cache
from devlog.model.diagnostic import Span
from devlog.model.media import says_where

CONFIG = 'base_url = "https://docs.example.org/lumen/"\n'
POST = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\n"
A = "content/storage/2026-05-01-a.md"
WHOLE = f"{CONFIG}[images]\nstrip = false\n"
"""The configuration of a site that publishes pictures with their metadata."""
SITE = {"devlog.toml": CONFIG, "content/storage/_index.md": "---\ntitle: Storage\n---\n", A: f"{POST}Text.\n"}


def told(root: Path, code: str) -> list[Span]:
    """Where a check tells a problem."""
    return [problem.span for problem in check_site(root).diagnostics if problem.code == code]


# -- size


@pytest.mark.parametrize(("length", "budget", "large"), [
    (1_000_999, 1000, False),
    (1_001_000, 1000, True),
    (20_999, 20, False),
    (21_000, 20, True),
    (1_999, 1, False),
    (2_000, 1, True),
])  # fmt: skip
def test_an_image_over_its_budget(tmp_path: Path, length: int, budget: int, large: bool) -> None:
    picture = png(4, 3)
    site = {**SITE, "devlog.toml": f"{CONFIG}[check]\nimage_budget = {budget}\n"}
    root = write_site(tmp_path, {**site, "static/a.png": picture + b"\0" * (length - len(picture))})
    assert told(root, "large-image") == ([Span("static/a.png")] if large else [])


def test_a_large_image_is_told_where_it_is_first_shown(tmp_path: Path) -> None:
    text = f"{POST}Text.\n\n![one](big.png) ![two](big.png)\n"
    files = {A: text, "content/storage/2026-05-02-b.md": text, "content/storage/big.png": png(4, 3) + b"\0" * 2_000_000}
    assert told(write_site(tmp_path, {**SITE, **files}), "large-image") == [Span(A, 7, 8, 7)]


def test_what_is_no_image_has_no_budget(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "static/a.pdf": b"\0" * 2_000_000, "static/a.csv": "1\n" * 1_000_000})
    assert told(root, "large-image") == []


# -- place


def tiff(order: str, gps: str) -> bytes:
    """EXIF data with an orientation and, as `gps` says, a directory with a position, with a time only, or none."""
    sign = "<" if order == "II" else ">"

    def directory(*entries: tuple[int, int]) -> bytes:
        packed = b"".join(struct.pack(f"{sign}HHII", tag, 4, 1, value) for tag, value in entries)
        return struct.pack(f"{sign}H", len(entries)) + packed + b"\0\0\0\0"

    first = directory((0x0112, 1), (0x8825, 38)) if gps else directory((0x0112, 1), (0x0131, 0))
    second = directory((1, 78), (2, 0), (3, 69), (4, 0)) if gps == "position" else directory((29, 0))
    return order.encode() + struct.pack(f"{sign}HI", 42, 8) + first + second


def jpeg(data: bytes, head: bytes = b"Exif\0\0") -> bytes:
    """A picture with such data in its first segment."""
    segment = b"\xff\xe1" + struct.pack(">H", len(head + data) + 2) + head + data
    return b"\xff\xd8" + segment + b"\xff\xc0\0\x0b\x08\0\3\0\4\1\1\x11\0" + b"\xff\xd9"


def png_with(data: bytes) -> bytes:
    """A picture with such data in a chunk behind the header."""
    plain, chunk = png(4, 3), b"eXIf" + data
    return plain[:33] + struct.pack(">I", len(data)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + plain[33:]


def webp(data: bytes) -> bytes:
    """A picture with such data in a chunk at its end."""
    chunks = b"VP8X" + struct.pack("<I", 10) + b"\x08\0\0\0\3\0\0\2\0\0" + b"EXIF" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


def xmp(text: str) -> bytes:
    """A picture with metadata in XML."""
    return jpeg(f"<x:xmpmeta><rdf:Description {text}/></x:xmpmeta>".encode(), b"http://ns.adobe.com/xap/1.0/\0")


KINDS = {"jpg": jpeg, "png": png_with, "webp": webp}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["II", "MM"])
@pytest.mark.parametrize("gps", ["position", "time", ""])
def test_the_place_in_a_picture(tmp_path: Path, kind: str, order: str, gps: str) -> None:
    picture = KINDS[kind](tiff(order, gps))
    site = {**SITE, "devlog.toml": WHOLE}
    root = write_site(tmp_path, {**site, f"content/storage/p.{kind}": picture, f"static/P.{kind.upper()}": picture})
    files = [f"content/storage/p.{kind}", f"static/P.{kind.upper()}"]
    assert told(root, "leaks.location") == ([Span(file) for file in files] if gps == "position" else [])


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_that_is_not_published_is_no_leak(tmp_path: Path, kind: str) -> None:
    picture = KINDS[kind](tiff("II", "position"))
    broken = picture[:-1] if kind != "png" else picture[:-4]
    files = {f"static/a.{kind}": picture, f"static/broken.{kind}": broken, "static/c.gif": b"GIF89a" + picture}
    root = write_site(tmp_path, {**SITE, **files})
    assert told(root, "leaks.location") == []
    assert told(root, "kept-location") == [Span("static/c.gif")], "what cannot be taken out is told"


def test_the_place_in_xmp() -> None:
    assert says_where(xmp('exif:GPSLatitude="52,30.1N" exif:GPSLongitude="13,24.6E"'))
    assert not says_where(xmp('exif:GPSVersionID="2.2.0.0"'))


def test_a_place_is_told_where_the_picture_is_first_shown(tmp_path: Path) -> None:
    text = f"{POST}![one](p.jpg)\n"
    picture = jpeg(tiff("II", "position"))
    root = write_site(tmp_path, {**SITE, "devlog.toml": WHOLE, A: text, "content/storage/p.jpg": picture})
    problem = next(item for item in check_site(root).diagnostics if item.code == "leaks.location")
    assert (problem.span, problem.severity) == (Span(A, 5, 8, 5), "warning")
    assert "“content/storage/p.jpg”" in problem.message
    write_site(root, {A: f"{text}\n<!-- devlog: allow leaks.location: taken in a museum -->\n"})
    assert told(root, "leaks.location") == []


def test_every_beginning_of_a_picture_is_read_without_harm() -> None:
    for kind in KINDS.values():
        whole = kind(tiff("MM", "position"))
        answers = [says_where(whole[:length]) for length in range(len(whole) + 1)]
        assert answers == sorted(answers), "once it is known, more bytes change nothing"
        assert answers[-1]
        assert not answers[30]


HOSTILE = {
    "far away": b"II*\0" + b"\xff\xff\xff\xff",
    "itself": b"II*\0\0\0\0\0",
    "a directory in itself": b"II*\0\x08\0\0\0\1\0\x25\x88\4\0\1\0\0\0\x08\0\0\0\0\0\0\0",
    "many entries": b"MM\0*\0\0\0\x08\xff\xff" + b"\x88\x25\0\4\0\0\0\1\0\0\0\x08" * 70_000,
    "a position far away": b"MM\0*\0\0\0\x08\0\1\x88\x25\0\4\0\0\0\1\xff\xff\xff\xff",
    "nothing": b"II*\0",
    "many blocks": b"II*\0\x08\0\0\0\xff\0"
    + b"\x25\x88\4\0\1\0\0\0\x08\0\0\0" * 255
    + b"Exif\0\0II*\0\x08\0\0\0" * 70_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["jpg", "png", "webp"])
def test_data_made_to_do_harm(tmp_path: Path, name: str, kind: str) -> None:
    head = {"jpg": b"\xff\xd8\xff\xe1\xff\xffExif\0\0", "png": png(4, 3) + b"eXIf", "webp": b"RIFF\0\0\0\0WEBPEXIF1234"}
    root = write_site(tmp_path, {**SITE, f"static/p.{kind}": head[kind] + HOSTILE[name]})
    assert told(root, "leaks.location") == []


# -- memory


def test_what_was_learnt_of_a_picture_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    located = jpeg(tiff("MM", "position")) + b"\0" * 2_000_000
    root = write_site(tmp_path, {**SITE, "devlog.toml": WHOLE, "static/p.jpg": located, "static/q.png": png(4, 3)})
    time.sleep(0.02)  # the clock of file systems is slower than the test
    opened = note_opened(monkeypatch)
    first = check_site(root).diagnostics
    assert {"p.jpg", "q.png", "2026-05-01-a.md"} <= {*opened}
    opened.clear()
    second = check_site(root).diagnostics
    assert {"p.jpg", "q.png", "2026-05-01-a.md"}.isdisjoint(opened)
    assert second == first
    assert {"leaks.location", "large-image", "unused-image"} <= {problem.code for problem in first}
    (root / "static/p.jpg").write_bytes(jpeg(tiff("MM", "time")))
    assert told(root, "leaks.location") == []


# -- use

WAYS = {
    "an image": {A: f"{POST}![x](p.png)"},
    "an image in a link": {A: f"{POST}[![x](p.png)](https://example.org)"},
    "a label": {A: f"{POST}![x][l]\n\n[l]: p.png"},
    "a link": {A: f"{POST}[x](p.png)"},
    "an absolute path": {A: f"{POST}![x](/storage/p.png)"},
    "an own address": {A: f"{POST}![x](https://docs.example.org/lumen/storage/p.png)"},
    "a query": {A: f"{POST}![x](p.png?v=1#x)"},
    "another letter case": {A: f"{POST}![x](P.PNG)"},
    "HTML": {A: f"{POST}<img src='p.png' alt='x'>"},
    "a set of sources": {A: f'{POST}<img srcset="p.png 1x, p.png 2x" alt="x">'},
    "a poster": {A: f'{POST}<video poster="p.png"></video>'},
    "a shortcode": {A: f'{POST}{{{{< figure src="p.png" alt="x" >}}}}'},
    "front matter": {A: POST.replace("---\n", "---\nimage: p.png\n", 1) + "Text."},
    "another post": {"content/storage/2026-05-02-b.md": f"{POST}![x](p.png)"},
    "a topic's index": {"content/storage/_index.md": "---\ntitle: Storage\n---\n![x](p.png)"},
    "a page": {"content/about.md": "---\ntitle: About\n---\n![x](storage/p.png)"},
    "a draft": {"content/storage/2026-05-02-b.md": POST.replace("---\n", "---\ndraft: true\n", 1) + "![x](p.png)"},
    "a style sheet": {"static/own.css": "body { background: url(../storage/p.png) }"},
    "a script": {"static/own.js": "const a = 'p.png'"},
    "a page of one's own": {"static/own.html": "<img src=/storage/p.png>"},
    "a file beside the post": {"content/storage/chart.json": '{"image": "p.png"}'},
    "the configuration": {"devlog.toml": f'{CONFIG}[params]\nlogo = "/storage/p.png"\n'},
    "the authors": {"content/authors.yml": "adaquill:\n  name: Ada Quill\n  avatar: /storage/p.png\n"},
    "a template": {"templates/partials/extra.html": "<img src='/storage/p.png'>"},
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_an_image_that_is_named_is_used(tmp_path: Path, way: str) -> None:
    root = write_site(tmp_path, {**SITE, "content/storage/p.png": png(4, 3), **WAYS[way]})
    assert told(root, "unused-image") == []


@pytest.mark.parametrize("text", ["p.png", "`![x](p.png)`", "```\n![x](p.png)\n```", "![x](other.png)"])
def test_an_image_that_is_only_talked_of_is_not(tmp_path: Path, text: str) -> None:
    root = write_site(tmp_path, {**SITE, "content/storage/p.png": png(4, 3), A: f"{POST}{text}\n"})
    assert told(root, "unused-image") == [Span("content/storage/p.png")]


@pytest.mark.parametrize("name", ["favicon.svg", "img/apple-touch-icon.png", "og-image.png", "social.png"])
def test_icons_are_asked_for_by_name(tmp_path: Path, name: str) -> None:
    assert told(write_site(tmp_path, {**SITE, f"static/{name}": png(4, 3)}), "unused-image") == []
