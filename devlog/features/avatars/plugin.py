"""Registers fetched avatars as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "avatars",
    codes=Codes("avatars-need-pillow no-avatar"),
    derive=Late("devlog.features.avatars.derive.derive:derive_avatars"),
    plans=(Late("devlog.features.avatars.assemble:plan_avatars"),),
)
