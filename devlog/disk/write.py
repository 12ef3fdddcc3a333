"""Publishes a site: all of it or, if anything fails, nothing.

New and changed files are first written to a staging folder. When all are written, and the output folder has been
compared with the planned files, they are put into place: all at once, by `devlog.disk.swap`, or if that is impossible,
file by file, by `devlog.disk.in_place`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from devlog.disk import problems
from devlog.disk.apply import Applier
from devlog.disk.changes import Changes, Copy, Planned, Write, compare, hidden_paths
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
from devlog.disk.rescue import Keeper
from devlog.disk.swap import Backstage, CannotSwapError, sweep
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.metadata import without_metadata
from devlog.model.minify import minified
from devlog.model.outpath import check_out_path, collision_key

_NAMED = 5
"""How many kept files are named."""

__all__ = ["Copy", "Planned", "Published", "Staging", "staging"]


class Published(msgspec.Struct, frozen=True):
    """The result of publishing.

    Attributes:
        written: the paths of new and changed files, sorted.
        unchanged: the paths of unchanged files, sorted.
        removed: the paths of removed stale files, sorted.
        diagnostics: the problems. If there is an error among them, the site is unchanged, unless it was being published
            file by file when the system failed; the next build repairs that.
    """

    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


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
    """Start to publish a site.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: the manifest of the last build, from `load_manifest`.
        inputs: the content, static and theme folders, which the output folder must not overlap.
        durable: whether to sync every file to the disk. Off by default: with the manifest, the next build finds and
            replaces files that were lost in a power failure.
        owner: the identity of the site; `None` to keep the current owner of the output folder.

    Yields:
        A `Staging` for new files. Unless its `commit` is called, the site stays unchanged.
    """
    refused = check_output(root, output, inputs)
    if owner and not refused and (reason := another_site(manifest, owner)):
        refused = (problems.unsafe_output(output, reason),)
    stage = Staging(root, output, manifest, refused, durable=durable, owner=owner)
    try:
        yield stage
    finally:
        stage.close()


_LACKING = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO}
"""Errors of reading a file that do not mean that it has changed."""


class _InputError(Exception):
    """An input file cannot be read, or no longer has the bytes that were planned."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Staging:
    """Stages new files for the output folder, and publishes them. It never changes files that devlog did not write."""

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
        self._configured = ""
        self._manifest = manifest
        self._durable = durable
        self._owner = owner or manifest.owner
        self._problems = refused  # after a problem, all further calls do nothing
        self._current = ""
        self._backstage: Backstage | None = None
        self._top: Folder | None = None
        self._stage: Folder | None = None
        self._made = False
        self._files: list[Write] = []
        self._keys: set[str] = set()
        self._by: Applier | None = None

    def keep_apart(self, configured: str) -> None:
        """Work in another spare folder than the output folder of the site's configuration, unless this is that one.

        Args:
            configured: that output folder, relative to the site's folder, or absolute.
        """
        self._configured = configured

    def add(self, file: Planned) -> None:
        """Write a file to the staging folder.

        Raises:
            ValueError: if its path cannot be published, or another file has the same path: the plan must ensure that
                neither happens.
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
        """Turn system errors into problems."""
        try:
            yield
        except _InputError as error:
            self._problems = (error.problem,)
        except BusyError:
            self._problems = (problems.locked(self._output, ""),)
        except OSError as error:
            place = file_name(self._output, self._current) if self._current else self._output
            self._problems = (problems.cannot_write(place, describe(error)),)

    def _open(self) -> tuple[Folder, Folder]:
        """Open the output folder and the staging folder, which is empty at first."""
        if self._top is None or self._stage is None:
            place = self._root / self._output
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._backstage = Backstage(self._root, self._output, self._configured)
                self._top, self._stage = self._backstage.top, self._backstage.stage
                _clear(self._top)  # the output may only get another manifest, or in the end be published in place
            except OSError:
                self._made = not place.exists()
                self._top = open_output(self._root, self._output, create=True)
                self._stage = open_alone(self._top, STAGE)
                self._stage.clear()
            if self._was_published_meanwhile(place):
                raise BusyError
        return self._top, self._stage

    def _was_published_meanwhile(self, place: Path) -> bool:
        """Whether another checkout of the site, which has its own lock, has just published into the same folder."""
        if place.parent.resolve().is_relative_to(self._root.resolve()):
            return False  # the lock of this site excludes others
        return load_manifest(self._root, self._output)[0] != self._manifest

    def _add(self, file: Planned) -> None:
        _, stage = self._open()
        name = str(len(self._files))
        fd = stage.create_file(name)
        try:
            content = file.content
            if isinstance(content, Copy) and (content.strip or content.minify):
                content = _changed(content)
            if isinstance(content, bytes):
                digest = digest_bytes(content)
                write_all(fd, content)
            else:
                digest = content.digest
                if not _copy(content, fd):
                    raise _InputError(problems.changed_while_building(content.file))
            if self._durable:
                os.fsync(fd)
            self._files.append(Write(file.path, digest, name, entry_of(os.fstat(fd), file.key, digest)))
        finally:
            os.close(fd)

    def commit(self, keep: Mapping[str, Entry]) -> Published:
        """Make the output folder contain exactly the files that were added, and the earlier ones that are kept.

        Args:
            keep: the files to keep, of those that `unchanged` found.

        Returns:
            The result, with problems.

        Raises:
            ValueError: if a file is both kept and planned.
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
        if self._backstage:  # whatever became of the build since
            warnings += _notices(self._backstage.keeper)
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
            stage.remove(name)  # the output folder already has the same bytes
        entries = {**changes.left, **keep, **changes.same, **{write.path: write.entry for write in changes.writes}}
        new = msgspec.structs.replace(manifest, entries=dict(sorted(entries.items())), pending={}, owner=self._owner)
        if changes.writes or changes.first or changes.last or changes.gone:
            self._carry_out(top, stage, changes, new)
        elif new != manifest:
            stage_manifest(stage, new)
            Applier(top, stage).settle()
        return tuple(sorted(keep.keys() | changes.same.keys())), changes.diagnostics

    def _carry_out(self, top: Folder, stage: Folder, changes: Changes, new: Manifest) -> None:
        if self._backstage:
            by = Applier(self._backstage.spare, stage)
            with suppress(CannotSwapError), self._named(by):
                self._backstage.publish(changes, self._manifest, new, by)
                self._by = by
                return
        if former := new.former:  # its folder still has what is removed now
            former = msgspec.structs.replace(former, stale=(*former.stale, *hidden_paths(changes)))
            new = msgspec.structs.replace(new, former=former)
        self._by = Applier(top, stage)
        with self._named(self._by):
            publish_in_place(top, stage, changes, self._manifest, new, self._by)

    @contextmanager
    def _named(self, by: Applier) -> Iterator[None]:
        """If the system reports an error, record the current file for the message."""
        try:
            yield
        except OSError:
            self._current = by.current
            raise

    def _tidy(self) -> None:
        """Remove what a killed build has left behind, if there is nothing to publish."""
        with suppress(OSError), open_output(self._root, self._output) as top:
            _clear(top)
        sweep(self._root, self._output)

    def close(self) -> None:
        """Remove all working files, except the spare folder for the next build."""
        if self._backstage is not None:
            self._backstage.close()
            return
        if self._top is not None:
            if self._stage is not None:
                with suppress(OSError):
                    self._stage.clear()
                    self._top.remove_folder(STAGE)
                self._stage.close()
            self._top.close()
        if self._made:
            with suppress(OSError):  # if it is not empty, there is a site in it
                (self._root / self._output).rmdir()


def _notices(keeper: Keeper) -> tuple[Diagnostic, ...]:
    """The problems for files that were kept: one for each, or one for all of many."""
    kept = sorted(keeper.kept)
    if len(kept) <= _NAMED:
        return tuple(problems.kept_output(file, place) for file, place in kept)
    (file, _), more = kept[0], len(kept) - 1
    return (problems.kept_output(file, keeper.place, more),)


def _clear(top: Folder) -> None:
    """Remove the staging folder in the output folder, if a killed build has left it behind."""
    with suppress(OSError, BusyError), open_alone(top, STAGE, create=False, wait=0) as stage:
        stage.clear()
        top.remove_folder(STAGE)


def _copy(source: Copy, fd: int) -> bool:
    """Copy an input file. Return whether it still has the bytes that were planned."""
    state = new_digest()
    with closing(_pieces(source)) as pieces:
        for piece in pieces:
            state.update(piece)
            write_all(fd, piece)
    return state.hexdigest() == source.digest


def _changed(source: Copy) -> bytes:
    """The bytes of an image without its metadata, or those of a minified style sheet or script."""
    with closing(_pieces(source)) as pieces:
        data = b"".join(pieces)
    if digest_bytes(data) != source.digest:
        raise _InputError(problems.changed_while_building(source.file))
    return minified(source.file, data) if source.minify else without_metadata(data)


def _pieces(source: Copy) -> Generator[bytes]:
    """The bytes of an input file. They end early if it no longer exists as such, which changes the digest.

    Raises:
        _InputError: the system lacks what reading any file needs.
    """
    folder, _, name = source.file.rpartition("/")
    try:
        with Folder.open(source.root) as top, Cursor(top, follow=source.follow) as cursor:
            yield from cursor.enter(folder).read(name, follow=source.follow)
    except OSError as error:
        if error.errno in _LACKING:
            raise _InputError(problems.unreadable(source.file, describe(error))) from error
