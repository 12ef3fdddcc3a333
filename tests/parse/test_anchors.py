"""Fragments of headings: those that each generator makes of the same text.

What is expected was made by Python-Markdown 3.11 (``toc``), kramdown 2.4 with and without its parser for GitHub's
Markdown 1.1, and the ``slug`` crate on the text of the heading, as Zola does.
"""

from __future__ import annotations

import pytest

from devlog.config import Anchors
from devlog.model.source import Source
from devlog.parse.markdown.anchors import PROFILES
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

NAMES = ("zola", "kramdown", "kramdown-gfm", "python-markdown")
HEADINGS = {
    "Improved User & Developer Experience": (
        "improved-user-developer-experience",
        "improved-user--developer-experience",
        "improved-user--developer-experience",
        "improved-user-developer-experience",
    ),
    "1. First! Step?": ("1-first-step", "first-step", "1-first-step", "1-first-step"),
    "snake_case -- and --- dashes...": (
        "snake-case-and-dashes",
        "snakecase----and-----dashes",
        "snake_case--and--dashes",
        "snake_case-and-dashes",
    ),
    "`code--span` and *emphasis* in [a link](https://example.org/x)": (
        "code-span-and-emphasis-in-a-link",
        "code--span-and-emphasis-in-a-linkhttpsexampleorgx",
        "code--span-and-emphasis-in-a-link",
        "code-span-and-emphasis-in-a-link",
    ),
    "Größe der Straße in København": (
        "grosse-der-strasse-in-kobenhavn",
        "gre-der-strae-in-kbenhavn",
        "größe-der-straße-in-københavn",
        "groe-der-strae-in-kbenhavn",
    ),
    "Что нового: щука, большой объезд": (
        "chto-novogo-shchuka-bol-shoi-obezd",
        "section",
        "что-нового-щука-большой-объезд",
        "_1",
    ),
    "Αθήνα και λόγος": ("athena-kai-logos", "section", "αθήνα-και-λόγος", "_1"),
    "C++ & C#: what's new?": ("c-c-what-s-new", "c--c-whats-new", "c--c-whats-new", "c-c-whats-new"),
    "Lumen 1.94.1 – “quotes” & ‘more’": (
        "lumen-1-94-1-quotes-more",
        "lumen-1941--quotes--more",
        "lumen-1941--quotes--more",
        "lumen-1941-quotes-more",
    ),
    "Tabs\tand   spaces": ("tabs-and-spaces", "tabsand---spaces", "tabs-and---spaces", "tabs-and-spaces"),
    "Trailing dash -": ("trailing-dash", "trailing-dash--", "trailing-dash--", "trailing-dash-"),
    "-- leading": ("leading", "leading", "-leading", "-leading"),
    "Ünïcödé ﬁ ligature ½ x²": (
        "unicode-fi-ligature-1-2-x2",
        "ncd--ligature--x",
        "ünïcödé-ﬁ-ligature--x",
        "unicode-fi-ligature-12-x2",
    ),
    "**Bold** _under_ ~~gone~~ end": ("bold-under-gone-end",) * 4,
    "naïve café — résumé": ("naive-cafe-resume", "nave-caf--rsum", "naïve-café--résumé", "naive-cafe-resume"),
    "5 € × 2 © ŉ ¥ Ξ": ("5-eur-x-2-c-n-y-ks", "section", "5---2--ŉ--ξ", "5-2-n"),
}


def _ids(text: str, profile: str) -> list[str]:
    source = Source("a/2026-05-01-a.md", "content/a/2026-05-01-a.md", f"---\ntitle: T\n---\n{text}\n")
    parsed, *_ = parse(source, ParseOptions(anchors=profile, emoji=False))
    assert {heading.id for heading in parsed.document.headings} <= set(parsed.document.anchors)
    return [heading.id for heading in parsed.document.headings]


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("profile", NAMES)
def test_as_the_generator_has_them(heading: str, profile: str) -> None:
    assert _ids(f"## {heading}", profile) == [HEADINGS[heading][NAMES.index(profile)]]


HUGO = {
    "Improved User & Developer Experience": (
        "improved-user--developer-experience",
        "improved-user-developer-experience",
    ),
    "snake_case -- and --- dashes...": ("snake_case--and--dashes", "snake-case-and-dashes"),
    "`code--span` and a_b--c": ("code--span-and-a_bc", "code-span-and-a-b-c"),
    "C++ & C#: what's new?": ("c--c-whats-new", "c-c-what-s-new"),
    "What’s new – in 1.0?": ("whats-new--in-10", "what-s-new-in-1-0"),
    "x² ½ ٣": ("x--٣", "x²-½-٣"),
    "日本 語の 見出し": ("日本-語の-見出し", "日本-語の-見出し"),
    "Trailing dash -": ("trailing-dash--", "trailing-dash"),
    "!!!": ("heading", "heading"),
}
"""What Hugo 0.154 makes of headings as it comes, and with ``autoHeadingIDType = "blackfriday"``."""


@pytest.mark.parametrize("heading", HUGO)
def test_as_hugo_has_them(heading: str) -> None:
    assert (*_ids(f"## {heading}", "hugo"), *_ids(f"## {heading}", "blackfriday")) == HUGO[heading]


def test_every_profile_of_the_configuration_is_there() -> None:
    assert sorted(PROFILES) == sorted(Anchors.__args__)


EQUAL = "## Setup\n\n## Setup\n\n## Setup\n"


@pytest.mark.parametrize("profile", ["github", "zola", "kramdown", "kramdown-gfm"])
def test_equal_headings_are_counted(profile: str) -> None:
    assert _ids(EQUAL, profile) == ["setup", "setup-1", "setup-2"]


def test_python_markdown_counts_in_its_own_way() -> None:
    assert _ids(EQUAL, "python-markdown") == ["setup", "setup_1", "setup_2"]
    assert _ids("## Part_1\n\n## Part_1\n\n## Part\n\n## Part\n", "python-markdown") == [
        "part_1",
        "part_2",
        "part",
        "part_3",
    ]
    assert _ids("## 日本\n\n## 日本\n", "python-markdown") == ["_1", "_2"]


@pytest.mark.parametrize("profile", ["github", *NAMES])
def test_fragments_are_unique_whatever_headings_say(profile: str) -> None:
    found = _ids("## Setup\n\n## Setup-1\n\n## Setup\n\n## Setup_1\n\n## Setup\n\n## !!!\n\n## ???\n", profile)
    assert len(set(found)) == len(found)
    assert all(found)


@pytest.mark.parametrize("profile", ["github", *NAMES])
def test_an_id_that_the_writer_names_is_kept_from_others(profile: str) -> None:
    found = _ids("## Setup\n\n## The other {#setup}\n\n## Third {: #third}\n", profile)
    assert found[1:] == ["setup", "third"]
    assert found[0] == ("setup_1" if profile == "python-markdown" else "setup-1")


def test_an_id_named_in_the_heading_is_not_part_of_its_text() -> None:
    assert _ids("## Über uns {#about-us} \n", "kramdown") == ["about-us"]


@pytest.mark.parametrize("typographer", [(), ("typographer",)])
@pytest.mark.parametrize(
    ("heading", "text", "fragment"),
    [
        ("Alpha \\{.note}", "Alpha {.note}", "alpha-note"),
        ("Beta \\{#bet}", "Beta {#bet}", "beta-bet"),
        ("Gamma &#123;.note}", "Gamma {.note}", "gamma-note"),
        ("`code`\\{.note}", "code{.note}", "codenote"),
        ("`a\\`{#own}", "a\\", "own"),
        ("Delta \\\\{#own}", "Delta \\", "own"),
    ],
)
def test_braces_that_a_heading_escapes_are_its_text(
    heading: str, text: str, fragment: str, typographer: tuple[str, ...]
) -> None:
    source = Source("a.md", "content/a.md", f"---\ntitle: A\n---\n## {heading}\n")
    document = parse(source, ParseOptions(extensions=typographer))[0].document
    assert [(found.text, found.id) for found in document.headings] == [(text, fragment)]


@pytest.mark.parametrize("typographer", [(), ("typographer",)])
@pytest.mark.parametrize("profile", ["github", "hugo", "kramdown", "kramdown-gfm"])
def test_names_of_emoji_are_in_anchors(profile: str, typographer: tuple[str, ...]) -> None:
    """As on GitHub, which replaces them afterwards: tables of contents in READMEs have such links."""
    text = "# :rocket: It's A\n\n## :bulb: About\n\n## :hammer_and_wrench: It's installed\n\n## 🚀 Other\n"
    source = Source("a/2026-05-01-a.md", "content/a/2026-05-01-a.md", text)
    document = parse(source, ParseOptions(anchors=profile, extensions=typographer))[0].document
    tools = "hammerandwrench" if profile == "kramdown" else "hammer_and_wrench"
    assert [heading.id for heading in document.headings][:2] == ["bulb-about", f"{tools}-its-installed"]
    assert "rocket-its-a" in document.anchors
