"""What digests add to devlog."""

from __future__ import annotations

from devlog.features.digests.model.provenance import Provenance
from devlog.plugin import Codes, FrontMatterKeys, Late, Plugin

PLUGIN = Plugin(
    "digests",
    codes=Codes(
        """
        bad-activity bad-digest digest-exists digest-incomplete digest-markup digest-template digest-too-long
        digest-unknown digest-writer digest-wrong-count forge-failed forge-incomplete forge-requests
        no-digest no-digest-source no-forge no-gaps no-history quiet-period unknown-digest
        """
    ),
    front_matter=FrontMatterKeys(
        Provenance,
        {field: f"digest.{field}" for field in Provenance.__struct_fields__},
        Late("devlog.features.digests.parse:read_provenance"),
        schemas=Late("devlog.features.digests.parse:schemas"),
    ),
    derive=Late("devlog.features.digests.derive:derive_series"),
    pages=(Late("devlog.features.digests.assemble.series:plan_series"),),
)
