"""What the social cards of a site are made of besides words, looked at before the site is planned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from devlog import packages
from devlog.assemble.cards import layout_of, letters
from devlog.disk.read import read_bytes
from devlog.inputs import Inputs, read_configuration
from devlog.installation import installation
from devlog.model import problems
from devlog.model.card import CardKit
from devlog.model.derived import MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.stages import ReadFile, Stages

_LIMIT = 64 << 20

SpanOf = Callable[..., Span]


def card_kit(
    root: Path, inputs: Inputs, site: Site, stages: Stages, read: ReadFile
) -> tuple[CardKit | None, tuple[Diagnostic, ...]]:
    """What cards are made of; `None` for a site without any.

    Args:
        root: the site's folder.
        inputs: what was read.
        site: as assembled.
        stages: remember which letters a font has.
        read: gives the bytes of a file of the site.

    Returns:
        That, and what is wrong with what the configuration names.
    """
    config = inputs.config
    if not (config.cards.enabled and config.origin) or layout_of(inputs.loaded.theme) == (None, None):
        return None, ()
    asked = partial(_asked, root)
    if not packages.version("pillow"):
        spans = [asked()("cards", key) for key in ("enabled", "font", "background")]
        span = next((span for span in spans if span.line), spans[0])
        return None, (problems.no_cards(span, installation().add_package("Pillow")),)
    font, wrong_font = _file(root, config.cards.font, "font", asked)
    picture, wrong_picture = _file(root, config.cards.background, "background", asked)
    wrong = [*wrong_font, *wrong_picture]
    if wrong:
        return None, tuple(wrong)
    seen, cut = stages.derive(
        [
            Work("devlog.render.card_files:look_at_font", {"letters": letters(config, site)}, font),
            Work("devlog.render.card_files:look_at_picture", {}, picture),
        ],
        read,
    )
    for name, file, made in (("font", config.cards.font, seen), ("background", config.cards.background, cut)):
        if made.problem:
            return None, (problems.bad_card_file(asked()("cards", name), file, made.problem),)
    return CardKit(_blob(seen), _blob(cut), str(seen.facts["missing"])), ()


def _asked(root: Path) -> SpanOf:
    """Where the configuration sets a key."""
    return read_configuration(root)[2]


def _blob(made: MadeRecord) -> str:
    return made.blobs[0] if made.blobs else ""


def _file(
    root: Path, file: str, key: str, asked: Callable[[], SpanOf]
) -> tuple[tuple[Copy, ...], tuple[Diagnostic, ...]]:
    """A file that the configuration names, as works name files."""
    if not file:
        return (), ()
    data = read_bytes(root, file, limit=_LIMIT)
    if isinstance(data, Diagnostic):
        return (), (problems.bad_card_file(asked()("cards", key), file, data.message),)
    return (Copy("", "site", file, digest_bytes(data)),), ()
