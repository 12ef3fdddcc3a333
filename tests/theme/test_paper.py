"""The second theme: it has all that a site needs, and no script at all."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2.meta
import pytest
from quality.showcase import build_showcase

from devlog.disk.theme import load_theme
from devlog.render.templates import REQUIRED, environment, template_use

THEME = load_theme(Path(), "paper", overrides=False).theme
TEMPLATES = {template.name: template for template in THEME.templates}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The showcase in this theme: its pages by path."""
    root = tmp_path_factory.mktemp("paper")
    report = build_showcase(root, "https://docs.example.org/lumen/", theme="paper")
    assert [problem for problem in report.diagnostics if problem.severity != "info"] == []
    public = root / "public"
    return {path.relative_to(public).as_posix(): path.read_text("utf-8") for path in public.rglob("*.html")}


def test_it_stands_alone() -> None:
    assert {name for name in TEMPLATES if "/" not in name} >= REQUIRED
    assert {template.file.split("/")[1] for template in THEME.templates} == {"paper"}
    assert [asset.path for asset in THEME.assets] == ["paper.css"]


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_the_first_comment_names_the_context(name: str) -> None:
    comment = re.match(r"\{# context:([^#]*)#\}", TEMPLATES[name].text)
    assert comment, "no comment at the beginning"
    named = {part.strip() for part in comment[1].split(",") if part.strip()}
    env = environment(THEME)
    assert named >= jinja2.meta.find_undeclared_variables(env.parse(TEMPLATES[name].text))
    assert named == template_use(THEME.templates, name, catalog=THEME.catalog).names


@pytest.mark.slow
def test_there_is_no_script(pages: dict[str, str]) -> None:
    assert len(pages) > 40
    for path, html in pages.items():
        scripts = re.findall(r"<script[^>]*>", html)
        assert set(scripts) <= {'<script type="application/ld+json">'}, path
        assert not re.search(r"<[^>]*\son[a-z]+=", html), path


@pytest.mark.slow
def test_nothing_is_loaded_but_the_style(pages: dict[str, str]) -> None:
    for path, html in pages.items():
        loaded = re.findall(r'<link rel="(?:stylesheet|preload|icon)" href="([^"?]*)', html)
        is_page = 'http-equiv="refresh"' not in html and not path.endswith("/transcript.html")
        for_formulas = [url for url in loaded if url.startswith("/lumen/fonts/math-")]
        assert not for_formulas or "<math" in html, path  # without the extra there is no such font
        assert loaded == (["/lumen/theme/paper.css", *for_formulas] if is_page else []), path


def test_what_a_post_has_is_shown(pages: dict[str, str]) -> None:
    whole = "".join(pages.values())
    for text in ("Part 2 of", "See also", "Discuss this post", "Before: ", "After: ", "<math "):
        assert text in whole, text


@pytest.mark.feature("images")
def test_images_have_several_sizes(pages: dict[str, str]) -> None:
    assert "<picture>" in "".join(pages.values())


@pytest.mark.feature("episodes")
def test_an_episode_can_be_heard_and_read(pages: dict[str, str]) -> None:
    page = pages["talks/2026-06-07-vacuum/index.html"]
    for text in (
        '<audio controls preload="none" src="/lumen/talks/2026-06-07-vacuum/week.wav"',
        '<a href="/lumen/talks/">Lumen aloud</a>, season 2, episode 14',
        '<time class="dt-duration" datetime="PT16S">0:16</time>',
        '<a href="https://quill.example/">Ada Quill</a> (host)',
        'href="/lumen/talks/2026-06-07-vacuum/week.wav#t=4"',
        '<cite>Bo Reed</cite> <a class="time" id="t=4" href="#t=4">',
        'type="text/vtt">WebVTT</a>',
    ):
        assert text in page, text
