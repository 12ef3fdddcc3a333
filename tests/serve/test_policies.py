"""What each answer of the preview may load and run: pages the scripts of the theme, and nothing else anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_raw import ask
from http_site import BASE, POST, Running, Shown, protected, serving, write
from serve_process import until
from sites import write_site

from devlog.serve import guard
from devlog.serve.policy import ATTACHED, FEED, HOSTS, PLAYED, Policy, attached, named_hosts

ACTIVE = {
    "static/attack.svg": '<svg xmlns="http://www.w3.org/2000/svg"><script href="demo.js"/></svg>',
    "static/attack.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><script src="demo.js"/></html>',
    "static/attack.html": "<script src=demo.js></script>",
    "static/attack.xml": '<x:script xmlns:x="http://www.w3.org/1999/xhtml" src="demo.js"/>',
    "static/demo.js": "demo()",
    "static/data.bin": "??",
    "static/noending": "<script src=demo.js></script>",
    "static/style.css": "p { margin: 0 }",
    "content/kernels/photo.png": b"\x89PNG\r\n\x1a\n",
    "static/talk.mp3": b"ID3",
    "static/film.mp4": b"0000ftyp",
    "static/paper.pdf": b"%PDF-1.4",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(write(tmp_path_factory.mktemp("policy")), ACTIVE)


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[Shown]:
    with Shown(root) as shown:
        yield shown


@pytest.fixture(scope="module")
def running(site: Shown) -> Iterator[Running]:
    with serving(site) as found:
        yield found


def directives(policy: str) -> list[dict[str, list[str]]]:
    """The directives of each policy of a header."""
    return [
        {part.split()[0]: part.split()[1:] for part in one.split(";") if part.split()} for one in policy.split(", ")
    ]


@pytest.mark.parametrize("file", sorted(ACTIVE))
@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=0-1"}, {"Sec-Fetch-Dest": "document"}])
def test_attachments_run_nothing(running: Running, file: str, headers: dict[str, str]) -> None:
    path = f"{BASE}/{file.partition('/')[2]}"
    got = ask(running.port, path, headers=headers)
    assert got.status == (206 if "Range" in headers and len(got.body) == 2 else 200)
    kind = got.one("content-type").partition("/")[0]
    expected = PLAYED if kind in {"audio", "video"} else ATTACHED
    assert protected(got, expected)  # with nosniff
    (policy,) = directives(got.one("content-security-policy"))
    assert policy["default-src"] == ["'none'"]
    assert not {"script-src", "connect-src", "form-action", "worker-src"} & policy.keys()
    assert "allow-scripts" not in policy["sandbox"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("index.xml", FEED),
        ("feed.xml", FEED),
        ("sitemap.xml", FEED),
        ("feed.json", ATTACHED),
        ("posts.json", ATTACHED),
        ("robots.txt", ATTACHED),
    ],
)
def test_files_that_devlog_makes_run_nothing_either(running: Running, path: str, expected: str) -> None:
    got = ask(running.port, f"{BASE}/{path}")
    assert protected(got, expected)
    (policy,) = directives(got.one("content-security-policy"))
    assert policy["default-src"] == ["'none'"]
    assert "script-src" not in policy
    assert "allow-scripts" not in policy["sandbox"]


def test_pages_run_the_scripts_of_the_theme_and_of_the_preview(running: Running, site: Shown) -> None:
    got = ask(running.port, POST)
    assert protected(got, site.policy().page(got.body))
    first, second = directives(got.one("content-security-policy"))
    assert first["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert second.keys() == {"script-src"}
    scripts = [source for source in second["script-src"] if source != "'wasm-unsafe-eval'"]
    own = [source for source in scripts if source != f"http://*:*{guard.OWN}"]
    assert own
    search = {f"http://*:*{BASE}/pagefind/pagefind.js"}
    theme = set(own) - search
    assert all(source.startswith(f"http://*:*{BASE}/theme/") and source.endswith(".js") for source in theme)
    assert not any("demo" in source for source in scripts)
    for name in ("img-src", "media-src", "font-src", "connect-src", "default-src"):
        assert set(first[name]) <= {"'self'", "data:"}, name
    assert first["frame-src"] == first["object-src"] == ["'none'"]


def test_a_script_of_the_theme_may_begin_workers(running: Running, site: Shown) -> None:
    """The policy of a worker is that of its script."""
    assert protected(ask(running.port, f"{BASE}/theme/theme.js"), site.policy().page())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "allowed"),
    [
        ({}, False),
        ({"templates/partials/x.html": '<script src="{{ site.url }}js/demo.js"></script>'}, True),
        ({"templates/partials/x.html": '<script src="{{ site.url }}/js/demo.js"></script>'}, True),
        ({"templates/partials/x.html": f'<script src="{BASE}/js/demo.js"></script>'}, True),
        ({"templates/partials/x.html": "<script src='/js/demo.js'></script>"}, True),
        ({"templates/partials/x.html": "<script src='/other/js/demo.js'></script>"}, False),
        ({"templates/partials/x.html": "{{ assets['demo.js'] }} demo.js x/demo.js"}, False),
    ],
)
def test_scripts_that_a_template_names(tmp_path: Path, files: dict[str, str], allowed: bool) -> None:
    root = write_site(write(tmp_path), {"static/js/demo.js": "demo()", **files})
    with Shown(root) as shown:
        assert (f"{BASE}/js/demo.js" in (shown.policy().paths or ())) is allowed
        assert f"{BASE}/theme/theme.js" in (shown.policy().paths or ())


@pytest.mark.slow
def test_a_site_that_trusts_its_posts(tmp_path: Path) -> None:
    root = write(tmp_path)
    configured = (root / "devlog.toml").read_text("utf-8")
    write_site(root, {"devlog.toml": f'{configured}html = "trusted"\n'})
    with Shown(root) as shown:
        (policy,) = directives(shown.policy().page())
        assert policy["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
        assert policy["frame-src"] == ["https:"]


def test_scripts_and_frames_of_other_sites() -> None:
    origins = ("https://a.example", "https://b.example")
    first, second = directives(Policy("", ("/x.js",), origins, ("https://c.example",)).page())
    assert first["script-src"] == ["'self'", "'wasm-unsafe-eval'", *origins]
    assert second["script-src"] == ["'wasm-unsafe-eval'", *origins, f"http://*:*{guard.OWN}", "http://*:*/x.js"]
    assert first["frame-src"] == ["https://c.example"]


def test_sources_that_all_browsers_accept() -> None:
    """WebKit takes no notice of a source whose host and port are both ``*`` and that has no scheme."""
    policy = Policy("", ("/x.js",), ("https://a.example",), ("https://c.example",), ("https://d.example",))
    html = b'<img src="//e.example/a.png"><img src="http://f.example:81/a.png">'
    every = [source for one in directives(policy.page(html)) for sources in one.values() for source in sources]
    assert f"http://*:*{guard.OWN}" in every
    assert [source for source in every if source.startswith("*")] == []


def test_frames_of_players_that_a_page_offers() -> None:
    link = b'<a href="/" data-frame="https://%b/embed/x">'
    first, _ = directives(Policy().page(link % b"www.youtube-nocookie.com" + link % b"other.example"))
    assert first["frame-src"] == ["https://www.youtube-nocookie.com"]


@pytest.mark.parametrize(
    ("media_type", "policy"),
    [
        ("image/svg+xml", ATTACHED),
        ("text/html", ATTACHED),
        ("application/octet-stream", ATTACHED),
        ("audio/mpeg", PLAYED),
        ("video/mp4", PLAYED),
        ("application/pdf", ATTACHED),
    ],
)
def test_policies_of_attachments(media_type: str, policy: str) -> None:
    assert attached(media_type) == policy


@pytest.mark.parametrize(
    ("html", "hosts"),
    [
        ("", ()),
        ('<img src="/a.png">', ()),
        ('<a href="https://a.example/">', ()),
        ('<script src="/x.js"></script>https://a.example/', ()),
        ('<img src="https://a.example/b.png">', ("https://a.example",)),
        ("<img src='HTTP://A.example:8080'>", ("http://a.example:8080",)),
        ("<img src=https://a.example/b.png>", ("https://a.example",)),
        ('<img src="//a.example/b.png">', ("a.example",)),
        (
            '<source srcset="https://b.example/1.png 1x, https://a.example/2.png 2x">',
            ("https://a.example", "https://b.example"),
        ),
        ('<video poster="https://a.example/b.png">', ("https://a.example",)),
        ('<p style="background: url(https://a.example/b.png)">', ("https://a.example",)),
        ('<link rel="icon" href="https://a.example/b.png">', ("https://a.example",)),
        ('<link rel="canonical" href="https://a.example/">', ()),
        # None of these may write anything else into the policy.
        ('<img src="https://a.example;script-src *">', ()),
        ('<img src="https://*.example/">', ()),
        ('<img src="https://user@a.example/">', ()),
        ('<img src="https://a.example\' *">', ("https://a.example",)),
        ('<img src="https://[::1]/">', ()),
        ('<img src="https://-/">', ("https://-",)),
        ("".join(f'<img src="https://h{number}.example/">' for number in range(HOSTS + 1)), ("http:", "https:")),
        (f'<img src="https://{"a." * 127}example/"><img src="https://a.example/">', ("https://a.example",)),
    ],
)
def test_hosts_that_a_page_names(html: str, hosts: tuple[str, ...]) -> None:
    assert named_hosts(html.encode()) == hosts
    first = directives(Policy().page(html.encode()))[0]
    assert first["img-src"] == ["'self'", "data:", *hosts]
    assert first["media-src"] == ["'self'", *hosts]


@pytest.mark.slow
def test_the_policy_follows_the_theme(tmp_path: Path) -> None:
    from serve_process import serving as served
    from serve_process import write as small

    root = small(tmp_path / "site")
    with served(root) as running:

        def scripts() -> Any:
            return directives(running.get().one("content-security-policy"))[-1]["script-src"]

        assert not any("fresh" in source for source in scripts())
        running.write("static/fresh.js", "fresh()")
        running.write("templates/partials/fresh.html", '<script src="/fresh.js"></script>')
        until(lambda: "http://*:*/devlogs/fresh.js" in scripts(), scripts)
