"""Measures text for merman, which lays diagrams out without a browser.

Its own measure takes all letters for equally wide, so that labels would not fit into their boxes. This one uses the
font inside of Pillow, which is about as wide as Arial and Helvetica, and the same on every machine.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

_SIZE = 16
_BOLD = 1.06
"""How much wider bold letters are."""
_WEIGHTS = frozenset({"bold", "bolder", "600", "700", "800", "900"})


def text_measurer(merman: Any) -> Any:
    """An object that answers the questions of a module, merman, about the size of text."""
    kinds = merman.MermanTextMeasurementResultKind
    nothing: dict[str, Any] = {"width": 0.0, "height": 0.0, "length": 0.0, "line_count": 1}
    nothing |= {"bbox_left": None, "bbox_right": None, "raw_width": None}

    class Measurer(merman.MermanTextMeasurer):  # type: ignore[misc]
        def measure(self, request: Any) -> Any:
            """The size of a text; `None` where merman's own answer does, such as for its height."""
            operation = request.operation.name
            size: float = request.font_size * (_BOLD if (request.font_weight or "") in _WEIGHTS else 1)

            def width(text: str) -> float:
                return _width(text) * size

            if operation in _LENGTHS:
                length = max(map(width, request.text.split("\n")))
                return merman.MermanTextMeasureResult(**nothing | {"result_kind": kinds.LENGTH, "length": length})
            if operation not in _BLOCKS:
                return None
            lines = tuple(_wrapped(request.text, request.max_width, width)) if request.text else ()
            values = {"width": max(map(width, lines), default=0.0), "height": request.line_height * len(lines)}
            kind, raw = kinds.METRICS, None
            if operation == "WRAPPED_WITH_RAW_WIDTH":
                kind, raw = kinds.WRAPPED_WITH_RAW_WIDTH, max(map(width, request.text.split("\n")))
            known = {"result_kind": kind, "line_count": len(lines), "raw_width": raw}
            return merman.MermanTextMeasureResult(**nothing | values | known)

    return Measurer()


_LENGTHS = frozenset(
    "COMPUTED_LENGTH SIMPLE_B_BOX_WIDTH RAW_B_BOX_WIDTH TSPAN_B_BOX_WIDTH WRAP_PROBE_B_BOX_WIDTH "
    "BOUNDING_CLIENT_RECT_WIDTH CANVAS_MEASURE_TEXT_WIDTH".split()
)
_BLOCKS = frozenset({"WRAPPED", "WRAPPED_WITH_RAW_WIDTH", "MEASURE", "MERMAID_CALCULATE_TEXT_DIMENSIONS"})


def _wrapped(text: str, limit: float | None, width: Callable[[str], float]) -> Iterator[str]:
    """The lines of a text, broken between words where they would be wider than a limit."""
    for line in text.split("\n"):
        words = line.split(" ")
        current, used, space = words[0], width(words[0]), width(" ")
        for word in words[1:]:
            more = width(word)
            if limit and used + space + more > limit:
                yield current
                current, used = word, more
            else:
                current, used = f"{current} {word}", used + space + more
        yield current


def _width(text: str) -> float:
    """The width of a line, in units of the font size."""
    return sum(map(_advance, text))


@cache
def _advance(char: str) -> float:
    if ord(char) >= 0x250:  # letters that the font lacks
        return 1.0 if unicodedata.east_asian_width(char) in "WF" else 0.0 if unicodedata.combining(char) else 0.6
    return float(_font().getlength(char)) / _SIZE


@cache
def _font() -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(_SIZE)
