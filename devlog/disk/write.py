"""Publish a site: all of it or, when anything is wrong, nothing.

New and changed files are first written into a hidden folder of the output; only when all are there are they
moved into place, one rename each. Then stale files go, then the folders that this left empty, and the new
manifest comes last. Before all this the manifest announces what is about to be written, so that after a kill
at any point the next build knows every file as its own.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
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

__all__ = ["Copy", "Planned", "Published", "Staging", "publish", "staging"]


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
    """Make the output folder hold exactly the planned and the kept files: `staging`, `add` and `commit` in one."""
    with staging(root, output, manifest, inputs=inputs, durable=durable) as stage:
        for file in planned:
            stage.add(file)
        return stage.commit(keep or {})


@contextmanager
def staging(
    root: Path, output: str, manifest: Manifest, *, inputs: Iterable[str] = (), durable: bool = False
) -> Iterator[Staging]:
    """Begin to publish a site.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: what the last build wrote, from `load_manifest`.
        inputs: the content, static and theme folders, which the output must keep away from.
        durable: sync every file to the disk. Off by default: the manifest lets the next build find and
            replace whatever a power cut swallowed.

    Yields:
        A place for new files. Unless it is told to `commit`, the site stays as it is.
    """
    stage = Staging(root, output, manifest, check_output(root, output, inputs), durable=durable)
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
        self, root: Path, output: str, manifest: Manifest, refused: tuple[Diagnostic, ...], *, durable: bool
    ) -> None:
        self._root = root
        self._output = output
        self._manifest = manifest
        self._durable = durable
        self._problems = refused  # after a problem nothing more is done
        self._current = ""
        self._top: Folder | None = None
        self._stage: Folder | None = None
        self._made = not (root / output).exists()
        self._files: list[Write] = []
        self._keys: set[str] = set()
        self._written: list[str] = []
        self._removed: list[str] = []

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
        except OSError as error:
            place = file_name(self._output, self._current) if self._current else self._output
            self._problems = (problems.cannot_write(place, describe(error)),)

    def _open_top(self) -> Folder:
        """The output folder, without what a killed build has left in the hidden one."""
        if self._top is None:
            self._top = open_output(self._root, self._output, create=True)
            _clear(self._top)
        return self._top

    def _open(self) -> tuple[Folder, Folder]:
        """The output folder, and the hidden one inside it, empty at first."""
        top = self._open_top()
        if self._stage is None:
            self._stage = top.folder(STAGE, create=True)
        return top, self._stage

    def _add(self, file: Planned) -> None:
        _, stage = self._open()
        name = str(len(self._files))
        fd = stage.create_file(name)
        try:
            if isinstance(file.content, bytes):
                digest = digest_bytes(file.content)
                write_all(fd, file.content)
            else:
                digest = file.content.digest
                if not _copy(file.content, fd):
                    raise _StaleInputError(file.content.file)
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
        return Published(tuple(self._written), unchanged, tuple(sorted(self._removed)), warnings)

    def _commit(self, keep: Mapping[str, Entry]) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
        manifest = self._manifest
        self._open_top()
        if not self._files and not manifest.pending and dict(keep) == manifest.entries:
            return tuple(keep), ()
        top, stage = self._open()
        changes = compare(top, self._output, manifest, sorted(self._files, key=lambda write: write.path), keep)
        if any(problem.severity == "error" for problem in changes.diagnostics):
            return (), changes.diagnostics
        for name in {write.name for write in self._files} - {write.name for write in changes.writes}:
            stage.remove(name)  # the same bytes stand there already
        entries = {**changes.left, **keep, **changes.same, **{write.path: write.entry for write in changes.writes}}
        if changes.writes or changes.first or changes.last or manifest.pending or entries != manifest.entries:
            self._carry_out(top, stage, changes, Manifest(entries=dict(sorted(entries.items()))))
        return tuple(sorted(keep.keys() | changes.same.keys())), changes.diagnostics

    def _carry_out(self, top: Folder, stage: Folder, changes: Changes, manifest: Manifest) -> None:
        self._current = MANIFEST
        if changes.writes:
            announced = {write.path: write.digest for write in changes.writes}
            pending = {**self._manifest.pending, **announced}
            stage_manifest(stage, msgspec.structs.replace(self._manifest, pending=pending))
            stage.move(MANIFEST, top, MANIFEST)
        stage_manifest(stage, manifest)  # now, while a full disk can still be told without harm
        self._remove(top, changes.first, (*changes.first, *changes.gone))
        self._put(stage, top, changes.writes)
        self._remove(top, changes.last, changes.last)
        self._current = MANIFEST
        stage.move(MANIFEST, top, MANIFEST)

    def _put(self, stage: Folder, top: Folder, writes: tuple[Write, ...]) -> None:
        """Move the staged files into place, when all folders for them are there."""
        for create in (True, False):
            with Cursor(top) as cursor:
                for write in writes:
                    self._current = write.path
                    folder_path, _, name = write.path.rpartition("/")
                    folder = cursor.enter(folder_path, create=create)
                    if not create:
                        stage.move(write.name, folder, name)
                        self._written.append(write.path)

    def _remove(self, top: Folder, paths: tuple[str, ...], left: tuple[str, ...]) -> None:
        """Remove files, then the folders above the `left` paths that are empty."""
        with Cursor(top) as cursor:
            for path in paths:
                self._current = path
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

    def close(self) -> None:
        """Leave nothing of one's own behind but the site."""
        if self._stage is not None:
            self._stage.close()
        if self._top is not None:
            with suppress(OSError):
                _clear(self._top)
            self._top.close()
        if self._made:
            with suppress(OSError):  # not empty, so there is a site in it
                (self._root / self._output).rmdir()


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
