"""What the system tells of changes while they happen: hints, which may be missing, late or about another place."""

from __future__ import annotations

import errno
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from devlog.disk.folder import describe
from devlog.disk.ignore import comes_and_goes
from devlog.serve.debounce import Hint
from devlog.serve.file_stats import identity, is_below, is_outside, join

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver

PAIRING_SECONDS = 0.02
"""How long watchdog holds back that a file was moved away, and all that happens after it, in case the file was moved
to another place that is watched. The kernel says both in one breath."""

Note = Callable[[str, Hint], None]


class _Watch(msgspec.Struct, frozen=True):
    """A folder to watch.

    Attributes:
        path: without links in it.
        name: the folder's.
        wanted: for a folder above those that matter, of which nothing else is of interest: names of files, and of
            folders, below it; empty for a folder that is watched with all that it holds.
    """

    path: str
    name: str
    wanted: tuple[str, ...] = ()

    def names(self, path: str, *, is_folder: bool) -> Iterator[tuple[str, bool]]:
        """The names to look at after an event about a path, and whether each is a folder's."""
        below = os.path.relpath(path, self.path).replace(os.sep, "/")
        if below == ".":
            if not self.wanted:
                yield self.name, True
        elif self.wanted:
            name = join(self.name, below)
            yield from ((wanted, is_folder or wanted != name) for wanted in self.wanted if is_below(wanted, name))
        elif not any(comes_and_goes(part) for part in below.split("/")):
            yield join(self.name, below), is_folder


class Events:
    """Listens to what happens in folders.

    Attributes:
        reason: why nothing can be heard, in words; empty when all is well.
    """

    def __init__(self, note: Note) -> None:
        self.reason = ""
        self._note = note
        self._observer: BaseObserver | None = None
        self._threads: tuple[threading.Thread, ...] = ()
        self._there: dict[str, tuple[int, int] | None] = {}

    def attach(self, root: str, files: Sequence[str], folders: Sequence[str]) -> None:
        """Listen to these, and no longer to others.

        Args:
            root: what names are relative to.
            files: in the root.
            folders: with all that they hold; absolute names for those outside of the root.
        """
        self.detach()
        watches = list(_watches(root, files, folders))
        # What is there is noted before it is listened to: what is replaced between the two is found to be lost.
        self._there = {watch.path: identity(watch.path) for watch in watches}
        try:
            self._listen([watch for watch in watches if self._there[watch.path]])
            self.reason = ""
        except OSError as error:
            # A folder may have gone in this moment: then it is tried again.
            passing = error.errno in {errno.ENOENT, errno.ENOTDIR}
            self.reason = "" if passing else _describe(error)

    def detach(self) -> None:
        """Listen to nothing."""
        observer, self._observer = self._observer, None
        self._threads = ()
        if observer is not None:
            observer.stop()
            if observer.is_alive():
                observer.join(5.0)

    @property
    def lost(self) -> bool:
        """Whether something is no longer heard, so that it must be attached to again."""
        if self.reason:
            return False
        if self._observer is None or not all(thread.is_alive() for thread in self._threads):
            return True
        return any(identity(path) != there for path, there in self._there.items())

    def _listen(self, watches: list[_Watch]) -> None:
        from watchdog import events
        from watchdog.utils import BaseThread

        kinds: list[type[FileSystemEvent]] = [
            events.DirAttribEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
            events.DirMovedEvent,
            events.FileAttribEvent,
            events.FileClosedEvent,
            events.FileCreatedEvent,
            events.FileDeletedEvent,
            events.FileModifiedEvent,
            events.FileMovedEvent,
        ]
        others = set(threading.enumerate())
        self._observer = _observer()
        try:
            for watch in watches:
                handler = _handler(watch, self._note)
                self._observer.schedule(handler, watch.path, recursive=not watch.wanted, event_filter=kinds)
            self._observer.start()
        except OSError:
            self.detach()
            raise
        self._threads = tuple(t for t in threading.enumerate() if isinstance(t, BaseThread) and t not in others)


_SILENCE = logging.NullHandler()


def _observer() -> BaseObserver:
    """What listens to this system. Raises OSError, also where the system tells of nothing."""
    from watchdog.observers import Observer
    from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper
    from watchdog.observers.polling import PollingObserver

    InotifyMoveEventGrouper.delay = PAIRING_SECONDS
    # It warns of folders that it meets twice while a tree is being copied, and logs that it was stopped.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
    logging.getLogger("watchdog").addHandler(_SILENCE)
    observer = Observer()
    if isinstance(observer, PollingObserver):  # we look at the files ourselves, and in less time
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    return observer


def _watches(root: str, files: Sequence[str], folders: Sequence[str]) -> Iterator[_Watch]:
    """What to listen to: folders with all that they hold, and those above them, up to the root, for their names."""
    real = os.path.realpath(root)
    inside = [folder for folder in folders if not is_outside(folder)]
    above = {""} | {parent.as_posix() for folder in inside for parent in list(Path(folder).parents)[:-1]}
    for name in sorted(above):
        wanted = tuple(w for w in (*files, *inside) if is_below(w, name) and w != name)
        if wanted:
            yield _Watch(str(Path(real, name)), name, wanted)
    for name in folders:
        yield _Watch(os.path.realpath(name) if is_outside(name) else str(Path(real, name)), name)


def _handler(watch: _Watch, note: Note) -> FileSystemEventHandler:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            for path, hint in ((event.src_path, _HINTS.get(event.event_type)), (event.dest_path, Hint.CLOSED)):
                if not path or hint is None:
                    continue
                for name, is_folder in watch.names(os.fsdecode(path), is_folder=event.is_directory):
                    note(name, Hint.FOLDER if is_folder else hint)

    return Handler()


# Others, opening and closing after reading, happen whenever we read.
_HINTS = {
    "attrib": Hint.TOUCHED,
    "closed": Hint.CLOSED,
    "created": Hint.OPEN,
    "deleted": Hint.GONE,
    "modified": Hint.OPEN,
    "moved": Hint.GONE,
}


def _describe(error: OSError) -> str:
    words = {
        errno.ENOSPC: "the system's limit of watched folders is reached",
        errno.EMFILE: "the system's limit of watching programs is reached",
        errno.ENOTSUP: "the system does not report changes",
    }
    return words.get(error.errno or 0) or describe(error)
