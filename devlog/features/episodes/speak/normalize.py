"""Makes audio as loud as other episodes, without clipping.

What to do is decided on a profile of the audio, so its samples are only read twice, and never all in memory.
"""

from __future__ import annotations

import math
import wave
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from devlog.features.episodes.speak.loudness import LOWEST_RATE, Profile, integrated, profile, step_of
from devlog.features.episodes.speak.samples import Form, frames_of, numbers

CEILING = -1.0
"""The highest true peak in decibels of full scale. It leaves room for what lossy encoders add."""
MOST_GAIN = 40.0
"""The most that audio is amplified, in decibels: if it is quieter, it is noise."""

_ACCURATE = 0.01
"""The gain is found up to so many decibels."""
_ATTACK, _RELEASE = 0.5, 0.9
"""From one step to the next, the factor is at least halved before a peak, and after it raised by at most a tenth."""
_AT_ONCE = 1000
"""Steps whose samples are in memory at once: ten seconds."""


def normalized(source: Path, target: Path, lufs: float) -> bool:
    """Write audio with another loudness.

    Args:
        source: a WAV file.
        target: the file to write.
        lufs: the integrated loudness that it is to have.

    Returns:
        Whether it was written: not if the audio is silent, shorter than 0.4 s, or has fewer than `LOWEST_RATE` samples
        per second.
    """
    with wave.open(str(source), "rb") as sound:
        form = Form(sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
        if form.rate < LOWEST_RATE:
            return False
        factors = gains(profile(_chunks(sound, form), form), lufs)
        if not factors:
            return False
        sound.rewind()
        with wave.open(str(target), "wb") as written:
            written.setparams(sound.getparams())
            for number, chunk in enumerate(_chunks(sound, form)):
                written.writeframesraw(amplified(chunk, form, factors[number * _AT_ONCE : (number + 1) * _AT_ONCE + 1]))
    return True


def _chunks(sound: wave.Wave_read, form: Form) -> Iterator[bytes]:
    return iter(lambda: sound.readframes(step_of(form) * _AT_ONCE), b"")


def gains(measured: Profile, lufs: float) -> list[float]:
    """The factors that give audio a loudness.

    Where the true peak would be higher than `CEILING`, they are lower around it, and all of them higher to make up for
    that.

    Args:
        measured: the audio.
        lufs: the integrated loudness.

    Returns:
        The factor at the beginning of each step, and that at the end of the last one. Between them it changes
        linearly. Empty if nothing can be heard.
    """
    before = integrated(measured.energies)
    if math.isinf(before):
        return []

    def loudness(gain: float) -> float:
        means = ((begin + end) / 2 for begin, end in pairwise(_limited(measured.peaks, gain)))
        return integrated([energy * mean * mean for energy, mean in zip(measured.energies, means, strict=True)])

    low = high = min(lufs - before, MOST_GAIN)
    while high < MOST_GAIN and loudness(high) < lufs - _ACCURATE:
        low, high = high, min(high + 3, MOST_GAIN)
    while high - low > _ACCURATE:
        middle = (low + high) / 2
        low, high = (middle, high) if loudness(middle) < lufs else (low, middle)
    return _limited(measured.peaks, high)


def _limited(peaks: Sequence[float], gain: float) -> list[float]:
    """The factors for a gain in decibels: lower where peaks would be too high, and before and after that."""
    factor, ceiling = 10 ** (gain / 20), 10 ** (CEILING / 20)
    allowed = [min(factor, ceiling / peak) if peak else factor for peak in peaks]
    edges = [min(pair) for pair in pairwise([factor, *allowed, factor])]
    released = accumulate(edges, lambda before, own: min(own, before / _RELEASE))
    attacked = accumulate(reversed([*released]), lambda after, own: min(own, after / _ATTACK))
    return [*attacked][::-1]


def amplified(chunk: bytes, form: Form, factors: Sequence[float]) -> bytes:
    """Samples multiplied by factors.

    Args:
        chunk: the samples, as in a WAV file.
        form: their form.
        factors: that at the beginning of each of their steps, and that at the end of the last one.
    """
    samples = numbers(chunk, form.width)
    size = step_of(form) * form.channels
    louder: list[int] = []
    for number, (begin, end) in enumerate(pairwise(factors)):
        some = samples[number * size : (number + 1) * size]
        slope = (end - begin) / size
        if slope:
            louder += [round(value * (begin + slope * place)) for place, value in enumerate(some)]
        else:
            louder += map(round, map(begin.__mul__, some))
    return frames_of(louder, form.width)
