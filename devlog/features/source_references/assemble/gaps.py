"""Ranks what nobody has written about: active directories, and posts whose cited files have changed most."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from devlog.features.source_references.assemble.source_map import above
from devlog.features.source_references.model.commit import Commit
from devlog.model.gaps import ActiveDirectory, ChangedSincePost

MOST_LISTED = 20
"""The maximum number of directories and of posts."""

LEAST_COMMITS = 5
"""The minimum number of commits in a directory: fewer are no gap."""

MOST_DIRECTORIES = 100_000
"""The maximum number of directories that are counted; those that first occur in older commits are left out."""


class DatedPost(NamedTuple):
    """A post: its file, its title, its date if it has one, and the files that it cites."""

    file: str
    title: str
    date: datetime | None
    cited: tuple[str, ...]


def unwritten(commits: Sequence[Commit], cited: Iterable[str], present: Iterable[str]) -> tuple[ActiveDirectory, ...]:
    """The directories with the most commits times people of which no post cites a file, in or below them.

    Of directories within each other, the uppermost one is listed. One with more than half of all commits, such as
    ``src``, says nothing: those below it are listed instead.

    Args:
        commits: the commits, newest first.
        cited: the files that posts cite.
        present: the files that exist now: what is gone needs no post.
    """
    exists = {path for file in present for path in above(file)}
    written = {path for file in cited for path in above(file)} | {""}
    counts: dict[str, int] = {}
    people: dict[str, set[str]] = {}
    for commit in commits:
        for path in {path for file in commit.files for path in above(file)} & exists:
            if path in counts or len(counts) < MOST_DIRECTORIES:
                counts[path] = counts.get(path, 0) + 1
                people.setdefault(path, set()).add(commit.author)
    parents = {path.rpartition("/")[0] for path in counts if path}
    split = written | {path for path in parents if 2 * counts[path] > len(commits)}
    found = [
        ActiveDirectory(path, counts[path], len(people[path]))
        for path in counts
        if path not in split and counts[path] >= LEAST_COMMITS and _is_reached(path, split)
    ]
    return tuple(sorted(found, key=lambda item: (-item.commits * item.people, item.path))[:MOST_LISTED])


def _is_reached(path: str, split: Collection[str]) -> bool:
    """Whether all directories above a path are split, so that none of them is listed."""
    return all(up in split for up in above(f"{path}/")[:-1])


def outdated(commits: Sequence[Commit], posts: Iterable[DatedPost]) -> tuple[ChangedSincePost, ...]:
    """The posts whose cited files were changed by the most commits after the post's day."""
    posts = [post for post in posts if post.date and post.cited]
    commits = sorted(commits, key=lambda commit: -commit.second)  # clocks may be wrong
    ages = [-commit.second for commit in commits]
    changes = _changes(commits, {file for post in posts for file in post.cited})
    found = []
    for post in posts:
        assert post.date
        day = post.date.date()
        end = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)
        since = bisect_right(ages, -end.timestamp())  # the number of commits after the day
        counts = {file: bisect_left(changes[file].numbers, since) for file in post.cited if file in changes}
        total = _in_all([changes[file] for file in counts], since)
        if total:
            files = sorted((file for file in counts if counts[file]), key=lambda file: (-counts[file], file))
            found.append(ChangedSincePost(post.file, post.title, day.isoformat(), total, tuple(files)))
    return tuple(sorted(found, key=lambda item: (-item.commits, item.post))[:MOST_LISTED])


class _Changes(NamedTuple):
    """The commits that changed a file: their indexes, and, if there are many, the bits at these indexes.

    Bits make the difference for a file with thousands of commits that hundreds of posts cite.
    """

    numbers: list[int]
    bits: int


def _changes(commits: Sequence[Commit], wanted: Collection[str]) -> Mapping[str, _Changes]:
    """For each of some files, the commits that changed it."""
    found: dict[str, list[int]] = {}
    for number, commit in enumerate(commits):
        for file in commit.files:
            if file in wanted:
                found.setdefault(file, []).append(number)
    # So no file's bits take more memory than its indexes.
    return {
        file: _Changes(numbers, _bits(numbers) if 64 * len(numbers) > numbers[-1] else 0)
        for file, numbers in found.items()
    }


def _bits(numbers: Collection[int]) -> int:
    places = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        places[number // 8] |= 1 << number % 8
    return int.from_bytes(places, "little")


def _in_all(changes: Iterable[_Changes], end: int) -> int:
    """The number of commits, of those with indexes below `end`, that changed any of some files."""
    bits, few = 0, set[int]()
    for change in changes:
        if change.bits:
            bits |= change.bits
        else:
            few.update(change.numbers)
    return ((bits | _bits(few)) & ((1 << end) - 1)).bit_count()
