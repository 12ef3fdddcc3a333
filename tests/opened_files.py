"""Notes which files are opened."""

from __future__ import annotations

import pytest

from devlog.disk.folder import Folder


def note_opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets the name of each file that is opened from now on."""
    names: list[str] = []
    open_file = Folder.open_file

    def watched(folder: Folder, name: str, *, follow: bool = False) -> int:
        names.append(name)
        return open_file(folder, name, follow=follow)

    monkeypatch.setattr(Folder, "open_file", watched)
    return names
