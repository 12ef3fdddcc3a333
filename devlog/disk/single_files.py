"""Creates, replaces, renames and removes single source files of a site. New ones never replace anything.

Folders below the site's own are opened without following symbolic links. A file appears atomically: it is written
under another name in its folder, and renamed when it is complete.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from devlog.disk import problems
from devlog.disk.calls import exchanger, imitate, is_being_written, renamer
from devlog.disk.folder import Cursor, Folder, describe, write_all
from devlog.disk.lock import hold
from devlog.disk.read import ASSET_LIMIT, read_bytes
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import check_out_path, collision_key

_WRITABLE = 0o222  # anyone's permission to write
_SPARE = re.compile(r"\..{1,60}\.[0-9]+~", re.DOTALL)


def create(root: Path, file: str, data: bytes) -> Diagnostic | None:
    """Write a new file, and create the missing folders above it.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.
        data: the content of the file.

    Returns:
        Why nothing was written: something has this name, or a name that some systems treat as the same, or the system
        reports an error. `None` if the file was written.
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
    """The path that is in the way of a new file: the same, or one that differs only in letter case or Unicode form."""
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
    with suppress(OSError):
        _remove_leftovers(place, name, data)
    spare, held = _write_beside(place, name, data)
    try:
        try:
            _link(place, spare, name)
        except FileExistsError:
            return problems.already_there(file)
        except OSError:  # a file system without links
            return _create_in_place(place, name, file, data)
    finally:
        os.close(held)
        with suppress(OSError):
            place.remove(spare)
    return None


def _remove_leftovers(place: Folder, name: str, data: bytes) -> None:
    """Remove what killed commands have left of a file beside it: nothing that the file itself will not contain.

    A command that is still running holds its file locked. Where locks are not supported, all such files stay.

    Raises:
        OSError: if the system reports an error.
    """
    own = re.compile(re.escape(_spare(name).rpartition(".")[0]) + r"\.[0-9]+~")
    for entry in list(place.scan()):
        is_own = own.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
        if is_own and not _is_held(place, entry.name) and data.startswith(place.read_all(entry.name, ASSET_LIMIT)):
            place.remove(entry.name)


def _is_held(place: Folder, name: str) -> bool:
    """Whether a running command may still need a file with a spare name. Raises OSError."""
    file = place.open_file(name)
    try:
        return not hold(file)
    finally:
        os.close(file)


def _link(place: Folder, spare: str, name: str) -> None:
    """Create a hard link to a file under a name that must not exist. Raises OSError."""
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
    """Replace the content of an existing file.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.
        old: the content that it must still have.
        new: the new content.

    Returns:
        Why nothing was written; `None` if the file was.
    """
    if problem := _not_as_before(root, file, old):
        return problem
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            place = cursor.enter(folder)
            if not place.stat(name).st_mode & _WRITABLE:  # a writable folder would allow replacing it
                return problems.cannot_write(file, "it is read-only")
            spare, held = _write_beside(place, name, new, is_like=True)
            os.close(held)  # no command creates a file that exists, so none removes the spare one
            try:
                if problem := _not_as_before(root, file, old):  # an editor may save it while the disk writes
                    place.remove(spare)
                    return problem
                if not _exchange(place, spare, name):
                    place.move(spare, place, name)
                    return None
            except OSError:
                place.remove(spare)
                raise
            return None if _settle(place, spare, name, old, new) else problems.changed_while_building(file)
    except OSError as error:
        return problems.cannot_write(file, describe(error))


def _exchange(place: Folder, spare: str, name: str) -> bool:
    """Exchange two files. Returns whether the file system can do this. Raises OSError if one of them is missing."""
    try:
        exchanger()(place.fd, spare, place.fd, name)
    except FileNotFoundError:
        raise
    except OSError:
        return False
    return True


def _settle(place: Folder, spare: str, name: str, old: bytes, new: bytes) -> bool:
    """Remove the file that an exchange has brought out, if it is the expected one.

    If it is not, another program saved it since it was last looked at, or is about to: it has the file open. It then
    goes back, and what comes out for it is looked at in the same way, so that the last save stays, whenever it came.

    Args:
        place: the folder of both files.
        spare: the name that the old file has now.
        name: the name that it had.
        old: the content that it is expected to have.
        new: the content that its name was given.

    Returns:
        Whether the first file was the expected one.

    Raises:
        OSError: if the system reports an error. The file that came out is then kept under the spare name.
    """
    expected: bytes | int
    given: bytes | int
    expected, given, is_expected = old, new, True
    while (found := _held(place, spare)) != expected or (is_expected and _is_being_written(place, spare)):
        is_expected = False
        try:
            exchanger()(place.fd, spare, place.fd, name)
        except FileNotFoundError:  # some editors rename a file before they save it
            _put_back(place, spare, name)
            return False
        expected, given = given, found
    place.remove(spare)
    return is_expected


def _is_being_written(place: Folder, name: str) -> bool:
    """Whether a program has a file open for writing, as far as the system tells."""
    try:
        file = place.open_file(name)
    except OSError:
        return False
    try:
        return is_being_written(file)
    finally:
        os.close(file)


def _held(place: Folder, name: str) -> bytes | int:
    """The content of a file, or the inode of what cannot be read as one. Raises OSError."""
    try:
        return place.read_all(name, ASSET_LIMIT)
    except OSError:
        return place.stat(name).st_ino


def _put_back(place: Folder, spare: str, name: str) -> None:
    """Give a file its name back, unless another file has it by now, which was saved later. Raises OSError."""
    try:
        _rename(place, spare, name)
    except FileExistsError:
        place.remove(spare)


def _rename(place: Folder, name: str, new_name: str) -> None:
    """Rename a file. Raises OSError; FileExistsError if something has the new name."""
    try:
        renamer()(place.fd, name, place.fd, new_name)
    except FileExistsError:
        raise
    except OSError:  # the file system cannot do this in one step
        try:
            _link(place, name, new_name)
        except FileExistsError:
            raise
        except OSError:  # nor does it have links
            place.move(name, place, new_name)
        else:
            place.remove(name)


def _not_as_before(root: Path, file: str, old: bytes) -> Diagnostic | None:
    """A diagnostic if a file does not have the content that it must have."""
    held = read_bytes(root, file)
    if isinstance(held, Diagnostic):
        return held
    return None if held == old else problems.changed_while_building(file)


def remove(root: Path, file: str, data: bytes) -> Diagnostic | None:
    """Remove a file that was just written.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.
        data: the content that it must still have.

    Returns:
        Why it was not removed; `None` if it was.
    """
    if problem := _not_as_before(root, file, data):
        return problem
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            place, spare = cursor.enter(folder), _spare(name)
            place.move(name, place, spare)
            if _held(place, spare) != data or _is_being_written(place, spare):  # saved in the last moment
                _put_back(place, spare, name)
                return problems.changed_while_building(file)
            place.remove(spare)
    except OSError as error:
        return problems.cannot_write(file, describe(error))
    return None


def _spare(name: str) -> str:
    """A name beside a file's that is never part of a site."""
    return f".{name[:60]}.{os.getpid()}~"


def is_spare(file: str) -> bool:
    """Whether a file has a spare name: a killed command may have left it behind."""
    return _SPARE.fullmatch(file.rpartition("/")[2]) is not None


def _write_beside(place: Folder, name: str, data: bytes, *, is_like: bool = False) -> tuple[str, int]:
    """Write a file under a spare name, and return that and the open file, locked if the file system supports it.

    Args:
        place: the folder.
        name: the name that the file will have.
        data: its content.
        is_like: whether it replaces a file, whose owner, mode and extended attributes it gets.

    Raises:
        OSError: if the system reports an error.
    """
    spare = _spare(name)
    with suppress(FileNotFoundError):  # left behind by a killed process with the same id
        place.remove(spare)
    fd = place.create_file(spare)
    try:
        hold(fd)
        if is_like:  # before anything is in it that others may not read
            _imitate(place, name, fd)
        write_all(fd, data)
        os.fsync(fd)
    except BaseException:
        os.close(fd)
        with suppress(OSError):
            place.remove(spare)
        raise
    return spare, fd


def _imitate(place: Folder, name: str, target: int) -> None:
    """Make a new file look like another, as far as this user may. Raises OSError if that cannot be read."""
    if hasattr(os, "fchown"):
        source = place.open_file(name)
        try:
            imitate(source, target, fully=False)
        finally:
            os.close(source)


def rename(root: Path, file: str, new: str) -> Diagnostic | None:
    """Rename a file in its folder.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.
        new: its new path, in the same folder.

    Returns:
        Why it was not renamed: something has the new name, or the system reports an error. `None` if it was.
    """
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            if taken := _taken(cursor, new):
                return problems.already_there(new, taken)
            place, new_name = cursor.enter(folder), new.rpartition("/")[2]
            try:
                _rename(place, name, new_name)
            except FileExistsError:  # it was created in the meantime
                return problems.already_there(new)
    except OSError as error:
        return problems.cannot_write(file, describe(error))
    return None
