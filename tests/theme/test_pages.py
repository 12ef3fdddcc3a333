"""What stands on the pages of the default theme: views become HTML that people and programs can read."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html
from quality.showcase import sound
from reading_site import reading_site
from sites import build_site, write_site

Page = html.HtmlElement


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_site(tmp_path_factory.mktemp("pages"), reading_site())
    build_site(root)
    return root / "public"


def read(published: Path, path: str) -> Page:
    return html.fromstring((published / path / "index.html").read_text("utf-8"))


def words(element: Page) -> str:
    return " ".join(element.text_content().split())


def one(page: Page, path: str) -> Page:
    found = page.xpath(path)
    assert len(found) == 1, f"{path}: {len(found)}"
    return found[0]


@pytest.mark.slow
def test_a_byline_has_pictures_or_initials_and_is_a_card(published: Path) -> None:
    ada, bo = read(published, "storage/2026-06-01-format").xpath("//ul[@class='bylines']/li")
    assert ada.get("class") == bo.get("class") == "p-author h-card"
    assert one(ada, ".//img").get("alt") == ""
    assert "u-photo" in one(ada, ".//img").get("class")
    assert {one(ada, ".//img").get(side) for side in ("width", "height")} == {"40"}
    initials = one(bo, "./span[contains(@class, 'avatar')]")
    assert initials.text == "BR"
    assert initials.get("aria-hidden") == "true"
    assert "hue-" in initials.get("class")
    assert one(bo, ".//a[@class='p-name u-url']").text == "Bo Reed"
    assert one(bo, ".//span[contains(@class, 'p-nickname')]").text == "@boreed"


def test_a_series_names_its_parts_and_this_one(published: Path) -> None:
    series = one(read(published, "storage/2026-06-01-format"), "//nav[@class='series']")
    assert words(one(series, ".//summary")) == "Part 2 of 2 Inside the log"
    parts = series.xpath(".//li/a")
    assert [part.text for part in parts] == ["Records that know their length", "A format for the log"]
    assert [part.get("aria-current") for part in parts] == [None, "page"]
    assert not read(published, "planner/2025-02-01-joins").xpath("//nav[@class='series']")


def test_related_logs_come_after_the_text(published: Path) -> None:
    related = one(
        read(published, "storage/2026-06-01-format"), "//article/following-sibling::div/section[@class='related']"
    )
    titles = [words(link) for link in related.xpath(".//li//a[contains(@class, 'p-name')]")]
    assert titles
    assert "A format for the log" not in titles


def test_the_parts_of_a_post_keep_their_names_for_programs(published: Path) -> None:
    page = read(published, "storage/2026-06-01-format")
    entry = one(page, "//article[@class='post h-entry']")
    for name in ("p-name", "dt-published", "dt-updated", "e-content", "u-url"):
        assert entry.xpath(f".//*[contains(concat(' ', @class, ' '), ' {name} ')]"), name
    nested = "ancestor::*[contains(@class, 'h-entry') or contains(@class, 'h-card')][1]"
    assert one(entry, ".//time[@class='dt-published']").xpath(nested) == [entry]


def test_a_calendar_tells_the_same_to_eyes_and_ears(published: Path) -> None:
    page = read(published, "authors/boreed")
    drawing = one(page, "//figure[@class='calendar']/svg")
    assert drawing.get("aria-hidden") == "true"
    assert not drawing.xpath(".//@style")
    assert drawing.xpath(".//text[not(@class)]/text()") == ["2026", "2025"]
    assert len(drawing.xpath(".//text[@class]")) == 12
    months = drawing.xpath(".//rect/title/text()")
    assert months == ["June 2026: 1 log", "November 2025: 1 log"]
    assert words(one(page, "//figure[@class='calendar']/figcaption")) == "2026: 1 log, 2025: 1 log"
    empty = sum(path.get("d").count("M") for path in drawing.xpath(".//path"))
    assert empty + len(months) == 24


def test_the_squares_of_a_calendar_stand_in_their_rows(published: Path) -> None:
    drawing = one(read(published, "authors/boreed"), "//figure[@class='calendar']/svg")
    june, november = drawing.xpath(".//rect")
    letters = [int(text.get("x")) for text in drawing.xpath(".//text[@class]")]
    assert int(june.get("x")) < letters[5] < int(june.get("x")) + 13
    assert int(november.get("x")) < letters[10] < int(november.get("x")) + 13
    assert int(june.get("y")) < int(november.get("y")) < int(drawing.get("viewbox").split()[3])


def test_the_archive_has_a_bar_for_each_month_with_logs(published: Path) -> None:
    figure = one(read(published, "archive"), "//figure[@class='sparkline']")
    bars = one(figure, ".//path").get("d")
    assert bars.count("M") == 4
    months = 17  # February 2025 to June 2026
    assert one(figure, "./svg").get("viewbox") == f"0 0 {4 * months} 40"
    assert bars.startswith("M0 40")
    assert f"M{4 * (months - 1)} 40" in bars
    assert words(one(figure, "./figcaption")) == "Feb 2025 up to 1 log a month Jun 2026"


def test_an_author_has_links_and_dates(published: Path) -> None:
    page = read(published, "authors/adaquill")
    facts = [words(fact) for fact in page.xpath("//dl[@class='facts']/div")]
    assert facts[0] == "Posts 2, from May 1, 2026 to Jun 1, 2026"
    assert "Elsewhere Talks" in facts
    assert one(page, "//a[@rel='me']").get("href") == "https://talks.example.org/ada"
    assert one(page, "//header//img[contains(@class, 'avatar')]").get("width") == "96"


@pytest.mark.parametrize(
    ("language", "direction"), [("en", None), ("ar", "rtl"), ("he-IL", "rtl"), ("arn", None), ("FA", "rtl")]
)
def test_the_direction_follows_from_the_language(tmp_path: Path, language: str, direction: str | None) -> None:
    files = {"devlog.toml": f'language = "{language}"\n', "content/about.md": "---\ntitle: About\n---\n"}
    root = write_site(tmp_path, files)
    build_site(root)
    assert read(root / "public", "about").get("dir") == direction


@pytest.mark.parametrize(
    ("setting", "words"), [('"violet"', "300"), ("235", "200 30 5"), ('"#888"', "grey"), ('"none"', "")]
)
def test_the_accent_is_said_in_words(tmp_path: Path, setting: str, words: str) -> None:
    files = {"devlog.toml": f"[settings]\naccent = {setting}\n", "content/about.md": "---\ntitle: About\n---\n"}
    root = write_site(tmp_path, files)
    build_site(root)
    assert read(root / "public", "about").get("data-accent") == words


def test_scripts_are_only_where_they_are_needed(published: Path) -> None:
    def scripts(path: str) -> set[str]:
        return {src.partition("?")[0].rpartition("/")[2] for src in read(published, path).xpath("//script/@src")}

    assert "reading.js" in scripts("storage/2026-06-01-format")
    assert "reading.js" not in scripts("planner/2025-02-01-joins")
    assert {"reading.js", "code.js"}.isdisjoint(scripts("archive") | scripts("authors/boreed") | scripts("."))


def test_only_the_choice_of_light_or_dark_blocks(published: Path) -> None:
    for file in sorted(published.rglob("*.html")):
        for script in html.fromstring(file.read_text("utf-8")).xpath("//script[@src]"):
            if "theme.js" not in script.get("src"):
                assert "defer" in script.attrib, f"{file.name}: {script.get('src')}"


SUCCESSION = {
    "content/talks/_index.md": "---\ntitle: Lumen Radio\npodcast:\n  author: Ada Quill\n---\n",
    "content/talks/one.md": "---\ntitle: One\n---\nText.\n",
    "content/talks/two.md": "---\ntitle: Two\n---\nText.\n",
    "content/talks/three.md": (
        "---\ntitle: Three\nsupersedes: [one.md, two.md]\naudio:\n  file: three.wav\n  duration: 2\n---\nText.\n"
    ),
    "content/talks/three.wav": sound(2),
}


@pytest.mark.feature("episodes", "supersession")
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_a_show_names_its_feed_and_a_successor_all_that_it_replaces(tmp_path: Path, theme: str) -> None:
    config = f'title = "Lumen"\nbase_url = "https://lumen.example/"\ntheme = "{theme}"\ncards.enabled = false\n'
    build_site(write_site(tmp_path, {"devlog.toml": config, **SUCCESSION}))
    feed = one(read(tmp_path / "public", "talks"), "//main//a[@href='/talks/podcast.xml']")
    assert feed.text == "Podcast feed"
    post = read(tmp_path / "public", "talks/three")
    links = post.xpath("//main//a[@rel='predecessor-version']")
    assert words(links[0].getparent()) == "Supersedes One, Two"
