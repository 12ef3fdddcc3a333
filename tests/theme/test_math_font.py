"""The font of formulas: published with formulas alone, loaded by readers who have no such font, and stretching."""

from __future__ import annotations

import gc
import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from quality.server import serving
from sites import build_site, write_site

from devlog.features.math_font.derive import derive, subset

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FILES: dict[str, str | bytes] = {
    "devlog.toml": 'base_url = "/log/"\n[search]\nenabled = false\n',
    "content/2026-05-01-a.md": "---\ntitle: A\n---\n$$\\sqrt{\\frac{\\frac{a}{b}}{c}}$$\n",
    "content/2026-05-02-b.md": "---\ntitle: B\n---\nNo formula, only $5 and `$x$`.\n",
}


def test_without_the_packages_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derive, "version", lambda _name: "")
    root = write_site(tmp_path, FILES)
    build_site(root)
    assert not (root / "public/fonts").exists()
    assert "fonts/" not in (root / "public/2026-05-01-a/index.html").read_text()


def test_a_package_without_the_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subset, "_font_file", lambda: None)
    made = subset.make_font({})
    assert made.problem == "ziamath has no “fonts/STIXTwoMath-Regular.ttf”"


@pytest.mark.slow
def test_only_pages_with_formulas_have_it(tmp_path: Path) -> None:
    for package in ("ziamath", "fontTools", "brotli"):
        pytest.importorskip(package)
    root = write_site(tmp_path, FILES)
    build_site(root)
    (font,) = (root / "public/fonts").glob("math-*.woff2")
    (style,) = (root / "public/fonts").glob("math-*.css")
    assert font.stat().st_size < 60_000
    assert font.name in style.read_text()
    assert "SIL Open Font License" in (root / "public/fonts/math-font.txt").read_text()
    link = f'<link rel="stylesheet" href="/log/fonts/{style.name}">'
    assert link in (root / "public/2026-05-01-a/index.html").read_text()
    assert "fonts/" not in (root / "public/2026-05-02-b/index.html").read_text()
    assert "fonts/" not in (root / "public/index.html").read_text()
    assert build_site(root).written == ()
    (root / "content/2026-05-01-a.md").unlink()
    build_site(root)
    assert not (root / "public/fonts").exists()


def sign_height(page: Page) -> float:
    """The height of the sign of the root, as part of the height of all of it."""
    box = page.locator("msqrt").bounding_box()
    inside = page.locator("msqrt > *").first.bounding_box()
    assert box
    assert inside
    clip = {"x": box["x"], "y": box["y"], "width": inside["x"] - box["x"] - 1, "height": box["height"]}
    with Image.open(io.BytesIO(page.screenshot(clip=clip))) as image:  # type: ignore[arg-type]
        _, top, _, bottom = image.convert("L").point(lambda value: 255 * (value < 128)).getbbox() or (0, 0, 0, 0)
        return (bottom - top) / image.height


@pytest.mark.browser
def test_it_stretches_for_readers_without_such_a_font(tmp_path: Path, browser: Browser) -> None:
    for package in ("ziamath", "fontTools", "brotli"):
        pytest.importorskip(package)
    root = write_site(tmp_path, FILES)
    build_site(root)
    (style,) = (root / "public/fonts").glob("*.css")
    text = style.read_text()
    before, _, after = text.partition('font-family: "Latin Modern Math"')
    style.write_text(f'{before}font-family: "devlog math"{after[after.index(", math;") :]}')  # has no font of these
    with serving(root / "public", "/log/") as url:
        page = browser.new_page()
        loaded: list[str] = []
        page.on("requestfinished", lambda request: loaded.append(request.url.rpartition(".")[2]))
        page.goto(f"{url}2026-05-02-b/")
        page.wait_for_load_state("networkidle")
        assert "woff2" not in loaded
        page.goto(f"{url}2026-05-01-a/")
        page.evaluate("document.fonts.ready")
        assert "woff2" in loaded
        assert sign_height(page) > 0.8
        page.add_style_tag(content="math { font-family: 'DejaVu Sans' !important }")  # what there was before
        assert sign_height(page) < 0.8
        page.close()


def test_the_file_of_the_font_is_closed() -> None:
    """It was open until a garbage collection, which warns of it."""
    gc.collect()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ResourceWarning)
        subset.make_font({})
        gc.collect()
    assert not told
