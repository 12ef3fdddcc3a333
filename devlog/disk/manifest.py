"""What devlog has written into the output folder: the reason a file may be kept, replaced or removed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePath

import msgspec

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder, write_all
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes

MANIFEST = ".devlog-manifest.json"
STAGE = ".devlog-stage"
_VERSION = 1


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was written.

    Attributes:
        key: what it was made from; chosen by the caller.
        digest: of the bytes.
        length: in bytes.
        mtime_ns: when it was written, as the file system says.
    """

    key: str
    digest: str
    length: int
    mtime_ns: int


class Owner(msgspec.Struct, frozen=True):
    """The site that an output folder belongs to.

    Attributes:
        place: stands for the way from the output folder to the site's, which does not change when both are moved, and
            tells readers of a published manifest nothing.
        url: where the site is published; empty when that is not known.
        title: of the site.
    """

    place: str
    url: str = ""
    title: str = ""

    def is_same(self, other: Owner) -> bool:
        """Whether another one is the same site, perhaps in another checkout."""
        return self.place == other.place or (bool(self.url) and self.url == other.url)


class Former(msgspec.Struct, frozen=True):
    """The folder that changed places with this one: the former output, which programs may still have open.

    What is found there later, and is neither here nor as it was, was put there by somebody.

    Attributes:
        folder: its inode.
        manifest: the inode of its manifest, which the next build removes before anything else.
        time_ns: when the folders changed places.
        others: the inodes of the files in it that devlog did not write.
        folders: those in which there is nothing of devlog's.
        stale: the files of devlog's that are not in the new site.
    """

    folder: int
    manifest: int
    time_ns: int
    others: dict[str, int] = {}
    folders: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class Manifest(msgspec.Struct, frozen=True):
    """The files of the last build, sorted by path, and those that a build was about to write.

    Attributes:
        version: of this format.
        entries: what the last finished build left.
        pending: the digests that a build, perhaps killed meanwhile, has announced: they are ours too.
        owner: the site that they are of; `None` in one of an earlier version.
        former: what this folder has changed places with; `None` where it has not.
    """

    version: int = _VERSION
    entries: dict[str, Entry] = {}
    pending: dict[str, str] = {}
    owner: Owner | None = None
    former: Former | None = None

    def paths(self) -> set[str]:
        """All paths at which a file of ours may stand."""
        return self.entries.keys() | self.pending.keys()

    def wrote(self, path: str, digest: str, length: int) -> bool:
        """Whether a file of this digest and length at a path is one that devlog wrote."""
        entry = self.entries.get(path)
        if entry and entry.digest == digest:
            return True
        # A power cut leaves files whose bytes have not reached the disk yet empty.
        return path in self.pending and (self.pending[path] == digest or length == 0)


def file_name(output: str, path: str) -> str:
    """The name of an output file in messages."""
    return f"{PurePath(output).as_posix()}/{path}"


def owner_of(root: Path, output: str, url: str, title: str) -> Owner:
    """The site in a folder, as the owner of an output folder.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        url: where the site is published; empty when that is not known.
        title: of the site.
    """
    try:
        site, place = (Path(os.path.realpath(path)) for path in (root, root / output))  # which minds no loop of links
    except OSError:  # the folder in which the command runs is gone, and with it the site: others will say so
        return Owner("", url, title)
    try:
        way = PurePath(os.path.relpath(site, place)).as_posix()
    except ValueError:  # on two drives
        way = site.as_posix()
    return Owner(digest_bytes(os.fsencode(way)), url, title)


def open_output(root: Path, output: str, *, create: bool = False) -> Folder:
    """Open the output folder, which is not followed when it is a link. Raises OSError."""
    path = root / output
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
    with Folder.open(path.parent) as parent:
        return parent.folder(path.name, create=create)


def load_manifest(root: Path, output: str) -> tuple[Manifest, tuple[Diagnostic, ...]]:
    """Read what the last build has written.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.

    Returns:
        The manifest, empty when there is none, and a warning when it is damaged: then it is empty as well,
        and every file in the folder counts as someone else's.
    """
    try:
        with open_output(root, output) as top:
            data = b"".join(top.read(MANIFEST))
    except OSError:
        return Manifest(), ()  # publishing will say what is wrong with the folder
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        manifest = Manifest(version=0)
    if manifest.version != _VERSION:
        return Manifest(), (problems.damaged_manifest(file_name(output, MANIFEST)),)
    return manifest, ()


def digest_of_manifest(root: Path, output: str) -> str:
    """The digest of the manifest as it lies there; empty when there is none."""
    try:
        with open_output(root, output) as top:
            return digest_bytes(b"".join(top.read(MANIFEST)))
    except OSError:
        return ""


def unchanged(root: Path, output: str, manifest: Manifest, *, believing: bool = True) -> dict[str, Entry]:
    """Find the files that still are as the last build wrote them.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        manifest: what the last build wrote.
        believing: whether a file whose length and time are as recorded is believed. Whoever writes into the folder can
            set both.

    Returns:
        Path and entry of each such file. One that is not believed is read, and its entry then holds its time.
    """
    found: dict[str, Entry] = {}
    doubtful: list[str] = []
    try:
        with open_output(root, output) as top:
            # A status is asked by the whole path, which goes through links in place of folders: it moves no byte,
            # and whoever could plant a file of the same length and time there could plant one here.
            status_of = _status_below(top, root / output)
            for path, entry in manifest.entries.items():
                try:
                    status = status_of(path)
                except (OSError, ValueError):
                    continue  # written anew
                if believing and believed(status, entry):
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


def _status_below(top: Folder, place: Path) -> Callable[[str], os.stat_result]:
    if top.fd >= 0:
        return partial(os.stat, dir_fd=top.fd, follow_symlinks=False)
    return lambda path: os.lstat(f"{place}{os.sep}{path}")


def stage_manifest(stage: Folder, manifest: Manifest) -> None:
    """Write a manifest into the hidden folder, from where it is moved into place. Raises OSError.

    It is synced although the site's files are not: after a power cut, a file that did not reach the disk is
    found out by its digest and rendered again, but without a manifest no file could be told to be ours.
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


def believed(status: os.stat_result, entry: Entry | None) -> bool:
    """Whether a file's status alone says that it is as we wrote it."""
    if entry is None or status.st_mtime_ns != entry.mtime_ns or status.st_size != entry.length:
        return False
    return stat.S_ISREG(status.st_mode)


def _intact(cursor: Cursor, path: str, entry: Entry) -> Entry | None:
    folder_path, _, name = path.rpartition("/")
    try:
        folder = cursor.enter(folder_path)
        status = folder.stat(name)
        if status.st_size == entry.length and folder.digest(name) == entry.digest:
            return entry_of(status, entry.key, entry.digest)
    except OSError:
        pass  # missing, unreadable or no file: written anew, or reported, by publishing
    return None
