"""The work of publishing grows with the number of files, not with its square."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from disk_trees import publish, tree
from steps import steps

from devlog.disk import changes
from devlog.disk.manifest import load_manifest
from devlog.disk.write import Planned


def build(site: Path, *paths: str) -> None:
    manifest, _ = load_manifest(site, "public")
    planned = [Planned(path, path.encode().hex(), path.encode()) for path in paths]
    assert publish(site, "public", manifest, planned).diagnostics == ()


class Counted(tuple[str, ...]):
    """Paths that count how often someone goes through all of them."""

    times = 0

    def __iter__(self) -> Iterator[str]:
        Counted.times += 1
        return super().__iter__()


def test_stale_files_are_not_gone_through_for_each_folder_that_becomes_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"d/{number:02}" for number in range(60)]
    build(tmp_path, *(f"{name}/x.txt" for name in names))
    sort_stale = changes._sort_stale

    def counted(*arguments: object) -> changes._Stale:
        found: changes._Stale = sort_stale(*arguments)  # type: ignore[arg-type]
        assert len(found.ours) == len(names)
        return msgspec.structs.replace(found, ours=Counted(found.ours))

    monkeypatch.setattr(changes, "_sort_stale", counted)
    Counted.times = 0
    build(tmp_path, *names)
    assert tree(tmp_path / "public").keys() == set(names)
    assert Counted.times < 10


def test_files_are_not_gone_through_for_each_folder_that_a_program_makes_in_the_former_output(tmp_path: Path) -> None:
    counts = []
    for size in (50, 100, 200):
        site = tmp_path / str(size)
        site.mkdir()
        files = [f"d/{number:03}/x.txt" for number in range(size)]
        build(site, *files)
        build(site, *files, "index.html")
        new = {f"new/{number:03}" for number in range(size)}
        for folder in new:
            (site / ".devlog" / "spare" / folder).mkdir(parents=True)
        counts.append(steps(partial(build, site, *files)))
        assert tree(site / "public").keys() == {*files, *(f"{folder}/" for folder in new)}
    assert counts[2] - counts[1] < 2.4 * (counts[1] - counts[0])
