"""All work for one file has a time limit: a post may ask for any number of slow items."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from devlog.engine import executors
from devlog.engine.executor_registry import INLINE
from devlog.engine.store import Store
from devlog.model.derived import Made, Work
from devlog.stages import Stages


def item(_parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    return Made({"done": True})


def test_work_of_a_file_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(step=11)  # so each item takes eleven seconds
    monkeypatch.setattr("devlog.stages.time.process_time", lambda: next(clock))
    works = [Work(f"{__name__}:item", {"file": file, "number": number}) for file in "ab" for number in range(4)]
    with closing(Store(None)) as store:
        stages = Stages(store, 1, lambda *_: None, INLINE, seconds=30)
        made = stages.derive(works, lambda _file: b"", owner_of=lambda work: str(work.parts["file"]))
    assert [bool(one.facts) for one in made] == 2 * [True, True, True, False]
    assert made[3].problem == "all of this post together take longer than 30 seconds"
    assert not stages.cacheable


def deaf(parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    with Path(parts["log"]).open("a") as log:
        log.write(f"{parts['number']}\n")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    while True:
        pass


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="the system has no alarms")
@pytest.mark.slow
def test_what_is_lost_with_a_process_is_not_done_again_without_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 5.0)
    works = [Work(f"{__name__}:deaf", {"log": str(tmp_path / "log"), "number": number}) for number in range(12)]
    with closing(Store(None)) as store, closing(Stages(store, 2, lambda *_: None, seconds=1)) as stages:
        made = stages.derive(works, lambda _file: b"", owner_of=lambda _work: "a.md")
    assert made[0].problem == "it takes longer than 1 seconds"
    assert {one.problem for one in made[1:]} == {"all of this post together take longer than 1 seconds"}
    assert len((tmp_path / "log").read_text().split()) <= 4


TRIED: list[int] = []


def slow(parts: Mapping[str, Any], _files: Sequence[bytes]) -> Made:
    TRIED.append(parts["number"])
    while True:
        pass


def test_what_takes_too_long_is_not_tried_at_each_edit() -> None:
    with closing(Store(None)) as store:
        stages = Stages(store, 1, lambda *_: None, INLINE, seconds=0.1)
        work = Work(f"{__name__}:slow", {"number": 1})
        (first,) = stages.derive([work], lambda _file: b"", owner_of=lambda _work: "a.md")
        before = len(TRIED)
        for _ in range(2):  # as after edits of other posts
            stages.begin()
            assert stages.derive([work], lambda _file: b"", owner_of=lambda _work: "a.md") == [first]
            assert not stages.cacheable
        assert len(TRIED) == before
        assert first.problem == "it takes longer than 0.1 seconds"
        assert not store.read([stages._cache_keys.of_work(work)])


def test_a_new_round_forgets_what_the_last_one_used() -> None:
    """A preview begins a round with each edit, for days."""
    with closing(Store(None)) as store:
        stages = Stages(store, 1, lambda *_: None, INLINE)
        for number in range(3):
            stages.begin()
            stages.remember("name", str(number).encode())
            stages.derive([Work(f"{__name__}:item", {"number": number})], lambda _file: b"")
            assert len(stages._used) == 1
        assert not store._written
