"""Sets up and ends the process: three open streams, file names in UTF-8, signals, and a fast exit."""

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
    """Open missing streams. If the encoding of the locale is not UTF-8, start the command again in UTF-8 mode."""
    open_streams()
    # Python decodes file names with the encoding of the locale, but those on disk may have been written in another one.
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - the same command


def open_streams() -> None:
    """Open the standard streams that were closed when the process was started.

    Otherwise the next opened file would get the number of such a stream, and printed text would go into that file. The
    same is true for worker processes, and for other programs, which inherit the streams.
    """
    for number in range(3):  # all of them first, so that no stream below gets the number of another
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest free number
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - until the process ends
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


class Stopped(KeyboardInterrupt):
    """The process was asked to end by a signal.

    Args:
        number: the number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def stop_in_order() -> None:
    """Raise an exception at Ctrl-C, SIGTERM and SIGHUP, so that no temporary files are left behind."""

    def stop(number: int, _frame: object) -> None:
        raise Stopped(number)

    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # as `devlog.start` left it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):  # Windows only has the first
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) == signal.SIG_DFL:  # under nohup, SIGHUP is ignored
            signal.signal(number, stop)


def check_folder() -> None:
    """Reject a current folder that was removed: paths in arguments are relative to it, and workers start in it."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise click.UsageError("the folder that this shell is in has been removed") from None


def check_arguments() -> None:
    """Reject arguments that are not UTF-8. Call it only after an error, because such file names may be valid."""
    for argument in sys.argv[1:]:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise click.UsageError(f"“{argument.encode(errors='backslashreplace').decode()}” is not UTF-8")


def end(code: int) -> None:
    """End the process at once, if its output can be flushed."""
    with suppress(OSError, ValueError):  # the reader of the output has closed it: let Python handle that
        sys.stdout.flush()
        sys.stderr.flush()
        if loaded := sys.modules.get("devlog.engine.processes"):  # loaded only if processes were started
            loaded.clear()
        os._exit(code)


def end_unheard(error: OSError) -> None:
    """End the process if printing has raised an error, for example because the disk is full. Ignore other errors."""
    if any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__)):
        with suppress(OSError):
            os.write(2, f"devlog: the output cannot be written: {describe(error)}\n".encode())
        os._exit(1)
