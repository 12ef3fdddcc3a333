"""Raw HTML of which cleaning would make far more than it is long is shown as text, wherever it stands."""

from __future__ import annotations

import random

import pytest

from devlog import sanitize
from devlog.model.diagnostic import Diagnostic
from devlog.model.source import Source
from devlog.parse.html import tangled
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

LONG = f'<b title="{"x" * 3000}">'
MANY = "<p>y" * 4000
TANGLED = {
    "blocks in blocks": "<div>\n\n" * 5000,
    "elements in a line": "x " + "<ul> " * 7000,
    "end tags that end nothing": "<section>\n" + "<p><div></p>" * 3000,
    "formatting": "<div>\n" + "".join(f"<p><b id=n{number}></p>" for number in range(2000)),
    "one long tag": f"<div><p>{LONG}</p>{MANY}",
    "a long link inside the site": f'<div><p><a href="/{"x" * 3000}"></p>{MANY}',
    "an image with a link around it": f'<div><p><a href="/{"x" * 3000}"><img src="/a.png" alt=""></p>{MANY}',
    "many tags": "<div><p>" + "".join(f"<b id=n{number}>" for number in range(190)) + f"</p>{MANY}",
    "formatting around too many blocks": f"<div>{LONG}{'<div>' * 12}</b>{'</div>' * 12}{MANY}",
    "text beside cells": "<table>\n" + "x<br>" * 12_000,
    "text behind a cell": "<table>\n<td><div></td>" + "x<br>" * 12_000,
    "attributes": "<div " + " ".join(f"a{number}" for number in range(9000)) + ">",
    "text in a drawing": f"<div><svg><textarea>{LONG}{MANY}",
    "a section in a drawing": f"<div><p>{LONG}<svg><![CDATA[></svg></b>]]></svg></p>{MANY}",
    "what a choice holds": f"<div><p>{LONG}<object><select></object></b></select></object></p>{MANY}",
    "items of a cell that is none": "<section>\n" + "<td><li><dd></td>" * 3000,
    "items in a button": "<section>\n" + "<button><ul><button></button><li><dd></ul></button>" * 3000,
    "parts of a table in a cell": "<table>\n<td><ul><tr></tr>" + "x<br>" * 12_000 + "</ul></td></table>",
    "what seems to close itself": "<div><section><svg></section>" + "<x/>" * 9000,
}
PLAIN = {
    "paragraphs": "<section>\n" + "<p>One <b>two</b> <a href='/x'>three</a>\n" * 2000 + "</section>",
    "items": "<ul>\n" + "<li>One<br>two\n" * 5000 + "</ul>",
    "cells": "<table>\n" + ("<tr>" + "<td>One <i>two</i>" * 10 + "\n") * 500 + "</table>",
    "a font around all": '<font face="Verdana, sans-serif" size=2>\n' + "<p>One <b>two</b></p>\n" * 2000 + "</font>",
    "targets": "<a name=top>\n" + "<p>One <a name=x>two</p>\n" * 500,
    "a link that is left open": '<div><p><a href="/x"></p>' + "<p>One or two\n" * 3000 + "</div>",
    "a drawing": "<figure>\n<svg><title>A</title><g>" + '<path d="M0 0"/>' * 3000 + "</g></svg></figure>",
}


def _found(text: str, ending: str) -> tuple[list[Diagnostic], int]:
    path = f"log/a.{ending}"
    parsed, body, _ = parse(Source(path, f"content/{path}", text), ParseOptions())
    length = sum(len(piece) for piece in (*body.pieces, *body.markdown) if isinstance(piece, str | bytes))
    return [item for item in parsed.diagnostics if item.code in ("tangled-html", "html-too-deep")], length


@pytest.mark.parametrize("name", TANGLED)
@pytest.mark.slow
def test_html_that_would_grow_is_shown_as_text(name: str) -> None:
    for ending in ("md", "html"):
        found, length = _found(f"---\ntitle: A\n---\nFirst.\n\n{TANGLED[name]}", ending)
        assert len(found) == 1, ending
        assert ending == "html" or found[0].span.line == 6
        assert length < 12 * len(TANGLED[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_html_that_is_only_careless_stays(name: str) -> None:
    assert len(PLAIN[name]) > tangled.HARMLESS or name == "targets"
    for ending in ("md", "html"):
        assert _found(PLAIN[name], ending)[0] == []


@pytest.mark.slow
@pytest.mark.feature("episodes")
def test_a_transcript_is_shown_as_text_too() -> None:
    from devlog.features.episodes.parse.transcripts import transcribe

    text = f"First.\n\n{TANGLED['one long tag']}"
    rendered, _, found = transcribe(text, "log/a.md", "content/log/a.md", ParseOptions())
    assert [(item.code, item.span.line) for item in found] == [("tangled-html", 3)]
    assert "&lt;div&gt;" in "".join(piece for piece in rendered.body.pieces if isinstance(piece, str))


PARTS = (
    "<p> </p> <div> </div> <span> </span> <b> </b> <i> </i> <a> </a> <u> </u> <ul> </ul> <li> </li> <table> </table> "
    "<tr> </tr> <td> </td> <object> </object> <select> </select> <section> </section> <button> </button> <h1> </h2> "
    "<dd> </dd> <font> </font> <caption> </caption> <template> </template> <svg> </svg> <x/> <math> <mi> </mi> <desc> "
    "</br> x x x"
).split()


@pytest.mark.slow
def test_what_cleaning_makes_is_never_more_than_was_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With smaller limits, whatever a text repeats: what stays within them does not grow beyond them."""
    monkeypatch.setattr(tangled, "MOST_OPEN", 40)
    monkeypatch.setattr(tangled, "_ALWAYS", 3000)
    monkeypatch.setattr(tangled, "_FACTOR", 3)
    choice = random.Random(4)
    looked_at = 0
    for _ in range(2500):
        before, again, behind = ("".join(choice.choices(PARTS, k=choice.randint(0, 9))) for _ in range(3))
        text = (before + again * 30 + behind * 60).replace("<u>", f'<u title="{"x" * 30}">')
        if tangled.is_tangled(text):
            continue
        looked_at += 1
        cleaned = sanitize.sanitize(text)
        assert len(cleaned) < 12 * len(text) + 2 * 3000, text
        assert _depth(cleaned) < 4 * 40, text
    assert looked_at > 150


def _depth(html: str) -> int:
    depth = deepest = 0
    for part in html.split("<")[1:]:
        depth += -1 if part.startswith("/") else 0 if part.startswith(("br", "img")) else 1
        deepest = max(deepest, depth)
    return deepest
