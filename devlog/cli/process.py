"""What the command takes for granted of its process, whoever started it: three streams, and names in UTF-8."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path

import click

from devlog.disk.folder import describe


def prepare() -> None:
    """Give the process what it lacks. Where the locale has another encoding, the command begins once more, in UTF-8."""
    _open_streams()
    # Python takes the encoding of the locale for that of file names, which on disk are what another locale wrote.
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - the same command


def _open_streams() -> None:
    """Open the streams that whoever started the process has closed.

    Else the next file that is opened gets the number of one, and what is printed goes into that file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends


class Stopped(KeyboardInterrupt):
    """The process was asked to end.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def stop_in_order() -> None:
    """Take SIGTERM and SIGHUP as Ctrl-C is taken, so that nothing is left among the temporary files."""

    def stop(number: int, _frame: object) -> None:
        raise Stopped(number)

    for name in ("SIGTERM", "SIGHUP"):  # Windows has but one of them
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) == signal.SIG_DFL:  # nohup has a hangup ignored
            signal.signal(number, stop)


def check_folder() -> None:
    """Refuse a folder that is gone: whatever a command is given is looked for from there, and workers begin there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise click.UsageError("the folder that this shell is in has been removed") from None


def check_arguments() -> None:
    """Refuse arguments whose bytes are no text, where that has led to an error. As names of files they may be good."""
    for argument in sys.argv[1:]:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise click.UsageError(f"“{argument.encode(errors='backslashreplace').decode()}” is not UTF-8")


def end(code: int) -> None:
    """End the process at once, if what was printed has gone out."""
    with suppress(OSError, ValueError):  # nobody reads any more: then Python knows how to end
        sys.stdout.flush()
        sys.stderr.flush()
        if loaded := sys.modules.get("devlog.engine.processes"):  # most commands start no processes
            loaded.clear()
        os._exit(code)


def end_unheard(error: OSError) -> None:
    """End the process if an error came of printing: a disk is full, for instance. Any other error is none of this."""
    if any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__)):
        with suppress(OSError):
            os.write(2, f"devlog: the output cannot be written: {describe(error)}\n".encode())
        os._exit(1)
