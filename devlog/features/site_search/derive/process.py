"""The main function of the indexing process: reads its task once, and answers for one bundle after the other."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from devlog.engine.store import Store
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.index import MissingTextError, make_index
from devlog.features.site_search.derive.indexing_process import LENGTH, Answer, Task
from devlog.features.site_search.derive.service import ServiceError


def main() -> None:
    """Read the task from standard input, and write the answers to standard output."""
    length = int.from_bytes(sys.stdin.buffer.read(LENGTH))
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(length), type=Task)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with closing(Store(Path(os.fsdecode(task.store)))) as store:
        for bundle in task.bundles:
            data = msgspec.msgpack.encode(_answer(task, bundle, store))
            sys.stdout.buffer.write(len(data).to_bytes(LENGTH) + data)
            sys.stdout.buffer.flush()


def _end_with_parent() -> None:
    """Wait for the end of standard input, which the process that started this one never closes while it needs it.

    If it was killed, nothing else would end the indexer, which may be busy for minutes and takes much memory.
    """
    while os.read(sys.stdin.fileno(), 1):  # not from the buffer: a thread that holds its lock is an error at exit
        pass
    if sys.platform != "win32":
        with suppress(OSError):  # this process leads no group, unlike one that `Making` has started
            os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _answer(task: Task, bundle: Bundle, store: Store) -> Answer:
    try:
        program, folder = map(os.fsdecode, (task.program, task.folder))
        return Answer(make_index(bundle, task.language, program, Path(folder), store.contents))
    except MissingTextError as error:
        return Answer(problem=str(error), is_missing=True)
    except ServiceError as error:
        return Answer(problem=str(error))
