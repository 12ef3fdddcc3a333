"""What open tabs receive."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import Future
from pathlib import Path
from urllib.parse import quote

import pytest
from http_raw import Listener, ask, connect, request
from http_site import POST, Running, Shown, Table, protected, serving, until, update

from devlog.serve import guard, hub
from devlog.serve.responses import Page, Update


@pytest.mark.slow
def test_a_tab_is_told(running: Running, site: Shown) -> None:
    page = site.answers[POST]
    assert isinstance(page, Page)
    listener = Listener(running.port, quote(POST, safe=""))
    assert listener.answer.status == 200
    assert listener.answer.getheader("content-type") == "text/event-stream"
    hello = listener.next()
    assert (hello["number"], hello["changed"]) == (0, {POST: page.key})
    assert running.hub.pages() == {POST}
    running.hub.publish(update(1, ("/a.css",), a="k1"))
    running.hub.publish(update(2))
    got = listener.next()
    assert got == {
        "number": 1,
        "changed": {"/a/": "k1"},
        "files": ["/a.css"],
        "problems": [],
        "scroll": True,
        "moved": {},
        "counts": {},
    }
    assert listener.next()["number"] == 2
    listener.close()
    until(lambda: running.hub.pages() == frozenset())


def test_two_tabs(running: Running) -> None:
    first, second, third = (Listener(running.port, page) for page in ("/devlogs/", "/devlogs/", "/%C3%A9/"))
    for listener in (first, second, third):
        listener.next()
    assert running.hub.pages() == {"/devlogs/", "/é/"}
    running.hub.publish(update(1))
    for listener in (first, second, third):
        assert listener.next()["number"] == 1
    first.close()
    third.close()
    until(lambda: running.hub.pages() == {"/devlogs/"})
    running.hub.publish(update(2))
    assert second.next()["number"] == 2
    second.close()
    until(lambda: running.hub.pages() == frozenset())


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "?page",
        "?page=",
        "?page=a",
        "?pages=/",
        "?page=/%00",
        "?page=/%ff",
        "?page=//x",
        f"?page=/{'a' * 2000}",
    ],
)
def test_pages_that_cannot_be(running: Running, query: str) -> None:
    assert ask(running.port, f"/__devlog__/events{query}").status == 400


def test_asked_page() -> None:
    assert guard.asked_page(b"x=1&page=%2Fc%2B%2B+a%2F&page=/other/") == "/c+++a/"
    assert guard.asked_page(b"page=/" + b"%C3%A9" * 1999) == "/" + "é" * 1999


def test_a_silent_stream_gives_signs_of_life() -> None:
    with serving(Table({}), beat=0.02) as running:
        listener = Listener(running.port)
        listener.next()
        assert listener.lines()[0].startswith(":")
        assert listener.lines()[0].startswith(":")
        running.hub.publish(update(1))
        assert listener.next()["number"] == 1
        listener.close()


@pytest.mark.slow
def test_a_tab_that_does_not_read_misses_nothing(tmp_path: Path) -> None:
    """What it receives late comes in one event, and nobody else waits for it."""
    with serving(Table({})) as running:
        slow = connect(running.port, buffer=4096)
        slow.sendall(request(running.port, b"/__devlog__/events?page=/slow/", "GET", []).replace(b"/1.1", b"/1.0", 1))
        quick = Listener(running.port, "/quick/")
        quick.next()
        until(lambda: len(running.hub.pages()) == 2)
        count = 400
        for number in range(1, count + 1):
            running.hub.publish(update(number, (f"/{number}.css", "/" + "x" * 60_000), page=str(number)))
            assert quick.next()["number"] == number
        (stream,) = (stream for stream in running.hub._streams if stream.page == "/slow/")
        assert len(stream._waiting) <= hub.WAITING
        got, last = b"", f"id: {count}\n".encode()
        while last not in got or not got.endswith(b"\n\n"):
            got += slow.recv(1 << 20)
        events = [json.loads(data) for data in re.findall(rb"^data: (.*)$", got, re.MULTILINE)]
        assert len(events) < count
        assert [one["number"] for one in events] == sorted({one["number"] for one in events})
        assert {file for one in events for file in one["files"]} >= {f"/{number}.css" for number in range(1, count + 1)}
        assert events[-1]["changed"] == {"/page/": str(count)}
        slow.close()
        quick.close()


def test_merging() -> None:
    older = Update(4, {"/a/": "1", "/b/": "1"}, ("/x", "/y"), (), scroll=True)
    newer = Update(5, {"/b/": None, "/c/": "2"}, ("/y", "/z"), (), scroll=False)
    merged = Update(5, {"/a/": "1", "/b/": None, "/c/": "2"}, ("/x", "/y", "/z"), (), scroll=False)
    assert hub.merge(older, newer) == merged


class Slow(Table):
    """A site that takes its time for the first message."""

    def __init__(self) -> None:
        super().__init__({})
        self.first: Future[Update] = Future()

    def hello(self, page: str) -> Future[Update]:
        return self.first


def test_nothing_is_missed_before_the_first_message() -> None:
    site = Slow()
    with serving(site) as running:
        found: list[Listener] = []
        thread = threading.Thread(target=lambda: found.append(Listener(running.port, "/a/")))
        thread.start()
        until(lambda: running.hub.pages() == {"/a/"})
        running.hub.publish(update(1, ("/a.css",), b="k1"))
        running.hub.publish(update(2, ("/b.css",)))
        running.hub.publish(update(3, ("/c.css",)))
        site.first.set_result(update(2, a="k2"))
        thread.join()
        (listener,) = found
        first, second = listener.next(), listener.next()
        assert first["number"] == 2
        assert first["changed"] == {"/a/": "k2", "/b/": "k1"}
        assert first["files"] == ["/a.css", "/b.css"]
        assert (second["number"], second["files"]) == (3, ["/c.css"])
        listener.close()


def test_a_tab_that_goes_before_the_first_message() -> None:
    site = Slow()
    with serving(site) as running:
        client = connect(running.port)
        client.sendall(request(running.port, b"/__devlog__/events?page=/a/", "GET", []))
        until(lambda: running.hub.pages() == {"/a/"})
        client.close()
        until(lambda: running.hub.pages() == frozenset())
        assert not site.first.cancelled()  # it is the site's to finish
        site.first.set_result(update(1))
        assert ask(running.port, "/").status == 404
        assert running.log == []


def test_a_stream_that_cannot_begin() -> None:
    site = Slow()
    site.first.set_exception(ValueError("no\nhello"))
    with serving(site) as running:
        got = ask(running.port, "/__devlog__/events?page=/a/")
        assert (got.status, protected(got)) == (500, True)
        assert running.hub.pages() == frozenset()
        assert len(running.log) == 1


def test_too_many_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "STREAMS", 3)
    with serving(Table({})) as running:
        listeners = [Listener(running.port, f"/{number}/") for number in range(3)]
        got = ask(running.port, "/__devlog__/events?page=/a/")
        assert (got.status, protected(got)) == (503, True)
        listeners[0].close()
        until(lambda: len(running.hub.pages()) == 2)
        listeners[0] = Listener(running.port)
        assert listeners[0].answer.status == 200
        for listener in listeners:
            listener.close()


def test_publishing_after_the_end() -> None:
    with serving(Table({})) as running:
        listener = Listener(running.port)
        listener.next()
        (stream,) = running.hub._streams
    running.hub._streams.add(stream)
    running.hub.publish(update(1))
    listener.close()
