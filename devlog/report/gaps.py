"""What nobody has written about, as text."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.model.gaps import ActiveDirectory, ChangedSincePost, Gaps


def gap_lines(found: Gaps) -> Iterator[str]:
    """The lines that ``devlog check --gaps`` prints."""
    if found.problem:
        yield found.problem
        return
    if not (found.directories or found.posts):
        yield f"No gaps found since {found.since}."
    if found.directories:
        yield f"Directories without a post, by activity since {found.since}:"
        yield from (f"  {_directory(item)}" for item in found.directories)
    if found.posts:
        yield f"Posts whose cited files have changed most since they were written, counted from {found.since}:"
        yield from (f"  {_post(item)}" for item in found.posts)


def _directory(item: ActiveDirectory) -> str:
    people = "1 person" if item.people == 1 else f"{item.people:,} people"
    return f"{item.path}/: {_commits(item.commits)} by {people} in a year, no post"


def _post(item: ChangedSincePost) -> str:
    others = len(item.files) - 1
    more = f" and {others:,} more {'file' if others == 1 else 'files'}" if others else ""
    return f"{item.post}: {_commits(item.commits)} to {item.files[0]}{more} since {item.day}"


def _commits(number: int) -> str:
    return "1 commit" if number == 1 else f"{number:,} commits"
