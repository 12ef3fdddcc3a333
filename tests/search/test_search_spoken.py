"""What is spoken in an episode is found at its second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import chromium
from quality.showcase import sound
from search_sites import SITE
from sites import build_site, write_site
from test_search_browser import BASE, PATIENCE, asked_for, links, opened, served

from devlog.features.site_search.derive.indexed_page import APART, page, text
from devlog.features.site_search.model import Record
from devlog.model.document import Body

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WEEK = f"{BASE}talks/week/"
WHOLE = f"{BASE}talks/whole/"

AUDIO = "audio:\n  file: talk.wav\n  duration: 1:20:00\n"
CUES = """\
WEBVTT

00:00:01.000 --> 00:00:05.000
<v Ada Quill>Good morning, here is the aardvark of the storage team.

00:01:12.400 --> 00:01:20.000
<v Bo Reed>We call it the pangolin(compaction_limit), for reasons of our own.

01:02:03.000 --> 01:02:09.000
<v <img src=x onerror="window.hacked=1">>The okapi <script>window.hacked = 1</script> is late.
"""
TURNS = "**Ada Quill** [00:00:02] The wombat speaks.\n\n## Later\n\n**Bo Reed** [00:00:30] The numbat answers.\n"


def turn(name: str, speaker: str, said: str) -> str:
    time = f'<a class="time" id="t=1" href="#t=1"><time datetime="PT{name[1:]}S">{name[1:]}</time></a>'
    return f'<p class="turn" id="{name}" data-start="{name[1:]}"><cite>{speaker}</cite> {time} {said}</p>\n'


def test_turns_are_told_apart_from_headings_and_say_no_times() -> None:
    found = text(Body((turn("t72", "Ada Quill", "Words."), "<p>More.</p>", turn("t75-2", "R&amp;D", "Others."))))
    assert found.startswith('<p><time id="t72"></time>Ada Quill:  Words.</p>')
    assert '<p>More.</p><p><time id="t75-2"></time>' in found
    assert "72" not in found.replace("t72", "")


def test_a_link_with_a_hole_is_left_out_as_well() -> None:
    body = Body(('<p class="turn" id="t1" data-start="1"><a class="time" ', 0, "><time>0:01</time></a> Said.</p>"))
    assert text(body) == '<p><time id="t1"></time> Said.</p>'


def test_a_transcript_follows_the_text() -> None:
    html = page(Record("/a/", "A", "b0", transcript="b1"), Body(("<p>Text</p>",)), "en", Body((turn("t1", "A", "B"),)))
    assert html.endswith(f'<p>Text</p><p>{APART}</p><p><time id="t1"></time>A:  B</p>\n</body></html>')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    head = "---\ntitle: {}\ndate: 2026-05-09\nauthor: Ada Quill (@adaquill)\n" + AUDIO
    files: dict[str, str | bytes] = {
        "content/talks/_index.md": "---\ntitle: Talks\n---\n",
        "content/talks/week/index.md": head.format("The week") + "  transcript: talk.vtt\n---\nWhat was said.\n",
        "content/talks/week/talk.vtt": CUES,
        "content/talks/week/talk.wav": sound(5),
        "content/talks/whole/index.md": head.format("Only spoken") + f"  transcript: body\n---\n{TURNS}",
        "content/talks/whole/talk.wav": sound(5),
    }
    root = write_site(tmp_path_factory.mktemp("spoken"), {**SITE, **files})
    report = build_site(root, search=True)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == []
    with served(root / "public") as (address, _):
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def tab(browser: Browser, site: str) -> Iterator[Page]:
    context = browser.new_context(base_url=site, reduced_motion="reduce")
    found = context.new_page()
    found.set_default_timeout(PATIENCE)
    found.goto(f"{BASE}archive/")
    yield found
    assert found.evaluate("window.hacked") is None
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "url", "clock"),
    [
        ("aardvark", f"{WEEK}#t1", "0:01"),
        ("pangolin", f"{WEEK}#t72", "1:12"),
        ("compaction_limit", f"{WEEK}#t72", "1:12"),
        ("okapi late", f"{WEEK}#t3723", "1:02:03"),
        ("wombat", f"{WHOLE}#t2", "0:02"),
        ("numbat answers", f"{WHOLE}#t30", "0:30"),
    ],
)
def test_what_is_said_is_found_at_its_second(tab: Page, query: str, url: str, clock: str) -> None:
    assert asked_for(opened(tab), query)[0] == url
    row = tab.locator("dialog .search-result").first
    assert row.locator(".search-section").inner_text() == clock
    assert row.locator("mark").count() >= 1
    assert row.locator("img, script").count() == 0


@pytest.mark.browser
def test_a_result_goes_to_that_second(tab: Page) -> None:
    asked_for(opened(tab), "pangolin")
    assert "Reed: We call it the pangolin(compaction_limit)" in tab.inner_text("dialog .search-excerpt")
    tab.click("dialog .search-link")
    tab.wait_for_url(f"**{WEEK}#t72")
    tab.wait_for_selector("#t72[aria-current]")
    assert tab.evaluate("document.querySelector('audio').currentTime") == 72.4
    # From the page itself as well, and then to a heading.
    asked_for(opened(tab), "aardvark")
    tab.click("dialog .search-link")
    tab.wait_for_selector("#t1[aria-current]")
    assert tab.evaluate("document.querySelector('audio').currentTime") == 1
    asked_for(opened(tab), "later")
    assert f"{WHOLE}#later" in links(tab)
