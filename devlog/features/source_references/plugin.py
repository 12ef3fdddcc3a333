"""Registers source references as a feature of devlog."""

from __future__ import annotations

from devlog.config import Config
from devlog.features.source_references.config import configured_repository
from devlog.features.source_references.model.repository import NAME, Speech
from devlog.plugin import Codes, ExternalInputs, Late, Plugin, Prose

_PARSE = "devlog.features.source_references.parse.mentions"
_ASSEMBLE = "devlog.features.source_references.assemble"
_DERIVE = "devlog.features.source_references.derive"
_RECORD = "devlog.features.source_references.build_record"
_CHECK = "devlog.features.source_references.check"


def _settings(config: Config) -> Speech | None:
    """The settings for finding source references in prose; `None` if no repository is configured."""
    repository = configured_repository(config)
    return Speech(repository, config.refs.digits, symbols=bool(config.source_checkout)) if repository else None


PLUGIN = Plugin(
    NAME,
    codes=Codes("no-checkout no-source-repository unchecked-source", "changed-source stale-citation"),
    prose=Prose(
        _settings,
        rule=Late(f"{_PARSE}:link_spoken"),
        collect=Late(f"{_PARSE}:collect_mentions"),
        html=Late(f"{_PARSE}:link_html"),
        collect_html=Late(f"{_PARSE}:collect_in_html"),
        site_fields=Late(f"{_ASSEMBLE}.pages:site_fields"),
        is_alike=Late(f"{_ASSEMBLE}.index:mentions_alike"),
    ),
    checks=(Late(f"{_CHECK}:stale_citation"), Late(f"{_CHECK}:changed_source")),
    gaps=Late("devlog.features.source_references.gaps:find_gaps"),
    fixes=Late("devlog.features.source_references.fixing:pinning"),
    targets=Late(f"{_DERIVE}:derive_targets"),
    derive=Late(f"{_DERIVE}:derive_sources"),
    derives_alike=Late(f"{_DERIVE}:derives_alike"),
    tools=Late("devlog.features.source_references.mcp_server:tools"),
    external_inputs=ExternalInputs(Late(f"{_RECORD}:asked"), Late(f"{_RECORD}:ask_again"), of_checkout=True),
    pages=(Late(f"{_ASSEMBLE}.pages:plan_pages"),),
    recipes={
        "refs": Late("devlog.features.source_references.render:recipe"),
        "source-map": Late("devlog.features.source_references.render:source_map"),
    },
)
