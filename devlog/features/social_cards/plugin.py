"""Registers social cards as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "social-cards",
    codes=Codes("bad-card-file bad-card-layout missing-letters no-cards without-cards"),
    derive=Late("devlog.features.social_cards.derive.derive:derive_cards"),
    page_images=Late("devlog.features.social_cards.assemble:page_images"),
    plans=(Late("devlog.features.social_cards.assemble:plan_cards"),),
    recipes={"card": Late("devlog.features.social_cards.render.draw:card")},
)
