"""Which posts are about the same: they share tags, references to posts, and terms that are rare on this site.

Each of these is a feature. The fewer posts have it, the more it says; what many have says nothing, and what only one
has relates it to nobody. How much two posts have in common is the sum over the features that both have, in whole
numbers, so that it is the same from both sides and in whatever order it is added up.
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

from devlog.model.record import decoded
from devlog.model.site import Post

MOST = 4
"""So many related posts a page shows."""

ENOUGH = 1300
"""Posts that have less in common are not related: rather none than bad ones."""

TAG = 2500
LINK = 2500
NAME = 1600
WORD = 1000
"""What a feature would say that nobody has: a tag or a reference, a name in code, any other word."""

FEW = 40
FEW_TAGGED = 100
"""What more posts have says nothing of any of them."""

Feature = str | int


class Row(msgspec.Struct, frozen=True, array_like=True):
    """What relates a post to others.

    Attributes:
        permalink: of the post.
        series: its posts are shown with each other anyway.
        tags: slugs.
        links: permalinks of posts to which it refers.
        terms: see `Document`.
        is_shown: whether others may be related to it: drafts are not, nor what is not parsed yet.
        is_offered: whether others name it: where something newer has taken its place, readers are better off with that.
    """

    permalink: str
    series: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    terms: bytes
    is_shown: bool
    is_offered: bool = True


def row_of(post: Post, links: Sequence[str], *, is_offered: bool = True) -> Row:
    """What relates a post to others; `links` are the permalinks to which it refers."""
    parsed = post.parsed
    document = parsed.document
    is_shown = not post.state and document.body != ""
    series = parsed.front_matter.series
    return Row(post.permalink, series, post.tags, tuple(links), document.terms, is_shown, is_offered)


class Relations:
    """Related posts, worked out when they are asked for."""

    def __init__(self, rows: Sequence[Row], record: bytes | None = None) -> None:
        """
        Args:
            rows: of all posts, in the order of the site.
            record: what is remembered of these or other rows.
        """
        self._rows = rows
        self._found: dict[int, tuple[int, ...]] = {}
        self._index: _Index | None = None
        known = decoded(record, _Record)
        if known and known.digest == self._digest():
            self._found = dict(enumerate(known.found))

    def _digest(self) -> bytes:
        return blake2b(msgspec.msgpack.encode(self._rows), digest_size=16).digest()

    def of(self, index: int) -> tuple[int, ...]:
        """The places of the posts that are related to the one at a place, most first."""
        found = self._found.get(index)
        if found is None:
            if self._index is None:
                self._index = _Index(self._rows)
            found = self._found[index] = self._index.nearest(index)
        return found

    def record(self) -> bytes | None:
        """What to remember; `None` where all of it was remembered already."""
        if self._index is None:
            return None
        found = tuple(self.of(index) for index in range(len(self._rows)))
        return msgspec.msgpack.encode(_Record(self._digest(), found))


class _Record(msgspec.Struct, frozen=True, array_like=True):
    """The places of related posts for each place, and the digest of the rows that they were worked out of."""

    digest: bytes
    found: tuple[tuple[int, ...], ...]


class _Index:
    """The posts that have each feature, of those that few but more than one have."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        features = [_features(row) for row in rows]
        shown = [own if row.is_shown else () for own, row in zip(features, rows, strict=True)]
        counts = Counter(chain.from_iterable(shown))
        # One tag may bring together as many posts as a theme of its own; a word or a name must be rarer than that.
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
        """How much other posts have in common with one, by their places."""
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
        """The places of the posts that have most in common with one; of equals, those that come first on the site."""
        scores = self.scores(index)
        rows = self._rows
        near = [(-score, other) for other, score in scores.items() if score >= ENOUGH and rows[other].is_offered]
        series = self._rows[index].series
        if series:
            near = [item for item in near if rows[item[1]].series != series]
        near.sort()
        return tuple(other for _, other in near[:MOST])


def _features(row: Row) -> tuple[Feature, ...]:
    """All features of a post: a reference is one that those which have it share with the post they refer to."""
    terms: Iterable[int] = memoryview(row.terms).cast("I") if byteorder == "little" else _swapped(row.terms)
    # A permalink begins with a slash, so that it is never taken for a tag.
    return (*[f"#{tag}" for tag in row.tags], *row.links, row.permalink, *terms)


def _swapped(terms: bytes) -> array[int]:
    found = array("I", terms)
    found.byteswap()
    return found


def _weight(feature: Feature, count: int, total: int) -> int:
    """What it says of two posts that both have a feature which `count` posts have of `total`."""
    word = NAME if isinstance(feature, int) and feature & 1 else WORD
    full = (TAG if feature[0] == "#" else LINK) if isinstance(feature, str) else word
    return round(full * log(total / count) / log(total))
