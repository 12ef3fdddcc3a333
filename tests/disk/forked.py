"""Builds in forks of one process that has everything loaded, cut off or refused at a chosen call of the system.

As a script this is that process: it reads a request per line, forks, builds, and answers with the exit code.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

KILLED = 137
NOW = "2026-06-15T12:00:00Z"
REPOSITORY = Path(__file__).parent.parent.parent

CHANGING = ("mkdir", "rename", "replace", "unlink", "rmdir", "link", "ftruncate", "fsync", "write", "open", "exchange")
"""Everything that changes a file system; ``open`` counts when it makes a file."""
NEEDS_ROOM = {"mkdir", "link", "write", "open"}
NEVER_REFUSED = {"unlink", "rmdir", "ftruncate"}


class Forked:
    """The process, as seen by a test. Use it in a ``with`` statement."""

    def __init__(self, site: Path, warm: Path | None = None, prefix: Sequence[str] = ()) -> None:
        """Start it.

        Args:
            site: what is built.
            warm: a site to build first, so that later builds start with everything at hand.
            prefix: a command that is to start the process.
        """
        self._mounts = bool(prefix)
        path = os.pathsep.join((str(REPOSITORY), str(REPOSITORY / "tests")))
        self._site = site
        self._process = subprocess.Popen(
            [*prefix, sys.executable, __file__, str(warm or "")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    @property
    def view(self) -> Path:
        """The site as the process sees it, with mounts that it may have of its own."""
        return Path(f"/proc/{self._process.pid}/root{self._site}") if self._mounts else self._site

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def build(self, *arguments: str, at: int = 0, refusal: int = 0, in_place: bool = False) -> tuple[int, str]:
        """Build the site.

        Args:
            arguments: for the command, beside the site.
            at: the number of the call at which something goes wrong; 0 for never.
            refusal: the error number with which this call, and later ones that need room, are refused; 0 to die there.
            in_place: pretend that folders cannot change places.

        Returns:
            The exit code and what was said on the error stream.
        """
        request = {
            "arguments": ["build", "--root", str(self._site), "--now", NOW, "--jobs", "1", *arguments],
            "at": at,
            "refusal": refusal,
            "in_place": in_place,
        }
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        code, said = json.loads(self._process.stdout.readline())
        return code, said


def _arm(at: int, refusal: int, in_place: bool) -> None:
    """Let the call of this number, and with a refusal the later ones that need room, go wrong."""
    from devlog.disk import swap

    calls = 0

    def armed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal calls
            counted = name != "open" or arguments[1] & os.O_CREAT
            if refusal and name in NEVER_REFUSED:
                counted = False
            calls += bool(counted)
            if counted and refusal and (calls == at or (calls > at and name in NEEDS_ROOM)):
                raise OSError(refusal, os.strerror(refusal))
            if counted and not refusal and calls == at:
                if name == "write":
                    function(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os._exit(KILLED)
            return function(*arguments, **named)

        return call

    exchanger = swap.exchanger

    def exchange() -> Callable[..., None]:
        if in_place:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        return armed("exchange", exchanger())

    swap.exchanger = exchange
    for name in CHANGING:
        if at and name != "exchange":
            setattr(os, name, armed(name, getattr(os, name)))


def _run(request: dict[str, Any], said: int) -> int:
    from devlog import cli

    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(said, 2)
    _arm(request["at"], request["refusal"], request["in_place"])
    try:
        cli.main(request["arguments"], standalone_mode=True)
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def _serve(warm: str) -> None:
    import tempfile

    from sites import build_site

    import devlog.cli  # noqa: F401

    if warm:
        build_site(Path(warm))
    print("ready", flush=True)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as said:
            pid = os.fork()
            if not pid:
                code = 99
                try:
                    code = _run(json.loads(line), said.fileno())
                except BaseException:
                    sys.excepthook(*sys.exc_info())
                finally:
                    sys.stderr.flush()
                    os._exit(code)
            _, status = os.waitpid(pid, 0)
            said.seek(0)
            print(json.dumps([os.waitstatus_to_exitcode(status), said.read().decode()]), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
