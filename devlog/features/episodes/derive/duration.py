"""Measures the duration of audio files, of which it reads only a part."""

from __future__ import annotations

import io
import math
import re
from typing import Any, BinaryIO

from devlog.model.derived import Made

MOST = 2**30
"""The maximum number of bytes to read. Most formats have the duration at the start or end, Ogg on each of its pages."""

MOST_AT_ONCE = 2**24
"""The maximum number of bytes to read at once, whatever size a file claims for its parts."""

MOST_READS = 2_000_000
"""The maximum number of reads from a file."""

_LONGEST = 7 * 24 * 3600


class _TooMuchError(Exception):
    """The parser has read more of a file than an audio file needs."""


class _UnreadError(Exception):
    """The system reported an error while the file was read."""


class _Bounded(io.RawIOBase):
    """A file from which only a limited amount can be read."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._left = MOST
        self._reads = MOST_READS

    def read(self, size: int = -1) -> bytes:
        self._reads -= 1
        if self._left <= 0 or self._reads <= 0:
            raise _TooMuchError
        most = min(self._left, MOST_AT_ONCE)
        try:
            data = self._file.read(most if size is None or size < 0 else min(size, most))
        except OSError as error:
            raise _UnreadError from error
        self._left -= len(data)
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


_ADTS = re.compile(rb"\xff[\xf0\xf1\xf8\xf9]")
"""The beginning of AAC without a container (ISO/IEC 14496-3, 1.A.3.2). It has no duration; tinytag reads it as MP3."""


def measure(file: BinaryIO) -> Made:
    """Measure the duration of an audio file in seconds.

    Args:
        file: a file with any content; the caller closes it.

    Returns:
        The fact ``seconds``, or the problem that prevented it.
    """
    import tinytag  # optional, and only needed for audio files

    bounded = _Bounded(file)
    try:
        is_raw_aac = _ADTS.match(bounded.read(2))
        bounded.seek(0)
        tag: Any = tinytag.TinyTag.get(file_obj=bounded, tags=False)  # type: ignore[arg-type]
        seconds = None if is_raw_aac else tag.duration
    except tinytag.UnsupportedFormatError:
        return Made(problem="it is not an audio file that devlog can read")
    except (_UnreadError, MemoryError):
        return Made(problem="it cannot be read", retry=True)
    except _TooMuchError:
        return Made(problem="it is not a valid audio file")
    except Exception as error:  # malformed files can raise any type in the parser
        return Made(problem="it is not a valid audio file" if error.args else "it cannot be read")
    if not isinstance(seconds, int | float) or not math.isfinite(seconds) or not 0 < seconds <= _LONGEST:
        return Made(problem="it does not say so")
    return Made({"seconds": round(float(seconds), 3)})
