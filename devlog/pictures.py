"""The pictures of a site, made before its pages are planned: images in other sizes, diagrams, what cards need."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from devlog import config, packages
from devlog.assemble.claims import claims_of_files
from devlog.assemble.references import References
from devlog.cards import card_kit
from devlog.config import Images, key_spans
from devlog.disk.folder import is_there
from devlog.disk.read import read_bytes, read_text
from devlog.images import variants
from devlog.images.variants import Shown
from devlog.inputs import Inputs, read_configuration
from devlog.installation import installation
from devlog.model import problems
from devlog.model.derived import MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Diagram
from devlog.model.picture import Picture, Pictures, diagram_key
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.programs import program_of
from devlog.stages import Stages

Effort = Literal["make", "look", "recall"]
"""What is done about an image of which nothing is remembered: make other sizes, see whether one could, or nothing."""


class _Work(NamedTuple):
    """What pictures are made of, and who makes them."""

    root: Path
    inputs: Inputs
    site: Site
    references: References
    stages: Stages

    def is_free(self, permalink: str) -> bool:
        """Whether no file of the site or of its theme is published under a permalink."""
        return claims_of_files(self.site, self.inputs.loaded.theme).is_free(permalink)

    def read(self, copy: Copy) -> bytes | Diagnostic:
        """The bytes of a file."""
        place = self.inputs.place_of(self.root, copy)
        data = read_bytes(place.root, place.file)
        if isinstance(data, bytes) and digest_bytes(data) != copy.digest:
            return problems.changed_while_building(copy.file)
        return data


def derive_pictures(
    root: Path,
    inputs: Inputs,
    site: Site,
    references: References,
    stages: Stages,
    effort: Effort = "make",
    before: Pictures | None = None,
) -> Pictures:
    """Make what the published texts show: other sizes of their images, their diagrams, and what cards are made of.

    Args:
        root: the site's folder.
        inputs: what was read.
        site: as assembled.
        references: know which files the texts show.
        stages: do the work, or remember what came of it.
        effort: to be made with images.
        before: pictures of the same site before an edit, of whose images nothing is made anew.
    """
    work = _Work(root, inputs, site, references, stages)
    if before is None:
        images, wrong = _images(work, effort)
        before = Pictures(images, problems=wrong)
    diagrams, undrawn = _diagrams(work)
    cards, unfit = card_kit(root, inputs, site, stages, work.read)
    return msgspec.structs.replace(before, diagrams=diagrams, undrawn=undrawn, cards=cards, unfit=unfit)


# -- images


class _Shown(msgspec.Struct, frozen=True):
    """An image, where it is shown first, and what is to be done about it."""

    image: Shown
    span: Span
    work: Work


def _images(work: _Work, effort: Effort) -> tuple[dict[str, tuple[Picture, ...]], tuple[Diagnostic, ...]]:
    """The other sizes and formats of images, by the digest of their files, and what is wrong with images."""
    images = work.inputs.config.images
    is_candidate = partial(variants.is_candidate, images=images)
    if not images.enabled or not any(is_candidate(item.asset) for item in work.site.assets):
        return {}, ()
    found = work.references.images(is_candidate)
    if not found:
        return {}, ()
    if not packages.version("pillow"):
        return {}, (problems.no_pillow(_asking(work.root, work.inputs), installation().add_package("Pillow")),)
    shown, wrong = [], []
    for item, span in found.values():
        if reason := variants.is_too_large(item.asset):
            wrong.append(problems.unfit_image(span, item.asset.file, reason))
            continue
        copy = Copy("", item.folder, item.asset.file, item.asset.digest)
        image = Shown(item.asset, item.permalink, copy)
        shown.append(_Shown(image, span, variants.work(image, images)))
    made = _made(shown, images, work, effort)
    is_free = claims_of_files(work.site, work.inputs.loaded.theme).is_free
    pictures: dict[str, tuple[Picture, ...]] = {}
    for one, derived in zip(shown, made, strict=True):
        if derived is None:
            continue
        if derived.problem:
            wrong.append(problems.unfit_image(one.span, one.image.asset.file, derived.problem))
        else:
            some = variants.pictures(one.image, images, derived, is_free)
            pictures |= {one.image.asset.digest: some} if some else {}
    return pictures, tuple(wrong)


def _made(shown: Sequence[_Shown], images: Images, work: _Work, effort: Effort) -> list[MadeRecord | None]:
    """What came of the work of each image; `None` where it is not remembered, and is not to be made."""
    if effort == "make":
        large_first = sorted(shown, key=_pixels, reverse=True)  # else one processor ends with the largest, alone
        made = work.stages.derive([one.work for one in large_first], work.read, stage="images")
        by_image = {one.image.asset.digest: derived for one, derived in zip(large_first, made, strict=True)}
        return [by_image[one.image.asset.digest] for one in shown]
    known = work.stages.derived_before([one.work for one in shown], work.read)
    if effort == "look":
        new = [place for place, derived in enumerate(known) if derived is None]
        works = [variants.look(shown[place].image, images) for place in new]
        looks = work.stages.derive(works, work.read, stage="images")
        for place, derived in zip(new, looks, strict=True):
            known[place] = derived if derived.problem else None
    return known


def _pixels(shown: _Shown) -> int:
    size = shown.image.asset.size
    return size.width * size.height if size else 0


def _asking(root: Path, inputs: Inputs) -> Span | None:
    """Where the configuration says how images are to be made smaller; `None` if it does not."""
    text = read_text(root, inputs.config_file) if is_there(root / inputs.config_file) else ""
    spans = key_spans(text, inputs.config_file) if isinstance(text, str) else {}
    wanted = (f"images.{key}" for key in ("enabled", "widths", "formats", "quality"))
    return next((spans[key] for key in wanted if key in spans), None)


# -- diagrams


def _diagrams(work: _Work) -> tuple[dict[str, Picture], tuple[Diagnostic, ...]]:
    """The diagrams that commands of the configuration draw, by key, and what is wrong with any."""
    shown = tuple(diagram for parsed in work.references.texts() for diagram in parsed.document.diagrams)
    if not shown:
        return {}, ()
    from devlog.diagrams.draw import draw_all  # with all that starts programs: most sites have no diagrams

    configured = work.inputs.config.diagrams
    programs = {language: program_of(configured[language].command) for language in configured}
    works = {
        diagram_key(diagram.language, diagram.text): _drawing(
            work.root, work.inputs, diagram, configured[diagram.language], programs[diagram.language]
        )
        for diagram in shown
        if diagram.language in configured and configured[diagram.language].command
    }
    drawn = work.stages.derive(tuple(works.values()), _nothing_to_read, draw_all, "diagrams")
    made = dict(zip(works, drawn, strict=True))
    pictures = {}
    for key, derived in made.items():
        if derived.blobs:
            (blob,) = derived.blobs
            size = derived.facts
            pictures[key] = Picture(f"/diagrams/{blob}.svg", "image/svg+xml", size["width"], size["height"], blob)
    wrong = [_undrawn(diagram, made) for diagram in shown]
    wrong += _unasked(shown, configured)
    wrong += _missing_scripts(work, {diagram.language for diagram in shown})
    return pictures, tuple(item for item in wrong if item)


def _drawing(root: Path, inputs: Inputs, diagram: Diagram, configured: config.Diagram, program: str) -> Work:
    """What has a diagram drawn. The program that draws is part of it: with another one, all is drawn anew."""
    command = configured.command
    parts: dict[str, Any] = {"language": diagram.language, "text": diagram.text, "command": list(command)}
    parts["program"] = program
    if configured.programs:
        parts["root"] = str(root.resolve())
        parts["programs"] = [inputs.named[file] for file in configured.programs]
    return Work("devlog.diagrams.draw:draw", parts)


def _nothing_to_read(_file: Copy) -> bytes:
    return b""


def _undrawn(diagram: Diagram, made: Mapping[str, MadeRecord]) -> Diagnostic | None:
    """Why a diagram could not be drawn, at the line of its text that is to blame or else at its fence."""
    derived = made.get(diagram_key(diagram.language, diagram.text))
    if derived is None or derived.blobs:
        return None
    span = diagram.span
    if derived.line > 0:
        span = Span(span.path, span.line + derived.line)
    return problems.diagram_failed(span, diagram.language, derived.problem)


def _unasked(shown: Iterable[Diagram], configured: Container[str]) -> list[Diagnostic]:
    """One hint for each language that the configuration says nothing of, where it is used first."""
    first: dict[str, Span] = {}
    for diagram in sorted(shown, key=lambda diagram: diagram.span):
        if diagram.language not in configured:
            first.setdefault(diagram.language, diagram.span)
    return [problems.diagrams_as_text(span, language) for language, span in first.items()]


def _missing_scripts(work: _Work, languages: Container[str]) -> list[Diagnostic]:
    """Scripts that draw diagrams and are not among the files of the site."""
    wrong = []
    for language, diagram in work.inputs.config.diagrams.items():
        if language in languages and diagram.script.startswith("/") and work.is_free(diagram.script):
            _, _, span_of = read_configuration(work.root)
            wrong.append(problems.no_diagram_script(span_of("diagrams", language, "script"), diagram.script))
    return wrong
