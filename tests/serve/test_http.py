"""What the preview's server answers, and what it never tells."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import pytest
from http_raw import PATIENCE, ask, connect, exchange, parse, request
from http_site import BASE, CANARY, HTML, LARGE, POST, SCRIPT, Running, Shown, Table, serving, until
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from devlog.model.digest import digest_bytes
from devlog.serve import app, guard, hub
from devlog.serve.responses import Answer, Data, File, Page
from devlog.serve.server import Server, bind

# -- what is answered


@pytest.mark.slow
def test_page(running: Running, site: Shown) -> None:
    got = ask(running.port, POST)
    page = site.answers[POST]
    assert isinstance(page, Page)
    assert got.status == 200
    assert got.one("content-type") == "text/html; charset=utf-8"
    assert int(got.one("content-length")) == len(got.body)
    policy = digest_bytes(got.one("content-security-policy").encode())
    facts = f'data-page="{POST}" data-key="{page.key}" data-policy="{policy}"'
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
    done = b"".join(app.with_script(Page(html, "k"), "/p", ""))
    assert re.sub(rb"<script.*?</script>", b"X", done) == expected


def test_facts_of_the_script_are_text() -> None:
    page = Page(HTML, 'k"><script>', 200, "draft", "it's <b>&amp;", "vscode://file/a b.md:{line}")
    tag = bytes(app.with_script(page, '/a"b/<c>/', "")[1]).decode()
    assert tag == (
        '<script type="module" src="/__devlog__/live.js" data-page="/a&quot;b/&lt;c&gt;/" '
        'data-key="k&quot;&gt;&lt;script&gt;" '
        'data-state="draft" data-note="it&#x27;s &lt;b&gt;&amp;amp;" data-editor="vscode://file/a b.md:{line}">'
        "</script>"
    )


@pytest.mark.slow
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


# -- paths


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


@pytest.mark.slow
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


@settings(max_examples=400, suppress_health_check=list(HealthCheck))
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
@pytest.mark.slow
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
    ask(running.port, "/devlogs/notes.txt")  # what is opened once only, such as modules, is open now
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


def test_a_picture_is_sent_as_it_is_published(tmp_path: Path) -> None:
    secret = b"\xff\xfe\0\x08secret"
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8" + secret + b"\xff\xd9 and more")
    answers: dict[str, Answer] = {
        "/a": File(tmp_path, "a.jpg", False, "image/jpeg", strip=True),
        "/whole": File(tmp_path, "a.jpg", False, "image/jpeg"),
    }
    with serving(Table(answers)) as running:
        got = ask(running.port, "/a")
        assert (got.body, got.one("content-type")) == (b"\xff\xd8\xff\xd9", "image/jpeg")
        assert ask(running.port, "/a", headers={"Range": "bytes=2-"}).body == b"\xff\xd9"
        assert ask(running.port, "/a", "HEAD").body == b""
        assert secret in ask(running.port, "/whole").body
        assert running.log == []


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
