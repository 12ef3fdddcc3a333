"""What a browser makes of the choice of pictures that a page gives it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from photos import jpeg, photo, site, written
from quality.browsing import SCHEMES, chromium, tab
from quality.server import serving
from sites import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

TEXT = """
![a photo](a.jpg)

A picture ![inside](small.png) and ![another](b.jpg) in text.

![a chart](chart.png)

<img src="a.jpg" alt="raw">

{{< figure src="b.jpg" alt="far below" caption="A caption" class="center" >}}
"""
PATH = "storage/2026-05-01-a/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pictures = {
        "a.jpg": jpeg(1600, 900),
        "b.jpg": jpeg(1600, 900, 2),
        "small.png": written(photo(40, 20), "PNG"),
        "chart.png": written(photo(500, 300), "PNG"),
        "chart.dark.png": written(photo(500, 300, 2), "PNG"),
    }
    root = site(tmp_path_factory.mktemp("pictures"), pictures, TEXT)
    assert not build_site(root).failed
    with serving(root / "public", "/lumen/") as url:
        yield url


def shown(browser: Browser, address: str, width: int, **more: Any) -> list[dict[str, Any]]:
    """What a browser has loaded and shows once it has scrolled over the page."""
    context = browser.new_context(viewport={"width": width, "height": 800}, **more)
    try:
        page = context.new_page()
        page.goto(f"{address}{PATH}")
        page.evaluate(
            """async () => {
              for (const image of document.querySelectorAll(".prose img")) {
                image.scrollIntoView();
                if (image.checkVisibility() && !image.complete) {
                  await new Promise((done) => image.addEventListener("load", done, {once: true}));
                }
              }
            }"""
        )
        found: list[dict[str, Any]] = page.evaluate(
            """() => [...document.querySelectorAll(".prose img")].map((image) => ({
              alt: image.alt, source: image.currentSrc.replace(/.*[/]/, ""), visible: image.checkVisibility(),
              width: image.clientWidth, height: image.clientHeight, natural: image.naturalWidth,
              display: getComputedStyle(image).display,
            }))"""
        )
        return found
    finally:
        context.close()


def named(images: list[dict[str, Any]], alt: str) -> list[dict[str, Any]]:
    return [image for image in images if image["alt"] == alt]


@pytest.mark.parametrize(("width", "scale", "ending"), [
    (390, 2, "-800.webp"),
    (390, 3, "-1200.webp"),
    (1280, 1, "-800.webp"),
    (1280, 2, "-1600.webp"),
])  # fmt: skip
def test_a_browser_loads_what_it_needs(browser: Browser, address: str, width: int, scale: int, ending: str) -> None:
    images = shown(browser, address, width, device_scale_factor=scale)
    for alt in ("a photo", "raw", "far below"):
        (image,) = named(images, alt)
        assert image["source"].endswith(ending), alt
        assert image["width"] <= width
        assert image["height"] == pytest.approx(image["width"] * 9 / 16, abs=1)


PAIR = """() => [...document.querySelectorAll(".prose img[alt='a chart']")].map((image) => ({
  name: image.getAttribute("src").replace(/.*[/]/, ""), visible: image.checkVisibility(), source: image.currentSrc
}))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_pair_follows_the_system_and_the_switch(
    browser: Browser, address: str, scheme: Literal["light", "dark"]
) -> None:
    other = "light" if scheme == "dark" else "dark"
    names = {"light": "chart.png", "dark": "chart.dark.png"}
    for stored, mode in (("", scheme), (other, other)):
        with tab(browser, address, scheme=scheme) as opened:
            if stored:
                opened.page.add_init_script(f"localStorage.setItem('devlog-theme', '{stored}')")
            opened.open(PATH)
            opened.page.locator(f".only-{mode} img").scroll_into_view_if_needed()
            opened.page.wait_for_load_state("networkidle")
            pair = opened.page.evaluate(PAIR)
            assert [image["name"] for image in pair if image["visible"]] == [names[mode]]
            asked = {image["name"] for image in pair if image["source"] in opened.asked}
            assert asked == {names[mode]}, "what is hidden is not asked for"


def test_without_a_script_a_pair_follows_the_system(browser: Browser, address: str) -> None:
    for scheme in SCHEMES:
        with tab(browser, address, scheme=scheme, script=False) as opened:
            opened.open(PATH)
            assert opened.page.locator(f".only-{scheme} img").is_visible()
            assert opened.page.locator(".prose img[alt='a chart'] >> visible=true").count() == 1


def test_nothing_moves_while_pictures_come(browser: Browser, tmp_path: Path) -> None:
    pictures = {"a.jpg": jpeg(1600, 900), "b.jpg": jpeg(1600, 900, 2)}
    root = site(tmp_path, pictures, TEXT.replace("small.png", "b.jpg").replace("chart.png", "a.jpg"))
    build_site(root)
    slow = {".css": 0.08, ".webp": 0.16, ".jpg": 0.16}
    with serving(root / "public", "/lumen/", slow) as url, tab(browser, url, width=390) as opened:
        opened.open_whole(PATH)
        opened.page.mouse.wheel(0, 3000)
        opened.page.wait_for_load_state("networkidle")
        heard = opened.heard()
        assert heard["shift"] == 0, heard["shifts"]
        assert any(asked.endswith(".webp") for asked in opened.asked)


def test_a_picture_among_words_stays_there(browser: Browser, address: str) -> None:
    images = {image["alt"]: image["display"] for image in shown(browser, address, 1280)}
    assert [images[alt] for alt in ("a photo", "raw", "inside", "another")] == ["block", "block", "inline", "inline"]
