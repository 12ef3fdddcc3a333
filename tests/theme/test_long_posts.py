"""The theme's scripts on posts with very many notes or code blocks, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MANY = 300
FRONT = "---\ntitle: Many\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\n---\n"
NOTES = "".join(f"Words of the planner.[^{i}]\n\n[^{i}]: Note {i}.\n\n" for i in range(MANY))
CODE = "".join(f"```text\n{'long ' * 60}{i}\n```\n\n" for i in range(MANY))
LINES = "```text\n" + "line\n" * 10_000 + "```\n"
MORE_LINES = LINES.replace("text\n", "text\nline\n") + LINES
COLORS = "```python\n" + 'def f():\n    """\n    Text.\n    """\n' * 2_000 + "```\n"
TABS = "".join(f'```sh tab="a{i}"\nls {i}\n```\n' for i in range(2_000))
DEEP = 60
NESTED = (
    f'<sup class="footnote-ref">{"".join(f"""<a href="#k{i}">x</a>""" for i in range(DEEP))}</sup>\n\n'
    f'<div class="footnotes"><ol>{"".join(f"""<li id="k{i}"><ol>""" for i in range(DEEP))}<li>The planner.</li>'
    f"{'</ol></li>' * DEEP}</ol></div>\n"
)
TASKS = "- [ ] a\n" * 30_000
WIDE = "".join(f"```text\n{'long ' * 60}{i}\n```\n\nWords.[^{i}]\n\n[^{i}]: Note {i}.\n\n" for i in range(20))


TEXTS = {
    "notes": NOTES,
    "code": CODE,
    "wide": WIDE,
    "lines": LINES,
    "more": MORE_LINES,
    "colors": COLORS,
    "nested": NESTED,
    "tasks": TASKS,
    "tabs": TABS,
}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with one post of each kind."""
    posts = {f"content/{name}.md": FRONT + text for name, text in TEXTS.items()}
    root = write_site(tmp_path_factory.mktemp("long"), {"devlog.toml": 'title = "Lumen"\n', **posts})
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    with serving(root / "public") as url:
        yield url


@pytest.mark.parametrize(
    ("path", "shown", "least"),
    [("notes/", ".margin-note", MANY // 2), ("code/", ".wrap-lines:not([hidden])", MANY)],
)
def test_the_page_is_laid_out_a_few_times_however_many_there_are(
    browser: Browser, log: str, path: str, shown: str, least: int
) -> None:
    with tab(browser, log) as opened:
        session = opened.context.new_cdp_session(opened.page)
        session.send("Performance.enable")
        opened.open(path)
        opened.page.wait_for_function(f"() => document.querySelectorAll('{shown}').length >= {least}")
        metrics = {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
        assert metrics["LayoutCount"] < MANY / 3
        assert opened.complaints == []


def test_notes_between_wide_blocks_lie_over_nothing(browser: Browser, log: str) -> None:
    with tab(browser, log, width=1600) as opened:
        opened.open("wide/")
        opened.page.wait_for_function("() => document.querySelector('.margin-note')")
        assert (
            opened.page.evaluate(
                """() => {
                const boxes = (all) => [...document.querySelectorAll(all)].map((one) => one.getBoundingClientRect());
                const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                const notes = boxes(".margin-note");
                const others = boxes(".prose > *");
                const lies = (note) => [...others, ...notes].some((other) => other !== note && meet(note, other));
                return notes.filter(lies).length;
            }"""
            )
            == 0
        )


def test_lines_of_a_long_text_are_found(browser: Browser, log: str) -> None:
    with tab(browser, log) as opened:
        opened.open("lines/#code-1-L9999-L10000")
        opened.page.wait_for_function("() => document.querySelectorAll('.line.target').length === 2")
        assert opened.page.locator(".line.target").all_inner_texts() == ["line\n", "line\n"]
        assert opened.page.locator(".line").count() == 10_000
        assert opened.complaints == []


def test_very_long_texts_are_not_divided_into_lines(browser: Browser, log: str) -> None:
    """A link to a line, which may come from anywhere, must not stop the browser."""
    with tab(browser, log) as opened:
        opened.open("more/#code-1-L1-L999999999")
        opened.page.locator(".pick").wait_for()
        assert opened.page.locator(".pick").count() == 1  # the second text has one line less
        code = opened.page.locator("pre code").first
        code.click(modifiers=["Alt"], position={"x": 9, "y": 9})
        assert opened.page.locator(".line").count() == 0
        assert opened.page.evaluate("() => location.hash") == "#code-1-L1-L999999999"
        opened.open("more/#code-2-L2")
        opened.page.wait_for_function("() => document.querySelectorAll('.line.target').length === 1")
        assert opened.complaints == []


def test_lines_keep_text_and_colors(browser: Browser, log: str) -> None:
    look = (
        "() => { const code = document.querySelector('.prose code'), found = [];"
        " const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);"
        " while (texts.nextNode()) for (const letter of texts.currentNode.data)"
        " found.push(letter + texts.currentNode.parentElement.closest('code span:not(.line)')?.className);"
        " return found.join(); }"
    )
    with tab(browser, log) as opened:
        opened.open("colors/")
        before = opened.page.evaluate(look)
        opened.open("colors/#code-1-L3")
        opened.page.wait_for_function("() => document.querySelectorAll('.line.target').length === 1")
        assert opened.page.evaluate(look) == before
        assert opened.page.locator(".line").count() == 8_000
        assert opened.page.locator(".line.target").inner_text() == "    Text.\n"


def test_very_many_alternatives_are_no_choice(browser: Browser, log: str) -> None:
    with tab(browser, log) as opened:
        opened.open("tabs/")
        opened.page.wait_for_function("() => document.querySelectorAll('.tabs').length === 1")
        assert opened.page.locator(".tab-list").count() == 0
        opened.page.wait_for_function(  # after the seconds in which the style sheet waits for the script
            "() => [...document.querySelectorAll('.tab')].every((one) => one.getBoundingClientRect().height > 20)"
        )
        assert opened.complaints == []


def test_notes_in_notes_are_copied_once(browser: Browser, log: str) -> None:
    with tab(browser, log, width=1600) as opened:
        opened.open("nested/")
        opened.page.wait_for_function("() => document.querySelector('.margin-note')")
        assert opened.page.locator(".margin-note").count() == 1
        assert opened.complaints == []


def test_a_very_long_list_of_tasks_loads(browser: Browser, log: str) -> None:
    """With styles that look at all items for each, a browser needs minutes."""
    with tab(browser, log) as opened:
        opened.open("tasks/")
        assert opened.page.locator(".task-list-item").count() == 30_000
        assert opened.complaints == []
