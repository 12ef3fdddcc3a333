"""The manifest lists the files that devlog has written into the output folder, which it may keep, replace or remove."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePath

import msgspec

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder, is_link, write_all
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes

MANIFEST = ".devlog-manifest.json"
STAGE = ".devlog-stage"
_VERSION = 1
_LARGEST = 256 * 1024 * 1024
"""The maximum size of a manifest, in bytes: that of more than a million files."""
_SHOWN = 200
"""How many characters of the name of another site are shown."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A file as devlog wrote it.

    Attributes:
        key: the digest of its inputs; chosen by the caller.
        digest: the digest of its bytes.
        length: its size in bytes.
        mtime_ns: its modification time on the file system, in nanoseconds.
    """

    key: str
    digest: str
    length: int
    mtime_ns: int


class Owner(msgspec.Struct, frozen=True):
    """The site that an output folder belongs to.

    Attributes:
        place: a digest of the relative path from the output folder to the site's folder. It does not change if both are
            moved together, and reveals nothing to readers of a published manifest.
        url: the URL of the published site; empty if it is not known.
        title: the title of the site.
    """

    place: str
    url: str = ""
    title: str = ""

    def is_same(self, other: Owner) -> bool:
        """Whether another owner is the same site, perhaps in another checkout."""
        return self.place == other.place or (bool(self.url) and self.url == other.url)

    @property
    def name(self) -> str:
        """The title or the URL of the site, for messages."""
        name = self.title or self.url
        return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def recorded(path: str) -> str:
    """A path as a manifest holds it: the bytes of a name that are not UTF-8 are written as ``\\xe9``."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def hidden(path: str) -> str:
    """A digest of a path that a manifest must not tell: it is published, and a draft or a removed page is not."""
    return digest_bytes(path.encode("utf-8", "surrogateescape"))


class Former(msgspec.Struct, frozen=True):
    """The former output folder, which was exchanged with this one, and which programs may still have open.

    If it later contains something that is neither in the output folder nor as recorded here, a program has put it
    there.

    Attributes:
        folder: its inode.
        manifest: the inode of its manifest. The next build replaces that once all files that stay are in the folder.
        time_ns: when the folders were exchanged. Its manifest has a time that is not earlier, until a build begins to
            work in the folder.
        others: the inodes of the files in it that devlog did not write, by `recorded` path.
        folders: the `recorded` paths of the folders in it that contain no files of devlog.
        stale: the `hidden` paths of devlog's files in it that are not in the new site, and of the folders above them.
        ahead: the modification times of devlog's files in it that are later than `time_ns`, by `hidden` path: the clock
            was set back since they were written.
    """

    folder: int
    manifest: int
    time_ns: int
    others: dict[str, int] = {}
    folders: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    ahead: dict[str, int] = {}


class Manifest(msgspec.Struct, frozen=True, rename={"former": "swapped"}):
    """The files of the last build, sorted by path, and those that a build was about to write.

    Attributes:
        version: the version of this format.
        entries: the files of the last finished build, by path.
        pending: the digests of files that a build, perhaps killed since, was about to write, by path: they are devlog's
            too.
        owner: the site that the files belong to; `None` in a manifest of an earlier version.
        former: the folder that this one was exchanged with; `None` if it was not.
    """

    version: int = _VERSION
    entries: dict[str, Entry] = {}
    pending: dict[str, str] = {}
    owner: Owner | None = None
    former: Former | None = None

    def paths(self) -> set[str]:
        """All paths at which there may be a file that devlog wrote."""
        return self.entries.keys() | self.pending.keys()

    def wrote(self, path: str, digest: str, length: int) -> bool:
        """Whether a file of this digest and length at a path is one that devlog wrote."""
        entry = self.entries.get(path)
        if entry and entry.digest == digest:
            return True
        # After a power failure, files whose bytes have not reached the disk are empty.
        return path in self.pending and (self.pending[path] == digest or length == 0)


def file_name(output: str, path: str) -> str:
    """The name of an output file in messages."""
    return f"{PurePath(output).as_posix()}/{path}"


def owner_of(root: Path, output: str, url: str, title: str) -> Owner:
    """The identity of the site at `root`, as the owner of an output folder.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        url: the URL of the published site; empty if it is not known.
        title: the title of the site.
    """
    try:
        site, place = (Path(os.path.realpath(path)) for path in (root, root / output))  # works for loops of links too
    except OSError:  # the current folder was removed, and the site with it, which other code reports
        return Owner("", url, title)
    try:
        way = PurePath(os.path.relpath(site, place)).as_posix()
    except ValueError:  # on two drives
        way = site.as_posix()
    return Owner(digest_bytes(os.fsencode(way)), url, title)


def open_output(root: Path, output: str, *, create: bool = False) -> Folder:
    """Open the output folder, which must not be a symbolic link. Raises OSError."""
    path = root / output
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
    with Folder.open(path.parent) as parent:
        return parent.folder(path.name, create=create)


def load_manifest(root: Path, output: str) -> tuple[Manifest, tuple[Diagnostic, ...]]:
    """Read the manifest of the last build.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.

    Returns:
        The manifest, empty if there is none, and a warning if it is damaged: then it is empty too, and no file in the
        folder counts as devlog's.
    """
    try:
        with open_output(root, output) as top:
            data = b"".join(top.read(MANIFEST, limit=_LARGEST))
    except OSError as error:
        if error.errno == errno.EFBIG:
            return Manifest(), (problems.damaged_manifest(file_name(output, MANIFEST)),)
        return Manifest(), ()  # publishing will report problems of the folder
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        manifest = Manifest(version=0)
    if manifest.version != _VERSION:
        return Manifest(), (problems.damaged_manifest(file_name(output, MANIFEST)),)
    return manifest, ()


def digest_of_manifest(root: Path, output: str) -> str:
    """The digest of the manifest file; empty if there is none."""
    try:
        with open_output(root, output) as top:
            return digest_bytes(b"".join(top.read(MANIFEST, limit=_LARGEST)))
    except OSError:
        return ""


def unchanged(root: Path, output: str, manifest: Manifest, *, believing: bool = True) -> dict[str, Entry]:
    """Find the files that have not changed since the last build wrote them.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: the manifest of the last build.
        believing: whether a file with the recorded size and modification time counts as unchanged without being read.
            Programs that write into the folder can set both.

    Returns:
        The entries of the unchanged files, by path. If a file had to be read, its entry has its current time.
    """
    found: dict[str, Entry] = {}
    doubtful: list[str] = []
    try:
        with open_output(root, output) as top:
            status_of, is_own = _status_below(top, root / output), _OwnFolders(top, root / output)
            for path, entry in manifest.entries.items():
                try:
                    status = status_of(path)
                except (OSError, ValueError):
                    continue  # it will be written again
                # The status is read by the whole path, which follows links in place of folders.
                if believing and _looks_unchanged(status, entry) and is_own(path.rpartition("/")[0]):
                    found[path] = entry
                else:
                    doubtful.append(path)
            with Cursor(top) as cursor:
                for path in sorted(doubtful):
                    if fresh := _intact(cursor, path, manifest.entries[path]):
                        found[path] = fresh
    except OSError:
        return {}
    return found


class _OwnFolders:
    """Whether folders are part of the output folder, and none on the way to them is a symbolic link.

    What is behind a link is not the site, even if it has the same files: another program may change or remove it, and
    publishing writes nothing there. Each folder is examined once, however many files it has.
    """

    def __init__(self, top: Folder, place: Path) -> None:
        self._status_of = _status_below(top, place)
        self._known = {"": True}

    def __call__(self, path: str) -> bool:
        known = self._known.get(path)
        return self._examine(path) if known is None else known

    def _examine(self, path: str) -> bool:
        unknown: list[str] = []
        while path not in self._known:
            unknown.append(path)
            path = path.rpartition("/")[0]
        is_own = self._known[path]
        for folder in reversed(unknown):  # in a loop: a forged manifest may have thousands of folders in each other
            is_own = is_own and self._is_folder(folder)
            self._known[folder] = is_own
        return is_own

    def _is_folder(self, path: str) -> bool:
        try:
            status = self._status_of(path)
        except OSError:
            return False
        return stat.S_ISDIR(status.st_mode) and not is_link(status)


def _status_below(top: Folder, place: Path) -> Callable[[str], os.stat_result]:
    if top.fd >= 0:
        return partial(os.stat, dir_fd=top.fd, follow_symlinks=False)
    return lambda path: os.lstat(f"{place}{os.sep}{path}")


def stage_manifest(stage: Folder, manifest: Manifest) -> None:
    """Write a manifest into the staging folder, from which it is moved into place. Raises OSError.

    It is synced although the site's files are not: after a power failure, a file that has not reached the disk is
    detected by its digest and rendered again, but without a manifest no file could be recognized as devlog's.
    """
    fd = stage.create_file(MANIFEST)
    try:
        write_all(fd, msgspec.json.encode(manifest))
        os.fsync(fd)
    finally:
        os.close(fd)


def entry_of(status: os.stat_result, key: str, digest: str) -> Entry:
    """The entry of a file whose bytes have this digest."""
    return Entry(key, digest, status.st_size, status.st_mtime_ns)


def _looks_unchanged(status: os.stat_result, entry: Entry) -> bool:
    as_written = status.st_mtime_ns == entry.mtime_ns and status.st_size == entry.length
    return as_written and stat.S_ISREG(status.st_mode)


def _intact(cursor: Cursor, path: str, entry: Entry) -> Entry | None:
    folder_path, _, name = path.rpartition("/")
    try:
        folder = cursor.enter(folder_path)
        status = folder.stat(name)
        if status.st_size == entry.length and folder.digest(name) == entry.digest:
            return entry_of(status, entry.key, entry.digest)
    except OSError:
        pass  # it is missing, unreadable or not a file: publishing writes it again, or reports it
    return None
