"""What the history of the site's repository says about the dates of sources."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec


class GitFailure(StrEnum):
    """Why git gave no answer, although it is installed; also the state of a repository whose history is unknown."""

    NOT_ASKED = "not asked"
    """It could take files of a commit for a repository, see `devlog.disk.git.seems_bare_inside`."""
    REFUSED = "refused"
    """It ended with an error, for example because the repository belongs to another user."""
    STOPPED = "stopped"
    """It needed too much time or memory, its answer was too long, or it lacked objects."""


class GitDates(msgspec.Struct, frozen=True):
    """Dates from git, by the paths of sources.

    Attributes:
        added: when sources without a date of their own were added.
        changed: when sources that do not say it themselves were last changed, if the configuration asks for that.
        state: the state of the repository, see `devlog.disk.git.state_of`; `None` if git was not asked.
        failure: why git did not read a history that seems to be there; `None` if it did, or there is no git.
    """

    added: Mapping[str, datetime] = {}
    changed: Mapping[str, datetime] = {}
    state: str | None = None
    failure: GitFailure | None = None
