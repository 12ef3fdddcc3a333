"""How names, numbers and signs of engineers are read aloud, and words that a site spells for its voice."""

from __future__ import annotations

import re
from collections.abc import Mapping

_REFERENCE = re.compile(
    r"(?P<before>\b(?:PR|MR|pull request|merge request|issue|bug)s?,? )?(?<![\w&/])"
    r"(?P<numbers>(?P<sign>[#!])\d{1,9}\b(?:(?:,|,? (?:and|or|to|through)| ?–) ?(?P=sign)\d{1,9}\b)*)",
    re.IGNORECASE,
)
_COMMIT = r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}"
_COMMIT_ASIDE = re.compile(rf" ?\((?:commit )?{_COMMIT}\)")
_COMMIT_ALONE = re.compile(rf"(?<![\w/.#-])(?:commit )?{_COMMIT}(?![\w/-]|\.\w)")
# A path begins where no character of one stands before, so that each is read once.
_PATH = re.compile(r"(?<![\w/:.@+-])(?:[\w.+-]{1,255}/){1,60}([\w+-][\w.+-]{0,255}\.[A-Za-z]\w{0,9})(?![\w/])")
_VERSION = re.compile(r"(?<![\w.])v(?=\d+(?:\.\d+)*(?!\w))")
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b({_MONTHS}) (\d{{1,2}})(?=, \d{{4}}\b)")
_UNDERSCORES = re.compile(r"(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])")
_OUTER_UNDERSCORES = re.compile(r"(?<!\w)_+(?=[A-Za-z])|(?<=[A-Za-z0-9])_+(?!\w)")
_BASE = r"(?<=[\d)]|\b[A-Za-z])"
_SIGNS = (
    (re.compile(rf"{_BASE}\^2(?!\w|[.,]\d)"), " squared"),
    (re.compile(rf"{_BASE}\^3(?!\w|[.,]\d)"), " cubed"),
    (re.compile(rf"{_BASE}\^(?=[\w(-])"), " to the power of "),
    (re.compile(r" ?(?:->|=>) ?"), " to "),
    (re.compile(r" ?(?:>=|≥) ?"), " at least "),
    (re.compile(r" ?(?:<=|≤) ?"), " at most "),
    (re.compile(r" ?!= ?"), " is not "),
    (re.compile(r" ?== ?"), " equals "),
    (re.compile(r" ?&& ?"), " and "),
    (re.compile(r"::"), " "),
    (re.compile(r"(?<![\w~])~(?=\d)"), "about "),
    (re.compile(r"(?<=\w) ?× ?(?=\w)"), " times "),
    (re.compile(r"(?<=\d)×|(?<=\d)x(?!\w)"), " times"),
    (re.compile(r"\(\)"), ""),
)


def pronounced(text: str, lexicon: Mapping[str, str]) -> str:
    """A text as a person would read it aloud: “PR 123” for “#123”, the name of a file for its path, no ids of commits.

    Args:
        text: in English, on one line, with single spaces.
        lexicon: words of the site, and how they are spelled for its voice. They replace whole words, the longest
            first, and nothing else changes them.
    """
    if not lexicon:
        return _read_aloud(text)
    words = "|".join(re.escape(word) for word in sorted(lexicon, key=len, reverse=True) if word.strip())
    parts = re.split(rf"(?<!\w)({words})(?!\w)", text) if words else [text]
    return "".join(lexicon[part] if index % 2 else _read_aloud(part) for index, part in enumerate(parts))


def _read_aloud(text: str) -> str:
    text = _COMMIT_ALONE.sub("a commit", _COMMIT_ASIDE.sub("", text))
    text = _DATE.sub(_date, _REFERENCE.sub(_reference, text))
    text = _VERSION.sub("version ", _PATH.sub(r"\1", text))
    text = _OUTER_UNDERSCORES.sub("", _UNDERSCORES.sub(" ", text))
    for sign, words in _SIGNS:
        text = sign.sub(words, text)
    return text


def _reference(found: re.Match[str]) -> str:
    """Pull or merge requests; their kind is not repeated if it is written before them."""
    kind = "PR " if found["sign"] == "#" else "MR "
    before = found["before"] or ""
    return before + found["numbers"].replace(found["sign"], "" if before else kind)


def _date(found: re.Match[str]) -> str:
    """A month and a day, “June 3rd”."""
    day = int(found[2])
    ending = "th" if day in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{found[1]} {day}{ending}"
