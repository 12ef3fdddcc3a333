"""What a post says of its audio, put into its front matter without a change of any other byte."""

from __future__ import annotations

import json
import re

from devlog.model.check_facts import Block
from devlog.model.diagnostic import Edit, Span
from devlog.model.edits import edited

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names that YAML takes for texts without quotes: with their endings they are no numbers or dates."""


def noted(text: str, block: Block | None, audio: str, transcript: str) -> str | None:
    """The text of a post that names its audio.

    Args:
        text: all of the file, with the line ends and the byte order mark that it has.
        block: its front matter, which must not name any; `None` when it has none.
        audio: the name of the file.
        transcript: likewise.

    Returns:
        `None` where nothing can be put in for certain. Whoever asks makes sure that what is given means what it should.
    """
    if block is None:
        return edited(text, [Edit(Span("", 1, 1), "", f"---\n{_yaml(audio, transcript, 0)}---\n\n")])
    if block.language == "yaml":
        return edited(text, [Edit(Span("", block.last, 1), "", _yaml(audio, transcript, block.indent))])
    if block.language == "toml":
        table = f"\n[audio]\nfile = {_text(audio)}\ntranscript = {_text(transcript)}\n"
        return edited(text, [Edit(Span("", block.last, 1), "", table)])
    comma = "," if block.keys else ""
    entry = f'{{"audio": {{"file": {_text(audio)}, "transcript": {_text(transcript)}}}{comma}'
    return edited(text, [Edit(Span("", block.first), "{", entry)])


def by_hand(audio: str, transcript: str) -> str:
    """What a writer is to add, on one line."""
    return f"audio: {{file: {_name(audio)}, transcript: {_name(transcript)}}}"


def _yaml(audio: str, transcript: str, indent: int) -> str:
    lines = ["audio:", f"  file: {_name(audio)}", f"  transcript: {_name(transcript)}"]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _name(text: str) -> str:
    """A name as YAML has it."""
    return text if _PLAIN.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    """A name as YAML, TOML and JSON all write it."""
    return json.dumps(text, ensure_ascii=False)
