"""Publish a site: all of it or, when anything is wrong, nothing.

New and changed files are first written beside the site (staged). Only when all are there, and the output folder has
been compared with what it must become, they are put into place: as a whole, by `devlog.disk.swap`, or where that
cannot be, file by file, by `devlog.disk.in_place`.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from devlog.disk import problems
from devlog.disk.apply import Applier
from devlog.disk.changes import Changes, Copy, Planned, Write, compare
from devlog.disk.folder import Cursor, Folder, describe, new_digest, write_all
from devlog.disk.guard import another_site, check_output
from devlog.disk.in_place import publish_in_place
from devlog.disk.lock import BusyError, open_alone
from devlog.disk.manifest import (
    STAGE,
    Entry,
    Manifest,
    Owner,
    entry_of,
    file_name,
    load_manifest,
    open_output,
    stage_manifest,
)
from devlog.disk.swap import OWN, Backstage, CannotSwapError, sweep
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.metadata import without_metadata
from devlog.model.outpath import check_out_path, collision_key

__all__ = ["Copy", "Planned", "Published", "Staging", "publish", "staging"]


class Published(msgspec.Struct, frozen=True):
    """What publishing did, each sorted by path.

    Attributes:
        written: new and changed files.
        unchanged: files that stayed as they were.
        removed: stale files.
        diagnostics: an error among them means that the site is as it was before, unless it is published file
            by file and the system failed amid that; the next build puts it right.
    """

    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def publish(
    root: Path,
    output: str,
    manifest: Manifest,
    planned: Iterable[Planned],
    *,
    keep: Mapping[str, Entry] | None = None,
    inputs: Iterable[str] = (),
    durable: bool = False,
    owner: Owner | None = None,
) -> Published:
    """Make the output folder hold exactly the planned and the kept files: `staging`, `add` and `commit` in one."""
    with staging(root, output, manifest, inputs=inputs, durable=durable, owner=owner) as stage:
        for file in planned:
            stage.add(file)
        return stage.commit(keep or {})


@contextmanager
def staging(
    root: Path,
    output: str,
    manifest: Manifest,
    *,
    inputs: Iterable[str] = (),
    durable: bool = False,
    owner: Owner | None = None,
) -> Iterator[Staging]:
    """Begin to publish a site.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: what the last build wrote, from `load_manifest`.
        inputs: the content, static and theme folders, which the output must keep away from.
        durable: sync every file to the disk. Off by default: the manifest lets the next build find and
            replace whatever a power cut swallowed.
        owner: the site; `None` leaves the output folder to whom it belongs.

    Yields:
        A place for new files. Unless it is told to `commit`, the site stays as it is.
    """
    refused = check_output(root, output, inputs)
    if owner and not refused and (reason := another_site(manifest, owner)):
        refused = (problems.unsafe_output(output, reason),)
    stage = Staging(root, output, manifest, refused, durable=durable, owner=owner)
    try:
        yield stage
    finally:
        stage.close()


class _StaleInputError(Exception):
    """An input file no longer holds the bytes that were planned."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


class Staging:
    """New files on their way into the output folder. Files that devlog did not write are never touched."""

    def __init__(
        self,
        root: Path,
        output: str,
        manifest: Manifest,
        refused: tuple[Diagnostic, ...],
        *,
        durable: bool,
        owner: Owner | None,
    ) -> None:
        self._root = root
        self._output = output
        self._manifest = manifest
        self._durable = durable
        self._owner = owner or manifest.owner
        self._problems = refused  # after a problem nothing more is done
        self._current = ""
        self._backstage: Backstage | None = None
        self._top: Folder | None = None
        self._stage: Folder | None = None
        self._made = False
        self._files: list[Write] = []
        self._keys: set[str] = set()
        self._by: Applier | None = None

    def add(self, file: Planned) -> None:
        """Write a file beside the site.

        Raises:
            ValueError: its path is not fit to be published, or another file has it: the plan must see to that.
        """
        reason = check_out_path(file.path)
        key = collision_key(file.path)
        if reason or key in self._keys:
            raise ValueError(f"{file.path!r} {reason or 'is planned twice'}")
        self._keys.add(key)
        if not self._problems:
            with self._guarded():
                self._current = file.path
                self._add(file)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what the system refuses into a problem."""
        try:
            yield
        except _StaleInputError as stale:
            self._problems = (problems.changed_while_building(stale.file),)
        except BusyError:
            self._problems = (problems.locked(self._output, ""),)
        except OSError as error:
            place = file_name(self._output, self._current) if self._current else self._output
            self._problems = (problems.cannot_write(place, describe(error)),)

    def _open(self) -> tuple[Folder, Folder]:
        """The output folder, and the one for new files, empty at first."""
        if self._top is None or self._stage is None:
            place = self._root / self._output
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._backstage = Backstage(self._root, self._output)
                self._top, self._stage = self._backstage.top, self._backstage.stage
            except OSError:
                self._made = not place.exists()
                self._top = open_output(self._root, self._output, create=True)
                self._stage = open_alone(self._top, STAGE)
                _empty(self._stage)
            if self._was_published_meanwhile(place):
                raise BusyError
        return self._top, self._stage

    def _was_published_meanwhile(self, place: Path) -> bool:
        """Whether another checkout of the site, which has a lock of its own, has published into the same folder."""
        if place.parent.resolve().is_relative_to(self._root.resolve()):
            return False  # the lock of this site keeps others away
        return load_manifest(self._root, self._output)[0] != self._manifest

    def _add(self, file: Planned) -> None:
        _, stage = self._open()
        name = str(len(self._files))
        fd = stage.create_file(name)
        try:
            content = _stripped(file.content) if isinstance(file.content, Copy) and file.content.strip else file.content
            if isinstance(content, bytes):
                digest = digest_bytes(content)
                write_all(fd, content)
            else:
                digest = content.digest
                if not _copy(content, fd):
                    raise _StaleInputError(content.file)
            if self._durable:
                os.fsync(fd)
            self._files.append(Write(file.path, digest, name, entry_of(os.fstat(fd), file.key, digest)))
        finally:
            os.close(fd)

    def commit(self, keep: Mapping[str, Entry]) -> Published:
        """Make the output folder hold exactly the files that were added, and those of before that are kept.

        Args:
            keep: of the files that `unchanged` found, those that stay as they are.

        Returns:
            What was done and what was wrong.

        Raises:
            ValueError: a file is kept and planned.
        """
        for write in self._files:
            if write.path in keep:
                raise ValueError(f"{write.path!r} is planned twice")
        unchanged: tuple[str, ...] = ()
        warnings: tuple[Diagnostic, ...] = ()
        if not self._problems:
            with self._guarded():
                self._current = ""
                unchanged, warnings = self._commit(keep)
        if self._problems:
            unchanged, warnings = (), self._problems
        written, removed = (self._by.written, self._by.removed) if self._by else ((), ())
        return Published(tuple(written), unchanged, tuple(sorted(removed)), warnings)

    def _commit(self, keep: Mapping[str, Entry]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
        manifest = self._manifest
        owned = manifest.owner == self._owner or not keep
        if not self._files and owned and not manifest.pending and dict(keep) == manifest.entries:
            self._tidy()
            return tuple(sorted(keep)), ()
        top, stage = self._open()
        changes = compare(top, self._output, manifest, sorted(self._files, key=lambda write: write.path), keep)
        if any(problem.severity == "error" for problem in changes.diagnostics):
            return (), changes.diagnostics
        for name in {write.name for write in self._files} - {write.name for write in changes.writes}:
            stage.remove(name)  # the same bytes stand there already
        entries = {**changes.left, **keep, **changes.same, **{write.path: write.entry for write in changes.writes}}
        new = msgspec.structs.replace(manifest, entries=dict(sorted(entries.items())), pending={}, owner=self._owner)
        if changes.writes or changes.first or changes.last or changes.gone:
            self._carry_out(top, stage, changes, new)
        elif new != manifest:
            stage_manifest(stage, new)
            Applier(top, stage).settle()
        kept = self._backstage.kept if self._backstage else []
        told = tuple(
            problems.kept_output(file_name(self._output, path), f"{OWN}/{place}") for path, place in sorted(kept)
        )
        return tuple(sorted(keep.keys() | changes.same.keys())), changes.diagnostics + told

    def _carry_out(self, top: Folder, stage: Folder, changes: Changes, new: Manifest) -> None:
        if self._backstage:
            by = Applier(self._backstage.spare, stage)
            with suppress(CannotSwapError), self._named(by):
                self._backstage.publish(changes, self._manifest, new, by)
                self._by = by
                return
        self._by = Applier(top, stage)
        with self._named(self._by):
            publish_in_place(top, stage, changes, self._manifest, new, self._by)

    @contextmanager
    def _named(self, by: Applier) -> Iterator[None]:
        """Name in a message the file at which the system refuses."""
        try:
            yield
        except OSError:
            self._current = by.current
            raise

    def _tidy(self) -> None:
        """Remove what a killed build has left, when there is nothing to do."""
        with suppress(OSError), open_output(self._root, self._output) as top:
            _clear(top)
        sweep(self._root, self._output)

    def close(self) -> None:
        """Leave nothing of one's own behind but the site, and the spare folder of the next build."""
        if self._backstage is not None:
            self._backstage.close()
            return
        if self._top is not None:
            if self._stage is not None:
                with suppress(OSError):
                    _empty(self._stage)
                    self._top.remove_folder(STAGE)
                self._stage.close()
            self._top.close()
        if self._made:
            with suppress(OSError):  # not empty, so there is a site in it
                (self._root / self._output).rmdir()


def _clear(top: Folder) -> None:
    """Remove the hidden folder with the files that a killed build has left in it."""
    with suppress(FileNotFoundError, BusyError), open_alone(top, STAGE, create=False, wait=0) as stage:
        _empty(stage)
        top.remove_folder(STAGE)


def _empty(stage: Folder) -> None:
    """Remove all files in a folder."""
    for entry in stage.scan():
        stage.remove(entry.name)


def _copy(source: Copy, fd: int) -> bool:
    """Copy an input file; whether it still holds the bytes that were planned."""
    state = new_digest()
    with closing(_pieces(source)) as pieces:
        for piece in pieces:
            state.update(piece)
            write_all(fd, piece)
    return state.hexdigest() == source.digest


def _stripped(source: Copy) -> bytes:
    """A picture without its metadata."""
    with closing(_pieces(source)) as pieces:
        data = b"".join(pieces)
    if digest_bytes(data) != source.digest:
        raise _StaleInputError(source.file)
    return without_metadata(data)


def _pieces(source: Copy) -> Generator[bytes]:
    """The bytes of an input file; they end early when it cannot be read any more, which the digest shows."""
    folder, _, name = source.file.rpartition("/")
    try:
        with Folder.open(source.root) as top, Cursor(top, follow=source.follow) as cursor:
            yield from cursor.enter(folder).read(name, follow=source.follow)
    except OSError:
        return
