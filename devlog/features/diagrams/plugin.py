"""What drawn diagrams add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

PLUGIN = Plugin("diagrams", derive=Late("devlog.features.diagrams.derive.derive:derive_drawings"))
