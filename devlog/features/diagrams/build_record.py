"""The build record of what draws diagrams: a later build, or a preview, looks whether something else would."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from devlog.config import Config
from devlog.installation import installation
from devlog.model.derived import Answers, Derived
from devlog.model.digest import digest_bytes
from devlog.model.image import Drawings


def asked(derived: Derived) -> Answers | None:
    """The languages that something might draw, and a digest of what does; `None` without any."""
    found = derived.of(Drawings).found
    return Answers(tuple(found), _digest(found.values())) if found else None


def ask_again(root: Path, config: Config, names: tuple[str, ...]) -> str:
    """The digest of what would be found now for some languages."""
    # Imported here because it is needed only for sites with diagrams.
    from devlog.features.diagrams.disk import identities

    return _digest(identities(names, root, config))


def _digest(identities: Iterable[str]) -> str:
    """A digest of what draws, and where nothing does, of what the hint says about the installation."""
    found = list(identities)
    hinted = "" if all(found) else repr(installation())
    return digest_bytes("\0".join((*found, hinted)).encode())
