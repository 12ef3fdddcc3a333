"""What lies beside the texts, between assembling a site and planning its pages: in one order for all who plan."""

from __future__ import annotations

from pathlib import Path

from devlog.assemble.plan import Planner
from devlog.episodes import with_episodes
from devlog.inputs import Inputs
from devlog.pictures import Effort, with_pictures
from devlog.sources import with_sources
from devlog.stages import Stages


def enriched(
    root: Path,
    inputs: Inputs,
    planner: Planner,
    stages: Stages,
    effort: Effort | None = "make",
    repository: Path | None = None,
) -> Planner:
    """Plan with the sounds of episodes, with pictures, and with what a clone of the source knows.

    Args:
        root: the site's folder.
        inputs: what was read.
        planner: of the assembled site, and nothing else yet.
        stages: do the work, or remember what came of it.
        effort: to be made with images; `None` for no pictures at all: diagrams are drawn by programs of others.
        repository: what the configured clone is relative to, where that is not `root`.
    """
    planner = with_episodes(root, inputs, planner, stages)  # first: links may lead to a second of what is spoken
    if effort:
        planner = with_pictures(root, inputs, planner, stages, effort)
    return with_sources(repository or root, inputs, planner, stages)
