"""Link targets of this feature: the files ``llms.txt`` and ``llms-full.txt``."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.model.derived import Linkable, LinkTargets


def derive_targets(work: Deriving) -> Linkable:
    """The permalinks of the lists for language models."""
    is_enabled = work.inputs.config.llms.enabled
    return Linkable(LinkTargets(urls=("/llms.txt", "/llms-full.txt") if is_enabled else ()))
