"""The build record of a repository checkout: what a build asks it, and whether a later build gets the same answers."""

from __future__ import annotations

from pathlib import Path

from devlog.config import Config
from devlog.features.source_references.model.citation import Sources
from devlog.model.derived import Answers, Derived


def asked(derived: Derived) -> Answers | None:
    """The names that were asked of a checkout, and a digest of its answers; `None` if there is no checkout."""
    sources = derived.of(Sources)
    return None if sources.asked is None else Answers(sources.asked, sources.answers)


def ask_again(root: Path, config: Config, names: tuple[str, ...]) -> str:
    """The digest of the answers when the configured checkout is asked for the same commits again."""
    # Imported here because it loads everything that starts processes: most sites have no checkout.
    from devlog.disk.checkout_folder import checkout_folder
    from devlog.features.source_references.disk import answers

    return answers(checkout_folder(root, config.source_checkout), names)
