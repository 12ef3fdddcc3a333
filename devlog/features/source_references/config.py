"""What the configuration says of the project's source."""

from __future__ import annotations

from devlog.config import Config
from devlog.features.source_references.model.repository import Repository, repository_of


def configured_repository(config: Config) -> Repository | None:
    """The repository that texts speak of; `None` where what they say of it is not looked at."""
    url = config.refs.repo or config.source_repo
    return repository_of(url, config.refs.forge) if config.refs.enabled and url else None
