"""Social cards: who has one, what stands in it, and that it is whole, legible, small and always the same."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import warnings
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from brand_site import font
from cases_format import png
from catalogs import ENGLISH
from fontTools.ttLib import TTFont
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import build_site, read_tree, write_site

from devlog import packages
from devlog.disk.theme import built_in_themes
from devlog.engine.toolchain import codecs, image_libraries
from devlog.features.social_cards.assemble import card_permalink, listed
from devlog.features.social_cards.derive.card_files import look_at_font, look_at_picture
from devlog.features.social_cards.model import HEIGHT, WIDTH, Card, Layout, Words
from devlog.features.social_cards.render import draw
from devlog.features.social_cards.render.colors import rgb
from devlog.features.social_cards.render.draw import card, set_text
from devlog.features.social_cards.render.font_fallback import SizedFont, _font, _letter, _own, face_for
from devlog.features.social_cards.render.png import indexed_png
from devlog.model.diagnostic import Diagnostic
from devlog.model.target import Blob, Resources, Target
from devlog.model.theme import Theme

pytest.importorskip("PIL")
from PIL import Image, ImageDraw, ImageFont

LAYOUT = msgspec.convert(
    tomllib.loads((built_in_themes() / "default" / "templates" / "card.toml").read_text("utf-8")), Layout
)
TITLES = (
    "Lumen 2.4",
    "Compaction that never stalls",
    "Why the planner now refuses to reorder joins across volatile functions, and how to find out what it did instead",
    "W" * 300,
    "lumen.config.compaction.automatic_dynamic_shapes_mark_as_is_really_long_identifier explained " * 3,
    "Größenwahn: naïve façade, Łódź, Čapek, Őr, Ångström, İstanbul, ẫ, jǰ",
    "i" * 500,
    "gjpqy ÇŞ",
)


def usual(name: str) -> str:
    """A color of the default layout for sites without a brand."""
    given = LAYOUT.colors[name]
    return given if isinstance(given, str) else given[1]


CONFIG = 'title = "The Lumen log"\nbase_url = "https://docs.example.org/lumen/"\n[images]\nenabled = false\n'
POST = "content/storage/2026-05-03-a.md"
PATH = "storage/2026-05-03-a/card.png"
LISTS = ("authors/adaquill/card.png", "card.png", "storage/card.png")
SITE = {
    "devlog.toml": CONFIG,
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: Compaction that never stalls\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
}


def shown(title: str, **more: Any) -> Card:
    texts = {"topic": "Storage", "authors": "Ada Quill and Bo Reed", "date": "2026-05-03", "site": "The Lumen log"}
    return Card(**{"title": title, "topic_hue": 30, "accent_hue": 162, **texts, **more})


def drawn(says: Card, layout: Layout = LAYOUT) -> Image.Image:
    target = Target("x/card.png", "card", "", {"card": says, "layout": (layout,)})
    image = Image.open(BytesIO(card(target, Resources(Theme("", ()), {}, {}))), formats=["PNG"])
    image.load()
    return image


def with_only(field: str, layout: Layout = LAYOUT) -> Layout:
    """A layout that shows nothing but one text."""
    return msgspec.structs.replace(layout, shape=(), text=tuple(words for words in layout.text if words.field == field))


# -- the picture


def test_letters_that_join_are_drawn_where_nothing_joins_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all systems have what Pillow needs for it, and it would warn at each card."""
    monkeypatch.setattr("PIL._imagingft.HAVE_RAQM", False)
    _font.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drawn(shown("\u05e9\u05dc\u05d5\u05dd")).getbbox()
    _font.cache_clear()


@pytest.mark.parametrize("title", TITLES)
def test_a_card_is_a_small_picture_of_the_right_size(title: str) -> None:
    image = drawn(shown(title))
    assert image.size == (WIDTH, HEIGHT)
    assert image.format == "PNG"
    target = Target("x/card.png", "card", "", {"card": shown(title), "layout": (LAYOUT,)})
    data = card(target, Resources(Theme("", ()), {}, {}))
    assert len(data) < 40_000
    assert data == card(target, Resources(Theme("", ()), {}, {}))
    assert not image.info.keys() & {"Software", "date", "dpi", "exif"}


@pytest.mark.parametrize("title", TITLES)
def test_all_letters_of_a_title_lie_in_its_box(title: str) -> None:
    layout = with_only("title")
    (words,) = layout.text
    box = drawn(shown(title), layout).convert("RGB").point(lambda level: 0 if level > 200 else 255).getbbox()
    assert box
    left, top, width, height = words.box
    assert box[0] >= left - 2
    assert box[1] >= top - words.size[0] * 0.12  # accents on capitals may reach out of it
    assert box[2] <= left + width + 2
    assert box[3] <= top + height


@pytest.mark.parametrize("title", TITLES)
def test_no_letter_of_a_title_is_cut(title: str) -> None:
    """A text drawn on a much larger card shows the same number of dark pixels."""
    layout = with_only("title")
    (words,) = layout.text
    lines = set_text(words, title, b"")
    face = face_for(b"", lines.size, title)
    wide = Image.new("L", (WIDTH * 2, HEIGHT * 2), 0)
    for line, (x, y) in zip(lines.lines, lines.places, strict=True):
        face.draw(wide, (x + WIDTH / 2, y + HEIGHT / 2), line, round(words.weight * lines.size, 1))
    ink = Image.new("L", (WIDTH, HEIGHT), 0)
    ink.paste(wide.crop((WIDTH // 2, HEIGHT // 2, WIDTH * 3 // 2, HEIGHT * 3 // 2)))
    whole, inside = wide.getbbox(), ink.getbbox()
    assert whole
    assert inside
    assert (whole[2] - whole[0], whole[3] - whole[1]) == (inside[2] - inside[0], inside[3] - inside[1])
    found = drawn(shown(title), layout).convert("L").point(lambda level: 255 if level < 240 else 0).getbbox()
    expected = ink.point(lambda level: 255 if level > 24 else 0).getbbox()
    assert found
    assert expected
    assert all(abs(one - other) <= 2 for one, other in zip(found, expected, strict=True))


def test_different_words_are_different_pictures() -> None:
    plain = drawn(shown("One title")).tobytes()
    for other in (
        shown("Two titles"),
        shown("One title", topic="Network"),
        shown("One title", authors="Cy Lund"),
        shown("One title", date="2026-05-04"),
        shown("One title", site="The Ember log"),
        shown("One title", authors="", about="How data is kept."),
    ):
        assert drawn(other).tobytes() != plain


def test_the_topic_has_its_color() -> None:
    for degrees in (30, 162, 250):
        image = drawn(shown("A title", topic_hue=degrees)).convert("RGB")
        assert image.getpixel((5, 300)) == rgb(usual("topic"), {"topic": degrees, "accent": 0})


@pytest.mark.parametrize("degrees", range(0, 360, 15))
def test_all_texts_have_enough_contrast(degrees: int) -> None:
    def luminance(name: str) -> float:
        def linear(part: int) -> float:
            value = part / 255
            return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

        red, green, blue = rgb(usual(name), {"topic": degrees, "accent": degrees})
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

    for words in LAYOUT.text:
        assert (luminance("paper") + 0.05) / (luminance(words.color) + 0.05) >= 4.5


@pytest.mark.parametrize("lacking", ["about", "authors"])  # no card has both
def test_boxes_of_texts_do_not_overlap(lacking: str) -> None:
    boxes = [words.box for words in LAYOUT.text if words.field != lacking]
    for index, (left, top, width, height) in enumerate(boxes):
        for other in boxes[index + 1 :]:
            apart_x = left + width <= other[0] or other[0] + other[2] <= left
            apart_y = top + height <= other[1] or other[1] + other[3] <= top
            assert apart_x or apart_y


# -- setting


TITLE = next(words for words in LAYOUT.text if words.field == "title")


def test_a_short_title_is_as_large_as_can_be_and_a_long_one_smaller() -> None:
    sizes = [set_text(TITLE, "word " * count, b"").size for count in (2, 12, 25, 60)]
    assert sizes[0] == TITLE.size[0]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == TITLE.size[1]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=250))
def test_every_title_fits_and_loses_nothing_but_its_end(text: str) -> None:
    if not text.strip():
        return
    lines = set_text(TITLE, text, b"")
    face = face_for(b"", lines.size, text)
    assert 1 <= len(lines.lines) <= TITLE.lines
    assert all(face.length(line) <= TITLE.box[2] for line in lines.lines)
    assert TITLE.size[1] <= lines.size <= TITLE.size[0]
    joined = re.sub(r"\s", "", "".join(lines.lines))
    whole = re.sub(r"\s", "", text)
    assert joined == whole or (joined.endswith("…") and whole.startswith(joined[:-1]))


@pytest.mark.parametrize("separator", ["\u2029", "\u2028", "\x1d", "\x85", "\n", "\t "])
def test_what_separates_paragraphs_is_a_blank(separator: str) -> None:
    """Raqm fails for a text that has nothing else."""
    own = font(letters="\u0627\u0628 ")
    words = "\u0627\u0628{}\u0628"
    assert set_text(TITLE, words.format(separator), own) == set_text(TITLE, words.format(" "), own)


def test_lines_are_even() -> None:
    lines = set_text(TITLE, "Compaction that never stalls again", b"")
    face = face_for(b"", lines.size, "")
    lengths = [face.length(line) for line in lines.lines]
    assert len(lengths) == 2
    assert min(lengths) > 0.5 * max(lengths)


def test_long_identifiers_break_at_their_own_marks() -> None:
    lines = set_text(TITLE, "lumen.config.compaction.automatic_dynamic_shapes_mark_as_is", b"")
    assert len(lines.lines) > 1
    assert all(line[-1] in "._" for line in lines.lines[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("letters", ["حx", "ح x", "x", "ä", "漢"])
def test_what_does_not_fit_is_measured_a_few_times(letters: str, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    length = SizedFont.length
    monkeypatch.setattr(SizedFont, "length", lambda face, text: measured.append(text) or length(face, text))
    lines = set_text(TITLE, letters * (1000 // len(letters)), b"").lines
    assert lines[-1].endswith("…")
    assert sum(map(len, measured)) < 100_000


@pytest.mark.parametrize(("align", "place"), [("left", "top"), ("center", "middle"), ("right", "bottom")])
def test_where_a_text_stands(align: Any, place: Any) -> None:
    words = Words("title", (100, 100, 600, 300), (40, 40), "ink", align=align, place=place)
    layout = Layout({"paper": "#ffffff", "ink": "#000000"}, (), (words,))
    box = drawn(shown("Hx"), layout).convert("L").point(lambda level: 255 - level).getbbox()
    assert box
    x = {"left": box[0] - 100, "center": (box[0] + box[2]) / 2 - 400, "right": 700 - box[2]}[align]
    y = {"top": box[1] - 100, "middle": (box[1] + box[3]) / 2 - 250, "bottom": 400 - box[3]}[place]
    assert abs(x) <= 8
    assert abs(y) <= 16


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["Ada Quill"], "Ada Quill"),
        (["Ada Quill", "Bo Reed"], "Ada Quill and Bo Reed"),
        (["A", "B", "C"], "A, B and C"),
        (["A", "B", "C", "D"], "A, B and 2 others"),
    ],
)
def test_a_byline(names: list[str], text: str) -> None:
    assert listed(names, ENGLISH) == text


# -- letters


def missing(letters: str) -> str:
    return str(look_at_font({"letters": letters}, []).facts["missing"])


def test_what_the_usual_font_can_write() -> None:
    assert not missing("äöüßéèêëçñåøæœÄÖÜÉÇÑÅØÆŁłŠšŽžČčĆćĐđŐőŰűŃńŚśŻżĘęĄąĞğŞşİıÝýÿ“”‘’…–—→×©°")
    assert missing("速報Привет漢عש🚀") == "速報Привет漢عש🚀"


@pytest.mark.parametrize("letter", "äéèêčñåőūżçęĩÍ")
def test_an_accent_is_seen_and_hides_no_letter(letter: str) -> None:
    def ink(text: str) -> Image.Image:
        mask = Image.new("L", (200, 200), 0)
        SizedFont(b"", 80).draw(mask, (60, 130), text, 1)
        return mask

    base = {"ĩ": "i", "Í": "I"}.get(letter) or letter.encode("ascii", "ignore").decode() or _bare(letter)
    with_mark, without = ink(letter), ink(base)
    dark = [sum(image.histogram()[101:]) for image in (with_mark, without)]
    assert dark[0] > dark[1]
    below = with_mark.crop((0, 92, 200, 132))
    assert below.tobytes() == without.crop((0, 92, 200, 132)).tobytes() or letter in "çęåő"


def test_letters_are_composed_in_texts_that_fit_on_cards() -> None:
    face = SizedFont(b"", 40)
    assert face.spelled("e\u0301") == "é"
    assert face.spelled("e\u0301" * 5_000) == "e\u0301" * 5_000


@pytest.mark.slow
@settings(max_examples=150)
@given(st.text("AVTo.,fjiy Wr'“gÅéß", max_size=40), st.integers(20, 112))
def test_letters_stand_where_pillow_puts_them(text: str, size: int) -> None:
    font = ImageFont.truetype(BytesIO(_own()), size, layout_engine=ImageFont.Layout.BASIC)
    face = SizedFont(b"", size)
    text = "".join(letter for letter in face.spelled(text) if face.has(letter))
    assert face.length(text) == font.getlength(text)
    whole, letters = (Image.new("L", (size * 42, size * 2), 0) for _ in range(2))
    ImageDraw.Draw(whole).text((size, size + size // 2), text, 255, font, anchor="ls")
    face.draw(letters, (size, size + size // 2), text, 0)
    assert letters.tobytes() == whole.tobytes()


@pytest.mark.parametrize("size", [30, 60, 112])
def test_bold_letters_have_sharp_corners(size: int) -> None:
    """An I is a rectangle: wider and a little higher when it is bold, and full up to its corners."""
    thin, bold = (_letter(_own(), size, "I", stroke).image for stroke in (0.0, 0.02 * size))
    assert thin
    assert bold
    assert bold.width > thin.width
    assert bold.height - thin.height <= bold.width - thin.width
    inside = bold.crop((1, 1, bold.width - 1, bold.height - 1))
    assert inside.getextrema() == (255, 255)


@pytest.mark.parametrize("count", [2, 15, 16, 17, 256])
def test_a_picture_of_few_colors_survives(count: int) -> None:
    palette = [(place, 255 - place, place * 7 % 256) for place in range(count)]
    image = Image.new("P", (37, 11), 0)
    for place in range(37 * 11):
        image.putpixel((place % 37, place // 37), place * place % count)
    data = indexed_png(image, palette)
    with Image.open(BytesIO(data), formats=["PNG"]) as found:
        found.load()
        colors = found.convert("RGB")
    wanted = [palette[place * place % count] for place in range(37 * 11)]
    assert [colors.getpixel((place % 37, place // 37)) for place in range(37 * 11)] == wanted


@pytest.mark.parametrize("bands", [[20], [9, 3, 9], [3, 9, 3], [8, 7, 8, 40], [1, 9, 1, 9, 1]])
def test_equal_rows_survive(bands: list[int]) -> None:
    """Bands of different rows stand between bands of equal ones, which are compressed once for all images."""
    image = Image.new("P", (37, sum(bands)), 1)
    for place in range(image.width * image.height):
        row = place // image.width
        starts = [sum(bands[:index]) for index in range(len(bands))]
        band = max(index for index, start in enumerate(starts) if start <= row)
        image.putpixel((place % image.width, row), band % 2 if bands[band] >= 8 else place * place % 11)
    data = indexed_png(image, [(shade * 20, shade, shade) for shade in range(12)])
    with Image.open(BytesIO(data), formats=["PNG"]) as found:
        assert found.tobytes() == image.tobytes()
    begin = data.index(b"IDAT") + 4
    rows = zlib.decompress(data[begin : begin + int.from_bytes(data[begin - 8 : begin - 4], "big")])
    assert len(rows) == image.height * (1 + (image.width + 1) // 2)


def _bare(letter: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFD", letter)[0]


# -- a site's cards


def page_of(root: Path, path: str = "storage/2026-05-03-a/index.html") -> str:
    return (root / "public" / path).read_text("utf-8")


def test_a_post_has_a_card_that_its_page_names(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    report = build_site(root)
    assert not report.diagnostics
    with Image.open(root / "public" / PATH) as image:
        assert image.size == (1200, 630)
    page = page_of(root)
    url = f"https://docs.example.org/lumen/{PATH}"
    for line in (
        f'<meta property="og:image" content="{url}">',
        '<meta property="og:image:width" content="1200">',
        '<meta property="og:image:height" content="630">',
        '<meta property="og:image:alt" content="Compaction that never stalls – The Lumen log">',
        f'<meta name="twitter:image" content="{url}">',
        '<meta name="twitter:card" content="summary_large_image">',
    ):
        assert line in page
    assert f'"image": "{url}"' in page
    assert "card.png" not in (root / "public" / "sitemap.xml").read_text("utf-8")


TAGGED = SITE[POST].replace("---\nText", "tags: [wal, 速報]\n---\nText")
NAMED = "---\ntitle: Storage\nimage: a.png\n---\n"


def cards_of(root: Path) -> list[str]:
    return [path for path in read_tree(root / "public") if path.endswith("card.png")]


def image_of(root: Path, page: str) -> str:
    found = re.search('<meta property="og:image" content="https://docs.example.org/lumen/(.*)">', page_of(root, page))
    return found[1] if found else ""


def test_lists_have_cards_and_other_pages_that_of_the_site(tmp_path: Path) -> None:
    plain = {"content/about.md": "---\ntitle: About\nlayout: page\n---\nText.\n"}
    root = write_site(tmp_path, {**SITE, POST: TAGGED, **plain})
    assert not [item for item in build_site(root).diagnostics if item.code == "missing-letters"]
    assert cards_of(root) == sorted([*LISTS, PATH, "tags/wal/card.png"])
    own = {"": "card.png", "storage/": "storage/card.png", "tags/wal/": "tags/wal/card.png"}
    own["authors/adaquill/"] = "authors/adaquill/card.png"
    for page in ("about/", "archive/", "authors/", "tags/", "tags/速報/"):
        own[page] = "card.png"
    assert {page: image_of(root, f"{page}index.html") for page in own} == own
    assert '<meta property="og:image:alt" content="Storage – The Lumen log">' in page_of(root, "storage/index.html")
    assert '<meta property="og:image:alt" content="The Lumen log">' in page_of(root, "index.html")
    assert not image_of(root, "404.html")


def test_further_pages_of_a_list_have_its_card(tmp_path: Path) -> None:
    more = {POST.replace("-a", f"-{place}"): SITE[POST].replace("Compaction", f"{place}") for place in "bcd"}
    root = write_site(tmp_path, {**SITE, **more, "devlog.toml": "page_size = 2\n" + CONFIG})
    build_site(root)
    assert image_of(root, "storage/page/2/index.html") == "storage/card.png"


@pytest.mark.parametrize(
    ("files", "gone", "page", "shown"),
    [
        ({"content/storage/_index.md": NAMED}, "storage/card.png", "storage/", "storage/a.png"),
        ({"content/_index.md": NAMED.replace("a.png", "storage/a.png")}, "card.png", "archive/", "storage/a.png"),
        ({"content/storage/_index.md": NAMED.replace("a.png", "b.png")}, "storage/card.png", "storage/", ""),
        ({"content/_index.md": NAMED.replace("a.png", "storage/b.png")}, "card.png", "archive/", ""),
        (
            {"content/about.md": "---\ntitle: A\nimage: storage/a.png\n---\n"},
            "about/card.png",
            "about/",
            "storage/a.png",
        ),
    ],
    ids=["topic", "home", "missing, topic", "missing, home", "plain page"],
)
def test_a_list_that_names_a_picture(files: dict[str, str], gone: str, page: str, shown: str, tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, **files, "content/storage/a.png": png(8, 8)})
    build_site(root)
    assert cards_of(root) == sorted({*LISTS, PATH} - {gone})
    assert image_of(root, f"{page}index.html") == shown


def test_a_file_in_its_place_is_the_card_of_a_list(tmp_path: Path) -> None:
    own = png(600, 315)
    root = write_site(tmp_path, {**SITE, "content/storage/card.png": own, "static/card.png": own})
    assert not build_site(root).diagnostics
    for page in ("storage/", ""):
        assert (root / "public" / page / "card.png").read_bytes() == own
        assert image_of(root, f"{page}index.html") == f"{page}card.png"
        assert '<meta property="og:image:width" content="600">' in page_of(root, f"{page}index.html")


TOPICS = ("storage/", "storage/wal/", "net/")


@pytest.mark.slow
def test_what_cards_of_lists_say(tmp_path: Path) -> None:
    """The same as cards of posts that say so, so that each text is seen to be drawn."""
    config = CONFIG + "[settings]\naccent = 200\n[authors.adaquill]\nname = 'Ada Quill'\nbio = 'Keeps data.'\n"
    config += "[authors.boreed]\nname = 'Bo Reed'\naffiliation = '東京'\n"
    topics = {
        "content/storage/_index.md": "---\ntitle: Storage\ndescription: On disk.\n---\n",
        "content/storage/wal/_index.md": "---\ntitle: WAL\n---\n",
    }
    topics["content/net/_index.md"] = "---\ntitle: Net\ndescription: 速報 of packets.\n---\n"
    post = TAGGED.replace("author: Ada Quill (@adaquill)", "authors: [adaquill, boreed]")
    files = {**SITE, POST: post, "devlog.toml": 'description = "How it is built."\n' + config, **topics}
    root = write_site(tmp_path, files)
    build_site(root)
    classes = {page: re.findall(r"page-title[^>]* hue-(\d+)", page_of(root, f"{page}index.html")) for page in TOPICS}
    hues = {page: int(number) * 30 + 15 for page, [number] in classes.items()}  # those of the style sheet
    site, plain = "The Lumen log", {"authors": "", "date": "", "topic_hue": 200, "accent_hue": 200}
    expected = {
        "": shown(site, topic="", about="How it is built.", **{**plain, "site": "docs.example.org/lumen"}),
        "storage/": shown("Storage", topic="Topic", about="On disk.", **{**plain, "topic_hue": hues["storage/"]}),
        "storage/wal/": shown("WAL", topic="Storage", **{**plain, "topic_hue": hues["storage/wal/"]}),
        "net/": shown("Net", topic="Topic", **{**plain, "topic_hue": hues["net/"]}),
        "authors/boreed/": shown("Bo Reed", topic="Author", **plain),
        "authors/adaquill/": shown("Ada Quill", topic="Author", about="Keeps data.", **plain),
        "tags/wal/": shown("wal", topic="Tag", **plain),
    }
    for page, said in expected.items():
        with Image.open(root / "public" / page / "card.png") as image:
            assert image.convert("RGB").tobytes() == drawn(said).convert("RGB").tobytes(), page


@pytest.mark.parametrize(
    "files",
    [
        {"devlog.toml": CONFIG.replace("base_url", "copyright")},
        {"devlog.toml": CONFIG + "[cards]\nenabled = false\n"},
        {"content/storage/a.png": png(8, 8), POST: SITE[POST].replace("---\nText", "image: a.png\n---\nText")},
    ],
    ids=["no address", "off", "a picture of its own"],
)
def test_who_has_no_card(files: dict[str, str | bytes], tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, **files})
    assert not build_site(root).failed
    assert not (root / "public" / PATH).exists()
    assert "og:image:width" not in page_of(root)


def test_a_draft_has_no_card(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, POST: SITE[POST].replace("---\nText", "draft: true\n---\nText")})
    assert not build_site(root, drafts=True).failed
    assert "og:image" not in page_of(root)
    assert not (root / "public" / PATH).exists()


def test_a_file_in_its_place_is_the_card(tmp_path: Path) -> None:
    files = {name: text for name, text in SITE.items() if name != POST}
    files["content/storage/2026-05-03-a/index.md"] = SITE[POST]
    root = write_site(tmp_path, {**files, "content/storage/2026-05-03-a/card.png": png(640, 320)})
    report = build_site(root)
    assert not report.diagnostics
    assert (root / "public" / PATH).read_bytes() == png(640, 320)
    assert '<meta property="og:image:width" content="640">' in page_of(root)


def test_permalinks() -> None:
    assert card_permalink("/storage/a/") == "/storage/a/card.png"
    assert card_permalink("/2026/a.html") == "/2026/a.card.png"


def messages(found: tuple[Diagnostic, ...]) -> list[tuple[str, str, int, str]]:
    return [(item.code, item.severity, item.span.line, item.message) for item in found]


@pytest.mark.slow
def test_letters_that_cannot_be_written_are_told_once_at_the_title(tmp_path: Path) -> None:
    other = "content/storage/2026-05-04-b.md"
    root = write_site(
        tmp_path,
        {
            **SITE,
            POST: SITE[POST].replace("that never", "速報 速"),
            other: SITE[POST].replace("Compaction that never stalls", "速報"),
        },
    )
    expected = [
        (
            "missing-letters",
            "warning",
            2,
            "the font of social cards has no glyphs for “速報”: they are left out of the card",
        ),
        (
            "missing-letters",
            "warning",
            2,
            "the font of social cards has no glyphs for “速報”: there is no card",
        ),
    ]
    report = build_site(root)
    assert messages(report.diagnostics) == expected
    assert "cards.font" in report.diagnostics[0].hint
    assert "og:image" in page_of(root)
    assert not (root / "public" / PATH.replace("03-a", "04-b")).exists()
    again = build_site(root)
    assert again.rendered == 0
    assert messages(again.diagnostics) == expected
    assert messages(build_site(root, cache=False).diagnostics) == expected


@pytest.mark.slow
def test_a_changed_title_or_layout_makes_cards_anew(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    build_site(root)
    assert build_site(root).written == ()
    (root / POST).write_text(SITE[POST].replace("Text", "More text"), "utf-8")
    assert PATH not in build_site(root).written
    (root / POST).write_text(SITE[POST].replace("never", "seldom"), "utf-8")
    assert PATH in build_site(root).written
    layout = (built_in_themes() / "default" / "templates" / "card.toml").read_text("utf-8")
    write_site(root, {"templates/card.toml": layout.replace("[0, 0, 28, 630]", "[0, 0, 20, 630]")})
    assert set(build_site(root).written) == {PATH, *LISTS}
    with Image.open(root / "public" / PATH) as image:
        assert image.convert("RGB").getpixel((24, 300)) == image.convert("RGB").getpixel((40, 300))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = [", "this is not valid TOML: "),
        ("[colors]\nink = '#000000'\n", "there is no color “paper” among “colors”"),
        ("[colors]\npaper = ['paper', '#ffffff']\n", "“paper” is none of the brand's colors background, text, soft"),
        ("[colors]\npaper = 'white'\n", "“white” is no color such as “#15201c”"),
        ("[colors]\npaper = '#ffffff'\n[[shape]]\nbox = [0, 0, 1201, 1]\ncolor = 'paper'\n", "is not inside a card"),
        ("[colors]\npaper = '#ffffff'\n[[text]]\nfield = 'tilte'\n", "invalid enum value 'tilte'"),
        ("[colors]\npaper = '#ffffff'\n[[shape]]\nbox = [0, 0, 1, 1]\ncolour = 'x'\n", "unknown field `colour`"),
        (
            "[colors]\npaper = '#ffffff'\n[[text]]\nfield = 'site'\nbox = [0, 0, 9, 9]\nsize = [9, 90]\ncolor='paper'",
            "has a size, weight or leading that cannot be set",
        ),
    ],
)
def test_a_layout_that_cannot_be_drawn(text: str, reason: str, tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, "templates/card.toml": text})
    report = build_site(root)
    (problem,) = report.diagnostics
    assert (problem.code, problem.span.path) == ("bad-card-layout", "templates/card.toml")
    assert reason in (problem.message[0].lower() + problem.message[1:]).replace("Invalid", "invalid").replace(
        "Object contains", "object contains"
    )
    assert not (root / "public").exists()


def test_a_layout_of_ones_own(tmp_path: Path) -> None:
    documented = re.search(
        r'```toml title="card.toml"\n(.*?)```', (ROOT / "docs" / "cards.md").read_text("utf-8"), re.DOTALL
    )
    assert documented
    root = write_site(tmp_path, {**SITE, "templates/card.toml": documented[1]})
    assert not build_site(root).diagnostics
    with Image.open(root / "public" / PATH) as image:
        assert image.convert("RGB").getpixel((1, 1)) == (0x10, 0x20, 0x1C)


ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_a_font_and_a_background_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import ImageFont

    font = ImageFont.load_default(20)
    assert isinstance(font, ImageFont.FreeTypeFont)
    out = BytesIO()
    Image.new("RGB", (2400, 400), (10, 60, 110)).save(out, "PNG")
    files = {"fonts/own.otf": font.font_bytes, "pictures/sea.png": out.getvalue()}
    config = CONFIG + '[cards]\nfont = "fonts/own.otf"\nbackground = "pictures/sea.png"\n'
    root = write_site(tmp_path, {**SITE, **files, "devlog.toml": config})
    assert not build_site(root).diagnostics
    with Image.open(root / "public" / PATH) as image:
        assert image.size == (1200, 630)
        red, green, blue = image.convert("RGB").getpixel((1190, 300))
        assert abs(red - 10) + abs(green - 60) + abs(blue - 110) < 30
    assert build_site(root).written == ()
    out = BytesIO()
    Image.new("RGB", (2400, 400), (110, 60, 10)).save(out, "PNG")
    write_site(root, {"pictures/sea.png": out.getvalue()})
    assert set(build_site(root).written) == {PATH, *LISTS}
    monkeypatch.setattr("PIL._imaging.zlib_version", "1.0")  # below Pillow, whose own version is the same
    codecs.cache_clear()
    image_libraries.cache_clear()
    again = build_site(root)
    codecs.cache_clear()
    image_libraries.cache_clear()
    assert not again.written
    assert again.rendered == len({PATH, *LISTS})


@pytest.mark.parametrize(
    ("key", "file", "data", "reason"),
    [
        ("font", "fonts/none.ttf", None, "cannot be used for social cards"),
        ("font", "fonts/x.ttf", b"no font", "it is not a readable font"),
        ("background", "x.png", b"no picture", "it is not a PNG, JPEG, WebP or AVIF"),
        ("background", "x.png", png(9000, 9000), "it has more than 40 megapixels"),
        ("background", "x.png", png(900, 900)[:-40], "it is damaged or truncated"),
        ("font", "../x.ttf", None, "cannot be read: it is not in the site's folder"),
    ],
)
def test_files_that_cannot_be_used(key: str, file: str, data: bytes | None, reason: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": f'{CONFIG}[cards]\n{key} = "{file}"\n'})
    if data:
        write_site(root, {file: data})
    (problem,) = build_site(root).diagnostics
    assert (problem.code, problem.span.path, problem.span.line) == ("bad-card-file", "devlog.toml", 6)
    assert reason in problem.message


def damaged(data: bytes) -> bytes:
    """A font that opens, and whose letters cannot be drawn."""
    glyphs = TTFont(BytesIO(data)).reader.tables["glyf"]
    return data[: glyphs.offset] + b"\x7f" * glyphs.length + data[glyphs.offset + glyphs.length :]


@pytest.mark.feature("brand")
@pytest.mark.parametrize("config", ['[cards]\nfont = "static/x.ttf"\n', '[brand.fonts]\ntext = "static/x.ttf"\n'])
def test_a_font_that_fails_when_letters_are_drawn(tmp_path: Path, config: str) -> None:
    files = {**SITE, "devlog.toml": f"{CONFIG}{config}", "static/x.ttf": damaged(font())}
    report = build_site(write_site(tmp_path / "site", files))
    assert report.failed
    assert {item.code for item in report.diagnostics} <= {"bad-card-file", "unusable-brand-file"}
    assert "“static/x.ttf” cannot be used" in report.diagnostics[0].message


def test_a_letter_that_fails_in_one_size_is_drawn_in_another_font(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(_shown: object, _layout: object, fonts: draw.Fonts, _background: bytes) -> bytes:
        if fonts.regular:
            raise OSError("too many instruction definitions")
        return b"drawn"

    monkeypatch.setattr(draw, "_drawn", drawn)
    target = Target("a.png", "card", "", {"layout": [None], "card": None, "font": Blob("x")})
    assert draw.card(target, Resources(Theme("", ()), {}, {"x": b"font"})) == b"drawn"


def test_a_font_that_is_no_file_of_the_site_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_data: bytes, _size: int) -> SizedFont:
        raise OSError("there is no FreeType")

    monkeypatch.setattr("devlog.features.social_cards.render.font_fallback.SizedFont", refuse)
    (problem,) = build_site(write_site(tmp_path / "site", SITE)).diagnostics
    assert problem.code == "bad-card-file"
    assert problem.message.startswith("“Pillow's built-in font” cannot be used for social cards: ")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such limit")
def test_where_nothing_can_be_written_no_card_is_blamed(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    command = [sys.executable, "-m", "devlog", "build", "--no-search", "--root", str(root)]
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command], capture_output=True, text=True, check=False
    )
    assert re.findall(r".*error\[.*", done.stdout + done.stderr) == [
        "public/index.html: error[cannot-write]: cannot be written: too large for this file system"
    ]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("", "without-cards"),
        ("[cards]\nenabled = true\n", "no-cards"),
        ('[cards]\nfont = "x.ttf"\n', "no-cards"),
        ('[cards]\nbackground = "x.png"\n', "no-cards"),
    ],
)
def test_without_pillow(asked: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "version", lambda _name: "")
    root = write_site(tmp_path, {**SITE, "devlog.toml": CONFIG + asked})
    report = build_site(root)
    (problem,) = report.diagnostics
    assert (problem.code, problem.severity) == (code, "warning" if asked else "info")
    assert "pip install Pillow" in problem.hint
    assert "og:image" not in page_of(root)
    assert build_site(root, strict=True).failed == bool(asked)


def test_pictures_are_cut_to_the_size_of_a_card() -> None:
    (data,) = look_at_picture({}, [png(3000, 100)]).blobs
    assert Image.open(BytesIO(data)).size == (WIDTH, HEIGHT)


def written(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def test_a_picture_that_its_decoder_fails_on_is_damaged() -> None:
    data = bytearray(written(Image.effect_noise((300, 200), 50).convert("RGB"), "AVIF"))
    pixels = data.index(b"mdat") + 4
    data[pixels : pixels + 40] = b"\xff" * 40
    assert look_at_picture({}, [bytes(data)]).problem == "it is damaged or truncated"


def test_pictures_are_turned_as_in_pages_and_those_that_move_stand_still() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    red = Image.new("RGB", (400, 400), "red")
    red.paste("blue", (0, 0, 400, 200))  # on the right when it is turned
    moving = {"save_all": True, "append_images": [Image.new("RGB", (400, 400), "green")], "lossless": True}
    for data in (written(red, "JPEG", exif=exif), written(red.rotate(-90), "WEBP", **moving)):
        (cut,) = look_at_picture({}, [data]).blobs
        left, right = (Image.open(BytesIO(cut)).getpixel((x, HEIGHT // 2)) for x in (100, WIDTH - 100))
        assert left[0] > left[2] + 200  # type: ignore[index, operator]
        assert right[2] > right[0] + 200  # type: ignore[index, operator]


def test_letters_of_titles_are_told_where_these_are(tmp_path: Path) -> None:
    files = {
        "devlog.toml": 'base_url = "https://docs.example.org/"\ntitle = "速報"\nsearch.enabled = false\n',
        "content/storage/_index.md": "---\ntitle: 倉庫\n---\n",
        "content/storage/2026-05-03-a.md": "---\ntitle: Pages\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
        "content/storage/2026-05-04-b.md": "---\ntitle: More pages\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
    }
    report = build_site(write_site(tmp_path, files))
    found = [item for item in report.diagnostics if item.code == "missing-letters"]
    assert [(item.span.path, item.span.line) for item in found] == [
        ("content/storage/_index.md", 2),
        ("devlog.toml", 2),
    ]
    assert "速報" in found[1].message
