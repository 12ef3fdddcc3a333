"""The preview's script in a real browser: pages change in place, and what the reader has done to them stays."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from client_pages import paragraphs, post, sound, square
from client_server import Lumen, until
from quality.browsing import chromium
from sites import build_site, read_tree, write_site

from devlog.serve.app import SCRIPT
from devlog.serve.responses import Problem

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PATH = "/kernels/a/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium("--autoplay-policy=no-user-gesture-required") as started:
        yield started


@pytest.fixture
def lumen() -> Iterator[Lumen]:
    server = Lumen()
    yield server
    server.stop()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A tab without animations of its own, in which nothing may go wrong."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, reduced_motion="reduce")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if "devlog:" in message.text else None)
    yield page
    context.close()
    assert wrong == []


def _visit(tab: Page, lumen: Lumen, path: str = PATH) -> None:
    """Go to a page, and wait until its script listens. The marker is gone when the page is loaded anew."""
    tab.goto(lumen.base + path)
    until(lambda: path in lumen.listening(), "a stream")
    until(lambda: lumen.fetched(path) == 1, "the script's own look at the page")
    tab.evaluate("window.marker = 'here'")


def _stayed(tab: Page) -> bool:
    return bool(tab.evaluate("window.marker === 'here'"))


def _await(tab: Page, expression: str) -> None:
    tab.wait_for_function(f"() => {expression}", timeout=10_000)


def _text(tab: Page, selector: str) -> str:
    return tab.locator(selector).inner_text()


def _problem(severity: str = "error", **facts: Any) -> Problem:
    values: dict[str, Any] = {
        "code": "missing-handle", "message": "the name has no @ before the handle", "path": "content/kernels/a.md",
        "line": 4, "column": 10, "length": 8, "hint": "write “Ada Quill (@adaquill)”",
        "frame": 'author: "Ada Quill(adaquill)"',
    }  # fmt: skip
    return Problem(**{**values, "severity": severity, **facts})


def test_a_text_appears_and_the_place_stays(tab: Page, lumen: Lumen) -> None:
    blocks = paragraphs(60)
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    tab.evaluate("scrollTo(0, 1500)")
    below = "p => p.getBoundingClientRect().top > 50"
    shown = tab.evaluate(f"[...document.querySelectorAll('.e-content p')].findIndex({below})")
    blocks[shown] = f'<p class="n{shown}">Something new.</p>'
    lumen.change(PATH, post(*blocks))
    _await(tab, f"document.querySelector('.n{shown}').textContent === 'Something new.'")
    assert tab.evaluate("scrollY") == 1500
    assert _stayed(tab)


def test_the_title_and_the_head_follow(tab: Page, lumen: Lumen) -> None:
    head = '<meta name="description" content="old">\n<script type="application/ld+json">{"a": 1}</script>'
    lumen.put(PATH, post("<p>One</p>", head=head))
    _visit(tab, lumen)
    head = (
        '<meta name="author" content="Bo Reed">\n<meta name="description" content="new">\n'
        '<script type="application/ld+json">{"a": 2}</script>'
    )
    lumen.change(PATH, post("<p>One</p>", head=head, title="Planner"))
    _await(tab, "document.title === 'Planner'")
    metas = tab.evaluate("[...document.querySelectorAll('meta[name]')].map(m => m.name + '=' + m.content)")
    assert metas == ["author=Bo Reed", "description=new"]
    assert tab.evaluate("document.querySelector('[type$=json]').textContent") == '{"a": 2}'
    assert _stayed(tab)


def test_what_the_reader_has_done_stays(tab: Page, lumen: Lumen) -> None:
    form = (
        '<form><input name="q" value="first"><input name="box" type="checkbox"><textarea name="t">text</textarea>'
        '<select name="s"><option>one</option><option>two</option></select></form>'
    )
    details = "<details><summary>More</summary><p>Hidden.</p></details>"
    dialog = '<dialog id="d"><p>A word.</p></dialog>'
    lumen.put(PATH, post("<p>One</p>", form, details, dialog))
    _visit(tab, lumen)
    tab.locator("[name=box]").check()
    tab.locator("[name=t]").fill("written")
    tab.locator("[name=s]").select_option("two")
    tab.locator("summary").click()
    tab.evaluate("document.querySelector('dialog').show()")
    tab.locator("[name=q]").fill("typed by hand")
    tab.evaluate("document.querySelector('[name=q]').setSelectionRange(2, 7)")
    new = form.replace('value="first"', 'value="second" title="Search"').replace("</form>", "<b>Go</b></form>")
    lumen.change(
        PATH,
        post("<p>Zero</p>", "<p>One!</p>", new, details.replace("Hidden.", "Shown."), dialog.replace("word", "line")),
    )
    _await(tab, "document.querySelector('details p').textContent === 'Shown.'")
    assert tab.evaluate(
        """() => {
          const q = document.querySelector("[name=q]");
          return [q.value, q.title, q.selectionStart, q.selectionEnd, document.activeElement === q,
            document.querySelector("[name=box]").checked, document.querySelector("[name=t]").value,
            document.querySelector("[name=s]").value, document.querySelector("details").open,
            document.querySelector("dialog").open, document.querySelector("dialog").textContent];
        }"""
    ) == ["typed by hand", "Search", 2, 7, True, True, "written", "two", True, True, "A line."]
    assert _stayed(tab)


def test_a_field_that_is_another_inherits_nothing(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post('<p>Say:</p><input name="mail">'))
    _visit(tab, lumen)
    tab.locator("input").fill("ada@lumen.example")
    lumen.change(PATH, post('<p>Say:</p><input name="phone">'))
    _await(tab, "document.querySelector('input').name === 'phone'")
    assert tab.evaluate("document.querySelector('input').value") == ""


@pytest.mark.parametrize("around", ["{}", "<figure>{}<figcaption>A talk.</figcaption></figure>"])
def test_a_player_goes_on(tab: Page, lumen: Lumen, around: str) -> None:
    lumen.files["/talk.wav"] = ("audio/wav", sound())
    player = '<audio controls src="/talk.wav" class="talk"></audio>'
    blocks = paragraphs(5)
    lumen.put(PATH, post(*blocks[:2], player, *blocks[2:]))
    _visit(tab, lumen)
    tab.evaluate(
        "async () => { window.player = document.querySelector('audio'); player.muted = true; await player.play(); }"
    )
    _await(tab, "player.currentTime > 0.1")
    # Text around it changes, it goes to another place, and here into another element too.
    lumen.change(PATH, post(blocks[4], "<p>New.</p>", blocks[1], *blocks[2:4], around.format(player), "<p>After.</p>"))
    _await(tab, "document.body.textContent.includes('After.')")
    before = tab.evaluate("player.currentTime")
    assert before > 0.1
    assert tab.evaluate("player.isConnected && document.querySelectorAll('audio').length === 1")
    _await(tab, f"!player.paused && player.currentTime > {before + 0.1}")
    # And it is still known: the next change finds it.
    lumen.change(PATH, post("<p>Alone.</p>", around.format(player.replace("controls", 'controls title="Talk"'))))
    _await(tab, "document.querySelector('.e-content').textContent.startsWith('Alone.')")
    assert tab.evaluate("document.querySelector('audio') === player && player.title === 'Talk' && !player.paused")
    assert _stayed(tab)


def test_a_player_that_goes_on_is_otherwise_the_new_one(tab: Page, lumen: Lumen) -> None:
    lumen.files["/talk.wav"] = ("audio/wav", sound())
    lumen.put(PATH, post('<audio src="/talk.wav" class="old" title="a">Old text.</audio>', *paragraphs(2)))
    _visit(tab, lumen)
    tab.evaluate(
        "async () => { window.player = document.querySelector('audio'); player.muted = true; await player.play(); }"
    )
    new = '<audio src="/talk.wav" class="new" controls="">New <b>text</b>.</audio>'
    for content in (new, new.replace("<b>text</b>", "<b>words</b>")):
        lumen.change(PATH, post(f"<blockquote>{content}</blockquote>", *paragraphs(2)))
        _await(tab, f"document.querySelector('audio').outerHTML === {json.dumps(content)}")
        assert tab.evaluate("document.querySelector('audio') === player && !player.paused")
    assert _stayed(tab)


@pytest.mark.parametrize("anchor", ["auto", "none"], ids=["the browser anchors too", "the browser does not"])
def test_an_insertion_above_moves_nothing_in_view(tab: Page, lumen: Lumen, anchor: str) -> None:
    blocks = paragraphs(80)
    head = f"<style>html {{ overflow-anchor: {anchor} }}</style>"
    lumen.put(PATH, post(*blocks, head=head))
    _visit(tab, lumen)
    tab.evaluate("scrollTo(0, document.querySelector('.n50').offsetTop - 200)")
    before = tab.evaluate("document.querySelector('.n50').getBoundingClientRect().top")
    lumen.change(PATH, post(*blocks[:3], *paragraphs(5, first=100), *blocks[3:], head=head), scroll=False)
    _await(tab, "document.querySelector('.n104')")
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert abs(tab.evaluate("document.querySelector('.n50').getBoundingClientRect().top") - before) < 1
    lumen.change(PATH, post(*blocks[10:], head=head), scroll=False)
    _await(tab, "!document.querySelector('.n9')")
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert abs(tab.evaluate("document.querySelector('.n50').getBoundingClientRect().top") - before) < 1


def test_an_insertion_in_view_keeps_what_is_above_it(tab: Page, lumen: Lumen) -> None:
    blocks = paragraphs(80)
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    tab.evaluate("scrollTo(0, document.querySelector('.n50').offsetTop - 20)")
    place = tab.evaluate("scrollY")
    lumen.change(PATH, post(*blocks[:53], "<p class='new'>New.</p>", *blocks[53:]))
    _await(tab, "document.querySelector('.new')")
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert tab.evaluate("scrollY") == place


@pytest.mark.parametrize("scroll", [True, False])
def test_it_goes_to_what_was_edited(tab: Page, lumen: Lumen, scroll: bool) -> None:
    blocks = paragraphs(80)
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    blocks[60] = blocks[60].replace("Paragraph", "Chapter")
    lumen.change(PATH, post(*blocks, header="<h1>Lumen, 5 min</h1>"), scroll=scroll)
    _await(tab, "document.querySelector('.n60').textContent.startsWith('Chapter')")
    box = tab.evaluate("document.querySelector('.n60').getBoundingClientRect().toJSON()")
    if scroll:
        assert 0 < box["top"] < box["bottom"] < 700
    else:
        assert tab.evaluate("scrollY") == 0


def test_it_goes_to_where_something_was_removed(tab: Page, lumen: Lumen) -> None:
    blocks = paragraphs(80)
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    lumen.change(PATH, post(*blocks[:60], *blocks[61:]))
    _await(tab, "!document.querySelector('.n60') && scrollY > 0")
    assert 0 < tab.evaluate("document.querySelector('.n61').getBoundingClientRect().top") < 700


def test_what_it_goes_to_is_marked_for_a_moment(browser: Browser, lumen: Lumen) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    tab = context.new_page()
    blocks = paragraphs(80)
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    blocks[70] = '<p class="n70">New.</p>'
    lumen.change(PATH, post(*blocks))
    _await(tab, "document.querySelector('.n70').getAnimations().length === 1")
    _await(tab, "document.querySelector('.n70').getBoundingClientRect().top < innerHeight")
    _await(tab, "document.querySelector('.n70').getAnimations().length === 0")
    assert not tab.evaluate("document.querySelector('.n70').hasAttribute('style')")
    context.close()


def test_a_style_sheet_is_swapped(tab: Page, lumen: Lumen) -> None:
    lumen.files["/style.css"] = ("text/css", b"p { color: rgb(1, 2, 3) }")
    lumen.put(PATH, post("<p>One</p>", head='<link rel="stylesheet" href="/style.css?h=1">'))
    _visit(tab, lumen)
    assert tab.evaluate("getComputedStyle(document.querySelector('p')).color") == "rgb(1, 2, 3)"
    # Watches every frame: there must be none without any style.
    tab.evaluate(
        """() => {
          window.seen = new Set();
          (function look() {
            seen.add(getComputedStyle(document.querySelector("p")).color);
            requestAnimationFrame(look);
          })();
        }"""
    )
    lumen.files["/style.css"] = ("text/css", b"p { color: rgb(4, 5, 6) }")
    lumen.tell({}, ("/style.css",))
    _await(tab, "seen.has('rgb(4, 5, 6)') && document.querySelectorAll('link').length === 1")
    lumen.files["/style.css"] = ("text/css", b"p { color: rgb(7, 8, 9) }")
    head = '<link rel="stylesheet" href="/style.css?h=2">'
    lumen.change(PATH, post("<p>One</p>", head=head), files=("/style.css",))
    _await(tab, "seen.has('rgb(7, 8, 9)') && document.querySelectorAll('link').length === 1")
    lumen.change(PATH, post("<p>One!</p>", head=head))
    _await(tab, "document.querySelector('p').textContent === 'One!'")
    assert tab.evaluate("[...seen]") == ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "rgb(7, 8, 9)"]
    assert tab.evaluate("document.querySelector('link').getAttribute('href')").endswith("/style.css?h=2")
    assert lumen.asked.count(("/style.css", True)) == 3
    assert _stayed(tab)


def test_pictures_that_show_a_file_are_refreshed(tab: Page, lumen: Lumen) -> None:
    lumen.files |= {f"/{name}.svg": ("image/svg+xml", square("red")) for name in ("one", "two", "wide")}
    lumen.put(
        PATH,
        post(
            '<p><img src="/one.svg"><img src="/two.svg"></p>',
            '<picture><source srcset="/wide.svg 2x, /two.svg 1x"><img src="/two.svg"></picture>',
        ),
    )
    _visit(tab, lumen)
    lumen.tell({}, ("/one.svg", "/wide.svg"))
    _await(tab, "document.querySelector('img').src.includes('?devlog=')")
    assert tab.evaluate("document.querySelectorAll('img')[1].getAttribute('src')") == "/two.svg"
    assert re.fullmatch(
        r"\S+/wide\.svg\?devlog=\d+ 2x, /two\.svg 1x", tab.evaluate("document.querySelector('source').srcset")
    )
    until(lambda: lumen.asked.count(("/one.svg", True)) == 2, "the picture once more")
    assert _stayed(tab)


def test_players_of_a_file_are_refreshed(tab: Page, lumen: Lumen) -> None:
    names = ("audio", "source", "video", "other")
    lumen.files |= {f"/{name}.wav": ("audio/wav", sound(1)) for name in names}
    lumen.files["/poster.svg"] = ("image/svg+xml", square("red"))
    lumen.put(
        PATH,
        post(
            '<audio preload="auto" src="/audio.wav#t=0.5"></audio>',
            '<audio preload="auto"><source src="/none.wav"><source src="/source.wav"></audio>',
            '<video preload="auto" src="/video.wav" poster="/poster.svg"></video>',
            '<audio preload="auto" src="/other.wav"></audio>',
        ),
    )
    _visit(tab, lumen)
    lengths = "[...document.querySelectorAll('audio, video')].map((one) => Math.round(one.duration)).join()"
    _await(tab, f"{lengths} === '1,1,1,1'")
    lumen.files |= {f"/{name}.wav": ("audio/wav", sound(4)) for name in names}
    lumen.tell({}, ("/audio.wav", "/source.wav", "/video.wav", "/poster.svg"))
    _await(tab, f"{lengths} === '4,4,4,1'")
    assert tab.evaluate("document.querySelector('audio').src.endsWith('#t=0.5')")
    until(lambda: lumen.asked.count(("/poster.svg", True)) == 2, "the poster once more")
    assert _stayed(tab)


def test_players_are_refreshed_after_a_lost_connection(tab: Page, lumen: Lumen) -> None:
    """But not those that somebody has begun to play."""
    lumen.files |= {f"/{name}.wav": ("audio/wav", sound(1)) for name in ("begun", "other")}
    players = (f'<audio preload="auto"><source src="/{name}.wav"></audio>' for name in ("begun", "other"))
    lumen.put(PATH, post(*players))
    _visit(tab, lumen)
    lengths = "[...document.querySelectorAll('audio')].map((one) => Math.round(one.duration)).join()"
    _await(tab, f"{lengths} === '1,1'")
    tab.evaluate(
        "async () => { window.begun = document.querySelector('audio'); begun.muted = true; await begun.play(); }"
    )
    _await(tab, "begun.currentTime > 0.1")
    lumen.files |= {f"/{name}.wav": ("audio/wav", sound(4)) for name in ("begun", "other")}
    lumen.stop()
    tab.locator("devlog-overlay .lost").wait_for()
    lumen.start()
    _await(tab, f"{lengths} === '1,4'")
    assert _stayed(tab)


def test_other_files_do_nothing(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    lumen.tell({"/kernels/b/": "other"}, ("/talk.wav", "/style.css"))
    lumen.change(PATH, post("<p>Two</p>"))
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    assert _stayed(tab)
    assert lumen.fetched(PATH) == 2


def _reloaded(tab: Page, lumen: Lumen, visits: int = 2) -> None:
    until(lambda: lumen.visited(PATH) == visits, "another visit")
    _await(tab, "document.readyState === 'complete'")
    assert not _stayed(tab)


def test_a_changed_script_reloads(tab: Page, lumen: Lumen) -> None:
    lumen.files["/theme.js"] = ("text/javascript", b"document.documentElement.title = 'old'")
    lumen.put(PATH, post("<p>One</p>", head='<script src="/theme.js"></script>'))
    _visit(tab, lumen)
    lumen.files["/theme.js"] = ("text/javascript", b"document.documentElement.title = 'new'")
    lumen.tell({}, ("/theme.js",))
    _reloaded(tab, lumen)
    assert tab.evaluate("document.documentElement.title") == "new"


@pytest.mark.parametrize(
    "after",
    [
        post("<p>One</p>", head='<script src="/other.js"></script>'),
        post("<p>One</p>", head='<script src="/theme.js"></script>', kind="kind-page"),
        post("<p>One</p>", "<script>1</script>", head='<script src="/theme.js"></script>'),
    ],
    ids=["another script", "another kind", "a script in the text"],
)
def test_what_cannot_be_done_in_place_reloads(tab: Page, lumen: Lumen, after: str) -> None:
    lumen.put(PATH, post("<p>One</p>", head='<script src="/theme.js"></script>'))
    _visit(tab, lumen)
    lumen.change(PATH, after)
    _reloaded(tab, lumen)


def test_a_change_before_the_script_has_begun(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.before[SCRIPT] = lambda: lumen.put(PATH, post("<p>Two</p>"))
    tab.goto(lumen.base + PATH)
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    assert lumen.visited(PATH) == 2
    until(lambda: lumen.fetched(PATH) == 3, "the look at the new page")
    lumen.change(PATH, post("<p>Three</p>"))
    _await(tab, "document.querySelector('p').textContent === 'Three'")
    assert lumen.visited(PATH) == 2


def test_a_failing_answer_is_asked_for_again(browser: Browser, lumen: Lumen) -> None:
    tab = browser.new_context().new_page()
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    warnings: list[str] = []
    tab.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    lumen.failing = 2
    lumen.change(PATH, post("<p>Two</p>"))
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    assert [text.partition("\n")[0] for text in warnings] == ["devlog: Error: the page was answered with 500"] * 2
    assert _stayed(tab)
    tab.context.close()


def test_a_page_that_goes_and_comes_back(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    lumen.remove(PATH)
    _reloaded(tab, lumen)
    assert tab.evaluate("document.body.textContent") == "Nothing here."
    until(lambda: lumen.listening() == [PATH], "a stream")
    lumen.change(PATH, post("<p>Two</p>"))
    _await(tab, "document.querySelector('.e-content p')?.textContent === 'Two'")


def test_many_updates_are_fetched_one_after_the_other(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>0</p>"))
    _visit(tab, lumen)
    lumen.hold.clear()
    lumen.change(PATH, post("<p>1</p>"))
    until(lambda: lumen.fetched(PATH) == 2, "a first look")
    for number in range(2, 10):
        lumen.change(PATH, post(f"<p>{number}</p>"))
    lumen.report(_problem("warning"))  # comes after all of them: they have been read when it shows
    tab.locator("devlog-overlay .badge").wait_for()
    assert lumen.fetched(PATH) == 2
    lumen.hold.set()
    _await(tab, "document.querySelector('p').textContent === '9'")
    lumen.change(PATH, post("<p>10</p>"))
    _await(tab, "document.querySelector('p').textContent === '10'")
    assert lumen.fetched(PATH) == 4
    assert _stayed(tab)


def test_only_the_tab_whose_page_changed_asks(browser: Browser, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.put("/b/", post("<p>One</p>"))
    first, second = (browser.new_context().new_page() for _ in range(2))
    _visit(first, lumen)
    _visit(second, lumen, "/b/")
    lumen.change("/b/", post("<p>Two</p>"))
    _await(second, "document.querySelector('p').textContent === 'Two'")
    lumen.report(_problem("warning"))
    first.locator("devlog-overlay .badge").wait_for()
    assert (lumen.fetched(PATH), lumen.fetched("/b/")) == (1, 2)
    first.context.close()
    second.context.close()


def test_it_connects_again_and_repairs_what_it_missed(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    lumen.stop()
    lost = tab.locator("devlog-overlay .lost")
    lost.wait_for()
    assert lost.inner_text() == "Connection lost, trying again"
    lumen.put(PATH, post("<p>Two</p>"))
    lumen.start()
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    lost.wait_for(state="hidden")
    assert _stayed(tab)


def test_it_does_not_insist_when_it_is_refused(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.refusing = 503
    tab.goto(lumen.base + PATH)
    tab.locator("devlog-overlay .lost").wait_for()  # after two seconds
    assert lumen.refused <= 4  # after 0, 0.3, 0.9 and 2.1 s
    lumen.refusing = 0
    until(lambda: lumen.listening() == [PATH], "a stream")


_HIDE = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_tab_listens_no_more(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    tab.evaluate(_HIDE, "hidden")
    until(lambda: lumen.listening() == [], "the end of the stream")
    lumen.change(PATH, post("<p>Two</p>"))
    tab.evaluate(_HIDE, "visible")
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    tab.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    until(lambda: lumen.listening() == [], "the end of the stream")
    tab.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    until(lambda: lumen.listening() == [PATH], "one stream")
    assert _stayed(tab)


_SCRIPT = b"""
document.documentElement.classList.add("js");
document.documentElement.dataset.theme = "dark";
addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.textContent = "Copy";
    block.append(button);
    block.classList.add("ready");
  }
  for (const table of document.querySelectorAll("table")) {
    const box = document.createElement("div");
    box.className = "wide";
    table.replaceWith(box);
    box.append(table);
  }
  for (const math of document.querySelectorAll(".math")) {
    math.innerHTML = "<i>" + math.textContent.toUpperCase() + "</i>";
  }
  document.querySelector("main").prepend(Object.assign(document.createElement("nav"), { textContent: "Made" }));
});
document.addEventListener("devlog:update", () => { window.updates = (window.updates || 0) + 1; });
"""


def test_what_scripts_have_done_stays(tab: Page, lumen: Lumen) -> None:
    lumen.files["/theme.js"] = ("text/javascript", _SCRIPT)
    head = '<script src="/theme.js"></script>'
    code = '<div class="code"><pre><code>a = 1</code></pre></div>'
    table = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    lumen.put(PATH, post(code, table, '<p>See <span class="math">x</span>.</p>', "<p>End</p>", head=head))
    _visit(tab, lumen)
    new = post(
        code.replace("a = 1", "a = 2").replace('"code"', '"code wide"'),
        "<p>Between</p>",
        table.replace("<td>1", "<td>2"),
        '<p>See <span class="math">y</span>.</p>',
        "<p>End</p>",
        head=head,
    ).replace('lang="en"', 'lang="de" class="large"')
    lumen.change(PATH, new)
    _await(tab, "document.querySelector('td').textContent === '2'")
    assert (
        tab.evaluate("document.documentElement.outerHTML.split('>')[0]")
        == '<html lang="de" class="js large" data-theme="dark"'
    )
    inside = tab.evaluate("document.querySelector('main').innerHTML.replaceAll('\\n', '')")
    assert inside == (
        '<nav>Made</nav><article><div class="e-content">'
        '<div class="code ready wide"><pre><code>a = 2</code></pre><button>Copy</button></div><p>Between</p>'
        f'<div class="wide">{table.replace("<td>1", "<td>2")}</div>'
        '<p>See <span class="math">y</span>.</p><p>End</p></div></article>'
    )
    lumen.change(PATH, post("<p>End</p>", head=head))
    _await(tab, "!document.querySelector('table')")
    inside = tab.evaluate("document.querySelector('main').innerHTML.replaceAll('\\n', '')")
    assert inside == '<nav>Made</nav><article><div class="e-content"><p>End</p></div></article>'
    assert tab.evaluate("updates") == 2
    assert _stayed(tab)


_COUNT = """() => {
  window.work = 0;
  new MutationObserver((records) => {
    for (const one of records) work += one.type === "childList" ? one.addedNodes.length + one.removedNodes.length : 1;
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


def test_little_is_done_on_a_long_page(tab: Page, lumen: Lumen) -> None:
    blocks = [f"<!--devlog:{5 + 2 * i}-->{block}" for i, block in enumerate(paragraphs(5000))]
    facts = {"editor": "editor://open/a.md:{line}"}
    lumen.put(PATH, post(*blocks), **facts)
    _visit(tab, lumen)
    tab.evaluate(_COUNT)
    tab.evaluate("window.kept = [...document.querySelectorAll('.e-content p')]")
    blocks[2500] = blocks[2500].replace("Paragraph", "Chapter")
    lumen.change(PATH, post(*blocks), scroll=False, **facts)
    _await(tab, "document.querySelector('.n2500').textContent.startsWith('Chapter')")
    assert tab.evaluate("work") == 1
    # Lines shift, a paragraph comes in the middle, one far below changes, one goes.
    lines = [re.sub(r"<!--devlog:(\d+)-->", lambda m: f"<!--devlog:{int(m[1]) + 2}-->", block) for block in blocks]
    lines[2500:2500] = ['<!--devlog:1--><p class="new">New.</p>']
    lines[4000] = lines[4000].replace("Paragraph", "Chapter")
    del lines[100]
    lumen.change(PATH, post(*lines), scroll=False, **facts)
    _await(tab, "document.querySelector('.new')")
    assert tab.evaluate("work") <= 8
    assert tab.evaluate("kept.filter(p => p.isConnected).length") == 4999


_COUNT_NAMES = """
  const { get } = Object.getOwnPropertyDescriptor(Node.prototype, "nodeName");
  window.names = 0;
  Object.defineProperty(Node.prototype, "nodeName", {
    configurable: true,
    get() { names += 1; return get.call(this); },
  });
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<p>{}</p>", "<div>{}</div>"),
        ('<input name="a{}">', '<input name="b{}">'),
        ("<p>{}</p>", "<p>New {}</p>"),
        (
            '<p><audio preload="none" src="/a{}.wav"></audio></p>',
            '<h2><audio preload="none" src="/b{}.wav"></audio></h2>',
        ),
    ],
)
def test_the_work_grows_with_the_page_where_every_block_changes(tab: Page, lumen: Lumen, old: str, new: str) -> None:
    tab.add_init_script(_COUNT_NAMES)
    lumen.put(PATH, post(*map(old.format, range(1500))))
    _visit(tab, lumen)
    tab.evaluate("names = 0")
    lumen.change(PATH, post(*map(new.format, range(1500)), '<p class="end">The end.</p>'), scroll=False)
    _await(tab, "document.querySelector('.end')")
    assert 1500 < tab.evaluate("names") < 60_000  # each block with each other one: more than two million
    assert _stayed(tab)


_TREE = """() => {
  const copy = document.body.cloneNode(true);
  copy.querySelectorAll("script").forEach((one) => one.remove());
  return copy.innerHTML.replace(/<!--.*?-->/g, "");
}"""


def _random_block(choice: random.Random, number: int) -> str:
    word = choice.choice("lock page tree log row key".split())
    return choice.choice(
        [
            f"<p>{word} {number}</p>",
            f'<h2 id="{word}">{word}</h2>',
            "<hr>",
            f"<ul>{''.join('<li>' + choice.choice('abc') + '</li>' for _ in range(choice.randrange(5)))}</ul>",
            f'<p class="{word}">See <a href="#{word}">{word} <b>{number % 7}</b></a> &amp; more</p>',
            f'<table><tbody><tr><td>{word}</td><td data-n="{number % 3}">{number % 5}</td></tr></tbody></table>',
            f"<details><summary>{word}</summary><p>{number}</p></details>",
            f"{word} ",
        ]
    )


def test_any_page_becomes_any_other(tab: Page, lumen: Lumen) -> None:
    choice = random.Random(4)
    blocks = [_random_block(choice, i) for i in range(20)]
    lumen.put(PATH, post(*blocks))
    _visit(tab, lumen)
    for step in range(120):
        for _ in range(choice.choice([1, 1, 2, 5, 25])):
            place = choice.randrange(len(blocks) + 1)
            edit = choice.randrange(4)
            if edit == 0:
                blocks[place:place] = [_random_block(choice, step)]
            elif edit == 1:
                blocks[place : place + 1] = []
            elif edit == 2:
                blocks[place : place + 1] = [_random_block(choice, step)]
            elif blocks:
                blocks.insert(place, blocks.pop(choice.randrange(len(blocks))))
        html = post(*blocks, f'<p class="step">{step}</p>')
        lumen.change(PATH, html, scroll=False)
        _await(tab, f"document.querySelector('.step')?.textContent === '{step}'")
        expected = tab.evaluate("html => new DOMParser().parseFromString(html, 'text/html').body.innerHTML", html)
        assert tab.evaluate(_TREE) == expected
    assert _stayed(tab)


# ---- odd pages


@pytest.mark.parametrize(
    "html",
    [
        "<p>One",
        "",
        "One",
        "<!doctype html><html><head><title>x</title></head><frameset><frame></frameset></html>",
        '<!doctype html><head></head><body><p "odd"<b x=1>One</b><template><p>t</p></template><svg><a/></svg>',
        "<!doctype html><head><noscript><img src=/x></noscript></head><body><p>One</p>",
        "<table>One<tr><td>Two",
    ],
)
def test_odd_pages_do_not_break_it(tab: Page, lumen: Lumen, html: str) -> None:
    lumen.put(PATH, html)
    _visit(tab, lumen)
    lumen.change(PATH, html.replace("One", "Two").replace('"odd"', '"even"') + "<!-- -->", state="draft")
    _await(tab, "document.querySelector('devlog-ribbon')")
    if "One" in html:
        _await(tab, "document.body.textContent.includes('Two') && !document.body.textContent.includes('One')")


_HIDING = (
    "childNodes children nodeName nodeType parentNode nextSibling firstChild isConnected textContent attributes id "
    "getAttribute setAttribute insertBefore removeChild remove isEqualNode querySelectorAll classList contains matches "
    "getBoundingClientRect nextElementSibling moveBefore outerHTML getAttributeNames setAttributeNode className"
).split()

_HIDING_MORE = (
    "body head documentElement createElement querySelectorAll querySelector scripts importNode baseURI "
    "createTreeWalker createRange visibilityState dispatchEvent addEventListener"
).split()


def test_names_in_a_post_hide_nothing(tab: Page, lumen: Lumen) -> None:
    """A form answers for the names of its fields, and the document for those of its pictures and forms."""
    fields = "".join(f'<input name="{name}">' for name in _HIDING)
    pictures = "".join(f'<img name="{name}" alt="">' for name in _HIDING_MORE)
    lumen.put(PATH, post(f"<form class='a'>{fields}<b>Old</b></form>", "<p>One</p>", f"<p>{pictures}</p>", "<p>Z</p>"))
    _visit(tab, lumen)
    tab.evaluate("window.find = (selector) => Document.prototype.querySelector.call(document, selector)")
    tab.evaluate("find('[name=children]').value = 'three'")
    lumen.change(
        PATH,
        post(f"<form class='b'>{fields}<b>New</b><i>!</i></form>", "<p>Two</p>", "<p>Z</p>", f"<p>{pictures}</p>"),
        state="draft",
    )
    _await(tab, "find('form.b b')?.textContent === 'New'")
    assert tab.evaluate("find('devlog-ribbon').shadowRoot.querySelector('p').textContent") == "Draft"
    assert tab.evaluate("find('.e-content > p').textContent") == "Two"
    assert tab.evaluate("find('[name=children]').value") == "three"
    lumen.change(PATH, post("<p>Three</p>"))
    _await(tab, "find('.e-content').innerHTML === '<p>Three</p>'")
    assert _stayed(tab)


def test_our_own_elements_in_a_post_are_nothing(tab: Page, lumen: Lumen) -> None:
    html = "<devlog-overlay class='theirs'>a</devlog-overlay><devlog-ribbon>b</devlog-ribbon>"
    lumen.put(PATH, post("<p>One</p>", html))
    _visit(tab, lumen)
    lumen.report(_problem())
    panel = tab.locator("html > devlog-overlay .panel")
    panel.wait_for()
    lumen.change(PATH, post("<p>Two</p>", html.replace(">a<", ">c<")))
    _await(tab, "document.querySelector('.theirs').textContent === 'c'")
    assert tab.evaluate("[...document.querySelectorAll('.e-content *')].filter(one => one.shadowRoot).length") == 0
    assert panel.count() == 1
    lumen.report()
    panel.wait_for(state="hidden")
    assert _stayed(tab)


def test_styles_of_the_page_do_not_reach_the_panel(tab: Page, lumen: Lumen) -> None:
    styles = (
        "*, devlog-overlay { --paper: red; --ink: red; --tone: red; color: red; display: none; direction: rtl;"
        " visibility: hidden; opacity: 0; font-size: 99px; pointer-events: none; text-transform: uppercase }"
        " html, body { display: block }"
    )
    seen = (
        "(() => { const panel = document.querySelector('devlog-overlay').shadowRoot.querySelector('.panel');"
        " const s = getComputedStyle(panel);"
        " return [s.backgroundColor, s.color, s.direction, s.visibility, s.fontSize, s.textTransform, s.pointerEvents,"
        " s.borderTopColor] })()"
    )
    looks = []
    for path, head in (("/plain/", ""), (PATH, f"<style>{styles}</style>")):
        lumen.put(path, post("<p>One</p>", head=head))
        _visit(tab, lumen, path)
        lumen.report(_problem())
        tab.locator("devlog-overlay .panel").wait_for()
        looks.append(tab.evaluate(seen))
    assert looks[0] == looks[1]
    assert tab.evaluate("getComputedStyle(document.querySelector('devlog-overlay')).opacity") == "1"


def test_marks_stay_under_the_panel(tab: Page, lumen: Lumen) -> None:
    blocks = [f"<!--devlog:{5 + 2 * i}-->{block}" for i, block in enumerate(paragraphs(20))]
    style = "<style>body { margin: 0 80px }</style>"
    lumen.put(PATH, post(*blocks, head=style), editor="editor://open/a.md:{line}")
    _visit(tab, lumen)
    tab.locator("devlog-marks a").first.wait_for(state="attached")
    lumen.report(*(_problem(line=number) for number in range(1, 30)))
    tab.locator("devlog-overlay .panel").wait_for()
    tab.mouse.move(500, 640)
    mark = tab.locator("devlog-marks a.on")
    mark.wait_for()
    box = mark.bounding_box()
    assert box
    place = [box["x"] + 5, box["y"] + 5]
    assert tab.evaluate("([x, y]) => document.elementFromPoint(x, y).localName", place) == "devlog-overlay"


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ("/a%20b+c.svg", "/a b%2Bc.svg"),
        ("/50%25.svg", "/50%.svg"),
        ("/caf%C3%A9,1.svg", "/cafe\u0301%2c1.svg"),
        ("/%23x@2.svg", "/%23x%402.svg"),
    ],
)
def test_a_path_may_be_written_in_other_ways(tab: Page, lumen: Lumen, told: str, written: str) -> None:
    lumen.put(PATH, post(f'<p><img src="{written}"><img src="/other.svg"></p>'))
    _visit(tab, lumen)
    lumen.tell({}, (told,))
    _await(tab, "document.querySelector('img').src.includes('?devlog=')")
    assert tab.evaluate("document.querySelectorAll('img')[1].getAttribute('src')") == "/other.svg"
    assert _stayed(tab)


def test_a_change_and_back_again(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    lumen.hold.clear()
    lumen.change(PATH, post("<p>Two</p>"))
    until(lambda: lumen.fetched(PATH) == 2, "a look")
    lumen.change(PATH, post("<p>One</p>"))
    lumen.change("/b/", post("<p>Other</p>"))
    lumen.hold.set()
    lumen.report(_problem("warning"))
    tab.locator("devlog-overlay .badge").wait_for()
    lumen.change(PATH, post("<p>Three</p>"))
    _await(tab, "document.querySelector('p').textContent === 'Three'")
    assert _stayed(tab)


# ---- panel, badge, ribbon, marks


def test_mistakes_are_shown_and_go(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post(*paragraphs(40)))
    _visit(tab, lumen)
    panel = tab.locator("devlog-overlay .panel")
    assert not panel.is_visible()
    lumen.report(_problem(), _problem("warning", frame="", hint="", line=0, column=0, length=0))
    panel.wait_for()
    assert panel.get_attribute("role") == "alertdialog"
    assert _text(tab, "devlog-overlay .count") == "1 error, 1 warning"
    assert tab.locator("devlog-overlay .path").all_inner_texts() == [
        "content/kernels/a.md:4:10",
        "content/kernels/a.md",
    ]
    assert tab.locator("devlog-overlay mark").all_inner_texts() == ["Ada Quil"]
    assert _text(tab, "devlog-overlay .source") == 'author: "Ada Quill(adaquill)"'
    assert _text(tab, "devlog-overlay .hint") == "Hint: write “Ada Quill (@adaquill)”"
    box = panel.bounding_box()
    assert box
    assert box["height"] <= 0.6 * 700
    # The page behind it is still there, and can be scrolled to its end.
    tab.evaluate("scrollTo(0, 1e6)")
    assert tab.evaluate("document.querySelector('footer').getBoundingClientRect().bottom") <= 700 - box["height"]
    tab.keyboard.press("Escape")
    panel.wait_for(state="hidden")
    assert _text(tab, "devlog-overlay .badge") == "1 error, 1 warning"
    lumen.report(_problem(message="another"))
    panel.wait_for()
    assert _text(tab, "devlog-overlay .message") == "another"
    tab.locator("devlog-overlay .close").click()
    panel.wait_for(state="hidden")
    lumen.report()
    tab.locator("devlog-overlay .badge").wait_for(state="hidden")
    assert _stayed(tab)


def test_a_dialog_is_closed_before_the_panel(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post('<dialog><a href="/">Found</a></dialog>'))
    _visit(tab, lumen)
    panel = tab.locator("devlog-overlay .panel")
    lumen.report(_problem())
    panel.wait_for()
    tab.evaluate("document.querySelector('dialog').showModal()")
    tab.keyboard.press("Escape")
    _await(tab, "!document.querySelector('dialog').open")
    assert panel.is_visible()
    tab.keyboard.press("Escape")
    panel.wait_for(state="hidden")


def test_what_the_panel_says_is_there_as_soon_as_the_panel_is(tab: Page, lumen: Lumen) -> None:
    """Whatever asks for its texts (a screen reader, a test) need not wait for a frame to be painted."""
    lumen.put(PATH, post("<p>One</p>"))
    _visit(tab, lumen)
    tab.evaluate("""() => {
      const panel = document.querySelector("devlog-overlay").shadowRoot.querySelector("section");
      const read = () => {
        window.texts = [...panel.querySelectorAll(".message")].map((message) => message.innerText);
      };
      new MutationObserver(() => panel.hidden || read()).observe(panel, { attributeFilter: ["hidden"] });
    }""")
    lumen.report(_problem(message="first"), _problem(message="second"))
    _await(tab, "window.texts")
    assert tab.evaluate("window.texts") == ["first", "second"]


def test_warnings_wait_behind_a_badge(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.report(_problem("warning"), _problem("warning", line=9), _problem("info"))
    _visit(tab, lumen)
    badge, panel = tab.locator("devlog-overlay .badge"), tab.locator("devlog-overlay .panel")
    badge.wait_for()
    assert badge.inner_text() == "2 warnings, 1 note"
    assert not panel.is_visible()
    badge.focus()
    tab.keyboard.press("Enter")
    panel.wait_for()
    focus = "document.querySelector('devlog-overlay').shadowRoot.activeElement?.className"
    assert tab.evaluate(focus) == "close"
    tab.keyboard.press("Escape")
    panel.wait_for(state="hidden")
    assert tab.evaluate(focus).startswith("badge")


def test_problems_are_text_only(tab: Page, lumen: Lumen) -> None:
    bad = "<img src=x onerror=\"window.marker='hurt'\">"
    lumen.put(PATH, post("<p>One</p>"), editor="editor://open/a.md:{line}")
    _visit(tab, lumen)
    fields = {"message": bad, "path": bad, "code": bad, "hint": bad, "frame": bad}
    urls = ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", bad, "", "editor://open/a.md:4"]
    lumen.report(*(_problem(column=3, editor=url, **fields) for url in urls))
    tab.locator("devlog-overlay .panel").wait_for()
    inside = "document.querySelector('devlog-overlay').shadowRoot"
    assert tab.evaluate(f"{inside}.querySelectorAll('img').length") == 0
    assert tab.locator("devlog-overlay .message").first.inner_text() == bad
    assert tab.locator("devlog-overlay .source").first.inner_text() == bad
    assert tab.evaluate(f"[...{inside}.querySelectorAll('a')].map(a => a.getAttribute('href'))") == [
        "editor://open/a.md:4"
    ]
    assert _stayed(tab)


@pytest.mark.parametrize(
    ("frame", "column", "length", "shown", "marked"),
    [
        ("title: 🦊🦊 log", 9, 1, "title: 🦊🦊 log", "🦊"),
        ("\tkey:\tvalue", 7, 5, "\tkey:\tvalue", "value"),
        ("key:", 5, 1, "key:\u00a0", "\u00a0"),
        ("key: value", 99, 3, "key: value\u00a0", "\u00a0"),
        ("x" * 500 + "HERE" + "y" * 500, 501, 4, "…" + "x" * 60 + "HERE" + "y" * 116 + "…", "HERE"),
        ("z" * 1000, 1, 900, "z" * 180 + "…", "z" * 180),
        ("short", 0, 0, "short", None),
    ],
)
def test_the_spot_is_marked(
    tab: Page, lumen: Lumen, frame: str, column: int, length: int, shown: str, marked: str | None
) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.report(_problem(frame=frame, column=column, length=length))
    _visit(tab, lumen)
    tab.locator("devlog-overlay .source").wait_for()
    assert tab.locator("devlog-overlay .source").text_content() == shown
    assert tab.locator("devlog-overlay mark").all_text_contents() == ([] if marked is None else [marked])


def test_hundreds_of_problems_are_cut(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>"))
    lumen.report(*(_problem(line=number) for number in range(1, 363)))
    _visit(tab, lumen)
    tab.locator("devlog-overlay .panel").wait_for()
    assert tab.locator("devlog-overlay .problem").count() == 50
    assert _text(tab, "devlog-overlay .more") == "and 312 more: run “devlog build”"
    assert _text(tab, "devlog-overlay .count") == "362 errors"


@pytest.mark.parametrize(
    ("state", "note", "text"),
    [
        ("draft", "", "Draft"),
        ("future", "publishes 2027-05-03", "Future: publishes 2027-05-03"),
        ("expired", "2026-01-01", "Expired 2026-01-01"),
        ("expired", "expired 2026-01-01", "Expired 2026-01-01"),
    ],
)
def test_a_ribbon_tells_the_state(tab: Page, lumen: Lumen, state: str, note: str, text: str) -> None:
    lumen.put(PATH, post("<p>One</p>"), state=state, note=note)
    _visit(tab, lumen)
    ribbon = tab.locator("devlog-ribbon p")
    assert ribbon.inner_text() == text
    box, header = ribbon.bounding_box(), tab.locator("header").bounding_box()
    assert box
    assert header
    assert box["y"] == 0
    assert header["y"] >= box["height"]
    tab.emulate_media(media="print")
    assert not ribbon.is_visible()
    tab.emulate_media(media="screen")
    lumen.change(PATH, post("<p>Two</p>"))
    ribbon.wait_for(state="detached")
    assert _stayed(tab)


def test_marks_lead_to_the_source(tab: Page, lumen: Lumen) -> None:
    blocks = [f"<!--devlog:{5 + 2 * i}-->{block}" for i, block in enumerate(paragraphs(50))]
    style = "<style>body { margin: 0 80px }</style>"
    facts = {"editor": "editor://open/a%20b.md:{line}"}
    lumen.put(PATH, post(*blocks, head=style), **facts)
    _visit(tab, lumen)
    tab.locator("devlog-marks a").first.wait_for()
    html = tab.evaluate("document.body.innerHTML")
    tab.locator(".n3").hover()
    shown = tab.locator("devlog-marks a.on")
    shown.wait_for()
    assert shown.get_attribute("href") == "editor://open/a%20b.md:11"
    box, block = shown.bounding_box(), tab.locator(".n3").bounding_box()
    assert box
    assert block
    assert box["x"] + box["width"] < block["x"]
    assert abs(box["y"] - block["y"]) < 10
    assert tab.locator("devlog-marks a").count() < 20  # those in view
    tab.evaluate("scrollTo(0, document.querySelector('.n40').offsetTop)")
    _await(tab, "document.querySelector('devlog-marks').shadowRoot.querySelector('a[href$=\":85\"]')")
    link = tab.locator("devlog-marks a[href$=':85']")
    link.focus()  # by keyboard it can be reached without a pointer
    assert tab.evaluate("document.activeElement.localName") == "devlog-marks"
    assert tab.evaluate("document.body.innerHTML") == html
    # Lines follow an edit above, although no paragraph has changed.
    lines = [re.sub(r"<!--devlog:(\d+)-->", lambda m: f"<!--devlog:{int(m[1]) + 100}-->", block) for block in blocks]
    lumen.change(PATH, post(*lines, head=style), **facts)
    tab.locator("devlog-marks a[href$=':185']").wait_for(state="attached")
    lumen.change(PATH, post(*lines, head=style))
    tab.locator("devlog-marks").wait_for(state="detached")
    assert _stayed(tab)


def test_a_page_without_lines_has_one_mark(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<p>One</p>", "<p>Two</p>"), editor="editor://open/a.md:{line}")
    _visit(tab, lumen)
    link = tab.locator("devlog-marks a")
    link.wait_for()
    assert link.get_attribute("href") == "editor://open/a.md:1"
    assert link.get_attribute("aria-label") == "Source of this page"


@pytest.mark.parametrize("hidden", ["display: none", "height: 0; margin: 0; overflow: hidden"])
def test_blocks_that_take_no_room_take_no_work(tab: Page, lumen: Lumen, hidden: str) -> None:
    blocks = "".join(f'<!--devlog:{5 + i}--><p class="none">One</p>' for i in range(3000))
    lumen.put(PATH, post(f"<style>.none {{ {hidden} }}</style>", blocks), editor="x://{line}")
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    _visit(tab, lumen)
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    metrics = {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
    assert metrics["LayoutCount"] < 100
    assert tab.locator("devlog-marks a").count() <= 300


def test_a_pattern_that_runs_code_makes_no_marks(tab: Page, lumen: Lumen) -> None:
    lumen.put(PATH, post("<!--devlog:3--><p>One</p>"), editor="javascript:alert({line})")
    _visit(tab, lumen)
    lumen.change(PATH, post("<!--devlog:3--><p>Two</p>"), editor="javascript:alert({line})")
    _await(tab, "document.querySelector('p').textContent === 'Two'")
    assert tab.locator("devlog-marks").count() == 0


# ---- the default theme


def _published(folder: Path, text: str) -> dict[str, str | bytes]:
    site = write_site(
        folder,
        {
            "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example/"\n',
            "content/planner/_index.md": "---\ntitle: Planner\n---\n",
            "content/planner/2026-05-20-plans.md": f"---\ntitle: Plans\nauthor: Ada Quill (@adaquill)\n---\n{text}",
        },
    )
    build_site(site, cache=False)
    return dict(read_tree(site / "public"))


_PLANS = "/planner/2026-05-20-plans/"
_CODE = "Before.\n\n```python\nrows = 1\n```\n\nAfter.\n"


def test_the_default_theme_keeps_its_own(tab: Page, lumen: Lumen, tmp_path: Path) -> None:
    tree = _published(tmp_path / "one", _CODE)
    for path, data in tree.items():
        if path.endswith((".css", ".js", ".svg")):
            media_type = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}[path.rpartition(".")[2]]
            lumen.files[f"/{path}"] = (media_type, bytes(data))
    lumen.put(_PLANS, bytes(tree[f"{_PLANS[1:]}index.html"]).decode())
    _visit(tab, lumen, _PLANS)
    tab.locator(".theme-switch").click()
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.locator(".code button.copy").count() == 1
    tab.locator(".code code").click(modifiers=["Alt"])
    assert _text(tab, ".line.target") == "rows = 1\n"
    again = _published(tmp_path / "two", _CODE.replace("= 1", "= 2") + "\n```sql\nselect 1\n```\n")
    lumen.change(_PLANS, bytes(again[f"{_PLANS[1:]}index.html"]).decode())
    _await(tab, "document.querySelectorAll('.code').length === 2")
    assert _text(tab, ".code code >> nth=0") == "rows = 2\n"
    assert _text(tab, ".line.target") == "rows = 2\n"
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert tab.evaluate("document.documentElement.classList.contains('js')")
    assert tab.evaluate("[...document.querySelectorAll('.code')].map(one => one.querySelectorAll('.copy').length)") == [
        1,
        1,
    ]
    assert tab.evaluate("document.querySelector('.theme-switch').title") == "Color mode: dark"
    assert _stayed(tab)
