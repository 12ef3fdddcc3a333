"""Bare addresses become the links that the plugin's rules make of them."""

from __future__ import annotations

import random

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from devlog.parse.markdown.autolinks import LONGEST_HOST, protocol_rule, www_rule

_PLUGIN = MarkdownIt("commonmark").use(gfm_autolink_plugin)
_OURS = MarkdownIt("commonmark").use(gfm_autolink_plugin)
_OURS.inline.ruler.at("gfm_autolink_www", www_rule)
_OURS.inline.ruler.at("gfm_autolink_protocol", protocol_rule)
for _parser in (_PLUGIN, _OURS):
    _parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - named as the original

_PARTS = (
    "http:// https:// http: www. WWW. mailto: xmpp: a b.c a.b.c a_b _ . .. - -- ~ * ( ) )) ((a)) [ ] ] ! ? , ; &amp; "
    "&a; a; : / // # % ' \" $ + = | ü ü.ä « … \u3000 \u00a0 @ a@b.c a.b@ <b> \\ ` `a` [a](b) ![a](b) <http://a>"
).split(" ")
_BREAKS = (" ", " ", "\n", "\t", "\u3000", "")


@pytest.mark.slow
def test_same_links_as_the_plugin() -> None:
    source = random.Random(16)
    for _ in range(6_000):
        text = "".join(source.choice(_PARTS) + source.choice(("", "", *_BREAKS)) for _ in range(source.randint(1, 9)))
        # A name of a host ends before “<”, as in cmark-gfm; for the plugin it does not.
        text = text.replace("<", " <")
        assert _OURS.render(text) == _PLUGIN.render(text), text


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("http://a.b<c_d.e f", "http://a.b"),
        ("www.a.b<c", "www.a.b"),
        (f"http://{'a' * (LONGEST_HOST - 1)}", f"http://{'a' * (LONGEST_HOST - 1)}"),
        (f"http://{'a' * LONGEST_HOST}/b", ""),
        ("http://a/b)))).);", "http://a/b"),
        ("(http://a/(b))).", "http://a/(b)"),
    ],
)
def test_ends(text: str, linked: str) -> None:
    html = _OURS.render(text)
    assert (f">{linked}</a>" in html) if linked else ("<a" not in html)
