"""A large image is made in a process of its own, also if it is the only one: it must not end the command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from check_cases import check_site
from photos import jpeg, site
from PIL import Image
from sites import build_site, read_tree

from devlog.config import Images
from devlog.engine import untrusted_images
from devlog.engine.executors import Failure, Workers
from devlog.features.images.derive.variants import Shown, look, work
from devlog.model.source import Asset, Size
from devlog.model.target import Copy

CONFIG = "[images]\nwidths = [200]\n[cards]\nenabled = false\n"


def die(_items: Sequence[int]) -> list[str]:
    os._exit(3)


def processes_of(items: Sequence[int]) -> list[str]:
    return [str(os.getpid()) for _ in items]


def failed(_item: int, failure: Failure) -> str:
    return failure


def is_large(item: int) -> bool:
    return item > 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_ends_its_process_does_not_end_this_one(jobs: int) -> None:
    with closing(Workers(jobs)) as workers:
        assert list(workers.run(die, [2], failed, heavy=True, apart=is_large)) == ["died"]
        assert list(workers.run(processes_of, [1], failed, heavy=True, apart=is_large)) == [str(os.getpid())]
        assert list(workers.run(processes_of, [2], failed, heavy=True, apart=is_large)) != [str(os.getpid())]


def test_who_wants_no_processes_has_none() -> None:
    with closing(Workers(2, executor="inline")) as workers:
        assert list(workers.run(processes_of, [2], failed, heavy=True, apart=is_large)) == [str(os.getpid())]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("size", "here"), [((1600, 1200), True), ((2100, 2000), False)])
def test_only_a_small_image_is_made_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, size: tuple[int, int], here: bool
) -> None:
    decoded: list[tuple[int, int]] = []
    plain = untrusted_images._plain

    def watched(picture: Image.Image) -> Image.Image:
        decoded.append(picture.size)
        return plain(picture)

    monkeypatch.setattr(untrusted_images, "_plain", watched)  # in this process: another one does not see it
    root = site(tmp_path, {"a.jpg": jpeg(*size)}, config=CONFIG)
    assert not build_site(root, jobs=jobs).diagnostics
    assert bool(decoded) is here
    assert [path for path in read_tree(root / "public") if path.startswith("images/")]


@pytest.mark.slow
def test_a_check_looks_at_a_large_image_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Image.Image) -> Image.Image:
        raise AssertionError

    monkeypatch.setattr(untrusted_images, "_plain", refuse)
    data = jpeg(2100, 2000)
    root = site(tmp_path, {"a.jpg": data[: len(data) // 2]}, config=CONFIG)
    (problem,) = [item for item in check_site(root).diagnostics if item.code == "unfit-image"]
    assert "it is damaged or truncated" in problem.message


@pytest.mark.parametrize(
    ("length", "size", "is_large"),
    [(500_000, Size(2000, 2000), False), (500_001, Size(10, 10), True), (20_000, Size(2001, 2000), True)],
)
def test_images_that_a_process_of_their_own_opens(length: int, size: Size, is_large: bool) -> None:
    """A file of few pixels may have thousands of frames, and no library stops between them."""
    asset = Asset("a.avif", "content/a.avif", "0", length, size)
    shown = Shown(asset, "/a.avif", Copy("a.avif", "content", "a.avif", "0"))
    for made in (work(shown, Images()), look(shown, Images())):
        assert made.apart == is_large
