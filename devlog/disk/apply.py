"""Carry changes out in one folder. Nothing is decided here, and no symbolic link is followed."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.disk.changes import Write
from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import MANIFEST


class Applier:
    """Moves staged files into a folder and removes files from it.

    Attributes:
        current: the path in hand, for the message when the system refuses; empty between two.
        written: the paths that were put into place.
        removed: the paths that are gone.
    """

    def __init__(self, top: Folder, stage: Folder) -> None:
        self._top = top
        self._stage = stage
        self.current = ""
        self.written: list[str] = []
        self.removed: list[str] = []

    def make_folders(self, writes: tuple[Write, ...]) -> None:
        """Make the folders for staged files."""
        with Cursor(self._top) as cursor:
            for write in writes:
                self.current = write.path
                cursor.enter(write.path.rpartition("/")[0], create=True)

    def put(self, writes: tuple[Write, ...]) -> None:
        """Move the staged files into place."""
        with Cursor(self._top) as cursor:
            for write in writes:
                self.current = write.path
                folder_path, _, name = write.path.rpartition("/")
                self._stage.move(write.name, cursor.enter(folder_path, create=True), name)
                self.written.append(write.path)

    def take_back(self, writes: tuple[Write, ...]) -> None:
        """The reverse: move the files that were put into place back."""
        with Cursor(self._top) as cursor:
            for write in writes:
                folder_path, _, name = write.path.rpartition("/")
                cursor.enter(folder_path).move(name, self._stage, write.name)
        self.written = []

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files."""
        with Cursor(self._top) as cursor:
            for path in paths:
                self.current = path
                folder_path, _, name = path.rpartition("/")
                cursor.enter(folder_path).remove(name)
                self.removed.append(path)

    def remove_folders(self, left: Iterable[str]) -> None:
        """Remove the folders above files that are gone, if nothing else is in them."""
        folders = {path[:at] for path in left for at, character in enumerate(path) if character == "/"}
        # Sorted backwards, what is inside a folder comes before the folder.
        with Cursor(self._top) as cursor:
            for path in sorted(folders, reverse=True):
                folder_path, _, name = path.rpartition("/")
                try:
                    cursor.enter(folder_path).remove_folder(name)
                except OSError:
                    continue  # not empty, so it is still needed, or someone else's

    def settle(self) -> None:
        """Put the staged manifest in the place of the old one."""
        self.current = MANIFEST
        self._stage.move(MANIFEST, self._top, MANIFEST)
        self.current = ""
