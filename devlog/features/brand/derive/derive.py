"""Derives the files of a brand before pages are planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from devlog import packages
from devlog.config import FONT_USES, Brand
from devlog.config_file.spans import SpanOf
from devlog.deriving import Deriving
from devlog.features.brand import problems
from devlog.features.brand.model import FOLDER, SIDES, TOUCH, BrandFile, BrandParts, Face, Icon, Kind, Logo, Metrics
from devlog.installation import installation
from devlog.model.derived import Facts, MadeRecord, OneFile, Work
from devlog.model.diagnostic import Diagnostic
from devlog.model.media import media_type

_IMAGE = "devlog.features.brand.derive.images:image"
_ICONS = "devlog.features.brand.derive.images:icons"
_FONT = "devlog.features.brand.derive.fonts:font"
_LIMIT = 64 << 20
_EXTRA = "brand"
_WHITE = "#ffffff"


def derive_brand(work: Deriving) -> BrandParts:
    """The images and fonts of the site's brand. The preview and checks take fonts as they are."""
    brand = work.inputs.config.brand
    if work.effort is None:
        return BrandParts()
    if work.before:
        return work.before.of(BrandParts)
    span_of = work.spans()
    asked, wrong = _asked(work, brand, span_of)
    made = work.stages.derive([item.work for item in asked], work.read)
    failed = {item: one.problem for item, one in zip(asked, made, strict=True) if one.problem}
    wrong += {
        item.work.files: problems.unusable_brand_file(span_of(*item.keys), item.file, reason)
        for item, reason in reversed(failed.items())  # of two problems with a favicon, the first is enough
    }.values()
    done = [(item, one) for item, one in zip(asked, made, strict=True) if item not in failed]
    return BrandParts(
        logo=_logo(done, "logo"),
        logo_dark=_logo(done, "logo_dark"),
        icons=tuple(_icons(done)),
        faces=tuple(_face(item, one) for item, one in done if item.keys[1] == "fonts"),
        problems=(*wrong, *_small(done, span_of)),
    )


class _Asked(msgspec.Struct, frozen=True, eq=False):
    """A file that the configuration asks for, at a key, and the work that makes what is published."""

    keys: tuple[str, ...]
    file: str
    work: Work


class _ImageSize(OneFile, frozen=True):
    width: int
    height: int


class _IconSize(Facts, frozen=True):
    side: int

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == len(SIDES)


class _FontFacts(OneFile, frozen=True):
    weights: tuple[int, int]
    italic: bool
    kind: Kind
    metrics: tuple[float, float, float, float]
    suffix: Literal["woff2"] | None = None


_FACTS: dict[str, type[Facts]] = {_IMAGE: _ImageSize, _ICONS: _IconSize, _FONT: _FontFacts}

Done = list[tuple[_Asked, MadeRecord]]


def _asked(work: Deriving, brand: Brand, span_of: SpanOf) -> tuple[list[_Asked], list[Diagnostic]]:
    """The work for all files of a brand, and the problems of those for which there is none."""
    wrong: list[Diagnostic] = []
    found: list[_Asked] = []

    def ask(keys: tuple[str, ...], file: str, function: str, parts: dict[str, Any]) -> None:
        copy = work.named(file, _LIMIT)
        if isinstance(copy, Diagnostic):
            wrong.append(problems.unusable_brand_file(span_of(*keys), file, copy.message))
        else:
            found.append(
                _Asked(keys, file, Work(function, parts, (copy,), True, _FACTS[function], codecs=function != _FONT))
            )

    for key in ("logo", "logo_dark", "favicon"):
        if file := getattr(brand, key):
            ask(("brand", key), file, _IMAGE, {"name": file})
    if any(item.keys[1] == "favicon" for item in found):
        missing = _missing(*(("Pillow", "resvg-py") if _is_svg(brand.favicon) else ("Pillow",)))
        if missing:
            wrong.append(problems.no_icons(span_of("brand", "favicon"), missing, _install(missing)))
        else:
            background = brand.palette.first.background
            parts = {"name": brand.favicon, "background": background.hex if background else _WHITE}
            ask(("brand", "favicon"), brand.favicon, _ICONS, parts)
    if brand.fonts.files and _missing("fonttools", "brotli"):
        wrong.append(problems.no_fonttools(span_of("brand", "fonts"), _install("fonttools")))
    elif brand.fonts.files:
        letters = _letters(work) if work.effort == "make" else None
        for use in FONT_USES:
            for file in brand.fonts.of(use):
                ask(("brand", "fonts", use), file, _FONT, {"letters": letters})
    return found, wrong


def _missing(*wanted: str) -> str:
    """The first of some packages that is not installed; empty if all are."""
    return next((package for package in wanted if not packages.version(package)), "")


def _install(package: str) -> str:
    """The command that installs a package."""
    return installation().add_package(package) if package == "Pillow" else installation().add_extra(_EXTRA)


def _is_svg(file: str) -> bool:
    return file.lower().endswith(".svg")


def _logo(done: Done, key: str) -> Logo | None:
    for item, made in done:
        if item.keys[1] == key:
            return Logo(_file("logo", made.blobs[0], item.file), made.facts["width"], made.facts["height"])
    return None


def _icons(done: Done) -> Iterator[Icon]:
    """The favicon itself, if it is an SVG or nothing was drawn from it, and the icons drawn from it."""
    made = {item.work.function: (item.file, one) for item, one in done if item.keys[1] == "favicon"}
    if _IMAGE not in made:
        return
    file, checked = made[_IMAGE]
    if _is_svg(file):
        yield Icon(_file("icon", checked.blobs[0], file), 0)
    elif _ICONS not in made:
        yield Icon(_file("icon", checked.blobs[0], file), checked.facts["width"])
    if _ICONS in made:
        for side, blob in zip(SIDES, made[_ICONS][1].blobs, strict=True):
            yield Icon(_file(f"icon-{side}", blob, "icon.png"), side)


def _small(done: Done, span_of: SpanOf) -> Iterator[Diagnostic]:
    """A problem if the favicon is smaller than the icons that were drawn from it."""
    for item, made in done:
        if item.work.function == _ICONS and 0 < made.facts["side"] < TOUCH:
            yield problems.small_favicon(span_of(*item.keys), item.file, made.facts["side"])


def _face(item: _Asked, made: MadeRecord) -> Face:
    facts = made.facts
    return Face(
        item.keys[2],
        _file(_name_of(item.file), made.blobs[0], f"font.{facts['suffix']}" if "suffix" in facts else item.file),
        (facts["weights"][0], facts["weights"][1]),
        facts["italic"],
        facts["kind"],
        Metrics(*facts["metrics"]),
    )


def _file(stem: str, blob: str, name: str) -> BrandFile:
    """A file whose URL changes with its content; `name` tells its type."""
    return BrandFile(blob, f"{FOLDER}{stem}-{blob[:10]}.{name.rpartition('.')[2].lower()}", media_type(name))


def _name_of(file: str) -> str:
    """The name of a font without its folder and its suffix, in letters that need no escaping in URLs."""
    stem = file.rpartition("/")[2].rpartition(".")[0].lower()
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in stem).strip("-") or "font"


def _letters(work: Deriving) -> str:
    """The characters outside of ASCII that pages may show, sorted."""
    config, theme, site = work.inputs.config, work.inputs.loaded.theme, work.site
    sources = (*work.references.sources(), *work.references.companions())
    texts = [parsed.document.letters for parsed in sources]
    texts += (template.text for template in theme.templates)
    texts += (theme.catalog, config.title, config.description, config.copyright)
    texts += (item.name for item in config.menu)
    texts += (name for _, name in site.tags)
    texts += (text for topic in site.topics for text in (topic.title, topic.description))
    texts += (text for author in site.authors for text in (author.name, author.bio, author.affiliation))
    texts += (post.title for post in (*site.posts, *site.pages))
    found = {letter for text in texts if not text.isascii() for letter in text + text.upper() if letter > "\x7f"}
    return "".join(sorted(found))
