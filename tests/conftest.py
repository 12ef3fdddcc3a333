"""What all tests share. Because this file is here, all of them can import `tests/sites.py`."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from types import FrameType

import pytest
from hypothesis import settings

pytest_plugins = ["selection", "cards"]

# How long something takes is for tests/benchmarks; a machine that is busy with something else says nothing.
settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")

# A shell that starts the tests behind itself has them ignore Ctrl-C, as nohup has them ignore a hangup, and all that
# they start would ignore it, too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Newer versions of git tidy up behind a commit, in the background: a test that reads the whole repository meanwhile
# meets files that are gone a moment later.
os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}

# Builds wait until their files are on the disk. In memory that takes no time, so tests keep their files there, where
# the system has a folder for that in which programs may run, and nobody has named another one.
MEMORY = "/dev/shm"
if (
    "TMPDIR" not in os.environ
    and os.access(MEMORY, os.R_OK | os.W_OK | os.X_OK)
    and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    and shutil.disk_usage(MEMORY).free > 2 * 1024**3
):
    os.environ["TMPDIR"] = MEMORY
    tempfile.tempdir = None  # what was found before

# Compiled templates are kept for the user who runs devlog. Tests share a folder of their own, which goes with them.
if "DEVLOG_CACHE_DIR" not in os.environ:
    os.environ["DEVLOG_CACHE_DIR"] = tempfile.mkdtemp(prefix="devlog-cache-")
    atexit.register(shutil.rmtree, os.environ["DEVLOG_CACHE_DIR"], ignore_errors=True)


def pytest_collection_finish() -> None:
    """Spare the tests the search for circles among all that was collected, as a worker of a build does."""
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the expectations of tests/cases and tests/golden")


LINEAR_SECONDS = 20
"""Of a processor's time, which a busy machine does not change: far more than tests with this limit take."""


@pytest.fixture
def linear() -> Iterator[None]:
    """A limit for work on a long input that would take minutes if it grew with the square of its length."""

    def end(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"has not ended in {LINEAR_SECONDS} seconds of a processor")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, LINEAR_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


@pytest.fixture
def without_collection() -> Iterator[None]:
    """As in the command: what a signal raises in a callback of the garbage collector, such as Hypothesis's, is lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether expectations are to be rewritten."""
    return bool(request.config.getoption("--update"))
