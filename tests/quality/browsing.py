"""Chromium as every reader has it: fixed fonts, no motion, and an ear for all that a page does wrong."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""Debian's Chromium without windows. ``chromium --headless`` draws them all the same, which takes twice the work."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

_FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)

# Debian's package fonts-dejavu has the fonts; whatever else is installed counts for nothing.
_FONTS = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>/usr/share/fonts/truetype/dejavu</dir>
<cachedir>{folder}</cachedir>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias binding="same"><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<alias binding="same"><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
<alias binding="same"><family>math</family><prefer><family>DejaVu Math TeX Gyre</family></prefer></alias>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
</fontconfig>
"""

_LISTEN = """
window.heard = {shift: 0, shifts: [], violations: []};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.heard.shift += entry.value;
    const parents = entry.sources.map((source) => source.node && source.node.parentElement);
    window.heard.shifts.push(...parents.map((item) => item && item.outerHTML.slice(0, 200)));
  }
}).observe({type: "layout-shift", buffered: true});
document.addEventListener("securitypolicyviolation", (event) => {
  const place = `${event.sourceFile}:${event.lineNumber}`;
  window.heard.violations.push(`${event.effectiveDirective}: ${event.blockedURI} ${place}`);
});
"""


_IS_WHOLE = """() => {
  const [drawn] = performance.getEntriesByName("first-paint");
  return !drawn || drawn.startTime > performance.getEntriesByType("navigation")[0].domInteractive;
}"""

_IS_DRAWN = """() => document.readyState !== "loading" && performance.getEntriesByName("first-paint").length > 0"""


@dataclass
class Tab:
    """A page in a window of its own, and what was heard of it."""

    page: Page
    context: BrowserContext
    home: str
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go to a page of the site, and wait until nothing is loaded any more and all fonts are there."""
        self.page.goto(self.home + path, wait_until="load")
        self.page.evaluate("() => document.fonts.ready.then(() => true)")

    def open_whole(self, path: str) -> None:
        """Go to a page, until nothing of it is drawn before its text is there: half a line moves when the rest comes.

        Where styles are a little late, this is so at once, but for a browser that is busy with something else.
        """
        for _ in range(20):
            self.open(path)
            if self.page.evaluate(_IS_WHOLE):
                return
        raise AssertionError(f"in twenty times, {path} was drawn each time before it was read")

    def open_before(self, path: str, script: str) -> None:
        """Go to a page, and let a script of it come when all else of the page is drawn.

        Args:
            path: of the page.
            script: the name of the script's file.
        """
        for _ in range(20):
            if self._opened_before(path, script):
                return
        raise AssertionError(f"in twenty times, {path} was drawn each time before it was read")

    def _opened_before(self, path: str, script: str) -> bool:
        """Whether nothing of the page was drawn before its text was there."""
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        self.page.route(f"**/{script}?*", hold)
        self.page.goto(self.home + path, wait_until="commit")
        self.page.wait_for_function(_IS_DRAWN)
        is_whole: bool = self.page.evaluate(_IS_WHOLE)
        (route,) = held
        route.continue_()
        self.page.unroute(f"**/{script}?*")
        self.page.wait_for_load_state("load")
        return is_whole

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size, and wait until the page's scripts have been told and it is drawn so."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        )

    def heard(self) -> dict[str, Any]:
        """What the page itself has noticed: the sum of all shifts, and what its policy forbade."""
        found: dict[str, Any] = self.page.evaluate(
            "() => new Promise((done) => setTimeout(() => done(window.heard), 50))"
        )
        return found

    def strangers(self) -> list[str]:
        """The addresses of other sites that were asked for."""
        own = urlsplit(self.home).netloc
        return [url for url in self.asked if urlsplit(url).netloc != own and not url.startswith(("data:", "blob:"))]


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Debian's Chromium, with fonts that are the same on every machine.

    Args:
        flags: further ones of its command line.
    """
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        fonts = Path(folder) / "fonts.conf"
        fonts.write_text(_FONTS.format(folder=folder), "utf-8")
        environment = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=[*_FLAGS, *flags], env=environment)
        yield browser
        browser.close()


@contextmanager
def tab(
    browser: Browser,
    home: str,
    *,
    width: int = 1280,
    height: int = 900,
    scale: int = 1,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
) -> Iterator[Tab]:
    """A new window.

    Args:
        browser: that opens it.
        home: the address of the site.
        width: of the window.
        height: of the window.
        scale: pixels of the screen for each pixel of CSS, in each direction.
        scheme: which colors the system wants.
        script: whether pages may run any.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        color_scheme=scheme,
        reduced_motion="reduce",
        java_script_enabled=script,
    )
    context.add_init_script(_LISTEN)
    made = Tab(context.new_page(), context, home)
    made.page.on("request", lambda request: made.asked.append(request.url))
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    made.page.on(
        "console", lambda said: made.complaints.append(said.text) if said.type in {"error", "warning"} else None
    )
    yield made
    context.close()
