"""One site with all that the theme shows, built and served once for the browser tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from quality.browsing import chromium
from quality.server import serving
from reading_site import reading_site
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")  # playwright runs once at a time in a process, and other tests start their own
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site."""
    root = write_site(tmp_path_factory.mktemp("reading"), reading_site())
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity != "info"] == ["missing-date"]
    with serving(root / "public", "/devlog/") as url:
        yield url
