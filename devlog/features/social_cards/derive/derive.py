"""Derives the font and the background image of a site's social cards, and checks them before the site is planned."""

from __future__ import annotations

from collections.abc import Iterator

from devlog import packages
from devlog.config import Config
from devlog.deriving import Deriving
from devlog.engine.toolchain import codecs
from devlog.features.social_cards import problems
from devlog.features.social_cards.assemble import layout_of, letters
from devlog.features.social_cards.model import CardKit, CardParts
from devlog.installation import installation
from devlog.model.derived import Facts, MadeRecord, OneFile, Work
from devlog.model.diagnostic import Diagnostic
from devlog.model.target import Copy

_FILES = "devlog.features.social_cards.derive.card_files"
_LIMIT = 64 << 20
_OWN_FONT = "Pillow's built-in font"

_TEXT = ("brand", "fonts", "text")
_HEADINGS = ("brand", "fonts", "headings")

Keys = tuple[str, ...]


def derive_cards(work: Deriving) -> CardParts:
    """The files from which cards are made, and diagnostics about files that the configuration names for them."""
    config = work.inputs.config
    if (
        work.effort is None
        or not (config.cards.enabled and config.origin)
        or layout_of(work.inputs.loaded.theme) == (None, None)
    ):
        return CardParts()
    if not packages.version("pillow"):
        span_of = work.spans()
        spans = [span_of("cards", key) for key in ("enabled", "font", "background")]
        span = next((span for span in spans if span.line), spans[0])
        return CardParts(problems=(problems.no_cards(span, installation().add_package("Pillow")),))
    # Each file that may be used, with the key that names it; without a font, that of Pillow.
    named = [*_fonts(config)] or [("", ("cards", "font"))]
    background = config.cards.background
    named += [(background, ("cards", "background"))] if background else []
    parts = {"letters": letters(config, work.site)}
    wrong: list[Diagnostic] = []
    works = []
    for file, keys in named:
        copies, faults = _file(work, file, keys)
        wrong += faults
        if keys == ("cards", "background"):
            works.append(Work(f"{_FILES}:look_at_picture", {}, copies, True, OneFile, codecs=True))
        else:
            works.append(Work(f"{_FILES}:look_at_font", parts, copies, bool(file), _FontFacts))
    if wrong:
        return CardParts(problems=tuple(wrong))
    made = [*work.stages.derive(works, work.read)]
    for (file, keys), one in zip(named, made, strict=True):
        if one.problem:
            return CardParts(problems=(problems.bad_card_file(work.spans()(*keys), file or _OWN_FONT, one.problem),))
    cut = made.pop() if background else None
    regular, *others = made
    bold = next((one for one, (_, keys) in zip(others, named[1:], strict=False) if _is_for_titles(one, keys)), None)
    missing = "".join(sorted({*str(regular.facts["missing"]), *(str(bold.facts["missing"]) if bold else "")}))
    title = work.spans()("title")
    font, for_titles, picture = [_blob(one) if one else "" for one in (regular, bold, cut)]
    return CardParts(CardKit(font, for_titles, picture, missing, title, codecs() if cut else ""))


class _FontFacts(Facts, frozen=True):
    """The letters that a font lacks, and whether it is bold."""

    missing: str
    bold: bool

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == len(work.files)


def _fonts(config: Config) -> Iterator[tuple[str, Keys]]:
    """The font files that cards may use, with the key that names each: first that of most texts, then those of titles.

    Titles have the brand's font for headings, else its bold font for text, if it has one.
    """
    if config.cards.font:
        yield config.cards.font, ("cards", "font")
        return
    text, headings = (config.brand.fonts.of(use) for use in ("text", "headings"))
    files = [(file, _TEXT) for file in text] or [(file, _HEADINGS) for file in headings[:1]]
    yield from files[:1]
    yield from [(headings[0], _HEADINGS)] if headings and text else files[1:]


def _is_for_titles(font: MadeRecord, keys: Keys) -> bool:
    return keys == _HEADINGS or bool(font.facts["bold"])


def _blob(made: MadeRecord) -> str:
    return made.blobs[0] if made.blobs else ""


def _file(work: Deriving, file: str, keys: tuple[str, ...]) -> tuple[tuple[Copy, ...], tuple[Diagnostic, ...]]:
    """A file that the configuration names, in the form in which works refer to files."""
    if not file:
        return (), ()
    copy = work.named(file, _LIMIT)
    if isinstance(copy, Diagnostic):
        return (), (problems.bad_card_file(work.spans()(*keys), file, copy.message),)
    return (copy,), ()
