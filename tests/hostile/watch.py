"""A browser on a hostile site: all that can be pressed is pressed, and all that goes wrong is heard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from quality.browsing import chromium
from quality.server import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

_LOOK = """() => ({
  handlers: [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).length,
  scripts: [...document.scripts].filter(e => e.type !== "application/ld+json").map(e => e.getAttribute("src")),
  urls: [...document.querySelectorAll("[href],[src],[action],[formaction],[data],[poster]")].filter(e =>
    ["href", "src", "action", "formAction", "data", "poster"].some(n => /^(javascript|vbscript):/i.test(String(e[n])))
  ).length,
  frames: window.length,
  foreign: document.querySelectorAll("iframe,object,embed,base,style,frame,.prose form,.prose svg").length,
  other: [...document.querySelectorAll("math *")].filter(e => e.namespaceURI !== "http://www.w3.org/1998/Math/MathML")
    .filter(e => !e.matches("mtext :is(a, b, br, code, em, i, s, span, u)")).length,
})"""

# Everything that can be pressed, but for what asks another site, and what leaves the page.
_PRESS = """async () => {
  let pressed = 0;
  const rest = () => new Promise((done) => setTimeout(done, 20));
  for (const item of document.querySelectorAll(".footnote-ref a, .anchor")) { item.focus(); }
  for (const item of document.querySelectorAll("button, summary, [role=tab], .toc a, [role=button]")) {
    if (item.closest(".comments, form")) { continue; }
    item.click();
    pressed += 1;
    if (document.querySelector("dialog[open]")) {
      await rest();
      for (const dialog of document.querySelectorAll("dialog[open]")) { dialog.close(); }
    }
  }
  await rest();
  return pressed;
}"""


class Watch:
    """A page of the browser on a published site.

    Attributes:
        page: of the browser.
        dialogs: that a page has opened, which is what payloads try.
        asked: what pages have asked of other sites, none of which answers.
    """

    def __init__(self, browser: Browser, home: str) -> None:
        """
        Args:
            browser: without a network.
            home: the address of the site, with a slash at its end.
        """
        self.dialogs: list[str] = []
        self.asked: list[str] = []
        self._home = home
        context = browser.new_context(permissions=["clipboard-write"])
        context.on("request", self._ask)
        self.page: Page = context.new_page()
        self.page.on("dialog", self._dismiss)

    def open(self, path: str) -> None:
        """Go to a page of the site, named by its file."""
        self.page.goto(self._home + quote(path), wait_until="load")

    def press(self) -> int:
        """Press all that can be pressed on the page, and say how much that was."""
        pressed: int = self.page.evaluate(_PRESS)
        return pressed

    def look(self) -> dict[str, Any]:
        """What stands in the page as the browser has read it: numbers of what must not, and the scripts."""
        seen: dict[str, Any] = self.page.evaluate(_LOOK)
        return seen

    def _ask(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https") and parts.netloc != urlsplit(self._home).netloc:
            self.asked.append(f"{self.page.url}: {request.resource_type} {request.url}")

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(f"{self.page.url}: {dialog.message}")
        dialog.dismiss()


@contextmanager
def watching(browser: Browser, public: Path) -> Iterator[Watch]:
    """A watch on a published site whose base path is `/log/`."""
    with serving(public, "/log/") as home:
        watch = Watch(browser, home)
        yield watch
        watch.page.context.close()


@contextmanager
def offline() -> Iterator[Browser]:
    """Debian's Chromium, which reaches this machine alone."""
    with chromium("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as browser:
        yield browser
