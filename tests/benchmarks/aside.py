"""What builds before have left is put aside, and removed only when all is measured.

ext4 does not give out at once what has just been freed: after a site was removed, each new file searches the longer,
the more files both have, which was up to a tenth of a clean build.
"""

from __future__ import annotations

import atexit
import shutil
from itertools import count
from os import getpid
from pathlib import Path

from .cache import CACHE

_ASIDE = CACHE / "aside" / str(getpid())
_NUMBERS = count()


def put_aside(path: Path) -> None:
    """Take a file or a folder away, if it is there."""
    if path.exists():
        _ASIDE.mkdir(parents=True, exist_ok=True)
        path.rename(_ASIDE / str(next(_NUMBERS)))


atexit.register(shutil.rmtree, _ASIDE, ignore_errors=True)
