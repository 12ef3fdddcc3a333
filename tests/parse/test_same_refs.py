"""Equal links and images of a post are one reference, so that a short post does not fill the memory of a build."""

from __future__ import annotations

import msgspec
import pytest

from devlog.model.check_facts import CheckFacts
from devlog.model.document import LABEL, Body, Image, Parsed
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse, parse_batch

_LONG = "x" * 2000


def _parsed(text: str) -> tuple[Parsed, Body, CheckFacts]:
    parsed, body, facts = parse(Source("a.md", "a.md", text), ParseOptions(markdown_versions=True))
    assert parsed.diagnostics == ()
    return parsed, body, facts


def _filled(parsed: Parsed, body: Body) -> tuple[str, str]:
    """The HTML and the Markdown of a body, with the targets of links and images as they are written."""
    targets = [ref.target for ref in parsed.document.refs]
    html = ""
    for piece in body.pieces:
        if isinstance(piece, Image):
            html += f"{piece.start}{targets[piece.ref]}{piece.end}"
        else:
            html += targets[piece] if isinstance(piece, int) else str(piece)
    own = [piece if isinstance(piece, bytes) else targets[piece].encode() for piece in body.markdown if piece != LABEL]
    return html, b"".join(own).decode()


def test_links_that_one_definition_supplies_are_one_reference() -> None:
    parsed, body, _ = _parsed("[a] [b] ![a] [a] [a] ![a]\n\nMore: [b] [a]\n\n[a]: c.png\n[b]: d.md\n")
    found = [(ref.kind, ref.target, ref.span.line, ref.span.column) for ref in parsed.document.refs]
    assert found == [("link", "c.png", 5, 6), ("link", "d.md", 6, 6), ("image", "c.png", 5, 6)]
    html, markdown = _filled(parsed, body)
    order = ["c.png", "d.md", "c.png", "c.png", "c.png", "c.png", "d.md", "c.png"]
    for text in (html, markdown):
        places = sorted((place, name) for name in ("c.png", "d.md") for place in _places(text, name))
        assert [name for _, name in places][: len(order)] == order


def _places(text: str, name: str) -> list[int]:
    return [place for place in range(len(text)) if text.startswith(name, place)]


def test_links_that_are_spelled_out_keep_their_own_places() -> None:
    parsed, _, facts = _parsed("[a](b.md) [a](b.md)\n\n[a](b.md) [c](https://x.example/c) [c](https://x.example/c)\n")
    assert [(ref.span.line, ref.span.column) for ref in parsed.document.refs] == [(1, 5), (1, 15), (3, 5)]
    assert [(one.span.line, one.span.column) for one in facts.outside] == [(3, 15), (3, 40)]


def test_a_few_links_whose_exact_place_is_unknown_keep_their_lines() -> None:
    parsed, _, facts = _parsed("[a]:\nb.md\n[c]:\nhttps://x.example/c\n\n[a] [c]\n\n[a] [c]\n")
    assert [(ref.target, ref.span.line) for ref in parsed.document.refs] == [("b.md", 6), ("b.md", 8)]
    assert [one.span.line for one in facts.outside] == [6, 8]


@pytest.mark.parametrize(
    "text",
    [
        f"[a]: /{_LONG}\n\n{'[a] ' * 400}\n",
        f"[a]: {_LONG}.png\n\n{'![a] ' * 400}\n",
        f"[a]: https://x.example/{_LONG}\n\n{'[a] ' * 400}\n",
        f"[a]:\n/{_LONG}\n\n" + "[a]\n\n" * 400,
        f"[a]:\nhttps://x.example/{_LONG}\n\n" + "[a]\n\n" * 400,
        f"[a]:\n#%F0%9F%98%80{_LONG}\n\n" + "- [a]\n" * 400,
    ],
)
def test_a_long_definition_makes_the_record_of_a_post_not_much_longer(text: str) -> None:
    (record,) = parse_batch([Source("a.md", "a.md", text)], ParseOptions())
    assert len(record.text) < 4 * len(text)
    body = msgspec.msgpack.decode(record.body, type=Body)
    assert len([piece for piece in body.pieces if not isinstance(piece, str)]) == (0 if "https:" in text else 400)
