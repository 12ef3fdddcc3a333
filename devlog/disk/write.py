"""Publish a site: all of it or, when anything is wrong, nothing.

New and changed files are first written into a hidden folder of the output; only when all are there are they
moved into place, one rename each. Then stale files go, then the folders that this left empty, and the new
manifest comes last. Before all this the manifest announces what is about to be written, so that after a kill
at any point the next build knows every file as its own.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from devlog.disk.changes import Changes, Copy, Planned, Write, compare
from devlog.disk.folder import Cursor, Folder, describe, new_digest, write_all
from devlog.disk.guard import check_output
from devlog.disk.manifest import (
    MANIFEST,
    STAGE,
    Entry,
    Manifest,
    entry_of,
    file_name,
    open_output,
    stage_manifest,
)
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.outpath import check_out_path, collision_key

__all__ = ["Copy", "Planned", "Published", "publish"]


class Published(msgspec.Struct, frozen=True):
    """What publishing did, each sorted by path.

    Attributes:
        written: new and changed files.
        unchanged: files that stayed as they were.
        removed: stale files.
        diagnostics: an error among them means that the site is as it was before, unless the system failed
            while files were moved into place; the next build puts that right.
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
) -> Published:
    """Make the output folder hold exactly the planned and the kept files.

    Files that devlog did not write are never touched.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: what the last build wrote, from `load_manifest`.
        planned: the files that are new or may differ from those there.
        keep: of the files that `unchanged` found, those that stay as they are.
        inputs: the content, static and theme folders, which the output must keep away from.
        durable: sync every file to the disk. Off by default: the manifest lets the next build find and
            replace whatever a power cut swallowed.

    Returns:
        What was done and what was wrong.

    Raises:
        ValueError: two planned paths collide, or one is not fit to be published: the plan must see to that.
    """
    kept = dict(keep or {})
    files = sorted(planned, key=lambda file: file.path)
    _check_plan(files, kept)
    if refused := check_output(root, output, inputs):
        return Published(diagnostics=refused)
    commit = _Commit(output, manifest, durable=durable)
    try:
        with open_output(root, output, create=True) as top:
            _clear(top)
            if not files and not manifest.pending and kept == manifest.entries:
                return Published(unchanged=tuple(kept))
            changes = compare(top, output, manifest, [_write(file) for file in files], kept)
            if any(problem.severity == "error" for problem in changes.diagnostics):
                return Published(diagnostics=changes.diagnostics)
            commit.run(top, changes, kept)
    except _StaleInputError as stale:
        return commit.result((problems.changed_while_building(stale.file),), ())
    except OSError as error:
        place = file_name(output, commit.current) if commit.current else output
        return commit.result((problems.cannot_write(place, describe(error)),), ())
    return commit.result(changes.diagnostics, tuple(sorted(kept.keys() | changes.same.keys())))


class _StaleInputError(Exception):
    """An input file no longer holds the bytes that were planned."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


class _Commit:
    """The steps of one publication, and how far it has come."""

    def __init__(self, output: str, manifest: Manifest, *, durable: bool) -> None:
        self._output = output
        self._manifest = manifest
        self._durable = durable
        self.current = ""
        self._written: list[str] = []
        self._removed: list[str] = []

    def result(self, diagnostics: tuple[Diagnostic, ...], unchanged: tuple[str, ...]) -> Published:
        """What has been done up to now."""
        return Published(tuple(self._written), unchanged, tuple(sorted(self._removed)), diagnostics)

    def run(self, top: Folder, changes: Changes, kept: Mapping[str, Entry]) -> None:
        """Carry out the changes. Raises OSError."""
        entries = {**changes.left, **kept, **changes.same}
        busy = changes.writes or changes.first or changes.last or self._manifest.pending
        if not busy and entries == self._manifest.entries:
            return
        with _staging(top) as stage:
            if changes.writes:
                self.current = MANIFEST
                announced = {write.file.path: write.digest for write in changes.writes}
                pending = {**self._manifest.pending, **announced}
                stage_manifest(stage, msgspec.structs.replace(self._manifest, pending=pending))
                stage.move(MANIFEST, top, MANIFEST)
            for index, write in enumerate(changes.writes):
                self.current = write.file.path
                entries[write.file.path] = self._stage(stage, str(index), write)
            self.current = MANIFEST
            stage_manifest(stage, Manifest(entries=dict(sorted(entries.items()))))
            self._remove(top, changes.first, (*changes.first, *changes.gone))
            self._put(stage, top, changes.writes)
            self._remove(top, changes.last, changes.last)
            self.current = MANIFEST
            stage.move(MANIFEST, top, MANIFEST)

    def _stage(self, stage: Folder, name: str, write: Write) -> Entry:
        """Write a file beside the site."""
        content = write.file.content
        fd = stage.create_file(name)
        try:
            if isinstance(content, bytes):
                write_all(fd, content)
            elif not _copy(content, fd):
                raise _StaleInputError(content.file)
            if self._durable:
                os.fsync(fd)
            return entry_of(os.fstat(fd), write.file.key, write.digest)
        finally:
            os.close(fd)

    def _put(self, stage: Folder, top: Folder, writes: tuple[Write, ...]) -> None:
        """Move the staged files into place, when all folders for them are there."""
        for create in (True, False):
            with Cursor(top) as cursor:
                for index, write in enumerate(writes):
                    self.current = write.file.path
                    folder_path, _, name = write.file.path.rpartition("/")
                    folder = cursor.enter(folder_path, create=create)
                    if not create:
                        stage.move(str(index), folder, name)
                        self._written.append(write.file.path)

    def _remove(self, top: Folder, paths: tuple[str, ...], left: tuple[str, ...]) -> None:
        """Remove files, then the folders above the `left` paths that are empty."""
        with Cursor(top) as cursor:
            for path in paths:
                self.current = path
                folder_path, _, name = path.rpartition("/")
                cursor.enter(folder_path).remove(name)
                self._removed.append(path)
        # Sorted backwards, what is inside a folder comes before the folder.
        folders = {path[:at] for path in left for at, character in enumerate(path) if character == "/"}
        with Cursor(top) as cursor:
            for path in sorted(folders, reverse=True):
                folder_path, _, name = path.rpartition("/")
                try:
                    cursor.enter(folder_path).remove_folder(name)
                except OSError:
                    continue  # not empty, so it is still needed, or someone else's


@contextmanager
def _staging(top: Folder) -> Iterator[Folder]:
    """A hidden folder for files on their way, empty at first and gone afterwards."""
    stage = top.folder(STAGE, create=True)
    try:
        yield stage
    finally:
        stage.close()
        _clear(top)


def _clear(top: Folder) -> None:
    """Remove the hidden folder with the files that a killed build has left in it."""
    try:
        with top.folder(STAGE) as stage:
            for entry in stage.scan():
                stage.remove(entry.name)
        top.remove_folder(STAGE)
    except FileNotFoundError:
        pass


def _copy(source: Copy, fd: int) -> bool:
    """Copy an input file; whether it still holds the bytes that were planned."""
    state = new_digest()
    with closing(_pieces(source)) as pieces:
        for piece in pieces:
            state.update(piece)
            write_all(fd, piece)
    return state.hexdigest() == source.digest


def _pieces(source: Copy) -> Generator[bytes]:
    """The bytes of an input file; they end early when it cannot be read any more, which the digest shows."""
    folder, _, name = source.file.rpartition("/")
    try:
        with Folder.open(source.root) as top, Cursor(top, follow=source.follow) as cursor:
            yield from cursor.enter(folder).read(name, follow=source.follow)
    except OSError:
        return


def _write(file: Planned) -> Write:
    if isinstance(file.content, Copy):
        return Write(file, file.content.digest)
    return Write(file, digest_bytes(file.content))


def _check_plan(files: list[Planned], kept: Mapping[str, Entry]) -> None:
    seen: set[str] = set()
    for file in files:
        if reason := check_out_path(file.path):
            raise ValueError(f"{file.path!r} {reason}")
        key = collision_key(file.path)
        if key in seen or file.path in kept:
            raise ValueError(f"{file.path!r} is planned twice")
        seen.add(key)
