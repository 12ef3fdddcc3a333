"""Fetching images from a server that answers in all the ways there are."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator

import pytest
from local_web import CERTIFICATE, Reply, Request, Web, by_path, reply, serving

from devlog import __version__
from devlog.features.avatars.derive.fetch import TYPES, Limits, fetch, fetch_all
from devlog.http.reach import Reach
from devlog.model.derived import Made

pytestmark = pytest.mark.slow  # each test waits for a server of its own

IMAGE = b"\x89PNG any bytes"
FOUND = Made(blobs=(IMAGE,))


def image(data: bytes = IMAGE, **fields: str) -> bytes:
    """An answer with an image."""
    return reply(200, **{"Content_Type": "image/png", "Content_Length": str(len(data)), **fields}) + data


def fetch_one(web: Web, path: str = "/a", **limits: float) -> Made:
    return fetch_all([web.url(path)], web.reach(), Limits(**limits))[0]  # type: ignore[arg-type]


def test_an_image_is_fetched_with_one_request() -> None:
    with serving(by_path(a=image())) as web:
        assert fetch_one(web, "/a?size=192#x") == Made(problem="lumen.example.org answers with status 404")
        assert fetch_one(web) == FOUND
    assert web.asked == [("GET", "/a?size=192"), ("GET", "/a")]
    assert web.requests[1].lines == (
        f"Host: lumen.example.org:{web.port}",
        f"User-Agent: devlog/{__version__} (fetches avatars)",
        f"Accept: {', '.join(TYPES)}",
        "Accept-Encoding: identity",
        "Connection: close",
    )


def test_an_image_over_tls() -> None:
    trusting = ssl.create_default_context(cafile=str(CERTIFICATE))
    with serving(by_path(a=image()), tls=True) as web:
        url = web.url("/a", scheme="https")
        assert fetch_all([url], web.reach(tls=trusting)) == [FOUND]
        (made,) = fetch_all([url], web.reach())
    assert made == Made(problem="lumen.example.org cannot be reached", retry=True)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(reply(200, Content_Type="image/png") + IMAGE, id="ends with the connection"),
        pytest.param(image(Content_Type="IMAGE/PNG; charset=binary"), id="a parameter"),
        pytest.param(
            reply(200, Content_Type="image/png", Transfer_Encoding="Chunked")
            + b"5\r\n" + IMAGE[:5] + b"\r\n9 ; name=value\r\n" + IMAGE[5:] + b"\r\n0\r\n\r\n",
            id="chunks",
        ),
        pytest.param(reply(103, Link="x") + image(), id="an interim response"),
    ],
)  # fmt: skip
def test_all_forms_of_answers(answer: bytes) -> None:
    with serving(lambda _request: answer) as web:
        assert fetch_one(web) == FOUND


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(status: int) -> None:
    with serving(by_path(a=reply(status, Location="b"), b=image())) as web:
        assert fetch_one(web) == FOUND
    assert web.asked == [("GET", "/a"), ("GET", "/b")]


def redirecting(location: Callable[[int], str]) -> Callable[[Request], Reply]:
    """Redirects ``/1`` to what a function returns for 2, and so on; ``/x`` is an image."""
    return lambda request: (
        image() if request.path == "/x" else reply(302, Location=location(int(request.path.strip("/")) + 1))
    )


def test_a_redirect_to_nowhere() -> None:
    with serving(lambda _request: reply(302)) as web:
        assert fetch_one(web) == Made(problem="it redirects without saying where", retry=True)


def test_a_redirect_to_another_host() -> None:
    ports: list[int] = []
    with serving(redirecting(lambda _number: f"http://avatars.example.org:{ports[0]}/x")) as web:
        ports.append(web.port)
        assert fetch_one(web, "/1") == FOUND
    assert [request.host.partition(":")[0] for request in web.requests] == ["lumen.example.org", "avatars.example.org"]


def test_only_so_many_redirects_are_followed() -> None:
    with serving(redirecting(lambda number: f"/{number}" if number < 5 else "/x")) as web:
        assert fetch_one(web, "/1", hops=4) == FOUND
        assert fetch_one(web, "/1", hops=3) == Made(problem="it redirects too often", retry=True)
    assert len(web.asked) == 9


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://lumen.example.org/a", "data:image/png;base64,AAAA", "http://localhost/a"]
)
def test_a_redirect_to_what_may_not_be_requested(location: str) -> None:
    with serving(redirecting(lambda _number: location)) as web:
        assert fetch_one(web, "/1") == Made(problem="its URL may not be requested")
    assert len(web.asked) == 1


@pytest.mark.parametrize("location", ["http://10.0.0.1/a", "http://[::1]/a", "http://169.254.169.254/latest/meta-data"])
def test_a_redirect_to_a_private_address(location: str) -> None:
    with serving(redirecting(lambda _number: location)) as web:
        (made,) = fetch_all([web.url("/1")], web.reach(ports=frozenset({80, web.port})))
    assert made == Made(problem="its URL may not be requested")
    assert len(web.asked) == 1


def test_by_default_only_public_addresses_are_reached() -> None:
    with serving(by_path(a=image())) as web:
        reach = Reach(resolve=lambda _host, _port: ("127.0.0.1",), ports=frozenset({web.port}), proxies={})
        (made,) = fetch_all([web.url("/a")], reach)
        assert made == Made(problem="lumen.example.org has no public IP address", retry=True)
        assert fetch({"url": f"http://127.0.0.1:{web.port}/a"}, ()) == Made(problem="its URL may not be requested")
    assert not web.requests


@pytest.mark.parametrize("status", [404, 410])
def test_that_nothing_is_there_is_remembered(status: int) -> None:
    with serving(lambda _request: reply(status)) as web:
        assert fetch_one(web) == Made(problem=f"lumen.example.org answers with status {status}")


@pytest.mark.parametrize("status", [204, 206, 304, 401, 403, 429, 500, 503])
def test_other_answers_may_change(status: int) -> None:
    with serving(lambda _request: reply(status, Content_Type="image/png")) as web:
        assert fetch_one(web) == Made(problem=f"lumen.example.org answers with status {status}", retry=True)


@pytest.mark.parametrize("type_", ["image/svg+xml", "text/html", "image/x-icon", "application/octet-stream", ""])
def test_only_raster_images_are_read(type_: str) -> None:
    with serving(lambda _request: image(Content_Type=type_)) as web:
        assert fetch_one(web) == Made(problem="lumen.example.org answers with something else than an image", retry=True)


def endless(chunked: bool) -> Iterator[bytes]:
    yield reply(200, Content_Type="image/png", **({"Transfer_Encoding": "chunked"} if chunked else {}))
    part = b"1" * 50_000
    for _ in range(10_000):
        yield b"c350\r\n" + part + b"\r\n" if chunked else part


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda _: image(Content_Length="1000001"), id="by its own word"),
        pytest.param(lambda _: image(Content_Length="9" * 15), id="a long number"),
        pytest.param(lambda _: endless(chunked=False), id="by its bytes"),
        pytest.param(lambda _: endless(chunked=True), id="by its chunks"),
    ],
)
def test_no_more_than_a_limit_is_read(answer: Callable[[Request], Reply]) -> None:
    with serving(answer) as web:
        assert fetch_one(web) == Made(problem="it has more than 1,000,000 bytes")
    assert web.sent < 10_000_000  # of 500 million: what was on its way


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"SSH-2.0-x\r\n", id="another protocol"),
        pytest.param(image(Content_Length="-5"), id="a negative length"),
        pytest.param(image(Content_Length="٥"), id="foreign digits"),
        pytest.param(image(Transfer_Encoding="gzip, chunked"), id="compressed"),
        pytest.param(image(Transfer_Encoding="chunked"), id="not in chunks"),
        pytest.param(
            reply(200, Content_Type="image/png", Transfer_Encoding="chunked") + b"2\r\nabcd", id="a chunk too long"
        ),
        pytest.param(
            reply(200, Content_Type="image/png", Transfer_Encoding="chunked") + b"2\r\nab" + b"c" * 200_000 + b"\r\n",
            id="a line without end after a chunk",
        ),
    ],
)
def test_what_is_not_http(answer: bytes) -> None:
    with serving(lambda _request: answer) as web:
        assert fetch_one(web) == Made(problem="lumen.example.org is not a web server", retry=True)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        image(Content_Length="100"),
        reply(200, Content_Type="image/png", Transfer_Encoding="chunked") + b"64\r\nabc",
    ],
)
def test_an_answer_that_breaks_off(answer: bytes) -> None:
    with serving(lambda _request: answer) as web:
        assert fetch_one(web) == Made(problem="lumen.example.org cannot be reached", retry=True)


def test_a_host_that_cannot_be_reached_is_not_asked_for_each_author() -> None:
    with serving(by_path()) as web:
        pass  # nobody listens any more
    asked: list[str] = []

    def resolve(host: str, _port: int) -> tuple[str]:
        asked.append(host)
        return ("127.0.0.1",)

    urls = [web.url(f"/{number}") for number in range(20)]
    made = fetch_all(urls, web.reach(resolve=resolve), Limits(at_once=1))
    assert made == [Made(problem="lumen.example.org cannot be reached", retry=True)] * 20
    assert asked == ["lumen.example.org"]


@pytest.mark.parametrize("way", ["named", "redirect"])
def test_a_closed_port_does_not_close_the_others(way: str) -> None:
    """Neither one that an author names nor one to which a host redirects."""
    with serving(by_path()) as closed:
        pass
    target = closed.url("/x")
    with serving(lambda request: reply(302, Location=target) if request.path == "/x" else image()) as web:
        urls = [target if way == "named" else web.url("/x"), *(web.url(f"/{number}") for number in range(5))]
        reach = web.reach(ports=frozenset({web.port, closed.port}))
        made = fetch_all(urls, reach, Limits(at_once=1))
    assert made == [Made(problem="lumen.example.org cannot be reached", retry=True), *[FOUND] * 5]


def test_a_name_that_does_not_exist() -> None:
    def resolve(_host: str, _port: int) -> tuple[str]:
        raise OSError

    (made,) = fetch_all(["https://lumen.example.org/a"], Reach(resolve=resolve, proxies={}))
    assert made == Made(problem="lumen.example.org cannot be reached", retry=True)


def test_a_slow_host_does_not_stop_the_build() -> None:
    over = threading.Event()

    def slow(request: Request) -> Reply:
        if request.path == "/a":
            return image()
        over.wait(30)
        return b""

    with serving(slow) as web:
        urls = [web.url("/a"), web.url("/b", host="other.example.org")]
        quick, late = fetch_all(urls, web.reach(), Limits(image=0.2))
        assert (quick, late) == (FOUND, Made(problem="other.example.org does not answer in time", retry=True))
        quick, late = fetch_all(urls, web.reach(), Limits(overall=0.2))
        assert (quick, late) == (FOUND, Made(problem="there was not enough time for all avatars", retry=True))
        over.set()


def test_only_so_many_are_fetched_at_once() -> None:
    both = threading.Barrier(3)

    def together(_request: Request) -> Reply:
        both.wait(30)  # nobody goes on before three are here
        return image()

    with serving(together) as web:
        urls = [web.url(f"/{number}") for number in range(6)]
        assert fetch_all(urls, web.reach(), Limits(at_once=3)) == [FOUND] * 6
        assert web.most == 3


def test_through_a_proxy() -> None:
    with serving(by_path()) as web:
        proxy = f"http://ada:secret@127.0.0.1:{web.port}"
        made = fetch_all(["http://lumen.example.org/a"], web.reach(proxies={"http": proxy}, ports=frozenset({80})))
    assert made == [Made(problem="lumen.example.org answers with status 404")]
    assert web.asked == [("GET", "http://lumen.example.org/a")]
    assert "Proxy-Authorization: Basic YWRhOnNlY3JldA==" in web.requests[0].lines


def test_a_proxy_that_is_no_url() -> None:
    with serving(by_path()) as web:
        made = fetch_all([web.url("/a")], web.reach(proxies={"http": "http://proxy:port"}))
    assert made == [Made(problem="the environment variable “http_proxy” is not a valid URL of a proxy", retry=True)]
    assert not web.requests


@pytest.mark.parametrize("variable", ["http", "all"])
def test_a_proxy_of_another_kind(variable: str) -> None:
    with serving(by_path()) as web:
        (made,) = fetch_all([web.url("/a")], web.reach(proxies={variable: f"socks5h://127.0.0.1:{web.port}"}))
    assert made.problem.startswith(f"the environment variable “{variable}_proxy” names a kind of proxy")
    assert not web.requests


@pytest.mark.parametrize("url", ["https://ada:secret@lumen.example.org/a", "https://host.internal/a", "https:///a"])
def test_urls_that_are_never_requested(url: str) -> None:
    assert fetch_all([url], Reach(proxies={})) == [Made(problem="its URL may not be requested")]


def test_nothing_to_fetch() -> None:
    assert fetch_all([]) == []
