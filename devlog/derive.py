"""What is made of the files of a site and not of its texts, between assembling it and planning its pages."""

from __future__ import annotations

from pathlib import Path

from devlog.assemble.references import References, places_of
from devlog.assemble.site import Assembled
from devlog.deriving import Deriving, Effort
from devlog.features.diagrams.derive.derive import derive_drawings
from devlog.features.episodes.derive.files import derive_audio
from devlog.features.images.derive.derive import derive_images
from devlog.features.social_cards.derive import derive_cards
from devlog.features.source_references.derive import derive_sources
from devlog.inputs import Inputs
from devlog.model.derived import Derived
from devlog.stages import Stages


def derive(
    root: Path,
    inputs: Inputs,
    assembled: Assembled,
    stages: Stages,
    effort: Effort | None = "make",
    repository: Path | None = None,
) -> tuple[References, Derived]:
    """What the files of a site tell: about episodes, images, diagrams, cards and the project's source.

    Args:
        root: the site's folder.
        inputs: what was read.
        assembled: the site.
        stages: do the work, or remember what came of it.
        effort: to be made with images; `None` for no pictures at all: diagrams are drawn by programs of others.
        repository: what the configured clone is relative to, where that is not `root`.

    Returns:
        Where the references of the texts lead, and what was made.
    """
    config, site = inputs.config, assembled.site
    index = places_of(config, assembled, inputs.own_url)
    site_audio = derive_audio(root, inputs, site, index, stages)
    if site_audio.there:  # links may lead to a second of what is spoken
        index = places_of(config, assembled, inputs.own_url, site_audio)
    references = References(config, assembled, index, site_audio)
    sources = derive_sources(repository or root, inputs, site, stages)
    if effort is None:
        return references, Derived(site_audio, sources=sources)
    work = Deriving(root, inputs, site, references, stages)
    images = derive_images(work, effort)
    return references, Derived(site_audio, images, derive_drawings(work), derive_cards(work), sources)


def derive_anew(
    root: Path, inputs: Inputs, assembled: Assembled, references: References, stages: Stages, before: Derived
) -> Derived:
    """What a preview derives again after an edit: diagrams, cards, and what a clone knows of what is cited now.

    Args:
        root: the site's folder.
        inputs: what was read.
        assembled: the site as it is now.
        references: of its texts as they are now.
        stages: remember what was made.
        before: what was known before.
    """
    work = Deriving(root, inputs, assembled.site, references, stages)
    sources = derive_sources(root, inputs, assembled.site, stages)
    return Derived(before.audio, before.images, derive_drawings(work), derive_cards(work), sources)
