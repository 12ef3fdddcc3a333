"""The server: faults, slow clients, ports, and its end."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from http_raw import PATIENCE, Listener, ask, connect, exchange, parse, request
from http_site import HTML, LARGE, POST, Running, Table, protected, serving, until, update

from devlog.serve import app, guard, hub, server
from devlog.serve.responses import Answer, File, Page, RedirectResponse
from devlog.serve.server import Server, bind

# -- faults and slowness


class Faulty(Table):
    """A site with mistakes of its own."""

    def ask(self, path: str) -> Future[Answer]:
        future: Future[Answer] = Future()
        if path == "/raises":
            raise RuntimeError("no\x1b[31m\nsuch")
        if path == "/fails":
            future.set_exception(RuntimeError("broken"))
        elif path == "/cancelled":
            future.cancel()
        elif path == "/nonsense":
            future.set_result(None)  # type: ignore[arg-type]
        elif path == "/location":
            future.set_result(RedirectResponse("/é"))
        else:
            return super().ask(path)
        return future


@pytest.mark.parametrize("path", ["/raises", "/fails", "/cancelled", "/nonsense", "/location"])
def test_faults(path: str) -> None:
    with serving(Faulty({"/": Page(HTML, "k")})) as running:
        got = ask(running.port, path)
        assert (got.status, protected(got)) == (500, True)
        assert ask(running.port, "/").status == 200
        (line,) = running.log
        assert line.startswith(f"GET {path}: ")
        assert line.isprintable()


@pytest.mark.slow
def test_nonsense_is_survived(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    good = request(running.port, POST.encode(), "GET", []).replace(b"Connection: close\r\n", b"")
    for data in (
        b"\r\n\r\n",
        b"\x16\x03\x01\x02",
        b"GET\r\n\r\n",
        good + b"nonsense\r\n\r\n",
        good[:-2] + b"a\r\n\r\n",
    ):
        exchange(running.port, data)
    large = request(running.port, b"/devlogs/large.mp4", "GET", []).replace(b"Connection: close\r\n", b"")
    assert exchange(running.port, large + b"nonsense\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    with connect(running.port, buffer=4096) as client:  # nonsense in a body, while the answer is being sent
        client.sendall(large[:-2] + b"Transfer-Encoding: chunked\r\n\r\n")
        got = client.recv(12)
        client.sendall(b"no number\r\n")
        assert (got + _rest(client)).startswith(b"HTTP/1.1 200 ")
    with connect(running.port) as client:
        client.sendall(b"GET / HT")
    with connect(running.port) as client:
        client.sendall(large)
    assert ask(running.port, POST).status == 200
    until(lambda: not running.server._inner.server_state.tasks)
    assert running.log == []
    assert caplog.records == []  # what clients send wrong is no news


@pytest.mark.slow
def test_slow_clients_stop_nobody(running: Running) -> None:
    """Requests sent by halves, large files that nobody reads, and tabs that listen."""
    large = request(running.port, b"/devlogs/large.mp4", "GET", [])
    with ExitStack() as stack:
        for _ in range(20):
            client = stack.enter_context(connect(running.port))
            client.sendall(large[:30])
        for _ in range(10):
            client = stack.enter_context(connect(running.port, buffer=4096))
            client.sendall(large)
        for number in range(200):
            listener = Listener(running.port, f"/{number}/")
            stack.callback(listener.close)
            listener.next()
        assert len(running.hub.pages()) == 200
        for _ in range(20):
            assert ask(running.port, POST).status == 200
            assert ask(running.port, "/devlogs/notes.txt").status == 200
    until(lambda: running.hub.pages() == frozenset())


def test_a_request_that_never_begins_is_given_up() -> None:
    with serving(Table({"/": Page(HTML, "k")}), head_seconds=0.2) as running:
        silent, half = connect(running.port), connect(running.port)
        half.sendall(b"GET / HTTP/1.1\r\nHo")
        kept = connect(running.port)
        kept.sendall(request(running.port, b"/", "GET", []).replace(b"Connection: close\r\n", b""))
        assert kept.recv(5) == b"HTTP/"
        kept.sendall(b"GET / HT")
        for client in (silent, half, kept):
            with client:
                assert _rest(client) is not None
        listener = Listener(running.port)
        listener.next()
        time.sleep(0.6)  # longer than a request may take to begin: this one has begun
        running.hub.publish(update(1))
        assert listener.next()["number"] == 1
        listener.close()


def _rest(client: socket.socket) -> bytes:
    """What comes until the server ends the connection; there is an error if it does not."""
    got = b""
    try:
        while piece := client.recv(1 << 16):
            got += piece
    except ConnectionError:
        pass
    return got


def test_nonsense_while_a_page_is_made() -> None:
    waiting: Future[Answer] = Future()

    class Waiting(Table):
        def ask(self, path: str) -> Future[Answer]:
            return waiting if path == "/slow" else super().ask(path)

    with serving(Waiting({})) as running, connect(running.port) as client:
        head = request(running.port, b"/slow", "GET", [("Transfer-Encoding", "chunked")])
        client.sendall(head + b"no number\r\n")
        assert _rest(client).startswith(b"HTTP/1.1 400 ")
        waiting.set_result(Page(HTML, "k"))
        until(lambda: not running.server._inner.server_state.tasks)
        assert running.log == []


def test_too_many_connections() -> None:
    with serving(Table({"/": Page(HTML, "k")}), connections=5, head_seconds=600) as running, ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(connect(running.port)).sendall(b"GET / HT")
        with connect(running.port) as client:
            assert _rest(client) == b""
        stack.close()
        until(lambda: exchange(running.port, request(running.port, b"/", "GET", [])).startswith(b"HTTP/1.1 200"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("files", "most"), [(64, 16), (256, 64), (1024, 512), (1 << 20, 512), (-1, 512)])
def test_connections_leave_files_to_open(monkeypatch: pytest.MonkeyPatch, files: int, most: int) -> None:
    import resource

    limit = resource.RLIM_INFINITY if files == -1 else files
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert server.most_connections() == most


def test_an_error_that_repeats_is_reported_once() -> None:
    told: list[str] = []
    found = Server(told.append)
    with closing(asyncio.new_event_loop()) as loop:
        for number in (errno.EMFILE, errno.EMFILE, errno.ENOMEM):
            error = OSError(number, "no")
            found._tell(loop, {"message": "socket.accept() out of system resource", "exception": error})
    assert told == [
        f"socket.accept() out of system resource: OSError: [Errno {number}] no"
        for number in (errno.EMFILE, errno.ENOMEM)
    ]


def test_a_slow_page_stops_nobody() -> None:
    waiting: Future[Answer] = Future()

    class Waiting(Table):
        def ask(self, path: str) -> Future[Answer]:
            return waiting if path == "/slow" else super().ask(path)

    with serving(Waiting({"/": Page(HTML, "k")})) as running, connect(running.port) as client:
        client.sendall(request(running.port, b"/slow", "GET", []))
        assert ask(running.port, "/").status == 200
        waiting.set_result(Page(HTML, "k"))
        assert _rest(client).startswith(b"HTTP/1.1 200 ")


# -- the server


@pytest.mark.slow
def test_stopping_waits_for_nobody(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(LARGE))
    waiting: Future[Answer] = Future()

    class Waiting(Table):
        def ask(self, path: str) -> Future[Answer]:
            return waiting if path == "/slow" else super().ask(path)

    site = Waiting({"/large": File(tmp_path, "large", False, "x/y")})
    before = threading.active_count()
    with serving(site) as running, ExitStack() as stack:
        for _ in range(50):
            listener = Listener(running.port)
            stack.callback(listener.close)
            listener.next()
        for target in (b"/large", b"/slow", b"/half"):
            client = stack.enter_context(connect(running.port, buffer=4096))
            client.sendall(request(running.port, target, "GET", [])[: None if target != b"/half" else 20])
        assert running.server.running
        running.server.stop()
        assert not running.server.running
        with pytest.raises(OSError, match=r".+"):
            connect(running.port)
        waiting.set_result(Page(HTML, "k"))  # comes too late, and harms nobody
        assert not waiting.cancelled()
        assert running.log == []
    assert threading.active_count() == before


def test_stopping_before_it_runs() -> None:
    server = Server(print)
    server.stop()
    assert not server.running
    for _ in range(5):
        server, listener = Server(print), bind("127.0.0.1", 0)
        server.start(app.App(Table({}), hub.Hub(), guard.allow(1), print, scripts={}), listener)
        server.stop()
        assert server.started.wait(PATIENCE)
        assert not server.running


def test_signals_are_left_alone() -> None:
    import signal

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with serving(Table({})):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_the_next_free_port() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with bind("127.0.0.1", port) as found:
            assert found.getsockname()[0] == "127.0.0.1"
            assert port < found.getsockname()[1] < port + 20
        with pytest.raises(OSError, match="in use"):
            bind("127.0.0.1", port, tries=1)


def test_small_answers_do_not_wait_for_each_other() -> None:
    with bind("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_addresses_that_cannot_be_had() -> None:
    with pytest.raises(OSError, match=r".+"):
        bind("192.0.2.1", 0)  # kept for documentation: no machine's own
    with bind("127.0.0.1", 0) as taken, pytest.raises(OSError, match=r".+"):
        bind("127.0.0.1", taken.getsockname()[1], tries=0)


def test_ipv6() -> None:
    try:
        listener = bind("::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    port = listener.getsockname()[1]
    server = Server(print)
    server.start(app.App(Table({"/": Page(HTML, "k")}), hub.Hub(), guard.allow(port), print, scripts={}), listener)
    try:
        got = parse(exchange(port, request(port, b"/", "GET", [], f"[::1]:{port}"), "::1"))
        assert got.status == 200
    finally:
        server.stop()
