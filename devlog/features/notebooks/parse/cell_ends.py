"""Ends what a cell leaves open, such as a fence: in a notebook, each cell stands for itself."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from devlog.parse.markdown.mistakes import is_unclosed
from devlog.parse.markdown.parser import plain_parser

_ENDS = (
    (re.compile("<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile("<![A-Za-z]"), ">"),
    (re.compile(r"<(?:pre|script|style|textarea)(?=[\s>])", re.IGNORECASE), ""),
)
"""The beginnings of raw HTML that a blank line does not end, and their ends; those of elements are their end tags."""


def end_of(text: str, *, html: bool) -> str:
    """The line that ends what a text leaves open: a block of code or raw HTML; empty if it leaves nothing open.

    Args:
        text: Markdown.
        html: whether raw HTML is parsed as HTML.
    """
    parser, tokens = _parser(html), list[Token]()
    parser.block.parse(text, parser, {}, tokens)
    last = tokens[-1] if tokens else None
    if last is None or last.level:
        return ""  # what contains it ends it
    if last.type == "fence":
        return last.markup if is_unclosed(last) else ""
    return _end_of_html(last.content.lstrip(" ")) if last.type == "html_block" else ""


def _end_of_html(html: str) -> str:
    for beginning, end in _ENDS:
        if found := beginning.match(html):
            wanted = end or f"</{found[0][1:].lower()}>"
            return "" if wanted in html.lower() else wanted
    return ""


@lru_cache(maxsize=2)
def _parser(html: bool) -> MarkdownIt:
    return plain_parser(html, False, www=False)
