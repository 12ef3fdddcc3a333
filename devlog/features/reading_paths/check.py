"""Rules about reading paths: superseded posts on them, and prerequisites that come too late."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.check.evidence import Evidence
from devlog.features.reading_paths import problems
from devlog.features.reading_paths.model.reading_path import ReadingPaths
from devlog.model.diagnostic import Diagnostic


def superseded_step(evidence: Evidence) -> Iterator[Diagnostic]:
    """A step of a reading path leads to a post that a newer one supersedes.

    Readers who look for a beginning should get what holds today.
    """
    paths = evidence.derived.of(ReadingPaths).paths
    notes = evidence.derived.notes if paths else {}
    for path in paths:
        for step in path.steps:
            note = notes.get(step.post)
            if note and note.status == "superseded":
                newer = next((link.title for link in note.fields.get("superseded_by", ())), "")
                yield problems.superseded_step(step.ref.span, step.ref.target, newer)


def late_prerequisite(evidence: Evidence) -> Iterator[Diagnostic]:
    """A step of a reading path is to be read after a post that is a later step of the same path.

    Somebody has moved one of the two: readers meet the step before what it builds on.
    """
    for path in evidence.derived.of(ReadingPaths).paths:
        numbers = {step.post: number for number, step in enumerate(path.steps, start=1)}
        for own, step in enumerate(path.steps, start=1):
            for before in step.before:
                number = numbers.get(before.post, 0)
                if before.ref and number > own:
                    yield problems.late_prerequisite(before.ref.span, before.ref.target, number, own)
