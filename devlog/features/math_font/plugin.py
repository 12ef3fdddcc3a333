"""Registers the font of formulas as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "math_font",
    codes=Codes("no-math-font"),
    derive=Late("devlog.features.math_font.derive.derive:derive_math_font"),
    plans=(Late("devlog.features.math_font.assemble:plan_math_font"),),
)
