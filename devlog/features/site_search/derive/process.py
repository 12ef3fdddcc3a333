"""The main function of the indexing process: reads its task once, and answers for one bundle after the other."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import msgspec

from devlog.engine.store import Store
from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.index import MissingTextError, make_index
from devlog.features.site_search.derive.indexing_process import LENGTH, Answer, Task
from devlog.features.site_search.derive.service import ServiceError


def main() -> None:
    """Read the task from standard input, and write the answers to standard output."""
    task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Task)
    with closing(Store(Path(os.fsdecode(task.store)))) as store:
        for bundle in task.bundles:
            data = msgspec.msgpack.encode(_answer(task, bundle, store))
            sys.stdout.buffer.write(len(data).to_bytes(LENGTH) + data)
            sys.stdout.buffer.flush()


def _answer(task: Task, bundle: Bundle, store: Store) -> Answer:
    try:
        program, folder = map(os.fsdecode, (task.program, task.folder))
        return Answer(make_index(bundle, task.language, program, Path(folder), store.contents))
    except MissingTextError as error:
        return Answer(problem=str(error), is_missing=True)
    except ServiceError as error:
        return Answer(problem=str(error))
