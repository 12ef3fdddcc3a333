"""Asks git when files were added and last changed. Without git, and in a shallow clone, there are no dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec

from devlog.disk.git import LOG, ask, state_of
from devlog.model.git_dates import GitFailure

_FARTHEST_EAST = timezone(timedelta(hours=23, minutes=59))


class FileDates(msgspec.Struct, frozen=True):
    """The dates at which files were first or last committed, in one state of a repository.

    Attributes:
        dates: the author date, in UTC, by file. Files that git does not know are missing; it is empty without git, and
            outside of a repository or in a shallow clone.
        state: see `state_of`. If git knows the state, but did not answer with dates, as if a commit has changed too
            many files, it is `GitFailure.STOPPED`, so that git is asked again.
    """

    dates: dict[str, datetime]
    state: str


def dates_added(root: Path, folder: str) -> FileDates:
    """Find the dates at which the files of a folder were first committed.

    Args:
        root: the site's folder.
        folder: the folder, relative to it.

    Returns:
        The dates, by file relative to `root`, and the state of the repository.
    """
    return _dates(root, folder, "A", ())


def dates_changed(root: Path, folder: str) -> FileDates:
    """Find the dates of the last commits that changed the files of a folder, without those that added them.

    Args:
        root: the site's folder.
        folder: the folder, relative to it.

    Returns:
        The dates, by file relative to `root`, and the state of the repository.
    """
    return _dates(root, folder, "M", ("--reverse",))


def _dates(root: Path, folder: str, kind: str, order: tuple[str, ...]) -> FileDates:
    """The dates of the last commits in a log, of those that did something to a file; the log begins with the newest."""
    state = state_of(root)
    is_shallow, _, rest = state.partition("\n")
    if is_shallow != "false":
        # There is no history, or a part, whose oldest commit appears to add everything.
        return FileDates({}, state)
    prefix, _, commit = rest.rpartition("\n")
    # What a merge adds or changes itself, which no parent has, is its own (-c); the rest has the dates of its parents.
    # For these files, git ignores --relative.
    shown = [f"--diff-filter={kind}", "--format=@%at", "--name-status", "-z", "-c", "--no-renames", *order]
    answer = ask(root, ["--literal-pathspecs", *LOG, *shown, commit, "--", folder])
    if answer is None:
        return FileDates({}, GitFailure.STOPPED.value)
    above = prefix.encode("latin-1").decode("utf-8", "surrogateescape")  # see `state_of`
    dates = _read(answer.decode("utf-8", "surrogateescape"))
    return FileDates({file.removeprefix(above): date for file, date in dates.items()}, state)


def _read(log: str) -> dict[str, datetime]:
    """Parse records of the form ``@seconds\\0\\nstatus\\0file\\0status\\0file\\0``; the commit that comes last wins.

    Names may contain every character but NUL. What is not behind a status is none.
    """
    found: dict[str, datetime] = {}
    date: datetime | None = None
    fields = iter(log.split("\0"))
    for field in fields:
        head = field.lstrip("\n")
        if head.startswith("@"):
            date = _moment(head[1:])
        elif head:
            file = next(fields, "")
            if date is not None:
                found[file] = date
    return found


def _moment(seconds: str) -> datetime | None:
    """The date of a commit; `None` if it is none: the author of a commit sets it, and git accepts any number."""
    try:
        moment = datetime.fromtimestamp(int(seconds), UTC)
        moment.astimezone(_FARTHEST_EAST)
    except (ValueError, OverflowError, OSError):
        return None
    return moment
