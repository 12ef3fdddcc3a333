"""The preview's server: what it answers, to whom, and what it never tells."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import pytest
from http_raw import PATIENCE, Got, Listener, ask, connect, exchange, parse, request
from http_site import BASE, CANARY, LARGE, SCRIPT, Running, Shown, Table, plant_links, serving, write
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devlog.serve import app, guard, hub, ranges
from devlog.serve.answers import Answer, Data, Elsewhere, File, Page, Update
from devlog.serve.server import Server, bind

POST = f"{BASE}/kernels/2026-05-04-under/"

HTML = b"<!doctype html><html><head><title>T</title></head><body>text</body></html>"


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


def until(true: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


# --- what is answered -------------------------------------------------------------------------------------------------


def test_page(running: Running, site: Shown) -> None:
    got = ask(running.port, POST)
    page = site.answers[POST]
    assert isinstance(page, Page)
    assert got.status == 200
    assert got.one("content-type") == "text/html; charset=utf-8"
    assert int(got.one("content-length")) == len(got.body)
    facts = f'data-page="{POST}" data-key="{page.key}"'
    tag = f'<script type="module" src="/__devlog__/live.js" {facts}></script>'.encode()
    assert got.body.count(b"<head>" + tag) == 1
    assert got.body.replace(tag, b"") == page.html
    assert b"__devlog__" not in page.html


def test_missing_page_is_the_sites(running: Running) -> None:
    got = ask(running.port, "/devlogs/n%C3%B6?x=1")
    assert got.status == 404
    assert 'data-page="/devlogs/nö"' in got.body.decode()


def test_elsewhere(running: Running) -> None:
    got = ask(running.port, POST.rstrip("/"))
    assert (got.status, got.one("location")) == (302, POST)


def test_own_paths(running: Running, site: Shown) -> None:
    site.asked.clear()
    got = ask(running.port, "/__devlog__/live.js")
    assert (got.status, got.body, got.one("content-type")) == (200, SCRIPT, "text/javascript; charset=utf-8")
    for path in ("/__devlog__/", "/__devlog__/x", "/__devlog__/live.js/", "/__devlog__/live%2Ejs%2F.."):
        assert ask(running.port, path).status == 404
    assert site.asked == []
    assert ask(running.port, "/devlogs/__devlog__/live.js").body != SCRIPT


def test_the_scripts_are_those_of_the_package() -> None:
    scripts = app.read_scripts()
    folder = Path(app.__file__).with_name("client")
    assert scripts == {f"/__devlog__/{file.name}": file.read_bytes() for file in folder.iterdir()}
    assert app.SCRIPT in scripts
    imported = {name for data in scripts.values() for name in re.findall(rb'(?:from |import\()"\./([^"]+)"', data)}
    assert {f"/__devlog__/{name.decode()}" for name in imported} | {app.SCRIPT} == scripts.keys()


def test_only_what_was_read_at_the_start_is_a_script(root: Path) -> None:
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = Server(print)
    server.start(app.App(Table({}), hub.Hub(), guard.allow(port), print), listener)
    try:
        assert server.started.wait(PATIENCE)
        for path, data in app.read_scripts().items():
            got = ask(port, path)
            assert (got.status, got.body) == (200, data)
            assert got.one("content-type") == "text/javascript; charset=utf-8"
        for name in ("client.js", "client/live.js", "LIVE.JS", "live", "../app.py", "%2e%2e/app.py", "__init__.py"):
            assert ask(port, f"/__devlog__/{name}").status == 404
    finally:
        server.stop()


def test_static_page_gets_no_script(running: Running) -> None:
    got = ask(running.port, "/devlogs/page.html")
    assert got.body == b"<html><head></head><body>as it is</body></html>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (b"<head>a</head>b<head></body>", b"<head>Xa</head>b<head></body>"),
        (b"<html><HEAD\nlang='x'>a</HEAD >b", b"<html><HEAD\nlang='x'>Xa</HEAD >b"),
        (b"<header>a</header>a</HEAD >b</head>", b"<header>a</header>aX</HEAD >b</head>"),
        (b"<body>a</body>b</body>", b"<body>aX</body>b</body>"),
        (b"a", b"aX"),
        (b"", b"X"),
    ],
)
def test_place_of_the_script(html: bytes, expected: bytes) -> None:
    done = app.with_script(Page(html, "k"), "/p")
    assert re.sub(rb"<script.*?</script>", b"X", done) == expected


def test_facts_of_the_script_are_text() -> None:
    page = Page(HTML, 'k"><script>', 200, "draft", "it's <b>&amp;", "vscode://file/a b.md:{line}")
    tag = re.findall(rb"<script .*?></script>", app.with_script(page, '/a"b/<c>/'))[0].decode()
    assert tag == (
        '<script type="module" src="/__devlog__/live.js" data-page="/a&quot;b/&lt;c&gt;/" '
        'data-key="k&quot;&gt;&lt;script&gt;" '
        'data-state="draft" data-note="it&#x27;s &lt;b&gt;&amp;amp;" data-editor="vscode://file/a b.md:{line}">'
        "</script>"
    )


def test_files_and_data(running: Running, site: Shown) -> None:
    assert ask(running.port, "/devlogs/notes.txt").body == b"0123456789"
    assert ask(running.port, "/devlogs/notes.txt").one("content-type") == "text/plain; charset=utf-8"
    assert ask(running.port, "/devlogs/deep/er/notes.txt").body == b"deep notes"
    assert ask(running.port, "/devlogs/large.mp4").body == bytes(LARGE)
    path, data = next((path, answer) for path, answer in site.answers.items() if isinstance(answer, Data))
    got = ask(running.port, quote(path))
    assert (got.status, got.body) == (200, data.data)


def test_head_is_get_without_the_body(running: Running, site: Shown) -> None:
    varying = {"date"}
    paths = [POST, POST.rstrip("/"), "/devlogs/none/", "/devlogs/notes.txt", "/__devlog__/live.js", "/__devlog__/x"]
    paths += [next(path for path, answer in site.answers.items() if isinstance(answer, Data))]
    for path in paths:
        full, head = ask(running.port, path), ask(running.port, path, "HEAD")
        assert head.body == b""
        assert head.status == full.status
        assert {k: v for k, v in head.headers.items() if k not in varying} == {
            k: v for k, v in full.headers.items() if k not in varying
        }


def test_head_reads_no_file(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    monkeypatch.setattr(app, "_read", lambda file, _: read.append(file) or b"")
    got = ask(running.port, "/devlogs/large.mp4", "HEAD")
    assert (got.status, got.one("content-length"), got.body) == (200, str(LARGE), b"")
    assert read == []
    ask(running.port, "/devlogs/large.mp4")
    assert read


def test_head_of_a_stream_ends(running: Running) -> None:
    got = ask(running.port, "/__devlog__/events?page=/devlogs/", "HEAD")
    assert (got.status, got.body, got.one("content-type")) == (200, b"", "text/event-stream")


def test_connections_are_kept(running: Running) -> None:
    """Several requests in one connection, some sent before the answers."""
    first = request(running.port, POST.encode(), "GET", [("X", "y")]).replace(b"Connection: close\r\n", b"")
    last = request(running.port, b"/devlogs/notes.txt", "GET", [])
    got = exchange(running.port, first + first + last)
    assert got.count(b"HTTP/1.1 200 ") == 3
    assert got.endswith(b"\r\n\r\n0123456789")


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"/a/b", "/a/b"),
        (b"/a%2Fb", "/a/b"),
        (b"/%2e%2e/x", "/../x"),
        (b"/%252e", "/%2e"),
        (b"/%25252e", "/%252e"),
        (b"/a#b", "/a#b"),
        (b"/a+b", "/a+b"),
        (b"/%C3%A9", "/é"),
        (b"/e%CC%81", "/é"),
        (b"/%zz%", "/%zz%"),
        (b"", None),
        (b"*", None),
        (b"a", None),
        (b"//evil.example/", None),
        (b"/%2fevil.example/", None),
        (b"%2f/evil.example/", None),
        (b"/a\\b", None),
        (b"/a%5Cb", None),
        (b"/%00", None),
        (b"/a%0d%0aX:y", None),
        (b"/%7f", None),
        (b"/%c2%85", None),
        (b"/%ff", None),
        (b"/%c0%ae", None),
        (b"/%ed%a0%80", None),
        (b"/" + b"a" * 16384, None),
    ],
)
def test_decoded_once(raw: bytes, path: str | None) -> None:
    assert guard.decode_path(raw) == path


@given(st.text())
def test_every_name_can_be_asked_for(text: str) -> None:
    try:
        raw = quote(f"/n{text}").encode()
    except UnicodeEncodeError:  # half of a pair
        return
    path = guard.decode_path(raw)
    composed = normalize("NFC", f"/n{text}")
    assert path == composed or (path is None and re.search(r"[\0-\x1f\x7f-\x9f\\]", text))


def test_absolute_form(running: Running) -> None:
    own = f"http://localhost:{running.port}".encode()
    assert ask(running.port, own + b"/devlogs/notes.txt?x").body == b"0123456789"
    assert ask(running.port, own.upper()).one("location") == f"{BASE}/"
    assert ask(running.port, b"http://evil.com/devlogs/notes.txt").status == 421
    assert ask(running.port, b"http://evil.com@127.0.0.1/devlogs/notes.txt").status == 421
    assert ask(running.port, b"https://evil.com/devlogs/notes.txt").status == 404
    assert ask(running.port, own + b"/devlogs/notes.txt", host="evil.com").status == 421
    assert ask(running.port, own + b"//evil.com/").status == 404


class Opened:
    """What other threads than the first one open while this is watched."""

    def __init__(self) -> None:
        self.watching = False
        self.by_thread: dict[int, list[object]] = {}
        sys.addaudithook(self._see)

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and self.watching and threading.current_thread() is not threading.main_thread():
            self.by_thread.setdefault(threading.get_ident(), []).append(arguments[0])


@pytest.fixture(scope="module")
def opened() -> Opened:
    return Opened()  # a hook can never be removed again


_PIECES = [
    *(
        "/",
        "//",
        "..",
        ".",
        "\\",
        "%",
        "?",
        "#",
        ":",
        ";",
        "\0",
        "\r",
        "\n",
        " ",
        "é",
        "~",
        "*",
        "::$DATA",
        "%2e",
        "%2f",
    ),
    *("devlogs", "kernels", "2026-05-04-under", "2026-05-04-under.md", "index.html", "notes.txt", "large.mp4", "deep"),
    *("content", "static", "public", "site", "site-secret", "secret", "canary.txt", ".env", "devlog.toml", "link.txt"),
    *("linked", "linked/canary.txt", "/etc/passwd", "C:", "file://", "CANARY~1", "__devlog__", "live.js", "..;"),
    "events?page=",
]
_RAW = [b"\xff", b"%ff", b"%c0%ae", b"%c0%af", b"%e0%80%af", b"%u002e", b"\xc3\xa9", b"%00", b"%5c", b"%zz"]


_STARTS = [b"/", b"/devlogs/", b"/__devlog__/", b"", b"http://127.0.0.1:PORT/", b"http://evil/"]
_FILES = [
    *("secret/canary.txt", "site-secret/canary.txt", "canary.txt", "site/.env", "site/static/link.txt", ".env"),
    *("site/static/linked/canary.txt", "static/link.txt", "static/linked/canary.txt", "static/notes.txt", "link.txt"),
    *("content/kernels/2026-05-04-under.md", "kernels/2026-05-04-under.md", "public/link.txt", "devlog.toml"),
]


def encoded(draw: st.DrawFn, data: bytes) -> bytes:
    """Percent-encoded up to three times, here and there or everywhere."""
    for _ in range(draw(st.integers(0, 3))):
        all_of_it = draw(st.booleans())
        data = b"".join(b"%%%02x" % byte if all_of_it or byte in b"/.\\%:#\0" else bytes([byte]) for byte in data)
    return data


@st.composite
def ways(draw: st.DrawFn) -> bytes:
    """Ways to files that there are, by all that has ever led to them."""
    names = draw(st.lists(st.sampled_from(["static", "kernels", "devlogs", ".", ""]), max_size=2))
    names += [".."] * draw(st.integers(0, 5)) + [draw(st.sampled_from(_FILES))]
    path = draw(st.sampled_from(["/", "/", "/", "\\", "//", "/./"])).join(names)
    end = draw(st.sampled_from(["", "", "", "/", "?x", "?raw??", "\0.html", "::$DATA", "#x", "~", ".", "%20"]))
    return draw(st.sampled_from(_STARTS)) + encoded(draw, (path + end).encode())


@st.composite
def mixtures(draw: st.DrawFn) -> bytes:
    """Names, ways up and nonsense in any order."""
    found = draw(st.sampled_from(_STARTS))
    for piece in draw(st.lists(st.sampled_from(_PIECES) | st.sampled_from(_RAW) | st.binary(max_size=4), max_size=12)):
        data = piece.encode() if isinstance(piece, str) else piece
        found += encoded(draw, data) + draw(st.sampled_from([b"", b"/"]))
    return found + b"a" * draw(st.sampled_from([0, 0, 0, 0, 16000, 65536]))


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(target=ways() | mixtures())
@example(target=b"/../secret/canary.txt")
@example(target=b"/devlogs/../../site-secret/canary.txt")
@example(target=b"/devlogs/%2e%2e/.env")
@example(target=b"/devlogs/%252e%252e/%252eenv")
@example(target=b"/devlogs/link.txt")
@example(target=b"/devlogs/static/link.txt")
@example(target=b"/devlogs/static/notes.txt")
@example(target=b"/devlogs/../site-secret/canary.txt")
@example(target=b"/devlogs/linked/canary.txt")
@example(target=b"/devlogs/kernels/2026-05-04-under.md")
@example(target=b"/devlogs/notes.txt::$DATA")
@example(target=b"/devlogs/notes.txt\0.html")
@example(target=b"/" + b"a" * 65536)
@example(target=b"/devlogs/notes.txt")
@example(target=b"/devlogs/deep/er/notes.txt")
@example(target=b"/__devlog__/events?page=/%2e%2e/secret")
def test_targets(running: Running, site: Shown, root: Path, opened: Opened, target: bytes) -> None:
    """Whatever is asked for: there is an answer, it tells no secret, and only files of the site are opened for it."""
    target = target.replace(b"PORT", b"%d" % running.port)
    for place in (b"", root.as_posix().encode()):
        ask(running.port, "/devlogs/notes.txt")  # what is opened once only, such as modules, is open now
        opened.by_thread.clear()
        opened.watching = True
        try:
            data = exchange(running.port, request(running.port, place + target, "GET", []))
        finally:
            opened.watching = False
        if data or len(target) < 16000:  # a long one may be cut off before the answer can be read
            assert parse(data).status in {200, 302, 400, 404, 421}
        assert CANARY.encode() not in data
        for names in opened.by_thread.values():
            assert _is_of_files(names, site)
    assert ask(running.port, POST).status == 200


def _is_of_files(names: list[object], site: Shown) -> bool:
    """Whether names are those by which files of a site are opened: its root, folder after folder, and the file."""
    text = [name if isinstance(name, str) else str(name) for name in names if not isinstance(name, int)]
    known = [[str(file.root), *file.file.split("/")] for file in site.answers.values() if isinstance(file, File)]
    while text:
        way = next((way for way in known if text[: len(way)] == way), None)
        if way is None:
            return False
        del text[: len(way)]
    return True


def test_the_hook_sees(running: Running, opened: Opened, root: Path) -> None:
    opened.by_thread.clear()
    opened.watching = True
    ask(running.port, "/devlogs/notes.txt")
    opened.watching = False
    (names,) = opened.by_thread.values()
    assert [name if isinstance(name, (str, int)) else str(name) for name in names][:3] == [
        str(root),
        "static",
        "notes.txt",
    ]


def test_a_file_that_became_a_link(tmp_path: Path) -> None:
    """The snapshot says that it is a file; the disk says otherwise now."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/a.txt").write_text(CANARY)
    (tmp_path / "site/static").mkdir(parents=True)
    (tmp_path / "site/a.txt").symlink_to(tmp_path / "secret/a.txt")
    (tmp_path / "site/linked").symlink_to(tmp_path / "secret")
    root = tmp_path / "site"
    answers: dict[str, Answer] = {
        "/file": File(root, "a.txt", False, "text/plain"),
        "/folder": File(root, "linked/a.txt", False, "text/plain"),
        "/up": File(root, "../secret/a.txt", False, "text/plain"),
        "/gone": File(root, "gone.txt", False, "text/plain"),
        "/is-folder": File(root, "static", False, "text/plain"),
        "/theme": File(root, "linked/a.txt", True, "text/plain"),
    }
    with serving(Table(answers)) as running:
        for path in ("/file", "/folder", "/up", "/gone", "/is-folder"):
            got = ask(running.port, path)
            assert (got.status, CANARY.encode() in got.body) == (404, False), path
        assert ask(running.port, "/theme").body == CANARY.encode()
        assert running.log == []


def test_a_file_has_the_length_it_has_now(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"0123456789")
    with serving(Table({"/a": File(tmp_path, "a.txt", False, "text/plain")})) as running:
        assert ask(running.port, "/a").body == b"0123456789"
        (tmp_path / "a.txt").write_bytes(b"01")
        assert ask(running.port, "/a").body == b"01"
        assert ask(running.port, "/a", headers={"Range": "bytes=5-"}).status == 416
        (tmp_path / "a.txt").write_bytes(b"")
        assert (ask(running.port, "/a").status, ask(running.port, "/a").body) == (200, b"")


def test_a_file_that_is_cut_while_it_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(bytes(LARGE))
    with serving(Table({"/a": File(tmp_path, "a.bin", False, "x/y")})) as running:
        with connect(running.port, buffer=4096) as client:
            client.sendall(request(running.port, b"/a", "GET", []))
            got = client.recv(10)
            file.write_bytes(b"")
            while piece := client.recv(1 << 18):
                got += piece
        assert int(parse(got).one("content-length")) == LARGE
        assert len(parse(got).body) < LARGE
        assert ask(running.port, "/a").status == 200


def test_a_file_that_nobody_waits_for_is_read_no_further(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []
    monkeypatch.setattr(app, "_read", lambda file, length: pieces.append(file.read(length)) or pieces[-1])
    with connect(running.port, buffer=4096) as client:
        client.sendall(request(running.port, b"/devlogs/large.mp4", "GET", []))
        assert client.recv(12) == b"HTTP/1.1 200"
    until(lambda: not running.server._inner.server_state.tasks)
    assert sum(map(len, pieces)) < LARGE


# --- who may ask ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "accepted"),
    [
        ("127.0.0.1:{port}", True),
        ("localhost:{port}", True),
        ("LocalHost:{port}", True),
        ("[::1]:{port}", True),
        ("127.0.0.1", False),
        ("localhost", False),
        ("localhost:80", False),
        ("localhost:0{port}", False),
        ("localhost:", False),
        ("evil.com", False),
        ("evil.com:{port}", False),
        ("127.0.0.1.evil.com:{port}", False),
        ("localhost.:{port}", False),
        ("localhost.localdomain:{port}", False),
        ("127.1:{port}", False),
        ("127.0.0.2:{port}", False),
        ("0.0.0.0:{port}", False),
        ("2130706433:{port}", False),
        ("0x7f000001:{port}", False),
        ("0177.0.0.1:{port}", False),
        ("[::ffff:127.0.0.1]:{port}", False),
        ("::1:{port}", False),
        ("user@127.0.0.1:{port}", False),
        ("evil.com@127.0.0.1:{port}", False),
        ("127.0.0.1:{port}@evil.com", False),
        ("127.0.0.1:{port}, evil.com", False),
        ("127.0.0.1:{port}/evil", False),
        ("http://127.0.0.1:{port}", False),
        ("", False),
    ],
)
def test_hosts(running: Running, host: str, accepted: bool) -> None:
    got = ask(running.port, POST, host=host.format(port=running.port))
    assert got.status == 200 if accepted else got.status in {400, 421}
    assert accepted or b"Lumen" not in got.body


def test_host_header_is_there_once(running: Running) -> None:
    own = f"127.0.0.1:{running.port}"
    for headers in ([("Host", own)], [("Host", "evil.com")]):
        assert ask(running.port, POST, headers=headers).status in {400, 421}
    assert parse(exchange(running.port, f"GET {POST} HTTP/1.0\r\n\r\n".encode())).status == 421
    blank = exchange(running.port, f"GET {POST} HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n".encode())
    assert parse(blank).status in {400, 421}
    twice: guard.Headers = [(b"host", own.encode()), (b"host", own.encode())]
    assert guard.refusal("GET", b"/", twice, guard.allow(running.port)) == guard.WRONG_HOST
    assert guard.refusal("GET", b"/", twice[:1], guard.allow(running.port)) is None


def test_the_host_comes_first(running: Running) -> None:
    """Strangers are told nothing else: not what exists, nor what is allowed."""
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.com"}
    for method, target in (("POST", "/"), ("GET", "/%00"), ("GET", "/__devlog__/x"), ("GET", "//"), ("BREW", POST)):
        assert ask(running.port, target, method, foreign, host="evil.com").status == 421


@pytest.mark.parametrize(
    ("port", "names", "host", "accepted"),
    [
        (80, (), "localhost", True),
        (80, (), "localhost:80", True),
        (8000, ("Lumen.example",), "lumen.example:8000", True),
        (8000, ("lumen.example",), "lumen.example", False),
        (8000, ("lumen.example:443",), "lumen.example", True),
        (8000, ("lumen.example:443",), "lumen.example:8000", False),
        (8000, ("fe80::1",), "[fe80::1]:8000", True),
        (8000, ("[fe80::1]:9",), "[fe80::1]:9", True),
        (8000, ("lumen.example",), "other.example:8000", False),
        (8000, ("lumen.example",), "a.lumen.example:8000", False),
        (8000, ("",), "evil.com:8000", False),
    ],
)
def test_allowed_names(port: int, names: tuple[str, ...], host: str, accepted: bool) -> None:
    headers: guard.Headers = [(b"host", host.encode())]
    assert (guard.refusal("GET", b"/", headers, guard.allow(port, names)) is None) is accepted


def test_allowed_origins() -> None:
    allowed = guard.allow(8000, ("lumen.example:443", "other.example:80"))
    assert {"https://lumen.example", "http://other.example", "http://127.0.0.1:8000"} <= allowed.origins
    assert not {"http://lumen.example", "http://127.0.0.1", "https://127.0.0.1:8000"} & allowed.origins


def accepts(allowed: guard.Allowed, origin: str) -> bool:
    """Whether what a browser sends to an address, which is its page's origin too, gets an answer."""
    headers = [(b"host", origin.partition("://")[2].encode()), (b"origin", origin.encode())]
    return guard.refusal("GET", b"/", headers, allowed) is None


@pytest.mark.parametrize("host", ["127.0.0.2", "127.0.0.1", "localhost", "::1"])
@pytest.mark.parametrize("port", [80, 443, 8000])
def test_the_address_listened_on_is_accepted(host: str, port: int) -> None:
    assert accepts(guard.allow(port, host=host), guard.address(host, port))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "lumen.example", ""])
def test_listening_for_others_names_nobody(host: str) -> None:
    assert guard.allow(8000, host=host) == guard.allow(8000)


@pytest.mark.parametrize(
    ("name", "port", "address"),
    [
        ("lumen.example", 8000, "http://lumen.example:8000"),
        ("lumen.example", 80, "http://lumen.example"),
        ("lumen.example:80", 8000, "http://lumen.example"),
        ("lumen.example:443", 8000, "https://lumen.example"),
        ("lumen.example", 443, "http://lumen.example:443"),  # devlog itself does not speak HTTPS
        ("lumen.example:9000", 8000, "http://lumen.example:9000"),
        ("[fe80::1]:443", 8000, "https://[fe80::1]"),
        ("::1", 8000, "http://[::1]:8000"),
        ("127.0.0.2", 8000, "http://127.0.0.2:8000"),
    ],
)
def test_addresses_of_names(name: str, port: int, address: str) -> None:
    assert guard.address(name, port) == address
    assert accepts(guard.allow(port, (name,)), address)


@pytest.mark.parametrize("name", ["box", "a.lumen-2.example:443", "192.0.2.1", "[fe80::1]", "[fe80::1]:1", "b:65535"])
def test_names_of_hosts(name: str) -> None:
    assert guard.is_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("", "*", "*.example", "https://box.example", "box.example/", "a b", " box", "box\n", "a..b", "-box"),
        *("ada@box", "box:", "box:0", "box:080", "box:65536", "box:https", "fe80::1", "[fe80::1", "[fe80:1]"),
        *("[]", "b\u00f6x"),
    ],
)
def test_other_words_are_no_names_of_hosts(name: str) -> None:
    assert not guard.is_name(name)


VISIT = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
EMBEDDED = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}


@pytest.mark.parametrize(
    ("headers", "accepted"),
    [
        ({}, True),
        ({"Sec-Fetch-Site": "none", **VISIT}, True),
        ({"Sec-Fetch-Site": "same-origin", **EMBEDDED}, True),
        ({"Sec-Fetch-Site": "cross-site", **VISIT}, True),
        ({"Sec-Fetch-Site": "same-site", **VISIT}, True),
        ({"Sec-Fetch-Site": "cross-site", **EMBEDDED}, False),
        ({"Sec-Fetch-Site": "same-site", **EMBEDDED}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "of-the-future"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, False),
        ({"Origin": "http://127.0.0.1:{port}"}, True),
        ({"Origin": "http://localhost:{port}", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "https://evil.com"}, False),
        ({"Origin": "http://127.0.0.1"}, False),
        ({"Origin": "https://127.0.0.1:{port}"}, False),
        ({"Origin": "http://127.0.0.1:{port}.evil.com"}, False),
        ({"Origin": "http://127.0.0.1:{port}/"}, False),
        ({"Origin": "http://evil.com", "Sec-Fetch-Site": "same-origin"}, False),
        ({"Origin": "http://evil.com", "Sec-Fetch-Site": "cross-site", **VISIT}, False),
    ],
)
@pytest.mark.parametrize("path", [POST, "/devlogs/notes.txt"])
def test_other_sites(running: Running, headers: dict[str, str], accepted: bool, path: str) -> None:
    sent = {name: value.format(port=running.port) for name, value in headers.items()}
    got = ask(running.port, path, headers=sent)
    assert got.status == (200 if accepted else 403)
    assert accepted or not re.search(b"Lumen|0123", got.body)


@pytest.mark.parametrize("path", ["/__devlog__/live.js", "/__devlog__/events?page=/", "/%5f_devlog__/live.js"])
def test_no_visits_to_what_is_not_the_sites(running: Running, path: str) -> None:
    assert ask(running.port, path, headers={"Sec-Fetch-Site": "cross-site", **VISIT}).status == 403
    assert ask(running.port, path, headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_contradicting_headers_are_refused(running: Running) -> None:
    twice = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
    assert ask(running.port, POST, headers=twice).status == 403
    modes = [("Sec-Fetch-Site", "cross-site"), *VISIT.items(), ("Sec-Fetch-Dest", "iframe")]
    assert ask(running.port, POST, headers=modes).status == 403
    origins = [("Origin", f"http://localhost:{running.port}"), ("Origin", "https://evil.com")]
    assert ask(running.port, POST, headers=origins).status == 403


@pytest.mark.parametrize("method", "POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND PURGE get BREW".split())
@pytest.mark.parametrize("path", [POST, "/__devlog__/live.js", "/__devlog__/events?page=/", "/none", "*"])
def test_methods(running: Running, site: Shown, method: str, path: str) -> None:
    site.asked.clear()
    got = ask(running.port, path, method)
    assert (got.status, got.one("allow")) == (405, "GET, HEAD")
    assert b"Lumen" not in got.body
    assert site.asked == []


def test_bodies_are_not_waited_for(running: Running) -> None:
    """The answer comes before the body, and then the connection is closed: what follows is read by nobody."""
    for method, status in (("POST", 405), ("GET", 200)):
        for body in ("Content-Length: 1000000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"):
            head = f"{method} {POST} HTTP/1.1\r\nHost: localhost:{running.port}\r\n{body}"
            got = parse(exchange(running.port, head.encode()))
            assert (got.status, got.one("connection")) == (status, "close")


PROTECTION = {
    "cache-control": "no-store",
    "content-security-policy": guard.POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def protected(got: Got, policy: str = guard.POLICY) -> bool:
    expected = {**PROTECTION, "content-security-policy": policy}
    return all(got.headers.get(name) == [value] for name, value in expected.items()) and not any(
        name.startswith("access-control-") or name == "server" for name in got.headers
    )


@pytest.mark.parametrize(
    ("status", "method", "target", "headers"),
    [
        (200, "GET", POST, {}),
        (200, "HEAD", POST, {}),
        (200, "GET", "/devlogs/notes.txt", {}),
        (200, "GET", "/devlogs/sitemap.xml", {}),
        (206, "GET", "/devlogs/notes.txt", {"Range": "bytes=1-2"}),
        (302, "GET", POST.rstrip("/"), {}),
        (400, "GET", "/__devlog__/events", {}),
        (403, "GET", POST, {"Origin": "https://evil.com"}),
        (404, "GET", "/devlogs/none/", {}),
        (404, "GET", "/%00", {}),
        (404, "GET", "/__devlog__/x", {}),
        (405, "OPTIONS", POST, {"Origin": "http://localhost:{port}", "Access-Control-Request-Method": "GET"}),
        (416, "GET", "/devlogs/notes.txt", {"Range": "bytes=10-"}),
        (421, "GET", "http://evil.com/", {}),
        (200, "GET", "/__devlog__/live.js", {}),
        (200, "GET", "/__devlog__/events?page=/", {}),
        (200, "HEAD", "/__devlog__/events?page=/", {}),
    ],
)
def test_every_answer_is_protected(
    running: Running, status: int, method: str, target: str, headers: dict[str, str]
) -> None:
    sent = {name: value.format(port=running.port) for name, value in headers.items()}
    got = ask(running.port, target, method, sent)
    assert got.status == status
    assert protected(got), got.headers


@pytest.mark.parametrize(
    ("configured", "sent"),
    [
        ("default-src 'none'", "default-src 'none'; frame-ancestors 'none'"),
        ("default-src *; Frame-Ancestors 'self';", "default-src *; Frame-Ancestors 'self';"),
        ("img-src https://frame-ancestors.example", "img-src https://frame-ancestors.example; frame-ancestors 'none'"),
        ("", "frame-ancestors 'none'"),
        ("a 'b'\r\nX-Evil: 1", "a 'b' X-Evil: 1; frame-ancestors 'none'"),
        ("a é\0", "a; frame-ancestors 'none'"),
    ],
)
def test_configured_policy(configured: str, sent: str) -> None:
    with serving(Table({"/": Page(HTML, "k")}), policy=configured) as running:
        assert protected(ask(running.port, "/"), sent)
        assert protected(ask(running.port, "/", "POST"), sent)


# --- ranges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-", (0, 10)),
        ("bytes=2-4", (2, 5)),
        ("BYTES=2-4", (2, 5)),
        ("bytes=9-", (9, 10)),
        ("bytes=5-99999999999999999", (5, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-10", (0, 10)),
        ("bytes=-99", (0, 10)),
        ("bytes=10-", ()),
        ("bytes=10-20", ()),
        ("bytes=-0", ()),
        ("bytes=5-4", None),
        ("bytes=-", None),
        ("bytes=", None),
        ("bytes", None),
        ("bytes=a-b", None),
        ("bytes=1", None),
        ("bytes=--1", None),
        ("bytes=1-2-3", None),
        ("bytes=+1-2", None),
        ("bytes= 1-2", None),
        ("bytes=1 -2", None),
        ("bytes=0x1-2", None),
        ("bytes=1-9999999999999999999", None),
        ("items=1-2", None),
        ("bytes=0-1,3-4", None),
        ("bytes=1-2,", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("path", ["/file", "/data"])
def test_ranges(tmp_path: Path, ranged: Running, header: str, part: tuple[int, ...] | None, path: str) -> None:
    got = ask(ranged.port, path, headers={"Range": header})
    whole = b"0123456789"
    assert protected(got)
    if part is None:
        assert (got.status, got.body, got.one("accept-ranges")) == (200, whole, "bytes")
        assert "content-range" not in got.headers
    elif part:
        start, stop = part
        assert (got.status, got.body) == (206, whole[start:stop])
        assert (got.one("content-range"), got.one("accept-ranges")) == (f"bytes {start}-{stop - 1}/10", "bytes")
        assert got.one("content-type") == "audio/mpeg"
        assert got.one("content-length") == str(stop - start)
    else:
        assert (got.status, got.one("content-range")) == (416, "bytes */10")
        assert whole not in got.body


@pytest.fixture(scope="module")
def ranged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("ranges")
    (folder / "a.mp3").write_bytes(b"0123456789")
    (folder / "empty.mp3").write_bytes(b"")
    answers: dict[str, Answer] = {
        "/file": File(folder, "a.mp3", False, "audio/mpeg"),
        "/data": Data(b"0123456789", "audio/mpeg"),
        "/empty": File(folder, "empty.mp3", False, "audio/mpeg"),
        "/page": Page(HTML, "k"),
    }
    with serving(Table(answers)) as running:
        yield running


def test_what_has_no_ranges(ranged: Running) -> None:
    for path in ("/file", "/data"):
        head = ask(ranged.port, path, "HEAD", {"Range": "bytes=1-2"})
        assert (head.status, head.one("content-length"), head.body) == (200, "10", b"")
        compared = ask(ranged.port, path, headers={"Range": "bytes=1-2", "If-Range": '"x"'})
        assert (compared.status, compared.body) == (200, b"0123456789")
        twice = ask(ranged.port, path, headers=[("Range", "bytes=1-2"), ("Range", "bytes=3-4")])
        assert (twice.status, twice.body) == (200, b"0123456789")
    page = ask(ranged.port, "/page", headers={"Range": "bytes=1-2"})
    assert (page.status, "accept-ranges" in page.headers) == (200, False)
    assert ask(ranged.port, "/empty", headers={"Range": "bytes=0-"}).status == 416
    assert ask(ranged.port, "/empty", headers={"Range": "bytes=0-"}).one("content-range") == "bytes */0"


def test_thousands_of_ranges(ranged: Running) -> None:
    header = "bytes=" + ",".join("0-1" for _ in range(3000))
    got = ask(ranged.port, "/file", headers={"Range": header})
    assert (got.status, got.body) == (200, b"0123456789")


@given(st.integers(0, 12), st.none() | st.integers(0, 12), st.none() | st.integers(0, 12))
def test_ranges_are_slices(length: int, first: int | None, last: int | None) -> None:
    data = bytes(range(length))
    header = f"bytes={'' if first is None else first}-{'' if last is None else last}".encode()
    part = ranges.chosen(header, length)
    if first is None and last is None:
        assert part is None
    elif first is None:
        assert part is not None
        assert data[part.start : part.stop] == (data[-last:] if last else b"")
    elif last is not None and last < first:
        assert part is None
    else:
        assert part is not None
        assert bytes(data[place] for place in part) == data[first : None if last is None else last + 1]


# --- streams ----------------------------------------------------------------------------------------------------------


def update(number: int, files: tuple[str, ...] = (), **changed: str) -> Update:
    return Update(number, {f"/{page}/": key for page, key in changed.items()}, files, ())


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


def test_a_tab_that_does_not_read_misses_nothing(tmp_path: Path) -> None:
    """What it is told late is told in one, and nobody else waits for it."""
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
        told = [json.loads(data) for data in re.findall(rb"^data: (.*)$", got, re.MULTILINE)]
        assert len(told) < count
        assert [one["number"] for one in told] == sorted({one["number"] for one in told})
        assert {file for one in told for file in one["files"]} >= {f"/{number}.css" for number in range(1, count + 1)}
        assert told[-1]["changed"] == {"/page/": str(count)}
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


# --- faults and slowness ----------------------------------------------------------------------------------------------


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
            future.set_result(Elsewhere("/é"))
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


# --- the server -------------------------------------------------------------------------------------------------------


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
