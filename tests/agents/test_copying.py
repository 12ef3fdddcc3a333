"""The button that copies a whole log as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from agents.log_site import LOG
from quality.browsing import Tab, chromium, tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATH = "storage/2026-05-01-pages/"
pytestmark = [pytest.mark.browser, pytest.mark.feature("markdown_versions")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a log with the strictest policy, and the Markdown version of one of its texts."""
    root = write_site(tmp_path_factory.mktemp("copying"), LOG)
    configuration = str(LOG["devlog.toml"]).replace('base_url = "https://lumen.example/log/"\n', "")
    (root / "devlog.toml").write_text(f"content_security_policy = true\n{configuration}", "utf-8")
    build_site(root)
    with serving(root / "public") as url:
        yield url, (root / "public" / PATH / "index.md").read_text("utf-8")


@pytest.fixture
def opened(browser: Browser, log: tuple[str, str]) -> Iterator[Tab]:
    with tab(browser, log[0]) as made:
        made.context.grant_permissions(["clipboard-read", "clipboard-write"])
        made.open(PATH)
        yield made


def test_the_whole_text_is_copied(opened: Tab, log: tuple[str, str]) -> None:
    page = opened.page
    copy = page.locator(".post-source button")
    assert copy.all_inner_texts() == ["Copy as Markdown"]
    copy.click()
    page.wait_for_function("(button) => button.textContent === 'Copied'", arg=copy.element_handle())
    assert page.evaluate("() => navigator.clipboard.readText()") == log[1]
    assert opened.complaints == []


def test_there_is_one_button_after_an_update(opened: Tab) -> None:
    opened.page.evaluate("() => document.dispatchEvent(new Event('devlog:update'))")
    assert opened.page.locator(".post-source button").count() == 1
    assert opened.complaints == []


def test_that_it_cannot_be_copied_is_said(opened: Tab) -> None:
    opened.page.route("**/*.md", lambda route: route.abort())
    copy = opened.page.locator(".post-source button")
    copy.click()
    opened.page.wait_for_function("(button) => button.textContent === 'Not copied'", arg=copy.element_handle())
