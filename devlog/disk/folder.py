"""Folders held open, so that no symbolic link below them is followed, however the tree changes meanwhile.

A name is looked up in the open folder and never by a path from the top. Where the system has no such calls
(Windows), names are joined to paths and checked for links first.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

_BY_FOLDER = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
# A named pipe put in the place of a file must not make the build wait for a writer.
_READ = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
_MOUNT_POINT = 0xA0000003  # the tag of Windows' junctions
_CHUNK = 1 << 20
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EBADF, errno.ENAMETOOLONG, errno.EINVAL}


def is_there(path: Path, *, folder: bool = False) -> bool:
    """Whether something is at a trusted path, as far as can be told: links are followed.

    What nobody may look at counts as there, so that reading it says why it cannot be read. `Path.exists` and
    `Path.is_dir` raise instead, or say no, as the version of Python has it.

    Args:
        path: where it is.
        folder: whether it has to be a folder.
    """
    try:
        status = path.stat()
    except OSError as error:
        return error.errno not in _ABSENT
    except ValueError:
        return False
    return not folder or stat.S_ISDIR(status.st_mode)


def words_of(file: Path, limit: int) -> str:
    """What a file at a trusted path says, such as a short one of git's: links are followed.

    Args:
        file: where it is.
        limit: so many bytes it has at most.

    Returns:
        Empty where there is none, or one that is too long, or another thing: a pipe would be waited for.
    """
    try:
        with Folder.open(file.parent) as folder:
            return os.fsdecode(folder.read_all(file.name, limit, follow=True))
    except (OSError, ValueError):  # the latter for a name with a zero character
        return ""


class Folder:
    """An open folder. Close it, or use it in a ``with`` statement."""

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str, fd: int | None) -> None:
        self._path = path
        self._fd = fd

    @classmethod
    def open(cls, path: Path) -> Folder:
        """Open a trusted path: links on the way to it are followed. Raises OSError."""
        if not _BY_FOLDER:
            if not path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
            return cls(str(path), None)
        return cls(str(path), os.open(path, os.O_RDONLY | _DIRECTORY | _COMMON))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the system its handle back."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    @property
    def fd(self) -> int:
        """The handle, or -1 where the system opens no folders."""
        return -1 if self._fd is None else self._fd

    def _at(self, name: str) -> str:
        if name in {"", ".", ".."} or "/" in name or os.sep in name or "\0" in name:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return name if self._fd is not None else str(Path(self._path, name))

    def folder(self, name: str, *, create: bool = False, follow: bool = False) -> Folder:
        """Open a folder in this one.

        Args:
            name: its name, without separators.
            create: make it when nothing has this name.
            follow: accept a symbolic link; for trusted trees only.

        Raises:
            FileNotFoundError: nothing has this name.
            NotADirectoryError: it is something else, a link for instance.
            OSError: the system refuses.
        """
        at = self._at(name)
        try:
            return self._open_folder(name, at, follow=follow)
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):  # another process has made it a moment ago
            os.mkdir(at, dir_fd=self._fd)
        return self._open_folder(name, at, follow=follow)

    def _open_folder(self, name: str, at: str, *, follow: bool) -> Folder:
        try:
            if self._fd is None:
                self._check_link(name, follow=follow)
                return Folder.open(Path(at))
            flags = os.O_RDONLY | _DIRECTORY | _COMMON | (0 if follow else _NO_FOLLOW)
            return Folder(name, os.open(at, flags, dir_fd=self._fd))
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK, errno.ENOTDIR}:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name) from error
            raise

    def _check_link(self, name: str, *, follow: bool) -> None:
        if not follow and is_link(self.stat(name)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)

    def open_file(self, name: str, *, follow: bool = False) -> int:
        """Open a regular file for reading and return its descriptor. Raises OSError, also for other kinds."""
        at = self._at(name)
        if not _NO_FOLLOW:
            self._check_link(name, follow=follow)
        fd = os.open(at, _READ | (0 if follow else _NO_FOLLOW), dir_fd=self._fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(errno.EINVAL, "not a regular file", name)
        return fd

    def create_file(self, name: str) -> int:
        """Open a new file for writing and return its descriptor. Raises OSError, also when the name is taken.

        The mode is the user's default, as their umask says: what is published is meant to be read.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON | _NO_FOLLOW
        return os.open(self._at(name), flags, 0o666, dir_fd=self._fd)

    def open_lock(self, name: str) -> int:
        """Open a file for reading and writing, make it when it is missing, and return its descriptor."""
        if not _NO_FOLLOW:
            with suppress(FileNotFoundError):
                self._check_link(name, follow=False)
        flags = os.O_RDWR | os.O_CREAT | _COMMON | _NO_FOLLOW
        return os.open(self._at(name), flags, 0o666, dir_fd=self._fd)

    def stat(self, name: str) -> os.stat_result:
        """What stands under a name, a link itself and not its target. Raises OSError."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def scan(self) -> list[os.DirEntry[str]]:
        """All entries, in the system's order. Raises OSError."""
        with os.scandir(self._path if self._fd is None else self._fd) as entries:
            return list(entries)

    def read(self, name: str, *, limit: int | None = None, follow: bool = False) -> Iterator[bytes]:
        """Read a regular file piece by piece. Raises OSError; with EFBIG when it is longer than `limit`."""
        fd = self.open_file(name, follow=follow)
        try:
            length = 0
            # One byte more than there should be, so that a small file is read at once and in little memory.
            piece = min(os.fstat(fd).st_size + 1, _CHUNK)
            while chunk := os.read(fd, piece):
                length += len(chunk)
                if limit is not None and length > limit:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
                yield chunk
        finally:
            os.close(fd)

    def read_all(self, name: str, limit: int, *, follow: bool = False) -> bytes:
        """Read a small regular file. Raises OSError; with EFBIG when it is longer than `limit`."""
        fd = self.open_file(name, follow=follow)
        try:
            size = os.fstat(fd).st_size
            piece = min(size, limit) + 1
            data = os.read(fd, piece)
            # One byte fewer than asked for is the end; anything else is a file that is changing, or has no size.
            while len(data) != size and len(data) <= limit and (more := os.read(fd, piece)):
                data += more
        finally:
            os.close(fd)
        if len(data) > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
        return data

    def digest(self, name: str) -> str:
        """The digest of a file's bytes. Raises OSError."""
        state = new_digest()
        for chunk in self.read(name):
            state.update(chunk)
        return state.hexdigest()

    def move(self, name: str, target: Folder, new_name: str) -> None:
        """Move a file, in one step, over what may stand there. Raises OSError."""
        os.replace(self._at(name), target._at(new_name), src_dir_fd=self._fd, dst_dir_fd=target._fd)

    def remove(self, name: str) -> None:
        """Remove a file or a link. Raises OSError."""
        os.unlink(self._at(name), dir_fd=self._fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder. Raises OSError."""
        os.rmdir(self._at(name), dir_fd=self._fd)

    def clear(self) -> None:
        """Remove everything in the folder. Raises OSError."""
        for entry in self.scan():
            self.remove_any(entry.name, is_folder=entry.is_dir(follow_symlinks=False))

    def remove_any(self, name: str, *, is_folder: bool) -> None:
        """Remove a file, a link, or a folder with all that it holds. Raises OSError."""
        if not is_folder:
            self.remove(name)
            return
        with self.folder(name) as inner:
            inner.clear()
        self.remove_folder(name)


class Cursor:
    """Goes from folder to folder below a top one, holding open only the way to where it is.

    Sorted paths make it open every folder once.
    """

    __slots__ = ("_at", "_follow", "_names", "_open", "_top")

    def __init__(self, top: Folder, *, follow: bool = False) -> None:
        self._top = top
        self._follow = follow
        self._at = ""
        self._names: list[str] = []
        self._open: list[Folder] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave(0)

    def enter(self, path: str, *, create: bool = False) -> Folder:
        """Go to a folder.

        Args:
            path: relative to the top, with ``/`` between segments; empty for the top itself.
            create: make the folders that are missing.

        Returns:
            The folder, open until the cursor goes on.

        Raises:
            FileNotFoundError: the folder or one above it is missing.
            NotADirectoryError: something else is in the way; ``filename`` is its path from the top.
            OSError: the system refuses.
        """
        if path != self._at:
            names = path.split("/") if path else []
            shared = 0
            for mine, wanted in zip(self._names, names, strict=False):
                if mine != wanted:
                    break
                shared += 1
            self._leave(shared)
            for name in names[shared:]:
                self._push(name, create=create)
        return self._open[-1] if self._open else self._top

    def _leave(self, depth: int) -> None:
        while len(self._open) > depth:
            self._open.pop().close()
        del self._names[depth:]
        self._at = "/".join(self._names)

    def _push(self, name: str, *, create: bool) -> None:
        parent = self._open[-1] if self._open else self._top
        here = f"{self._at}/{name}" if self._at else name
        try:
            folder = parent.folder(name, create=create, follow=self._follow)
        except NotADirectoryError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), here) from error
        self._open.append(folder)
        self._names.append(name)
        self._at = here


def new_digest() -> blake2b:
    """What gives, piece by piece, the same as `devlog.model.digest.digest_bytes`."""
    return blake2b(digest_size=16)


def is_link(status: os.stat_result) -> bool:
    """Whether a status is that of a symbolic link or of Windows' kind of link between folders."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT


def describe(error: OSError) -> str:
    """Why the system refused, in words."""
    words = {
        errno.ENOSPC: "the disk is full",
        errno.EDQUOT: "your disk quota is used up",
        errno.EROFS: "the file system is read-only",
        errno.EACCES: "permission denied",
        errno.EPERM: "not permitted",
        errno.EFBIG: "too large for this file system",
        errno.ENOENT: "no such file or folder",
    }
    return words.get(error.errno or 0) or (error.strerror or "unknown reason").lower()


def write_all(fd: int, data: bytes) -> None:
    """Write all bytes. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
