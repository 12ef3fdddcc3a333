"""Author strings: the variants in the wild, and what holds for any text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devlog.model.diagnostic import Span
from devlog.model.document import Byline
from devlog.parse.front_matter.authors import parse_author, parse_authors

Fields = dict[str, str | bool]


def parse(text: str) -> tuple[Byline, ...]:
    return parse_authors(text, Span("a.md", 4, 10, len(text)))


def fields(byline: Byline) -> Fields:
    """What is set of an author."""
    names = ("name", "handle", "aside", "url", "affiliation", "team")
    return {name: value for name in names if (value := getattr(byline, name))}


def bare(bylines: tuple[Byline, ...]) -> list[Fields]:
    return [fields(byline) for byline in bylines]


ADA: Fields = {"name": "Ada Quill", "handle": "adaquill"}
BEA: Fields = {"name": "Bea Moss", "handle": "beamoss"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Quill (@adaquill)", [ADA]),
        ("Ada Quill(@adaquill)", [ADA]),
        ("Ada Quill (@AdaQuill) ", [ADA]),
        ("Ada Quill @adaquill", [ADA]),
        ("Ada  Quill\n(@adaquill)", [ADA]),
        ("Ada Quill (@adaquill", [ADA]),
        ("@adaquill", [{"handle": "adaquill"}]),
        ("(@adaquill)", [{"handle": "adaquill"}]),
        ("Ada Quill", [{"name": "Ada Quill"}]),
        ("Ada Quill (adaquill42)", [{"name": "Ada Quill", "aside": "adaquill42"}]),
        ("Ada Quill(adaquill42)", [{"name": "Ada Quill", "aside": "adaquill42"}]),
        ("Ada Quill (ada-quill)", [{"name": "Ada Quill", "aside": "ada-quill"}]),
        ("Ada Quill (Blue Cap)", [{"name": "Ada Quill", "aside": "Blue Cap"}]),
        ("Ada Quill (@adaquill) (Blue Cap)", [{**ADA, "aside": "Blue Cap"}]),
        ("Ada Quill (@a.d_a-9)", [{"name": "Ada Quill", "handle": "a.d_a-9"}]),
        ("Ada Quill <https://example.org/a>", [{"name": "Ada Quill", "url": "https://example.org/a"}]),
        ("[Ada Quill](https://example.org/a)", [{"name": "Ada Quill", "url": "https://example.org/a"}]),
        ("[Ada Quill](https://example.org) (@adaquill)", [{**ADA, "url": "https://example.org"}]),
        ("Ada Quill <ada@example.org>", [{"name": "Ada Quill", "url": "mailto:ada@example.org"}]),
        ("[Ada](javascript:alert)", [{"name": "[Ada]", "aside": "javascript:alert"}]),
        ("Ada (@adaquill) Quill", [{"name": "Ada (@adaquill) Quill"}]),
        ("Ada Quill (@adaquill), Bea Moss (@beamoss)", [ADA, BEA]),
        ("Ada Quill(@adaquill),Bea Moss(@beamoss),", [ADA, BEA]),
        ("Ada Quill (@adaquill, Bea Moss (@beamoss)", [ADA, BEA]),
        ("Ada Quill (@adaquill), Cy Fern", [ADA, {"name": "Cy Fern"}]),
        ("Ada (Blue Cap, Inc.), Cy", [{"name": "Ada", "aside": "Blue Cap, Inc."}, {"name": "Cy"}]),
        ("Ada Quill (Blue Cap), Cy Fern (Red)", [
            {"name": "Ada Quill", "aside": "Blue Cap"}, {"name": "Cy Fern", "aside": "Red"},
        ]),
        ("Quill, Ada; Moss, Bea", [{"name": "Quill, Ada"}, {"name": "Moss, Bea"}]),
        ("Ada Quill (@adaquill); Bea Moss (@beamoss)", [ADA, BEA]),
        ("Ada Quill (@adaquill), Bea Moss (@beamoss); Cy", [ADA, BEA, {"name": "Cy"}]),
        ("Cy; Ada Quill @adaquill, Bea Moss (@beamoss)", [{"name": "Cy"}, ADA, BEA]),
        ("Ada Quill <https://example.org>, Cy, and Bea Moss (@beamoss);", [
            {"name": "Ada Quill", "url": "https://example.org"}, {"name": "Cy"}, BEA,
        ]),
        ("Ada Quill (@adaquill), and Bea Moss (@beamoss); Cy", [ADA, BEA, {"name": "Cy"}]),
        ("Ada, and Bea, Cy", [{"name": "Ada"}, {"name": "Bea"}, {"name": "Cy"}]),
        ("Quill, Ada (@adaquill), Moss, Bea (@beamoss); Cy", [
            {**ADA, "name": "Quill, Ada"}, {**BEA, "name": "Moss, Bea"}, {"name": "Cy"},
        ]),
        ("Ada Quill (@adaquill) and Bea Moss (@beamoss)", [ADA, BEA]),
        ("Ada Quill (@adaquill) & Bea Moss (@beamoss)", [ADA, BEA]),
        ("@adaquill and @beamoss", [{"handle": "adaquill"}, {"handle": "beamoss"}]),
        ("Ada Quill and Bea Moss", [{"name": "Ada Quill"}, {"name": "Bea Moss"}]),
        ("Ada, Bea and Cy", [{"name": "Ada"}, {"name": "Bea"}, {"name": "Cy"}]),
        ("Ada, Bea, and Cy", [{"name": "Ada"}, {"name": "Bea"}, {"name": "Cy"}]),
        ("Ada, Bea, & Cy", [{"name": "Ada"}, {"name": "Bea"}, {"name": "Cy"}]),
        ("Research and Development", [{"name": "Research and Development"}]),
        ("Research and Development Team", [{"name": "Research and Development Team", "team": True}]),
        ("Ada, Research and Development Team", [
            {"name": "Ada"}, {"name": "Research and Development Team", "team": True},
        ]),
        ("The Slate Release Team", [{"name": "The Slate Release Team", "team": True}]),
        ("the Slate team <https://example.org/t>", [
            {"name": "the Slate team", "url": "https://example.org/t", "team": True},
        ]),
        ("Sandy O'Neil (@so)", [{"name": "Sandy O'Neil", "handle": "so"}]),
        ("Luka Ćević (@lc), 山田 花子 (@yh)", [
            {"name": "Luka Ćević", "handle": "lc"}, {"name": "山田 花子", "handle": "yh"},
        ]),
        ("Anderson (@x)", [{"name": "Anderson", "handle": "x"}]),
        ("", []),
        (" , ;", [{"name": ","}]),
        ("()", [{"name": "()"}]),
    ],
)  # fmt: skip
def test_variants(text: str, expected: list[Fields]) -> None:
    assert bare(parse(text)) == expected


def test_eight_authors() -> None:
    text = ", ".join(f"Person {letter} (@p{letter})" for letter in "abcdefgh")
    assert [byline.handle for byline in parse(text)] == [f"p{letter}" for letter in "abcdefgh"]


def test_places() -> None:
    text = "Ada Quill (@adaquill),  Bea Moss(@beamoss) and Cy"
    for byline, piece in zip(parse(text), ("Ada Quill (@adaquill)", "Bea Moss(@beamoss)", "Cy"), strict=True):
        span = byline.span
        assert text[span.column - 10 :][: span.length] == piece


def test_places_of_an_inexact_value() -> None:
    span = Span("a.md", 4, 10, 99)
    assert [byline.span for byline in parse_authors("Ada, Bea", span)] == [span, span]


@pytest.mark.parametrize(
    ("byline", "expected"),
    [
        (Byline("Ada Quill", "adaquill", Span("")), "Ada Quill (@adaquill)"),
        (Byline("", "adaquill", Span("")), "@adaquill"),
        (Byline("Ada Quill", "", Span("")), "Ada Quill"),
        (Byline("Ada Quill", "", Span(""), aside="Blue Cap"), "Ada Quill (Blue Cap)"),
        (Byline("Ada", "a", Span(""), url="https://example.org"), "Ada (@a) <https://example.org>"),
    ],
)
def test_format(byline: Byline, expected: str) -> None:
    assert byline.spelling == expected


WORDS = [
    "Ada",
    "Bea Moss",
    "team",
    "The",
    "é",
    "@ada",
    "(@ada)",
    "(Blue Cap)",
    "<https://example.org>",
    "[Cy](https://x.org)",
]
MARKS = [" ", ",", ";", " and ", " & ", "(", ")", "<", ">", "[", "]", "@", "\n", "\x85", "."]
PIECES = st.lists(st.sampled_from([*WORDS, *MARKS]), max_size=12).map("".join)


@pytest.mark.slow
@given(st.text(max_size=60) | PIECES)
@example("(@ada) (@bea)")
@example("@ada @bea")
@example("[@ada](https://x.org)")
@example("(a) (b)")
def test_canonical_form_is_stable(text: str) -> None:
    for byline in parse(text):
        again = parse_author(byline.spelling, byline.span)
        assert fields(again) == fields(byline)


@pytest.mark.slow
@given(st.text(max_size=60) | PIECES)
def test_no_letter_is_lost(text: str) -> None:
    kept = "".join(byline.spelling for byline in parse(text)).lower()
    letters = [letter for letter in text.lower().replace(" and ", "  ") if letter.isascii() and letter.isalnum()]
    remaining = iter(kept)
    if "(" not in text and "[" not in text and "<" not in text and "and" not in text:
        assert all(letter in remaining for letter in letters)


@pytest.mark.slow
@given(st.text(max_size=60) | PIECES)
def test_places_lie_inside(text: str) -> None:
    for byline in parse(text):
        piece = text[byline.span.column - 10 :][: byline.span.length]
        assert piece
        assert piece == piece.strip()


@pytest.mark.parametrize("piece", ["(", ")", "<", "[", "(a", "(()", "@", "a and ", ",", "()", "[a](", "<>"])
def test_long_values(piece: str) -> None:
    parse(piece * (16_000 // len(piece)))
