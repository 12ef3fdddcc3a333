"""Rules about reading paths: superseded posts on them, prerequisites that come too late, and those in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from devlog.check.evidence import Evidence
from devlog.features.reading_paths import problems
from devlog.features.reading_paths.model.reading_path import Before, ReadingPaths
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


def circular_prerequisites(evidence: Evidence) -> Iterator[Diagnostic]:
    """Paths or posts are prerequisites of each other, so that none of them can be read first.

    Only one circle is reported at a time: others may be gone with it.
    """
    paths = evidence.derived.of(ReadingPaths).paths
    pages = {path.permalink: path.page for path in paths}
    graph = TopologicalSorter[str]()
    links: dict[tuple[str, str], Before] = {}
    for path in paths:
        for own, required in ((path.page, path.before), *((step.post, step.before) for step in path.steps)):
            for before in required:
                if (needed := before.post or pages.get(before.permalink, "")) and before.ref:
                    graph.add(own, needed)
                    links.setdefault((needed, own), before)
        graph.add(path.page, *(step.post for step in path.steps))  # who reads a path reads its posts
    try:
        graph.prepare()
    except CycleError as error:
        titles = {post.id: post.title for post in (*evidence.site.posts, *evidence.site.pages)}
        yield from _circle(error.args[1], links, titles)


def _circle(
    circle: Sequence[str], links: Mapping[tuple[str, str], Before], titles: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """The problem at the first of the links that make a circle, in the order of their files and lines."""
    made = [links[pair] for pair in pairwise(circle) if pair in links]
    first = min((before.ref.span, before.ref.target) for before in made if before.ref)
    yield problems.circular_prerequisites(*first, [titles[node] for node in reversed(circle)])
