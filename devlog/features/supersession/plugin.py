"""Registers supersession as a feature of devlog."""

from __future__ import annotations

from devlog.features.supersession.model.provenance import Provenance
from devlog.plugin import Codes, FrontMatterKeys, Late, Plugin

_CHECK = "devlog.features.supersession.check"

PLUGIN = Plugin(
    "supersession",
    codes=Codes(
        "contradicted-status supersedes-nothing superseding-circle unknown-key unknown-status",
        "link-to-superseded no-successor",
    ),
    front_matter=FrontMatterKeys(
        Provenance,
        {  # other generators also allow such keys in tables of their own
            "status": "status params.status extra.status",
            "supersedes": "supersedes params.supersedes extra.supersedes",
            "superseded_by": "superseded_by params.superseded_by extra.superseded_by",
            "reviewed": """
                reviewed last_reviewed params.reviewed params.last_reviewed extra.reviewed extra.last_reviewed
            """,
            "applies_to": "applies_to params.applies_to extra.applies_to",
            "ai": "ai params.ai extra.ai",
        },
        Late("devlog.features.supersession.parse:read_provenance"),
        schemas=Late("devlog.features.supersession.parse:schemas"),
    ),
    derive=Late("devlog.features.supersession.derive:derive_post_statuses"),
    checks=(Late(f"{_CHECK}:no_successor"), Late(f"{_CHECK}:link_to_superseded")),
)
