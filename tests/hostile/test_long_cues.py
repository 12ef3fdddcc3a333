"""Transcripts of strangers take no longer than others to read."""

from __future__ import annotations

import pytest
from apart import Apart

pytestmark = pytest.mark.feature("episodes")


@pytest.mark.parametrize("mark", ["<v.", "<v ", "<v", "<c.", "</v", "<00:00", "<"])
def test_a_cue_of_marks_is_read_to_its_end(mark: str) -> None:
    with Apart("devlog.features.episodes.parse.transcripts") as apart:
        assert apart.do("read_transcript", f"WEBVTT\n\n00:00.000 --> 00:01.000\n{mark * 100_000}x\n") <= 1
