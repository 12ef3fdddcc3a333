"""What readers have read of a path, in a real browser: it stays there, and one path knows nothing of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import Tab, tab
from quality.server import serving
from reading_paths.path_site import path, path_site
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.feature("reading_paths")]

FIRST = "storage/2026-05-01-a/"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a log with two paths, under the strictest policy."""
    site = path_site({"start": path("abc", "Start"), "other": path("ad", "Other")})
    site["devlog.toml"] = 'title = "Lumen"\nbase_url = "/log/"\ncontent_security_policy = true\n'
    root = write_site(tmp_path_factory.mktemp("paths"), site)
    assert build_site(root).written
    with serving(root / "public", "/log/") as url:
        yield url


@pytest.fixture
def opened(browser: Browser, log: str) -> Iterator[Tab]:
    with tab(browser, log) as found:
        yield found
        assert found.complaints == []


def boxes(page: Page) -> list[bool]:
    found: list[bool] = page.evaluate("[...document.querySelectorAll('.path-steps input')].map(box => box.checked)")
    return found


def test_a_reader_checks_steps_off_and_starts_over_by_keyboard(opened: Tab) -> None:
    opened.open("start/")
    page = opened.page
    status, over = page.get_by_role("status"), page.get_by_role("button", name="Start over")
    assert (status.inner_text(), over.is_visible()) == ("0 of 3 read", False)
    box = page.get_by_role("checkbox", name="Read: Post B")
    box.focus()
    page.keyboard.press("Space")
    assert (status.inner_text(), boxes(page)) == ("1 of 3 read", [False, True, False])
    page.reload()
    assert (status.inner_text(), boxes(page)) == ("1 of 3 read", [False, True, False])
    opened.open("other/")
    assert boxes(page) == [False, False]
    opened.open("start/")
    over.focus()
    page.keyboard.press("Enter")
    assert (status.inner_text(), boxes(page), over.is_visible()) == ("0 of 3 read", [False] * 3, False)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Read: Post A"
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('devlog-path'))") == []


def test_the_link_to_the_next_step_checks_off_the_post_on_its_path_only(opened: Tab) -> None:
    opened.open(FIRST)
    page = opened.page
    own = page.get_by_role("checkbox", name="Mark as read: Start")
    assert own.is_checked() is False
    page.get_by_role("navigation", name="Reading paths").get_by_role("link", name="Post B").click()
    page.wait_for_url("**/storage/2026-05-02-b/")
    page.get_by_role("checkbox", name="Mark as read: Start").check()
    opened.open("start/")
    assert boxes(page) == [True, True, False]
    opened.open("other/")
    assert boxes(page) == [False, False]
    opened.open(FIRST)
    assert own.is_checked() is True
    own.uncheck()
    opened.open("start/")
    assert boxes(page) == [False, True, False]


@pytest.mark.parametrize("value", ["{", '"x"', "[1, null, {}]", "null"])
def test_what_else_is_in_the_storage_does_no_harm(opened: Tab, value: str) -> None:
    opened.open("start/")
    opened.page.evaluate("value => localStorage.setItem('devlog-path:/log/start/', value)", value)
    opened.page.reload()
    assert boxes(opened.page) == [False] * 3
    opened.page.get_by_role("checkbox", name="Read: Post A").check()
    opened.page.reload()
    assert boxes(opened.page) == [True, False, False]


def test_without_storage_boxes_work_for_the_page(opened: Tab) -> None:
    opened.page.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('no') }})")
    opened.open("start/")
    opened.page.get_by_role("checkbox", name="Read: Post A").check()
    assert opened.page.get_by_role("status").inner_text() == "1 of 3 read"


@pytest.mark.parametrize("width", [390, 1280])
def test_the_script_moves_nothing(browser: Browser, log: str, width: int) -> None:
    """However late it comes."""
    with tab(browser, log, width=width) as opened:
        for name in ("start/", FIRST):
            opened.open_before(name, "paths.js")
            heard = opened.heard()
            assert opened.page.get_by_role("checkbox").count()
            assert heard["shift"] == 0, (name, heard["shifts"])
        assert opened.complaints == []
