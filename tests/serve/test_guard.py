"""To whom the preview answers."""

from __future__ import annotations

import re

import pytest
from http_raw import ask, exchange, parse
from http_site import HTML, POST, Running, Shown, Table, protected, serving

from devlog.serve import guard
from devlog.serve.policy import ATTACHED, FEED, Policy
from devlog.serve.responses import Data, Page


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
    is_led = headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}
    accepted = accepted and (path == POST or not is_led)
    assert got.status == (200 if accepted else 403)
    assert accepted or not re.search(b"Lumen|0123", got.body)


@pytest.mark.parametrize("other", ["cross-site", "same-site"])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        (POST, 200),
        ("/devlogs/", 200),
        (POST.rstrip("/"), 302),  # to a page
        ("/devlogs/none/", 404),  # a page as well
        ("/devlogs/notes.txt", 403),
        ("/devlogs/page.html", 403),
        ("/devlogs/large.mp4", 403),
        ("/devlogs/index.xml", 403),
        ("/devlogs/posts.json", 403),
        ("/devlogs/theme/theme.js", 403),
        pytest.param(f"{POST}index.md", 403, marks=pytest.mark.feature("markdown_versions")),
    ],
)
def test_other_sites_lead_only_to_pages(running: Running, path: str, status: int, other: str) -> None:
    assert ask(running.port, path, headers={"Sec-Fetch-Site": other, **VISIT}).status == status
    if status == 403:
        assert ask(running.port, path, headers={"Sec-Fetch-Site": "none", **VISIT}).status == 200
        assert ask(running.port, path, headers={"Sec-Fetch-Site": "same-origin", **VISIT}).status == 200


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
    running: Running, site: Shown, status: int, method: str, target: str, headers: dict[str, str]
) -> None:
    sent = {name: value.format(port=running.port) for name, value in headers.items()}
    got = ask(running.port, target, method, sent)
    assert got.status == status
    is_page = got.headers.get("content-type") == ["text/html; charset=utf-8"]
    policy = site.policy().page() if is_page else FEED if target.endswith(".xml") else ATTACHED
    assert protected(got, policy), got.headers


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
    answers = {"/": Page(HTML, "k"), "/file": Data(b"<svg/>", "image/svg+xml")}
    with serving(Table(answers), policy=Policy(configured or " ")) as running:
        assert protected(ask(running.port, "/"), sent)
        assert protected(ask(running.port, "/file"), ATTACHED)  # which no configuration opens
        assert protected(ask(running.port, "/", "POST"), ATTACHED)
