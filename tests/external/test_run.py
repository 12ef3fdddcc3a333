"""`devlog check --external` on whole sites: which links are asked, what is remembered, what is told, what is fixed."""

from __future__ import annotations

import signal
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from local_web import AT_ONCE, Reply, Request, Web, by_path, reply, serving
from sites import NOW, build_site, write_site

from devlog.checking import Checked, Options, check
from devlog.cli import main
from devlog.engine.store import Store
from devlog.external.cache import FRESH
from devlog.external.requests import Pace
from devlog.external.run import ask
from devlog.fixing.run import Fixed, fix, try_out
from devlog.model.diagnostic import MOST_OF_A_KIND, Diagnostic
from devlog.model.edits import edited
from devlog.stages import ANSWERS, CACHE

INDEX = "---\ntitle: Storage\n---\n"
POST = "---\ntitle: {title}\ndate: 2026-05-03\nauthor: Ada Quill (@adaquill)\n---\n\n"


def written(folder: Path, text: str, configuration: str = "", **more: str) -> Path:
    """A site of one post."""
    files = {
        "devlog.toml": f'title = "Lumen"\nbase_url = "https://log.example.org/lumen/"\n{configuration}',
        "content/storage/_index.md": INDEX,
        "content/storage/2026-05-03-wal.md": POST.format(title="A shorter write path") + text,
        **more,
    }
    return write_site(folder, files)


def checked(root: Path, web: Web, pace: Pace = AT_ONCE, **changes: Any) -> list[Diagnostic]:
    """What is wrong with the links of a site to a server on this machine."""
    options = Options(root=root, now=changes.pop("now", NOW), jobs=1, strict=changes.pop("strict", False))
    return ask(options, check(options), reach=web.reach(**changes), pace=pace)


def told(found: Sequence[Diagnostic]) -> list[tuple[str, int, int]]:
    return [(problem.code, problem.span.line, problem.span.column) for problem in found]


@pytest.mark.slow
@pytest.mark.parametrize("moved", [True, False])
def test_a_file_has_so_many_problems_of_a_kind_and_no_more(tmp_path: Path, moved: bool) -> None:
    with serving(moving({"/a": "/b"}) if moved else lambda _request: reply(404)) as web:
        root = written(tmp_path, "".join(f"[a]({web.url('/a')}#{number})\n" for number in range(MOST_OF_A_KIND + 7)))
        found = checked(root, web)
    assert len(found) == MOST_OF_A_KIND
    assert max(found, key=lambda item: item.span.line).message.endswith(
        ", and 7 more problems of this kind in this file"
    )


# -- what is asked


@pytest.mark.slow
def test_links_and_images_of_what_is_published(tmp_path: Path) -> None:
    with serving(lambda _request: reply(200)) as web:
        base = web.url("")
        text = (
            f"[a]({base}/a) [again]({base}/a#there) ![b]({base}/b.png) <{base}/c> {base}/d and [e][e]\n\n"
            f'<a href="{base}/f">f</a> <video src="{base}/g"></video>\n\n[e]: {base}/e\n\n'
            f"`{base}/code` [m](mailto:ada@example.org) [own](https://log.example.org/lumen/storage/) [in](#in)\n"
            f"[login](http://ada:secret@lumen.example.org:{web.port}/h)\n"
        )
        root = written(
            tmp_path,
            text,
            **{
                "content/_index.md": f"[home]({base}/home)\n",
                "content/storage/_index.md": f"{INDEX}\n[topic]({base}/topic)\n",
                "content/about.md": f"---\ntitle: About\n---\n[page]({base}/page)\n",
                "content/storage/b.md": f"---\ntitle: B\ndate: 2026-05-04\ndraft: true\n---\n[x]({base}/draft)\n",
                "content/storage/2030-05-04-c.md": f"---\ntitle: C\ndate: 2030-05-04\n---\n[x]({base}/future)\n",
            },
        )
        assert checked(root, web) == []
    names = ["a", "b.png", "c", "d", "e", "f", "g", "home", "page", "topic"]
    assert sorted(web.asked) == [("HEAD", f"/{name}") for name in names]


@pytest.mark.slow
def test_what_the_configuration_spares(tmp_path: Path) -> None:
    with serving(lambda _request: reply(404)) as web:
        text = f"[a]({web.url('/wiki/a')}) [b]({web.url('/b?x=1')}) [c]({web.url('/c')})\n"
        root = written(tmp_path, text, '[check]\nexternal_ignore = ["*/wiki/*", "http://*.org:*/b[?]x=?"]\n')
        found = checked(root, web)
    assert {request.path for request in web.requests} == {"/c"}
    assert len(found) == 1


def test_a_site_without_such_links(tmp_path: Path) -> None:
    root = written(tmp_path, "Nothing here leads away.\n")
    with serving(by_path()) as web:
        assert checked(root, web) == []
    assert not web.requests


def test_the_site_itself_is_not_another_one(tmp_path: Path) -> None:
    with serving(by_path()) as web:
        host = f"log.example.org:{web.port}"
        text = f"[a](//{host}/lumen/storage/x/) [b](//{host}/lumen) [c](http://{host}/lumen-2/)\n"
        root = written(tmp_path, text, **{"devlog.toml": f'title = "Lumen"\nbase_url = "http://{host}/lumen/"\n'})
        checked(root, web)
    assert web.asked == [("HEAD", "/lumen-2/"), ("GET", "/lumen-2/")]


def test_a_check_that_could_not_begin(tmp_path: Path) -> None:
    options = Options(root=tmp_path, now=NOW)
    assert ask(options, Checked("", 0, None, None, (), 0.0)) == []


# -- what is told


@pytest.mark.slow
def test_dead_links_are_told_at_every_place(tmp_path: Path) -> None:
    with serving(by_path()) as web:
        url = web.url("/gone")
        root = written(
            tmp_path,
            f"One [a]({url}) and\ntwo [b]({url}#part).\n",
            **{"content/storage/2026-05-02-b.md": POST.format(title="B").replace("-03", "-02") + f"{url}\n"},
        )
        found = checked(root, web)
    assert web.asked == [("HEAD", "/gone"), ("GET", "/gone")]
    assert told(found) == [("dead-url", 7, 1), ("dead-url", 7, 9), ("dead-url", 8, 9)]
    assert {problem.severity for problem in found} == {"warning"}
    assert found[1].message == f"dead link “{url}”: page not found"
    assert found[1].line_text == f"One [a]({url}) and"
    assert found[2].message == f"dead link “{url}#part”: page not found"


Resolve = Callable[[str, int], Sequence[str]]


def _nobody(host: str, _port: int) -> Sequence[str]:
    if host == "example.com":
        return ("127.0.0.1",)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize(
    ("answer", "changes", "reason"),
    [
        (reply(410), {}, "the page is gone"),
        (reply(500), {}, "the server answered 500"),
        (b"", {}, "the host closed the connection without an answer"),
        (b"SSH-2.0-x\r\n", {}, "the host is not a web server"),
        (reply(302, Location="/a"), {}, "it redirects in circles"),
        (reply(200), {"resolve": _nobody}, "the host does not exist"),
    ],
)
def test_the_reason_is_told(tmp_path: Path, answer: bytes, changes: dict[str, Any], reason: str) -> None:
    with serving(lambda _request: answer) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        (problem,) = checked(root, web, **changes)
    assert problem.message == f"dead link “{web.url('/a')}”: {reason}"


def test_a_wrong_certificate_is_told(tmp_path: Path) -> None:
    with serving(by_path(a=reply(200)), tls=True) as web:
        root = written(tmp_path, f"[a]({web.url('/a', scheme='https')})\n")
        (problem,) = checked(root, web, tls=ssl.create_default_context())
    assert problem.code == "dead-url"
    assert "no secure connection: self" in problem.message


@pytest.mark.slow
def test_busy_hosts_are_told_in_one_message(tmp_path: Path) -> None:
    with serving(lambda _request: reply(429)) as web:
        root = written(tmp_path, f"[a]({web.url('/a')}) [b]({web.url('/b')})\n")
        (problem,) = checked(root, web)
    assert (problem.code, problem.severity, problem.span.path) == ("unasked-urls", "info", "devlog.toml")
    assert problem.message == "2 external links were not checked: hosts were busy, or time ran out"


def test_hosts_inside_a_network_are_told_in_one_message(tmp_path: Path) -> None:
    with serving(by_path()) as web:
        links = (
            f"[a]({web.url('/a', 'build.example.org')}) [b]({web.url('/b', 'wiki.example.org')}) [c](http://10.0.0.1/)"
        )
        root = written(tmp_path, f"{links}\n")
        (problem,) = checked(root, web, resolve=lambda _host, _port: ("10.0.0.1",))
    assert not web.requests
    assert (problem.code, problem.severity) == ("unasked-urls", "info")
    assert problem.message == (
        "2 external links were not checked: hosts such as “build.example.org” have no public address on this network"
    )


@pytest.mark.slow
def test_a_machine_without_a_network_is_one_message(tmp_path: Path) -> None:
    def nothing(_host: str, _port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    with serving(by_path()) as web:
        links = " ".join(f"[a]({web.url(f'/{number}', f'h{number}.example.org')})" for number in range(300))
        root = written(tmp_path, links)
        (problem,) = checked(root, web, resolve=nothing)
    assert (problem.code, problem.severity) == ("offline", "warning")
    assert problem.message == "no host can be reached: 300 external links were not checked"


@pytest.mark.slow
@pytest.mark.parametrize("proxy", ["http://proxy:port", "http://127.0.0.1:99999", "http://[::1"])
def test_a_proxy_that_is_no_url(tmp_path: Path, proxy: str) -> None:
    with serving(by_path()) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        (problem,) = checked(root, web, proxies={"http": proxy})
    assert not web.requests
    assert (problem.code, problem.message) == ("offline", "no host can be reached: 1 external link was not checked")
    assert problem.hint == "the environment variable “http_proxy” is not a valid URL of a proxy"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "url"), [("http", "socks5h://{}"), ("https", "https://{}"), ("all", "socks://{}")]
)
def test_a_proxy_of_another_kind(tmp_path: Path, variable: str, url: str) -> None:
    """It may be there to hide who asks, so that no host is asked without it."""
    with serving(by_path(a=reply(200))) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        proxies = {variable: url.format(f"127.0.0.1:{web.port}")}
        (problem,) = checked(root, web, proxies=proxies)
        assert not web.requests
        assert checked(root, web, proxies={**proxies, "no": "*"}) == []
    assert problem.code == "offline"
    assert problem.hint == (
        f"the environment variable “{variable}_proxy” names a kind of proxy that devlog does not use: "
        "only http:// URLs work"
    )


@pytest.mark.slow
def test_severities_are_the_owners(tmp_path: Path) -> None:
    with serving(by_path()) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        assert [problem.severity for problem in checked(root, web, strict=True)] == ["error"]
        write_site(tmp_path, {"devlog.toml": '[severity]\ndead-url = "info"\n'})
        assert [problem.severity for problem in checked(root, web)] == ["info"]
        write_site(tmp_path, {"devlog.toml": '[severity]\ndead-url = "off"\n'})
        assert checked(root, web) == []


@pytest.mark.slow
def test_what_a_comment_allows(tmp_path: Path) -> None:
    waiver = "<!-- devlog: allow dead-url: the history of the project needs it -->\n"
    with serving(by_path()) as web:
        root = written(tmp_path, f"{waiver}\n[a]({web.url('/a')})\n")
        assert checked(root, web) == []
        options = Options(root=root, now=NOW, jobs=1)
        assert check(options).diagnostics == (), "a check that does not ask must not find it useless"
        write_site(tmp_path, {"content/storage/2026-05-03-wal.md": POST.format(title="A") + f"[a]({web.url('/a')})\n"})
        assert [problem.code for problem in checked(root, web)] == ["dead-url"]


# -- what is fixed


def moving(targets: Mapping[str, str]) -> Callable[[Request], Reply]:
    """Moves some paths for good to other addresses."""
    return lambda request: reply(301, Location=targets[request.path]) if request.path in targets else reply(200)


@pytest.mark.slow
def test_what_has_moved_is_fixed(tmp_path: Path) -> None:
    targets: dict[str, str] = {"/b": "/new?x=1&y=2"}
    with serving(moving(targets)) as web:
        old, new = web.url("/a"), web.url("/new", "other.example.org")
        targets["/a"] = new
        body = f'[a]({old}#part), {old}.\n\n[b][b]\n\n[b]: {web.url("/b")} "B"\n[a2]({old})[a3]({old}#b)\n'
        root = written(tmp_path, body)
        found = checked(root, web)
        file = root / "content/storage/2026-05-03-wal.md"
        assert [(problem.code, problem.severity) for problem in found] == [("moved-url", "info")] * len(found)
        assert found[0].message == f"“{old}#part” has moved"
        assert found[0].hint == f"write “{new}#part”"
        edits = [edit for problem in found if problem.fix for edit in problem.fix.edits]
        fixed = edited(file.read_text("utf-8"), edits)
        assert fixed == file.read_text("utf-8").replace(old, new).replace(web.url("/b"), web.url("/new?x=1&y=2"))
        file.write_text(fixed, "utf-8")
        assert checked(root, web) == []


@pytest.mark.slow
def test_a_fragment_of_the_redirect_counts(tmp_path: Path) -> None:
    """As in browsers (RFC 9110, section 10.2.2): a page that was merged into another one is a section of it."""
    targets = {"/a": "/b#section", "/b": "/big", "/c": "/a#", "/d": "/big#\u00e4 b"}
    with serving(moving(targets)) as web:
        root = written(
            tmp_path, "".join(f"[a]({web.url(path)})\n" for path in ("/a", "/a#own", "/c#own", "/b#own", "/d"))
        )
        file = root / "content/storage/2026-05-03-wal.md"
        for _ in ("asked", "remembered"):
            edits = [edit for problem in checked(root, web) if problem.fix for edit in problem.fix.edits]
            fixed = edited(file.read_text("utf-8"), edits).splitlines()[-5:]
            section, own = f"[a]({web.url('/big#section')})", f"[a]({web.url('/big#own')})"
            assert fixed == [section, section, section, own, f"[a]({web.url('/big#%C3%A4%20b')})"]


@pytest.mark.parametrize(
    "target",
    [
        "/a)<script>alert(1)</script>",
        "/a'b",
        '/a"b',
        "/a|b",
        "/a`b",
        "/(b)",
        "/b;c",
        "/[b]",
        "/{{<b>}}",
        "/a*b*",
    ],
)
def test_an_address_that_could_mean_more_in_a_text_is_only_shown(tmp_path: Path, target: str) -> None:
    with serving(moving({"/a": target})) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        for problem in checked(root, web):
            assert problem.code == "moved-url"
            for edit in problem.fix.edits if problem.fix else ():
                assert not set(edit.new) & set("()<>[]{}'\"|`*;\\ \n")


@pytest.mark.parametrize(
    ("target", "is_written"),
    [
        ("/x!", False),
        ("/:tada:", False),
        ("/~~f~~", False),
        ("/x...", False),
        ("/x:", False),
        ("/x/", True),
        ("/x_", False),
    ],
)
def test_an_address_that_would_end_earlier_without_markup_is_only_shown(
    tmp_path: Path, target: str, *, is_written: bool
) -> None:
    with serving(moving({"/a": target})) as web:
        root = written(tmp_path, f"See {web.url('/a')} for more.\n")
        (problem,) = checked(root, web)
    assert problem.code == "moved-url"
    assert bool(problem.fix) == is_written


@pytest.mark.parametrize("text", ["[t](U) or U", "U or [t](U)", "<U> and [t](V), V"])
def test_links_with_and_without_markup_to_one_address_are_fixed(tmp_path: Path, text: str) -> None:
    with serving(moving({"/a": "/new", "/b": "/new"})) as web:
        root = written(tmp_path, text.replace("U", web.url("/a")).replace("V", web.url("/b")) + "\n")
        options = Options(root=root, now=NOW, jobs=1)

        def also(found: Checked) -> list[Diagnostic]:
            return ask(options, found, reach=web.reach(), pace=AT_ONCE)

        done = fix(options, lambda _problem: True, force=True, also=also)
    assert isinstance(done, Fixed)
    file = root / "content/storage/2026-05-03-wal.md"
    assert file.read_text("utf-8").endswith(text.replace("U", web.url("/new")).replace("V", web.url("/new")) + "\n")


@pytest.mark.slow
def test_an_address_that_is_a_part_of_another_one_is_left_alone(tmp_path: Path) -> None:
    with serving(moving({"/a": "/new"})) as web:
        old = web.url("/a")
        text = f"`{old}/b` {old}/b [x]({old}) <a href='{old}'>y</a>\n"
        root = written(tmp_path, text)
        file = root / "content/storage/2026-05-03-wal.md"
        found = checked(root, web)
        edits = [edit for problem in found if problem.fix for edit in problem.fix.edits]
        fixed = edited(file.read_text("utf-8"), edits)
    new = web.url("/new")
    assert fixed == POST.format(title="A shorter write path") + f"`{old}/b` {old}/b [x]({new}) <a href='{new}'>y</a>\n"
    assert len(found) == 2


def test_an_address_that_is_not_written_as_it_is_meant_is_only_told(tmp_path: Path) -> None:
    with serving(moving({"/a?x=1&y=2": "/new"})) as web:
        url = web.url("/a?x=1&amp;y=2")
        root = written(tmp_path, f'<a href="{url}">a</a>\n\n{". " * 40}<a href="{url}">b</a>\n\n[c]({url})\n')
        found = checked(root, web)
    assert [(problem.code, problem.fix) for problem in found] == [("moved-url", None)] * 3


@pytest.mark.slow
def test_the_command_fixes_what_has_moved(tmp_path: Path) -> None:
    with serving(moving({"/a": "/new"})) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})  \n[b](../storage/2026-05-03-wal.md)\n")
        options = Options(root=root, now=NOW, jobs=1)

        def also(found: Checked) -> list[Diagnostic]:
            return ask(options, found, reach=web.reach(), pace=AT_ONCE)

        tried = try_out(options, lambda _problem: True, force=False, also=also)
        fixed = fix(options, lambda _problem: True, force=True, also=also)
    assert isinstance(fixed, Fixed)
    assert isinstance(tried, Fixed)
    assert fixed.changes == tried.changes
    (change,) = fixed.changes
    assert change.after == change.before.replace(web.url("/a"), web.url("/new"))
    assert change.after == (root / change.file).read_text("utf-8")
    assert not fixed.refused


# -- what is remembered


@pytest.mark.slow
def test_what_is_alive_is_not_asked_again_for_a_week(tmp_path: Path) -> None:
    with serving(by_path(a=reply(200), b=reply(403), c=reply(301, Location="/d"), d=reply(200))) as web:
        root = written(tmp_path, "".join(f"[{name}]({web.url(f'/{name}')})\n" for name in "abcx"))
        first = checked(root, web)
        asked = len(web.requests)
        again = checked(root, web, now=NOW + FRESH - timedelta(seconds=1))
        assert again == first
        assert [problem.code for problem in first] == ["moved-url", "dead-url"]
        assert web.asked[asked:] == [("HEAD", "/x"), ("GET", "/x")]
        asked = len(web.requests)
        assert checked(root, web, now=NOW + FRESH) == first
        assert {request.path for request in web.requests[asked:]} == {"/a", "/b", "/c", "/d", "/x"}
        asked = len(web.requests)
        assert checked(root, web, now=NOW - timedelta(days=30)) == first, "what will be known does not count"
        assert len(web.requests) > asked + 2


@pytest.mark.slow
def test_what_is_learnt_later_is_remembered_too(tmp_path: Path) -> None:
    with serving(lambda _request: reply(200)) as web:
        for names in ("a", "ab", "ab", "b", "a"):
            checked(written(tmp_path, "".join(f"[{name}]({web.url(f'/{name}')})\n" for name in names)), web)
    assert web.asked == [("HEAD", "/a"), ("HEAD", "/b")]


@pytest.mark.slow
def test_what_is_busy_is_not_remembered(tmp_path: Path) -> None:
    replies = [reply(429, Retry_After="3600")]
    with serving(lambda _request: replies[-1]) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        assert [problem.code for problem in checked(root, web)] == ["unasked-urls"]
        replies.append(reply(404))
        assert [problem.code for problem in checked(root, web)] == ["dead-url"]


@pytest.mark.slow
@pytest.mark.parametrize("data", [b"", b"\xff", b"\x81\xa1a\xa1b", b"\x93\x01\x02\x03", b"naive", b"moved"])
def test_a_record_that_is_not_ours(tmp_path: Path, data: bytes) -> None:
    with serving(by_path(a=reply(200))) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        if data == b"naive":  # a time without a time zone
            data = msgspec.msgpack.encode({web.url("/a"): ("2026-11-26T00:00:00", "")})
        if data == b"moved":  # to what no answer can name
            data = msgspec.msgpack.encode({web.url("/a"): (NOW, "javascript:alert(1)")})
        with closing(Store(root / CACHE)) as store:
            store.write({ANSWERS: data})
        assert checked(root, web) == []
        assert checked(root, web) == []
    assert len(web.requests) == 1


@pytest.mark.slow
def test_a_build_does_not_forget_it(tmp_path: Path) -> None:
    with serving(by_path(a=reply(200))) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        checked(root, web)
        with closing(Store(root / CACHE)) as store:
            store.write({f"old {number}": b"x" for number in range(1000)})
        build_site(root)
        with closing(Store(root / CACHE)) as store:
            assert store.has(["old 1", ANSWERS]) == {ANSWERS}
        checked(root, web)
    assert len(web.requests) == 1


@pytest.mark.slow
def test_what_was_learnt_before_somebody_lost_patience(tmp_path: Path) -> None:
    root_of: dict[str, Path] = {}

    def progress(_stage: str, done: int, total: int) -> None:
        if (done, total) == (2, 3):
            signal.raise_signal(signal.SIGINT)

    with serving(lambda _request: reply(200)) as web:
        root_of["site"] = written(tmp_path, "".join(f"[a]({web.url(f'/{name}')})\n" for name in "abc"))
        options = Options(root=tmp_path, now=NOW, jobs=1)
        with pytest.raises(KeyboardInterrupt):
            ask(options, check(options), progress, web.reach(), AT_ONCE)
        asked = {request.path for request in web.requests}
        assert checked(tmp_path, web) == []
    assert {"/a", "/b"} <= asked
    assert [request.path for request in web.requests].count("/a") == 1


# -- the command


def test_the_command_asks_nothing_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_values: object) -> None:
        raise AssertionError("it asks")

    root = written(tmp_path, "[a](https://lumen.example.org/)\n")
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    result = CliRunner().invoke(main, ["check", "--root", str(root), "--now", "2026-06-15"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("style", ["text", "json", "github", "sarif"])
def test_the_command_tells_what_the_web_says(tmp_path: Path, style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names mean nothing here, as on a machine without a network."""

    def nothing(*_values: object, **_named: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    root = written(tmp_path, "[a](https://lumen.example.org/) [b](http://127.0.0.1/) [c](http://localhost:8000/)\n")
    monkeypatch.setattr(socket, "getaddrinfo", nothing)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    arguments = ["check", "--external", "--root", str(root), "--now", "2026-06-15", "--format", style]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "no host can be reached: 1 external link was not checked" in result.output


@pytest.mark.slow
def test_the_command_fixes_what_other_sites_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way out is replaced, the rest is real."""
    with serving(moving({"/a": "/new"})) as web:
        root = written(tmp_path, f"[a]({web.url('/a')})\n")
        monkeypatch.setattr("devlog.external.run.Reach", web.reach)
        monkeypatch.setattr("devlog.external.run.Pace", lambda: AT_ONCE)
        arguments = ["check", "--external", "--fix", "--root", str(root), "--now", "2026-06-15"]
        tried = CliRunner().invoke(main, [*arguments, "--dry-run"])
        assert f"+[a]({web.url('/new')})" in tried.output
        assert web.url("/a") in (root / "content/storage/2026-05-03-wal.md").read_text("utf-8")
        fixed = CliRunner().invoke(main, [*arguments, "--force"])
        assert fixed.exit_code == 0, fixed.output
        assert f"+[a]({web.url('/new')})" in fixed.output
        assert "moved-url" not in fixed.output
    text = (root / "content/storage/2026-05-03-wal.md").read_text("utf-8")
    assert text == POST.format(title="A shorter write path") + f"[a]({web.url('/new')})\n"
