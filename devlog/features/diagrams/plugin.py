"""Registers rendered diagrams as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, ExternalInputs, Late, Plugin

_RECORD = "devlog.features.diagrams.build_record"

PLUGIN = Plugin(
    "diagrams",
    codes=Codes("bad-diagrams diagram-failed diagrams-as-text"),
    derive=Late("devlog.features.diagrams.derive.derive:derive_drawings"),
    external_inputs=ExternalInputs(Late(f"{_RECORD}:asked"), Late(f"{_RECORD}:ask_again")),
)
