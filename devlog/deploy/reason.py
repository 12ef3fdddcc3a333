"""Finds the reason of a failure in what git says."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from devlog.deploy.passwords import without_logins, without_passwords
from devlog.model.secrets import shortened

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
    "fatal: unable to fork",
)
"""Beginnings of what git says about a connection that has ended, or the environment. Why, others have said before, such
as ssh."""
_OF_NO_USE = (
    "send-pack: unexpected disconnect",
    "fetch-pack: unexpected disconnect",
    "kex_exchange_identification: Connection closed",
    "kex_exchange_identification: read: Connection reset",
    "kex_exchange_identification: write: Broken pipe",
    "Disconnected from ",
)
_OF_CONNECTION = re.compile(
    r"\S+: Permission denied \("
    r"|(?:[\w-]+ )?[Hh]ost key for .* and you have requested strict checking"
    r"|Host key .* revoked by file "
    r"|Received disconnect from "
    r"|fatal: protocol error: "
)
"""Matches what only ssh or git says about the end of a connection. Before it, a server's banner may have any lines."""
_UNVERIFIED = "Host key verification failed"
_BY_PROXY = "UNKNOWN port"
"""How ssh names a server that it reaches by another program. What that program says is before."""
_HINTS = {
    r"(?:fatal|error): .*returned error: 30[12378]$": (
        "the remote has moved: set its new URL, since devlog follows no redirects"
    ),
    r"fatal: .*dubious ownership in repository at '": (
        "another user owns it: if you trust it, add it with “git config --global --add safe.directory”"
    ),
    r"(?:fatal|error): cannot run ssh: |ssh .*: ssh: (?:command )?not found": "install an ssh client, such as OpenSSH",
    r"(?:[\w-]+ )?[Hh]ost key for .* has changed and ": (
        "compare the new key with the one that the owner of the host publishes; if they are the same, remove the "
        "old one from known_hosts with “ssh-keygen -R”, and add the new one"
    ),
    _UNVERIFIED: (
        "if ssh does not know the host, compare its key, which “ssh-keyscan” prints, with the one that the owner of "
        "the host publishes; if they are the same, add it to known_hosts"
    ),
    rf".*{_BY_PROXY} \d+(?: timed out)?$": (
        "ssh reaches the host through a program that has failed: see ProxyCommand and ProxyJump in the settings of ssh"
    ),
    r"fatal: protocol error: bad line length": (
        "something on the server prints text before git does, such as a startup file of the shell, or a command that "
        "the server runs instead: with ssh, “ssh HOST true” shows it"
    ),
}
"""What to do about a reason, by the line of git or ssh that has it. A remote's words about a refusal are after others
there, so that they choose no hint."""
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
    return " – ".join(filter(None, _found(out, err, urls)))


def hint(out: bytes, err: bytes, urls: Collection[str]) -> str:
    """What to do about the reason of a failure; empty if that is not known. See `reason`."""
    _, line = _found(out, err, urls)
    return next((text for pattern, text in _HINTS.items() if re.match(pattern, line)), "")


def _found(out: bytes, err: bytes, urls: Collection[str]) -> tuple[str, str]:
    """What the remote says, and the line with the reason; one of them may be empty."""
    said = [line for line in _lines(err) if line.strip() and "hint:" not in line]
    lines = [line for line in said if not line.startswith(_REMOTE)]
    told = _told([line for line in said if line.startswith(_REMOTE)], urls)
    if told:
        lines = [line for line in lines if _is_about_failure(line)]
    # The only place where a push reports that the remote has refused it.
    refused = [line for line in _lines(out) if line.startswith("!\t")]
    chosen = [
        *_most_specific(lines),
        *(without_logins(line.rpartition("\t")[2], urls) for line in refused),
        *(line for line in lines if line.startswith(_ERRORS)),
        *lines[-1:],
        *([] if told else ["nothing, perhaps because there is no room for temporary files"]),
    ]
    return told, "".join(without_passwords(line, urls).strip() for line in chosen[:1])


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
    return text if len(text) <= _LONGEST else f"{shortened(text, _LONGEST)}…"


def _plain(line: str) -> str:
    """A line that git passes on from a remote, without characters that are not shown as they are."""
    text = line.removeprefix(_REMOTE)
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _is_about_failure(line: str) -> bool:
    if line.startswith(_UNSPECIFIC):
        return False
    return line.startswith((_ENDS, *_ERRORS)) or _OF_CONNECTION.match(line) is not None


def _most_specific(lines: Sequence[str]) -> list[str]:
    """The lines that say why git has ended, the best first; empty if none does."""
    vague = [number for number, line in enumerate(lines) if line.startswith(_UNSPECIFIC)]
    until = lines[: vague[-1]] if vague else lines
    before = [line for line in until if _says_something(line) and not line.startswith(_UNSPECIFIC)]
    others = [line for line in before if _BY_PROXY not in line and not line.startswith(_UNVERIFIED)]
    connection = [line for line in others[-1:] if _OF_CONNECTION.match(line)]
    ends = [line for line in before if line.startswith(_ENDS)]
    if not vague:
        return [*connection, *ends[:1]]
    errors = [line for line in before if line.startswith("error:")]
    last = before[-2:] if before and _BY_PROXY in before[-1] else before[-1:]
    return [*connection, *ends[-1:], *errors, *filter(None, [" – ".join(last)]), lines[vague[0]]]


def _says_something(line: str) -> bool:
    """Whether a line has words: servers draw lines around theirs."""
    return not line.startswith(_OF_NO_USE) and any(map(str.isalnum, line))
