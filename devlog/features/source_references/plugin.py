"""What source references add to devlog."""

from __future__ import annotations

from devlog.config import Config
from devlog.features.source_references.model.repository import NAME, Speech
from devlog.plugin import Late, Plugin, Prose

_PARSE = "devlog.features.source_references.parse.mentions"
_CHECK = "devlog.features.source_references.check"


def _settings(config: Config) -> Speech | None:
    """How texts speak of the project's source, where they are asked at all."""
    repository = config.repository
    return Speech(repository, config.refs.digits, symbols=bool(config.source_checkout)) if repository else None


PLUGIN = Plugin(
    NAME,
    prose=Prose(
        _settings,
        rule=Late(f"{_PARSE}:link_spoken"),
        collect=Late(f"{_PARSE}:collect_mentions"),
        html=Late(f"{_PARSE}:link_html"),
        collect_html=Late(f"{_PARSE}:collect_in_html"),
    ),
    checks=(Late(f"{_CHECK}:stale_citation"), Late(f"{_CHECK}:changed_source")),
    derive=Late("devlog.features.source_references.derive:derive_sources"),
)
