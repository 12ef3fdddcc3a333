"""Highlighted code of the last version of a source. Most edits change no code, and loading lexers and highlighting
takes longer than everything else that parsing one post does.

The HTML is not stored again: it is part of the last body, and the store keeps where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from html import escape

from devlog.model.document import Body
from devlog.parse.code.highlight import has_lexer, highlight
from devlog.parse.record import CodeBlock


class Highlighter:
    """Highlights the code of one text.

    Attributes:
        highlighted: the HTML of all code that it has highlighted, by key.
    """

    def __init__(self, before: Mapping[str, str]) -> None:
        """
        Args:
            before: the HTML of code that was highlighted before, by key. It does not change the result.
        """
        self._before = before
        self.highlighted: dict[str, str] = {}

    def highlight(self, code: str, language: str) -> str:
        """Highlight code as `highlight.highlight` does."""
        if not has_lexer(code, language):
            return highlight(code, language)
        key = blake2b(f"{language}\n{code}".encode(), digest_size=16).hexdigest()
        html = self._before.get(key, "")
        if not _is_markup_of(html, code):
            html = highlight(code, language)
        self.highlighted[key] = html
        return html


_SPAN = re.compile(r'<span class="[a-z0-9]{1,8}">|</span>')
_SPANS = re.compile(r'[^<]*(?:<span class="[a-z0-9]{1,8}">[^<]*</span>[^<]*)*')


def _is_markup_of(html: str, code: str) -> bool:
    """Whether HTML is some code with spans, whatever their classes: the store could be forged."""
    return html != "" and _SPANS.fullmatch(html) is not None and _SPAN.sub("", html) == escape(code, quote=False)


_OPENING, _START, _END = '<code class="language-', '">', "</code></pre>"


def find_blocks(highlighted: Mapping[str, str], body: Body) -> tuple[CodeBlock, ...]:
    """Where a body has the HTML of code, each once.

    Blocks whose lines are wrapped are not found, since a body does not contain their HTML in one piece. For the same
    reason, those of patches and with terminal colors are highlighted at each edit.

    Args:
        highlighted: the HTML by key.
        body: the body that was written with it.
    """
    keys = {html: key for key, html in highlighted.items()}
    found: dict[str, CodeBlock] = {}
    pieces = [(number, piece) for number, piece in enumerate(body.pieces) if keys and isinstance(piece, str)]
    for number, piece in pieces:
        for start, end in _blocks_of(piece):
            if (key := keys.get(piece[start:end])) and key not in found:
                found[key] = CodeBlock(key, number, start, end)
    return tuple(found.values())


def _blocks_of(piece: str) -> Iterator[tuple[int, int]]:
    """Where a piece of HTML has contents of code blocks, or what looks like one in raw HTML."""
    first, *parts = piece.split(_OPENING)
    offset = len(first)
    for part in parts:
        offset += len(_OPENING)
        start, end = part.find(_START) + len(_START), part.rfind(_END)
        if len(_START) <= start <= end:
            yield offset + start, offset + end
        offset += len(part)
