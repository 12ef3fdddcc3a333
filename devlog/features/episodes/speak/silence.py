"""Removes the silence around spoken passages, so that pauses are as long as the text wants them, not the program."""

from __future__ import annotations

from devlog.features.episodes.speak.samples import full_scale, numbers

QUIET = 32
"""The highest value of a 16-bit sample that counts as silence: 60 dB below full scale."""
KEPT = 0.05
"""The silence in seconds that stays on both sides: the first and the last consonants are quiet."""
_BLOCK = 0.01


def trimmed(frames: bytes, channels: int, width: int, rate: int) -> bytes:
    """Samples without the silence before and after them.

    Args:
        frames: the samples of a WAV file.
        channels: the number of channels.
        width: the bytes of a sample.
        rate: the samples per second.

    Returns:
        The samples with at most `KEPT` seconds of silence on both sides; all of them if nothing is audible.
    """
    size = channels * width
    count = len(frames) // size
    block = max(1, round(rate * _BLOCK))
    starts = range(0, count, block)
    first = next((start for start in starts if _is_heard(frames[start * size : (start + block) * size], width)), None)
    if first is None:
        return frames
    last = next(start for start in reversed(starts) if _is_heard(frames[start * size : (start + block) * size], width))
    kept = round(rate * KEPT)
    return frames[max(0, first - kept) * size : min(count, last + block + kept) * size]


def _is_heard(block: bytes, width: int) -> bool:
    """Whether any sample is louder than silence."""
    values, quiet = numbers(block, width), QUIET / full_scale(2) * full_scale(width)
    return max(values) > quiet or min(values) < -quiet
