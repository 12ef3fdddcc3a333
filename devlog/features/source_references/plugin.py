"""What source references add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

_CHECK = "devlog.features.source_references.check"

PLUGIN = Plugin(
    "sources",
    checks=(Late(f"{_CHECK}:stale_citation"), Late(f"{_CHECK}:changed_source")),
    derive=Late("devlog.features.source_references.derive:derive_sources"),
)
