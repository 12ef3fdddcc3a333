"""Registers brands as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "brand",
    codes=Codes("no-fonttools no-icons small-favicon unusable-brand-file"),
    derive=Late("devlog.features.brand.derive.derive:derive_brand"),
    plans=(Late("devlog.features.brand.assemble.files:plan_brand"),),
    site_fields=Late("devlog.features.brand.assemble.files:site_fields"),
    recipes={"brand": Late("devlog.features.brand.render:write")},
)
