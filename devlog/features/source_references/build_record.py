"""What a build asks a repository checkout, and whether a later build would be told the same."""

from __future__ import annotations

from pathlib import Path

from devlog.config import Config
from devlog.features.source_references.model.citation import Sources
from devlog.model.derived import Answers, Derived


def asked(derived: Derived) -> Answers | None:
    """What a checkout was asked, and what came of it; `None` where none was asked."""
    sources = derived.of(Sources)
    return None if sources.asked is None else Answers(sources.asked, sources.answers)


def ask_again(root: Path, config: Config, names: tuple[str, ...]) -> str:
    """What comes of asking the configured checkout for the same commits."""
    # With all that starts programs: most sites have no checkout.
    from devlog.features.source_references.disk import answers

    return answers(root / config.source_checkout, names)
