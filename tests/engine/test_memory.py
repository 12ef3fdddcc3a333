"""Whatever a worker derives may take only so much memory: the files that it gets are not trusted."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from devlog.engine.memory import MEMORY
from devlog.jobs import MakeJob, make_jobs
from devlog.model.derived import Made, Work


def greedy(_parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    """A work item that takes more memory than it may have."""
    return Made({"bytes": len(bytearray(MEMORY))})


def in_a_worker() -> list[Made]:
    return make_jobs([MakeJob(Work(f"{__name__}:greedy", {}), ())])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such limit")
def test_a_work_item_that_takes_all_memory_has_a_problem() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as workers:
        assert workers.submit(in_a_worker).result() == [Made(problem="there is not enough memory for it", retry=True)]
