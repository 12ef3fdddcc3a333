"""What social cards add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

PLUGIN = Plugin(
    "social-cards",
    derive=Late("devlog.features.social_cards.derive:derive_cards"),
    plans=(Late("devlog.features.social_cards.assemble:plan_cards"),),
    recipes={"card": Late("devlog.features.social_cards.render.draw:card")},
)
