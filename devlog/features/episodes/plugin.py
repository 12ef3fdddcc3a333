"""Registers episodes as a feature of devlog."""

from __future__ import annotations

from devlog.features.episodes.model.episode import AudioFrontMatter
from devlog.plugin import Codes, FrontMatterKeys, Late, Lookup, Plugin, TableCheck

_SEARCH = "devlog.features.episodes.search"
_RENDER = "devlog.features.episodes.render"

PLUGIN = Plugin(
    "episodes",
    codes=Codes(
        """
        already-spoken bad-chapters bad-speak bad-transcript cannot-speak incomplete-podcast missing-audio no-audio
        no-length no-tinytag no-type not-a-text not-audio not-noted not-spoken nothing-to-speak same-audio
        shared-by-too-many speak-lacks two-sounds unmeasured wrong-duration
        """,
        forgivable="missing-audio not-audio",
    ),
    configuration=TableCheck("speak", Late("devlog.features.episodes.config_file:check_speak")),
    front_matter=FrontMatterKeys(
        AudioFrontMatter,
        {"audio": "audio", "podcast": "podcast"},
        Late("devlog.features.episodes.parse.front_matter:read_audio_block"),
        rewrites=lambda sound: sound.is_transcript,
        rewrite=Late("devlog.features.episodes.parse.speakers:mark_turns"),
        schemas=Late("devlog.features.episodes.parse.schemas:schemas"),
    ),
    asides=Late("devlog.features.episodes.assemble.episodes:transcript_texts"),
    plans=(Late("devlog.features.episodes.assemble.files:plan_episodes"),),
    lookup=Lookup(Late(f"{_SEARCH}:transcript_of"), Late(f"{_SEARCH}:split_turns"), Late(f"{_SEARCH}:read_transcript")),
    targets=Late("devlog.features.episodes.derive.files:derive_audio"),
    recipes={
        "podcast": Late(f"{_RENDER}.podcast_feed:podcast"),
        "transcript": Late(f"{_RENDER}.transcripts:transcript"),
        "chapters": Late(f"{_RENDER}.transcripts:chapters"),
    },
)
