"""Messages about social cards."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, info, warning


def no_cards(asked: Span, command: str) -> Diagnostic:
    """Posts have no social cards; `asked` is where the configuration wants some, `command` installs Pillow."""
    message, hint = "posts have no social cards: Pillow is not installed", f"run “{command}”"
    if asked.line:
        return warning("no-cards", asked, message, hint)
    return info("without-cards", Span("social cards"), message, hint)


def bad_card_file(span: Span, file: str, reason: str) -> Diagnostic:
    """A font or an image that cannot be used for social cards."""
    return error("bad-card-file", span, f"“{file}” cannot be used for social cards: {reason}")


def bad_card_layout(span: Span, reason: str) -> Diagnostic:
    """A layout from which social cards cannot be drawn."""
    return error("bad-card-layout", span, f"social cards cannot be drawn: {reason}")


def missing_letters(span: Span, letters: str, *, own_font: bool, has_card: bool) -> Diagnostic:
    """A social card whose font lacks letters of its text."""
    shown = f"“{letters[:20]}”" + (f" and {len(letters) - 20} more letters" if len(letters) > 20 else "")
    what = "they are left out of the card" if has_card else "there is no card"
    hint = "set “cards.font” to a font that has them" if own_font else "set “cards.font” to a font file that has them"
    return warning("missing-letters", span, f"the font of social cards has no glyphs for {shown}: {what}", hint)
