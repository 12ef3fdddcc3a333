"""Builds the indexes of bundles in a process of their own, while this one builds the rest of the site.

In a thread of this process, preparing posts for the indexer, which is done in Python, and the build would slow each
other down.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

import devlog
from devlog.disk.scratch import scratch_folder
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.index import Made, MissingTextError
from devlog.features.site_search.derive.service import Service, ServiceError, program
from devlog.threads import start

LENGTH = 4
"""The number of bytes for the length of the task and of an answer, which come first."""

PATIENCE = 600.0
"""The maximum time in seconds to wait for the next bundle, which takes about two, before giving up."""


class Task(msgspec.Struct, frozen=True, array_like=True):
    """The task of the process. Paths are bytes, since those of folders need not be valid text.

    Attributes:
        store: the path of the database with the bodies.
        folder: the folder for the index.
        program: the path of the indexer.
        language: the language of the site.
        bundles: the bundles to index, one after the other.
    """

    store: bytes
    folder: bytes
    program: bytes
    language: str
    bundles: tuple[Bundle, ...]


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """The result for the next bundle.

    Attributes:
        made: its index.
        problem: why there is none.
        is_missing: whether a body could not be read.
    """

    made: Made | None = None
    problem: str = ""
    is_missing: bool = False


class Making:
    """Indexes that are being built, one bundle after the other. Must be closed, whether they are finished or not.

    Attributes:
        bundles: the bundles to index.
        folder: the folder that has their files until it is closed.
        seconds: the time that indexing took; complete when all bundles are finished.
    """

    def __init__(self, bundles: Sequence[Bundle], language: str, store: Path) -> None:
        """Start to build. Raises ServiceError if the indexer cannot be started.

        Args:
            bundles: the bundles to index; at least one.
            language: the language of the site.
            store: the path of the database with the bodies.
        """
        self.bundles = bundles
        self.seconds = 0.0
        self._begin = time.perf_counter()
        self._stack = ExitStack()
        try:
            self.folder = self._stack.enter_context(scratch_folder("search"))
        except OSError as error:
            raise ServiceError(f"no temporary folder can be made: {error.strerror}") from error
        try:
            indexer = program()
            Service(indexer, self.folder, language, 0).close()  # fail now if the indexer does not run here
            at, target = os.fsencode(store.absolute()), os.fsencode(self.folder)
            task = msgspec.msgpack.encode(Task(at, target, os.fsencode(indexer), language, tuple(bundles)))
            self._process = _started()
        except BaseException:
            self._stack.close()
            raise
        self._made: dict[str, Future[Made]] = {bundle.name: Future() for bundle in bundles}
        self._thread = threading.Thread(target=self._follow, args=(task,), name="index", daemon=True)
        try:
            start(self._thread)
        except OSError as error:
            _kill(self._process)
            with suppress(OSError), self._process:
                pass
            self._stack.close()
            raise ServiceError(str(error.strerror).lower()) from error

    def _follow(self, task: bytes) -> None:
        """Send the task to the process, and receive its answers. If that fails, no waiting thread waits forever."""
        try:
            with suppress(MemoryError):  # for an answer
                self._take_answers(task)
        finally:
            for future in self._made.values():
                if not future.done():
                    future.set_exception(ServiceError("the process that makes it has ended"))

    def _take_answers(self, task: bytes) -> None:
        with suppress(OSError), self._process:  # it has ended before it has read its task
            try:
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
            finally:
                _kill(self._process)  # if something else has killed the process, its indexer is still at work

    def _tell(self, task: bytes) -> None:
        """Send the task. The stream stays open: its end would tell the process that this one is gone."""
        assert self._process.stdin
        self._process.stdin.write(len(task).to_bytes(LENGTH) + task)
        self._process.stdin.flush()

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
            MissingTextError: a body could not be read.
            ServiceError: the index could not be built for another reason.
        """
        try:
            return self._made[bundle.name].result(PATIENCE)
        except TimeoutError:
            raise ServiceError(f"the process that makes it has said nothing for {PATIENCE:g} seconds") from None

    def close(self) -> None:
        """Stop the process if it is not finished, and delete temporary files."""
        if self._process.poll() is None:
            _kill(self._process)
        self._thread.join()
        self._stack.close()


def _started() -> subprocess.Popen[bytes]:
    """Start the process with this same devlog, in a process group of its own, so that its children end with it."""
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
        with suppress(OSError):  # it has already ended
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
