"""Publishes a whole site in one step: prepares it in a spare folder, then exchanges that with the output folder.

The spare folder contains the site before the last one. Nearly all its files are hard links to files of the output
folder. Only the differences are updated, and a file in it is used only if it is the same file (the same inode) as in
the output folder. So it does not matter whether someone has changed the spare folder, or whether a build died while it
was working there. What devlog did not write is included: files, links and folders, even empty ones, with their owners
and modes.

The spare folder is ``.devlog/spare`` of the site, and ``.devlog/spare-…`` for each output folder that is not the
configured one: what a program puts into a former output must come back to the output that it was. One of the latter is
removed after a month without a build into that output, if nothing is lost with it. If the configuration names another
output now, or the output folder is gone or was replaced, the spare folder is not the recorded former one: what others
have put into it is then kept and reported, see `devlog.disk.rescue`. For an output folder on another file system or
outside of the site, the spare folder is in a hidden folder beside the output folder, and is removed afterwards, unless
others have put something into it, which the next build finds there. What is kept then stays in the hidden folder.

Some folders cannot be exchanged: a folder that is or contains a mount point, and any folder on systems and file
systems without such a call or without hard links. For these `devlog.disk.in_place` does the work.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, suppress
from pathlib import Path, PurePath

import msgspec

from devlog.disk.apply import Applier
from devlog.disk.calls import exchanger, imitate, inherit_access
from devlog.disk.changes import Changes, folders_above, hidden_paths
from devlog.disk.folder import Cursor, Folder, is_link, rewound
from devlog.disk.lock import BusyError, open_alone
from devlog.disk.manifest import MANIFEST, STAGE, Former, Manifest, hidden, recorded, stage_manifest
from devlog.disk.rescue import Keeper, Rescue, begin, has_new, is_former, keep_others, was_begun
from devlog.disk.site_folder import OWN
from devlog.disk.unused import remove_spare, remove_unused
from devlog.model.digest import digest_bytes

_SPARE = "spare"
_NEW = "new"
_PAIR = ("a", "b")
_MARK = "made-by-devlog"
"""The file in a hidden folder beside an output folder that tells whose it is."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS}
_OPEN = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_TRIES = 5  # attempts to put a folder back while other programs move it
_FOLDER = 0  # marks a folder, where a file has its inode
_MOUNTS = Path("/proc/self/mountinfo")


class CannotSwapError(Exception):
    """The folders cannot be exchanged here. Nothing has been changed, and all staged files still exist."""


class Backstage:
    """The folders in which a site is prepared.

    Attributes:
        stage: the staging folder for new files, empty at first.
        spare: the folder that will be exchanged with the output folder.
        top: the output folder; if there is none yet, the empty spare folder.
        keeper: keeps files of others that would be lost with the spare folder.
    """

    def __init__(self, root: Path, output: str, configured: str = "") -> None:
        """Open the three folders.

        Args:
            root: the site's folder.
            output: the output folder, relative to it, or absolute.
            configured: that of the site's configuration, in the same way; empty if it is this one.

        Raises:
            BusyError: if another process publishes into the output folder.
            OSError: if the folders cannot be exchanged.
        """
        self._exchange = exchanger()
        place = root / output
        self._name = place.name
        self._output = output
        with ExitStack() as opened:
            self._parent = opened.enter_context(Folder.open(place.parent))
            self._home = opened.enter_context(self._open_home(root, place.parent))
            self._spare = _spare_name(root, output, configured) if self._own else _SPARE
            self._shown = OWN if self._own else (PurePath(output).parent / _beside(self._name)).as_posix()
            opened.callback(self._sweep)
            self.stage = opened.enter_context(self._home.folder(_NEW, create=True))
            self.stage.clear()
            self._try_out()
            self.keeper = Keeper(self._home, self._shown, f"{self._shown}/{self._spare}")
            self._begin = os.fstat(self.stage.fd).st_mtime_ns
            self.top, self.spare = self._open_both(place, opened)
            _inherit(self.top, self.stage)
            self._opened = opened.pop_all()

    def _open_home(self, root: Path, parent: Path) -> Folder:
        """Open the folder that contains the staging folder and the spare folder."""
        self._own = False
        if parent.resolve().is_relative_to(root.resolve()):
            with Folder.open(root) as top:
                home = top.folder(OWN, create=True)
            if os.fstat(home.fd).st_dev == os.fstat(self._parent.fd).st_dev:
                self._own = True
                return home
            home.close()
        home = open_alone(self._parent, _beside(self._name))
        if not home.scan() and _is_own_users(home):
            os.close(home.create_file(_MARK))
        if not _is_ours(home):
            home.close()
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        return home

    def _try_out(self) -> None:
        """Raises OSError if folders cannot be exchanged here, or if listings do not return the inodes of files."""
        for name in _PAIR:
            self.stage.folder(name, create=True).close()
        inodes = {entry.name: entry.inode() for entry in self.stage.scan()}
        reliable = all(self.stage.stat(name).st_ino == inodes.get(name) for name in _PAIR)
        self._exchange(self.stage.fd, _PAIR[0], self.stage.fd, _PAIR[1])
        if not reliable or any(self.stage.stat(name).st_ino == inodes.get(name) for name in _PAIR):
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        self.stage.clear()

    def _open_both(self, place: Path, opened: ExitStack) -> tuple[Folder, Folder]:
        """Open the output folder and the spare folder."""
        try:
            top = opened.enter_context(self._parent.folder(self._name))
        except FileNotFoundError:
            with suppress(FileNotFoundError), self._home.folder(self._spare) as spare:
                keep_others(spare, None, self.keeper)
            _sweep(self._home, self._spare)
            spare = opened.enter_context(self._home.folder(self._spare, create=True))
            _inherit(self._parent, spare)
            return spare, spare
        if os.fstat(top.fd).st_dev != os.fstat(self._parent.fd).st_dev or _holds_mount(place.resolve()):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        return top, opened.enter_context(self._home.folder(self._spare, create=True))

    def publish(self, changes: Changes, old: Manifest, new: Manifest, by: Applier) -> None:
        """Apply the changes to the output folder.

        Args:
            changes: the changes.
            old: the manifest of the output folder.
            new: the new manifest.
            by: the applier for the spare folder and the staging folder.

        Raises:
            CannotSwapError: if the folders cannot be exchanged.
            OSError: if the system reports an error. The site is unchanged.
        """
        mirror = Mirror(changes, old, self._rescue(changes, old))
        if self.top is not self.spare:
            try:
                if mirror.rescue and old.former:
                    begin(self.spare, old.former)
                else:
                    keep_others(self.spare, self.top, self.keeper)
                mirror.align(self.top.fd, self.spare.fd)
            except OSError as error:
                raise _judge(error) from error
            except RecursionError as error:  # folders of someone else, nested a thousand levels deep
                raise CannotSwapError from error
            new = msgspec.structs.replace(new, former=self._former(changes, old, mirror))
        by.current = MANIFEST
        stage_manifest(self.stage, new)
        by.settle()  # first: if a build is killed now, the next one knows by it which files in the spare are devlog's
        by.remove_folders((*changes.first, *changes.gone))
        by.put(changes.writes)
        by.current = ""
        by.remove_folders(changes.last)
        if self.top is self.spare:
            self._home.move(self._spare, self._parent, self._name)
            self._check_published()
        else:
            with suppress(OSError):
                os.utime(MANIFEST, dir_fd=self.top.fd, follow_symlinks=False)  # see `left_in` and `was_begun`
            self._change_places(changes, by)
            self._check_published()
            self._bring_late(mirror)
        by.removed = [*changes.first, *changes.last]

    def _rescue(self, changes: Changes, old: Manifest) -> Rescue | None:
        """The rescue of files that others have put into the spare folder; `None` if these cannot be detected."""
        if old.former and is_former(self.spare, old.former):
            planned = {*changes.folders, *(write.path for write in changes.writes)}
            self.keeper = Keeper(self._home, self._shown, self._output)
            begun = was_begun(self.spare, old.former)
            return Rescue(self.keeper, self.top, old, old.former, planned, begun=begun)
        return None

    def _former(self, changes: Changes, old: Manifest, mirror: Mirror) -> Former | None:
        """The state of the output folder before it becomes the former one; `None` if it has no manifest."""
        try:
            manifest = self.top.stat(MANIFEST).st_ino
        except OSError:
            return None
        probe = self.stage.create_file(MANIFEST)
        try:
            now = os.fstat(probe).st_mtime_ns  # by the clock of the file system
        finally:
            os.close(probe)
        self.stage.remove(MANIFEST)
        own = folders_above({*changes.first, *changes.last})
        folders = tuple(sorted(map(recorded, mirror.seen - changes.folders - own - {""})))
        others = {recorded(path): inode for path, inode in mirror.others.items()}
        replaced = {write.path for write in changes.writes}.intersection(old.entries)
        ahead = self._times_after(now, {*replaced, *changes.first, *changes.last, *mirror.others})
        return Former(os.fstat(self.top.fd).st_ino, manifest, now, others, folders, hidden_paths(changes), ahead)

    def _times_after(self, now: int, paths: set[str]) -> dict[str, int]:
        """The times of files of the output folder that are later than now: without them, they would seem to be new.

        A clock may have been ahead when they were written, or a program has given them another time.
        """
        found: dict[str, int] = {}
        with Cursor(self.top) as cursor:
            for path in sorted(paths):
                above, _, name = path.rpartition("/")
                with suppress(OSError):
                    time = cursor.enter(above).stat(name).st_mtime_ns
                    if time > now:
                        found[hidden(path)] = time
        return found

    def _change_places(self, changes: Changes, by: Applier) -> None:
        try:
            self._exchange(self._home.fd, self._spare, self._parent.fd, self._name)
        except OSError as error:
            reason = _judge(error)
            if isinstance(reason, CannotSwapError):
                by.take_back(changes.writes)
            raise reason from error

    def _check_published(self) -> None:
        """Check that the new folder is the output now: folders are moved by name, which may have become a link's.

        Raises:
            OSError: if it is not. The output folder is unchanged, or missing if another program has moved it away.
        """
        if os.path.samestat(self._parent.stat(self._name), os.fstat(self.spare.fd)):
            return
        with suppress(OSError):
            if self.top is self.spare:
                self._parent.move(self._name, self._home, self._spare)
            else:
                self._put_back()
        with suppress(OSError):
            if is_link(self._parent.stat(self._name)):
                self._parent.remove(self._name)
        raise OSError(errno.ESTALE, "another program has replaced a folder of this build")

    def _put_back(self) -> None:
        """Put the former output folder back, whatever its name is now. Raises OSError."""
        former = os.fstat(self.top.fd).st_ino
        for _ in range(_TRIES):
            names = [entry.name for entry in self._home.scan() if entry.inode() == former]
            if not names:
                return
            with suppress(OSError):  # it may have been renamed again
                self._exchange(self._home.fd, names[0], self._parent.fd, self._name)

    def _bring_late(self, mirror: Mirror) -> None:
        """Move files that others have put into the output folder while the spare folder was being prepared."""
        with Cursor(self.top) as old, Cursor(self.spare) as new:
            for path in mirror.seen:
                with suppress(OSError):
                    status = os.stat(path or ".", dir_fd=self.top.fd, follow_symlinks=False)
                    if status.st_mtime_ns >= self._begin:
                        mirror.bring(old.enter(path), new.enter(path, create=True), path)

    def _sweep(self) -> None:
        """Remove all working folders, except the spare folder if it is in the site's own folder, or if others have put
        something into it.
        """
        with suppress(OSError):
            _sweep(self._home, _NEW)
        with suppress(OSError):
            if self._own:
                remove_unused(self._home, f"{_SPARE}-", self._spare)
            else:
                _sweep_beside(self._parent, self._name, self._home)

    def close(self) -> None:
        """Remove folders that are no longer needed."""
        self._opened.close()


class Mirror:
    """Makes the spare folder contain those files of the output folder that stay.

    Attributes:
        rescue: rescues files that others have put into the spare folder.
        others: the inodes of the files in the output that devlog did not write, by path.
        seen: the paths of the folders of the output.
    """

    def __init__(self, changes: Changes, old: Manifest, rescue: Rescue | None) -> None:
        self.rescue = rescue
        self.others: dict[str, int] = {}
        self._files = old.entries
        self._own = changes.folders
        self._left_out = {STAGE, MANIFEST, *changes.first, *changes.last, *(write.path for write in changes.writes)}
        self._touched = {path.rpartition("/")[0] for path in self._left_out}
        self.seen: set[str] = set()

    def align(self, source: int, target: int, path: str = "", *, fresh: bool = False) -> None:
        """Make one folder equal to another, file by file.

        This visits the whole site, so it uses plain file descriptors for speed. Names come from the listing of an
        open folder and are looked up in that folder only, so no link is followed.

        Args:
            source: a folder of the output.
            target: the corresponding folder in the spare folder.
            path: the path of both.
            fresh: whether the target has just been created.

        Raises:
            OSError: if the system reports an error.
        """
        self.seen.add(path)
        wanted, found = _listing(source), {} if fresh else _listing(target)
        if not path and found.get(MANIFEST, _FOLDER) != _FOLDER:
            del found[MANIFEST]  # it goes last: a build that finds it also rescues what is new in the folders below
        if self.rescue and wanted != found and self._take(self.rescue, wanted, found, path, target):
            wanted = _listing(source)
        files, prefix = self._files, f"{path}/" if path else ""
        for name in [name for name in wanted if prefix + name not in files]:
            if wanted[name] != _FOLDER:
                self.others[prefix + name] = wanted[name]
        if path in self._touched:
            self._leave_out(wanted, path)
        if wanted != found:
            _remove_others(Folder(path, target), wanted, found)
            _link(source, target, wanted, found)
        for name, inode in wanted.items():
            if inode == _FOLDER:
                fresh_inside = found.get(name) != _FOLDER
                self._descend(source, target, name, f"{path}/{name}" if path else name, fresh=fresh_inside)
        if fresh or path not in self._own:  # the modes of devlog's own folders are only copied once, the top's always
            imitate(source, target)

    def _descend(self, source: int, target: int, name: str, path: str, *, fresh: bool) -> None:
        inner = os.open(name, _OPEN, dir_fd=source)
        try:
            other = os.open(name, _OPEN, dir_fd=target)
            try:
                self.align(inner, other, path, fresh=fresh)
            finally:
                os.close(other)
        finally:
            os.close(inner)

    def bring(self, source: Folder, target: Folder, path: str) -> None:
        """Move new files from a folder of the former output. Raises OSError."""
        existing = _listing(target.fd)
        for name, inode in _listing(source.fd).items():
            here = f"{path}/{name}" if path else name
            if here not in self._left_out and here not in self.seen and existing.get(name) != inode:
                with suppress(OSError):  # if one cannot be moved, the others still can
                    source.move(name, target, name)

    def _take(self, rescue: Rescue, wanted: dict[str, int], found: dict[str, int], path: str, target: int) -> bool:
        """Rescue files that are only in the spare folder. Return whether any of them is in the output now."""
        folder, prefix, carried = Folder(path, target), f"{path}/" if path else "", False
        for name, inode in found.items():
            if wanted.get(name) != inode:
                is_folder, is_free = inode == _FOLDER, name not in wanted
                carried |= rescue.take(folder, name, prefix + name, is_folder=is_folder, is_free=is_free)
        for name in [name for name in found if not _is_there(folder, name)]:
            del found[name]  # it was moved away
        return carried

    def _leave_out(self, wanted: dict[str, int], path: str) -> None:
        """Remove the files that will be replaced or removed from `wanted`.

        So they are removed from the spare folder too. Moving a new file over an old one would also work, but makes ext4
        write the new file to the disk at once (``auto_da_alloc``), which takes a hundred times as long.
        """
        prefix = f"{path}/" if path else ""
        for name, inode in list(wanted.items()):
            here = prefix + name
            if here in self._left_out and (inode != _FOLDER or here == STAGE):
                del wanted[name]


def _listing(folder: int) -> dict[str, int]:
    """The inode of every file and link, by name; `_FOLDER` for folders."""
    with os.scandir(rewound(folder)) as entries:
        return {entry.name: _FOLDER if entry.is_dir(follow_symlinks=False) else entry.inode() for entry in entries}


def _is_there(folder: Folder, name: str) -> bool:
    try:
        folder.stat(name)
    except OSError:
        return False
    return True


def _remove_others(target: Folder, wanted: dict[str, int], found: dict[str, int]) -> None:
    """Remove files that do not exist in the output folder, or are other files there.

    All of them are removed before any file is added, since the system may treat two spellings of a name as the same.
    """
    for name, inode in found.items():
        if wanted.get(name) != inode:
            target.remove_any(name, is_folder=inode == _FOLDER)


def _link(source: int, target: int, wanted: dict[str, int], found: dict[str, int]) -> None:
    """Create hard links to missing files, and missing folders, which are filled later."""
    for name, inode in wanted.items():
        if found.get(name) == inode:
            continue
        if inode == _FOLDER:
            os.mkdir(name, dir_fd=target)
        else:
            os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)


def _inherit(parent: Folder, folder: Folder) -> None:
    """Give a folder, and what will be created in it, the group that all in another folder gets, if that has the setgid
    bit, and its default access control list: moving it there would not. Raises OSError.
    """
    theirs, ours = os.fstat(parent.fd), os.fstat(folder.fd)
    if theirs.st_mode & stat.S_ISGID:
        if theirs.st_gid != ours.st_gid:
            os.fchown(folder.fd, -1, theirs.st_gid)
        os.fchmod(folder.fd, stat.S_IMODE(ours.st_mode) | stat.S_ISGID)
    inherit_access(parent.fd, folder.fd)  # last: a change of mode would change the list


def sweep(root: Path, output: str) -> None:
    """Remove folders that a killed build has left behind, if this build needs no `Backstage`."""
    with suppress(OSError), Folder.open(root) as top, top.folder(OWN) as home:
        _sweep(home, _NEW)
    place = root / output
    with (
        suppress(OSError, BusyError),
        Folder.open(place.parent) as parent,
        open_alone(parent, _beside(place.name), create=False, wait=0) as home,
    ):
        if _is_ours(home):
            _sweep(home, _NEW)
            _sweep_beside(parent, place.name, home)


def _sweep_beside(parent: Folder, name: str, home: Folder) -> None:
    """Remove the spare folder beside an output folder, and the hidden one around it, unless they have something of
    others. Raises OSError.

    Args:
        parent: the folder that contains both.
        name: the name of the output folder.
        home: the hidden folder.
    """
    with suppress(FileNotFoundError, RecursionError), ExitStack() as opened:
        top = None
        with suppress(FileNotFoundError):
            top = opened.enter_context(parent.folder(name))
        remove_spare(home, _SPARE, lambda spare: not has_new(spare, top))
    if [entry.name for entry in home.scan()] == [_MARK]:
        home.remove(_MARK)
        parent.remove_folder(_beside(name))


def _sweep(folder: Folder, name: str) -> None:
    """Remove a folder, if it exists. Raises OSError.

    The manifest in it goes last, so that what a killed build has left has one.
    """
    with suppress(FileNotFoundError):
        with folder.folder(name) as inner:
            for entry in inner.scan():
                if entry.name != MANIFEST:
                    inner.remove_any(entry.name, is_folder=entry.is_dir(follow_symlinks=False))
        folder.remove_any(name, is_folder=True)


def _is_ours(home: Folder) -> bool:
    """Whether devlog has made a hidden folder beside an output folder, so that it may be removed with what is in it.

    A folder of this name may be anything, even a site.
    """
    try:
        return _is_own_users(home) and stat.S_ISREG(home.stat(_MARK).st_mode)
    except OSError:
        return False


def _is_own_users(home: Folder) -> bool:
    """Whether a folder belongs to the current user: in a shared folder such as ``/tmp``, others may have created it."""
    return not hasattr(os, "geteuid") or os.fstat(home.fd).st_uid == os.geteuid()


def _spare_name(root: Path, output: str, configured: str) -> str:
    """The name of the spare folder of an output folder in the site; see `Backstage`."""
    place, usual = (os.path.realpath(root / folder) for folder in (output, configured or output))
    if place == usual:
        return _SPARE
    return f"{_SPARE}-{digest_bytes(os.fsencode(os.path.relpath(place, os.path.realpath(root))))[:12]}"


def _beside(name: str) -> str:
    """The name of the hidden folder beside an output folder."""
    return f".{name}{OWN}"


def _judge(error: OSError) -> CannotSwapError | OSError:
    """The exception to raise for a system error.

    If there is no space or the disk fails, every way of publishing fails. Other errors may only affect the exchange.
    """
    return error if error.errno in _NO_ROOM else CannotSwapError()


def _holds_mount(place: Path) -> bool:
    """Whether a folder is or contains a mount point, which would not move with it."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return False  # not Linux; there, another device number or a file that cannot be linked reveals it
    mounts = [_unescape(line.split(b" ")[4]) for line in lines]
    here = os.fsencode(place)
    return any(mount == here or mount.startswith(here + b"/") for mount in mounts)


def _unescape(mount: bytes) -> bytes:
    """A mount point as a path: in the list, blanks and backslashes are octal escapes."""
    first, *parts = mount.split(b"\\")
    return first + b"".join(bytes([int(part[:3], 8)]) + part[3:] for part in parts)
