"""What links can lead to because of files for programs."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.model.derived import Linkable, LinkTargets


def derive_targets(work: Deriving) -> Linkable:
    """The lists for programs that read as people do."""
    is_enabled = work.inputs.config.llms.enabled
    return Linkable(LinkTargets(urls=("/llms.txt", "/llms-full.txt") if is_enabled else ()))
