"""Write single files of a site for its writers: new ones, which never replace anything, and changed ones.

Folders below the site's own are entered without following links. A file appears in one step: it is written under
another name beside its place, and gets its name when it is complete.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder, describe, write_all
from devlog.disk.read import read_bytes
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import check_out_path, collision_key

_WRITABLE = 0o222  # anyone's permission to write


def create(root: Path, file: str, data: bytes) -> Diagnostic | None:
    """Write a new file, and the folders above it that are missing.

    Args:
        root: the site's folder.
        file: relative to it, with ``/`` between segments.
        data: what it is to hold.

    Returns:
        Why nothing was written: something has this name, or a name that some systems take for the same, or the system
        refuses.
    """
    if reason := check_out_path(file.lstrip(".")):  # files such as .gitignore are written too
        return problems.cannot_write(file, f"the name {reason}")
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            if taken := _taken(cursor, file):
                return problems.already_there(file, taken)
            return _create(cursor.enter(folder, create=True), name, file, data)
    except NotADirectoryError as error:
        return problems.cannot_write(file, f"“{error.filename}” is not a folder, or is a symbolic link")
    except OSError as error:
        return problems.cannot_write(file, describe(error))


def _taken(cursor: Cursor, file: str) -> str:
    """What stands in the way of a file: itself, or something whose path differs in letter case or Unicode form only."""
    segments = file.split("/")
    for depth, segment in enumerate(segments):
        above = "/".join(segments[:depth])
        try:
            names = sorted(entry.name for entry in cursor.enter(above).scan())
        except FileNotFoundError:
            return ""
        if segment in names and depth < len(segments) - 1:
            continue
        for name in names:
            if collision_key(os.fsencode(name).decode(errors="replace")) == collision_key(segment):
                return f"{above}/{name}" if above else name
    return ""


def _create(place: Folder, name: str, file: str, data: bytes) -> Diagnostic | None:
    spare = _write_beside(place, name, data, None)
    try:
        try:
            _link(place, spare, name)
        except FileExistsError:
            return problems.already_there(file)
        except OSError:  # a file system without links
            return _create_in_place(place, name, file, data)
    finally:
        with suppress(OSError):
            place.remove(spare)
    return None


def _link(place: Folder, spare: str, name: str) -> None:
    """Give a file a second name, which nothing may have. Raises OSError."""
    if place.fd < 0:
        raise OSError
    os.link(spare, name, src_dir_fd=place.fd, dst_dir_fd=place.fd, follow_symlinks=False)


def _create_in_place(place: Folder, name: str, file: str, data: bytes) -> Diagnostic | None:
    try:
        fd = place.create_file(name)
    except FileExistsError:
        return problems.already_there(file)
    try:
        write_all(fd, data)
    except OSError:
        place.remove(name)
        raise
    finally:
        os.close(fd)
    return None


def replace(root: Path, file: str, old: bytes, new: bytes) -> Diagnostic | None:
    """Write a file that is there once more.

    Args:
        root: the site's folder.
        file: relative to it, with ``/`` between segments.
        old: what it must still hold.
        new: what it is to hold.

    Returns:
        Why nothing was written.
    """
    held = read_bytes(root, file)
    if isinstance(held, Diagnostic):
        return held
    if held != old:
        return problems.changed_while_building(file)
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            place = cursor.enter(folder)
            mode = S_IMODE(place.stat(name).st_mode)
            if not mode & _WRITABLE:  # the folder would let it be replaced
                return problems.cannot_write(file, "it is read-only")
            spare = _write_beside(place, name, new, mode)
            try:
                place.move(spare, place, name)
            except OSError:
                place.remove(spare)
                raise
    except OSError as error:
        return problems.cannot_write(file, describe(error))
    return None


def remove(root: Path, file: str, data: bytes) -> Diagnostic | None:
    """Take a file away that was written a moment ago.

    Args:
        root: the site's folder.
        file: relative to it, with ``/`` between segments.
        data: what it must still hold.

    Returns:
        Why it is still there.
    """
    held = read_bytes(root, file)
    if isinstance(held, Diagnostic):
        return held
    if held != data:
        return problems.changed_while_building(file)
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            cursor.enter(folder).remove(name)
    except OSError as error:
        return problems.cannot_write(file, describe(error))
    return None


def _write_beside(place: Folder, name: str, data: bytes, mode: int | None) -> str:
    """Write a file under a name of its own, which no site takes for one of its files; returns that name."""
    spare = f".{name[:60]}.{os.getpid()}~"
    with suppress(FileNotFoundError):  # from a process of this number that was killed
        place.remove(spare)
    fd = place.create_file(spare)
    try:
        write_all(fd, data)
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(fd, mode)
        os.fsync(fd)
    except OSError:
        place.remove(spare)
        raise
    finally:
        os.close(fd)
    return spare


def rename(root: Path, file: str, new: str) -> Diagnostic | None:
    """Give a file another name in its folder.

    Args:
        root: the site's folder.
        file: relative to it, with ``/`` between segments.
        new: its new path, in the same folder.

    Returns:
        Why it keeps its name: something has the new one, or the system refuses.
    """
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            if taken := _taken(cursor, new):
                return problems.already_there(new, taken)
            place, new_name = cursor.enter(folder), new.rpartition("/")[2]
            try:
                _link(place, name, new_name)
            except FileExistsError:  # since a moment ago
                return problems.already_there(new)
            except OSError:  # a file system without links
                place.move(name, place, new_name)
            else:
                place.remove(name)
    except OSError as error:
        return problems.cannot_write(file, describe(error))
    return None
