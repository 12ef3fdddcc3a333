"""Measures loudness and true peaks as ITU-R BS.1770-4 and EBU R 128 define them.

Integrated loudness is the energy of what ears are sensitive to (two filters, “K-weighting”), in blocks of 400 ms,
without blocks that are silent or much quieter than the rest. The true peak is the highest value between samples, found
by interpolation. All channels count alike, as those for left, right and center do in the standard.

What is measured of audio is a profile: energy and true peak of each hundredth of a second.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import mul

import msgspec

from devlog.features.episodes.speak.samples import Form, full_scale, numbers

LOWEST_RATE = 8000
"""Audio with fewer samples per second cannot be measured: one of the filters is above all that it can have."""

_STEPS = 100
"""Steps of a profile per second."""
_BLOCK, _HOP = 40, 10
"""The length of a block, and from the begin of one to that of the next, in steps: 400 and 100 ms."""
_SILENT = -70.0
"""Blocks with a lower loudness are silent."""
_QUIETER = -10.0
"""Blocks that are quieter than the mean of the others by so much are left out, in LU."""
_OFFSET = -0.691
"""The loudness of energy 1: with it, the loudness of a sine of 1 kHz is its level."""
_TAPS = 12
"""The samples from which a value between two of them is interpolated."""
_BETWEEN = (0.25, 0.5, 0.75)
"""Where such values are."""
_HIGH = 0.7
"""The true peak of a step is beside a crest with at least this share of its highest sample."""


class Profile(msgspec.Struct, frozen=True):
    """Audio as loudness and true peak see it. Full scale is 1.

    Attributes:
        energies: the mean square of the weighted samples of each step, summed over the channels.
        peaks: the true peak of each step.
    """

    energies: Sequence[float]
    peaks: Sequence[float]


def step_of(form: Form) -> int:
    """The samples of a channel in a step of a profile."""
    return round(form.rate / _STEPS)


def profile(chunks: Iterable[bytes], form: Form) -> Profile:
    """Measure audio.

    Args:
        chunks: its samples as in a WAV file. Each but the last one has whole steps. True peaks within six samples of
            their ends are missed.
        form: their form, with a rate of at least `LOWEST_RATE`.
    """
    energies, peaks = array("d"), array("d")
    filters = [_Weighting(form.rate) for _ in range(form.channels)]
    step, scale = step_of(form), 1.0 / full_scale(form.width)
    for chunk in chunks:
        samples = numbers(chunk, form.width)
        channels = [[value * scale for value in samples[one :: form.channels]] for one in range(form.channels)]
        weighted = [one.energies(own, step) for one, own in zip(filters, channels, strict=True)]
        energies.extend(map(sum, zip(*weighted, strict=True)))
        peaks.extend(map(max, zip(*(_true_peaks(own, step) for own in channels), strict=True)))
    return Profile(energies, peaks)


def integrated(energies: Sequence[float]) -> float:
    """The integrated loudness in LUFS: minus infinity for silence, and for audio that is shorter than a block."""
    sums = [0.0, *accumulate(energies)]
    starts = range(0, len(energies) - _BLOCK + 1, _HOP)
    blocks = [(sums[start + _BLOCK] - sums[start]) / _BLOCK for start in starts]
    heard = [energy for energy in blocks if energy > 10 ** ((_SILENT - _OFFSET) / 10)]
    if not heard:
        return -math.inf
    least = sum(heard) / len(heard) * 10 ** (_QUIETER / 10)
    loud = [energy for energy in heard if energy > least]
    return _OFFSET + 10 * math.log10(sum(loud) / len(loud))


class _Weighting:
    """The two filters of a channel: a shelf, for the effect of the head, and a high-pass.

    The standard has their coefficients for 48 kHz. Those for other rates follow from the same analog filters by the
    bilinear transform: frequency, gain and quality are those that give the standard's coefficients at 48 kHz.
    """

    def __init__(self, rate: int) -> None:
        self._shelf = _shelf(1681.974450955533, 3.999843853973347, 0.7071752369554196, rate)
        self._feedback = _feedback(38.13547087602444, 0.5003270373238773, rate)
        self._state = (0.0, 0.0, 0.0, 0.0)

    def energies(self, samples: Sequence[float], step: int) -> list[float]:
        """The mean square of the weighted samples of each step. The next call goes on after them."""
        b0, b1, b2, a1, a2 = self._shelf
        c1, c2 = self._feedback
        s1, s2, t1, t2 = self._state
        found = []
        for start in range(0, len(samples), step):
            some = samples[start : start + step]
            total = 0.0
            for value in some:
                shelved = b0 * value + s1
                s1 = b1 * value - a1 * shelved + s2
                s2 = b2 * value - a2 * shelved
                passed = shelved + t1
                t1 = t2 - 2.0 * shelved - c1 * passed
                t2 = shelved - c2 * passed
                total += passed * passed
            found.append(total / len(some))
        self._state = (s1, s2, t1, t2)
        return found


def _shelf(frequency: float, decibels: float, quality: float, rate: int) -> tuple[float, float, float, float, float]:
    high = 10 ** (decibels / 20)
    band = high**0.4996667741545416
    k = math.tan(math.pi * frequency / rate)
    whole, c1, c2 = _denominator(k, quality)
    return (
        (high + band * k / quality + k * k) / whole,
        2 * (k * k - high) / whole,
        (high - band * k / quality + k * k) / whole,
        c1,
        c2,
    )


def _feedback(frequency: float, quality: float, rate: int) -> tuple[float, float]:
    """The feedback of the high-pass. The standard gives it 1, -2 and 1 as coefficients of its input at any rate."""
    _, c1, c2 = _denominator(math.tan(math.pi * frequency / rate), quality)
    return c1, c2


def _denominator(k: float, quality: float) -> tuple[float, float, float]:
    whole = 1 + k / quality + k * k
    return whole, 2 * (k * k - 1) / whole, (1 - k / quality + k * k) / whole


def _interpolation(at: float) -> tuple[float, ...]:
    """The factors of the samples around a value between two of them: a sinc, windowed."""
    places = [tap - _TAPS // 2 + 1 - at for tap in range(_TAPS)]
    taps = [math.sin(math.pi * x) / (math.pi * x) * math.cos(math.pi * x / _TAPS) ** 2 for x in places]
    return tuple(tap / sum(taps) for tap in taps)


_FILTERS = tuple(map(_interpolation, _BETWEEN))


def _true_peaks(samples: Sequence[float], step: int) -> list[float]:
    """The true peak of each step."""
    found = []
    for start in range(0, len(samples), step):
        some = samples[start : start + step]
        peak = max(map(abs, some))
        least = peak * _HIGH
        high = [at for at, value in enumerate(some, start) if peak and not -least < value < least]
        crests = [at for at in high if abs(samples[at]) == max(map(abs, samples[max(0, at - 1) : at + 2]))]
        firsts = {at - _TAPS // 2 + one for at in crests for one in (0, 1)}
        windows = [samples[first : first + _TAPS] for first in firsts if 0 <= first <= len(samples) - _TAPS]
        between = (abs(sum(map(mul, taps, window))) for window in windows for taps in _FILTERS)
        found.append(max(peak, max(between, default=0.0)))
    return found
