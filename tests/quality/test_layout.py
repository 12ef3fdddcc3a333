"""What broke designs once: where things stand on the page, by measure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sites import NOW, write_site

from devlog.build import Options, build
from quality.browsing import Tab, tab
from quality.server import serving
from quality.showcase import DRAW, picture

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

POST = """\
---
title: Formulas & figures
author: Ada Quill (@adaquill)
date: 2026-06-02
tags: [pages]
---

Text with a note[^a], and $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + b_1 + b_2 + b_3 + b_4 + b_5 + b_6 = 0$.

- Tight, with $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + b_1 + b_2 + b_3 + b_4 + b_5 + b_6 + b_7 = 0$.

```python title="lumen/store/pages/cache/eviction/policy.py" linenos hl_lines="1"
page = store.read(number)
```

```boxes title="From a text to rows"
parse -> plan -> run -> answer -> log -> archive
```

![Light](light.png#gh-light-mode-only) ![Dark](dark.png#gh-dark-mode-only)

{{< youtube id="dQw4w9WgXcQ" title="How pages are split, and when" poster="poster.png" >}}

<table width="700"><thead><tr><th>Pages</th><th>Time</th></tr></thead><tr><td>17</td><td>3 ms</td></tr></table>

<details open><summary>Data</summary>

| evicted_pages_by_their_time_of_last_use | evicted_pages_by_their_size_in_bytes |
|---|---|
| 17 | 3 |

</details>

```csv plot title="Pages"
month,evicted_pages_by_their_time_of_last_use,evicted_pages_by_their_size_in_bytes
May,17,3
June,18,4
```

> <table><tr><td><code>evicted_pages_by_their_time_of_last_use_and_their_size_in_bytes</code></td></tr></table>

> A **<ruby>page<rt>evicted_pages_by_their_time_of_last_use</rt></ruby>** of it.

Type <kbd>Ctrl</kbd> + <kbd>C</kbd>, then <kbd>git log --all --oneline --graph --decorate --since yesterday</kbd>.

| Pages | Time |
|---|---|
| 17 | 3 ms |

#### Deep

## High <ruby>page<rt>evicted_pages_by_their_time_of_last_use_and_their_size_in_bytes</rt></ruby>

[^a]: Beside the text:

    ```python
    page = 1
    ```
"""

CONFIG = """\
title = "Lumen"
base_url = "{url}"
theme = "{theme}"
language = "{language}"

[cards]
enabled = false

[comments]
provider = "giscus"
repo = "lumen/devlog"
repo_id = "R_lumen"
category = "Logs"
category_id = "DIC_lumen"

[diagrams.boxes]
command = ['{python}', '{draw}']
"""


def _site(root: Path, theme: str, language: str = "en") -> Iterator[str]:
    with serving(root / "public", "/") as url:
        values = {"url": url, "theme": theme, "language": language, "python": sys.executable, "draw": root / "draw.py"}
        files: dict[str, str | bytes] = {
            "devlog.toml": CONFIG.format(**values),
            "draw.py": DRAW,
            "content/post/index.md": POST,
            "content/post/light.png": picture(80, 40),
            "content/post/dark.png": picture(80, 40),
            "content/post/poster.png": picture(1200, 600),
            f"content/{'W' * 90}.md": f"---\ntitle: {'W' * 90}\ndate: 2025-04-01\ntags: [pages]\n---\nAnother.\n",
        }
        write_site(root, files)
        build(Options(root=root, now=NOW, jobs=1))
        yield url


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _site(tmp_path_factory.mktemp("plain"), "default")


@pytest.fixture(scope="module")
def arabic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _site(tmp_path_factory.mktemp("arabic"), "default", "ar")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from _site(tmp_path_factory.mktemp("paper"), "paper", "ar")


def _left(opened: Tab, selector: str) -> float:
    box = opened.page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"]


@pytest.mark.parametrize("theme", ["plain", "paper"])
@pytest.mark.parametrize("path", ["post/", "archive/"])
def test_long_formulas_words_and_tables_do_not_widen_a_page(
    browser: Browser, theme: str, path: str, request: pytest.FixtureRequest
) -> None:
    with tab(browser, request.getfixturevalue(theme), width=320) as opened:
        opened.open(path)
        opened.page.evaluate("() => document.querySelectorAll('details').forEach((closed) => { closed.open = true; })")
        found = opened.page.evaluate("() => document.documentElement.scrollWidth")
        assert found == 320


def edges(opened: Tab, selector: str) -> list[int]:
    """Where a box begins and ends."""
    found: list[int] = opened.page.evaluate(_EDGES, selector)
    return found


_EDGES = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return [Math.round(box.left), Math.round(box.right)];
}"""


@pytest.mark.parametrize("width", [820, 1023, 1280, 1440])
def test_pages_share_the_edges_of_one_grid(browser: Browser, plain: str, width: int) -> None:
    with tab(browser, plain, width=width) as opened:

        def at(path: str, selector: str) -> list[int]:
            opened.open(path)
            return edges(opened, selector)

        header = at("", ".site-header-row")
        for path, selector in (
            ("", ".home"),
            ("archive/", ".rows .section-title"),
            ("post/", ".site-header-row"),
            ("post/", ".site-footer nav"),
        ):
            assert at(path, selector) == header, (path, selector)
        titles = {at(path, ".page-title")[0] for path in ("post/", "archive/", "tags/", "subscribe/")}
        assert len(titles) == 1
        if width < 1024:
            assert titles == {header[0]}
        else:  # code, and notes beside the text, end where the page ends
            assert at("post/", ".prose > .code")[1] == header[1]
            assert titles == {at("", ".main > .home-intro, .entry-body, .log-title")[0]}


def test_tables_end_at_the_same_edges_without_calc_size(browser: Browser, plain: str) -> None:
    """In browsers that do not know the function, here by another name, a short table is as wide as the text."""
    with tab(browser, plain) as opened:
        opened.open("post/")
        table = edges(opened, ".prose > .table")
        assert table == edges(opened, ".prose > p")

        def rename(route: Route) -> None:
            answer = route.fetch()
            assert "calc-size(" in answer.text()
            route.fulfill(response=answer, body=answer.text().replace("calc-size(", "calc-later("))

        opened.page.route("**/style.css*", rename)
        opened.open("post/")
        assert edges(opened, ".prose > .table") == table


def test_text_of_twice_the_size_fits_on_a_phone(browser: Browser, plain: str) -> None:
    with tab(browser, plain, width=390) as opened:
        for path in ("", "post/", "archive/", "subscribe/"):
            opened.open(path)
            opened.page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
            assert opened.page.evaluate("() => document.documentElement.scrollWidth") == 390, path


@pytest.mark.parametrize("theme", ["plain", "paper"])
def test_printed_pages_begin_between_entries_and_not_below_a_heading(
    browser: Browser, theme: str, request: pytest.FixtureRequest
) -> None:
    with tab(browser, request.getfixturevalue(theme)) as opened:
        opened.page.emulate_media(media="print")
        opened.open("archive/")
        assert opened.page.evaluate(_BREAKS, ["main li:has(time)", "breakInside"]) == ["avoid"]
        opened.open("post/")
        assert opened.page.evaluate(_BREAKS, ["main :is(h1, h2, h3, h4, h5, h6)", "breakAfter"]) == ["avoid"]


_BREAKS = """([selector, name]) => [...new Set(
  [...document.querySelectorAll(selector)].map((item) => getComputedStyle(item)[name]))]"""


def test_what_follows_a_post_stands_below_its_text(browser: Browser, plain: str) -> None:
    with tab(browser, plain) as opened:
        opened.open("post/")
        assert _left(opened, ".after") == _left(opened, ".prose") > 200


def test_code_in_a_note_beside_the_text_has_room_and_no_dead_buttons(browser: Browser, plain: str) -> None:
    with tab(browser, plain) as opened:
        opened.open("post/")
        opened.page.locator(".prose .code-tools").first.wait_for()
        opened.page.locator(".margin-note pre").wait_for()
        padding = "(code) => parseFloat(getComputedStyle(code).paddingLeft)"
        assert opened.page.locator(".margin-note pre").evaluate(padding) >= 12
        opened.page.evaluate("() => document.dispatchEvent(new Event('devlog:update'))")
        opened.page.locator(".margin-note pre").wait_for()
        assert opened.page.locator(".margin-note .code").count() == 1
        assert opened.page.locator(".margin-note button").count() == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_a_poster_fills_its_frame(browser: Browser, plain: str, width: int) -> None:
    with tab(browser, plain, width=width) as opened:
        opened.open("post/")
        link, image, words = (opened.page.locator(f".poster {name}").bounding_box() for name in ("a", "img", "span"))
        assert link is not None
        assert image is not None
        assert words is not None
        assert (image["x"], image["width"]) == (link["x"], link["width"])
        assert image["y"] + image["height"] <= words["y"]


@pytest.mark.feature("diagrams")
def test_a_diagram_in_the_dialog_has_its_title_only(browser: Browser, plain: str) -> None:
    with tab(browser, plain, width=390) as opened:
        opened.open("post/")
        opened.page.locator(".diagram img.enlarges").click()
        assert opened.page.locator("dialog.picture p").inner_text() == "From a text to rows"


def test_on_a_phone_the_title_of_code_has_a_line_of_its_own(browser: Browser, plain: str) -> None:
    with tab(browser, plain, width=390) as opened:
        opened.open("post/")
        title, code = (opened.page.locator(f".prose {name}").first.bounding_box() for name in (".code-title", ".code"))
        assert title is not None
        assert code is not None
        assert title["width"] == code["width"]


def test_a_section_after_a_short_one_keeps_its_distance(browser: Browser, plain: str) -> None:
    with tab(browser, plain) as opened:
        opened.open("post/")
        assert opened.page.locator("h4 + h2").evaluate("(found) => parseFloat(getComputedStyle(found).marginTop)") > 40


def test_from_right_to_left_code_and_time_run_as_ever(browser: Browser, arabic: str) -> None:
    with tab(browser, arabic) as opened:
        opened.open("post/")
        code = opened.page.locator(".prose .code").first
        assert code.evaluate("(found) => getComputedStyle(found).textAlign") == "left"
        inline = opened.page.locator(":not(pre) > code").first
        assert inline.evaluate("(found) => getComputedStyle(found).unicodeBidi") == "isolate"
        opened.open("archive/")
        assert _left(opened, ".sparkline span:first-child") < _left(opened, ".sparkline span:last-child")
        lead = opened.page.locator(".lead")
        assert lead.evaluate("(found) => getComputedStyle(found).unicodeBidi") == "plaintext"


def test_paper_shows_code_pictures_and_direction_as_they_are_meant(browser: Browser, paper: str) -> None:
    with tab(browser, paper, scheme="dark") as opened:
        opened.open("post/")
        page = opened.page
        assert page.locator("html").get_attribute("dir") == "rtl"
        assert page.locator(".code .line").first.evaluate("(found) => getComputedStyle(found).display") == "inline"
        inline = page.locator(":not(pre) > code").first
        assert inline.evaluate("(found) => getComputedStyle(found).unicodeBidi") == "isolate"
        assert page.locator(".only-dark").first.is_visible()
        assert not page.locator(".only-light").first.is_visible()
        page.emulate_media(media="print", color_scheme="dark")
        colors = "() => [document.body, document.querySelector('.masthead a')].map((e) => getComputedStyle(e).color)"
        light = page.evaluate(colors)
        page.emulate_media(media="print", color_scheme="light")
        assert page.evaluate(colors) == light
