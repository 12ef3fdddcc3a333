"""Hues of names, and accents as settings say them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.color import NAMED_HUES, accent, hue


def total(words: str) -> int:
    return sum(int(word) for word in words.split() if word.isdigit())


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("green", "100 60"),
        ("Violet", "300"),
        (0, "0"),
        (5, "5"),
        (235, "200 30 5"),
        ("235", "200 30 5"),
        (236.9, "200 30 5"),
        (359, "0"),
        (-90, "200 70"),
        (720, "0"),
        ("#ff0000", "30"),
        ("#888888", "grey"),
        ("#fff", "grey"),
        ("#334155", "200 50 5 muted"),
        ("chartreuse", ""),
        ("#12345", ""),
        ("", ""),
        (True, ""),
        (float("inf"), ""),
        ("nan", ""),
    ],
)
def test_an_accent_in_words(setting: str | float, words: str) -> None:
    assert accent(setting) == words


@pytest.mark.parametrize(("short", "long"), [("#f00", "#ff0000"), ("#0a5", "#00aa55"), ("#ABC", "#aabbcc")])
def test_three_digits_stand_for_six(short: str, long: str) -> None:
    assert accent(short) == accent(long) != ""


@pytest.mark.parametrize(
    ("color", "degrees"),
    [
        ("#ff0000", 29.2),
        ("#00ff00", 142.5),
        ("#0000ff", 264.1),
        ("#ffff00", 109.8),
        ("#00ffff", 194.8),
        ("#ff00ff", 328.4),
    ],
)
def test_hues_are_those_of_oklch(color: str, degrees: float) -> None:
    """The corners of sRGB, whose hues the definition of OKLCH gives."""
    assert abs(total(accent(color)) - degrees) <= 2.5


@given(st.floats(-1e6, 1e6))
def test_every_number_becomes_the_nearest_five_degrees(degrees: float) -> None:
    words = accent(degrees)
    difference = abs(total(words) - degrees % 360) % 360
    assert min(difference, 360 - difference) <= 2.5 + 1e-6
    assert len(set(words.split())) == len(words.split())


@pytest.mark.slow
@given(st.text())
def test_any_text_gives_only_known_words(setting: str) -> None:
    known = {"muted", "grey", *(str(number) for number in (*range(0, 10, 5), *range(10, 100, 10), 100, 200, 300))}
    assert set(accent(setting).split()) <= known


def test_named_accents_are_told_apart() -> None:
    assert len({accent(name) for name in NAMED_HUES}) == len(NAMED_HUES)


def test_a_name_has_one_hue() -> None:
    assert hue("storage") == hue("storage")
    assert 0 <= hue("") < 360
    assert len({hue(f"topic-{number}") // 30 for number in range(200)}) == 12
