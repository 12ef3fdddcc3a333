"""Files that were read before and have not changed since: they need not be read again to know their digests.

A file counts as unchanged when the system says the same of it as when it was read: its size, its place on the disk and
the time of its last change which, unlike the time of its modification, no program can set. (The few file systems that
keep no such time tell that of the modification; ``--no-cache`` reads all.) A file that changed a moment before it was
read is not believed: the next change might get the same time.
"""

from __future__ import annotations

import os
import time

import msgspec

from devlog.disk.folder import Folder
from devlog.model.record import decoded
from devlog.model.source import Size

SETTLED_NS = 3_000_000_000
"""How long ago a file must have changed to be believed: file systems count in steps of up to two seconds."""


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """What the system says of a file: size, times of the last modification and change, and where it lies."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int


class Read(msgspec.Struct, frozen=True, array_like=True):
    """What was learnt from a file: its digest and, of a picture, its size in pixels and whether it names a place.

    Attributes:
        active: why it is more than what is shown.
        path: the path in the site as which it was looked at; empty where only its digest was asked for, so that
            nothing else is known.
    """

    stamp: Stamp
    digest: str
    size: Size | None = None
    located: bool = False
    active: str = ""
    path: str = ""


class StatCache:
    """What is known of files from earlier builds, by name.

    Attributes:
        changed: whether there is something to remember.
    """

    def __init__(self, record: bytes = b"") -> None:
        """
        Args:
            record: what `encode` gave in an earlier build; anything else counts for nothing.
        """
        self.changed = False
        self._now = time.time_ns()
        self._stamps: dict[str, Stamp] = {}
        self._found: dict[str, Read] = {}
        self._known = decoded(record, dict[str, Read]) or {}

    def again(self, *, all_files: bool = True) -> StatCache:
        """The same, for looking at files once more; when it is not at all of them, the others are not forgotten."""
        made = StatCache()
        made.changed = self.changed
        made._known = self._found
        made._found = {} if all_files else {**self._found}
        return made

    def recall(self, folder: Folder, name: str, file: str, path: str = "") -> Read | None:
        """What is known of a file that has not changed. Raises OSError.

        Args:
            folder: the open folder in which it lies.
            name: its name there.
            file: its name in the site's folder.
            path: the path in the site as which it must have been looked at; empty where only the digest counts. The
                same file can be a post under one configuration and an attachment under another.
        """
        if os.name != "posix":  # elsewhere the third time is that of creation
            return None
        status = folder.stat(name)
        stamp = Stamp(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev)
        known = self._known.get(file)
        if known and known.stamp == stamp and path in ("", known.path):
            self._found[file] = known
            return known
        self._stamps[file] = stamp
        return None

    def note(
        self,
        file: str,
        digest: str,
        size: Size | None = None,
        *,
        located: bool = False,
        active: str = "",
        path: str = "",
    ) -> None:
        """Remember what was read of a file that `recall` did not know."""
        stamp = self._stamps.get(file)
        # Its status is older than its bytes: if it has changed in between, it will not have this status again.
        times = (stamp.changed_ns, stamp.modified_ns) if stamp else ()
        # Before 1970 a time may be too small for a record.
        if stamp and min(times) >= 0 and self._now - max(times) > SETTLED_NS:
            self._found[file] = Read(stamp, digest, size, located, active, path)
            self.changed = True

    def encode(self) -> bytes:
        """What the next build should know."""
        return msgspec.msgpack.encode(self._found)
