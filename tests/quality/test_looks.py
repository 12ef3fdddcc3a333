"""A team's own look: the colors and fonts are those asked for, everything can be read, and nothing moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from selection import FEATURES

from devlog.config import Brand
from devlog.config_file.read import read_config
from devlog.model.palette import of_theme
from quality.browsing import SCHEMES, tab
from quality.looks import LOOKS, PAGES, build_look
from quality.pictures import TOLERATED, difference, shrunk
from quality.readme_images import IMAGES, brand_shot
from quality.server import serving
from quality.test_access import RULES, violations
from quality.test_loading import SLOW

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

_SHOWN = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = (text) => {
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  const family = (selector) => style(selector).fontFamily.split(",")[0].replaceAll('"', "");
  const loaded = [...document.fonts].filter((face) => face.status === "loaded").map((face) => face.family);
  return {
    accent: rgb(style(".post-source a").color),
    background: rgb(style("body").backgroundColor),
    text: rgb(style(".prose p").color),
    code: rgb(style(".code").backgroundColor),
    fonts: {text: family(".prose p"), headings: family(".page-title"), code: family(".code code")},
    loaded: loaded.map((name) => name.replaceAll('"', "")),
    logos: [...document.querySelectorAll(".logo")].filter((logo) => logo.checkVisibility() && logo.naturalWidth).length,
  };
}"""


@pytest.mark.feature(*FEATURES)
@pytest.mark.parametrize("name", LOOKS)
def test_a_brand_is_shown_as_configured(browser: Browser, name: str, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    assert len([line for line in LOOKS[name].splitlines() if line]) <= 25
    brand = read_config(LOOKS[name], "devlog.toml")[0].brand
    faults: list[str] = []
    with serving(tmp_path / "public", "/lumen/", slow=SLOW) as url:
        report = build_look(tmp_path, url, name)
        assert [item for item in report.diagnostics if item.severity != "info"] == []
        for scheme in SCHEMES:
            with tab(browser, url, width=390 if scheme == "light" else 1280, scheme=scheme) as opened:
                for page in PAGES:
                    opened.open_whole(page)
                    heard = opened.heard()
                    faults += [f"{page} {scheme} shifts: {heard['shifts']}"] if heard["shift"] else []
                    faults += [f"{page} {scheme}: {violation}" for violation in heard["violations"]]
                    said = Axe().run(opened.page, options={"runOnly": RULES[scheme], "resultTypes": ["violations"]})
                    faults += [f"{page} {scheme}: {line}" for line in violations(said.response)]
                opened.open("storage/2026-05-20-everything/")
                _compare(opened.page.evaluate(_SHOWN), brand, scheme)
                assert opened.strangers() == []
                assert opened.complaints == []
        share, _ = difference(
            shrunk((IMAGES / f"brand-{name}.png").read_bytes()), shrunk(brand_shot(browser, url, name))
        )
        faults += (
            [f"the image differs: python -m tests.quality.readme_images ({share:.2%})"] if share > TOLERATED else []
        )
    assert not faults, "\n".join(faults)


def _compare(shown: dict[str, Any], brand: Brand, scheme: Any) -> None:
    """Compare what a page shows with the configuration."""
    mode = brand.palette.only or scheme
    roles = brand.palette.modes[mode]
    for role in ("accent", "background", "text", "code"):
        expected = getattr(roles, role) or of_theme(mode, role)
        assert all(abs(one - other) <= 1 for one, other in zip(shown[role], expected.rgb, strict=True)), role
    usual = {"headings": "Brand Text", "code": shown["fonts"]["code"]}
    for use, family in shown["fonts"].items():
        assert family == (f"Brand {use.capitalize()}" if brand.fonts.of(use) else usual[use])
        assert not brand.fonts.of(use) or family in shown["loaded"]
    assert shown["logos"] == 1
