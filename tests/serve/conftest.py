"""A preview with its server, for all tests that only ask it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from http_site import Running, Shown, plant_links, serving, write


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("http"))


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[Shown]:
    with Shown(root) as shown:
        plant_links(root)
        yield shown


@pytest.fixture(scope="module")
def running(site: Shown) -> Iterator[Running]:
    with serving(site) as found:
        yield found
        assert found.log == []
