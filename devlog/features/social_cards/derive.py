"""Derives the font and the background image of a site's social cards, and checks them before the site is planned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from devlog import packages
from devlog.deriving import Deriving
from devlog.disk.read import read_bytes
from devlog.features.social_cards import problems
from devlog.features.social_cards.assemble import layout_of, letters
from devlog.features.social_cards.model import CardKit, CardParts
from devlog.inputs import read_configuration
from devlog.installation import installation
from devlog.model.derived import MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.target import Copy

_FILES = "devlog.features.social_cards.render.card_files"
_LIMIT = 64 << 20
_OWN_FONT = "Pillow's built-in font"

SpanOf = Callable[..., Span]


def derive_cards(work: Deriving) -> CardParts:
    """The files from which cards are made, and diagnostics about files that the configuration names for them."""
    root, config = work.root, work.inputs.config
    if (
        work.effort is None
        or not (config.cards.enabled and config.origin)
        or layout_of(work.inputs.loaded.theme) == (None, None)
    ):
        return CardParts()
    asked = partial(_asked, root)
    if not packages.version("pillow"):
        spans = [asked()("cards", key) for key in ("enabled", "font", "background")]
        span = next((span for span in spans if span.line), spans[0])
        return CardParts(problems=(problems.no_cards(span, installation().add_package("Pillow")),))
    fonts = config.brand.fonts
    own = next(((use, fonts.of(use)[0]) for use in ("headings", "text") if fonts.of(use)), ("", ""))
    of_brand = bool(own[1] and not config.cards.font)
    keys = {
        "font": ("brand", "fonts", own[0]) if of_brand else ("cards", "font"),
        "background": ("cards", "background"),
    }
    files = {"font": config.cards.font or own[1], "background": config.cards.background}
    font, wrong_font = _file(root, files["font"], keys["font"], asked)
    picture, wrong_picture = _file(root, files["background"], keys["background"], asked)
    wrong = [*wrong_font, *wrong_picture]
    if wrong:
        return CardParts(problems=tuple(wrong))
    parts = {"letters": letters(config, work.site)}
    works = {"font": Work(f"{_FILES}:look_at_font", parts, font, apart=bool(font))}
    if picture:
        works["background"] = Work(f"{_FILES}:look_at_picture", {}, picture, apart=True)
    made = dict(zip(works, work.stages.derive([*works.values()], work.read), strict=True))
    for key, one in made.items():
        if one.problem:
            file = files[key] or _OWN_FONT
            return CardParts(problems=(problems.bad_card_file(asked()(*keys[key]), file, one.problem),))
    seen, cut = made["font"], made.get("background")
    return CardParts(CardKit(_blob(seen), _blob(cut) if cut else "", str(seen.facts["missing"])))


def _asked(root: Path) -> SpanOf:
    """A function that returns the position of a configuration key."""
    return read_configuration(root)[2]


def _blob(made: MadeRecord) -> str:
    return made.blobs[0] if made.blobs else ""


def _file(
    root: Path, file: str, keys: tuple[str, ...], asked: Callable[[], SpanOf]
) -> tuple[tuple[Copy, ...], tuple[Diagnostic, ...]]:
    """A file that the configuration names, in the form in which works refer to files."""
    if not file:
        return (), ()
    data = read_bytes(root, file, limit=_LIMIT)
    if isinstance(data, Diagnostic):
        return (), (problems.bad_card_file(asked()(*keys), file, data.message),)
    return (Copy("", "site", file, digest_bytes(data)),), ()
