"""One showcase, one server and one browser for the tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from quality.browsing import chromium
from quality.server import serving
from quality.showcase import build_showcase

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")  # playwright runs once at a time in a process, and other tests start their own
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def showcase(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the showcase, and the folder in which it was published."""
    root = tmp_path_factory.mktemp("showcase")
    with serving(root / "public", "/lumen/") as url:
        report = build_showcase(root, url)
        assert [item for item in report.diagnostics if item.severity != "info"] == []
        yield url, root / "public"


@pytest.fixture(scope="session")
def home(showcase: tuple[str, Path]) -> str:
    """The address of the showcase."""
    return showcase[0]
