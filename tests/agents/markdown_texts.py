"""What a text says to its readers, and what its Markdown version says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lxml import html

from devlog.model.document import LABEL, Anchor, Body, Drawing, Image
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

HOLE = "https://lumen.example/hole/"


def markdown_path_of(text: str, name: str = "a.md", **options: Any) -> str:
    """The Markdown version of a text without its front matter; a hole is written as ``‹target›``."""
    parsed, body, _ = parse(Source(name, f"content/{name}", text), ParseOptions(**options))
    return markdown_of(body, lambda piece: f"‹{parsed.document.refs[piece].target}›")


def markdown_of(body: Body, hole: Callable[[int], str]) -> str:
    """The Markdown of a body with something in its holes."""
    pieces = (piece for piece in body.markdown if piece != LABEL)
    return "".join(piece.decode() if isinstance(piece, bytes) else hole(piece) for piece in pieces)


def round_trip(text: str, name: str = "a.md", **options: Any) -> tuple[str, str]:
    """What readers see of a text, and what they would see of its Markdown version as a text."""
    parsed, body, _ = parse(Source(name, f"content/{name}", text), ParseOptions(**options))
    markdown = markdown_of(body, lambda piece: f"{HOLE}{piece}")
    again, body_again, _ = parse(
        Source("b.md", "content/b.md", f"---\ntitle: MarkdownVersion\n---\n{markdown}"), ParseOptions(emoji=False)
    )
    return _seen(body, parsed.document.refs), _seen(body_again, again.document.refs)


def _seen(body: Body, refs: Any) -> str:
    """The text of a body without white space; a formula counts as what it was written as."""
    parts = []
    for piece in body.pieces:
        if isinstance(piece, Image):
            parts.append(f'{piece.start} src="x"{piece.end}')
        elif isinstance(piece, Drawing):
            parts.append(piece.source)
        elif isinstance(piece, int):
            parts.append(f' {refs[piece].attribute}="x"' if refs[piece].attribute else f"{HOLE}{piece}")
        elif not isinstance(piece, Anchor):
            parts.append(piece)
    if not "".join(parts).strip():
        return ""
    tree = html.fragment_fromstring("".join(parts), create_parent="div")
    for image in tree.iter("img"):
        image.text = image.get("alt", "")
    for formula in tree.iter("math"):
        for child in list(formula):
            formula.remove(child)
        formula.text = formula.get("alttext", "")
    return re.sub(r"[\s\u200b]", "", tree.text_content())
