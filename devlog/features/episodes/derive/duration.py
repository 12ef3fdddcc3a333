"""How long sounds take: measured from their files, a part of which is read."""

from __future__ import annotations

import io
import math
from typing import Any, BinaryIO

from devlog.model.derived import Made

MOST = 2**30
"""So many bytes of a file are read at most: most kinds tell at their beginning or end, Ogg on each of its pages."""

MOST_AT_ONCE = 2**24
"""So many bytes are read at once at most, whatever a file claims to hold."""

MOST_READS = 2_000_000
"""So often is a file read from at most."""

_LONGEST = 7 * 24 * 3600


class _TooMuchError(Exception):
    """A file that has more read of it than a sound would."""


class _Bounded(io.RawIOBase):
    """A file that gives only so much."""

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
        data = self._file.read(most if size is None or size < 0 else min(size, most))
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


def measure(file: BinaryIO) -> Made:
    """How many seconds a sound takes.

    Args:
        file: of any content at all; whoever opened it closes it.

    Returns:
        The fact ``seconds``, or why that cannot be told.
    """
    import tinytag  # an extra, and only where there are sounds

    try:
        tag: Any = tinytag.TinyTag.get(file_obj=_Bounded(file), tags=False)  # type: ignore[arg-type]
        seconds = tag.duration
    except tinytag.UnsupportedFormatError:
        return Made(problem="it is not an audio file that devlog can read")
    except _TooMuchError:
        return Made(problem="it is not a valid audio file")
    except Exception as error:  # whatever a file can bring a parser to
        return Made(problem="it is not a valid audio file" if error.args else "it cannot be read")
    if not isinstance(seconds, int | float) or not math.isfinite(seconds) or not 0 < seconds <= _LONGEST:
        return Made(problem="it does not say so")
    return Made({"seconds": round(float(seconds), 3)})
