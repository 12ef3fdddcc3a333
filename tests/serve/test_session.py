"""A preview that is ended while its parts are still starting."""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from devlog.disk.problems import symlink as problem
from devlog.engine.jobs import Jobs
from devlog.serve import run
from devlog.serve.console import Console
from devlog.serve.hub import Hub
from devlog.serve.preview import Preview


def test_a_watcher_that_is_starting_is_stopped_when_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_go_on = threading.Event(), threading.Event()
    done: list[str] = []

    class Slow:
        reason = ""

        def __init__(self, *_: object, **__: object) -> None:
            pass

        def start(self) -> None:
            begun.set()
            assert may_go_on.wait(60)
            done.append("started")

        def stop(self) -> None:
            done.append("stopped")

    monkeypatch.setattr(run, "Watcher", Slow)
    monkeypatch.setattr(run, "WATCH_AFTER", 0)
    monkeypatch.setattr(run, "_watched_paths", lambda *_: None)
    preview = cast("Preview", SimpleNamespace(inputs=None))
    session: Any = run._Session(tmp_path, preview, Hub(), Jobs(), Console())
    session.begin()
    assert begun.wait(60)
    ending = threading.Thread(target=session.end)
    ending.start()
    may_go_on.set()
    ending.join(60)
    assert done == ["started", "stopped"]


def test_a_watcher_that_cannot_be_started_is_reported_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    attempts: list[Fickle] = []

    class Fickle:
        reason = ""

        def __init__(self, *_: object, **__: object) -> None:
            self.done: list[str] = []
            attempts.append(self)
            if len(attempts) == 1:
                raise PermissionError("never heard of")

        def start(self) -> None:
            if len(attempts) == 2:
                raise PermissionError("never heard of")
            self.done.append("started")

        def watch(self, _: object) -> None:
            pass

        def stop(self) -> None:
            self.done.append("stopped")

    monkeypatch.setattr(run, "Watcher", Fickle)
    monkeypatch.setattr(run, "WATCH_AFTER", 0)
    monkeypatch.setattr(run, "WATCH_AGAIN", 0)
    monkeypatch.setattr(run, "_watched_paths", lambda *_: None)
    looked = threading.Semaphore(0)
    preview = SimpleNamespace(
        inputs=None, advice="", seconds_left=None, is_incomplete=False, change=lambda _: looked.release()
    )
    jobs = Jobs()
    session: Any = run._Session(tmp_path, cast("Preview", preview), Hub(), jobs, Console())
    session.begin()
    for _ in range(3):  # files are looked at after each attempt
        assert jobs.step(wait=True)
        assert looked.acquire(blocking=False)
    session.end()
    assert not jobs.step()
    assert [attempt.done for attempt in attempts] == [[], ["stopped"], ["started", "stopped"]]
    told = capsys.readouterr().err
    assert told.count("The preview failed to watch for changes.") == 1
    assert "never heard of" in told


def test_what_cannot_be_read_is_tried_again_less_and_less_often(tmp_path: Path) -> None:
    preview = SimpleNamespace(inputs=None, advice="", seconds_left=None, is_incomplete=True, change=lambda _: None)
    session: Any = run._Session(tmp_path, cast("Preview", preview), Hub(), Jobs(), Console())
    waits = []
    for left in (None, 3600.0, None, None, None, 1.0):
        preview.seconds_left = left
        session._follow(True)
        waits.append(session._alarm.interval)
    assert waits == [2.0, 4.0, 8.0, 16.0, 30.0, 1.0]
    preview.is_incomplete = False
    session._follow(True)
    preview.is_incomplete, preview.seconds_left = True, None
    session._follow(True)
    assert session._alarm.interval == 2.0
    session.end()


def test_what_is_left_unread_while_reading_on_is_tried_again(tmp_path: Path) -> None:
    news = object()
    change = SimpleNamespace(files=(), parsed=1, rendered=1, seconds=0.0, kept=False, update=news)

    class Reading:
        advice = ""
        inputs = seconds_left = None
        is_reading, is_incomplete = True, False
        diagnostics = ()

        def change(self, _: frozenset[str]) -> None:
            pass

        def news(self) -> None:
            pass

        def remember(self) -> None:
            pass

        def read_more(self) -> object:
            self.is_reading, self.is_incomplete = False, True
            return change

    hub = cast("Hub", SimpleNamespace(publish=lambda _: None))
    session: Any = run._Session(tmp_path, cast("Preview", Reading()), hub, Jobs(), Console())
    session._may_read_on = True
    session._follow(True)
    assert session._alarm is None
    assert not session.idle()
    assert session._alarm.interval == run.RETRY
    session.end()


def test_a_change_that_cannot_be_followed_is_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(_: frozenset[str]) -> None:
        raise OSError(errno.EMFILE, "no")

    preview = SimpleNamespace(inputs=None, advice="", seconds_left=None, is_incomplete=False, change=change)
    session: Any = run._Session(tmp_path, cast("Preview", preview), Hub(), Jobs(), Console())
    for wait in (2.0, 4.0):
        session._follow(True)
        assert session._alarm.interval == wait
    session._alarm.cancel()
    session._alarm = None
    preview.change = lambda _: None
    session._follow(True)
    assert session._alarm is None
    assert capsys.readouterr().err.count("The preview failed to follow a change.") == 1


def test_a_session_that_has_not_begun_ends(tmp_path: Path) -> None:
    run._Session(tmp_path, cast("Preview", SimpleNamespace(inputs=None)), Hub(), Jobs(), Console()).end()


def test_a_preview_goes_on_without_its_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    news = object()
    change = SimpleNamespace(files=("a",), parsed=1, rendered=1, seconds=0.0, kept=False, update=news)
    preview = SimpleNamespace(
        inputs=None,
        advice="",
        seconds_left=None,
        is_incomplete=True,
        is_reading=False,
        diagnostics=(problem("a.md"),),
        change=lambda _: change,
        news=lambda: news,
    )
    published: list[object] = []
    hub = cast("Hub", SimpleNamespace(publish=published.append))
    session: Any = run._Session(tmp_path, cast("Preview", preview), hub, Jobs(), Console())

    def closed(*_: object, **__: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "no")

    with monkeypatch.context() as patch:
        patch.setattr("click.echo", closed)
        session._follow(True)
        assert not session.idle()
    assert published == [news, news]
    assert session._alarm.interval == 2.0
    session.end()
    assert capsys.readouterr().err == ""
