"""The folder of one of devlog's databases, which may be exchanged for a link to another one at any time."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from types import TracebackType
from typing import Self

BY_FOLDER = os.open in os.supports_dir_fd
"""Whether names can be looked up in an open folder."""
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FILES = Path("/dev/fd")
"""The numbers of the files that this process has open, on Linux and macOS."""


class Home:
    """The folder of a database, held open: files are looked up in it, even if something else takes its place.

    Where names cannot be looked up in an open folder (Windows), they are joined to paths.
    """

    def __init__(self, path: Path) -> None:
        """Open it, which raises OSError if it is a symbolic link."""
        if path.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        self._path = path
        flags = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW | _COMMON
        self._fd = os.open(path, flags) if BY_FOLDER else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def _at(self, name: str) -> str:
        return name if self._fd is not None else str(self._path / name)

    def status(self, name: str) -> os.stat_result:
        """The status of a name; of a link, its own. Raises OSError."""
        return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)

    def length(self, name: str) -> int:
        """The length of a file in bytes; 0 if there is none."""
        try:
            return self.status(name).st_size
        except OSError:
            return 0

    def read(self, name: str, length: int, *, at_end: bool = False) -> bytes:
        """The first or last bytes of a file; fewer if it has no more from its beginning, or cannot be read."""
        flags = os.O_RDONLY | _NO_FOLLOW | _COMMON | getattr(os, "O_NONBLOCK", 0)
        with contextlib.suppress(OSError), os.fdopen(os.open(self._at(name), flags, dir_fd=self._fd), "rb") as file:
            if at_end:
                file.seek(-length, os.SEEK_END)
            return file.read(length)
        return b""

    def create(self, name: str) -> None:
        """Create an empty file, unless the name exists. Raises OSError.

        The mode is the default of the user's umask: several may share a site. SQLite would let the owner alone write,
        and gives the files beside it the same mode.
        """
        with contextlib.suppress(FileExistsError):
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _COMMON
            os.close(os.open(self._at(name), flags, 0o666, dir_fd=self._fd))

    def remove(self, name: str) -> None:
        """Remove a file or a link, if it exists. Raises OSError."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._at(name), dir_fd=self._fd)

    def check(self, name: str) -> None:
        """Check that SQLite, which opens files by their paths, has opened the one in this folder.

        Raises:
            OSError: if the folder was exchanged for something else.
        """
        if self._fd is None:  # the folder has a file open, so that Windows lets nobody exchange it
            is_own = not self._path.is_symlink()
        else:
            is_own = os.path.samestat(os.fstat(self._fd), self._path.lstat()) and self._is_open(name)
        if not is_own:
            raise OSError(errno.ESTALE, "another program has replaced the folder", str(self._path))

    def _is_open(self, name: str) -> bool:
        """Whether this process has a file of the folder open; true where the system does not say what is open.

        This also tells if the folder is back in its place by now.
        """
        try:
            numbers = [entry.name for entry in _OPEN_FILES.iterdir()]
        except OSError:
            return True
        if str(self._fd) not in numbers:  # some systems list the standard streams alone
            return True
        wanted = self.status(name)
        return any(_is_file(number, wanted) for number in numbers)


def _is_file(number: str, status: os.stat_result) -> bool:
    """Whether an open file is the one with a status."""
    try:
        return os.path.samestat(os.fstat(int(number)), status)
    except OSError:  # another thread has closed it meanwhile
        return False
