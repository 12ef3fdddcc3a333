"""Adds the audio of a post to its front matter, without changing any other byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from devlog.model.check_facts import Block
from devlog.model.diagnostic import Edit, Span
from devlog.model.edits import edited

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names that are strings in YAML without quotes: with their extensions, they are not numbers or dates."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_FILE = re.compile(r"([ \t]*)file([ \t]*[:=][ \t]*)[^\s{\[]")
"""A line of YAML or TOML that names a file."""


def noted(text: str, block: Block | None, files: Mapping[str, str]) -> str | None:
    """Add the audio to the text of a post.

    Args:
        text: the whole file, with its line endings and its byte order mark.
        block: its front matter, which must not name audio; `None` if it has none.
        files: the name of each file by its key in the block ``audio``.

    Returns:
        The new text, or `None` if nothing can be added reliably. The caller verifies that the result parses as
        intended.
    """
    if block is None:
        return edited(text, [Edit(Span("", 1, 1), "", f"---\n{_yaml(files, 0)}---\n\n")])
    if block.language == "yaml":
        return edited(text, [Edit(Span("", block.last, 1), "", _yaml(files, block.indent))])
    if block.language == "toml":
        table = "".join(f"{key} = {_text(name)}\n" for key, name in files.items())
        return edited(text, [Edit(Span("", block.last, 1), "", f"\n[audio]\n{table}")])
    comma = "," if block.keys else ""
    table = ", ".join(f'"{key}": {_text(name)}' for key, name in files.items())
    return edited(text, [Edit(Span("", block.first), "{", f'{{"audio": {{{table}}}{comma}')])


def extended(text: str, line: int, key: str, name: str) -> str | None:
    """Add the name of another file to the audio that the text of a post has.

    Args:
        text: the whole file.
        line: the line with the key `file` in the block `audio`.
        key: the key in that block.
        name: the name of the file.

    Returns:
        The new text, or `None` if the line has more than this key. The caller verifies that the result parses as
        intended.
    """
    found = _FILE.match(_LINE_END.split(text)[line - 1])
    if found is None:
        return None
    written = _text(name) if found[2].strip() == "=" else _name(name)
    return edited(text, [Edit(Span("", line, 1), "", f"{found[1]}{key}{found[2]}{written}\n")])


def by_hand(files: Mapping[str, str]) -> str:
    """The addition for the author to make by hand, on one line."""
    return f"audio: {{{', '.join(f'{key}: {_name(name)}' for key, name in files.items())}}}"


def _yaml(files: Mapping[str, str], indent: int) -> str:
    lines = ["audio:", *(f"  {key}: {_name(name)}" for key, name in files.items())]
    return "".join(f"{' ' * indent}{line}\n" for line in lines)


def _name(text: str) -> str:
    """A name in YAML, quoted if necessary."""
    return text if _PLAIN.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    """A name as a string in YAML, TOML and JSON alike."""
    return json.dumps(text, ensure_ascii=False)
