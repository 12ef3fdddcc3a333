"""Scripts of the theme in the preview, which changes pages in place: they treat what is new as what was there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from quality.browsing import chromium
from reading_paths.path_site import path, path_site
from serve_process import CONFIG, FILE, PATH, TEXT, Serving, serving, write
from sites import write_site
from theme.drawn_site import MERMAID

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PATIENCE = 30_000
"""Milliseconds after which something that has not happened never will."""

DRAWN = f"""{TEXT}
```mermaid {{title="First"}}
graph TD; one
```

```mermaid
graph TD; two
```

The end.
"""
ALTS = "[...document.querySelectorAll('figure.diagram .only-light')].map((image) => image.alt)"


CODE = "```sh\nls\n```"
TABS = '```sh tab="a"\nls\n```\n\n```sh tab="b"\nls -l\n```'
WIDE = '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="100"/>'
PROSE = """() => document.querySelector(".prose").innerHTML.replace(/devlog:tab-\\d+/g, "devlog:tab")
  .replaceAll(' class=""', "")"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@contextmanager
def opened(browser: Browser, running: Serving, path: str = PATH) -> Iterator[Page]:
    """A page whose script listens. It must not be loaded anew, and nothing in it may go wrong."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with page.expect_response(lambda answer: "/__devlog__/events" in answer.url):
        page.goto(f"http://127.0.0.1:{running.port}{path}")
    page.evaluate("window.marker = 'here'")
    yield page
    assert page.evaluate("window.marker") == "here"
    assert wrong == []
    page.goto("about:blank")  # before the server is gone
    context.close()


def becomes(page: Page, expression: str) -> None:
    page.wait_for_function(f"() => {expression}", timeout=PATIENCE)


@pytest.mark.feature("diagrams")
def test_diagrams_are_drawn_of_the_text_that_is_there(browser: Browser, tmp_path: Path) -> None:
    config = f'{CONFIG}[diagrams.mermaid]\nscript = "/js/mermaid.js"\n'
    root = write(tmp_path, **{"devlog.toml": config, "static/js/mermaid.js": MERMAID, FILE: DRAWN})
    with serving(root) as running, opened(browser, running) as page:
        becomes(page, "drawn.length === 2 && document.querySelectorAll('figure.diagram').length === 2")
        page.locator("summary", has_text="Diagram as text").first.click()
        running.edit("The end.", "The very end.")
        becomes(page, "document.body.textContent.includes('very end')")
        running.edit("graph TD; one", "graph TD; accTitle: One")
        becomes(page, "drawn.length === 3")
        becomes(page, f"{ALTS}.length === 2")
        assert page.evaluate("drawn") == [f"graph TD; {text}" for text in ("one", "two", "accTitle: One")]
        assert page.evaluate("document.querySelector('figure.diagram details').open")  # it is the same figure

        running.edit("graph TD; two", "graph TD\naccTitle: Two")
        becomes(page, f"{ALTS}[1] === 'Two'")
        running.edit('title="First"', 'title="Other"')
        becomes(page, "document.querySelector('figcaption').textContent.startsWith('Other')")
        assert page.evaluate(ALTS) == ["Other", "Two"]

        running.edit("The very end.", "```mermaid\ngraph TD\naccTitle: New\n```\n")
        becomes(page, f"{ALTS}[2] === 'New'")
        running.edit("accTitle: Two", "wrong")
        becomes(page, f"{ALTS}.join() === 'Other,New'")
        assert page.locator(".prose > .code").inner_text().strip().startswith("graph TD")
        running.edit('```mermaid {title="Other"}\ngraph TD; accTitle: One\n```', "Gone.")
        becomes(page, f"{ALTS}.join() === 'New'")
        assert page.locator("figure, summary").count() == 2
        running.edit("```mermaid\ngraph TD\naccTitle: New", "```text\nAs text")
        becomes(page, "!document.querySelector('figure') && document.querySelectorAll('.prose > .code').length === 2")


@pytest.mark.mermaid
@pytest.mark.feature("diagrams")
def test_mermaid_draws_again(browser: Browser, tmp_path: Path) -> None:
    code = Path(os.environ["DEVLOG_MERMAID"], "dist/mermaid.min.js").read_bytes()
    config = f'{CONFIG}[diagrams.mermaid]\nscript = "/js/mermaid.js"\n'
    root = write(tmp_path, **{"devlog.toml": config, "static/js/mermaid.js": code, FILE: DRAWN})
    image = "document.querySelector('figure.diagram img')"
    with serving(root) as running, opened(browser, running) as page:
        becomes(page, "document.querySelectorAll('figure.diagram').length === 2")
        running.edit("graph TD; one", "graph TD; one --> another")
        becomes(page, f"decodeURIComponent({image}.src).includes('another')")
        assert page.evaluate(f"{image}.decode().then(() => {image}.naturalWidth)") > 50


@pytest.mark.feature("reading_paths")
def test_new_steps_of_a_path_get_boxes(browser: Browser, tmp_path: Path) -> None:
    root = write_site(tmp_path, path_site({"start": path("ab")}))
    boxes = "[...document.querySelectorAll('.path-steps input')].map((box) => `${box.ariaLabel} ${box.checked}`).join()"
    with serving(root) as running, opened(browser, running, "/log/start/") as page:
        page.get_by_label("Read: Post B").check()
        running.write("content/start.md", path("cba"))
        becomes(page, f"{boxes} === 'Read: Post C false,Read: Post B true,Read: Post A false'")
        assert page.get_by_role("status").inner_text() == "1 of 3 read"
        page.get_by_label("Read: Post C").check()
        assert page.get_by_role("status").inner_text() == "2 of 3 read"
        page.get_by_role("button", name="Start over").click()
        assert page.get_by_role("checkbox", checked=True).count() == 0


@pytest.mark.feature("episodes")
def test_new_chapters_lead_into_the_player(browser: Browser, tmp_path: Path) -> None:
    audio = "audio: {url: 'https://example.org/a.mp3', duration: 60, length: 9, chapters: [0:00 One]}\n"
    root = write(tmp_path, **{FILE: TEXT.replace("tags:", f"{audio}tags:")})
    times = "[...document.querySelectorAll('.chapters .time')].map((link) => link.getAttribute('href')).join()"
    with serving(root) as running, opened(browser, running) as page:
        becomes(page, f"{times} === '#t=0'")
        running.edit("[0:00 One]", "[0:00 One, 0:20 Two]")
        becomes(page, f"{times} === '#t=0,#t=20'")


@pytest.mark.feature("brand")
def test_a_new_button_for_the_mode_works(browser: Browser, tmp_path: Path) -> None:
    root = write(tmp_path, **{"devlog.toml": f'{CONFIG}[brand]\nbackground = "#fff"\n'})
    with serving(root) as running, opened(browser, running) as page:
        assert page.locator(".theme-switch").count() == 0
        running.write("devlog.toml", CONFIG)
        page.locator(".theme-switch").wait_for()
        page.locator(".theme-switch").click()
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CODE, TABS),
        (TABS, CODE),
        (CODE, "> [!NOTE]\n> ls"),
        (CODE, '<div class="center">\n\nls\n\n</div>'),
        ("![One](wide.svg)", "![Other](wide.svg)"),
        ("![One](wide.svg)", "![One](small.svg)"),
        ("![One](small.svg)", "![One](wide.svg)"),
    ],
)
def test_what_scripts_add_is_that_of_a_page_loaded_anew(
    browser: Browser, tmp_path: Path, before: str, after: str
) -> None:
    text = f"{TEXT}\n```text\nA page that always has code, so that its scripts stay the same.\n```\n\n"
    small = WIDE.replace("2000", "20")
    images = {"content/kernels/wide.svg": WIDE, "content/kernels/small.svg": small}
    root = write(tmp_path, **images, **{FILE: f"{text}First.\n\n{before}\n"})
    with serving(root) as running, opened(browser, running) as page:
        becomes(page, "document.body.textContent.includes('First.')")
        running.write(FILE, f"{text}Second.\n\n{after}\n")
        becomes(page, "document.body.textContent.includes('Second.')")
        with opened(browser, running) as other:
            loaded = "[...document.images].every((image) => image.complete)"
            for one in (page, other):
                one.evaluate("scrollTo(0, 1e9)")  # images wait until they are near
                becomes(one, loaded)
            assert page.evaluate(PROSE) == other.evaluate(PROSE)
