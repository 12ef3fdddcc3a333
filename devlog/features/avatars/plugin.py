"""Registers fetched avatars as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin, TableCheck

PLUGIN = Plugin(
    "avatars",
    codes=Codes("avatars-need-pillow bad-avatar-url no-avatar"),
    configuration=TableCheck("avatars", Late("devlog.features.avatars.config_file:check_avatars")),
    derive=Late("devlog.features.avatars.derive.derive:derive_avatars"),
    plans=(Late("devlog.features.avatars.assemble:plan_avatars"),),
)
