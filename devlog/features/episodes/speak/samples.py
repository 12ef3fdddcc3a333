"""Samples of audio as WAV files have them, and as numbers."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import NamedTuple


class Form(NamedTuple):
    """The form of samples: the number of channels, bytes per sample, and samples of a channel per second."""

    channels: int
    width: int
    rate: int


def numbers(frames: bytes, width: int) -> Sequence[int]:
    """The samples of all channels in turn; full scale is 32,768 for a width of two bytes, and 2³¹ for three or four.

    Args:
        frames: the samples of a WAV file.
        width: the bytes of a sample: 1 to 4.
    """
    if width == 1:  # unsigned, with 128 in the middle
        return [value - 128 for value in frames]
    if width == 3:
        wide = bytearray(len(frames) // 3 * 4)
        wide[1::4], wide[2::4], wide[3::4] = frames[0::3], frames[1::3], frames[2::3]
        frames = bytes(wide)
    return _native(array("h" if width == 2 else "i", frames))


def frames_of(values: Sequence[int], width: int) -> bytes:
    """The samples of a WAV file: the inverse of `numbers`."""
    if width == 1:
        return bytes(value + 128 for value in values)
    data = _native(array("h" if width == 2 else "i", values)).tobytes()
    if width == 3:
        narrow = bytearray(len(data) // 4 * 3)
        narrow[0::3], narrow[1::3], narrow[2::3] = data[1::4], data[2::4], data[3::4]
        return bytes(narrow)
    return data


def full_scale(width: int) -> float:
    """The number that stands for full scale."""
    return {1: 2.0**7, 2: 2.0**15}.get(width, 2.0**31)


def _native(samples: array[int]) -> array[int]:
    """Samples in the byte order of this machine, or from it to that of WAV files."""
    if sys.byteorder == "big":  # WAV is little-endian
        samples.byteswap()
    return samples
