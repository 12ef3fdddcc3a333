"""Asking a server that answers in all the ways there are."""

from __future__ import annotations

import socket
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

import pytest
from local_web import AT_ONCE, CERTIFICATE, Reply, Request, Web, ask, ask_one, by_path, reply, serving

from devlog import __version__
from devlog.external.requests import CLOSED, PRIVATE, UNKNOWN, Answer, Pace
from devlog.http.reach import PORTS, Reach, resolve
from devlog.http.request_url import is_global
from devlog.http.response_head import MOST_BYTES

pytestmark = pytest.mark.slow  # each test waits for a server of its own

ALIVE = Answer("alive")


def dead(why: str, detail: str = "") -> Answer:
    return Answer("dead", why, detail)  # type: ignore[arg-type]


# -- what single answers mean


@pytest.mark.parametrize("status", [200, 204, 206, 304, 400, 401, 403, 405, 406, 416, 418, 451, 999])
def test_whoever_does_not_say_that_nothing_is_there_is_alive(status: int) -> None:
    with serving(lambda _request: reply(status)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_not_there_is_dead(status: int) -> None:
    with serving(lambda _request: reply(status)) as web:
        assert ask_one(web.url("/a"), web.reach()) == dead("status", str(status))
    assert web.asked == [("HEAD", "/a"), ("GET", "/a")]


@pytest.mark.parametrize("status", [400, 403, 404, 405, 500, 501])
def test_a_server_that_cannot_tell_without_showing(status: int) -> None:
    with serving(lambda request: reply(200 if request.method == "GET" else status)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE
    assert web.asked == [("HEAD", "/a"), ("GET", "/a")]
    assert "Range: bytes=0-0" in web.requests[1].lines


def test_a_server_that_ends_the_connection_when_it_is_only_asked_for_the_head() -> None:
    with serving(lambda request: reply(200) if request.method == "GET" else b"") as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


def test_a_server_that_fails_is_asked_again() -> None:
    with serving(lambda _request: reply(500)) as web:
        assert ask_one(web.url("/a"), web.reach()) == dead("status", "500")
    assert len(web.asked) == 4
    replies = iter([reply(502), reply(502), reply(200)])
    with serving(lambda _request: next(replies)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


def test_what_is_sent_tells_who_asks_and_nothing_else() -> None:
    with serving(by_path()) as web:
        ask_one(web.url("/a?b=c#d"), web.reach())
    head, get = web.requests
    assert head.path == "/a?b=c"
    usual = [
        f"Host: lumen.example.org:{web.port}",
        f"User-Agent: devlog/{__version__} (checks links)",
        "Accept: */*",
        "Accept-Encoding: identity",
    ]
    assert list(head.lines) == [*usual, "Connection: close"]
    assert list(get.lines) == [*usual, "Range: bytes=0-0", "Connection: close"]


# -- odd answers


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 200\n\n",
        b"HTTP/1.1  200 OK\r\nbad line\r\n: x\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 50_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: \xff\xfe\r\n",
    ],
)
def test_servers_are_taken_as_they_are(answer: bytes) -> None:
    with serving(lambda _request: answer) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-x\r\n", b"HTTP/1.1 20\r\n\r\n", b"HTTP/1.1 100 So\r\n\r\n" * 50, b"\0" * 90_000]
)
def test_what_is_no_web_server(answer: bytes) -> None:
    with serving(lambda _request: answer) as web:
        found = ask_one(web.url("/a"), web.reach())
    assert found.verdict == "dead"
    assert found.why in ("not-http", "broken")


def test_a_body_is_not_read() -> None:
    whole = 1 << 28

    def answer(request: Request) -> Reply:
        return reply(404) if request.method == "HEAD" else endless()

    def endless() -> Iterator[bytes]:
        yield reply(200, Content_Length=str(whole))
        for _ in range(whole >> 16):
            yield bytes(1 << 16)

    with serving(answer) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE
    assert web.sent < whole  # what the system itself takes is not ours


def test_fields_without_an_end_are_not_read() -> None:
    whole = 1 << 28

    def answer(_request: Request) -> Reply:
        yield b"HTTP/1.1 200 OK\r\n"
        for _ in range(whole >> 16):
            yield b"X: y\r\n" * (1 << 13)

    with serving(answer) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE
    assert MOST_BYTES < web.sent < whole


def test_a_server_without_an_answer() -> None:
    over = threading.Event()

    def answer(_request: Request) -> Reply:
        over.wait(60)
        return reply(200)

    with serving(answer) as web:
        try:
            assert ask_one(web.url("/a"), web.reach(), Pace(pause=0, again=(0,), request=0.2)) == dead("slow")
        finally:
            over.set()
    assert web.asked == [("HEAD", "/a"), ("GET", "/a")]


def test_an_answer_drop_by_drop_is_too_slow() -> None:
    over = threading.Event()

    def answer(_request: Request) -> Reply:
        yield b"HTTP/1.1 200 OK\r\n"
        while not over.wait(0.02):
            yield b"X: y\r\n"

    with serving(answer) as web:
        try:
            assert ask_one(web.url("/a"), web.reach(), Pace(pause=0, again=(), request=0.3)) == dead("slow")
        finally:
            over.set()


def test_a_connection_that_is_reset() -> None:
    with serving(lambda _request: b"") as web:
        assert ask_one(web.url("/a"), web.reach()) == dead("broken")
    assert len(web.asked) == 3


def test_nobody_listens() -> None:
    with serving(by_path()) as web:
        pass
    urls = [web.url("/a"), web.url("/b")]
    answers, reached = ask(urls, web.reach())
    assert [answers[url] for url in urls] == [dead("refused")] * 2
    assert reached, "names can be looked up, and this is just one host"


# -- names


def resolving(**places: Sequence[str] | OSError) -> Callable[[str, int], Sequence[str]]:
    """Looks up names below ``example.org``, each once per call."""

    def look_up(host: str, _port: int) -> Sequence[str]:
        place = places.get(host.partition(".")[0], socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        if isinstance(place, OSError):
            raise place
        return place

    return look_up


def test_a_name_that_nobody_has() -> None:
    asked: list[str] = []
    known = resolving(example=("127.0.0.1",))

    def look_up(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return known(host, port)

    with serving(by_path()) as web:
        urls = [web.url(f"/{number}") for number in range(20)]
        answers, reached = ask(urls, web.reach(resolve=look_up))
    assert set(answers.values()) == {dead("no-host")}
    assert asked == ["lumen.example.org", "example.com"], "once, and once to see whether names can be looked up at all"
    assert reached


def test_a_name_that_cannot_be_looked_up_now() -> None:
    error = socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    with serving(by_path(a=reply(200))) as web:
        reach = web.reach(resolve=resolving(lumen=error, other=("127.0.0.1",)))
        answers, _ = ask([web.url("/a"), web.url("/a", "other.example.org")], reach)
    assert [*answers.values()] == [dead("lookup"), ALIVE]


def test_the_next_address_of_a_host_is_tried() -> None:
    with serving(by_path(a=reply(200))) as web:
        reach = web.reach(resolve=resolving(lumen=("127.0.0.3", "127.0.0.1")), is_allowed=lambda _address: True)
        assert ask_one(web.url("/a"), reach) == ALIVE


# -- what is not public


@pytest.mark.parametrize("places", [("10.0.0.1",), ("127.0.0.1", "10.0.0.1"), ("::1",), ("169.254.169.254",)])
def test_a_name_of_which_any_address_is_not_public(places: Sequence[str]) -> None:
    with serving(by_path(a=reply(200))) as web:
        assert ask_one(web.url("/a"), web.reach(resolve=resolving(lumen=places))) == PRIVATE
    assert not web.requests


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "0"]
)
def test_this_machine_is_not_asked(host: str) -> None:
    with serving(by_path(a=reply(200))) as web:
        assert ask_one(f"http://{host}:{web.port}/a", web.reach(is_allowed=is_global)) == CLOSED
    assert not web.requests


def test_a_name_that_means_this_machine_is_not_asked() -> None:
    with serving(by_path(a=reply(200))) as web:
        assert ask_one(web.url("/a"), web.reach(is_allowed=is_global)) == PRIVATE
    assert not web.requests


def test_a_name_that_changes_its_meaning() -> None:
    """Each connection goes to what was looked at for it."""
    places = iter([("127.0.0.1",), ("10.0.0.1",)])
    with serving(by_path()) as web:
        assert ask_one(web.url("/a"), web.reach(resolve=lambda _host, _port: next(places))) == PRIVATE
    assert web.asked == [("HEAD", "/a")]


def test_only_ports_of_web_servers() -> None:
    with serving(by_path(a=reply(200))) as web:
        assert ask_one(web.url("/a"), web.reach(ports=frozenset({80, 443}))) == CLOSED
    assert not web.requests


@pytest.mark.parametrize(
    "target",
    [
        "http://10.0.0.1:{port}/b",
        "http://169.254.169.254:{port}/b",
        "http://localhost:{port}/b",
        "http://127.0.0.1:25/",
        "http://ada:secret@lumen.example.org:{port}/b",
        "ftp://lumen.example.org/b",
        "file:///etc/passwd",
        "http://[::1/",
    ],
)
def test_a_redirect_to_what_is_never_asked(target: str) -> None:
    with serving(lambda _request: reply(302, Location=target.format(port=web.port))) as web:
        assert ask_one(web.url("/a"), web.reach()) == CLOSED
    assert web.asked == [("HEAD", "/a")]


# -- redirects


def followed(status: int = 301, start: str = "/a", **targets: str) -> tuple[Answer, Web]:
    """What comes of asking for `start` where paths redirect to others."""

    def answer(request: Request) -> Reply:
        target = targets.get(request.path.strip("/"))
        return reply(status, Location=target.replace("PORT", str(web.port))) if target else reply(200)

    with serving(answer) as web:
        return ask_one(web.url(start), web.reach()), web


@pytest.mark.parametrize("status", [301, 308])
def test_a_page_that_moved_for_good(status: int) -> None:
    answer, web = followed(status, a="/b", b="http://new.example.org:PORT/c?d=e")
    assert answer == Answer("alive", moved=web.url("/c?d=e", "new.example.org"))
    assert [request.path for request in web.requests] == ["/a", "/b", "/c?d=e"]
    assert web.requests[2].host == f"new.example.org:{web.port}"


@pytest.mark.parametrize(
    ("location", "path"), [(b"/n\xe4", "/n%E4"), (b"/n\xc3\xa4", "/n%C3%A4"), (b"/%e4?\xff b", "/%e4?%FF%20b")]
)
def test_the_bytes_of_a_redirect_are_kept(location: bytes, path: str) -> None:
    """Whatever their encoding is: old servers write Latin-1."""
    moved = reply(301).replace(b"\r\n\r\n", b"\r\nLocation: " + location + b"\r\n\r\n")
    with serving(lambda request: moved if request.path == "/a" else reply(200)) as web:
        assert ask_one(web.url("/a"), web.reach()) == Answer("alive", moved=web.url(path))
    assert web.asked == [("HEAD", "/a"), ("HEAD", path)]


@pytest.mark.parametrize("encrypted", [True, False])
def test_only_a_page_without_encryption_moves_to_the_other_scheme(encrypted: bool) -> None:
    schemes = ("https", "http") if encrypted else ("http", "https")
    with serving(lambda _request: reply(200), tls=not encrypted) as new:
        there = new.url("/b", scheme=schemes[1])
        with serving(lambda _request: reply(301, Location=there), tls=encrypted) as old:
            reach = old.reach(tls=trusting(), ports=frozenset({old.port, new.port}))
            found = ask_one(old.url("/a", scheme=schemes[0]), reach)
    assert found == (ALIVE if encrypted else Answer("alive", moved=there))
    assert new.asked == [("HEAD", "/b")]


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_page_that_is_elsewhere_for_now(status: int) -> None:
    answer, web = followed(status, a="/b")
    assert answer == ALIVE
    assert len(web.requests) == 2


@pytest.mark.parametrize(("first", "second"), [(301, 302), (302, 301)])
def test_a_chain_that_is_not_permanent_all_the_way(first: int, second: int) -> None:
    replies = {"/a": reply(first, Location="/b"), "/b": reply(second, Location="/c"), "/c": reply(200)}
    with serving(lambda request: replies[request.path]) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/login?next=/a",
        "/en/sign-in",
        "/auth/realms",
        "/cookie/consent",
        "http://login.example.org:PORT/x",
        "http://sso.example.org:PORT/x",
        "/a/",
        "/a",
    ],
)
def test_a_door_is_not_the_page(target: str) -> None:
    def answer(request: Request) -> Reply:
        moves = request.path == "/a" and request.host.startswith("old.")
        return reply(301, Location=target.replace("PORT", str(web.port))) if moves else reply(200)

    with serving(answer) as web:
        found = ask_one(web.url("/a", "old.example.org"), web.reach())
    if target != "/a":
        assert found == ALIVE
    else:
        assert found == dead("circles")


def test_the_front_page_may_move() -> None:
    answer, web = followed(a="/x", start="/", **{"": "http://new.example.org:PORT/b"})
    assert answer.moved == web.url("/b", "new.example.org")


@pytest.mark.parametrize("status", [403, 500])
def test_a_page_that_moved_to_where_nothing_is_shown_has_no_new_address(status: int) -> None:
    with serving(lambda request: reply(301, Location="/b") if request.path == "/a" else reply(status)) as web:
        assert not ask_one(web.url("/a"), web.reach()).moved


def test_a_page_that_moved_to_nowhere() -> None:
    with serving(lambda request: reply(301, Location="/b") if request.path == "/a" else reply(404)) as web:
        assert ask_one(web.url("/a"), web.reach()) == dead("status", "404")


def test_circles() -> None:
    answer, web = followed(a="/b", b="/a")
    assert answer == dead("circles")
    assert len(web.requests) == 2


def test_redirects_without_an_end() -> None:
    with serving(lambda request: reply(301, Location=f"{request.path}a")) as web:
        assert ask_one(web.url("/a"), web.reach()) == dead("circles")
    assert len(web.requests) == AT_ONCE.hops + 1


def test_circles_around_a_cookie_are_a_wall() -> None:
    with serving(lambda _request: reply(302, Location="/a", Set_Cookie="seen=1")) as web:
        assert ask_one(web.url("/a"), web.reach()) == UNKNOWN
    assert all("ookie" not in line for request in web.requests for line in request.lines)


def test_a_redirect_that_does_not_say_where() -> None:
    with serving(lambda _request: reply(302)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


# -- politeness


def test_one_request_at_a_time_at_each_host() -> None:
    wait = threading.Event()

    def answer(request: Request) -> Reply:
        wait.wait(0.01)
        return reply(301, Location=f"http://two.example.org:{web.port}/b") if request.path == "/a" else reply(200)

    with serving(answer) as web:
        urls = [web.url(f"/{number}", f"{name}.example.org") for number in range(6) for name in ("one", "two", "three")]
        answers, _ = ask([*urls, web.url("/a", "one.example.org"), web.url("/a", "three.example.org")], web.reach())
    assert {answer.verdict for answer in answers.values()} == {"alive"}
    assert web.most_of_a_host == 1
    assert Counter(request.host.partition(".")[0] for request in web.requests) == {"one": 7, "two": 8, "three": 7}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "pause"), [(reply(200), 60), (reply(429, Retry_After="30"), 0)], ids=["pause", "retry-after"]
)
def test_a_host_is_not_asked_before_it_may_be(answer: bytes, pause: float) -> None:
    with serving(lambda _request: answer) as web:
        ask([web.url("/a"), web.url("/b")], web.reach(), Pace(pause=pause, again=(0, 0, 0), overall=2))
    assert len(web.requests) == 1


def test_so_many_requests_at_once_and_no_more() -> None:
    together = threading.Barrier(3)

    def answer(_request: Request) -> Reply:
        together.wait(20)  # fails where there are never three
        return reply(200)

    with serving(answer) as web:
        urls = [web.url("/a", f"h{number}.example.org") for number in range(12)]
        answers, _ = ask(urls, web.reach(), Pace(at_once=3, pause=0, again=()))
    assert set(answers.values()) == {ALIVE}
    assert web.most == 3


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_host_gets_some_time(status: int) -> None:
    replies = iter([reply(status, Retry_After="0"), reply(status), reply(200)])
    with serving(lambda _request: next(replies)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE
    assert web.asked == [("HEAD", "/a")] * 3


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_stays_busy_is_left_alone_and_nobody_says_that_it_is_dead(status: int) -> None:
    with serving(lambda _request: reply(status)) as web:
        urls = [web.url(f"/{number}") for number in range(10)]
        answers, _ = ask(urls, web.reach())
    assert set(answers.values()) == {UNKNOWN}
    assert len(web.requests) < 10 * (len(AT_ONCE.again) + 1)


@pytest.mark.parametrize("after", ["3600", "Sat, 21 Nov 2026 11:00:00 GMT", "Sat, 21 Nov 2026 10:00:00", "soon", "-1"])
def test_a_host_that_wants_more_time_than_there_is(after: str) -> None:
    answer = reply(429, Retry_After=after, Date="Sat, 21 Nov 2026 10:00:00 GMT")
    with serving(lambda _request: answer) as web:
        assert ask_one(web.url("/a"), web.reach()) == UNKNOWN
    assert web.asked == [("HEAD", "/a")]


def test_a_moment_to_come_again_is_by_the_clock_of_the_host() -> None:
    moment = "Sat, 21 Nov 1992 10:00:00 GMT"
    replies = iter([reply(429, Retry_After=moment, Date=moment), reply(200)])
    with serving(lambda _request: next(replies)) as web:
        assert ask_one(web.url("/a"), web.reach()) == ALIVE


@pytest.mark.parametrize(
    "moment",
    [
        "Sat, 21 Nov 99999999999999999999 10:00:00 GMT",
        "Sat, 21 Nov 2026 10:00:00 +99999999999999999999",
        f"Sat, 21 Nov {'9' * 5000} 10:00:00 GMT",
        "Sat, 21 Nov 2026 10:00:00 -9999999",
    ],
    ids=["year", "zone", "digits", "offset"],
)
@pytest.mark.parametrize("field", ["Retry_After", "Date"])
def test_no_moment_that_a_host_names_ends_the_check(field: str, moment: str) -> None:
    fields = {"Retry_After": "Sat, 21 Nov 2026 10:00:00 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT", field: moment}
    with serving(lambda _request: reply(429, **fields)) as web:
        assert ask_one(web.url("/a"), web.reach()) == UNKNOWN


def test_a_host_that_never_answers_in_time_does_not_take_all_of_it() -> None:
    over = threading.Event()

    def answer(_request: Request) -> Reply:
        over.wait(60)
        return reply(200)

    with serving(answer) as web:
        try:
            urls = [web.url(f"/{number}") for number in range(20)]
            answers, _ = ask(urls, web.reach(), Pace(pause=0, again=(), request=0.05, strikes=3))
        finally:
            over.set()
    assert Counter(answer.verdict for answer in answers.values()) == {"dead": 3, "unknown": 17}
    assert Counter(request.path for request in web.requests) <= Counter(
        urlsplit(url).path for url, answer in answers.items() if answer.verdict == "dead"
    )  # the time may be over before the host has read anything


def test_when_the_time_is_up_what_is_known_stays_known() -> None:
    over = threading.Event()

    def answer(request: Request) -> Reply:
        if request.path == "/b":
            over.wait(60)
        return reply(200)

    with serving(answer) as web:
        try:
            answers, _ = ask([web.url("/a"), web.url("/b"), web.url("/c")], web.reach(), Pace(pause=0, overall=2))
        finally:
            over.set()
    assert answers == {web.url("/a"): ALIVE}


# -- encrypted


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def test_an_encrypted_connection() -> None:
    with serving(by_path(a=reply(200)), tls=True) as web:
        assert ask_one(web.url("/a", scheme="https"), web.reach(tls=trusting())) == ALIVE


def test_a_certificate_that_nobody_knows() -> None:
    with serving(by_path(a=reply(200)), tls=True) as web:
        found = ask_one(web.url("/a", scheme="https"), web.reach())
    assert (found.verdict, found.why) == ("dead", "certificate")
    assert "self-signed" in found.detail or "self signed" in found.detail
    assert not web.requests


def test_a_certificate_of_another_name() -> None:
    with serving(by_path(a=reply(200)), tls=True) as web:
        found = ask_one(web.url("/a", "other.example.org", "https"), web.reach(tls=trusting()))
    assert (found.verdict, found.why) == ("dead", "certificate")
    assert "other.example.org" in found.detail
    assert not web.requests


def test_a_server_that_does_not_encrypt() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(reply(400))
            connection.recv(65536)

    web = Web(listener.getsockname()[1])
    thread = threading.Thread(target=answer)
    thread.start()
    with listener:
        found = ask_one(web.url("/a", scheme="https"), web.reach())
        thread.join(20)
    assert found == dead("certificate", "wrong version number")


# -- proxies


def test_a_proxy_is_asked_where_there_is_one() -> None:
    with serving(lambda _request: reply(200)) as web:
        reach = web.reach(proxies={"http": f"http://ada:se%20cret@127.0.0.1:{web.port}"}, resolve=resolving())
        assert ask_one(web.url("/a?b"), reach) == ALIVE
    assert web.asked == [("HEAD", web.url("/a?b"))]
    assert "Proxy-Authorization: Basic YWRhOnNlIGNyZXQ=" in web.requests[0].lines


def test_a_proxy_for_all_schemes() -> None:
    with serving(lambda _request: reply(200)) as web:
        for proxies in ({"all": f"127.0.0.1:{web.port}"}, {"all": "socks5://x", "http": f"127.0.0.1:{web.port}"}):
            assert ask_one(web.url("/a"), web.reach(proxies=proxies, resolve=resolving())) == ALIVE
    assert web.asked == [("HEAD", web.url("/a"))] * 2


@pytest.mark.parametrize(
    ("spared", "direct"), [("example.org", True), ("*", True), (".example.org,x", True), ("ample.org", False)]
)
def test_hosts_that_are_reached_without_the_proxy(spared: str, direct: bool) -> None:
    with serving(by_path(a=reply(200))) as web:
        proxies = {"http": f"127.0.0.1:{web.port}", "no": spared}
        ask_one(web.url("/a"), web.reach(proxies=proxies))
    assert (web.requests[0].path == "/a") == direct


def test_a_proxy_does_not_open_what_is_not_public() -> None:
    with serving(lambda _request: reply(200)) as web:
        reach = web.reach(proxies={"http": f"http://127.0.0.1:{web.port}"}, resolve=resolving(lumen=("10.0.0.1",)))
        urls = [web.url("/a"), f"http://169.254.169.254:{web.port}/"]
        assert [*ask(urls, reach)[0].values()] == [PRIVATE, CLOSED]
    assert not web.requests


@pytest.mark.parametrize(("status", "expected"), [(502, dead("proxy", "502")), (403, UNKNOWN), (407, UNKNOWN)])
def test_a_proxy_that_does_not_connect(status: int, expected: Answer) -> None:
    with serving(lambda _request: reply(status)) as web:
        reach = web.reach(proxies={"https": f"http://127.0.0.1:{web.port}"})
        assert ask_one(web.url("/a", scheme="https"), reach) == expected
    assert web.requests[0].method == "CONNECT"
    assert web.requests[0].path == f"lumen.example.org:{web.port}"


def test_an_encrypted_connection_through_a_proxy() -> None:
    """The proxy is a server that passes on whatever comes after its answer."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            for side in (source, target):
                side.close()

    def proxy() -> None:
        connection, _ = listener.accept()
        with connection.makefile("rb") as file:
            asked.extend(iter(file.readline, b"\r\n"))
        connection.sendall(reply(200))
        beyond = socket.create_connection(("127.0.0.1", web.port))
        pumps = [threading.Thread(target=pump, args=pair) for pair in ((connection, beyond), (beyond, connection))]
        for thread in pumps:
            thread.start()
        for thread in pumps:
            thread.join(20)

    asked: list[bytes] = []
    with serving(by_path(a=reply(200)), tls=True) as web:
        thread = threading.Thread(target=proxy)
        thread.start()
        proxies = {"https": f"http://127.0.0.1:{listener.getsockname()[1]}"}
        reach = web.reach(proxies=proxies, tls=trusting(), resolve=resolving())
        assert ask_one(web.url("/a", scheme="https"), reach) == ALIVE
        thread.join(20)
    listener.close()
    assert asked[0] == f"CONNECT lumen.example.org:{web.port} HTTP/1.1\r\n".encode()
    assert web.asked == [("HEAD", "/a")]


def test_a_host_that_does_not_encrypt_behind_a_proxy_is_given_up() -> None:
    """The proxy opens the tunnel, and then nobody answers, so that the TLS handshake never ends."""
    given_up = threading.Event()

    def tunnel() -> Iterator[bytes]:
        yield reply(200)
        given_up.wait(20)

    with serving(lambda _request: tunnel()) as web:
        reach = web.reach(proxies={"https": f"http://127.0.0.1:{web.port}"}, resolve=resolving())
        pace = Pace(pause=0, again=(), request=0.3, overall=20)
        assert ask_one(web.url("/a", scheme="https"), reach, pace) == dead("slow")
        given_up.set()


# -- no network


@pytest.mark.parametrize("hosts", [1, 3, 40])
def test_nobody_at_all_can_be_reached(hosts: int) -> None:
    asked: list[str] = []

    def look_up(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with serving(by_path()) as web:
        _, reached = ask(
            [web.url("/a", f"h{number}.example.org") for number in range(hosts)], web.reach(resolve=look_up)
        )
    assert not reached
    assert len(asked) <= AT_ONCE.hopeless + AT_ONCE.at_once


def test_names_that_nobody_has_hide_no_other_link() -> None:
    """Whoever writes a post can name so many of them that nobody else has been asked by then."""

    def look_up(host: str, _port: int) -> Sequence[str]:
        if host.startswith("gone"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ("127.0.0.1",)

    with serving(by_path(a=reply(404))) as web:
        urls = [web.url("/a", f"gone{number}.example.org") for number in range(2 * AT_ONCE.hopeless)]
        answers, reached = ask([*urls, web.url("/a", "here.example.org")], web.reach(resolve=look_up))
    assert reached
    assert Counter(answer.why for answer in answers.values()) == {"no-host": len(urls), "status": 1}


def test_silent_name_servers_keep_nobody_else_waiting() -> None:
    """A lookup goes on when nobody waits for it any more, as those of the system do."""
    end = threading.Event()

    def look_up(host: str, _port: int) -> Sequence[str]:
        if host.startswith("silent"):
            end.wait(60)
        return ("127.0.0.1",)

    with serving(by_path(a=reply(200))) as web:
        urls = [web.url("/a", f"silent{number}.example.org") for number in range(40)]
        here = web.url("/a", "here.example.org")
        pace = Pace(at_once=40, pause=0, again=(), request=0.3, hopeless=100)
        answers, reached = ask([*urls, here], web.reach(resolve=look_up), pace)
        end.set()
    assert reached
    assert answers.pop(here) == ALIVE
    assert set(answers.values()) == {dead("slow")}


def test_one_answer_shows_that_there_is_a_network() -> None:
    with serving(by_path(a=reply(404))) as web:
        urls = [web.url("/a", f"h{number}.example.org") for number in range(12)]
        reach = web.reach(resolve=resolving(h9=("127.0.0.1",)))
        answers, reached = ask(urls, reach, Pace(at_once=1, pause=0, again=(), hopeless=100))
    assert reached
    assert Counter(answer.why for answer in answers.values()) == {"no-host": 11, "status": 1}


def test_the_way_out_by_default_is_the_public_internet() -> None:
    from devlog.http.request_url import is_global

    usual = Reach()
    assert (usual.is_allowed, usual.ports, usual.resolve) == (is_global, PORTS, resolve)
    assert usual.tls.verify_mode == ssl.CERT_REQUIRED
    assert usual.tls.check_hostname
