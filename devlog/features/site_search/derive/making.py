"""Indexes of bundles, made by a process of their own while this one builds the rest of the site.

In a thread of this process the texts, which Python prepares for the indexer, would wait for the build, and the build
for them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

import msgspec

import devlog
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.index import Made, MissingTextError
from devlog.features.site_search.derive.service import Service, ServiceError, program

LENGTH = 4
"""Bytes that say how long an answer is."""

PATIENCE = 600.0
"""So many seconds a build waits for the next bundle, which takes two, before it takes the process for stopped."""


class Task(msgspec.Struct, frozen=True, array_like=True):
    """What the process is told. Paths are as the system has them: those of folders need not be text.

    Attributes:
        store: the path of the database with the bodies.
        folder: where the index is made.
        program: the indexer.
        language: of the site.
        bundles: what to make an index of, one after the other.
    """

    store: bytes
    folder: bytes
    program: bytes
    language: str
    bundles: tuple[Bundle, ...]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What came of the next bundle.

    Attributes:
        made: its index.
        problem: why there is none.
        is_missing: whether that is because a text could not be read.
    """

    made: Made | None = None
    problem: str = ""
    is_missing: bool = False


class Making:
    """Indexes in the making, one bundle after the other. It is to be closed, whether they are done or not.

    Attributes:
        bundles: of which there will be indexes.
        folder: holds their files until it is closed.
        seconds: how long they took; complete when all are done.
    """

    def __init__(self, bundles: Sequence[Bundle], language: str, store: Path) -> None:
        """Begin. Raises ServiceError when the indexer cannot be started.

        Args:
            bundles: what is to be found; at least one.
            language: of the site.
            store: the path of the database with the bodies.
        """
        self.bundles = bundles
        self.seconds = 0.0
        self._begin = time.perf_counter()
        try:
            self._temporary = tempfile.TemporaryDirectory(prefix="devlog-search-", ignore_cleanup_errors=True)
        except OSError as error:
            raise ServiceError(f"no temporary folder can be made: {error.strerror}") from error
        self.folder = Path(self._temporary.name)
        try:
            indexer = program()
            Service(indexer, self.folder, language, 0).close()  # whether it runs here is to be known at once
            at, there = os.fsencode(store.absolute()), os.fsencode(self.folder)
            task = msgspec.msgpack.encode(Task(at, there, os.fsencode(indexer), language, tuple(bundles)))
            self._process = _started()
        except BaseException:
            self._temporary.cleanup()
            raise
        self._made: dict[str, Future[Made]] = {bundle.name: Future() for bundle in bundles}
        self._thread = threading.Thread(target=self._follow, args=(task,), name="index", daemon=True)
        self._thread.start()

    def _follow(self, task: bytes) -> None:
        """Tell the process what to do, and take what it answers; nobody waits for ever when that goes wrong."""
        try:
            self._take_answers(task)
        finally:
            for future in self._made.values():
                if not future.done():
                    future.set_exception(ServiceError("the process that makes it has ended"))

    def _take_answers(self, task: bytes) -> None:
        with self._process:
            with suppress(OSError):  # it has ended, and so do its answers
                self._tell(task)
            for bundle in self.bundles:
                answer = self._answer()
                self.seconds = time.perf_counter() - self._begin
                future = self._made[bundle.name]
                if answer.made:
                    future.set_result(answer.made)
                else:
                    kind = MissingTextError if answer.is_missing else ServiceError
                    future.set_exception(kind(answer.problem))

    def _tell(self, task: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(task)
        self._process.stdin.close()

    def _answer(self) -> Answer:
        assert self._process.stdout
        length = self._process.stdout.read(LENGTH)
        data = self._process.stdout.read(int.from_bytes(length)) if len(length) == LENGTH else b""
        try:
            return msgspec.msgpack.decode(data, type=Answer)
        except msgspec.DecodeError:
            return Answer(problem="the process that makes it has ended")

    def made(self, bundle: Bundle) -> Made:
        """Wait for the index of a bundle.

        Raises:
            MissingTextError: a text could not be read.
            ServiceError: it could not be made for another reason.
        """
        try:
            return self._made[bundle.name].result(PATIENCE)
        except TimeoutError:
            raise ServiceError(f"the process that makes it has said nothing for {PATIENCE:g} seconds") from None

    def close(self) -> None:
        """Stop if it is not done, and leave nothing behind."""
        if self._process.poll() is None:
            _kill(self._process)
        self._thread.join()
        self._temporary.cleanup()


def _started() -> subprocess.Popen[bytes]:
    """The process, which has this very devlog, and a group of its own: what it starts ends with it."""
    code = "from devlog.features.site_search.derive.process import main; main()"
    paths = [str(Path(devlog.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    try:
        return subprocess.Popen(  # noqa: S603 - this Python
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            start_new_session=True,
        )
    except OSError as error:
        raise ServiceError((error.strerror or str(error)).lower()) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        with suppress(OSError):  # it has ended by now
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
