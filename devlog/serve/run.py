"""The command ``devlog serve``: starts the preview, its server and its watcher, and writes to the terminal."""

from __future__ import annotations

import gc
import os
import signal
import threading
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from devlog.disk.catalog import FOLDER as CATALOGS
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.disk.theme import OVERRIDES
from devlog.engine.jobs import CHANGE, Jobs
from devlog.inputs import Inputs
from devlog.serve.app import App
from devlog.serve.changes import Change
from devlog.serve.console import Console
from devlog.serve.guard import address, allow
from devlog.serve.hub import Hub
from devlog.serve.preview import Options, Preview
from devlog.serve.repository import checkout_files, own_files
from devlog.serve.server import Server, bind, most_connections
from devlog.serve.watch import WatchedPaths, Watcher

AT_LEAST, AT_MOST = 0.1, 600.0
"""The seconds after which to look again whether a post appears or expires."""

RETRY, RETRY_AT_MOST = 2.0, 30.0
"""The seconds after which to read again what could not be read; each further attempt waits twice as long."""

WATCH_AFTER = 0.3
"""Seconds between printing the URL and starting the watcher."""

WATCH_AGAIN = 2.0
"""Seconds until the next attempt, if the watcher could not be started. Each one looks at all files."""


def serve(root: Path, host: str, port: int, names: Sequence[str], *, drafts: bool, browser: bool) -> None:
    """Run the preview of a site until the program is interrupted.

    Args:
        root: the site's folder.
        host: the host name or IP address to listen on.
        port: the first port to try.
        names: host names to accept in requests, in addition to those of this machine.
        drafts: whether to show drafts, scheduled posts and expired posts.
        browser: whether to open a browser.

    Raises:
        click.ClickException: the preview cannot listen on that host and port.
    """
    root = root.absolute()  # the folder may be removed and made again, and the current one with it
    console = Console()
    try:
        listener = bind(host, port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.ClickException(f"cannot listen on {host}:{port}: {reason}") from None
    number = listener.getsockname()[1]
    if number != port and port:
        console.note(f"Port {port} is taken.")
    origin = address(names[0] if names else host, number)
    hub, jobs = Hub(), Jobs()
    jobs.stop_at(signal.SIGINT, signal.SIGTERM)  # a shell starts background jobs with SIGINT ignored
    gc.disable()  # the objects of a site have no reference cycles
    preview = Preview(Options(root, origin, drafts), jobs, hub.pages)
    server = Server(console.note, connections=most_connections())
    session = _Session(root, preview, hub, jobs, console)
    try:
        began = preview.change(frozenset())
        assert began
        config = preview.inputs.config
        app = App(preview, hub, allow(number, names, host), console.note, policy=preview.policy)
        server.start(app, listener)
        server.started.wait()
        if not server.running:
            raise click.ClickException("the server could not start")
        console.address(origin + config.base_path)
        console.began(config.title, began, preview.posts, preview.reading, preview.diagnostics)
        if browser:
            click.launch(origin + config.base_path)
        session.begin()
        _settle()
        jobs.run(session.idle)
    except KeyboardInterrupt:
        pass
    finally:
        session.end()
        server.stop()
        preview.close()


class _Session:
    """The work after the first page: follows changes of files, and parses the posts that are only sketches yet."""

    def __init__(self, root: Path, preview: Preview, hub: Hub, jobs: Jobs, console: Console) -> None:
        self._root = root
        self._preview = preview
        self._hub = hub
        self._jobs = jobs
        self._console = console
        self._watcher: Watcher | None = None
        self._may_read_on = False
        self._is_behind = False  # whether the last attempt to follow changes failed
        self._last_fault = ""
        self._is_advised = False
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._names: set[str] = set()
        self._timer = threading.Timer(WATCH_AFTER, self._watch)
        self._timer.daemon = True
        self._alarm: threading.Timer | None = None
        self._retry = 0.0  # after how many seconds it looks again for what could not be read; 0 if all could

    def begin(self) -> None:
        """Start the watcher after a short delay, so that the first page comes first.

        Changes in the meantime are found when the watcher starts.
        """
        self._timer.start()

    def _watch(self) -> None:
        """Start the watcher, and look for changes since the files were read.

        If it cannot be started, files are looked at between attempts, so that the preview follows them nevertheless.
        """
        self._may_read_on = True
        is_reported = False
        while not self._ended.is_set():
            try:
                self._watcher = self._started()
            except Exception:
                if not is_reported:
                    self._fault("watch for changes")
                is_reported = True
            self._jobs.submit(CHANGE, self._follow, True)
            if self._watcher:
                break
            self._ended.wait(WATCH_AGAIN)

    def _started(self) -> Watcher:
        """A watcher that runs."""
        watcher = Watcher(self._watched_paths(), self._heard, log=self._console.note)
        try:
            watcher.start()
        except Exception:
            watcher.stop()
            raise
        if watcher.reason:
            self._console.note(f"Changes are noticed a little later than usual: {watcher.reason}.")
        return watcher

    def _heard(self, names: frozenset[str]) -> None:
        with self._lock:
            self._names |= names
        self._jobs.submit(CHANGE, self._follow, False)

    def _follow(self, everything: bool) -> None:
        """Update the preview with all reported changes.

        Args:
            everything: whether any file may have changed, rather than only the reported ones.
        """
        with self._lock:
            names, self._names = frozenset(self._names), set()
        if not names and not everything:
            return  # an earlier job has handled it
        self._is_behind = True
        try:
            change = self._preview.change(frozenset() if everything else names)
            if change:
                self._tell(change)
            self._advise()
            if self._watcher:
                self._watcher.watch(self._watched_paths())
            self._is_behind = False
        except Exception:
            self._fault("follow a change")
        self._set_alarm()

    def _set_alarm(self) -> None:
        """Look again when the next post appears or expires, and for what could not be read."""
        if self._alarm:
            self._alarm.cancel()
        waits = []
        left = self._preview.seconds_left
        if left is not None:
            # The computer may sleep, and its clock may be set, meanwhile. While errors keep the last good site in view,
            # the time stays past.
            waits.append(min(max(left, AT_LEAST), AT_MOST) if left > 0 else AT_MOST)
        # No event says that the system can read again, or that a disk answers. What will never be read costs little.
        is_behind = self._is_behind or self._preview.is_incomplete  # reading on may leave something unread, too
        self._retry = min(max(2 * self._retry, RETRY), RETRY_AT_MOST) if is_behind else 0.0
        if self._retry:
            waits.append(self._retry)
        if waits:
            self._alarm = threading.Timer(min(waits), self._jobs.submit, (CHANGE, self._follow, True))
            self._alarm.daemon = True
            self._alarm.start()

    def _watched_paths(self) -> WatchedPaths:
        return _watched_paths(self._root, self._preview.inputs)

    def _tell(self, change: Change) -> None:
        self._hub.publish(change.update)
        self._console.changed(change, self._preview.diagnostics)

    def _advise(self) -> None:
        """Report, once, that code has changed that only another process can run."""
        if self._preview.advice and not self._is_advised:
            self._is_advised = True
            self._console.note(self._preview.advice)

    def idle(self) -> bool:
        """Publish problems that requests have found and, once the watcher runs, parse more posts.

        Returns:
            Whether there is more to parse.
        """
        try:
            news = self._preview.news()
            if news:
                self._hub.publish(news)
                self._console.problems(self._preview.diagnostics)
            return self._may_read_on and self._read_on()
        except Exception:
            self._fault("read on")
            return False

    def _read_on(self) -> bool:
        if self._preview.is_reading:
            change = self._preview.read_more()
            if change:
                self._tell(change)
                self._advise()
                self._preview.remember()
                self._set_alarm()
                _settle()
        return self._preview.is_reading

    def _fault(self, what: str) -> None:
        """Report a bug in devlog, once if it repeats: it stops the current step, not the preview."""
        trace = traceback.format_exc()
        if trace == self._last_fault:
            return
        self._last_fault = trace
        self._console.note(f"The preview failed to {what}. Please report this:")
        for line in trace.splitlines():
            self._console.note(line)

    def end(self) -> None:
        """Stop watching. If the watcher is just starting, wait for that: half of one cannot be stopped."""
        self._timer.cancel()
        self._ended.set()
        if self._alarm:
            self._alarm.cancel()
        if self._timer.is_alive():
            self._timer.join()
        if self._watcher:
            self._watcher.stop()


def _watched_paths(root: Path, inputs: Inputs) -> WatchedPaths:
    """The files and folders that the site depends on."""
    config, theme = inputs.config, inputs.loaded.folders
    trusted = (folder.relative_to(root) if folder.is_relative_to(root) else folder.absolute() for folder in theme)
    own = map(config.in_theme_folder, (OVERRIDES, CATALOGS, "themes"))
    folders = (config.content, config.static, *config.mounts.values(), *own)
    links = (*config.programs, *_programs(root, inputs))
    files = (*CONFIGURATIONS, *config.files, *links, *_git_files(root, inputs))
    folders = tuple(dict.fromkeys(folders))
    return WatchedPaths(root, folders, files, tuple(folder.as_posix() for folder in trusted), links)


def _programs(root: Path, inputs: Inputs) -> Iterator[str]:
    """The programs of commands that draw, which are found in ``PATH``."""
    diagrams = inputs.config.diagrams.values()
    if diagrams:
        from devlog.programs import place_of  # loads what starts programs: few sites name one

        yield from _named(root, filter(None, (place_of(diagram.command) for diagram in diagrams)))


def _git_files(root: Path, inputs: Inputs) -> Iterator[str]:
    """Those of git: of the site's repository, which has dates of posts, and of the checkout that they cite."""
    yield from _named(root, (*own_files(root), *checkout_files(root, inputs.config.source_checkout)))


def _named(root: Path, files: Iterable[Path]) -> Iterator[str]:
    """The names of files anywhere, relative to the site's folder."""
    for file in files:
        with suppress(ValueError):  # it is on another drive
            yield os.path.relpath(file, root.resolve())


def _settle() -> None:
    """Exclude the current objects from garbage collection: in a large site it takes long, and there are no cycles."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
