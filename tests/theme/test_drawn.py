"""Diagrams that a script of the site draws: shown as images, with the text at hand, and the text where it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from quality.server import serving
from sites import build_site, write_site
from theme.drawn_site import MERMAID

from devlog.features.diagrams import disk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.feature("diagrams")

_NO_TIME = "performance.now = () => 0"
"""Where no time passes, only a text itself is a reason not to draw it, however busy the machine is."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

POST = """---
title: Drawn
author: Ada Quill (@adaquill)
---
One.

```mermaid {title="A title"}
graph TD
accTitle: How it goes
A --> B
```

```mermaid
graph TD; wrong
```

```mermaid
graph TD; attack
```
"""
HIDDEN = (
    "<details>\n\n" + "".join(f"```mermaid\ngraph TD; slow{number}\n```\n\n" for number in range(5)) + "</details>\n"
)
MANY = f"---\ntitle: Many\n---\n{HIDDEN}\n```mermaid\ngraph TD; seen\n```\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    files = {
        "devlog.toml": 'base_url = "/devlog/"\n[diagrams.mermaid]\nscript = "/js/mermaid.js"\n',
        "static/js/mermaid.js": MERMAID,
        "content/2026-05-01-a.md": POST,
        "content/2026-05-02-many.md": MANY,
    }
    root = write_site(tmp_path_factory.mktemp("drawn"), files)
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        yield url


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    context = browser.new_context()
    shown = context.new_page()
    shown.goto(f"{site}2026-05-01-a/")
    shown.locator("figure.diagram").nth(1).wait_for()
    yield shown
    context.close()


def test_drawings_are_images_with_their_size_and_a_text(page: Page) -> None:
    image = page.locator("figure.diagram img").first
    assert image.get_attribute("alt") == "How it goes"
    assert (image.get_attribute("width"), image.get_attribute("height")) == ("121", "60")
    assert str(image.get_attribute("src")).startswith("data:image/svg+xml")
    page.wait_for_function(
        "[...document.querySelectorAll('figure.diagram img')].every((image) => image.naturalWidth > 0)"
    )
    assert page.locator("figure.diagram figcaption").first.inner_text().startswith("A title")


def test_the_text_is_at_hand(page: Page) -> None:
    summary = page.get_by_text("Diagram as text").first
    assert not page.locator("figure.diagram code").first.is_visible()
    summary.focus()
    page.keyboard.press("Enter")
    assert "A --> B" in page.locator("figure.diagram code").first.inner_text()


def test_what_is_refused_stays_as_text(page: Page) -> None:
    left = page.locator(".prose > .code code.language-mermaid")
    assert left.all_inner_texts() == ["graph TD; wrong\n"] or left.all_inner_texts() == ["graph TD; wrong"]


def test_nothing_in_a_drawing_runs(page: Page) -> None:
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.calls[0].securityLevel") == "strict"
    assert page.locator("main script, main image").count() == 0


def test_without_scripts_the_text_is_shown(browser: Browser, site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.goto(f"{site}2026-05-01-a/")
    assert shown.locator("code.language-mermaid").count() == 3
    assert shown.locator("code.language-mermaid").first.is_visible()
    context.close()


def test_drawing_begins_in_view_and_ends_when_it_takes_long(browser: Browser, site: str) -> None:
    context = browser.new_context()
    shown = context.new_page()
    shown.goto(f"{site}2026-05-02-many/")
    shown.wait_for_function("document.querySelectorAll('figure.diagram').length >= 4")
    shown.wait_for_timeout(200)
    assert shown.evaluate("window.drawn") == [f"graph TD; {name}" for name in ("seen", "slow0", "slow1", "slow2")]
    assert shown.locator("figure.diagram").count() == 4
    assert shown.locator(".code code.language-mermaid").count() == 6  # two of them instead of a drawing
    context.close()


@pytest.mark.parametrize(("place", "times"), [("box", {9, 10}), ("body", {9, 10}), ("page", {150})])
def test_a_drawing_that_takes_long_ends_where_it_measures(
    browser: Browser, tmp_path: Path, place: str, times: set[int]
) -> None:
    files = {
        "devlog.toml": 'base_url = "/devlog/"\n[diagrams.mermaid]\nscript = "/js/mermaid.js"\n',
        "static/js/mermaid.js": MERMAID,
        "content/2026-05-01-a.md": f"---\ntitle: A\n---\n```mermaid\ngraph TD; endless in {place}\n```\n",
    }
    root = write_site(tmp_path / "site", files)
    build_site(root)
    natives = """() => [Element.prototype.getBoundingClientRect, SVGGraphicsElement.prototype.getBBox,
      SVGTextContentElement.prototype.getComputedTextLength].map(String)"""
    with serving(root / "public", "/devlog/") as url:
        context = browser.new_context()
        shown = context.new_page()
        shown.goto(f"{url}2026-05-01-a/")
        shown.wait_for_function("window.drawn.length === 1")
        shown.wait_for_timeout(200)
        assert shown.evaluate(f"window.measured.{place}") in times  # each takes a second, and the rest a little
        assert shown.locator("figure.diagram").count() == (place == "page")
        assert shown.locator("code.language-mermaid").count() == 1
        assert all("[native code]" in function for function in shown.evaluate(natives))
        context.close()


def _related(kind: str, count: int, form: str, joined: str = "\n") -> str:
    return f"{kind}\n" + joined.join(form.format(number, number + 1) for number in range(count))


RELATIONS = {
    "class": ("classDiagram", 'C{} "1" --> "0..*" C{} : uses', "\n"),
    "dotted": ("%%{init: {}}%% classDiagram", "C{} ..|> C{}", "\n"),
    "state": ("stateDiagram-v2", "S{} --> S{}", " "),
    "entities": ("---\ntitle: T\n---\nerDiagram", "E{} ||--o{{ E{} : belongs to", "\n"),
    "dashed": ("erDiagram", "E{} ||.-o{{ E{} : x", "\n"),
    "words": ("erDiagram", "E{} one or more optionally to many E{} : x", "\n"),
    "requirements": ("requirementDiagram", "R{} - satisfies -> R{}", "\n"),
    "backward": ("requirementDiagram", "R{} <- satisfies - R{}", "\n"),
    "use cases": ("usecase-beta", "U{} --> U{}", "\n"),
}
"""The beginning of a diagram, one relation of it, and what stands between two of them."""


def test_what_is_laid_out_for_long_without_a_measurement_stays_text(browser: Browser, tmp_path: Path) -> None:
    kept = [_related(kind, 100, form, joined) for kind, form, joined in RELATIONS.values()]
    kept += [
        _related("swimlane-beta", 20, "N{} --> N{}"),
        "mindmap\n  root\n" + "    branch\n" * 200,
        "venn-beta\n" + "  set A\n" * 40,
        "sequenceDiagram\n" + "  A->>B: x\n" * 300,
        _related("graph TD", 300, "N{} --> N{}"),  # Mermaid itself counts these
    ]
    left = [_related(kind, 125, form, joined) for kind, form, joined in RELATIONS.values()]
    left += [
        _related("swimlane-beta", 40, "N{} ==> N{}"),
        "swimlane-beta\n" + " & ".join("abcdefgh") + " --> i",
        "mindmap\n  root\n" + "    branch\n" * 300,
        "venn-beta\n" + "  set A\n" * 60,
        "%%{init: {}}%% packet\n0-9999: x",
    ]
    texts = "".join(f"```mermaid\n{text.rstrip()}\n```\n\n" for text in (*kept, *left))
    files = {
        "devlog.toml": 'base_url = "/devlog/"\n[diagrams.mermaid]\nscript = "/js/mermaid.js"\n',
        "static/js/mermaid.js": MERMAID,
        "content/2026-05-01-a.md": f"---\ntitle: A\n---\n{texts}",
    }
    root = write_site(tmp_path / "site", files)
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        context = browser.new_context(viewport={"width": 800, "height": 60_000})  # all are in view
        shown = context.new_page()
        refused: list[str] = []
        shown.on("console", lambda message: refused.append(message.text))
        shown.add_init_script(_NO_TIME)
        shown.goto(f"{url}2026-05-01-a/")
        shown.wait_for_function(f"document.querySelectorAll('figure.diagram').length >= {len(kept)}")
        shown.wait_for_timeout(500)
        assert sorted(shown.evaluate("window.drawn")) == sorted(text.strip() for text in kept)
        assert sum("too-large" in text for text in refused) == len(left)
        context.close()


def test_wide_formulas_scroll_in_their_own_box(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    wide = " + ".join(f"x_{{{number}}}" for number in range(60))
    files = {
        "content/2026-05-01-a.md": f"---\ntitle: A\n---\nText $x^2$.\n\n$$\n{wide}\n$$\n\nLine $$ {wide} $$ end.\n"
    }
    files["devlog.toml"] = 'base_url = "/devlog/"\n'
    root = write_site(tmp_path_factory.mktemp("wide"), files)
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        context = browser.new_context(viewport={"width": 390, "height": 800})
        shown = context.new_page()
        shown.goto(f"{url}2026-05-01-a/")
        assert shown.evaluate("document.documentElement.scrollWidth") == 390
        boxes = shown.locator(".math-display")
        assert boxes.count() == 2
        for box in boxes.all():
            assert box.evaluate("box => box.scrollWidth > box.clientWidth + 100")
            assert box.evaluate("box => box.scrollHeight <= box.clientHeight")
            box.focus()
            assert box.evaluate("box => box === document.activeElement")
        context.close()


_CONFIG = "---\nconfig:\n  themeCSS: |\n    a,.error-text{position:fixed;inset:0;font-size:60px}\n---\n"
_BY_HAND = '%%{init: {"look": "handDrawn"}}%%\ngraph LR\n  A --> B'
_LINK = 'graph LR\n  A["Sign in"]\n  click A href "https://canary.example/login"'


@pytest.mark.mermaid
def test_mermaid_leaves_nothing_in_the_page(browser: Browser, tmp_path: Path) -> None:
    taken = "".join(f'<div id="{mark}devlog-diagram-0"><p>x</p></div>\n\n' * 2 for mark in ("", "d"))
    nodes = "\n".join(f"  n{number % 100} --> n{number * 7 % 99}" for number in range(150))
    chain = "\n".join(f"  E{number} ||--o{{ E{number + 1} : x" for number in range(150))
    joined = " & ".join(f"a{number}" for number in range(22))
    texts = (
        f"{_CONFIG}graph LR\n  A --> B -->\n  ~~~ garbage",
        f"{_CONFIG}No diagram at all",
        _LINK,
        f"graph TD\n{nodes}",
        "sequenceDiagram\n" + "  A->>B: a message\n" * 300,
        f"erDiagram\n{chain}",
        f"graph TD\n  {joined} --> {joined.replace('a', 'b')}",
        "gitGraph\n" + "  commit\n" * 2000,
        "block-beta\n  columns 3\n  a space:10000 b",
        '%%{init: {"sequence": {"wrap": true, "width": 1}}}%%\nsequenceDiagram\n  A->>B: ' + "x" * 5000,
    )
    body = taken + "".join(f"```mermaid\n{text}\n```\n\n" for text in texts)
    root = write_site(
        tmp_path / "site",
        {
            "devlog.toml": 'base_url = "/devlog/"\n[diagrams.mermaid]\nscript = "/js/mermaid.js"\n',
            "static/js/mermaid.js": Path(os.environ["DEVLOG_MERMAID"], "dist/mermaid.min.js").read_bytes(),
            "content/2026-05-01-a.md": f"---\ntitle: Drawn\n---\n{body}",
        },
    )
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        context = browser.new_context()
        shown = context.new_page()
        before = "[...document.body.children].map((one) => one.outerHTML.slice(0, 60))"
        shown.add_init_script(_NO_TIME)
        shown.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ window.before = {before}; }})")
        shown.goto(f"{url}2026-05-01-a/")
        shown.wait_for_function("document.querySelectorAll('figure.diagram').length === 3", timeout=120_000)
        for _ in range(2):  # as in the preview
            shown.evaluate("document.dispatchEvent(new Event('devlog:update'))")
            shown.wait_for_timeout(300)
        assert shown.evaluate("document.querySelectorAll('figure.diagram').length") == 3
        assert shown.locator(".prose > .code code.language-mermaid").count() == 7
        assert shown.evaluate(before) == shown.evaluate("window.before")
        assert shown.locator("body style, a[href*='canary'], body svg[id*='diagram']").count() == 0
        assert shown.locator(".prose > div > p", has_text="x").count() == 4
        context.close()


@pytest.mark.mermaid
def test_no_text_chooses_its_look_or_layout(browser: Browser, tmp_path: Path) -> None:
    texts = (
        "graph LR\n  A --> B",
        _BY_HAND,
        _BY_HAND.replace('{"look": "handDrawn"}', '{"flowchart": {"look": "handDrawn"}}'),
        "---\nconfig:\n  look: handDrawn\n---\ngraph LR\n  A --> B",
        "---\nconfig:\n  layout: swimlanes\n---\ngraph LR\n  A --> B",
    )
    root = write_site(
        tmp_path / "site",
        {
            "devlog.toml": 'base_url = "/devlog/"\n[diagrams.mermaid]\nscript = "/js/mermaid.js"\n',
            "static/js/mermaid.js": Path(os.environ["DEVLOG_MERMAID"], "dist/mermaid.min.js").read_bytes(),
            "content/2026-05-01-a.md": "---\ntitle: A\n---\n" + "".join(f"```mermaid\n{one}\n```\n\n" for one in texts),
        },
    )
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        context = browser.new_context()
        shown = context.new_page()
        shown.add_init_script(_NO_TIME)
        shown.goto(f"{url}2026-05-01-a/")
        shown.wait_for_function("document.querySelectorAll('figure.diagram').length === 5", timeout=120_000)
        paths = """(images) => images.map((image) =>
          [decodeURIComponent(image.src).split("<path").length, image.width, image.height].join())"""
        counts: list[str] = shown.locator("figure.diagram img.only-light").evaluate_all(paths)
        assert len(counts) == 5
        assert len(set(counts)) == 1
        context.close()


@pytest.mark.mermaid
def test_mermaid_of_npm_draws_where_nothing_else_does(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(disk, "version", lambda _name: "")
    settings = 'base_url = "/devlog/"\ncontent_security_policy = true\n'
    root = write_site(tmp_path / "site", {"devlog.toml": settings, "content/2026-05-01-a.md": POST})
    package = Path(os.environ["DEVLOG_MERMAID"])
    for name in ("package.json", "LICENSE", "dist/mermaid.min.js"):
        copied = root / "node_modules/mermaid" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes((package / name).read_bytes())
    build_site(root)
    with serving(root / "public", "/devlog/") as url:
        for scheme in SCHEMES:
            context = browser.new_context(color_scheme=scheme)
            shown = context.new_page()
            wrong: list[str] = []
            shown.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))  # type: ignore[misc]
            shown.goto(f"{url}2026-05-01-a/")
            image = shown.locator(f"figure.diagram img.only-{scheme}").first
            image.wait_for()
            assert image.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 50
            assert image.get_attribute("alt") == "How it goes"
            assert image.evaluate("(image) => getComputedStyle(image).filter != 'none'") is (scheme == "dark")
            assert wrong == []
            context.close()
