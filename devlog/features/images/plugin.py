"""Registers image variants as a feature of devlog."""

from __future__ import annotations

from devlog.plugin import Codes, Late, Plugin

PLUGIN = Plugin(
    "images",
    codes=Codes("no-image-format no-pillow one-size unfit-image"),
    derive=Late("devlog.features.images.derive.derive:derive_images"),
    derives_alike=Late("devlog.features.images.derive.derive:derives_alike"),
    plans=(Late("devlog.features.images.assemble:plan_images"),),
)
