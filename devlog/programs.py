"""Running a program that the configuration names: without a shell, in a folder of its own, within limits."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition, Event
from typing import IO, TypeVar

import msgspec

from devlog.model.digest import digest_bytes
from devlog.waiting import result_of

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_KEPT = ("PATH", "HOME", "SYSTEMROOT", "PATHEXT", "USERPROFILE", "LOCALAPPDATA")
"""What a program needs to find itself and its own files; secrets of the environment are not for it."""
_OFTEN = 0.02
"""How many seconds pass between two looks at a program that runs."""


class Limits(msgspec.Struct, frozen=True):
    """What a program may take.

    Attributes:
        seconds: of wall time.
        bytes: in its folder, all together.
        excess: what is said of one that writes more.
    """

    seconds: float
    bytes: int
    excess: str = "writes too much"


class Ended(msgspec.Struct, frozen=True):
    """What came of a program.

    Attributes:
        problem: why it has not done its work, with its name; empty when it has.
        complaint: the first line of what it said about that.
        retry: whether it was for want of the program or of time: another time all may be well.
    """

    problem: str = ""
    complaint: str = ""
    retry: bool = False


def run(
    command: Sequence[str],
    names: Mapping[str, str],
    folder: Path,
    given: Path | None,
    printed: Path,
    limits: Limits,
    stop: Event | None = None,
) -> Ended:
    """Run a program and wait for it; what it has started ends with it.

    Args:
        command: its name and its arguments.
        names: what stands for what in the arguments, such as ``{input}``.
        folder: where it runs.
        given: the file that its standard input is; `None` for an empty one.
        printed: the file that its standard output becomes.
        limits: what it may take.
        stop: ends it early once it is set.
    """
    arguments = [_filled(argument, names) for argument in command]
    complaints = folder / "stderr"
    try:
        with (
            (given or Path(os.devnull)).open("rb") as source,
            printed.open("wb") as out,
            complaints.open("w+b") as err,
        ):
            status = _run(arguments, folder, source, out, err, limits, stop or Event())
            err.seek(0)  # by its name, it might be something else by now
            complained = err.read(4096)
    except (OSError, ValueError) as error:  # the latter for an argument with a NUL
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return Ended(f"“{command[0]}” cannot be started: {reason}", retry=True)
    if isinstance(status, str):
        return Ended(f"“{command[0]}” {status}", retry=True)
    if not status:
        return Ended()
    complaint = _complaint(complained, str(folder), names.get("{root}", ""))
    said = f"says: {complaint}" if complaint else f"fails with status {status}"
    return Ended(f"“{command[0]}” {said}", complaint)


def run_all(function: Callable[[_Item, Event], _Result], items: Sequence[_Item], at_once: int) -> list[_Result]:
    """What a function that runs a program gives for each item, in order.

    Where it raises, or the build is interrupted, nobody waits for what would be made in vain: what runs is ended.

    Args:
        function: given an item, and what is set when its program is to end early.
        items: of each, one program is run.
        at_once: how many programs may run at the same time.
    """
    from concurrent.futures import ThreadPoolExecutor  # each build loads this module, and most run no programs

    running = _Running()

    def one(item: _Item) -> _Result:
        with running.one():
            return function(item, running.stop)

    with ThreadPoolExecutor(max_workers=at_once) as pool:
        try:
            return [result_of(future) for future in [pool.submit(one, item) for item in items]]
        except BaseException:
            running.stop.set()
            pool.shutdown(cancel_futures=True)
            running.wait()
            raise


class _Running:
    """The programs that run.

    The pool does not know a thread that was being started when the user interrupted, and does not wait for it. So the
    threads count themselves before they look whether they are to stop.

    Attributes:
        stop: once it is set, none is started, and those that run end.
    """

    def __init__(self) -> None:
        self.stop = Event()
        self._count = 0
        self._changed = Condition()

    @contextmanager
    def one(self) -> Iterator[None]:
        """While one runs; raises InterruptedError where none is to begin."""
        with self._changed:
            self._count += 1
        try:
            if self.stop.is_set():
                raise InterruptedError
            yield
        finally:
            with self._changed:
                self._count -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until none runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._count)


def program_of(command: Sequence[str]) -> str:
    """What is another text when a command may start another program; empty where there is none by its name.

    A program is known by where it lies and by its bytes, so that installing it again makes no difference; a large one
    by its size and time.
    """
    found = shutil.which(command[0]) if command else None
    if not found:
        return ""
    try:
        file = Path(found).resolve()
        status = file.stat()
        if status.st_size > _LARGE:
            return f"{file} {status.st_size} {status.st_mtime_ns}"
        return f"{file} {digest_bytes(file.read_bytes())}"
    except OSError:
        return ""


_LARGE = 4_000_000
"""So many bytes are read in a few milliseconds."""


def mentions(command: Sequence[str], name: str) -> bool:
    """Whether an argument of a command names something, such as ``{input}``."""
    return any(name in argument for argument in command)


def size_of(path: Path) -> int:
    """The size of a file; 0 for one that is not there."""
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def written(path: Path) -> Path:
    """A file that a program has left.

    Raises:
        OSError: there is none, or it is no plain file.
    """
    if path.is_symlink() or not path.is_file():
        raise OSError
    return path


def _filled(argument: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        argument = argument.replace(name, value)
    return argument


def _run(
    arguments: Sequence[str],
    folder: Path,
    given: IO[bytes],
    out: IO[bytes],
    err: IO[bytes],
    limits: Limits,
    stop: Event,
) -> int | str:
    """Run a program; gives its status, or says what became of it."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(folder), "TEMP": str(folder)}
    process = subprocess.Popen(  # noqa: S603 - the configuration is trusted, and there is no shell
        arguments,
        stdin=given,
        stdout=out,
        stderr=err,
        cwd=folder,
        env=environment,
        start_new_session=True,  # so that what it starts ends with it
    )
    left = limits.seconds
    try:
        while True:
            try:
                return process.wait(_OFTEN)
            except subprocess.TimeoutExpired:
                left -= _OFTEN
            if stop.is_set():
                return "was interrupted"
            if left <= 0:
                return f"takes longer than {limits.seconds:g} seconds"
            if sum(size_of(path) for path in folder.iterdir()) > limits.bytes:
                return limits.excess
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _complaint(data: bytes, *folders: str) -> str:
    """The first line that a program has complained with, wherever the site and its own folder may lie."""
    text = data.decode(errors="replace")
    for folder in filter(None, folders):
        text = text.replace(f"{folder}{os.sep}", "")
    lines = ("".join(char if char.isprintable() else " " for char in line).strip() for line in text.splitlines())
    return next((line for line in lines if line), "")[:200]
