"""The stat cache: digests of files that have not changed since they were read, which need not be read again.

A file counts as unchanged if its status is the same as when it was read: its size, its inode, and the time of its last
status change which, unlike the modification time, no program can set. (The few file systems without such a time return
the modification time; ``--no-cache`` reads all files.) A file that changed just before it was read is not cached,
because the next change might get the same time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

import msgspec

from devlog.disk.folder import Folder
from devlog.model.diagnostic import Diagnostic
from devlog.model.included import IncludedFile
from devlog.model.record import decoded
from devlog.model.source import Location, Size

SETTLED_NS = 40_000_000_000
"""How long ago a file must have changed to be cached: file systems have time steps of up to two seconds, and Linux may
note changes through shared memory (``mmap``) only once in half a minute. On ``tmpfs`` it never
notes later ones through the same mapping: the status stays the same, and only reading the file would tell."""


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """The status of a file: its size, the times of its last modification and status change, its inode and device."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int


class Read(msgspec.Struct, frozen=True, array_like=True):
    """The cached data of a file.

    Attributes:
        digest: the digest of its bytes.
        size: the size of an image in pixels, if known.
        strips: whether it is an image from which metadata can be removed, whatever its name is.
        location: whether its metadata tells where it was taken.
        active: why browsers or web servers would do more with it than display it; empty if they would not.
        path: the path in the site under which it was examined; empty if only its digest was needed, so that nothing
            else is known.
        included: the files that a source includes, as it names them; `None` if the file was not read as a source.
        stamp: its status when it was read.
    """

    digest: str
    size: Size | None = None
    strips: bool = False
    location: Location = ""
    active: str = ""
    path: str = ""
    included: tuple[IncludedFile, ...] | None = None
    stamp: Stamp = Stamp(0, 0, 0, 0, 0)


class StatCache:
    """The cached data of files from earlier builds, by name.

    Attributes:
        changed: whether there is new data to store.
    """

    def __init__(self, record: bytes = b"") -> None:
        """
        Args:
            record: the result of `encode` in an earlier build; anything else is ignored.
        """
        self.changed = False
        self._now = time.time_ns()
        self._stamps: dict[str, Stamp] = {}
        self._found: dict[str, Read] = {}
        self._known = decoded(record, dict[str, Read]) or {}

    def again(self, *, all_files: bool = True) -> StatCache:
        """A cache with the same data, for reading files again.

        Args:
            all_files: whether all files will be read. If not, the data of the others is kept.
        """
        made = StatCache()
        made.changed = self.changed
        made._known = self._found or self._known  # nothing may have been read yet
        made._found = {} if all_files else {**self._found}
        return made

    def recall(self, folder: Folder, name: str, file: str, path: str = "", *, is_source: bool = False) -> Read | None:
        """The cached data of a file that has not changed; `None` if there is none. Raises OSError.

        Args:
            folder: the open folder that contains it.
            name: its name there.
            file: its path in the site's folder.
            path: the path in the site under which it must have been examined; empty if only the digest is needed. The
                same file can be a post with one configuration and an attachment with another.
            is_source: whether it must have been read as a source.
        """
        if os.name != "posix":  # on other systems `st_ctime` is the time of creation
            return None
        status = folder.stat(name)
        stamp = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
        known = self._known.get(file)
        is_enough = known and path in ("", known.path) and not (is_source and known.included is None)
        if known and known.stamp == stamp and is_enough:
            self._found[file] = known
            return known
        self._stamps[file] = stamp
        return None

    def note(self, file: str, read: Read) -> None:
        """Cache the data of a file that `recall` did not find; its status is known."""
        stamp = self._stamps.get(file)
        # The status was read before the bytes: if the file changed in between, it will not have this status again.
        times = (stamp.changed_ns, stamp.modified_ns) if stamp else ()
        # A time before 1970 may be too small for a record.
        if stamp and min(times) >= 0 and self._now - max(times) > SETTLED_NS:
            self._found[file] = msgspec.structs.replace(read, stamp=stamp)
            self.changed = True

    def forget_changed(self, found: Iterable[Diagnostic]) -> bool:
        """Drop the data of files that turned out to have other bytes: they are read again next time.

        They need not have changed: the record may be forged or damaged. Their status would stay the same then, and each
        build would report them as changed.

        Args:
            found: the diagnostics of what has used the data.

        Returns:
            Whether there was data of such a file.
        """
        files = {item.span.path for item in found if item.code == "changed-while-building"} & self._found.keys()
        for file in files:
            del self._found[file]
        self.changed |= bool(files)
        return bool(files)

    def encode(self) -> bytes:
        """The data of this build, for the next one."""
        return msgspec.msgpack.encode(self._found)
