"""Limits the time that all work for one file may take: a post may ask for any number of slow items."""

from __future__ import annotations


class TimeLeft:
    """The time that is left for each file."""

    def __init__(self, seconds: float) -> None:
        """
        Args:
            seconds: the time for all work of a file.
        """
        self._seconds = seconds
        self._taken: dict[str, float] = {}

    def is_over(self, owner: str) -> bool:
        """Whether a file has had its time."""
        return self._taken.get(owner, 0.0) >= self._seconds

    def take(self, owner: str, seconds: float) -> None:
        """Note that a work item of a file has taken some time."""
        self._taken[owner] = self._taken.get(owner, 0.0) + seconds

    @property
    def problem(self) -> str:
        """The problem of a work item for which no time is left."""
        return f"all of this post together take longer than {self._seconds:g} seconds"
