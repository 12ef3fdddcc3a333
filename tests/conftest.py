"""What all tests share. Standing here, this file also makes `tests/sites.py` importable everywhere."""

from __future__ import annotations

import signal

import pytest

# A shell that starts the tests behind itself has them ignore Ctrl-C, and all that they start would ignore it, too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expectations of tests/cases and tests/golden")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be rewritten."""
    return bool(request.config.getoption("--update"))
