"""What a terminal shows at the end of a recording."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlog.parse.code.recording import MOST_LINES, text_of


def shown(*outputs: str, width: int = 40, height: int = 6) -> str | None:
    head = json.dumps({"version": 2, "width": width, "height": height})
    return text_of("\n".join([head, *(json.dumps([0.1, "o", output]) for output in outputs)]))


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("one\r\ntwo\r\n", "one\ntwo"),
        ("one\ntwo", "one\ntwo"),
        ("10 %\r20 %\r\x1b[Kdone", "done"),
        ("abc\b\bX", "aXc"),
        ("a\tb", "a       b"),
        ("x" * 21, "x" * 20 + "\nx"),
        ("\x1b[3Cright", "   right"),
        ("one\r\ntwo\x1b[A\rUNO", "UNO\ntwo"),
        ("one\r\ntwo\x1b[1;2Hx", "oxe\ntwo"),
        ("one\r\ntwo\x1b[2J\x1b[Hnew", "new"),
        ("one\r\ntwo\x1b[A\x1b[J", "one"),
        ("abcd\x1b[3D\x1b[2P", "ad"),
        ("abcd\x1b[2D\x1b[1K|", "  |d"),
        ("a\x1b[?1049heditor\x1b[?1049lb", "ab"),
        ("\x1b]0;title\x07a\x1b]8;;https://lumen.example\x1b\\b\x1b(B", "ab"),
        ("\x1b[31mred\x1b[0m \x1b[1;32mgreen", "␛[0m␛[31mred␛[0m ␛[0m␛[1;32mgreen␛[0m"),
        ("\x1b[31mred\x1b[m", "␛[0m␛[31mred␛[0m"),
        ("", ""),
    ],
)
def test_what_is_shown_at_the_end(output: str, text: str) -> None:
    assert shown(output, width=20) == text


def test_lines_that_have_left_the_screen_stay() -> None:
    lines = [f"{number}\r\n" for number in range(20)]
    assert shown(*lines, "\x1b[1;1Hfirst of the screen") == "\n".join(
        [*map(str, range(15)), "first of the screen", *map(str, range(16, 20))]
    )


def test_there_is_a_limit() -> None:
    text = shown("\n".join(map(str, range(MOST_LINES * 2))))
    assert text is not None
    assert text.count("\n") == MOST_LINES - 1


@pytest.mark.parametrize("text", ["", "{}", "[]", "1", '{"version": 2}', '{"version": 2, "width": "x", "height": 1}\n'])
def test_what_is_no_recording(text: str) -> None:
    assert text_of(text) is None


PIECES = st.sampled_from([*"\x1b[]mHJKPABCDGhl?;0123456789\r\n\b\t\x07aé", "\x1b[", "\x1b[2J", "\x1b[?1049"])


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_nothing_makes_it_fail(output: str) -> None:
    text = shown(output)
    assert text is not None
    assert "\x1b" not in text
