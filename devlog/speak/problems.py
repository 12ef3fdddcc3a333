"""Messages about posts that are to be spoken."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


def cannot_speak(span: Span) -> Diagnostic:
    """The configuration names no program that speaks."""
    hint = 'set one in [speak], such as command = ["espeak-ng", "-f", "{input}", "-w", "{output}"]'
    return error("cannot-speak", span, "no text-to-speech program is configured", hint)


def not_a_text(file: str, folder: str) -> Diagnostic:
    """A file that is no post or page of the site."""
    return error("not-a-text", Span(file), f"not a post or page in “{folder}”")


def nothing_to_speak(span: Span) -> Diagnostic:
    """A post without words to speak."""
    return error("nothing-to-speak", span, "nothing in this post can be spoken")


def already_spoken(span: Span, file: str, *, ours: bool) -> Diagnostic:
    """The post has audio: `ours` if it lies where it would be written."""
    hint = "use --force to speak it again" if ours else "remove the block from the front matter to have it spoken"
    return error("already-spoken", span, f"the post already has audio, “{file}”", hint)


def not_spoken(span: Span, text: str, reason: str) -> Diagnostic:
    """A passage, or a whole post, that could not be spoken."""
    what = f"“{text}”" if text else "this post"
    return error("not-spoken", span, f"could not speak {what}: {reason}")


def not_noted(span: Span, block: str) -> Diagnostic:
    """The front matter has a form into which nothing can be put."""
    message = "could not add the audio to the front matter"
    return warning("not-noted", span, message, f"add: {block}")
