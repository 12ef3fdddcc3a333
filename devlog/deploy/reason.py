"""Finds the reason of a failure in what git says."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from devlog.deploy.passwords import without_logins, without_passwords

_REMOTE = "remote:"
"""The beginning of each line that git passes on from a remote: from its hooks, or from the program that serves it."""
_MOST_LINES = 4
_LONGEST = 400
"""The maximum length of what a remote says, in characters."""
_ENDS = "fatal:"
_ERRORS = ("error:", " !")
_UNSPECIFIC = (
    "fatal: Could not read from remote repository",
    "fatal: the remote end hung up",
    "fatal: The remote end hung up",
    "fatal: early EOF",
    "fatal: unable to parse command-line config",
)
"""Beginnings of what git says about a connection that has ended, or the environment. Why, others have said before, such
as ssh."""
_OF_NO_USE = ("send-pack: unexpected disconnect", "fetch-pack: unexpected disconnect")
_STYLE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""Matches what programs write to a terminal to color a text."""
_PROGRESS = re.compile(r"[A-Z][A-Za-z ]*: +[0-9]+(?:% \([0-9]+/[0-9]+\)|, done)")


def reason(out: bytes, err: bytes, urls: Collection[str]) -> str:
    """What git's output says about the reason of a failure, without user names and passwords in URLs.

    That is the line with the reason, after what the remote says: if a remote refuses a push, git's own line has no more
    than “pre-receive hook declined”.

    Args:
        out: the output.
        err: the error output.
        urls: those that git knew.
    """
    said = [line for line in _lines(err) if line.strip() and "hint:" not in line]
    lines = [line for line in said if not line.startswith(_REMOTE)]
    told = _told([line for line in said if line.startswith(_REMOTE)], urls)
    if told:
        lines = [line for line in lines if line.startswith((_ENDS, *_ERRORS)) and not line.startswith(_UNSPECIFIC)]
    # The only place where a push reports that the remote has refused it.
    refused = [line for line in _lines(out) if line.startswith("!\t")]
    chosen = [
        *_most_specific(lines),
        *(without_logins(line.rpartition("\t")[2], urls) for line in refused),
        *(line for line in lines if line.startswith(_ERRORS)),
        *lines[-1:],
        *([] if told else ["nothing, perhaps because there is no room for temporary files"]),
    ]
    return " – ".join(filter(None, [told, *(without_passwords(line, urls).strip() for line in chosen[:1])]))


def _lines(text: bytes) -> list[str]:
    """The lines of an output without colors."""
    return [_STYLE.sub("", line) for line in re.split(r"[\r\n]+", text.decode("utf-8", "replace"))]


def _told(lines: Sequence[str], urls: Collection[str]) -> str:
    """What a remote says, in one line: from what it calls an error, else its last lines; empty if it says nothing.

    Args:
        lines: those that git passes on. A remote, or who made its hooks, may have chosen any number of any length.
        urls: those that git knew.
    """
    said = [line for line in map(_plain, lines) if _says_something(line) and not _PROGRESS.match(line)]
    errors = (at for at, line in enumerate(said) if line.lower().startswith(("error:", "fatal:")))
    start = next(errors, max(len(said) - _MOST_LINES, 0))
    text = without_logins(" ".join([_REMOTE, *said[start : start + _MOST_LINES]]), urls) if said else ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _plain(line: str) -> str:
    """A line that git passes on from a remote, without characters that are not shown as they are."""
    text = line.removeprefix(_REMOTE)
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _most_specific(lines: Sequence[str]) -> list[str]:
    """The first line about an end, after those before it that say why; empty if there is no such line."""
    number = next((number for number, line in enumerate(lines) if line.startswith(_ENDS)), len(lines))
    last = lines[number : number + 1]
    if not any(line.startswith(_UNSPECIFIC) for line in last):
        return [*last]
    before = [line for line in lines[:number] if _says_something(line)]
    return [*(line for line in before if line.startswith("error:")), *before[-1:], *last]


def _says_something(line: str) -> bool:
    """Whether a line has words: servers draw lines around theirs."""
    return not line.startswith(_OF_NO_USE) and any(map(str.isalnum, line))
