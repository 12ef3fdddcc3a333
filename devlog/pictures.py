"""Making the pictures of a site, between assembling it and planning what goes into its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from devlog.assemble.plan import Planner
from devlog.inputs import Inputs
from devlog.model.document import Parsed
from devlog.model.picture import Pictures
from devlog.stages import Stages


def with_pictures(root: Path, inputs: Inputs, parsed: Sequence[Parsed], planner: Planner, stages: Stages) -> Planner:
    """Make what the published texts show, other sizes of their images and their diagrams, and plan with that.

    Args:
        root: the site's folder.
        inputs: what was read.
        parsed: all texts.
        planner: knows which files the texts show.
        stages: do the work, or remember what came of it.
    """
    return planner.with_pictures(Pictures())
