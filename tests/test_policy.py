"""The policy says no more than what a configuration turns on."""

from __future__ import annotations

import pytest

from devlog.assemble.policy import connect_origins, page_policy, script_origins, strict_policy
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.model.players import frame_of
from devlog.serve.policy import Policy

MERMAID = '[diagrams.mermaid]\nscript = "{}"\n'


def configured(text: str) -> Config:
    config, wrong = read_config(text, "devlog.toml")
    assert not wrong
    return config


def directives(text: str) -> dict[str, list[str]]:
    policy = strict_policy(configured(text))
    return {name: sources for name, *sources in (part.split() for part in policy.split("; "))}


def test_off_by_default() -> None:
    assert page_policy(Config()) == ""
    assert page_policy(configured("content_security_policy = false")) == ""


def test_on() -> None:
    config = configured("content_security_policy = true")
    assert page_policy(config) == strict_policy(config)


def test_of_the_sites_own() -> None:
    assert page_policy(configured("content_security_policy = \"default-src  'self';\\n  img-src *\"")) == (
        "default-src 'self'; img-src *"
    )


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("", ["'self'", "'wasm-unsafe-eval'"]),
        ("[search]\nenabled = false", ["'self'"]),
        (MERMAID.format("/js/mermaid.js"), ["'self'", "'wasm-unsafe-eval'"]),
        (
            MERMAID.format("https://cdn.example:8443/x/m.js"),
            ["'self'", "'wasm-unsafe-eval'", "https://cdn.example:8443"],
        ),
    ],
)
def test_scripts_are_files_of_the_site_and_what_is_named(text: str, sources: list[str]) -> None:
    assert directives(text)["script-src"] == sources


def test_never_inline_scripts() -> None:
    for text in ("", MERMAID.format("https://cdn.example/m.js"), 'html = "trusted"'):
        found = directives(text)
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(found["script-src"])
        assert found["object-src"] == found["base-uri"] == ["'none'"]
        assert found["default-src"] == ["'self'"]


def test_style_elements_only_for_scripts_that_draw() -> None:
    assert directives("")["style-src"] == ["'self'"]
    assert directives('[diagrams.dot]\ncommand = ["dot", "-Tsvg"]')["style-src"] == ["'self'"]
    assert directives(MERMAID.format("/m.js"))["style-src"] == ["'self'", "'unsafe-inline'"]


def test_frames_only_for_comments_and_trusted_posts() -> None:
    giscus = '[comments]\nprovider = "giscus"\nrepo = "a/b"\nrepo_id = "R_1"\ncategory = "C"\ncategory_id = "D_1"\n'
    assert directives("")["frame-src"] == ["'none'"]
    assert directives(giscus)["frame-src"] == ["https://giscus.app"]
    assert directives('html = "trusted"\n' + giscus)["frame-src"] == ["https://giscus.app", "https:"]


def test_players_only_where_a_page_offers_them() -> None:
    policy = strict_policy(configured(""), ["vimeo", "youtube"])
    assert "frame-src https://player.vimeo.com https://www.youtube-nocookie.com;" in policy
    assert page_policy(configured('content_security_policy = "default-src *"'), ["vimeo"]) == "default-src *"


@pytest.mark.parametrize(
    ("site", "given", "video"),
    [
        ("youtube", "abc-DEF_1", "abc-DEF_1"),
        ("youtube", "https://www.youtube.com/watch?list=PL1&v=abc", "abc"),
        ("youtube", "https://youtu.be/abc?t=1", "abc"),
        ("youtube", "https://youtube.example/watch?v=abc", ""),
        ("youtube", "../x", ""),
        ("vimeo", "https://player.vimeo.com/video/12", "12"),
        ("asciinema", "https://asciinema.org/a/12", "12"),
        ("gist", "12", ""),
    ],
)
def test_players_of_videos(site: str, given: str, video: str) -> None:
    found = frame_of(site, given)
    assert (f"/{video}?" in found or f"/{video}/iframe?" in found) if video else found == ""


def test_the_preview_lets_in_the_same_scripts() -> None:
    text = MERMAID.format("https://b.example/m.js") + '[diagrams.other]\nscript = "https://a.example/o.js"\n'
    assert script_origins(configured(text)) == ["https://a.example", "https://b.example"]


@pytest.mark.parametrize(
    ("text", "scripts", "receivers"),
    [
        ('provider = "plausible"\nsite = "a.example"', ["https://plausible.io"], ["https://plausible.io"]),
        ('provider = "goatcounter"\nsite = "lumen"', ["https://gc.zgo.at"], ["https://lumen.goatcounter.com"]),
        (
            'provider = "goatcounter"\nurl = "https://stats.example/count"',
            ["https://stats.example"],
            ["https://stats.example"],
        ),
        (
            'provider = "umami"\nsite = "1-2"',
            ["https://cloud.umami.is"],
            ["https://api-gateway.umami.dev", "https://cloud.umami.is"],
        ),
        (
            'provider = "script"\nurl = "/js/count.js"\nconnect = ["https://stats.example/x"]',
            [],
            ["https://stats.example"],
        ),
        ('provider = "script"\nurl = "/js/count.js"', [], []),
    ],
)
def test_a_service_that_counts_is_loaded_and_told(text: str, scripts: list[str], receivers: list[str]) -> None:
    found = directives(f"[analytics]\n{text}\n[search]\nenabled = false")
    assert found["script-src"] == ["'self'", *scripts]
    assert found.get("connect-src", ["'self'"]) == ["'self'", *receivers]
    config = configured(f"[analytics]\n{text}")
    shown = Policy("", (), tuple(script_origins(config)), (), tuple(connect_origins(config))).page()
    sources = " ".join(["'self'", *receivers])
    assert f"connect-src {sources};" in shown
