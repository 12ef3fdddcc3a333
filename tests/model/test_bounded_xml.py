"""Parsing in slices, with limits: what is within them is read as by the parser itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import groupby
from typing import Any
from xml.parsers import expat

import pytest

from devlog.model import bounded_xml
from devlog.model.bounded_xml import BoundedParser, ExcessError

XMLNS = 'xmlns="u:1" xmlns:n="u:2"'
ATTRIBUTES = " ".join(f"a{number} CDATA #IMPLIED" for number in range(1_001))
PARTS = (
    "<a>", "</a>", "<n:b c='>' n:d=\"'\"/>", '<a x="', '"/>', "<", ">", "&lt;", "text ", "𝄞ü∀✀㰼", "<!-- <a b='", "-->",
    "<![CDATA[ i<n && x='y' ", "]]>", "<?p <a b=' ?>", "\n", "<a b='" + "x" * 90 + "'/>", "<a b = '1' c='2'></a>",
)  # fmt: skip


def noted(parser: Any) -> list[tuple[Any, ...]]:
    """What a parser tells its handlers; empty until it parses."""
    events: list[tuple[Any, ...]] = []
    parser.StartElementHandler = lambda *what: events.append(what)
    parser.EndElementHandler = lambda *what: events.append(what)
    parser.CommentHandler = lambda *what: events.append(("comment", *what))
    parser.CharacterDataHandler = lambda text: events.append(("text", text))  # in parts, as it comes
    return events


def joined(events: list[tuple[Any, ...]]) -> list[object]:
    """The same without the places where text was parted."""
    found: list[object] = []
    for is_text, group in groupby(events, lambda event: event[0] == "text"):
        part = list(group)
        found += ["".join(event[1] for event in part)] if is_text else part
    return found


def outcome(events: list[tuple[Any, ...]], parse: Callable[[], object]) -> tuple[object, ...]:
    try:
        parse()
    except (expat.ExpatError, ValueError, LookupError) as error:
        return type(error), [event for event in events if event[0] != "text"]
    return (joined(events),)


def parse(parser: BoundedParser, data: bytes, piece: int) -> None:
    for start in range(0, len(data), piece):
        parser.feed(data[start : start + piece])
    parser.close()


def in_slices(data: bytes, piece: int) -> tuple[object, ...]:
    parser = BoundedParser()
    return outcome(noted(parser.reader), lambda: parse(parser, data, piece))


def at_once(data: bytes) -> tuple[object, ...]:
    parser = expat.ParserCreate(namespace_separator=" ")
    events = noted(parser)
    return outcome(events, lambda: parser.Parse(data, True))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_slices_are_read_as_the_whole(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_xml, "_SLICE", 40)
    monkeypatch.setattr(bounded_xml, "_FIRST_SLICES", 10)
    source = random.Random(1)
    for number in range(600):
        if number % 2:
            inside = "".join(source.choices(PARTS, k=source.randrange(12)))
        else:  # well-formed
            whole = [part for part in PARTS if part.endswith(("/>", "</a>")) and part[:2] not in ("</", '"/')]
            inside = "".join(source.choices([*whole, "t ∀✀㰼 ", "<!-- <a b='-->", "<![CDATA[ i<n x='y' ]]>"], k=9))
        data = f"<!DOCTYPE a [<!ENTITY e 'x'>]><a {XMLNS}>{inside}</a>".encode(encoding)
        data += b"\0" * (number % 50 == 0)
        expected = at_once(data)
        for piece in (1, 7, 1000):
            assert in_slices(data, piece) == expected


@pytest.mark.parametrize("data", [b"", b"<", b"<a", b"<a/>", b" ", b"\0", b"\xff\xfe", b"<a/>\xff", b"<\0a\0/\0>"])
def test_short_input(data: bytes) -> None:
    for piece in (1, 100):
        assert in_slices(data, piece) == at_once(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_long_tags_with_many_attributes_are_refused_before_they_are_parsed(encoding: str) -> None:
    """Letters that have the bytes of quotation marks change nothing."""
    for value in ("x", "∀✀㰼", "㴢㸾"):
        attributes = " ".join(f'a{number}="{value * 600}"' for number in range(1_001))
        names: list[str] = []
        parser = BoundedParser()
        parser.reader.StartElementHandler = lambda name, _given, names=names: names.append(name)
        with pytest.raises(ExcessError, match="an element of it has more than 1,000 attributes"):
            parser.feed(f"<a><b {attributes}/>".encode(encoding))
        assert not parser._guard.intern.keys() & {"b", "a1000"}


def test_markup_in_text_is_no_element() -> None:
    code = "if (i<n) x = [" + ", ".join(f'"{number}"' for number in range(400_000)) + "]"
    for inside in (f"<![CDATA[{code}]]>", f"<!--{code}-->"):
        data = f"<a>{inside}</a>".encode()
        assert in_slices(data, 1 << 20) == at_once(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("<!DOCTYPE a [" + "<!ENTITY a '" + "x" * 300_000 + "'>]><a/>", "longer than 256 KiB"),
        ("<!DOCTYPE a [" + "<!ELEMENT a ANY>" * 20_000 + "]><a/>", "longer than 256 KiB"),
        (f"<!DOCTYPE a [<!ATTLIST g {ATTRIBUTES}>]><a/>", "declares more than 1,000 attributes"),
        (f"<!--{'x' * 1_100_000}--><a/>", "after more than 1 MiB"),
        ("<a>" * 100_001, "more than 100,000 deep"),
    ],
)
def test_limits(data: str, reason: str) -> None:
    for piece in (1 << 20, 5_000):
        with pytest.raises(ExcessError, match=reason):
            parse(BoundedParser(), data.encode(), piece)
