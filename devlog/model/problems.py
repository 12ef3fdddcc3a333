"""The wording of every message, one function each, so that devlog speaks with one voice.

A message is one sentence without a full stop; what the user wrote stands in “typographic quotes”; a hint says
what to do and is given only when it is true. The code of a problem is stable: configuration refers to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlog.model.closest import closest
from devlog.model.diagnostic import Diagnostic, Fix, Span


def error(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    """Something cannot be published correctly."""
    return Diagnostic(code, "error", message, span, hint)


def warning(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    """Something only looks wrong."""
    return Diagnostic(code, "warning", message, span, hint, fix=fix)


def info(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    """Something is worth knowing."""
    return Diagnostic(code, "info", message, span, hint, fix=fix)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` was most likely meant to be; empty when none is near."""
    if len(word) < 3:  # “as” is as near to “ps” as to “sas”
        return ""
    return closest(word, tuple(known), 0.7)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word; empty when none is near."""
    near = nearest(word, known)
    return f"did you mean “{near}”?" if near else ""


# -- text ------------------------------------------------------------------------------------------------


def diagrams_as_text(span: Span, language: str) -> Diagnostic:
    """A site has diagrams and nothing that draws them: told once for each language."""
    hint = f"set a “command” or a “script” in [diagrams.{language}]"
    return info("diagrams-as-text", span, f"no renderer configured for “{language}” diagrams", hint)


def diagram_failed(span: Span, language: str, reason: str) -> Diagnostic:
    """A command of the configuration has drawn nothing that can be shown."""
    return warning("diagram-failed", span, f"“{language}” diagram shown as text: {reason}")


def no_diagram_script(span: Span, script: str) -> Diagnostic:
    """A script of the site's own that draws diagrams is not there."""
    return warning("bad-diagrams", span, f"file not found in the site: “{script}”", "put it in the static folder")


# -- site ------------------------------------------------------------------------------------------------


def some_files(files: Sequence[str]) -> str:
    """The first of some files, and how many there are besides."""
    named = ", ".join(f"“{file}”" for file in files[:3])
    return f"{named} and {len(files) - 3:,} more" if len(files) > 3 else named


def unfit_image(span: Span, file: str, reason: str) -> Diagnostic:
    """An image of which no smaller ones can be made."""
    return warning("unfit-image", span, f"“{file}” is published only at its original size: {reason}")


def no_pillow(asked: Span | None, command: str) -> Diagnostic:
    """Images are published in one size; `asked` is where the configuration wants more, `command` installs Pillow."""
    message = "images are published in their original size only: Pillow is not installed"
    hint = f"run “{command}”"
    if asked:
        return warning("no-pillow", asked, message, hint)
    return info("one-size", Span("the images"), message, hint)


def no_cards(asked: Span, command: str) -> Diagnostic:
    """Posts have no social cards; `asked` is where the configuration wants some, `command` installs Pillow."""
    message, hint = "posts have no social cards: Pillow is not installed", f"run “{command}”"
    if asked.line:
        return warning("no-cards", asked, message, hint)
    return info("without-cards", Span("social cards"), message, hint)


def bad_card_file(span: Span, file: str, reason: str) -> Diagnostic:
    """A font or a picture of which no social card can be made."""
    return error("bad-card-file", span, f"“{file}” cannot be used for social cards: {reason}")


def bad_card_layout(span: Span, reason: str) -> Diagnostic:
    """A layout of social cards that cannot be drawn."""
    return error("bad-card-layout", span, f"social cards cannot be drawn: {reason}")


def missing_letters(span: Span, letters: str, *, own_font: bool, has_card: bool) -> Diagnostic:
    """A social card whose font lacks letters of its texts."""
    shown = f"“{letters[:20]}”" + (f" and {len(letters) - 20} more letters" if len(letters) > 20 else "")
    what = "they are left out of the card" if has_card else "there is no card"
    hint = "set “cards.font” to a font that has them" if own_font else "set “cards.font” to a font file that has them"
    return warning("missing-letters", span, f"the font of social cards has no glyphs for {shown}: {what}", hint)


def supersedes_nothing(span: Span, target: str) -> Diagnostic:
    """What a text supersedes, or is superseded by, is no text of the site."""
    return warning("supersedes-nothing", span, f"“{target}” is not a post on this site, so nothing is superseded")


def supersedes_itself(span: Span) -> Diagnostic:
    """A text that takes its own place."""
    return error("superseding-circle", span, "a post cannot supersede itself")


def superseding_circle(span: Span, files: Iterable[str]) -> Diagnostic:
    """Texts that take each other's place, so that none of them is the newest."""
    names = [f"“{file}”" for file in files]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return error("superseding-circle", span, f"these posts supersede each other: {shown}")


def contradicted_status(span: Span, file: str) -> Diagnostic:
    """A text that says it is current though another one has taken its place."""
    message = f"“status” is “current”, but “{file}” supersedes this post"
    return warning("contradicted-status", span, message)


# -- check: what a build does not say --------------------------------------------------------------------


_FATES = {"moved": "has moved", "changed": "has changed", "gone": "has been removed"}


def stale_citation(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited without a commit, at which something else stands by now."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    message = f"“{place}” {_FATES[state]} since this was written"
    return warning("stale-citation", span, message, hint)


def changed_source(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited as of a commit, which is no longer so."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    return info("changed-source", span, f"“{place}” {_FATES[state]} since this commit", hint)


# -- search ----------------------------------------------------------------------------------------------


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but does not run here."""
    return warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer gave up: the pages that are ready by then offer a search."""
    hint = "use “--no-search” to build without search"
    return error("search-failed", span, f"search indexing failed: {reason}", hint)


# -- the source that posts write about -------------------------------------------------------------------


def no_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The clone that the configuration names cannot be asked."""
    hint = f"source references are not checked; clone the repository into “{folder}”, or remove “source_checkout”"
    return warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


# -- front matter ----------------------------------------------------------------------------------------


def unknown_part(span: Span, key: str, whole: str, known: Iterable[str]) -> Diagnostic:
    """A key without a meaning inside the value of another key."""
    hint = did_you_mean(key, known) or f"it may have {' and '.join(f'“{name}”' for name in known)}"
    return warning("unknown-key", span, f"unknown key “{key}” in “{whole}”", hint)


def unknown_status(span: Span, written: str, near: str) -> Diagnostic:
    """A status that says nothing of how far a text can be relied on."""
    hint = f"did you mean “{near}”?" if near else "write “current”, “superseded” or “historical”"
    return warning("unknown-status", span, f"“{written}” is not a status; this value is ignored", hint)


# -- episodes --------------------------------------------------------------------------------------------


def no_sound(span: Span) -> Diagnostic:
    """An episode without any sound."""
    message = "“audio” has neither a file nor a URL"
    return warning("no-audio", span, message, "add “file: talk.mp3” for a file beside the post")


def two_sounds(span: Span, file: str) -> Diagnostic:
    """An episode with two sounds."""
    return warning("two-sounds", span, f"“audio” has both a file and a URL; using “{file}”", "remove one of them")


def missing_audio(span: Span, target: str, hint: str = "") -> Diagnostic:
    """A file of an episode that is not there: its sound, its transcript, its chapters."""
    return error("missing-audio", span, f"file not found: “{target}”", hint)


def not_audio(span: Span, file: str, media_type: str) -> Diagnostic:
    """A file that no player plays."""
    return error("not-audio", span, f"“{file}” is not an audio file ({media_type})")


def unknown_audio_type(span: Span) -> Diagnostic:
    """A sound elsewhere whose address does not say what it is."""
    return warning("no-type", span, "the type of the audio cannot be told from its URL", "add “type: audio/mpeg”")


def no_length(span: Span) -> Diagnostic:
    """A sound elsewhere of which the feed cannot say how long it is."""
    hint = "servers send it as Content-Length: add “length: 1234567”"
    return warning("no-length", span, "“audio.length” is missing: feeds need the size of the audio in bytes", hint)


def no_tinytag(span: Span, command: str) -> Diagnostic:
    """Episodes without a duration. `span` is the first of them; `command` installs what measures audio files."""
    message = "audio durations are unknown: tinytag is not installed"
    hint = f"run “{command}”, or add “duration: 2:29”"
    return info("no-tinytag", span, message, hint)


def unmeasured(span: Span, file: str, reason: str) -> Diagnostic:
    """A sound of which nobody knows how long it takes."""
    return warning("unmeasured", span, f"cannot tell the duration of “{file}”: {reason}", "add “duration: 2:29”")


def wrong_duration(span: Span, written: str, measured: str) -> Diagnostic:
    """A duration that is not that of the file."""
    message = f"the duration is given as {written}, but the audio is {measured} long"
    return warning("wrong-duration", span, message, "remove it: the duration is measured")


def same_audio(span: Span, url: str, other: str) -> Diagnostic:
    """Two episodes of a show with the same sound, which players take for one."""
    return error("same-audio", span, f"“{other}” of the same show has the same audio, “{url}”")


def bad_chapters(span: Span, file: str, reason: str) -> Diagnostic:
    """A file of chapters that cannot be read."""
    return warning("bad-chapters", span, f"the chapters in “{file}” cannot be read: {reason}")


def late_chapter(span: Span, title: str, start: str, end: str) -> Diagnostic:
    """A chapter behind the end of the sound."""
    return warning("bad-chapters", span, f"the chapter “{title}” begins at {start}, but the audio ends at {end}")


def no_transcript(span: Span, target: str, endings: Iterable[str]) -> Diagnostic:
    """A file that is none of the kinds of transcripts."""
    hint = f"it may be “body” for the text of the post, or a file that ends in {', '.join(endings)}"
    return warning("bad-transcript", span, f"“{target}” is not a transcript", hint)


def bad_transcript(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """A place of a transcript that cannot be read."""
    return warning("bad-transcript", span, reason, hint)


def late_transcript(span: Span, start: str, end: str) -> Diagnostic:
    """A transcript in which somebody speaks after the sound has ended: perhaps it belongs to another."""
    return warning("bad-transcript", span, f"the transcript goes on at {start}, but the audio ends at {end}")


def incomplete_podcast(span: Span, missing: str, hint: str) -> Diagnostic:
    """A show that directories of podcasts would refuse."""
    return warning("incomplete-podcast", span, f"podcast directories reject this show: {missing}", hint)


# -- disk ------------------------------------------------------------------------------------------------


def shared_by_too_many(span: Span, file: str, limit: int) -> Diagnostic:
    """A transcript or a file of chapters that more episodes name than may share one; `span` is the first too many."""
    message = f"more than {limit} episodes name “{file}”"
    return error("shared-by-too-many", span, message, "give each episode a transcript and chapters of its own")


# -- catalogs --------------------------------------------------------------------------------------------


def bad_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """A message of a catalog that cannot be used."""
    return error("bad-message", span, f"invalid message “{key}”: {reason}", hint)
