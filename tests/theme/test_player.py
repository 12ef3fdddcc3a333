"""The player of an episode, in a real browser with a real sound: by mouse, by address, by keyboard, and not at all."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from quality.browsing import tab
from quality.server import serving
from quality.showcase import sound
from sites import build_site, write_site

from devlog.model.minify import minified

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.feature("episodes")]

THEME = Path(__file__).parents[2] / "themes" / "default"
EPISODE = "talks/week/"
OTHER = "talks/other/"
ONLY = "talks/spoken/"
SPOKEN = "Words that fill a few lines of the page, so that it must be scrolled to read all of them. " * 8

FRONT = """\
---
title: {title}
date: 2026-06-02
author: Ada Quill (@adaquill)
audio:
  file: /sounds/{name}.wav
  duration: 1:40
  people: [Ada Quill, Bo Reed]
  chapters:
    - {{start: 0, title: Beginning}}
    - {{start: 50, title: The middle}}
  transcript: {name}.vtt
---

What this is about: the [second half](#t=50), and [how it ends](#the-end).

## The end
"""


SPOKEN_ONLY = """\
---
title: Only spoken
date: 2026-06-03
summary: What we talk about.
audio:
  file: /sounds/spoken.wav
  duration: 1:40
  transcript: body
---

## First

**Ada Quill** [0:00] Good morning.

## Second

**Bo Reed** [0:50] Good evening.

## Third

**Ada Quill** [1:30] Good night.
"""


def transcript() -> str:
    """A turn each ten seconds, by two people."""
    cues = [
        f"00:{start // 60:02}:{start % 60:02}.250 --> 00:{(start + 9) // 60:02}:{(start + 9) % 60:02}.000\n"
        f"<v {('Ada Quill', 'Bo Reed')[start // 10 % 2]}>{SPOKEN}\n"
        for start in range(0, 100, 10)
    ]
    return "WEBVTT\n\n" + "\n".join(cues)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    files: dict[str, str | bytes] = {
        "devlog.toml": 'title = "Lumen"\ncontent_security_policy = true\nbase_url = "https://lumen.example/log/"\n'
        "[cards]\nenabled = false\n",
        "content/talks/_index.md": "---\ntitle: Talks\n---\n",
    }
    for name in ("week", "other"):
        files[f"content/talks/{name}/index.md"] = FRONT.format(title=f"The {name}", name=name)
        files[f"content/talks/{name}/{name}.vtt"] = transcript()
        files[f"static/sounds/{name}.wav"] = sound(100)
    files["content/talks/spoken.md"] = SPOKEN_ONLY
    files["static/sounds/spoken.wav"] = sound(100)
    root = write_site(tmp_path_factory.mktemp("player"), files)
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    with serving(root / "public", "/log/") as url:
        yield url


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    with tab(browser, site) as opened:
        opened.open(EPISODE)
        yield opened.page
        assert opened.complaints == []
        assert opened.heard()["violations"] == []
        assert opened.strangers() == []


def audio(page: Page, expression: str) -> Any:
    """What the player says of itself."""
    return page.evaluate(f"() => document.querySelector('.episode audio').{expression}")


def becomes(page: Page, expression: str) -> None:
    page.wait_for_function(f"() => {expression}")


def time_becomes(page: Page, low: float, high: float) -> None:
    becomes(page, f"((t) => t >= {low} && t <= {high})(document.querySelector('.episode audio').currentTime)")


def current(page: Page) -> str:
    """The turn that is marked."""
    found: str = page.evaluate(
        "() => [...document.querySelectorAll('.turn[aria-current]')].map((turn) => turn.id).join()"
    )
    return found


def again(page: Page, path: str, site: str) -> None:
    """Leave the page, and come to another."""
    page.goto("about:blank")
    page.goto(site + path)
    page.locator(".episode-tools button").first.wait_for()


# --- without the script


def test_without_the_script_all_can_be_read_and_heard(browser: Browser, site: str) -> None:
    with tab(browser, site, script=False) as opened:
        opened.open(EPISODE)
        page = opened.page
        assert page.locator("audio[controls][preload=none]").is_visible()
        assert page.locator(".episode button").count() == 0
        chapter = page.locator(".chapters a.time").nth(1)
        assert chapter.get_attribute("href") == "/log/sounds/week.wav#t=50"
        assert page.locator(".turn").count() == 10
        assert page.locator(".turn").first.locator("cite").inner_text() == "Ada Quill"
        page.locator("#t30 .time").click()
        assert page.evaluate("() => document.querySelector(':target').closest('.turn').id") == "t30"


def test_nothing_is_loaded_before_it_is_played(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open(EPISODE)
        opened.page.locator(".episode-tools button").first.wait_for()
        assert not [url for url in opened.asked if url.endswith(".wav")]


def test_other_pages_do_not_load_the_player(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.open("talks/")
        assert not [url for url in opened.asked if "episode" in url]


# --- going to a time


def test_a_click_on_a_time_plays_from_there(page: Page) -> None:
    page.locator("#t30 .time").click()
    time_becomes(page, 30.3, 36)
    assert not audio(page, "paused")
    assert page.url.endswith("#t=30")
    assert current(page) == "t30"
    assert page.evaluate("() => document.activeElement.closest('.turn').id") == "t30"


def test_a_click_on_a_chapter_plays_from_there(page: Page) -> None:
    page.locator(".chapters a", has_text="The middle").click()
    time_becomes(page, 50, 56)
    assert not audio(page, "paused")
    assert page.locator(".chapters [aria-current] .chapter-title").inner_text() == "The middle"
    assert page.locator(".episode-now").inner_text() == "The middle"
    assert page.evaluate("() => scrollY") == 0


def test_a_chapter_that_plays_keeps_its_size(page: Page) -> None:
    title = ".chapters [data-start='50'] .chapter-title"
    before = _box(page, title)
    page.locator(".chapters a", has_text="The middle").click()
    becomes(page, "document.querySelector('.chapters [data-start=\"50\"][aria-current]')")
    assert _box(page, title)["width"] == before["width"]


@pytest.mark.parametrize("width", [320, 1280])
def test_times_can_be_hit_with_a_thumb(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.turn .time, .chapters .time, .episode-files a, .episode button')]"
        ".map((item) => item.getBoundingClientRect().height)"
    )
    assert len(sizes) > 8
    assert min(sizes) >= 24


def test_a_link_in_the_text_plays_and_others_are_links(page: Page) -> None:
    page.locator(".prose a", has_text="how it ends").click()
    assert page.url.endswith("#the-end")
    assert audio(page, "paused")
    page.locator(".prose a", has_text="second half").click()
    time_becomes(page, 50, 56)


@pytest.mark.parametrize(
    ("fragment", "seconds", "turn"),
    [
        ("t=60", 60.25, "t60"),
        ("t60", 60.25, "t60"),
        ("t=67.5", 67.5, "t60"),
        ("t=1:07", 67, "t60"),
        ("t=67,90", 67, "t60"),
        ("t=99999999999", None, "t90"),
        ("t=" + "9" * 400, None, "t90"),
    ],
)
def test_an_address_leads_to_its_second(page: Page, site: str, fragment: str, seconds: float | None, turn: str) -> None:
    again(page, f"{EPISODE}#{fragment}", site)
    assert audio(page, "paused")
    assert current(page) == turn
    assert page.locator(f"#{turn}").evaluate("(found) => Math.abs(found.getBoundingClientRect().top) < innerHeight")
    if seconds is not None:
        assert audio(page, "currentTime") == seconds
        page.evaluate("() => document.querySelector('.episode audio').play()")
        time_becomes(page, seconds + 0.1, seconds + 6)


@pytest.mark.parametrize("fragment", ["the-end", "t", "t=", "t=x", "t=1:2:3:4", "talk=5", "%E0", "t=1e9", "t=-5"])
def test_other_addresses_are_left_alone(page: Page, site: str, fragment: str) -> None:
    again(page, f"{EPISODE}#{fragment}", site)
    assert audio(page, "currentTime") == 0
    assert current(page) == ""
    assert page.locator(".episode-tools button").count() == 3


def test_an_address_shows_who_speaks(page: Page, site: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 700})
    page.goto("about:blank")
    page.goto(f"{site}{EPISODE}#t=30")
    becomes(page, "document.querySelector('#t30[aria-current]')")
    page.wait_for_load_state("load")
    assert page.evaluate("() => scrollY") > 0
    assert _box(page, "#t30 cite")["y"] >= 0


def test_another_fragment_on_the_same_page(page: Page) -> None:
    page.evaluate("() => { location.hash = '#t=70' }")
    becomes(page, "document.querySelector('#t70[aria-current]')")
    assert audio(page, "currentTime") == 70.25
    page.evaluate("() => { location.hash = '#the-end' }")
    page.wait_for_timeout(100)
    assert audio(page, "currentTime") == 70.25


def test_a_new_window_may_be_asked_for(page: Page) -> None:
    with page.context.expect_page() as opened:
        page.locator("#t30 .time").click(modifiers=["Control"])
    opened.value.wait_for_url(f"**/{EPISODE}#t=30")  # it begins with an empty page
    assert audio(page, "paused")


# --- buttons


def test_the_buttons_leap_and_change_the_speed_by_keyboard(page: Page) -> None:
    page.locator("#t30 .time").click()
    time_becomes(page, 30.3, 36)
    page.evaluate("() => document.querySelector('.episode audio').pause()")
    page.get_by_role("button", name="30 seconds on").focus()
    page.keyboard.press("Enter")
    time_becomes(page, 60.3, 66)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    time_becomes(page, 45.3, 51)
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "15 seconds back"
    speed = page.get_by_role("button", name="Speed 1×")
    speed.click()
    page.get_by_role("button", name="Speed 1.25×").wait_for()
    assert audio(page, "playbackRate") == 1.25
    for _ in range(5):
        page.get_by_role("button", name="Speed").click()
    becomes(page, "document.querySelector('.episode audio').playbackRate === 1")


def test_leaps_end_at_both_ends(page: Page) -> None:
    page.locator("#t0 .time").click()
    time_becomes(page, 0.3, 6)
    page.evaluate("() => document.querySelector('.episode audio').pause()")
    page.get_by_role("button", name="15 seconds back").click()
    becomes(page, "document.querySelector('.episode audio').currentTime === 0")
    for _ in range(5):
        page.get_by_role("button", name="30 seconds on").click()
    becomes(page, "document.querySelector('.episode audio').currentTime === 100")


def test_the_system_is_told(page: Page) -> None:
    page.locator("#t0 .time").click()
    becomes(page, "navigator.mediaSession.metadata")
    found = page.evaluate("() => (({title, artist, album}) => [title, artist, album])(navigator.mediaSession.metadata)")
    assert found == ["The week", "Ada Quill, Bo Reed", ""]


# --- what is remembered


def test_the_place_is_remembered_for_each_episode(page: Page, site: str) -> None:
    page.locator("#t30 .time").click()
    time_becomes(page, 30.3, 36)
    page.evaluate("() => document.querySelector('.episode audio').pause()")
    becomes(page, "localStorage.getItem('devlog-heard')")
    again(page, OTHER, site)
    assert audio(page, "currentTime") == 0
    assert current(page) == ""
    again(page, EPISODE, site)
    assert 30 <= audio(page, "currentTime") <= 36
    assert audio(page, "paused")
    assert page.evaluate("() => scrollY") == 0
    page.evaluate("() => document.querySelector('.episode audio').play()")
    time_becomes(page, 30.1, 42)


def test_an_address_counts_more_than_what_is_remembered(page: Page, site: str) -> None:
    page.evaluate(
        "() => localStorage.setItem('devlog-heard', JSON.stringify({rate: 1, heard: [[location.pathname, 80]]}))"
    )
    again(page, f"{EPISODE}#t=20", site)
    assert audio(page, "currentTime") == 20.25


def test_what_was_heard_to_the_end_begins_anew(page: Page, site: str) -> None:
    page.evaluate(
        "() => localStorage.setItem('devlog-heard', JSON.stringify({rate: 2, heard: [[location.pathname, 97]]}))"
    )
    again(page, EPISODE, site)
    assert audio(page, "playbackRate") == 2
    page.evaluate("() => document.querySelector('.episode audio').play()")
    becomes(page, "document.querySelector('.episode audio').ended")
    becomes(page, "!JSON.parse(localStorage.getItem('devlog-heard')).heard.length")
    again(page, EPISODE, site)
    assert audio(page, "currentTime") == 0


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "{",
        "null",
        '"x"',
        '{"heard": 5}',
        '{"rate": "x", "heard": [null]}',
        '{"rate": 99, "heard": [7, []]}',
        '{"rate": 1, "heard": [["/log/talks/week/", "x"]]}',
        '{"rate": 1, "heard": [["/log/talks/week/", -4]]}',
    ],
)
def test_whatever_is_stored_does_no_harm(page: Page, site: str, stored: str) -> None:
    page.evaluate("(stored) => localStorage.setItem('devlog-heard', stored)", stored)
    again(page, EPISODE, site)
    assert audio(page, "currentTime") == 0
    assert audio(page, "playbackRate") == 1
    page.locator("#t30 .time").click()
    time_becomes(page, 30.3, 36)


def test_only_so_many_places_are_kept(page: Page) -> None:
    page.evaluate(
        "() => localStorage.setItem('devlog-heard', JSON.stringify({rate: 1, "
        "heard: Array.from({length: 500}, (_, number) => ['/other/' + number, 60])}))"
    )
    page.locator("#t30 .time").click()
    time_becomes(page, 30.3, 36)
    page.evaluate("() => document.querySelector('.episode audio').pause()")
    becomes(page, "JSON.parse(localStorage.getItem('devlog-heard')).heard.length === 50")
    assert page.evaluate("() => JSON.parse(localStorage.getItem('devlog-heard')).heard.at(-1)[0]") == "/log/talks/week/"


def test_a_storage_that_is_forbidden_does_no_harm(browser: Browser, site: str) -> None:
    with tab(browser, site) as opened:
        opened.context.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })"
        )
        opened.open(EPISODE)
        opened.page.locator("#t30 .time").click()
        time_becomes(opened.page, 30.3, 36)
        opened.page.evaluate("() => document.querySelector('.episode audio').pause()")
        assert opened.complaints == []


# --- the transcript goes along


def follow(browser: Browser, site: str, motion: str) -> Iterator[Page]:
    with tab(browser, site) as opened:
        opened.page.emulate_media(reduced_motion="no-preference" if motion == "any" else "reduce")
        opened.open(EPISODE)
        opened.page.locator("#t30 .time").click()
        time_becomes(opened.page, 30.3, 36)
        yield opened.page


def _next_turn(page: Page) -> None:
    """Have the next turn begin, as time would."""
    page.evaluate("() => { document.querySelector('.episode audio').currentTime = 40 }")
    becomes(page, "document.querySelector('#t40[aria-current]')")


SEEN = "((box) => box.top >= 0 && box.bottom <= innerHeight)(document.querySelector('#t40').getBoundingClientRect())"


@pytest.mark.parametrize("motion", ["any", "reduce"])
def test_the_page_goes_along_unless_motion_is_not_wanted(browser: Browser, site: str, motion: str) -> None:
    for page in follow(browser, site, motion):
        page.locator("#t30").evaluate("(turn) => scrollBy(0, turn.getBoundingClientRect().bottom - innerHeight + 100)")
        assert not page.evaluate(f"() => {SEEN}")
        before = page.evaluate("() => scrollY")
        _next_turn(page)
        if motion == "any":
            becomes(page, SEEN)
        else:
            page.wait_for_timeout(400)
            assert page.evaluate("() => scrollY") == before


def test_who_reads_elsewhere_is_left_there(browser: Browser, site: str) -> None:
    for page in follow(browser, site, "any"):
        page.evaluate("() => scrollTo(0, 0)")
        _next_turn(page)
        page.wait_for_timeout(400)
        assert page.evaluate("() => scrollY") == 0


def test_the_player_stays_at_hand_below_the_text(page: Page) -> None:
    page.locator("#t80").scroll_into_view_if_needed()
    assert page.locator(".floats").count() == 0  # nobody has played it
    page.locator("#t80 .time").click()
    page.locator(".floats audio").wait_for()
    box = page.locator(".episode-player").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == pytest.approx(900, abs=1)
    height = page.evaluate("() => document.querySelector('.episode-sound').offsetHeight")
    page.evaluate("() => scrollTo(0, 0)")
    becomes(page, "!document.querySelector('.floats')")
    assert page.evaluate("() => document.querySelector('.episode-sound').offsetHeight") == height


# --- where things stand


def _box(page: Page, selector: str) -> dict[str, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return dict(box)


def test_speakers_stand_in_the_margin_where_there_is_room(page: Page) -> None:
    text, speaker, time = (_box(page, name) for name in (".post > .prose", "#t30 cite", "#t30 .time"))
    assert speaker["x"] + speaker["width"] <= text["x"]
    assert time["y"] >= speaker["y"] + speaker["height"] - 1
    assert time["width"] < speaker["width"]  # what is marked and clicked is the time, not the margin
    page.set_viewport_size({"width": 390, "height": 900})
    assert _box(page, "#t30 cite")["x"] == _box(page, ".post > .prose")["x"]


@pytest.mark.parametrize("width", [390, 1024, 1280])
def test_what_is_only_spoken_is_the_text_of_the_post(browser: Browser, site: str, width: int) -> None:
    with tab(browser, site, width=width) as opened:
        opened.open(ONLY)
        page = opened.page
        assert page.locator(".transcript .lead").inner_text() == "What we talk about."
        assert page.locator(".e-content").count() == 1
        assert page.locator(".e-content .turn").count() == 3
        contents, sound = _box(page, ".toc"), _box(page, ".episode")
        assert contents["y"] >= sound["y"] + sound["height"]
        for place in range(3):
            speaker = page.locator(".turn cite").nth(place).bounding_box()
            assert speaker is not None
            beside = speaker["x"] >= contents["x"] + contents["width"]
            assert beside or speaker["y"] >= contents["y"] + contents["height"]


def test_the_preview_may_change_the_page(page: Page) -> None:
    page.evaluate("() => document.querySelector('#t40').remove()")
    page.evaluate("() => document.dispatchEvent(new Event('devlog:update'))")
    assert page.locator(".episode-tools button").count() == 3
    page.evaluate("() => { location.hash = '#t=45' }")
    becomes(page, "document.querySelector('#t30[aria-current]')")


# --- paper and weight


def test_on_paper_there_is_the_transcript_and_no_player(page: Page) -> None:
    page.emulate_media(media="print")
    assert not page.locator(".episode audio").is_visible()
    assert page.locator("#t90").is_visible()
    assert page.locator(".chapters").is_visible()


def test_on_wide_paper_speakers_stay_on_the_sheet(page: Page) -> None:
    page.set_viewport_size({"width": 1122, "height": 794})
    page.emulate_media(media="print")
    assert all(_box(page, f"#t30 {name}")["x"] >= 0 for name in ("cite", ".time"))


@pytest.mark.parametrize(("name", "most"), [("episode.js", 2400), ("episode.css", 1700)])
def test_it_weighs_little(name: str, most: int) -> None:
    assert len(gzip.compress(minified(name, (THEME / "static" / name).read_bytes()), 9, mtime=0)) <= most
