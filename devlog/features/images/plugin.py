"""What images of other sizes and formats add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

PLUGIN = Plugin("images", derive=Late("devlog.features.images.derive.derive:derive_images"))
