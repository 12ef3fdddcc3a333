"""The watcher, which reports changes of a site's files. Events are hints; the metadata of files is the truth.

An event names files to examine. When no more events have come for a moment, the watcher compares the current metadata
of these files with the known one, and reports those that differ, once per save. Now and then it compares all files:
this finds changes without an event, on file systems that send none, or because a folder was replaced by another one
of the same name.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from pathlib import Path, PurePath

import msgspec

from devlog.serve.debounce import PATIENCE, Batch, Delays, Hint
from devlog.serve.events import Events
from devlog.serve.file_stats import Followed, Stamp, differences, is_in, look, only_noticed
from devlog.serve.repository import Repository

DEAF_SECONDS = 1.0
"""Seconds between scans of all files if there are no events."""
SHARE = 50
"""Scans of all files may take at most 1/`SHARE` of the time."""
_LEAVE_OFF = 3  # how many times in a row a scan of all files may be interrupted by events
_GIT_SECONDS = 0.02
_STOP_SECONDS = 5.0
FAULT_SECONDS = 1.0
"""Seconds to pause after an unexpected error."""


class WatchedPaths(msgspec.Struct, frozen=True):
    """The files and folders to watch.

    Attributes:
        root: the site's folder.
        folders: relative to it, watched recursively; missing ones may appear later. Symbolic links in them are not
            followed.
        files: relative to it.
        trusted: folders, such as those of the theme, that may be symbolic links, and in which these are followed;
            relative to the root, or absolute for those elsewhere.
        links: those of the files that may be symbolic links: a change of what they lead to is one of theirs.
    """

    root: Path
    folders: tuple[str, ...]
    files: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def tops(self) -> list[str]:
        """The distinct names of the folders; that of the site's own folder is empty."""
        own = [PurePath(folder).as_posix() for folder in self.folders]
        return list(dict.fromkeys(["" if name == "." else name for name in own] + [*self.trusted]))


class Watcher:
    """Reports which files have changed, appeared or disappeared.

    Attributes:
        walks: the number of scans of all files, without the first.
    """

    def __init__(
        self,
        paths: WatchedPaths,
        tell: Callable[[frozenset[str]], None],
        *,
        scan_seconds: float = 2.0,
        events: bool = True,
        patience: Delays = PATIENCE,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Create a watcher without starting it.

        Args:
            paths: the files and folders to watch.
            tell: called with the names of changed files, at least one, in the watcher's thread and never
                concurrently. Names are relative to the root, with ``/``, and absolute for folders outside it.
            scan_seconds: the minimum number of seconds between scans of all files.
            events: whether to use file events of the operating system.
            patience: how long to wait until a save is complete.
            log: called with one line for each unexpected error, in the same thread as `tell`; only once if the error
                repeats.
        """
        self.walks = 0
        self._tell = tell
        self._log = log
        self._last_fault = ""
        self._scan_seconds = scan_seconds
        self._events = Events(self._note) if events else None
        self._deaf = False
        self._heard = False
        self._bell = threading.Condition()
        self._patience = patience
        self._new = Batch()
        self._wanted: WatchedPaths | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._stamps: dict[str, Stamp] = {}
        self._next_walk = 0.0
        self._left_off = 0
        self._go_to(paths)

    @property
    def reason(self) -> str:
        """Why there are no events, in words; empty if there are."""
        return self._events.reason if self._events else ""

    def start(self) -> None:
        """Record the current files before returning, and report changes from then on."""
        self._attach()
        begin = time.monotonic()
        self._stamps = self._look(self._names)
        self._plan_walk(begin)
        thread = threading.Thread(target=self._run, name="devlog-watch", daemon=True)
        thread.start()
        self._thread = thread  # `stop` waits for it only if it runs

    def watch(self, paths: WatchedPaths) -> None:
        """Watch other paths from now on. All files in folders that were not watched before are reported as new.

        So no change is missed while a new configuration is being read.
        """
        with self._bell:
            self._wanted = paths
            self._bell.notify()

    def stop(self) -> None:
        """Stop reporting, and end the threads."""
        with self._bell:
            self._stopping = True
            self._bell.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(_STOP_SECONDS)
        if self._events:
            self._events.detach()

    def _note(self, name: str, hint: Hint) -> None:
        with self._bell:
            self._heard = True
            self._new.note(name, hint, time.monotonic())
            self._bell.notify()

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._go_on()
            except Exception as error:
                self._recover(error)

    def _recover(self, error: Exception) -> None:
        """Log an unexpected error, and scan all files again, so that no change is missed because of it."""
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        if fault != self._last_fault:
            self._last_fault = fault
            with suppress(Exception):  # the terminal may be closed, which must not stop the watcher
                self._log(f"The watcher failed, and goes on: {fault}")
        with self._bell:
            if self._bell.wait_for(lambda: self._stopping, FAULT_SECONDS):
                return
        try:
            self._attach()
        except Exception:  # events are unreliable then
            self._deaf = True
        self._next_walk = 0.0

    def _go_on(self) -> None:
        """Handle events, scans and changes of the watched paths, until the watcher is stopped."""
        while True:
            with self._bell:
                if self._stopping:
                    return
                wanted, self._wanted = self._wanted, None
                hinted = bool(self._new.hints)
                rest = self._next_walk - time.monotonic()
                if wanted is None and not hinted and rest > 0:
                    self._bell.wait(rest)
                    continue
            if wanted is not None:
                self._move_to(wanted)
            elif hinted:
                self._settle()
            else:
                self._walk()

    def _pause(self, seconds: float) -> None:
        """Wait for some seconds, or until there is a new hint."""
        with self._bell:
            if not self._stopping and not self._new.hints:
                self._bell.wait(seconds)

    def _settle(self) -> None:
        """Wait until no more hints come, and report which of the files that they name have changed."""
        batch = Batch(self._patience)
        before: dict[str, Stamp | None] | None = None
        while True:
            with self._bell:
                if self._stopping:
                    return
                batch.take(self._new)
            now = time.monotonic()
            rest = self._rest(batch, now)
            if rest > 0:
                self._pause(rest)
                continue
            folders = {name: hint is Hint.FOLDER for name, hint in batch.hints.items()}
            if any(folders.values()) and self._events and self._events.lost:
                self._attach()
            clock = time.time_ns()
            found = self._look(folders, self._stamps)
            changes = differences(folders, self._stamps, found)
            rest = batch.doubt(now, clock, changes, self._stamps)
            if rest <= 0 and batch.missed and changes != before:  # no event of closing: wait until stable
                before = changes
                rest = min(self._patience.open, batch.end - now)
            with self._bell:
                more = bool(self._new.hints) and now < batch.end
            if rest <= 0 and not more:
                break
            self._pause(rest)
        self._commit(batch, changes)

    def _rest(self, batch: Batch, now: float) -> float:
        """How many seconds to wait before files are examined."""
        rest = batch.rest(now, self._stamps)
        if rest > 0 or not self._git.busy(now, many=batch.many):
            return rest
        if now < batch.first + self._patience.longest_git:
            return _GIT_SECONDS
        self._git.give_up()
        return 0.0

    def _commit(self, batch: Batch, changes: dict[str, Stamp | None]) -> None:
        """Report the changed files, and record their new file stats."""
        reported = set()
        for name, new in changes.items():
            # Editors set a file's mode, to the same value, after they have written it.
            if not (batch.hints.get(name) is Hint.TOUCHED and only_noticed(self._stamps.get(name), new)):
                reported.add(name)
        if reported:
            self._tell(frozenset(reported))
        for name, new in changes.items():  # only after reporting: if that fails, the change is found again
            self._stamps.pop(name, None)
            if new is not None:
                self._stamps[name] = new
        if self._events and any(batch.hints.get(name) is Hint.MISSED for name in reported):
            if self._heard:  # the file system does send events, so a watch of some folder was lost
                self._attach()
            else:
                self._deaf = True

    def _walk(self) -> None:
        """Scan all files. A change that is found becomes a hint, as if an event had reported it."""
        if self._events and self._events.lost:
            self._attach()
        begin = time.monotonic()
        may_leave = self._left_off < _LEAVE_OFF
        leave = self._is_hinted if may_leave else None
        found = self._look(self._names, self._stamps, leave)
        if may_leave and self._is_hinted():  # a save must not wait for the scan
            self._left_off += 1
            self._next_walk = time.monotonic() + self._patience.longest
            return
        self.walks += 1
        self._left_off = 0
        self._plan_walk(begin)
        if found == self._stamps:
            return
        changes = differences(dict.fromkeys(self._names, True), self._stamps, found)
        with self._bell:
            for name in changes:
                self._new.note(name, Hint.MISSED, time.monotonic())

    def _look(
        self, names: Iterable[str], known: Container[str] = (), leave: Callable[[], bool] | None = None
    ) -> dict[str, Stamp]:
        return look(self._root, names, known, leave, self._followed)

    def _is_hinted(self) -> bool:
        return bool(self._new.hints)

    def _plan_walk(self, begin: float) -> None:
        now = time.monotonic()
        seconds = self._scan_seconds
        if self._deaf or self.reason:
            seconds = min(seconds, DEAF_SECONDS)
        self._next_walk = now + max(seconds, SHARE * (now - begin))

    def _attach(self) -> None:
        """Listen to events of the current folders; a scan finds earlier changes."""
        if self._events:
            self._heard = self._deaf = False
            self._events.attach(self._root, self._paths.files, self._tops, self._followed.folders)
            self._next_walk = 0.0

    def _go_to(self, paths: WatchedPaths) -> None:
        self._paths = paths
        self._root = str(paths.root.absolute())
        self._tops = paths.tops()
        self._followed = Followed(frozenset(paths.trusted), frozenset(paths.links))
        self._names = [*paths.files, *self._tops]
        self._git = Repository(paths.root.absolute(), self._patience)

    def _move_to(self, paths: WatchedPaths) -> None:
        if paths == self._paths:
            return
        self._go_to(paths)
        self._stamps = {
            name: stamp for name, stamp in self._stamps.items() if name in paths.files or is_in(name, self._tops)
        }
        self._attach()
        self._next_walk = 0.0
