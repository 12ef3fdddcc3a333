"""Finds related posts: those that share tags, links to posts, and keywords that are rare on this site.

Each of these is a feature. The fewer posts have a feature, the higher its weight; features of many posts do not count,
and a feature of only one post cannot relate it to another. The score of two posts is the sum of the weights of the
features that both have. Weights are integers, so that the score is the same in both directions and in any order of
addition.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import chain
from math import log
from sys import byteorder

import msgspec

from devlog.model.names import fold
from devlog.model.record import decoded
from devlog.model.site import Post

MOST = 4
"""The maximum number of related posts on a page."""

ENOUGH = 1300
"""The minimum score of related posts: better none than bad ones."""

TAG = 2500
LINK = 2500
NAME = 1600
WORD = 1000
"""The maximum weight of a feature: of a tag, of a link, of a name in code, of any other word."""

FEW = 40
FEW_TAGGED = 100
"""The maximum number of posts with a feature that counts; for tags, `FEW_TAGGED`."""

Feature = str | int


class RelatedInput(msgspec.Struct, frozen=True, array_like=True):
    """The properties of a post that relate it to others.

    Attributes:
        permalink: the permalink of the post.
        series: its series, whose posts are shown together anyway, in a form that all spellings of its name share.
        tags: slugs.
        links: permalinks of posts that it links to.
        terms: see `Document`.
        is_shown: whether others may be related to it: not drafts, nor posts that are not parsed in full yet.
        is_offered: whether it is suggested as related: not if a newer post supersedes it, which serves readers better.
    """

    permalink: str
    series: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    terms: bytes
    is_shown: bool
    is_offered: bool = True


def row_of(post: Post, links: Sequence[str], *, is_offered: bool = True) -> RelatedInput:
    """The properties of a post that relate it to others; `links` are the permalinks of posts that it links to."""
    parsed = post.parsed
    document = parsed.document
    is_shown = not post.state and document.body != ""
    series = fold(parsed.front_matter.series)
    return RelatedInput(post.permalink, series, post.tags, tuple(links), document.terms, is_shown, is_offered)


class Relations:
    """The related posts of each post, computed on demand."""

    def __init__(self, rows: Sequence[RelatedInput], record: bytes | None = None) -> None:
        """
        Args:
            rows: the properties of all posts, in the order of the site.
            record: the cached result for these or for other rows.
        """
        self._rows = rows
        self._found: dict[int, tuple[int, ...]] = {}
        self._index: _Index | None = None
        known = decoded(record, _Record)
        if known and known.digest == self._digest() and known.fits(len(rows)):
            self._found = dict(enumerate(known.found))

    def _digest(self) -> bytes:
        return blake2b(msgspec.msgpack.encode(self._rows), digest_size=16).digest()

    def of(self, index: int) -> tuple[int, ...]:
        """The indexes of the posts that are related to the one at `index`, highest score first."""
        found = self._found.get(index)
        if found is None:
            if self._index is None:
                self._index = _Index(self._rows)
            found = self._found[index] = self._index.nearest(index)
        return found

    def record(self) -> bytes | None:
        """The result to cache; `None` if the given record is still valid."""
        if self._index is None:
            return None
        found = tuple(self.of(index) for index in range(len(self._rows)))
        return msgspec.msgpack.encode(_Record(self._digest(), found))


class _Record(msgspec.Struct, frozen=True, array_like=True):
    """The indexes of related posts for each post, and the digest of the rows from which they were computed."""

    digest: bytes
    found: tuple[tuple[int, ...], ...]

    def fits(self, count: int) -> bool:
        """Whether it can be that of so many posts: the cache may be forged."""
        return len(self.found) == count and all(0 <= index < count for some in self.found for index in some)


class _Index:
    """The posts that have each feature, for features that count: more than one post has them, but not too many."""

    def __init__(self, rows: Sequence[RelatedInput]) -> None:
        self._rows = rows
        features = [_features(row) for row in rows]
        shown = [own if row.is_shown else () for own, row in zip(features, rows, strict=True)]
        counts = Counter(chain.from_iterable(shown))
        # A tag may have as many posts as a topic of its own; a word or a name must be rarer than that.
        few = {
            feature: count
            for feature, count in counts.items()
            if 1 < count <= (FEW_TAGGED if type(feature) is str and feature[0] == "#" else FEW)
        }
        self._features = [[feature for feature in own if feature in few] for own in features]
        self._posts: dict[Feature, list[int]] = {feature: [] for feature in few}
        for index, own in enumerate(self._features):
            if rows[index].is_shown:
                for feature in own:
                    self._posts[feature].append(index)
        total = sum(row.is_shown for row in rows) + 1
        self._weights = {feature: _weight(feature, count, total) for feature, count in few.items()}

    def scores(self, index: int) -> dict[int, int]:
        """The scores of other posts in relation to one post, by index."""
        scores: dict[int, int] = {}
        get = scores.get
        weights, posts = self._weights, self._posts
        for feature in self._features[index]:
            weight = weights[feature]
            for other in posts[feature]:
                scores[other] = get(other, 0) + weight
        scores.pop(index, None)
        return scores

    def nearest(self, index: int) -> tuple[int, ...]:
        """The indexes of the posts with the highest scores; of equal ones, those that come first on the site."""
        scores = self.scores(index)
        rows = self._rows
        near = [(-score, other) for other, score in scores.items() if score >= ENOUGH and rows[other].is_offered]
        series = self._rows[index].series
        if series:
            near = [item for item in near if rows[item[1]].series != series]
        near.sort()
        return tuple(other for _, other in near[:MOST])


def _features(row: RelatedInput) -> tuple[Feature, ...]:
    """All features of a post. Its own permalink is one, so that it shares a feature with posts that link to it."""
    terms: Iterable[int] = memoryview(row.terms).cast("I") if byteorder == "little" else _swapped(row.terms)
    # A permalink begins with a slash, so it is never mistaken for a tag.
    return (*[f"#{tag}" for tag in row.tags], *row.links, row.permalink, *terms)


def _swapped(terms: bytes) -> array[int]:
    found = array("I", terms)
    found.byteswap()
    return found


def _weight(feature: Feature, count: int, total: int) -> int:
    """The weight of a feature that `count` of `total` posts have."""
    word = NAME if isinstance(feature, int) and feature & 1 else WORD
    full = (TAG if feature[0] == "#" else LINK) if isinstance(feature, str) else word
    return round(full * log(total / count) / log(total))
