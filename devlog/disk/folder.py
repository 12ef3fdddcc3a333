"""Open folders, through which files are accessed without following symbolic links, even if the tree changes meanwhile.

A name is looked up in an open folder, never by its path from the top. On systems without such calls (Windows), names
are joined to paths, and checked for links first.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

_BY_FOLDER = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
# If a file was replaced with a named pipe, the build must not wait for a writer.
_READ = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)
_MOUNT_POINT = 0xA0000003  # the tag of Windows' junctions
_CHUNK = 1 << 20
_DEEP = 50  # levels of folders to open at once
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EBADF, errno.ENAMETOOLONG, errno.EINVAL}


def is_there(path: Path, *, folder: bool = False, follow: bool = True) -> bool:
    """Whether a trusted path exists.

    If there is no permission to find out, the path counts as existing, so that reading it reports the reason. In this
    case `Path.exists` and `Path.is_dir` raise or return false, depending on the version of Python.

    Args:
        path: the path.
        folder: whether it must be a folder.
        follow: whether symbolic links are followed; if not, one that leads nowhere exists too.
    """
    try:
        status = path.stat(follow_symlinks=follow)
    except OSError as error:
        return error.errno not in _ABSENT
    except ValueError:
        return False
    return not folder or stat.S_ISDIR(status.st_mode)


def words_of(file: Path, limit: int) -> str:
    """The text of a short file at a trusted path, such as one of git's; symbolic links are followed.

    Args:
        file: the path of the file.
        limit: its maximum size in bytes.

    Returns:
        The text; empty if there is no such file, it is too long, or it is not a regular file, since reading a pipe
        would block. Also empty if it has a NUL, which the name of no file can have.
    """
    try:
        with Folder.open(file.parent) as folder:
            text = os.fsdecode(folder.read_all(file.name, limit, follow=True))
    except (OSError, ValueError):  # ValueError is for a name with a NUL
        return ""
    return "" if "\0" in text else text


def without_links(path: Path) -> Path:
    """A path with its links resolved, as far as they lead anywhere: `Path.resolve` may raise for a loop of them."""
    return Path(os.path.realpath(path))


def rewound(folder: int) -> int:
    """An open folder, the next listing of which begins anew.

    Only then does it have what was put in since the folder was opened or last rewound: POSIX leaves it open whether
    others do, and those of btrfs do not. Python rewinds a folder after a listing, and not before.

    Args:
        folder: its file descriptor.
    """
    os.lseek(folder, 0, os.SEEK_SET)
    return folder


class Folder:
    """An open folder. Close it, or use it in a ``with`` statement."""

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str, fd: int | None) -> None:
        self._path = path
        self._fd = fd

    @classmethod
    def open(cls, path: Path) -> Folder:
        """Open a trusted path, following symbolic links. Raises OSError."""
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
        """Close the folder."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    @property
    def fd(self) -> int:
        """The file descriptor, or -1 if the system cannot open folders."""
        return -1 if self._fd is None else self._fd

    def _at(self, name: str) -> str:
        if name in {"", ".", ".."} or "/" in name or os.sep in name or "\0" in name:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return name if self._fd is not None else str(Path(self._path, name))

    def folder(self, name: str, *, create: bool = False, follow: bool = False) -> Folder:
        """Open a folder in this one.

        Args:
            name: its name, without separators.
            create: whether to create it if nothing has this name.
            follow: whether to follow a symbolic link; for trusted trees only.

        Raises:
            FileNotFoundError: if nothing has this name.
            NotADirectoryError: if it is not a folder, but for example a link.
            OSError: if the system reports an error.
        """
        at = self._at(name)
        try:
            return self._open_folder(name, at, follow=follow)
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):  # another process has created it in the meantime
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
        """Open a regular file for reading and return its descriptor. Raises OSError, also for other kinds of files."""
        at = self._at(name)
        if not _NO_FOLLOW:
            self._check_link(name, follow=follow)
        fd = os.open(at, _READ | (0 if follow else _NO_FOLLOW), dir_fd=self._fd)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise OSError(errno.EINVAL, "not a regular file", name)
        return fd

    def create_file(self, name: str) -> int:
        """Open a new file for writing and return its descriptor. Raises OSError, also if the name exists.

        The mode is the default of the user's umask, since published files are meant to be read.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON | _NO_FOLLOW
        return os.open(self._at(name), flags, 0o666, dir_fd=self._fd)

    def open_lock(self, name: str) -> int:
        """Open a file for reading and writing, create it if it is missing, and return its descriptor."""
        if not _NO_FOLLOW:
            with suppress(FileNotFoundError):
                self._check_link(name, follow=False)
        flags = os.O_RDWR | os.O_CREAT | _COMMON | _NO_FOLLOW
        return os.open(self._at(name), flags, 0o666, dir_fd=self._fd)

    def stat(self, name: str) -> os.stat_result:
        """The status of a name; of a link, its own and not its target's. Raises OSError."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def scan(self) -> list[os.DirEntry[str]]:
        """All entries, in the system's order. Raises OSError."""
        with os.scandir(self._path if self._fd is None else rewound(self._fd)) as entries:
            return list(entries)

    def read(self, name: str, *, limit: int | None = None, follow: bool = False) -> Iterator[bytes]:
        """Read a regular file in pieces. Raises OSError; with EFBIG if it is longer than `limit`."""
        fd = self.open_file(name, follow=follow)
        try:
            length, size = 0, os.fstat(fd).st_size
            _check_length(name, size, limit)
            # Ask for one byte more than the size, so that a small file is read at once and with little memory.
            piece = min(size + 1, _CHUNK)
            while chunk := os.read(fd, piece):
                length += len(chunk)
                _check_length(name, length, limit)
                yield chunk
        finally:
            os.close(fd)

    def read_all(self, name: str, limit: int, *, follow: bool = False) -> bytes:
        """Read a small regular file. Raises OSError; with EFBIG if it is longer than `limit`."""
        fd = self.open_file(name, follow=follow)
        try:
            size = os.fstat(fd).st_size
            _check_length(name, size, limit)
            piece = size + 1
            data = os.read(fd, piece)
            # One byte fewer than requested means the end; otherwise the file is changing, or has no size.
            while len(data) != size and len(data) <= limit and (more := os.read(fd, piece)):
                data += more
        finally:
            os.close(fd)
        _check_length(name, len(data), limit)
        return data

    def digest(self, name: str) -> str:
        """The digest of a file's bytes. Raises OSError."""
        state = new_digest()
        for chunk in self.read(name):
            state.update(chunk)
        return state.hexdigest()

    def move(self, name: str, target: Folder, new_name: str) -> None:
        """Move a file atomically, replacing an existing file. Raises OSError."""
        os.replace(self._at(name), target._at(new_name), src_dir_fd=self._fd, dst_dir_fd=target._fd)

    def remove(self, name: str) -> None:
        """Remove a file or a link. Raises OSError."""
        os.unlink(self._at(name), dir_fd=self._fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder. Raises OSError."""
        os.rmdir(self._at(name), dir_fd=self._fd)

    def clear(self) -> None:
        """Remove everything in the folder. Raises OSError."""
        self._clear(0)

    def remove_any(self, name: str, *, is_folder: bool) -> None:
        """Remove a file, a link, or a folder with its content. Raises OSError."""
        self._remove_any(name, 0, is_folder=is_folder)

    def _clear(self, depth: int) -> None:
        for entry in self.scan():
            self._remove_any(entry.name, depth, is_folder=entry.is_dir(follow_symlinks=False))

    def _remove_any(self, name: str, depth: int, *, is_folder: bool) -> None:
        if not is_folder:
            self.remove(name)
            return
        with self.folder(name) as inner:
            if depth < _DEEP:
                inner._clear(depth + 1)
            else:
                inner._clear_any_depth()
        self.remove_folder(name)

    def _clear_any_depth(self) -> None:
        """Remove everything in the folder, however deep it nests: what is below a folder in it is moved up first."""
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in self.scan()]
        for name, is_folder in entries:
            if not is_folder:
                self.remove(name)
        folders = [name for name, is_folder in entries if is_folder]
        taken = frozenset(folders)
        free = (str(number) for number in count() if str(number) not in taken)
        while folders:
            name = folders.pop()
            with self.folder(name) as inner:
                for entry in [*inner.scan()]:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(next(free))
                        inner.move(entry.name, self, folders[-1])
                    else:
                        inner.remove(entry.name)
            self.remove_folder(name)


def _check_length(name: str, length: int, limit: int | None) -> None:
    """Raises OSError for a file that is longer than `limit`.

    Check the size that the system tells before a file is read: to read it up to the limit may take many seconds. And
    check what was read, since a file may grow meanwhile, and those of some file systems have no size.
    """
    if limit is not None and length > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)


class Cursor:
    """Moves between folders below a top one, keeping open only the current folder and those above it.

    If paths are sorted, it opens each folder once.
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
            path: the path relative to the top, with ``/`` between segments; empty for the top itself.
            create: whether to create missing folders.

        Returns:
            The folder, which is open until the cursor moves on.

        Raises:
            FileNotFoundError: if the folder or one above it is missing.
            NotADirectoryError: if something else has the name; ``filename`` is its path from the top.
            OSError: if the system reports an error.
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
    """A hash object that computes the digest of `devlog.model.digest.digest_bytes` incrementally."""
    return blake2b(digest_size=16)


def is_link(status: os.stat_result) -> bool:
    """Whether a status is that of a symbolic link or of a Windows junction."""
    return stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _MOUNT_POINT


def describe(error: OSError) -> str:
    """The reason of a system error, in words."""
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
