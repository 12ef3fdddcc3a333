"""What looks like a secret, and how it is masked where devlog quotes a text: everyone can read the log of a build."""

from __future__ import annotations

import re

SLACK_ADDRESS = (
    r"(?P<slack_address>services/(?<=hooks\.slack\.com/services/)T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})"
)
"""The pattern of a secret behind a ``/``, with which those of other things begin, too."""

PATTERNS = (
    (
        r"_(?:(?P<github>(?<=gh[pousr]_)[A-Za-z0-9]{36,}|(?<=github_pat_)[A-Za-z0-9_]{60,})"
        r"|(?P<hugging_face>(?<=hf_)[A-Za-z0-9]{30,}(?![A-Za-z0-9_]))|(?P<npm>(?<=npm_)[A-Za-z0-9]{36}(?![A-Za-z0-9_])))"
    ),
    (
        r"-(?:(?P<gitlab>(?<=glpat-)[A-Za-z0-9_-]{20,})|(?P<slack>(?<=xox[abprs]-)[A-Za-z0-9-]{20,})"
        r"|(?P<ai>(?<=(?<![A-Za-z0-9])sk-)(?:proj-|ant-|or-)?[A-Za-z0-9_-]{32,})|(?P<pypi>(?<=pypi-)AgE[A-Za-z0-9_-]{50,})"
        r"|(?P<private_key>(?<=-----)BEGIN [A-Z ]{0,20}PRIVATE KEY-----))"
    ),
    r"A(?:(?P<aws>(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Za-z]))|(?P<google>Iza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])))",
    r"J(?P<jwt>(?<=(?<![A-Za-z0-9_-])eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})",
)
"""The patterns of other secrets. Each begins with a character that is fast to search for, and has groups of `KINDS`."""

KINDS = {
    "slack_address": "a Slack webhook URL",
    "github": "a GitHub token",
    "hugging_face": "a Hugging Face token",
    "npm": "an npm token",
    "gitlab": "a GitLab token",
    "slack": "a Slack token",
    "ai": "an AI service key",
    "pypi": "a PyPI token",
    "private_key": "a private key",
    "aws": "an AWS access key",
    "google": "a Google API key",
    "jwt": "a signed token (JWT)",
}
"""What the groups of the patterns find."""

_TELLING = 4
"""So many characters of a word with a secret are shown: they identify the secret without revealing it."""
_REST = r"""[^\s()\[\]<>"'`“”‘’]*"""  # what follows may belong to it
_KEY = r"(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]{16,})*(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]+(?=(?:\s|\\[rn])*-----END))?"
_FOUND = tuple(re.compile(f"(?:{pattern})(?P<rest>{_REST})") for pattern in (f"/{SLACK_ADDRESS}", *PATTERNS))
_BODY = re.compile(rf"(?<=PRIVATE KEY-----){_REST}{_KEY}")
_WHOLE = re.compile(r"(?<=PRIVATE KEY-----)[\s\S]+?-----(?P<end>END)?")
_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}")  # of a key that has other things in it, too
_HIDDEN = re.compile(r"\*{16,}")
_LONGEST = 10_000
"""So much of a text is searched for secrets beyond the part of it that is shown."""
_WORD = re.compile(r"[A-Za-z0-9_-]*\Z")
_SHOWN = re.compile(r"\S")


def is_example(secret: str) -> bool:
    """Whether a secret is an example from documentation: it says so, or repeats a few characters."""
    return "EXAMPLE" in secret.upper() or (" " not in secret and len(set(secret[-20:].lower())) < 6)


def masked(text: str) -> str:
    """A text with the secrets in it masked, also the lines of a private key. Its length and its lines stay.

    Args:
        text: a message, a line or a whole file.
    """
    for pattern in _FOUND:
        text = pattern.sub(_mask, text)
    text = _BODY.sub(lambda body: _SHOWN.sub("*", body[0]), text)
    return _WHOLE.sub(lambda body: _LINE.sub(_stars, body[0]) if body["end"] else body[0], text)


def shortened(text: str, most: int) -> str:
    """The first characters of a text that a message quotes. Secrets are masked first: the start of one looks like none.

    Args:
        text: what a user wrote.
        most: the maximum number of characters.
    """
    return masked(text[: most + _LONGEST])[:most]


def masked_alike(text: str, line: str, shown: str) -> str:
    """A text with what is masked in a line of a file: alone, a line of a private key does not look like a secret.

    Args:
        text: a message about the line.
        line: the line as it is in the file.
        shown: the line with the secrets of the file masked.
    """
    for hidden in _HIDDEN.finditer(shown) if shown != line else ():
        text = text.replace(line[hidden.start() : hidden.end()], hidden[0])
    return text


def _stars(found: re.Match[str]) -> str:
    return "*" * len(found[0])


def _mask(found: re.Match[str]) -> str:
    secret = found[0].removesuffix(found["rest"])
    if "PRIVATE KEY" in secret or is_example(secret):
        return found[0]
    word = _WORD.search(found.string, max(0, found.start() - _TELLING), found.start())
    shown = max(0, _TELLING - len(word[0] if word else ""))
    return found[0][:shown] + "*" * (len(found[0]) - shown)
