"""Derives other sizes and formats of the images that posts show, before pages are planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from devlog import packages
from devlog.assemble.home import home_files
from devlog.config import Home, Images
from devlog.config_file.spans import key_spans
from devlog.deriving import Deriving, Effort
from devlog.disk.folder import is_there
from devlog.disk.read import read_text
from devlog.features.images import problems
from devlog.features.images.derive import variants
from devlog.features.images.derive.variants import Shown
from devlog.installation import installation
from devlog.model.derived import Derived, MadeRecord, Work
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed
from devlog.model.image import ImageFile, ImageVariants
from devlog.model.site import Published
from devlog.model.source import Asset
from devlog.model.target import Copy


class _Shown(msgspec.Struct, frozen=True):
    """An image, the position of its first use, and the work that makes its variants."""

    image: Shown
    span: Span
    work: Work


def derive_images(work: Deriving) -> ImageVariants:
    """The variants, in other sizes and formats, of the images that published sources show."""
    if work.effort is None:
        return ImageVariants()
    images = work.inputs.config.images
    is_candidate = partial(variants.is_candidate, images=images)
    if not images.enabled or not any(is_candidate(item.asset) for item in work.site.assets):
        return ImageVariants()
    found = work.references.images(is_candidate) | _of_home(work, is_candidate)
    if not found:
        return ImageVariants()
    if not packages.version("pillow"):
        hint, asked = installation().add_package("Pillow"), _set_at(work, "enabled", "widths", "formats", "quality")
        return ImageVariants(problems=(problems.no_pillow(asked, hint),))
    shown, wrong = [], []
    for item, span in found.values():
        if reason := variants.is_too_large(item.asset):
            wrong.append(problems.unfit_image(span, item.asset.file, reason))
            continue
        copy = Copy("", item.folder, item.asset.file, item.asset.digest, inside=item.asset.inside)
        image = Shown(item.asset, item.permalink, copy)
        shown.append(_Shown(image, span, variants.work(image, images)))
    shown = _in_order(shown)
    lacking = variants.unwritable(images) if shown else ()
    if lacking and (asked := _set_at(work, "formats")):
        wrong.append(problems.lacking_formats(asked, lacking))
    made = _made(shown, images, work, work.effort)
    is_free = work.claims().is_free
    by_digest: dict[str, tuple[ImageFile, ...]] = {}
    for one, derived in zip(shown, made, strict=True):
        if derived is None:
            continue
        if derived.problem:
            wrong.append(problems.unfit_image(one.span, one.image.asset.file, derived.problem))
        else:
            some = variants.files(one.image, images, derived, is_free)
            by_digest |= {one.image.asset.digest: some} if some else {}
    return ImageVariants(by_digest, tuple(wrong))


def derives_alike(old: Parsed, new: Parsed, derived: Derived) -> bool:
    """Whether two versions of a source show the same images, and at the same positions if problems are reported."""
    one, other = ([ref for ref in parsed.document.refs if ref.kind == "image"] for parsed in (old, new))
    if derived.of(ImageVariants).problems:
        return one == other
    return [ref.target for ref in one] == [ref.target for ref in other]


def _of_home(work: Deriving, wanted: Callable[[Asset], bool]) -> dict[str, tuple[Published, Span]]:
    """The image of the home page, in the same form as those of sources; empty if it is none that is wanted."""
    home, spans = work.inputs.config.home, work.inputs.named_spans
    if not home.image:
        return {}
    file = home_files(Home(image=home.image), spans, work.references.index, work.site).file
    return {file.asset.digest: (file, spans["home.image"])} if file and wanted(file.asset) else {}


def _made(shown: Sequence[_Shown], images: Images, work: Deriving, effort: Effort) -> list[MadeRecord | None]:
    """The result for each image; `None` if it is not cached and is not to be made now."""
    if effort == "make":
        return [*work.stages.derive([one.work for one in shown], work.read, stage="Resizing images")]
    known = work.stages.derived_before([one.work for one in shown], work.read)
    if effort == "look":
        new = [place for place, derived in enumerate(known) if derived is None]
        works = [variants.look(shown[place].image, images) for place in new]
        looks = work.stages.derive(works, work.read, stage="Resizing images")
        for place, derived in zip(new, looks, strict=True):
            known[place] = derived if derived.problem else None
    return known


def _in_order(shown: Iterable[_Shown]) -> list[_Shown]:
    """Images in the order in which they are made: the largest first, else one process ends with that, alone.

    Those in one source, such as a notebook, follow each other, because that is converted again to read them.
    """
    largest: dict[str, int] = {}
    for one in shown:
        file = one.image.asset.file
        largest[file] = max(_pixels(one), largest.get(file, 0))

    def position(one: _Shown) -> tuple[int, str, int]:
        file = one.image.asset.file
        return -largest[file], file, -_pixels(one)

    return sorted(shown, key=position)


def _pixels(shown: _Shown) -> int:
    size = shown.image.asset.size
    return size.width * size.height if size else 0


def _set_at(work: Deriving, *keys: str) -> Span | None:
    """Where the configuration has the first of some keys about images; `None` if it has none of them."""
    file = work.inputs.config_file
    text = read_text(work.root, file) if is_there(work.root / file) else ""
    spans = key_spans(text, file) if isinstance(text, str) else {}
    return next((spans[f"images.{key}"] for key in keys if f"images.{key}" in spans), None)
