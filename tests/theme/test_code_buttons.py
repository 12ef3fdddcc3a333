"""Buttons of code blocks, and tabs, in a real browser: what is copied, by keyboard, and without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import Tab, tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = pytest.mark.browser

LONG = "a_rather_long_name = 'and a text that is far too long for the block that it stands in' # " + "so long " * 12
BLOCKS = {
    "numbered": f'```python linenos hl_lines="2" title="x.py"\nx = 1\n\n{LONG}\n```',
    "changed": "```diff-python\n@@ -1 +1 @@\n def f():\n-    return 0\n+    return 1\n```",
    "patch": "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n```",
    "session": "```console\n$ echo one \\\n    two\n\\e[31mone two\\e[0m\nada@lumen:~$ ls > x\n# uname\nLinux $ 5\n```",
    "python": "```pycon\n>>> for x in y:\n...     f(x)\n...\n1\n>>> 1/0\nTraceback (most recent call last):\n  x\n```",
    "output": "```ansi\n\\e[1mbold\\e[0m\n$ plain\n```",
    "quiet": "```console\nno prompt at all\n```",
}
COPIED = {
    "numbered": f"x = 1\n\n{LONG}",
    "changed": "def f():\n    return 1",
    "patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new",
    "session": "echo one \\\n    two\nls > x\nuname",
    "python": "for x in y:\n    f(x)\n\n1/0",
    "output": "bold\n$ plain",
    "quiet": "no prompt at all",
}
TABS = """
```sh tab="pip"
pip install lumen
```
```sh tab="uv"
uv add lumen
```

{{< tabs >}}
{{< tab "pip" >}}With pip.{{< /tab >}}
{{< tab "uv" >}}
### About uv

With uv.
{{< /tab >}}
{{< tab "source" >}}With make.{{< /tab >}}
{{< /tabs >}}

{{< tabs >}}
{{< tab >}}Without a name.{{< /tab >}}
{{< tab "named" >}}With a name.{{< /tab >}}
{{< /tabs >}}

| Name | Rows |
|------|------|
| a | 1 |
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with one log."""
    front = "---\ntitle: Blocks\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\n---\n"
    text = front + "\n\n".join(BLOCKS.values()) + "\n" + TABS
    titled = front.replace("Blocks", "Titled") + '```sh title="src/a+b, c.cc"\none\n```\n'
    files = {"devlog.toml": 'title = "Lumen"\n', "content/blocks.md": text, "content/titled.md": titled}
    root = write_site(tmp_path_factory.mktemp("code"), files)
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    with serving(root / "public") as url:
        yield url


@pytest.fixture
def opened(browser: Browser, log: str) -> Iterator[Tab]:
    with tab(browser, log) as made:
        made.context.grant_permissions(["clipboard-read", "clipboard-write"])
        made.open("blocks/")
        yield made
        assert made.complaints == []


@pytest.fixture
def page(opened: Tab) -> Page:
    return opened.page


def shown_tabs(page: Page) -> list[str]:
    return page.locator("[role=tab][aria-selected=true]").all_inner_texts()


def panels(page: Page) -> list[bool]:
    return [panel.get_attribute("hidden") is None for panel in page.locator(".tab").all()]


def wrap_of(page: Page, name: str) -> Locator:
    return block_of(page, name).locator(".wrap-lines")


def block_of(page: Page, name: str) -> Locator:
    return page.locator(".prose > .code").nth(list(BLOCKS).index(name))


@pytest.mark.parametrize("name", BLOCKS)
def test_what_is_copied_is_what_one_would_type(page: Page, name: str) -> None:
    block = block_of(page, name)
    block.hover()  # without a language or a title, its buttons show only then
    copy = block.locator(".copy")
    copy.click()
    page.wait_for_function("(button) => button.textContent === 'Copied'", arg=copy.element_handle())
    assert page.evaluate("() => navigator.clipboard.readText()") == COPIED[name]


def test_buttons_that_are_not_shown_cover_nothing(page: Page) -> None:
    block = block_of(page, "output")
    copy = block.locator(".copy")
    hits = """(button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === button;
    }"""
    page.mouse.move(0, 0)
    copy.scroll_into_view_if_needed()
    assert not copy.evaluate(hits)
    block.hover()
    assert copy.evaluate(hits)


def test_prompts_and_numbers_are_not_selected(page: Page) -> None:
    page.keyboard.press("Control+a")
    selected: str = page.evaluate("() => getSelection().toString()")
    assert "echo one" in selected
    assert "one two" in selected  # output is: one looks for messages elsewhere
    assert "$ echo" not in selected
    assert ">>>" not in selected
    assert "+    return 1" not in selected


def marked(page: Page) -> list[str]:
    """The lines that are marked, by their text."""
    page.wait_for_timeout(0)
    return [line.inner_text().strip() for line in page.locator(".line.target").all()]


def address(page: Page) -> str:
    found: str = page.evaluate("() => location.hash")
    return found


def test_a_click_on_a_number_links_to_the_line(page: Page) -> None:
    numbers = block_of(page, "numbered").locator(".line-number")
    numbers.nth(1).click()
    assert address(page) == "#x.py-L2"
    assert marked(page) == ["2"]  # an empty line
    numbers.nth(0).click(modifiers=["Shift"])
    assert address(page) == "#x.py-L1-L2"
    assert marked(page) == ["1x = 1", "2"]
    numbers.nth(2).click(modifiers=["Shift"])
    assert address(page) == "#x.py-L1-L3"
    numbers.nth(2).click()
    assert address(page) == "#x.py-L3"
    assert page.evaluate("() => getSelection().toString()") == ""


@pytest.mark.parametrize("name", BLOCKS)
def test_a_line_without_a_number_is_linked_with_alt(page: Page, name: str) -> None:
    block = block_of(page, name)
    before = block.locator("code").inner_text()
    html = page.evaluate("(code) => code.innerHTML", block.locator("code").element_handle())
    tall = page.evaluate("() => document.documentElement.scrollHeight")
    lines = before.removesuffix("\n").split("\n")
    box = block.locator("code").bounding_box()
    assert box
    for index in range(len(lines)):
        step = box["height"] / len(lines)
        block.locator("code").click(modifiers=["Alt"], position={"x": 60, "y": (index + 0.5) * step})
        place = "x.py" if name == "numbered" else f"code-{list(BLOCKS).index(name) + 1}"
        assert address(page) == f"#{place}-L{index + 1}"
        assert marked(page) == [lines[index].strip()]
    assert block.locator("code").inner_text() == before
    assert page.evaluate("() => document.documentElement.scrollHeight") == tall
    text = page.evaluate(
        "(code) => code.innerHTML.replace(/<.?span[^>]*>/g, '')", block.locator("code").element_handle()
    )
    assert text == re.sub("<.?span[^>]*>", "", html)
    block.locator("code").click()
    assert address(page) == f"#{place}-L{len(lines)}"  # a click on code alone is nobody's wish


def test_a_line_is_linked_by_keyboard(page: Page) -> None:
    block = block_of(page, "numbered")
    tall = page.evaluate("() => document.documentElement.scrollHeight")
    button = block.get_by_role("button", name="Link")
    assert button.get_attribute("aria-pressed") == "false"
    button.focus()
    page.keyboard.press("ArrowDown")
    assert address(page) == ""  # until the button is pressed, the page scrolls
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    steps = (
        ("ArrowUp", "L1"),
        ("ArrowDown", "L2"),
        ("Shift+ArrowDown", "L2-L3"),
        ("Shift+ArrowDown", "L2-L3"),
        ("Shift+ArrowUp", "L2"),
        ("Shift+ArrowUp", "L1-L2"),
        ("Shift+ArrowDown", "L2"),
        ("ArrowDown", "L3"),
    )
    for key, place in steps:
        page.keyboard.press(key)
        assert address(page) == f"#x.py-{place}"
        said = block.get_by_role("status").inner_text()
        assert said == ("Line " + place[1:] if "-" not in place else "Lines " + place[1:].replace("-L", " to "))
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    page.keyboard.press("ArrowUp")
    assert address(page) == "#x.py-L3"
    assert page.evaluate("() => document.documentElement.scrollHeight") == tall


def test_a_tap_picks_a_line_while_the_button_is_pressed(page: Page) -> None:
    block = block_of(page, "numbered")
    code = block.locator("code")
    code.click(position={"x": 90, "y": 5})
    assert address(page) == ""
    block.get_by_role("button", name="Link").click()
    assert address(page) == "#x.py-L1"
    box = code.bounding_box()
    assert box
    code.click(position={"x": 90, "y": box["height"] - 5})
    assert address(page) == "#x.py-L3"
    assert marked(page)[0].startswith("3")


def test_no_line_is_a_stop_for_the_tab_key(page: Page) -> None:
    for name in BLOCKS:
        stops = block_of(page, name).locator("button:visible, [tabindex]:visible, a:visible").all()
        assert len(stops) <= 4  # the code if it scrolls, and its buttons


def test_a_link_to_lines_shows_them(opened: Tab) -> None:
    page = opened.page
    page.set_viewport_size({"width": 800, "height": 300})
    opened.open("blocks/#code-5-L2-4")
    assert marked(page) == ["...     f(x)", "...", "1"]
    page.locator(".line.target >> nth=0").wait_for()
    assert page.evaluate("() => scrollY") > 0
    page.evaluate("() => { location.hash = '#code-9-L1' }")  # in a tab that is not shown
    page.wait_for_function("() => document.querySelector('.line.target').innerText.startsWith('uv add')")
    assert shown_tabs(page)[0] == "uv"
    for wrong in ("#code-99-L1", "#code-5-L0", "#code-5-L99-L100", "#code-5-Lx", "#%E0%A4-L1"):
        page.evaluate("(hash) => { location.hash = hash }", wrong)
        page.wait_for_function("() => !document.querySelector('.line.target')")


def test_a_title_may_be_encoded_in_the_address_or_not(opened: Tab) -> None:
    for name in ("a+b,-c.cc", "a%2Bb%2C-c.cc"):
        opened.open(f"titled/#{name}-L1")
        opened.page.wait_for_function("() => document.querySelector('.line.target')")
        assert marked(opened.page) == ["one"]


def test_long_lines_are_broken_on_request(page: Page) -> None:
    pre = block_of(page, "numbered").locator("pre")
    wider = "(pre) => pre.scrollWidth > pre.clientWidth"
    assert pre.evaluate(wider)
    button = wrap_of(page, "numbered")
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert not pre.evaluate(wider)
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert pre.evaluate(wider)


def test_there_is_nothing_to_break_where_all_lines_fit(page: Page) -> None:
    assert wrap_of(page, "numbered").is_visible()
    assert not wrap_of(page, "patch").is_visible()


def test_an_edit_that_takes_code_out_of_its_block_spares_the_other_blocks(page: Page) -> None:
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    patch = block_of(page, "patch").locator("pre")
    page.evaluate(
        """() => {
            const first = document.querySelector(".prose .code pre");
            first.style.width = "7em";
            document.querySelector("main").prepend(first);
        }"""
    )
    patch.evaluate("(pre) => { pre.style.width = '3em'; }")
    wrap_of(page, "patch").wait_for()
    assert wrong == []


def test_tabs_show_one_alternative(page: Page) -> None:
    assert shown_tabs(page) == ["pip", "pip"]
    assert panels(page)[:5] == [True, False, True, False, False]
    assert page.locator(".ready .tab-title:visible").count() == 0


def test_a_choice_holds_for_all_groups(page: Page) -> None:
    page.get_by_role("tab", name="uv").first.click()
    assert shown_tabs(page) == ["uv", "uv"]
    assert panels(page)[:5] == [False, True, False, True, False]
    page.get_by_role("tab", name="source").click()  # which the first group does not have
    assert shown_tabs(page) == ["uv", "source"]


def test_tabs_by_keyboard(page: Page) -> None:
    page.get_by_role("tab", name="pip").last.focus()
    for key, expected in (("ArrowRight", "uv"), ("End", "source"), ("ArrowRight", "pip"), ("ArrowLeft", "source")):
        page.keyboard.press(key)
        assert page.evaluate("() => document.activeElement.textContent") == expected
        assert shown_tabs(page)[1] == expected
    page.keyboard.press("Home")
    assert shown_tabs(page) == ["pip", "pip"]
    assert page.locator("[role=tab][tabindex='0']").count() == 2  # one stop in each group


def test_arrows_follow_the_direction_of_the_text(page: Page) -> None:
    page.evaluate("() => { document.documentElement.dir = 'rtl'; }")
    page.get_by_role("tab", name="pip").last.focus()
    page.keyboard.press("ArrowLeft")
    assert shown_tabs(page)[1] == "uv"


def test_alternatives_without_a_name_stay_below_each_other(page: Page) -> None:
    assert page.get_by_text("Without a name.").is_visible()
    assert page.get_by_text("With a name.").is_visible()
    assert page.locator(".tab-title:visible").all_inner_texts() == ["named"]


def test_what_was_pressed_stays_where_it_is(page: Page) -> None:
    last = page.get_by_role("tab", name="source")
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    last.click()
    after = last.bounding_box()
    assert box is not None
    assert after is not None
    assert abs(box["y"] - after["y"]) < 2


def test_an_alternative_that_the_preview_adds_gets_a_button(page: Page) -> None:
    page.get_by_role("tab", name="uv").first.click()
    page.evaluate(
        """() => {
            const added = document.querySelector(".tab").cloneNode(true);
            added.querySelector(".tab-title").textContent = "conda";
            added.setAttribute("hidden", "");
            document.querySelector(".tabs").append(added);
            document.dispatchEvent(new CustomEvent("devlog:update"));
        }"""
    )
    assert page.get_by_role("tablist").first.get_by_role("tab").all_inner_texts() == ["pip", "uv", "conda"]
    assert shown_tabs(page) == ["uv", "uv"]
    assert page.locator("[role=tablist]").count() == 2
    assert page.locator(".copy").count() == len(BLOCKS) + 3  # in each block of a tab, and in the copy of one
    page.get_by_role("tab", name="conda").click()
    assert panels(page)[:3] == [False, False, True]


def test_names_and_roles_belong_together(page: Page) -> None:
    for button in page.locator("[role=tab]").all():
        panel = page.locator(f"[id='{button.get_attribute('aria-controls')}']")
        assert panel.get_attribute("role") == "tabpanel"
        assert panel.get_attribute("aria-labelledby") == button.get_attribute("id")


def test_a_link_leads_into_an_alternative(opened: Tab) -> None:
    opened.page.goto(opened.home + "blocks/#about-uv")
    opened.page.wait_for_selector("#about-uv", state="visible")
    assert shown_tabs(opened.page) == ["uv", "uv"]


def test_what_is_found_on_the_page_is_shown(page: Page) -> None:
    page.locator(".ready > .tab").last.evaluate(
        "(panel) => panel.dispatchEvent(new Event('beforematch', {bubbles: true}))"
    )
    assert shown_tabs(page)[1] == "source"


def test_a_wide_table_is_reached_by_keyboard(page: Page) -> None:
    box = page.get_by_role("region", name="Table 1")
    box.focus()
    assert box.evaluate("(box) => box === document.activeElement")


def test_without_a_script_all_is_there(browser: Browser, log: str) -> None:
    with tab(browser, log, script=False) as made:
        made.open("blocks/")
        assert made.page.locator("button:visible").count() == 0
        for text in ("pip install lumen", "uv add lumen", "With pip.", "With uv.", "With make."):
            assert made.page.get_by_text(text).is_visible()
        assert made.page.locator(".tab-title:visible").all_inner_texts() == [
            *("pip", "uv"),
            *("pip", "uv", "source"),
            "named",
        ]


def test_nothing_moves_when_the_script_comes(browser: Browser, log: str) -> None:
    with tab(browser, log) as made:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        made.page.route(re.compile(r"/code\.js"), hold)
        made.page.goto(log + "blocks/", wait_until="commit")
        made.page.wait_for_selector(".tab-title >> nth=4", state="attached")
        made.page.locator(".tabs").last.scroll_into_view_if_needed()
        made.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        before = made.page.evaluate("() => document.body.scrollHeight")
        assert held, "the script was not asked for"
        held[0].continue_()
        made.page.wait_for_selector("[role=tab]")
        assert made.page.evaluate("() => document.body.scrollHeight") == before
        assert made.heard()["shift"] == 0
