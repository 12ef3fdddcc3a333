"""Messages about episodes: audio, chapters, transcripts and shows."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, info, warning


def no_sound(span: Span) -> Diagnostic:
    """An episode without audio."""
    message = "“audio” has neither a file nor a URL"
    return warning("no-audio", span, message, "add “file: talk.mp3” for a file beside the post")


def two_sounds(span: Span, file: str) -> Diagnostic:
    """An episode with two audio files."""
    return warning("two-sounds", span, f"“audio” has both a file and a URL; using “{file}”", "remove one of them")


def missing_audio(span: Span, target: str, hint: str = "") -> Diagnostic:
    """A file of an episode that does not exist: its audio, its transcript, its chapters."""
    return error("missing-audio", span, f"file not found: “{target}”", hint)


def not_audio(span: Span, file: str, media_type: str) -> Diagnostic:
    """A file that is not audio."""
    return error("not-audio", span, f"“{file}” is not an audio file ({media_type})")


def unknown_audio_type(span: Span) -> Diagnostic:
    """Audio on another site whose URL does not show its type."""
    return warning("no-type", span, "the type of the audio cannot be told from its URL", "add “type: audio/mpeg”")


def no_length(span: Span) -> Diagnostic:
    """Audio on another site whose size in bytes is not given."""
    hint = "servers send it as Content-Length: add “length: 1234567”"
    return warning("no-length", span, "“audio.length” is missing: feeds need the size of the audio in bytes", hint)


def no_tinytag(span: Span, command: str) -> Diagnostic:
    """Episodes without a duration. `span` is the first of them; `command` installs the library that measures audio."""
    message = "audio durations are unknown: tinytag is not installed"
    hint = f"run “{command}”, or add “duration: 2:29”"
    return info("no-tinytag", span, message, hint)


def unmeasured(span: Span, file: str, reason: str) -> Diagnostic:
    """Audio whose duration cannot be measured."""
    return warning("unmeasured", span, f"cannot tell the duration of “{file}”: {reason}", "add “duration: 2:29”")


def wrong_duration(span: Span, written: str, measured: str) -> Diagnostic:
    """A duration that differs from that of the audio file."""
    message = f"the duration is given as {written}, but the audio is {measured} long"
    return warning("wrong-duration", span, message, "remove it: the duration is measured")


def same_audio(span: Span, url: str, other: str) -> Diagnostic:
    """Two episodes of a show with the same audio, which players treat as one episode."""
    return error("same-audio", span, f"“{other}” of the same show has the same audio, “{url}”", others=[other])


def bad_chapters(span: Span, file: str, reason: str) -> Diagnostic:
    """A chapters file that cannot be read."""
    return warning("bad-chapters", span, f"the chapters in “{file}” cannot be read: {reason}")


def late_chapter(span: Span, title: str, start: str, end: str) -> Diagnostic:
    """A chapter that begins after the end of the audio."""
    return warning("bad-chapters", span, f"the chapter “{title}” begins at {start}, but the audio ends at {end}")


def no_transcript(span: Span, target: str, endings: Iterable[str]) -> Diagnostic:
    """A file that has none of the formats of transcripts."""
    hint = f"it may be “body” for the text of the post, or a file that ends in {', '.join(endings)}"
    return warning("bad-transcript", span, f"“{target}” is not a transcript", hint)


def bad_transcript(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """A part of a transcript that cannot be read."""
    return warning("bad-transcript", span, reason, hint)


def late_transcript(span: Span, start: str, end: str) -> Diagnostic:
    """A transcript that goes on after the end of the audio: it may belong to another episode."""
    return warning("bad-transcript", span, f"the transcript goes on at {start}, but the audio ends at {end}")


def incomplete_podcast(span: Span, missing: str, hint: str) -> Diagnostic:
    """A show that podcast directories would reject."""
    return warning("incomplete-podcast", span, f"podcast directories reject this show: {missing}", hint)


def shared_by_too_many(span: Span, file: str, limit: int) -> Diagnostic:
    """A transcript or chapters file that too many episodes share; `span` is the first one above the limit."""
    message = f"more than {limit} episodes name “{file}”"
    return error("shared-by-too-many", span, message, "give each episode a transcript and chapters of its own")


# -- devlog speak


def cannot_speak(span: Span) -> Diagnostic:
    """A configuration without a text-to-speech program."""
    hint = 'set one in [speak], such as command = ["espeak-ng", "-f", "{input}", "-w", "{output}"]'
    return error("cannot-speak", span, "no text-to-speech program is configured", hint)


def post_lacks(span: Span, key: str, placeholder: str, file: str) -> Diagnostic:
    """A placeholder in the configuration of `devlog speak` for which the post has no value."""
    what = "no image, nor has its show one" if placeholder == "{cover}" else "no date"
    hint = "set “image” in the block “podcast” of its topic" if placeholder == "{cover}" else "give it a date"
    return error("speak-lacks", span, f"“{key}” has “{placeholder}”, but “{file}” has {what}", hint)


def unfit_cover(span: Span, key: str, image: str) -> Diagnostic:
    """The image of a post is no file that a program may take for an image."""
    message = f"“{key}” has “{{cover}}”, but “{image}” is not a JPEG, PNG, WebP or GIF image"
    return error("speak-lacks", span, message, "set another “image”")


def not_a_text(file: str, folder: str) -> Diagnostic:
    """A file that is not a post or page of the site."""
    return error("not-a-text", Span(file), f"not a post or page in “{folder}”")


def not_editable(file: str) -> Diagnostic:
    """A post in another format than Markdown, such as a notebook: its front matter cannot name the audio file."""
    hint = "name an audio file in its front matter yourself"
    return error("not-a-text", Span(file), "only the front matter of a Markdown or HTML file can be edited", hint)


def nothing_to_speak(span: Span) -> Diagnostic:
    """A post without words that can be spoken."""
    return error("nothing-to-speak", span, "nothing in this post can be spoken")


def already_spoken(span: Span, file: str, *, ours: bool) -> Diagnostic:
    """A post that already has audio: `ours` if it has the name that devlog would use."""
    hint = "use --force to speak it again" if ours else "remove the block from the front matter to have it spoken"
    return error("already-spoken", span, f"the post already has audio, “{file}”", hint)


def not_spoken(span: Span, text: str, reason: str) -> Diagnostic:
    """A passage, or a whole post, that could not be spoken."""
    what = f"“{text}”" if text else "this post"
    return error("not-spoken", span, f"could not speak {what}: {reason}")


def not_noted(span: Span, block: str) -> Diagnostic:
    """Front matter in a form to which devlog cannot add the audio."""
    message = "could not add the audio to the front matter"
    return warning("not-noted", span, message, f"add: {block}")


def bad_speak_command(span: Span, key: str, missing: str) -> Diagnostic:
    """A command that makes audio lacks its program, or the placeholder of a file."""
    return error("bad-speak", span, f"“{key}” names no {missing.removeprefix('a ')}")


def bad_speak_placeholder(span: Span, key: str, placeholder: str, known: Iterable[str]) -> Diagnostic:
    """A greeting or farewell with a placeholder that stands for nothing."""
    return error(
        "bad-speak", span, f"“{key}” has the unknown placeholder “{placeholder}”", f"known: {', '.join(known)}"
    )
