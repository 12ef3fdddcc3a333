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
        state: the state of the repository, see `devlog.disk.git.state_of`; `None` if git was not asked.
        is_unavailable: whether there seems to be a history that git did not read: that of another user, or one for
            which it lacks objects, time or memory.
    """

    added: Mapping[str, datetime] = {}
    changed: Mapping[str, datetime] = {}
    state: str | None = None
    is_unavailable: bool = False
