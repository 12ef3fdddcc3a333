"""Writes what edits have changed in a text as a unified diff. The edits are known, so no lines need to be compared."""

from __future__ import annotations

import re
import zlib
from base64 import b85encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1
from itertools import accumulate
from string import ascii_lowercase, ascii_uppercase

from devlog.report import printable

Kept = tuple[int, ...]
"""For each line of a new text, the index of the same line of the old one; -1 for a line that is new or changed."""

_CONTEXT = 3
_LENGTHS = ascii_uppercase + ascii_lowercase
_ESCAPED = re.compile(rb"[^A-Za-z0-9 /._+=@-]")
_C_ESCAPES = {b'"': r"\"", b"\\": r"\\", b"\t": r"\t", b"\n": r"\n", b"\r": r"\r"}
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text as diff programs count them: only a line feed ends one."""
    return _LINE.findall(text)


def kept_lines(text: str, replaced: Iterable[tuple[int, int, str]]) -> Kept:
    """The lines of a text that stay when parts of it are replaced.

    Args:
        text: the text.
        replaced: the start and the end of each part, and its new text, in order.
    """
    kept: list[int] = []
    line: int | None = None  # that with which the line begins that is not yet complete
    for piece, number in _pieces(text, replaced):
        line = number if line is None else -1
        if piece.endswith("\n"):
            kept.append(line)
            line = None
    return (*kept, *(() if line is None else (line,)))


def _pieces(text: str, replaced: Iterable[tuple[int, int, str]]) -> Iterator[tuple[str, int]]:
    """The pieces of the new text, of one line or less, each with the index of the whole line that it is, or -1."""
    starts = [0, *accumulate(map(len, lines_of(text)))]
    done = 0
    for start, end, new in (*replaced, (len(text), len(text), "")):
        number = bisect_right(starts, done) - 1
        while done < start:
            stop = min(start, starts[number + 1])
            yield text[done:stop], number if (done, stop) == (starts[number], starts[number + 1]) else -1
            done, number = stop, number + 1
        yield from ((piece, -1) for piece in lines_of(new))
        done = end


def head(old: str, new: str, hunks: str, *, is_text: bool = True) -> str:
    """The lines that precede the hunks of a file in git's format of patches.

    Args:
        old: the old name of the file.
        new: its new name, perhaps the same.
        hunks: what has changed in it, if anything.
        is_text: whether the hunks are lines.
    """
    renamed = f"rename from {_quoted(old)}\nrename to {_quoted(new)}\n" if old != new else ""
    if renamed and not hunks:
        renamed = f"similarity index 100%\n{renamed}"
    sides = [_quoted(f"a/{old}"), _quoted(f"b/{new}")]
    # As in git's patches, a tab ends a name with spaces: other programs read it up to the first one otherwise.
    ended = [f"{side}\t" if " " in side and not side.startswith('"') else side for side in sides]
    texts = f"--- {ended[0]}\n+++ {ended[1]}\n" if hunks and is_text else ""
    # Without the first line, git ignores a rename, or takes the next file's names for those of this one.
    return f"diff --git {sides[0]} {sides[1]}\n{renamed}{texts}"


def is_plain(diff: str) -> bool:
    """Whether a diff can be printed as it is: nothing in it controls a terminal, or a code host that reads the output.

    A carriage return does not, if a line feed follows.
    """
    return all(printable(part) == part for line in diff.split("\n") for part in line.removesuffix("\r").split("\t"))


def binary(before: bytes, after: bytes) -> str:
    """The change of a file that is not text, as git writes it: compressed, in plain characters, and in both directions.

    Args:
        before: the old content.
        after: the new one.
    """
    index = "..".join(
        sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest() for data in (before, after)
    )
    return f"index {index}\nGIT binary patch\n{_literal(after)}\n{_literal(before)}\n"


def _literal(data: bytes) -> str:
    """A content in a binary patch. A letter at the beginning of each line is the number of bytes in it."""
    packed = zlib.compress(data)
    pieces = (packed[at : at + len(_LENGTHS)] for at in range(0, len(packed), len(_LENGTHS)))
    lines = (f"{_LENGTHS[len(piece) - 1]}{b85encode(piece, pad=True).decode()}\n" for piece in pieces)
    return f"literal {len(data)}\n{''.join(lines)}"


def _quoted(name: str) -> str:
    """A name as git writes it in a patch, on one line. Letters of all languages stay readable, which git accepts."""
    if printable(name) == name and not set(name) & {'"', "\\"}:
        return name
    data = name.encode("utf-8", "surrogateescape")
    return f'"{_ESCAPED.sub(_escaped, data).decode()}"'


def _escaped(found: re.Match[bytes]) -> bytes:
    return _C_ESCAPES.get(found[0], f"\\{found[0][0]:03o}").encode()


def unified(before: Sequence[str], after: Sequence[str], kept: Kept) -> Iterator[str]:
    """The hunks of a unified diff, line by line.

    Args:
        before: the old lines.
        after: the new lines.
        kept: which of the new lines are old ones, in the same order.
    """
    for changes in _grouped(_changes(len(before), len(after), kept)):
        (first, _, new_first, _), (_, last, _, new_last) = changes[0], changes[-1]
        lead = min(_CONTEXT, first)
        trail = min(_CONTEXT, len(before) - last)
        old, new = _range(first - lead, last + trail), _range(new_first - lead, new_last + trail)
        yield f"@@ -{old} +{new} @@\n"
        done = first - lead
        for start, end, new_start, new_end in changes:
            yield from (f" {line}" for line in before[done:start])
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end])
            done = end
        yield from (f" {line}" for line in before[last : last + trail])


def _changes(old_length: int, new_length: int, kept: Kept) -> Iterator[tuple[int, int, int, int]]:
    """Where the lines between two that stay differ: start and end in the old text, start and end in the new one."""
    old_done, new_done = 0, 0
    for new, old in (*enumerate(kept), (new_length, old_length)):
        if old >= 0:
            if (old, new) != (old_done, new_done):
                yield old_done, old, new_done, new
            old_done, new_done = old + 1, new + 1


def _grouped(changes: Iterable[tuple[int, int, int, int]]) -> Iterator[list[tuple[int, int, int, int]]]:
    """Changes whose context would overlap, together."""
    group: list[tuple[int, int, int, int]] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    """Lines as a hunk names them, counted from 1; for none, the line before."""
    return f"{start + 1}" if end - start == 1 else f"{start + (end > start)},{end - start}"
