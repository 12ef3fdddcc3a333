"""Runs programs that the configuration names: without a shell, in a folder of their own, with limits."""

from __future__ import annotations

import os
import re
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
"""Environment variables that programs get to find other programs and their own files. They get no others, since those
may contain secrets."""
_OFTEN = 0.02
"""The seconds between two checks of a running program."""


class Limits(msgspec.Struct, frozen=True):
    """The limits of a program.

    Attributes:
        seconds: the maximum wall time.
        bytes: the maximum total size of the files in its folder.
        excess: the message about a program that writes more.
        memory: the maximum memory in bytes, where the system tells it; 0 without a limit.
    """

    seconds: float
    bytes: int
    excess: str = "writes too much"
    memory: int = 0


class Program(msgspec.Struct, frozen=True):
    """A program to run.

    Attributes:
        command: the program and its arguments.
        names: the values of placeholders in the arguments, such as ``{input}``.
        environment: variables that it gets in addition to the usual ones.
    """

    command: Sequence[str]
    names: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}


class Ended(msgspec.Struct, frozen=True):
    """The result of running a program.

    Attributes:
        problem: why it failed, with its name; empty if it succeeded.
        complaint: the first line of its error output.
        retry: whether another run may succeed, because the program could not be started, exceeded a limit, or was ended
            by a signal.
    """

    problem: str = ""
    complaint: str = ""
    retry: bool = False


def run(
    program: Program, folder: Path, given: Path | None, printed: Path, limits: Limits, stop: Event | None = None
) -> Ended:
    """Run a program and wait for it. Processes that it has started end with it.

    Args:
        program: the program.
        folder: the folder in which it runs.
        given: the file for its standard input; `None` for an empty one.
        printed: the file for its standard output.
        limits: its limits.
        stop: ends the program early once it is set.
    """
    command = program.command
    arguments = [filled(argument, program.names) for argument in command]
    complaints = folder / "stderr"
    try:
        with (
            (given or Path(os.devnull)).open("rb") as source,
            printed.open("wb") as out,
            complaints.open("w+b") as err,
        ):
            process = _start(arguments, folder, program.environment, source, out, err)
            status = _wait(process, folder, limits, stop or Event())
            err.seek(0)  # opened by its name, it might be a different file by now
            complained = err.read(4096)
    except (OSError, ValueError) as error:  # the latter for an argument with a NUL
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        return Ended(f"“{command[0]}” cannot be started: {reason}", retry=True)
    if isinstance(status, str):
        return Ended(f"“{command[0]}” {status}", retry=True)
    if not status:
        return Ended()
    complaint = _complaint(complained, str(folder), program.names.get("{root}", ""))
    said = f"says: {complaint}" if complaint else f"fails with status {status}"
    # A signal ends programs for reasons of the machine, such as too little memory. Shells add 128 to its number.
    return Ended(f"“{command[0]}” {said}", complaint, retry=status < 0 or status > 128)


def run_all(function: Callable[[_Item, Event], _Result], items: Sequence[_Item], at_once: int) -> list[_Result]:
    """The results of a function that runs a program for each item, in order.

    If it raises, or the build is interrupted, all running programs are stopped, since their results are not needed.

    Args:
        function: called with an item, and an event that is set to end its program early.
        items: the items; one program is run for each.
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
    """Counts the running programs.

    The pool does not know a thread that was being started when the user interrupted, and does not wait for it. So each
    thread increments the count before it checks whether to stop.

    Attributes:
        stop: once it is set, no program is started, and the running ones end.
    """

    def __init__(self) -> None:
        self.stop = Event()
        self._count = 0
        self._changed = Condition()

    @contextmanager
    def one(self) -> Iterator[None]:
        """A context in which one program runs. Raises InterruptedError if no more programs are to start."""
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
        """Wait until no program runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._count)


def program_of(command: Sequence[str]) -> str:
    """A string that identifies the program of a command, and changes when the program may have changed.

    It consists of the path at which the program is found, the path of the file if that is a link, and the digest of its
    bytes, so that reinstalling the same program makes no difference. A program may look at what is beside the link, as
    Python does: all virtual environments link to one file. For a large program it has the size and the modification
    time, and the digest of its beginning only. It is empty if the program is not found.
    """
    found = place_of(command)
    if not found:
        return ""
    try:
        file = found.resolve()
        status = file.stat()
        paths = f"{recordable(found.absolute())} {recordable(file)}"
        if status.st_size > _LARGE:
            with file.open("rb") as opened:
                return f"{paths} {status.st_size} {status.st_mtime_ns} {digest_bytes(opened.read(_BEGINNING))}"
        return f"{paths} {digest_bytes(file.read_bytes())}"
    except OSError:
        return ""


def place_of(command: Sequence[str]) -> Path | None:
    """The file that runs as the program of a command, perhaps a symbolic link; `None` if there is none."""
    found = shutil.which(command[0]) if command else None
    return Path(found) if found else None


def recordable(path: Path) -> str:
    """A path in a form that a record can hold, also if names in it are not UTF-8: each byte is a character."""
    return os.fsencode(path).decode("latin-1")


def as_recorded(text: str) -> str:
    """The path that `recordable` has written."""
    return os.fsdecode(text.encode("latin-1"))


_LARGE = 4_000_000
"""The size of programs up to which their bytes are read, which takes a few milliseconds."""
_BEGINNING = 64 << 10
"""The bytes read of larger ones: the build ID, which changes with the rest, is there. Reproducible packages give all
files one modification time, and the other times of a file change if the same program is installed again."""


def mentions(command: Sequence[str], name: str) -> bool:
    """Whether an argument of a command contains a placeholder, such as ``{input}``."""
    return any(name in argument for argument in command)


def size_of(path: Path) -> int:
    """The size of a file; 0 if it does not exist."""
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def written(path: Path) -> Path:
    """The path of a file that a program should have written.

    Raises:
        OSError: if it does not exist, or is not a regular file.
    """
    if path.is_symlink() or not path.is_file():
        raise OSError
    return path


def filled(text: str, names: Mapping[str, str]) -> str:
    """A text with values for its placeholders. A placeholder in a value is none."""
    return re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], text) if names else text


def _start(
    arguments: Sequence[str],
    folder: Path,
    more: Mapping[str, str],
    given: IO[bytes],
    out: IO[bytes],
    err: IO[bytes],
) -> subprocess.Popen[bytes]:
    """Start a program, with `more` variables than the usual ones."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": str(folder), "TEMP": str(folder), **more}
    return subprocess.Popen(  # noqa: S603 - the configuration is trusted, and there is no shell
        arguments,
        stdin=given,
        stdout=out,
        stderr=err,
        cwd=folder,
        env=environment,
        start_new_session=True,  # so that processes that it starts can be ended with it
    )


def _wait(process: subprocess.Popen[bytes], folder: Path, limits: Limits, stop: Event) -> int | str:
    """Wait for a program, and end it at its limits. Return its exit status, or why it was stopped."""
    left = limits.seconds
    try:
        with ended_with_this(-process.pid, "KILL"):
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
                if limits.memory and _memory(process.pid) > limits.memory:
                    return f"takes more than {limits.memory >> 20} MB of memory"
    finally:
        _end(process)


@contextmanager
def ended_with_this(target: int, signal_name: str) -> Iterator[None]:
    """A context in which a program ends even if this process is killed, and so can neither end nor limit it.

    A shell waits for the end of a pipe whose other end only this process has. It has a session of its own, so that it
    is not killed together with this process. On Windows, and without a shell, the program goes on.

    Args:
        target: the number of a process; negative for the process group of this number.
        signal_name: the signal that ends it, such as ``TERM``.
    """
    guard = None
    if sys.platform != "win32":
        with suppress(OSError):
            guard = subprocess.Popen(  # noqa: S603 - constant words, the name of a signal, a number
                ["/bin/sh", "-c", _GUARD, "sh", signal_name, str(target)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
            )
    try:
        yield
    finally:
        if guard:
            guard.kill()
            with guard:  # closes the pipe
                pass


_GUARD = 'read -r end; kill -s "$1" -- "$2"'


def limit_memory(process: int, most: int) -> None:
    """Limit the memory of a process that has just been started, on Linux; files that it maps do not count.

    Unlike `Limits.memory`, which is looked at from time to time, this makes the system refuse more.

    Args:
        process: its number.
        most: the limit in bytes.
    """
    _limit(process, "RLIMIT_DATA", most)


def limit_files(process: int, most: int) -> None:
    """Limit the size of each file that a process writes that has just been started, on Linux.

    Args:
        process: its number. Processes that it starts have the same limit.
        most: the limit in bytes.
    """
    _limit(process, "RLIMIT_FSIZE", most)


def _limit(process: int, name: str, most: int) -> None:
    with suppress(ImportError, AttributeError, OSError, ValueError):  # not on Linux, or it has ended
        import resource

        kind = getattr(resource, name)
        soft, hard = resource.prlimit(process, kind)
        limit = min([most, *(own for own in (soft, hard) if own != resource.RLIM_INFINITY)])
        resource.prlimit(process, kind, (limit, hard))


def _memory(process: int) -> int:
    """The memory of a process in bytes; 0 where the system does not tell it as Linux does."""
    try:
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and all processes that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _complaint(data: bytes, *folders: str) -> str:
    """The first line of a program's error output, without the paths of the site and of the program's folder."""
    text = data.decode(errors="replace")
    for folder in filter(None, folders):
        text = text.replace(f"{folder}{os.sep}", "")
    lines = ("".join(char if char.isprintable() else " " for char in line).strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith(_OF_JAVA)), "")[:200]


_OF_JAVA = "Picked up "
"""The beginning of what Java says before anything else if a variable such as ``JAVA_TOOL_OPTIONS`` is set."""
