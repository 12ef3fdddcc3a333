"""Every text stands out from what is behind it, whatever the mode, the accent and the topic: measured in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest
from quality.browsing import SCHEMES, tab
from reading_site import PAGES

from devlog.model.color import NAMED_HUES, accent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

Scheme = Literal["light", "dark"]
LEAST = 4.5
HUES = [*range(0, 360, 10), *NAMED_HUES, "#8899aa", "#777777"]

_MEASURE = """
() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const rgba = (text) => {
    if (!known.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const faded = (color, opacity) => [color[0], color[1], color[2], color[3] * opacity];
  const light = (color) => {
    const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = color.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  /* What is behind an element, and how much of what it paints is seen. */
  const behind = (element) => {
    const chain = [];
    for (let at = element; at; at = at.parentElement) { chain.unshift(getComputedStyle(at)); }
    let paint = rgba("canvas"), opacity = 1;
    for (const style of chain) {
      opacity *= Number(style.opacity);
      paint = over(faded(rgba(style.backgroundColor), opacity), paint);
    }
    return [paint, opacity];
  };
  const found = [];
  let counted = 0;
  const look = (element, color, what) => {
    const [paint, opacity] = behind(element);
    const reached = contrast(over(faded(rgba(color), opacity), paint), paint);
    counted += 1;
    if (reached < LEAST) { found.push(`${reached.toFixed(2)} ${what}`); }
  };
  for (const item of document.querySelectorAll(".anchor")) { item.style.opacity = 1; }
  for (const item of document.querySelectorAll("details")) { item.open = true; }
  for (const element of document.querySelectorAll("body *")) {
    const style = getComputedStyle(element);
    const name = `${element.tagName}.${element.getAttribute("class") || ""}`;
    const shown = element.checkVisibility({visibilityProperty: true});
    if (!shown || element.closest(".visually-hidden, title, script")) { continue; }
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    if (own.length) {
      look(element, element.closest("svg") ? style.fill : style.color, `${name} “${own[0].data.trim().slice(0, 30)}”`);
    }
    for (const part of ["::before", "::after"]) {
      const style = getComputedStyle(element, part);
      const isText = !["none", "normal", '""'].includes(style.content) && style.display !== "none";
      if (isText) { look(element, style.color, name + part); }
    }
  }
  const ink = rgba(getComputedStyle(document.body).color);
  const chosen = rgba(getComputedStyle(document.body, "::selection").backgroundColor);
  if (contrast(ink, over(chosen, behind(document.body)[0])) < LEAST) {
    found.push("::selection");
  }
  return {found: [...new Set(found)], counted};
}
""".replace("LEAST", str(LEAST))


def faint(page: Page) -> list[str]:
    """Texts that do not stand out, with the contrast that they reach."""
    said: dict[str, Any] = page.evaluate(_MEASURE)
    assert said["counted"] > 15
    found: list[str] = said["found"]
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_text_stands_out_on_every_page(browser: Browser, home: str, scheme: Scheme) -> None:
    found: list[str] = []
    with tab(browser, home, scheme=scheme) as opened:
        for name, path in PAGES.items():
            opened.open(path)
            found += [f"{name}: {line}" for line in faint(opened.page)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_text_stands_out_with_every_accent(browser: Browser, home: str, scheme: Scheme) -> None:
    found: list[str] = []
    seen = set()
    with tab(browser, home, scheme=scheme) as opened:
        opened.open(PAGES["post"])
        for setting in HUES:
            words = accent(setting)
            assert words
            opened.page.evaluate("words => document.documentElement.setAttribute('data-accent', words)", words)
            seen.add(opened.page.evaluate("getComputedStyle(document.querySelector('.prose a')).color"))
            found += [f"{setting}: {line}" for line in faint(opened.page)]
    assert not found, "\n".join(found)
    assert len(seen) >= 36  # each hue is another color


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_topics_and_initials_stand_out(browser: Browser, home: str, scheme: Scheme) -> None:
    found: list[str] = []
    rename = """number => document.querySelectorAll("[class*='hue-']").forEach((item) => {
        item.className = item.className.replace(/hue-\\d+/, `hue-${number}`);
    })"""
    with tab(browser, home, scheme=scheme) as opened:
        for name in ("home", "authors", "archive"):
            opened.open(PAGES[name])
            for number in range(12):
                opened.page.evaluate(rename, number)
                found += [f"{name}, hue {number}: {line}" for line in faint(opened.page)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_measure_sees_what_is_faint(browser: Browser, home: str, scheme: Scheme) -> None:
    faded = "document.querySelector('.prose p').style.opacity = 0.4"
    with tab(browser, home, scheme=scheme) as opened:
        opened.open(PAGES["post"])
        opened.page.evaluate(faded)
        assert any(" P. " in line for line in faint(opened.page))


def test_more_contrast_and_forced_colors_are_heeded(browser: Browser, home: str) -> None:
    soft = "getComputedStyle(document.querySelector('.site-nav a')).color"
    ink = "getComputedStyle(document.body).color"
    with tab(browser, home) as opened:
        opened.open(PAGES["post"])
        assert opened.page.evaluate(soft) != opened.page.evaluate(ink)
        opened.page.emulate_media(contrast="more")
        assert opened.page.evaluate(soft) == opened.page.evaluate(ink)
        opened.page.emulate_media(contrast="no-preference", forced_colors="active")
        opened.page.evaluate("document.getElementById('checksums').scrollIntoView()")
        opened.page.wait_for_selector(".toc [aria-current]")
        sides = "link => getComputedStyle(link).borderInlineStartColor"
        marked = opened.page.locator(".toc [aria-current]").evaluate(sides)
        assert marked != opened.page.locator(".toc a:not([aria-current])").first.evaluate(sides)
