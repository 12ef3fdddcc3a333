"""What all tests share. Standing here, this file also makes `tests/sites.py` importable everywhere."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

pytest_plugins = ["selection"]

# How long something takes is for tests/benchmarks; a machine that is busy with something else says nothing.
settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")

# A shell that starts the tests behind itself has them ignore Ctrl-C, and all that they start would ignore it, too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expectations of tests/cases and tests/golden")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be rewritten."""
    return bool(request.config.getoption("--update"))
