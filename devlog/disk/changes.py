"""Compares the output folder with the planned files, before publishing changes anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from os.path import samestat
from pathlib import Path

import msgspec

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import Entry, Manifest, entry_of, file_name, hidden
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import check_out_path, collision_key
from devlog.model.report import has_error


class Copy(msgspec.Struct, frozen=True):
    """Content that is copied from an input file.

    Attributes:
        root: the folder that `file` is relative to: the site's or the theme's.
        file: the path of the file with ``/`` between segments, as in `Asset`.
        digest: the digest of its bytes when it was read; other bytes are rejected.
        follow: whether to follow symbolic links; for themes only.
        strip: whether to remove the metadata of an image.
        minify: whether to minify a style sheet or a script.
    """

    root: Path
    file: str
    digest: str
    follow: bool = False
    strip: bool = False
    minify: bool = False


class Planned(msgspec.Struct, frozen=True):
    """A file that must exist.

    Attributes:
        path: the path relative to the output folder; `check_out_path` accepts it.
        key: the digest of its inputs, for the manifest.
        content: its bytes, or the file to copy.
    """

    path: str
    key: str
    content: bytes | Copy


class Write(msgspec.Struct, frozen=True):
    """A staged file.

    Attributes:
        path: its destination, relative to the output folder.
        digest: the digest of its bytes.
        name: its name in the staging folder.
        entry: its entry in the new manifest.
    """

    path: str
    digest: str
    name: str
    entry: Entry


class Changes(msgspec.Struct, frozen=True):
    """The difference between the output folder and the plan.

    Attributes:
        writes: new and changed files, sorted by path.
        same: planned files that already exist, byte for byte.
        first: stale files that are in the way of new ones, and must be removed before these are put in place.
        last: the other stale files.
        gone: stale paths at which nothing exists any more; their folders may remain.
        left: stale files that someone has edited; they stay, and stay in the manifest.
        folders: all folders above planned files.
        diagnostics: the problems; if there is an error among them, nothing may be changed.
    """

    writes: tuple[Write, ...]
    same: dict[str, Entry]
    first: tuple[str, ...]
    last: tuple[str, ...]
    gone: tuple[str, ...]
    left: dict[str, Entry]
    folders: set[str]
    diagnostics: tuple[Diagnostic, ...]


def compare(top: Folder, output: str, manifest: Manifest, writes: list[Write], keep: Mapping[str, Entry]) -> Changes:
    """Compare the output folder with the planned files.

    Args:
        top: the output folder.
        output: its name in messages.
        manifest: the manifest of the last build.
        writes: the planned files, sorted by path.
        keep: the files that stay unchanged.

    Returns:
        The changes. Raises OSError if the folder cannot be read.
    """
    wanted = keep.keys() | {write.path for write in writes}
    stale = _sort_stale(top, manifest, wanted, keep)
    looking = _Looking(manifest, stale, _respelled(stale.ours, wanted))
    with Cursor(top) as cursor:
        for write in writes:
            looking.look(cursor, write)
    folders = folders_above(wanted)
    both = wanted & folders
    found = [problems.file_and_folder(file_name(output, path)) for path in sorted(both)]
    found += [problems.foreign_output(file_name(output, path)) for path in sorted(set(looking.foreign) - both)]
    found += [problems.edited_output(file_name(output, path)) for path in stale.edited]
    if looking.edited and not has_error(found):
        first, *others = looking.edited
        found.append(problems.replaced_output(file_name(output, first), len(others)))
    return Changes(
        writes=tuple(looking.writes),
        same=looking.same,
        first=tuple(path for path in stale.ours if path in looking.first),
        last=tuple(path for path in stale.ours if path not in looking.first),
        gone=stale.gone,
        left={path: manifest.entries[path] for path in stale.edited},
        folders=folders,
        diagnostics=tuple(found),
    )


def hidden_paths(changes: Changes) -> tuple[str, ...]:
    """The `hidden` paths of the stale files, and of the folders above them."""
    files = {*changes.first, *changes.last, *changes.gone}
    return tuple(sorted(map(hidden, files | folders_above(files))))


class _Stale(msgspec.Struct, frozen=True):
    """Files that are no longer planned: unchanged ones that devlog wrote, missing ones, and edited ones."""

    ours: tuple[str, ...]
    gone: tuple[str, ...]
    edited: tuple[str, ...]


def _sort_stale(top: Folder, manifest: Manifest, wanted: set[str], keep: Mapping[str, Entry]) -> _Stale:
    ours: list[str] = []
    gone: list[str] = []
    edited: list[str] = []
    kept = {collision_key(path): path for path in keep} if manifest.pending else {}
    with Cursor(top) as cursor:
        for path in sorted(manifest.paths() - wanted):
            if check_out_path(path):
                continue  # devlog cannot have written it: the manifest is damaged or forged
            folder_path, _, name = path.rpartition("/")
            try:
                folder = cursor.enter(folder_path)
                status = folder.stat(name)
            except (FileNotFoundError, NotADirectoryError):
                gone.append(path)
                continue
            # The bytes are always read, even if the status is unchanged: removing a file cannot be undone.
            if stat.S_ISREG(status.st_mode) and manifest.wrote(path, folder.digest(name), status.st_size):
                if not _is_kept(top, status, kept.get(collision_key(path), "")):
                    ours.append(path)
            elif path in manifest.entries:
                edited.append(path)
    return _Stale(tuple(ours), tuple(gone), tuple(edited))


def _is_kept(top: Folder, status: os.stat_result, path: str) -> bool:
    """Whether a stale file is the kept one at `path`: on a case-insensitive file system, one file has both names."""
    if not path:
        return False
    folder_path, _, name = path.rpartition("/")
    with Cursor(top) as cursor:
        return samestat(status, cursor.enter(folder_path).stat(name))


def _respelled(ours: tuple[str, ...], wanted: set[str]) -> set[str]:
    """Stale files whose path, or a folder in it, is planned in another spelling.

    They are removed first: on a case-insensitive file system, removing them later would remove their replacements.
    """
    if not ours:
        return set()
    spelling = {collision_key(place): place for path in wanted for place in (path, *_parents(path))}
    return {
        path
        for path in ours
        if any(spelling.get(collision_key(place), place) != place for place in (path, *_parents(path)))
    }


class _Looking:
    """Compares each planned file with the output folder, and collects the results."""

    def __init__(self, manifest: Manifest, stale: _Stale, respelled: set[str]) -> None:
        self._manifest = manifest
        self._ours = frozenset(stale.ours)
        self._respelled = {collision_key(path): path for path in respelled}
        self._emptied = folders_above(set(stale.gone))
        self.first = respelled
        self.writes: list[Write] = []
        self.same: dict[str, Entry] = {}
        self.foreign: list[str] = []
        self.edited: list[str] = []

    def look(self, cursor: Cursor, write: Write) -> None:
        """Compare one planned file."""
        path = write.path
        folder_path, _, name = path.rpartition("/")
        try:
            folder = cursor.enter(folder_path)
            status = folder.stat(name)
        except FileNotFoundError:
            self.writes.append(write)
        except NotADirectoryError as error:
            self._clear(write, [str(error.filename)])
        else:
            if stat.S_ISREG(status.st_mode):
                self._look_at_file(folder, status, write)
            elif stat.S_ISDIR(status.st_mode):
                with folder.folder(name) as inner:
                    self._clear(write, list(_everything(inner, path)))
            else:
                self.foreign.append(path)

    def _look_at_file(self, folder: Folder, status: os.stat_result, write: Write) -> None:
        path = write.path
        entry = self._manifest.entries.get(path)
        markdown = self._respelled.get(collision_key(path), "") if self._respelled else ""
        digest = folder.digest(path.rpartition("/")[2])  # size and time may be those of other bytes
        ours = any(self._manifest.wrote(place, digest, status.st_size) for place in (path, markdown))
        if digest == write.digest and not markdown:
            self.same[path] = entry_of(status, write.entry.key, digest)
        elif ours or entry:
            self.writes.append(write)
            if not ours:
                self.edited.append(path)
        else:
            self.foreign.append(path)

    def _clear(self, write: Write, obstacles: list[str]) -> None:
        """Plan to replace other files with this one, if all of them are stale files that devlog wrote."""
        others = [
            path
            for path in obstacles
            if path not in self._ours and not (path.endswith("/") and path[:-1] in self._emptied)
        ]
        self.foreign += others
        if not others:
            self.first |= self._ours.intersection(obstacles)
            self.writes.append(write)


def _everything(folder: Folder, path: str) -> Iterator[str]:
    """All files below a folder, including links; and folders that are empty, or deeper than any of devlog's outputs.

    Names of folders have a trailing ``/``.
    """
    entries = folder.scan()
    if not entries or check_out_path(path):
        yield f"{path}/"
        return
    for entry in entries:
        here = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            with folder.folder(entry.name) as inner:
                yield from _everything(inner, here)
        else:
            yield here


def folders_above(paths: set[str]) -> set[str]:
    """All folders above some paths."""
    found: set[str] = set()
    for path in paths:
        for folder in _parents(path):
            if folder in found:
                break
            found.add(folder)
    return found


def _parents(path: str) -> Iterator[str]:
    """The folders above a path, nearest first."""
    while path := path.rpartition("/")[0]:
        yield path
