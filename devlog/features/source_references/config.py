"""The configuration of the project's repository."""

from __future__ import annotations

from devlog.config import Config
from devlog.features.source_references.model.repository import Repository, repository_of


def configured_repository(config: Config) -> Repository | None:
    """The repository to which source references lead; `None` if they are turned off or no repository is configured."""
    url = config.refs.repo or config.source_repo
    return repository_of(url, config.refs.forge) if config.refs.enabled and url else None
