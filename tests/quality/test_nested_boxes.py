"""Boxes that others crowd: beside an image that text flows around, and deep inside of lists and quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sites import build_site, write_site

from quality.browsing import tab
from quality.server import serving
from quality.showcase import picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BOXES = {
    "alert": "> [!NOTE]\n> A note of some words beside the image.",
    "quote": "> A quote of some words beside the image.",
    "details": "<details><summary>More</summary>\n\nText.\n\n</details>",
    "embed": '{{< youtube id="dQw4w9WgXcQ" title="How pages are split" >}}',
    "poster": '{{< youtube id="dQw4w9WgXcQ" title="How pages are split" poster="a.png" >}}',
}
_BESIDE = "![An image](a.png){{.{side}}}\n\nOne line.\n\n{box}\n"


def _steps(mark: str) -> str:
    return "".join(f"{' ' * len(mark) * level}{mark}some words of level {level}\n" for level in range(30))


DEEP = {
    "items": _steps("- "),
    "numbers": _steps("1. "),
    "tasks": "".join(f"{'  ' * level}- [ ] some words of level {level}\n" for level in range(30)),
    "quotes": "> " * 60 + "some words",
    "both": "> - " * 20 + "some words",
    "html": f"{'<ul><li>some words' * 60}{'</li></ul>' * 60}\n",
    "terms": f"{'<dl><dt>term</dt><dd>some words' * 60}{'</dd></dl>' * 60}\n",
}


def _served(root: Path, theme: str) -> Iterator[str]:
    posts = {
        f"{name}-{side}": _BESIDE.format(side=side, box=BOXES[name]) for name in BOXES for side in ("left", "right")
    }
    files: dict[str, str | bytes] = {
        "devlog.toml": f'base_url = "/"\ntheme = "{theme}"\ncards.enabled = false\n',
        "content/a.png": picture(900, 700),
    }
    for name, text in (posts | DEEP).items():
        files[f"content/{name}.md"] = f"---\ntitle: A post\ndate: 2026-06-02\n---\n{text}"
    write_site(root, files)
    build_site(root)
    with serving(root / "public", "/") as url:
        yield url


@pytest.fixture(scope="module")
def default(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served(tmp_path_factory.mktemp("default"), "default")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _served(tmp_path_factory.mktemp("paper"), "paper")


_OVERLAP = """() => {
  const [image, box] = [".prose img", ".prose :is(.markdown-alert, blockquote, details, .embed)"].map(
    (one) => document.querySelector(one).getBoundingClientRect());
  return [Math.min(image.right, box.right) - Math.max(image.left, box.left),
    Math.min(image.bottom, box.bottom) - Math.max(image.top, box.top)].every((length) => length > 0.5);
}"""


@pytest.mark.parametrize("width", [700, 1280])
@pytest.mark.parametrize("side", ["left", "right"])
def test_no_frame_lies_under_an_image_beside_it(browser: Browser, default: str, side: str, width: int) -> None:
    with tab(browser, default, width=width) as opened:
        for name in BOXES:
            opened.open(f"{name}-{side}/")
            assert not opened.page.evaluate(_OVERLAP), name


_ROOM = """() => [...document.querySelectorAll(":is(.prose, .text) :is(li, dd, blockquote)")].map((box) => {
  const { paddingLeft, paddingRight, fontSize } = getComputedStyle(box);
  return (box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)) / parseFloat(fontSize);
})"""


@pytest.mark.parametrize("theme", ["default", "paper"])
def test_what_is_nested_deeply_is_as_wide_as_some_words(
    browser: Browser, theme: str, request: pytest.FixtureRequest
) -> None:
    with tab(browser, request.getfixturevalue(theme), width=390) as opened:
        for name in DEEP:
            opened.open(f"{name}/")
            assert opened.page.evaluate("() => document.documentElement.scrollWidth") == 390, name
            found = opened.page.evaluate(_ROOM)
            assert len(found) >= 30, name
            assert min(found) > 6.5, name  # about a dozen characters
