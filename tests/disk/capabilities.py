"""Do without what lets root look into every folder, for tests of folders that are closed."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# From linux/capability.h and linux/prctl.h.
_VERSION_3 = 0x20080522
_CAP_DAC_OVERRIDE = 1 << 1
_CAP_DAC_READ_SEARCH = 1 << 2
_PR_SET_SECUREBITS = 28
_SECBIT_NOROOT = 1
_SECBIT_NO_SETUID_FIXUP = 1 << 2


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Set(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


@contextmanager
def as_mere_owner() -> Iterator[None]:
    """Let modes of files hold for root, too, in this thread and in the programs that it starts.

    Becoming another user would do the same, but that user may not be let near the code under test.
    """
    if os.geteuid():
        yield
        return
    if sys.platform != "linux":
        pytest.skip("modes of files hold for everybody but root")
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = _Header(_VERSION_3, 0), (_Set * 2)()

    def ask(result: int) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    ask(libc.capget(ctypes.byref(header), sets))
    before = sets[0].effective
    # Else a program that root starts gets everything back, and so does a question what root may do (`os.access`).
    ask(libc.prctl(_PR_SET_SECUREBITS, _SECBIT_NOROOT | _SECBIT_NO_SETUID_FIXUP, 0, 0, 0))
    sets[0].effective = before & ~(_CAP_DAC_OVERRIDE | _CAP_DAC_READ_SEARCH)
    ask(libc.capset(ctypes.byref(header), sets))
    try:
        yield
    finally:
        sets[0].effective = before
        ask(libc.capset(ctypes.byref(header), sets))
        ask(libc.prctl(_PR_SET_SECUREBITS, 0, 0, 0, 0))
