"""Registers rendered diagrams as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "diagrams",
    codes=Codes("bad-diagrams diagram-failed diagrams-as-text"),
    derive=Late("devlog.features.diagrams.derive.derive:derive_drawings"),
)
