"""What episodes add to devlog."""

from __future__ import annotations

from devlog.plugin import Late, Plugin

_RENDER = "devlog.features.episodes.render"

PLUGIN = Plugin(
    "episodes",
    targets=Late("devlog.features.episodes.derive.files:derive_audio"),
    recipes={
        "podcast": Late(f"{_RENDER}.podcast_feed:podcast"),
        "transcript": Late(f"{_RENDER}.transcripts:transcript"),
        "chapters": Late(f"{_RENDER}.transcripts:chapters"),
    },
)
