"""Answers of forges in the cache that no forge has given: they are misses, so that the forge is asked instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from forges import Forge, Reply, serving

from devlog.engine.store import Store
from devlog.features.digests.digest.forge import cache
from devlog.features.digests.digest.forge.ask import Wanted, ask
from devlog.features.digests.digest.forge.cache import LONGEST_ETAG, Cache, Kept
from devlog.features.digests.digest.forge.client import Pace
from devlog.features.digests.digest.forge.project import Project
from devlog.features.digests.model.activity import Change
from devlog.model.digest import digest_bytes
from devlog.model.record import decoded

TITLES = {f"#{number}": f"Improve part {number}" for number in range(1, 9)}
CHANGES = [Change("c", "Improve it", "2026-06-02T12:00:00+00:00", number) for number in TITLES]
WANTED = Wanted(CHANGES, {}, date(2026, 6, 3))
PACE = Pace(again=(), silence=5, bytes=10_000)
LATER = msgspec.structs.replace(PACE, fresh=0)


class Tagging(Forge):
    """A forge that gives each answer an ETag, and says if it has not changed."""

    def reply(self, path: str, fields: dict[str, str]) -> Reply:
        status, named, body = super().reply(path, fields)
        etag = f'"{digest_bytes(body)}"'
        is_same = status == 200 and fields.get("if-none-match") == etag
        return (304, {}, b"") if is_same else (status, {**named, "ETag": etag}, body)


@pytest.fixture
def forge() -> Iterator[Forge]:
    pulls: dict[int, dict[str, Any]] = {int(number[1:]): {"title": title} for number, title in TITLES.items()}
    with serving(Tagging(pulls=pulls, page=4)) as made:
        yield made


def titles(root: Path, forge: Forge, pace: Pace) -> dict[str, str]:
    """The titles of all changes, as the forge or its cache tells them."""
    answers = ask(root, Project("github", forge.url), WANTED, pace)
    return {number: item.title for number, item in answers.items.items()}


def forged(root: Path, **changes: Any) -> None:
    """Change all answers in the cache of a site, rightly written."""
    with closing(Store(root / cache.FILE)) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        found = {key: decoded(data, Kept) for key, data in store.read(keys).items()}
        kept = {key: msgspec.structs.replace(one, **changes) for key, one in found.items() if one}
        store.write({key: msgspec.msgpack.encode(one) for key, one in kept.items()})
    assert len(kept) == 4  # the project, two pages of a list, the milestones


@pytest.mark.parametrize("pace", [PACE, LATER])
@pytest.mark.parametrize(
    "changes",
    [
        {"body": b"not JSON"},
        {"body": b""},
        {"body": b"[" * 9_000},
        {"body": b"5"},
        {"body": b'"text"'},
        {"body": b"[" + b"1," * 9_000 + b"1]"},
        {"following": "https://other.example/issues"},
        {"following": "//[a"},
        {"following": "https://127.0.0.1/a b"},
        {"following": "/issues?" + "a" * 10_000},
        {"etag": "a" * 70_000},
        {"total": -5},
    ],
)
def test_a_forged_answer_is_asked_for_again(tmp_path: Path, forge: Forge, changes: dict[str, Any], pace: Pace) -> None:
    assert titles(tmp_path, forge, pace) == TITLES
    forged(tmp_path, **changes)
    forge.fields.clear()
    assert titles(tmp_path, forge, pace) == TITLES
    assert len(forge.fields) == 4
    assert not any("if-none-match" in fields for fields in forge.fields)  # the forge would say that it is right
    assert titles(tmp_path, forge, PACE) == TITLES
    assert len(forge.fields) == 4  # what it has answered replaces what was forged


@pytest.mark.parametrize("body", [b"null", b"[]"])
def test_a_project_is_an_object(tmp_path: Path, forge: Forge, body: bytes) -> None:
    titles(tmp_path, forge, PACE)
    forged(tmp_path, body=body)
    assert titles(tmp_path, forge, LATER) == TITLES


def test_a_page_that_is_not_there(tmp_path: Path, forge: Forge) -> None:
    titles(tmp_path, forge, PACE)
    forged(tmp_path, following=f"{forge.url}/issues/99")
    forge.paths.clear()
    assert titles(tmp_path, forge, LATER) == TITLES
    assert [path.rpartition("/")[2] for path in forge.paths if "/issues/" in path] == ["99", "5", "6", "7", "8"]


def test_answers_of_the_future_do_not_displace_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST", 3)
    for time in (1e300, 1.0):
        kept = Cache(tmp_path)
        for number in range(3):
            kept.write(f"{time} {number}", Kept(time, "", "", -1, b"{}"))
        kept.save()
    assert all(Cache(tmp_path).read(f"1.0 {number}") for number in range(3))


@pytest.mark.parametrize(
    ("etag", "is_kept"),
    [
        ('W/"a1"', True),
        ("", True),
        ("a" * LONGEST_ETAG, True),
        ("a" * (LONGEST_ETAG + 1), False),
        ('"a"\r\nX: y', False),
        ('"a"\n', False),
    ],
)
def test_an_etag_that_cannot_be_sent_is_a_miss(etag: str, is_kept: bool) -> None:
    data = msgspec.msgpack.encode(Kept(1.0, etag, "", -1, b"[]"))
    assert (decoded(data, Kept) is not None) is is_kept
