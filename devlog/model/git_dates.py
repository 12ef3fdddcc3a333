"""What the history of the site's repository says about the dates of sources."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec


class GitDates(msgspec.Struct, frozen=True):
    """Dates from git, by the paths of sources.

    Attributes:
        added: when sources without a date of their own were added.
        changed: when sources that do not say it themselves were last changed, if the configuration asks for that.
        state: the state of the repository, see `devlog.disk.git.state_of`; empty if git did not answer, and `None` if
            it was not asked.
        is_unavailable: whether there is a history that git could not read in time, or with the memory that it may use.
    """

    added: Mapping[str, datetime] = {}
    changed: Mapping[str, datetime] = {}
    state: str | None = None
    is_unavailable: bool = False
