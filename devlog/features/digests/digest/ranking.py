"""What matters most in a range: the order of changes in an area, of areas, and the words that stand out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from devlog.features.digests.digest.words import VERBS
from devlog.features.digests.model.activity import Change, Kind

MOST_THEMES = 5

_OF_KIND: dict[Kind, float] = {
    "feature": 3,
    "fix": 2,
    "performance": 3,
    "documentation": 1,
    "change": 1.5,
    "test": 0.5,
    "maintenance": 0,
}
_VISIBLE = re.compile(r"(?:^|/)(?:api|cli|include|public|docs?|README|CHANGELOG)", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{2,40}")
_IMPORTANT = re.compile(r"\b(?:breaking|highlight|security|regression|critical|release[- ]?notes?)\b", re.IGNORECASE)
"""Labels of changes that readers should see first."""
_USUAL = frozenset(
    """
    add added adds allow also and another any are avoid because been before being but can change changes code
    correct could does don drop during each enable ensure fix fixed fixes for from get give handle has have how
    implement improve include instead into introduce its just keep let like make makes merge merged merges more
    most move much must need new no not now off old one only onto other out over pass previous properly put reduce
    refactor remove removes rename replace return revert same set should show simplify skip some still support
    take test tests than that the their them then there these they this those through too two under unnecessary
    until update upgrade use used uses using very via was what when where which while will with without would
    wrong
    """.split()
)
_UNTOLD = _USUAL | VERBS
_STRONG = 3.84
"""The smallest log-likelihood ratio of a theme: the 95th percentile of chi-squared with one degree of freedom."""


def weight(change: Change, paths: Sequence[str], *, is_first: bool) -> float:
    """How much a change matters to readers.

    Args:
        change: the change.
        paths: the files that it changes.
        is_first: whether it is by somebody without an earlier commit.
    """
    size = math.log2(1 + change.added + change.removed)
    visible = any(_VISIBLE.search(path) for path in paths)
    reviewed = math.log2(1 + len(change.reviewers))
    discussed = math.log2(1 + change.comments) / 2 + math.log2(1 + change.reactions) / 2
    marked = 2 * any(_IMPORTANT.search(label) for label in change.labels)
    return _OF_KIND[change.kind] + size / 2 + visible + reviewed + 1.5 * is_first + discussed + marked


class Usual(NamedTuple):
    """In how many subjects of the history before each word is, and the sum of these numbers."""

    words: Counter[str]
    total: int


def usual(subjects: Iterable[str]) -> Usual:
    """The words of the history before."""
    words = _counts(subjects)
    return Usual(words, words.total())


def themes(titles: Iterable[str], before: Usual, most: int = MOST_THEMES) -> tuple[str, ...]:
    """Words that titles have more often than those of the history before, the strongest first.

    Words are compared by the log-likelihood ratio of their numbers (Dunning, “Accurate Methods for the Statistics of
    Surprise and Coincidence”, 1993).

    Args:
        titles: of the range.
        before: the words of the history before.
        most: how many words at most.
    """
    now = _counts(titles)
    total, other = now.total(), before.total
    strong: list[tuple[float, str]] = []
    for word, count in now.items():
        earlier = before.words[word]
        expected = (count + earlier) / (total + other)
        if count < 2 or count / total <= (earlier / other if other else 0):
            continue
        ratio = 2 * count * math.log(count / (total * expected))
        ratio += 2 * earlier * math.log(earlier / (other * expected)) if earlier else 0
        if ratio >= _STRONG or not other:
            strong.append((ratio, word))
    return tuple(word for _, word in sorted(strong, key=lambda pair: (-pair[0], pair[1]))[:most])


def _counts(titles: Iterable[str]) -> Counter[str]:
    """In how many titles each word is; those with which most subjects are written do not count."""
    return Counter(
        word for title in titles for word in {found.lower() for found in _WORDS.findall(title)} if word not in _UNTOLD
    )
