"""What is published of a brand: images, icons, fonts and a style sheet, all from files of the site."""

from __future__ import annotations

import json
import logging
import re
import shutil
import struct
import sys
import warnings
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from brand_site import CONFIG, ICON, LETTERS, POST, brand_site, font
from lxml import html
from outcomes import outcome
from panics import panic
from sites import build_site, write_site

from devlog import packages
from devlog.features.brand.assemble.stylesheet import LOCAL
from devlog.features.brand.derive import fonts, images
from devlog.model.report import Report

pytest.importorskip("PIL")
from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables import otBase
from fontTools.ttLib.tables.DefaultTable import DefaultTable
from PIL import Image

DEJAVU = Path("/usr/share/fonts/truetype/dejavu")


def published(root: Path) -> dict[str, Path]:
    """The files in the folder of the brand, by their names without digests."""
    files = (root / "public" / "brand").iterdir()
    return {re.sub(r"-[0-9a-f]{10}\.", ".", file.name): file for file in files}


def wrong(report: Report) -> list[str]:
    """The problems, apart from hints, as ``line code``."""
    return [f"{item.span.line} {item.code}" for item in report.diagnostics if item.severity != "info"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_site(tmp_path_factory.mktemp("brand"), brand_site())
    assert wrong(build_site(root)) == []
    return root


@pytest.mark.slow
def test_pages_name_all_that_they_need(site: Path) -> None:
    files = published(site)
    for page in ("index.html", "storage/2026-05-01-first/index.html", "404.html"):
        head = html.document_fromstring((site / "public" / page).read_bytes()).head
        url = {name: f"/log/brand/{file.name}" for name, file in files.items()}
        assert head.xpath("link[@rel='preload']/@href") == [
            url[f"{name}.woff2"] for name in ("regular", "bold", "italic")
        ]
        sheets = head.xpath("link[@rel='stylesheet']/@href")
        assert sheets[1] == url["style.css"]
        assert sheets[0].startswith("/log/theme/style.css?")
        assert head.xpath("link[@rel='icon']/@href") == [url["icon-32.png"], url["icon.svg"]]
        assert head.xpath("link[@rel='apple-touch-icon']/@href") == [url["icon-180.png"]]
        assert head.xpath("link[@rel='manifest']/@href") == [url["site.webmanifest"]]
        assert head.xpath("meta[@name='theme-color']/@content") == ["#fffdf8", "#15101a"]
        logos = head.getparent().xpath("//*[@class='brand']//img")
        assert [(logo.get("class"), logo.get("width"), logo.get("height"), logo.get("alt")) for logo in logos] == [
            ("logo only-light", "80", "40", ""),
            ("logo only-dark", "80", "40", ""),
        ]


def test_icons_are_made_of_the_favicon(site: Path) -> None:
    files = published(site)
    for side in (32, 180, 192, 512):
        with Image.open(files[f"icon-{side}.png"]) as icon:
            assert icon.size == (side, side)
            middle = icon.convert("RGB").getpixel((side // 2, side // 2))
            assert middle == (0x7A, 0x20, 0x48)
            corner = icon.convert("RGBA").getpixel((0, 0))
            assert corner == ((0xFF, 0xFD, 0xF8, 255) if side == 180 else (0, 0, 0, 0))
    manifest = json.loads(files["site.webmanifest"].read_text("utf-8"))
    assert (manifest["name"], manifest["start_url"], manifest["theme_color"]) == ("Lumen", "/log/", "#fffdf8")
    named = {icon["sizes"]: icon["src"] for icon in manifest["icons"]}
    assert named == {"192x192": files["icon-192.png"].name, "512x512": files["icon-512.png"].name}


def test_fonts_keep_the_letters_of_the_site(site: Path) -> None:
    """A letter of a title in the configuration, one that HTML spells as an entity, but none that nothing shows."""
    for name in ("regular", "bold", "italic"):
        with TTFont(published(site)[f"{name}.woff2"]) as opened:
            kept = set(map(chr, opened.getBestCmap()))
            assert opened.flavor == "woff2"
        assert kept == set(LETTERS) - set("漢字")


def test_fonts_need_no_packages_that_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does what is made of them depend on whether such a package is there."""
    repacked: list[object] = []
    monkeypatch.setattr(otBase, "have_uharfbuzz", True)
    monkeypatch.setattr(otBase.OTTableWriter, "getAllDataUsingHarfbuzz", lambda *found: repacked.append(found))
    monkeypatch.setitem(sys.modules, "lxml", None)
    with TTFont(BytesIO(font())) as opened:
        names = opened.getBestCmap()
        one, two, both = (names[ord(letter)] for letter in "Lum")
        addOpenTypeFeaturesFromString(opened, f"feature liga {{ sub {one} {two} by {both}; }} liga;")
        drawn = DefaultTable("SVG ")
        drawn.data = b"\0\0" + (10).to_bytes(4, "big") + bytes(4) + bytes(2)
        opened["SVG "] = drawn
        made = fonts._subset(opened, "Lumen")
    assert repacked == []
    with TTFont(BytesIO(made)) as opened:
        assert "SVG " not in opened
        assert set("Lumen") <= set(map(chr, opened.getBestCmap()))


def _spare(line: str) -> str:
    """A declaration as it stands in a minified style sheet."""
    return line.removesuffix(";").replace(": ", ":").replace(", ", ",")


def test_the_style_sheet_has_exactly_the_colors(site: Path) -> None:
    style = published(site)["style.css"].read_text("utf-8")
    for line in (
        "--accent: light-dark(#7a2048, oklch(0.85 0.1 350));",
        "--paper: light-dark(#fffdf8, #15101a);",
        "--ink: light-dark(#000000, #efe6ec);",
        "font-display: optional;",
    ):
        assert _spare(line) in style
    locals_ = [f'"Brand Text {item.name}"' for item in LOCAL["sans"]]
    assert _spare(f'--sans: "Brand Text", {", ".join(locals_)}, sans-serif;') in style
    faces = re.findall(r'"Brand Text";src:url\((\w+)-\w+\.woff2\)[^}]*?weight:(\d+);font-style:(\w+)', style)
    assert faces == [("regular", "400", "normal"), ("bold", "700", "normal"), ("italic", "400", "italic")]


@pytest.mark.feature("social_cards")
def test_social_cards_have_the_colors_and_the_font(site: Path) -> None:
    with Image.open(site / "public" / "storage" / "2026-05-01-first" / "card.png") as opened:
        card = opened.convert("RGB")
    assert card.getpixel((5, 300)) == (0x7A, 0x20, 0x48)
    assert card.getpixel((600, 5)) == (0xFF, 0xFD, 0xF8)
    title = card.crop((92, 144, 1120, 494))
    dark = [max(255 - part for part in title.getpixel((x, 175))) > 128 for x in range(200)]  # type: ignore[union-attr]
    begun = [x for x in range(1, 200) if dark[x] and not dark[x - 1]]
    assert begun[1] - begun[0] == round(0.65 * 112)  # letters are boxes, here those of the bold font


def test_another_theme_shows_the_brand(site: Path, tmp_path: Path) -> None:
    files = {**brand_site(), "devlog.toml": f'theme = "paper"\n{CONFIG}'}
    root = write_site(tmp_path, files)
    assert wrong(build_site(root)) == []
    assert published(root).keys() == published(site).keys()
    page = html.document_fromstring((root / "public" / "index.html").read_bytes())
    assert len(page.xpath("//h1/img")) == 2
    assert page.xpath("//link[@rel='stylesheet']/@href")[1] == f"/log/brand/{published(root)['style.css'].name}"


def test_files_may_be_named_with_a_dot_at_the_beginning(site: Path, tmp_path: Path) -> None:
    dotted = CONFIG.replace('"brand/', '"./brand/').replace('"static/', '"./static/')
    root = write_site(tmp_path, {**brand_site(), "devlog.toml": dotted})
    assert wrong(build_site(root)) == []
    assert published(root).keys() == published(site).keys()


@pytest.mark.slow
def test_a_brand_of_each_kind_alone(tmp_path: Path) -> None:
    files = brand_site()
    brands = {
        'accent = "#7a2048"\n[severity]\nlow-contrast = "off"': {"style.css"},
        'background = "#101418"\ntext = "#dde4ea"\naccent = "#7cc4ff"': {"style.css"},
        'logo = "brand/logo.svg"\nwordmark = true': {"logo.svg"},
        '[brand.fonts]\ncode = "brand/regular.ttf"\nheadings = "brand/bold.ttf"': {
            "regular.woff2",
            "bold.woff2",
            "style.css",
        },
    }
    for brand, expected in brands.items():
        files["devlog.toml"] = f'title = "Lumen"\n[brand]\n{brand}\n'
        root = write_site(tmp_path / "site", files)
        assert wrong(build_site(root)) == [], brand
        assert published(root).keys() == expected, brand
        page = (root / "public" / "index.html").read_text("utf-8")
        assert ('data-only="dark"' in page) == ("background" in brand)
        assert ('class="theme-switch"' in page) == ("background" not in brand)
        assert ('alt="Lumen"' in page) == ("wordmark" in brand)
    style = published(root)["style.css"].read_text("utf-8")
    assert "--headings-weight:700" in style
    assert '--mono:"Brand Code",' in style
    files["devlog.toml"] = 'title = "Lumen"\n'
    root = write_site(tmp_path / "site", files)
    build_site(root)
    assert not (root / "public" / "brand").exists()


@pytest.mark.slow
def test_what_changes_is_made_again(tmp_path: Path) -> None:
    """Each input of a brand alone: the next build makes what a clean one makes."""
    files = brand_site()
    root = write_site(tmp_path / "site", files)
    edits: tuple[dict[str, str | bytes], ...] = (
        {POST: str(files[POST]) + "New letters: 漢.\n"},
        {"content/storage/_index.md": "---\ntitle: Storage 字\n---\n"},
        {"brand/bold.ttf": font(weight=600, width=650)},
        {"brand/icon.svg": ICON.replace("circle", "ellipse").replace(' r="32"', ' rx="32" ry="20"')},
        {"brand/logo.svg": ICON},
        {"devlog.toml": CONFIG.replace("#7a2048", "#0a3c8c")},
        {"devlog.toml": CONFIG.replace("[brand", "[params.brand")},
    )
    before = outcome(root, build_site(root))
    for edit in edits:
        write_site(root, edit)
        made = outcome(root, build_site(root))
        shutil.rmtree(tmp_path / "clean", ignore_errors=True)
        clean = tmp_path / "clean"
        shutil.copytree(root, clean, ignore=shutil.ignore_patterns(".devlog", "public"))
        assert made == outcome(clean, build_site(clean))
        assert made != before
        before = made


@pytest.mark.slow
def test_without_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = packages.version
    monkeypatch.setattr(packages, "version", lambda name: "" if name in ("fonttools", "resvg-py") else there(name))
    root = write_site(tmp_path, brand_site())
    report = build_site(root)
    assert wrong(report) == ["8 no-icons", "13 no-fonttools"]
    assert all("[brand]" in item.hint for item in report.diagnostics if item.code in ("no-icons", "no-fonttools"))
    assert published(root).keys() == {"logo.svg", "icon.svg", "style.css"}


UNUSABLE = {
    "": "its size is unknown",
    "<svg": "it is not well-formed XML",
    ICON.replace("/>", "><script/></circle>"): "<script>",
    ICON.replace("/>", ' onload="x()"/>'): "onload",
    '<svg xmlns="http://www.w3.org/2000/svg"/>': "its size is unknown",
}


@pytest.mark.parametrize("text", UNUSABLE)
def test_images_that_are_not_published(text: str) -> None:
    assert UNUSABLE[text] in images.image({"name": "logo.svg"}, [text.encode()]).problem


@pytest.mark.parametrize(
    "reference",
    [
        '<image href="/etc/passwd" width="9" height="9"/>',
        '<image xmlns:x="http://www.w3.org/1999/xlink" x:href="secret.png" width="9" height="9"/>',
        '<use href="other.svg#a"/>',
        '<image href="data:image/svg+xml,%3Csvg/%3E"/>',
        '<image href="file:///etc/hosts"/>',
    ],
)
def test_icons_show_no_other_files(reference: str) -> None:
    drawn = images.icons(
        {"name": "a.svg", "background": "#ffffff"}, [ICON.replace("</svg>", f"{reference}</svg>").encode()]
    )
    assert drawn.problem == "it is not a readable image (it refers to another file)"


def test_icons_are_not_drawn_from_far_too_many_attributes() -> None:
    attributes = " ".join(f'a{number}=""' for number in range(1_001))
    drawn = images.icons(
        {"name": "a.svg", "background": "#ffffff"}, [ICON.replace("</svg>", f"<g {attributes}/></svg>").encode()]
    )
    assert drawn.problem == "it is not a readable image (an element of it has more than 1,000 attributes)"


def test_icons_are_not_drawn_from_a_damaged_image() -> None:
    good, huge = BytesIO(), BytesIO()
    Image.effect_noise((300, 300), 50).save(good, "PNG")
    Image.new("L", (8000, 8000)).save(huge, "PNG")
    for data, reason in (
        (huge.getvalue(), "it has more than 40 megapixels"),
        (b"no image", "it is not a PNG"),
        (good.getvalue()[:-40], "it is damaged or truncated"),
    ):
        assert images.icons({"name": "a.png", "background": "#ffffff"}, [data]).problem == reason


def test_images_of_other_shapes_become_square() -> None:
    wide = BytesIO()
    Image.new("RGB", (400, 200), "#336699").save(wide, "PNG")
    made = images.icons({"name": "a.png", "background": "#ffffff"}, [wide.getvalue()])
    with Image.open(BytesIO(made.blobs[-1])) as icon:
        assert icon.size == (512, 512)
        assert icon.getpixel((256, 10))[3] == 0  # type: ignore[index]
        assert icon.getpixel((256, 256)) == (0x33, 0x66, 0x99, 255)
    assert made.facts == {"side": 200}


@pytest.mark.slow
def test_a_line_of_pixels_takes_no_square_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PNG of 8 kB may be 65,535 pixels wide: a square around it would take 17 GB."""
    line = BytesIO()
    Image.new("RGB", (20_000, 10), "#336699").save(line, "PNG")
    make = Image.new

    def small(mode: str, size: tuple[int, int], *args: Any) -> Image.Image:
        assert size[0] * size[1] <= 40_000_000
        return make(mode, size, *args)

    monkeypatch.setattr(Image, "new", small)
    made = images.icons({"name": "a.png", "background": "#ffffff"}, [line.getvalue()])
    assert made.problem == ""
    assert made.facts == {"side": 10}


@pytest.mark.slow
def test_a_font_whose_letters_have_no_width(tmp_path: Path) -> None:
    made = fonts.font({"letters": None}, [font(width=0)])
    assert made.problem == "its letters have no usable width"
    files = {**brand_site(), "brand/regular.ttf": font(width=0)}
    report = build_site(write_site(tmp_path, files))
    assert wrong(report) == ["14 unusable-brand-file"]


@pytest.mark.parametrize("data", [b"", b"no font", b"wOF2" + bytes(60), font()[:400], font()[:-200]])
def test_damaged_fonts_are_a_problem(data: bytes) -> None:
    assert fonts.font({"letters": ""}, [data]).problem.startswith("it is not a readable font")


def _with_malformed_names(count: int) -> bytes:
    """A font that can be shown, with names that lie outside of their table."""
    opened = TTFont(BytesIO(font()), recalcTimestamp=False)
    record = struct.pack(">6H", 3, 1, 0x409, 4, 100, 0xFFF0)
    names = DefaultTable("name")
    names.data = struct.pack(">3H", 0, count, 6 + len(record) * count) + record * count
    opened["name"] = names
    out = BytesIO()
    opened.save(out)
    return out.getvalue()


@pytest.mark.parametrize("letters", [None, "é"])
def test_a_malformed_font_says_nothing_on_the_terminal(letters: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with warnings.catch_warnings(record=True) as warned:
        made = fonts.font({"letters": letters}, [_with_malformed_names(50)])
    assert made.problem == ""
    assert logging.getLogger("fontTools").level == logging.NOTSET  # for others who use it in the process
    assert (caplog.messages, warned) == ([], [])


def test_facts_about_a_font() -> None:
    facts = fonts.font({"letters": None}, [font(weight=250, italic=True)]).facts
    assert facts == {"weights": [250, 250], "italic": True, "kind": "sans", "metrics": [0.9, 0.3, 0.0, 0.6]}


@pytest.mark.skipif(not DEJAVU.exists(), reason="needs the fonts of Debian's package fonts-dejavu")
@pytest.mark.parametrize(
    ("kind", "file"), [("sans", "DejaVuSans"), ("serif", "DejaVuSerif"), ("mono", "DejaVuSansMono")]
)
def test_widths_of_installed_fonts(kind: str, file: str) -> None:
    local = next(item for item in LOCAL[kind] if item.name.startswith("DejaVu"))  # type: ignore[index]
    for name, width in ((file, local.width), (f"{file}-Bold", local.bold_width)):
        made = fonts.font({"letters": None}, [(DEJAVU / f"{name}.ttf").read_bytes()])
        assert made.facts["kind"] == kind
        assert round(made.facts["metrics"][3], 4) == width


def test_a_fault_of_resvg(monkeypatch: pytest.MonkeyPatch) -> None:
    resvg = pytest.importorskip("resvg_py")
    monkeypatch.setattr(resvg, "svg_to_bytes", panic)
    made = images.icons({"name": "a.svg", "background": "#ffffff"}, [ICON.encode()])
    assert made.problem == "it is not a readable image (resvg failed on it)"
