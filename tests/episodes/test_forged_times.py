"""Times in records that are no numbers to write: such records are misses."""

from __future__ import annotations

import math

import msgspec
import pytest

from devlog.features.episodes.model.episode import Audio, Chapter, Cue
from devlog.model.record import decoded


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_time_is_infinite(number: float) -> None:
    for value in (Cue(0.0, number, "", ""), Cue(number, 1.0, "", ""), Chapter(number, ""), Audio(duration=number)):
        assert decoded(msgspec.msgpack.encode(value), type(value)) is None
    whole = Chapter(0.5, "Start", end=2.5)
    assert decoded(msgspec.msgpack.encode(whole), Chapter) == whole
