"""Applies changes to a folder. It decides nothing, and follows no symbolic link."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.disk.changes import Write
from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import MANIFEST


class Applier:
    """Moves staged files into a folder and removes files from it.

    Attributes:
        current: the path being changed, for the message if the system reports an error; empty between two changes.
        written: the paths of the files that were moved into place.
        removed: the paths of the files that were removed.
    """

    def __init__(self, top: Folder, stage: Folder) -> None:
        self._top = top
        self._stage = stage
        self.current = ""
        self.written: list[str] = []
        self.removed: list[str] = []

    def make_folders(self, writes: tuple[Write, ...]) -> None:
        """Create the folders for staged files."""
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
        """Undo `put`: move the files back into the staging folder."""
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
        """Remove the folders above removed files, if they are empty.

        Args:
            left: the paths of the removed files.
        """
        folders = {path[:at] for path in left for at, character in enumerate(path) if character == "/"}
        # In reverse order, the content of a folder comes before the folder.
        with Cursor(self._top) as cursor:
            for path in sorted(folders, reverse=True):
                folder_path, _, name = path.rpartition("/")
                try:
                    cursor.enter(folder_path).remove_folder(name)
                except OSError:
                    continue  # it is not empty, so it is still needed, or has files of others

    def settle(self) -> None:
        """Replace the manifest with the staged one."""
        self.current = MANIFEST
        self._stage.move(MANIFEST, self._top, MANIFEST)
        self.current = ""
