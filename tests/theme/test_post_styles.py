"""How browsers show what a post has: its colors, numbers and distances, in both themes."""

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

THEMES = ("default", "paper")
FRONT = "---\ntitle: {}\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\n---\n"
IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"/>'
FIGURES = "".join(
    f'{{{{< figure src="a.svg" alt="A" caption="One" width="300" align="{side}" >}}}}\n\n{"كلمات " * 90}\n\n'
    for side in ("left", "right")
)
COLORS = "```{}\n$ ls\n\\e[31mred\\e[0m \\e[7minverse\\e[0m \\e[42;30mbg\\e[0m plain\n```\n\n"
POSTS = {
    "figures": FIGURES,
    "colors": COLORS.format("console") + COLORS.format("ansi"),
    "tabs": '```sh tab="one"\n1\n```\n```sh tab="two"\n2\n```\n',
    "numbers": "".join(f"{start}. text\n{start + 1}. text\n\n<!-- -->\n\n" for start in (4, 998, 1000, 999_999_998)),
    "quotes": "> quote\n> > nested\n> > > third\n\n> [!NOTE]\n> Text.\n>\n> > quote\n\nEnd.\n",
    "formulas": "Without $\\cancel{z}$:\n\n$$x + y$$\n",
    "tasks": "- [ ] task\n- [x] done\n- plain\n  - inner\n",
}


@pytest.fixture(scope="module", params=THEMES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site in Arabic, once with each theme."""
    config = f'title = "Lumen"\nlanguage = "ar"\ntheme = "{request.param}"\n'
    posts = {f"content/{name}/index.md": FRONT.format(name) + text for name, text in POSTS.items()}
    root = write_site(
        tmp_path_factory.mktemp("styles"), {"devlog.toml": config, "content/figures/a.svg": IMAGE, **posts}
    )
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    with serving(root / "public") as url:
        yield url


@pytest.mark.parametrize("site", ["default"], indirect=True)
def test_text_keeps_its_distance_from_figures(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("figures/")
        found = opened.page.evaluate(
            """() => [".left", ".right"].map((side) => {
              const { float, marginLeft, marginRight } = getComputedStyle(document.querySelector(`figure${side}`));
              return [float, parseFloat(marginLeft) > 9, parseFloat(marginRight) > 9];
            })"""
        )
        assert found == [["left", False, True], ["right", True, False]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_output_of_sessions_has_the_colors_of_output(browser: Browser, site: str, scheme: str) -> None:
    with tab(browser, site, scheme="dark" if scheme == "dark" else "light") as opened:
        opened.open("colors/")
        session, output = opened.page.evaluate(
            """() => [...document.querySelectorAll(".code")].map((block) =>
              [...block.querySelectorAll("[class*=ansi-]")].map((one) => {
                const { color, backgroundColor } = getComputedStyle(one);
                return [one.textContent, color, backgroundColor];
              }))"""
        )
        assert len(session) == 3
        assert session == output
        assert all(color != background for _, color, background in session)


def test_numbers_of_lists_are_within_the_window(browser: Browser, site: str) -> None:
    with tab(browser, site, width=390) as opened:
        opened.open("numbers/")
        room = opened.page.evaluate(
            """() => [...document.querySelectorAll("ol:has(> li > :not(a)), .prose ol, .text ol")].map((list) => {
              const probe = document.createElement("span");
              probe.style.position = "absolute";
              probe.textContent = `${list.start + 1}. `;
              list.firstElementChild.append(probe);
              const wanted = probe.getBoundingClientRect().width;
              probe.remove();
              const box = list.getBoundingClientRect(), style = getComputedStyle(list);
              const isLeft = style.direction === "ltr";
              const margin = isLeft ? box.left : innerWidth - box.right;
              return [list.start, margin + parseFloat(style.paddingInlineStart) >= wanted];
            })"""
        )
        assert room == [[start, True] for start in (4, 998, 1000, 999_999_998)]


@pytest.mark.parametrize("site", ["default"], indirect=True)
def test_boxes_end_after_their_last_line(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("quotes/")
        room = opened.page.evaluate(
            """() => [...document.querySelectorAll(":is(blockquote, .markdown-alert) blockquote")].map((quote) => {
              const outer = quote.parentElement, style = getComputedStyle(outer);
              const end = outer.getBoundingClientRect().bottom - parseFloat(style.paddingBottom);
              return Math.round(end - quote.getBoundingClientRect().bottom);
            })"""
        )
        assert room == [0, 0, 0]


def test_only_tasks_have_no_bullets(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("tasks/")
        signs = opened.page.evaluate(
            """() => [...document.querySelectorAll(".contains-task-list li")]
              .map((item) => getComputedStyle(item).listStyleType)"""
        )
        assert signs[:2] == ['""', '""']
        assert '""' not in signs[2:]
        assert len(signs) == 4


@pytest.mark.parametrize("site", ["default"], indirect=True)
def test_forced_colors_show_which_tab_is_chosen(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.page.emulate_media(forced_colors="active")
        opened.open("tabs/")
        opened.page.locator(".tab-button").first.wait_for()
        line = "buttons => buttons.map((one) => getComputedStyle(one).borderBlockEndColor)"
        chosen, other = opened.page.locator(".tab-button").evaluate_all(line)
        assert chosen != other
        assert other == opened.page.evaluate("() => getComputedStyle(document.body).backgroundColor")


def test_printed_formulas_are_whole(browser: Browser, site: str) -> None:
    """Without backgrounds, a printed formula would have no strokes; what is too wide does not scroll."""
    with tab(browser, site) as opened:
        opened.open("formulas/")
        opened.page.emulate_media(media="print")
        style = "(part, name) => getComputedStyle(part).getPropertyValue(name)"
        assert opened.page.locator("[class^=menclose-]").evaluate(style, "print-color-adjust") == "exact"
        assert opened.page.locator(".math-display").evaluate(style, "overflow") == "visible"


def test_names_in_lists_do_not_take_along_what_is_beside_them(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("")
        name = opened.page.locator(":is(.entry-authors, .by) .p-author").first
        assert name.evaluate("(name) => getComputedStyle(name).unicodeBidi") == "plaintext"
