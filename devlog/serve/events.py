"""File events of the operating system, as hints: they may be missing, late or about another location."""

from __future__ import annotations

import errno
import logging
import os
import threading
import warnings
from collections.abc import Callable, Container, Iterator, Sequence
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
"""How long watchdog delays the event of a file that was moved away, and all later ones, to pair it with the event of
its arrival in another watched folder. The kernel reports both together."""

Note = Callable[[str, Hint], None]


class _Watch(msgspec.Struct, frozen=True):
    """A folder to watch.

    Attributes:
        path: the folder's path, with symbolic links resolved.
        name: the folder's name in reports.
        wanted: the only names of files and folders below it that matter, for a parent of the folders of a site;
            empty for a folder that is watched recursively.
    """

    path: str
    name: str
    wanted: tuple[str, ...] = ()

    def names(self, path: str, *, is_folder: bool) -> Iterator[tuple[str, bool]]:
        """The names to examine after an event about a path, each with whether it is a folder."""
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
    """Listens to the file events of folders.

    Attributes:
        reason: why no events can be received, in words; empty if they can.
    """

    def __init__(self, note: Note) -> None:
        self.reason = ""
        self._note = note
        self._observer: BaseObserver | None = None
        self._threads: tuple[threading.Thread, ...] = ()
        self._there: dict[str, tuple[int, int] | None] = {}

    def attach(self, root: str, files: Sequence[str], folders: Sequence[str], trusted: Container[str] = ()) -> None:
        """Listen to events of these files and folders, and no others.

        Args:
            root: the folder that names are relative to.
            files: names of files in the root.
            folders: names of folders to watch recursively; absolute for those outside the root.
            trusted: names of those that may be symbolic links. No events come from behind other links.
        """
        self.detach()
        watches = list(_watches(root, files, folders, trusted))
        # Identities are recorded before listening begins, so that `lost` finds a folder that is replaced in between.
        self._there = {watch.path: identity(watch.path) for watch in watches}
        try:
            self._listen([watch for watch in watches if self._there[watch.path]])
            self.reason = ""
        except OSError as error:
            # A folder may have been deleted just now: then `lost` causes another attempt.
            passing = error.errno in {errno.ENOENT, errno.ENOTDIR}
            self.reason = "" if passing else _describe(error)
        except RecursionError:  # before Python 3.12, the walk through the folders calls itself for each
            self.reason = "folders are nested too deeply"

    def detach(self) -> None:
        """Stop listening."""
        observer, self._observer = self._observer, None
        self._threads = ()
        if observer is not None:
            observer.stop()
            if observer.is_alive():
                observer.join(5.0)

    @property
    def lost(self) -> bool:
        """Whether events of some folder are no longer received, so that `attach` must be called again."""
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
        except (OSError, RecursionError):
            self.detach()
            raise
        self._threads = tuple(t for t in threading.enumerate() if isinstance(t, BaseThread) and t not in others)


_SILENCE = logging.NullHandler()


def _observer() -> BaseObserver:
    """The watchdog observer for this system.

    Raises:
        OSError: events are not available, or the system does not support them.
    """
    from watchdog.observers import Observer
    from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper
    from watchdog.observers.polling import PollingObserver

    InotifyMoveEventGrouper.delay = PAIRING_SECONDS
    # It warns about folders that it finds twice while a tree is being copied, and logs that it was stopped.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
    logging.getLogger("watchdog").addHandler(_SILENCE)
    observer = Observer()
    if isinstance(observer, PollingObserver):  # the watcher polls files itself, and faster
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    return observer


def _watches(root: str, files: Sequence[str], folders: Sequence[str], trusted: Container[str]) -> Iterator[_Watch]:
    """The folders to listen to: the given ones recursively, and their parents up to the root for their names only."""
    real = os.path.realpath(root)
    inside = [folder for folder in folders if not is_outside(folder)]
    above = {""} | {parent.as_posix() for folder in inside for parent in list(Path(folder).parents)[:-1]}
    for name in sorted(above):
        wanted = tuple(w for w in (*files, *inside) if is_below(w, name) and w != name)
        if wanted:
            yield _Watch(str(Path(real, name)), name, wanted)
    for name in folders:
        path = str(Path(real, name))
        yield _Watch(os.path.realpath(path) if name in trusted else path, name)


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


# Other events (opening, and closing after reading) occur whenever devlog itself reads a file.
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
