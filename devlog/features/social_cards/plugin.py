"""What social cards add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

PLUGIN = Plugin(
    "social-cards",
    derive=Late("devlog.features.social_cards.derive:derive_cards"),
    page_images=Late("devlog.features.social_cards.assemble:page_images"),
    plans=(Late("devlog.features.social_cards.assemble:plan_cards"),),
    recipes={"card": Late("devlog.features.social_cards.render.draw:card")},
)
