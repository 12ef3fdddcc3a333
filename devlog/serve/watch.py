"""Notices what changes in a site's files. Events are hints; what the system says of the files is the truth.

An event says where to look. When there have been no more for a moment, the files it named are compared with what is
known of them, and those that differ are told, once for every time that something is saved. Now and then all files are
compared: this finds what no event told of, on file systems that send none, or because a folder was replaced by
another one of the same name.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath

import msgspec

from devlog.serve.debounce import PATIENCE, Batch, Hint, Patience
from devlog.serve.events import Events
from devlog.serve.file_stats import Stamp, differences, is_in, look, only_noticed
from devlog.serve.repository import Repository

DEAF_SECONDS = 1.0
"""How often all files are looked at when there are no events."""
SHARE = 50
"""A look at all files may take one part in so many of the time."""
_LEAVE_OFF = 3  # times in a row that a look at all files gives way to hints
_GIT_SECONDS = 0.02
_STOP_SECONDS = 5.0
FAULT_SECONDS = 1.0
"""How long to rest after a fault."""


class WatchedPaths(msgspec.Struct, frozen=True):
    """What to watch.

    Attributes:
        root: the site's folder.
        folders: relative to it, with all that they hold; those that are missing may appear later. Links in them are
            not followed.
        files: relative to it.
        outside: folders elsewhere, such as that of a built-in theme. Links in them are followed.
    """

    root: Path
    folders: tuple[str, ...]
    files: tuple[str, ...] = ()
    outside: tuple[Path, ...] = ()

    def tops(self) -> list[str]:
        """The folders' names, each once; the site's own folder is an empty one."""
        own = [PurePath(folder).as_posix() for folder in self.folders]
        names = ["" if name == "." else name for name in own] + [str(path.absolute()) for path in self.outside]
        return list(dict.fromkeys(names))


class Watcher:
    """Tells which files have changed, appeared or vanished.

    Attributes:
        walks: how many times all files have been looked at, after the first.
    """

    def __init__(
        self,
        paths: WatchedPaths,
        tell: Callable[[frozenset[str]], None],
        *,
        scan_seconds: float = 2.0,
        events: bool = True,
        patience: Patience = PATIENCE,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Watch nothing yet.

        Args:
            paths: what to watch.
            tell: is called with names of files, at least one, in a thread of its own and never twice at a time.
                Names are relative to the root, with ``/``, and absolute for folders outside of it.
            scan_seconds: how often all files are looked at.
            events: whether to use what the system tells of changes.
            patience: how long to wait until a save is complete.
            log: is told in one line of every fault, in the same thread as `tell`; of one that recurs only once.
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
        """Why there are no events, in words; empty when there are."""
        return self._events.reason if self._events else ""

    def start(self) -> None:
        """Note what is there, before this returns, and tell what changes from now on."""
        self._attach()
        begin = time.monotonic()
        self._stamps = look(self._root, self._names)
        self._plan_walk(begin)
        self._thread = threading.Thread(target=self._run, name="devlog-watch", daemon=True)
        self._thread.start()

    def watch(self, paths: WatchedPaths) -> None:
        """Watch other paths from now on. Files in folders that were not watched before are told as having appeared.

        So nothing is lost that changes while a new configuration is being read.
        """
        with self._bell:
            self._wanted = paths
            self._bell.notify()

    def stop(self) -> None:
        """Tell nothing more, and end the threads."""
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
        """Tell of a fault, and look at everything anew: whatever it cost, what has changed is found then."""
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        if fault != self._last_fault:
            self._last_fault = fault
            with suppress(Exception):  # the terminal may have been closed: that is no reason to be deaf
                self._log(f"The watcher failed, and goes on: {fault}")
        with self._bell:
            if self._bell.wait_for(lambda: self._stopping, FAULT_SECONDS):
                return
        try:
            self._attach()
        except Exception:  # then there are no events to rely on
            self._deaf = True
        self._next_walk = 0.0

    def _go_on(self) -> None:
        """Do all that there is to do, again and again, until it is to stop."""
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
        """Wait, but not when there is something new."""
        with self._bell:
            if not self._stopping and not self._new.hints:
                self._bell.wait(seconds)

    def _settle(self) -> None:
        """Wait until there are no more hints, and tell which of the files they name have changed."""
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
            changes = differences(self._root, folders, self._stamps)
            rest = batch.doubt(now, clock, changes, self._stamps)
            if rest <= 0 and batch.missed and changes != before:  # nobody tells when it is closed: until it stays
                before = changes
                rest = min(self._patience.open, batch.end - now)
            with self._bell:
                more = bool(self._new.hints) and now < batch.end
            if rest <= 0 and not more:
                break
            self._pause(rest)
        self._commit(batch, changes)

    def _rest(self, batch: Batch, now: float) -> float:
        """How long to wait before it is worth looking at files."""
        rest = batch.rest(now, self._stamps)
        if rest > 0 or not self._git.busy(now, many=batch.many):
            return rest
        if now < batch.first + self._patience.longest_git:
            return _GIT_SECONDS
        self._git.give_up()
        return 0.0

    def _commit(self, batch: Batch, changes: dict[str, Stamp | None]) -> None:
        """Tell what has changed, and remember it."""
        told = set()
        for name, new in changes.items():
            # Editors set a file's mode, to what it was, after they have written it.
            if not (batch.hints.get(name) is Hint.TOUCHED and only_noticed(self._stamps.get(name), new)):
                told.add(name)
        if told:
            self._tell(frozenset(told))
        for name, new in changes.items():  # only now: what could not be told is found again
            self._stamps.pop(name, None)
            if new is not None:
                self._stamps[name] = new
        if self._events and any(batch.hints.get(name) is Hint.MISSED for name in told):
            if self._heard:  # it is not the file system that is deaf: a folder has got lost
                self._attach()
            else:
                self._deaf = True

    def _walk(self) -> None:
        """Look at all files; what has changed is a hint that no event gave."""
        if self._events and self._events.lost:
            self._attach()
        begin = time.monotonic()
        may_leave = self._left_off < _LEAVE_OFF
        found = look(self._root, self._names, self._stamps, self._is_hinted if may_leave else None)
        if may_leave and self._is_hinted():  # somebody has saved something, and need not wait for this
            self._left_off += 1
            self._next_walk = time.monotonic() + self._patience.longest
            return
        self.walks += 1
        self._left_off = 0
        self._plan_walk(begin)
        if found == self._stamps:
            return
        changes = differences(self._root, dict.fromkeys(self._names, True), self._stamps, found)
        with self._bell:
            for name in changes:
                self._new.note(name, Hint.MISSED, time.monotonic())

    def _is_hinted(self) -> bool:
        return bool(self._new.hints)

    def _plan_walk(self, begin: float) -> None:
        now = time.monotonic()
        seconds = self._scan_seconds
        if self._deaf or self.reason:
            seconds = min(seconds, DEAF_SECONDS)
        self._next_walk = now + max(seconds, SHARE * (now - begin))

    def _attach(self) -> None:
        """Listen to what there is now; what happened before this is for a walk to find."""
        if self._events:
            self._heard = self._deaf = False
            self._events.attach(self._root, self._paths.files, self._tops)
            self._next_walk = 0.0

    def _go_to(self, paths: WatchedPaths) -> None:
        self._paths = paths
        self._root = str(paths.root.absolute())
        self._tops = paths.tops()
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
