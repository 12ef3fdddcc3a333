"""Silence around spoken passages goes, whatever the sample format; what is audible stays to the last sample."""

from __future__ import annotations

import pytest
from steps import steps

from devlog.features.episodes.speak.silence import KEPT, QUIET, trimmed

RATE = 1000
EDGE = round(RATE * KEPT)


def sample(value: int, channels: int, width: int) -> bytes:
    """A frame with a value of a 16-bit sample, in another width."""
    if width == 1:
        return bytes([0x80 + (value >> 8)]) * channels
    return (value << 8 * (width - 2)).to_bytes(width, "little", signed=True) * channels


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("loud", [0x1000, -0x1000])
def test_silence_goes_but_for_the_edges(channels: int, width: int, loud: int) -> None:
    quiet, heard = sample(0, channels, width), sample(loud, channels, width) * 100
    found = trimmed(quiet * 700 + heard + quiet * 300 + heard + quiet * 1500, channels, width, RATE)
    inside = heard + quiet * 300 + heard
    assert inside in found
    edges = len(found) // (channels * width) - len(inside) // (channels * width)
    assert 2 * EDGE <= edges <= 2 * EDGE + 2 * RATE // 100


@pytest.mark.parametrize("width", [2, 3, 4])
def test_noise_that_nobody_hears_is_silence(width: int) -> None:
    noise = (sample(QUIET, 1, width) + sample(-QUIET, 1, width)) * 400
    heard = sample(QUIET + 1, 1, width) * 10
    assert len(trimmed(noise + heard + noise, 1, width, RATE)) // width <= 10 + 2 * EDGE + 20


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_nothing_but_silence_stays(count: int) -> None:
    assert trimmed(bytes(2 * count), 1, 2, RATE) == bytes(2 * count)


@pytest.mark.parametrize("count", [1, 7, 60, 999])
def test_what_is_heard_from_end_to_end_stays(count: int) -> None:
    frames = sample(0x1000, 2, 2) * count
    assert trimmed(frames, 2, 2, RATE) == frames


def test_only_the_silence_is_looked_at() -> None:
    loud = sample(0x1000, 1, 2)
    short, long = loud * 1000, loud * 1_000_000
    assert steps(lambda: trimmed(long, 1, 2, RATE)) <= steps(lambda: trimmed(short, 1, 2, RATE)) + 10
