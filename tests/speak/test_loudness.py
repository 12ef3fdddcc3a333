"""Loudness is what the standard says; audio is as loud as wanted afterwards, and no peak is higher than allowed."""

from __future__ import annotations

import math
import wave
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.episodes.speak.loudness import Profile, integrated, profile, step_of
from devlog.features.episodes.speak.normalize import CEILING, MOST_GAIN, amplified, gains, normalized
from devlog.features.episodes.speak.samples import Form, frames_of, full_scale, numbers

RATE = 8000
HIGHEST = 10 ** (CEILING / 20)


def sine(level: float, form: Form, seconds: float = 2.0, frequency: float = 997.0, shift: float = 0.0) -> bytes:
    """A sine with its peak at a level in decibels of full scale, on all channels."""
    high = 10 ** (level / 20) * (full_scale(form.width) - 1)
    turn = 2 * math.pi * frequency / form.rate
    values = [round(high * math.sin(turn * place + shift)) for place in range(round(seconds * form.rate))]
    return frames_of([value for value in values for _ in range(form.channels)], form.width)


def measured(frames: bytes, form: Form) -> tuple[float, float]:
    """The loudness in LUFS, and the true peak in decibels."""
    found = profile([frames], form)
    return integrated(found.energies), 20 * math.log10(max(found.peaks))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "loudness"),
    [
        (Form(1, 2, 48_000), -23.01),  # the standard's own example: -3.01 LUFS for full scale in one channel
        (Form(2, 2, 48_000), -20.0),
        (Form(1, 3, 44_100), -23.01),
        (Form(2, 4, 22_050), -20.0),
        (Form(1, 2, 16_000), -23.01),
    ],
)
def test_a_sine_is_as_loud_as_the_standard_says(form: Form, loudness: float) -> None:
    assert measured(sine(-20, form, 1.0), form) == pytest.approx((loudness, -20), abs=0.1)


def test_a_peak_between_samples_is_found() -> None:
    """At a quarter of the rate, and shifted by an eighth of a turn, no sample is higher than 3 dB below the peak."""
    form = Form(1, 2, RATE)
    frames = sine(-3, form, 0.5, RATE / 4, math.pi / 4)
    assert 20 * math.log10(max(numbers(frames, 2)) / full_scale(2)) == pytest.approx(-6.01, abs=0.01)
    assert measured(frames, form)[1] == pytest.approx(-3, abs=0.1)


def test_silent_and_quiet_blocks_do_not_count() -> None:
    loud = [0.01] * 4000
    only = integrated(loud)
    assert integrated([*loud, *[1e-9] * 4000]) == pytest.approx(only, abs=0.03)  # a block in between is half as loud
    assert integrated([*loud, *[0.0005] * 4000]) == pytest.approx(only, abs=0.03)
    assert integrated([*loud, *[0.005] * 4000]) == pytest.approx(only - 1.25, abs=0.03)
    assert math.isinf(integrated([1e-9] * 400))
    assert math.isinf(integrated([0.5] * 39))


@pytest.mark.slow
@pytest.mark.parametrize("form", [Form(1, 2, RATE), Form(2, 3, RATE), Form(1, 4, RATE), Form(2, 1, RATE)])
def test_audio_is_as_loud_as_wanted(tmp_path: Path, form: Form) -> None:
    frames = b"".join(sine(level, form, 6.0, frequency) for level, frequency in ((-30, 300), (-34, 997)))
    source, target = tmp_path / "a.wav", tmp_path / "b.wav"
    with wave.open(str(source), "wb") as written:
        written.setparams((form.channels, form.width, form.rate, 0, "NONE", ""))
        written.writeframes(frames)
    assert normalized(source, target, -16.0)
    with wave.open(str(target), "rb") as read:
        assert read.getparams()[:3] == form
        louder = read.readframes(read.getnframes())
    assert len(louder) == len(frames)
    loudness, peak = measured(louder, form)
    assert loudness == pytest.approx(-16, abs=0.5 if form.width == 1 else 0.05)
    assert peak < CEILING + 0.1


def test_what_cannot_be_measured_stays(tmp_path: Path) -> None:
    for form, frames in (
        (Form(1, 2, 4000), sine(-20, Form(1, 2, 4000))),
        (Form(1, 2, RATE), bytes(4 * RATE)),
        (Form(1, 2, RATE), sine(-20, Form(1, 2, RATE), 0.3)),
    ):
        with wave.open(str(tmp_path / "a.wav"), "wb") as written:
            written.setparams((*form, 0, "NONE", ""))
            written.writeframes(frames)
        assert not normalized(tmp_path / "a.wav", tmp_path / "b.wav", -16.0)
        assert not (tmp_path / "b.wav").exists()


def test_a_peak_is_turned_down_and_the_rest_made_up_for() -> None:
    """A click in quiet speech: it decides neither how loud the rest is, nor clips."""
    energies, peaks = [1e-4] * 1000, [0.05] * 1000
    energies[500], peaks[500] = 0.01, 0.9
    factors = gains(Profile(energies, peaks), -16.0)
    assert len(factors) == 1001
    assert factors[0] == factors[-1] > 1 / 0.9
    assert max(factors[500] * 0.9, factors[501] * 0.9) <= HIGHEST + 1e-9
    assert sum(factor < factors[0] for factor in factors) < 100
    assert all(after <= before / 0.9 + 1e-9 for before, after in pairwise(factors))
    assert all(before <= after / 0.5 + 1e-9 for before, after in pairwise(factors))


STEPS = st.lists(st.tuples(st.floats(0, 0.2), st.floats(0.001, 1.5)), min_size=1, max_size=120)


@pytest.mark.slow
@given(steps=STEPS, lufs=st.floats(-30, -10))
def test_no_peak_is_higher_than_allowed(steps: list[tuple[float, float]], lufs: float) -> None:
    energies, peaks = zip(*steps, strict=True)
    factors = gains(Profile(energies, peaks), lufs)
    if not factors:
        assert math.isinf(integrated(energies))
        return
    assert len(factors) == len(steps) + 1
    for number, peak in enumerate(peaks):
        assert max(factors[number], factors[number + 1]) * peak <= HIGHEST * (1 + 1e-9)
    assert 0 < max(factors) <= 10 ** (MOST_GAIN / 20) * (1 + 1e-9)


@pytest.mark.slow
@given(
    st.sampled_from([1, 2, 3, 4]),
    st.integers(1, 2),
    st.lists(st.integers(-100, 100), min_size=2, max_size=400),
)
def test_factor_one_changes_no_sample(width: int, channels: int, values: list[int]) -> None:
    form = Form(channels, width, RATE)
    scale = 1 if width == 1 else int(full_scale(width)) >> 8
    frames = frames_of([value * scale for value in values[: len(values) // channels * channels]], width)
    steps = -(-len(values) // (step_of(form) * channels))
    assert amplified(frames, form, [1.0] * (steps + 1)) == frames
    assert frames_of(numbers(frames, width), width) == frames
