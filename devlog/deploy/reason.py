"""Finds the reason of a failure in what git says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlog.deploy.passwords import without_passwords

_ENDS = ("fatal:", "remote: error:", "remote: fatal:")
_UNSPECIFIC = (
    "fatal: Could not read from remote repository",
    "fatal: the remote end hung up",
    "fatal: The remote end hung up",
    "fatal: early EOF",
)
"""Beginnings of what git says about a connection that has ended. Why it has, others have said before, such as ssh."""
_OF_NO_USE = ("send-pack: unexpected disconnect", "fetch-pack: unexpected disconnect")


def reason(out: bytes, err: bytes, urls: Iterable[str]) -> str:
    """The line of git's output that has the reason of a failure, without user names and passwords in URLs.

    Args:
        out: the output.
        err: the error output.
        urls: those that git knew.
    """
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip() and "hint:" not in line]
    # The only place where a push reports that the remote has refused it.
    refused = [line for line in out.decode("utf-8", "replace").splitlines() if line.startswith("!\t")]
    chosen = [
        *_most_specific(lines),
        *(line.rpartition("\t")[2] for line in refused),
        *(line for line in lines if line.startswith(("error:", " !"))),
        *lines[-1:],
        "nothing, perhaps because there is no room for temporary files",
    ]
    return without_passwords(chosen[0], urls).strip()


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
    return not line.startswith(_OF_NO_USE) and any(map(str.isalnum, line.removeprefix("remote:")))
