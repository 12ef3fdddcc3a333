"""Series: posts in an order that their front matter defines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from devlog.assemble import problems
from devlog.model import view
from devlog.model.diagnostic import Diagnostic
from devlog.model.names import fold
from devlog.model.site import Post

SHOWN = 100
"""The maximum number of parts on a post's page. Without it, the total size of the pages would grow quadratically."""


def series_of(posts: Iterable[Post]) -> dict[str, tuple[Post, ...]]:
    """The posts of each series, by a key that is the same for all spellings of its name.

    They are sorted by part number, posts without one last; then by date, oldest first; then by path.
    """
    found: dict[str, list[Post]] = {}
    for post in posts:
        name = post.parsed.front_matter.series
        if name:
            found.setdefault(fold(name), []).append(post)
    return {key: tuple(sorted(group, key=_order)) for key, group in found.items()}


def _order(post: Post) -> tuple[bool, int, bool, float, str]:
    part = post.parsed.front_matter.part
    return part is None, part or 0, *by_age(post)


def by_age(post: Post) -> tuple[bool, float, str]:
    """The order of posts by date, oldest first, posts without one last; then by path."""
    return post.date is None, post.date.timestamp() if post.date else 0.0, post.id


def wrong_parts(posts: Iterable[Post]) -> list[Diagnostic]:
    """Diagnostics of posts that have the same part number as another post of their series."""
    wrong = []
    for group in series_of(posts).values():
        for one, other in pairwise(group):
            part = other.parsed.front_matter.part
            if part is not None and part == one.parsed.front_matter.part:
                span = other.parsed.front_matter.span("part", other.parsed.file)
                wrong.append(problems.same_part(span, part, _title(group), one.parsed.file))
    return wrong


def _title(group: tuple[Post, ...]) -> str:
    """The name of a series, as spelled in its first part."""
    return group[0].parsed.front_matter.series


def series_view(
    post: Post, groups: Mapping[str, tuple[Post, ...]], link: Callable[[Post], view.Link]
) -> view.SeriesView | None:
    """The series of a post, for the post's page.

    Args:
        post: a post, which may or may not belong to a series.
        groups: the result of `series_of`.
        link: turns posts into links.

    Returns:
        `None` for a post without a series, and for the only post of a series, which has no others to link to.
    """
    name = post.parsed.front_matter.series
    group = groups.get(fold(name), ()) if name else ()
    if len(group) < 2:
        return None
    place = bisect_left(group, _order(post), key=_order)
    first = max(0, min(place - SHOWN // 2, len(group) - SHOWN))
    parts = tuple(
        view.SeriesPart(found.title, found.url, other.id == post.id, number, found.language)
        for number, other in enumerate(group[first : first + SHOWN], start=first + 1)
        for found in [link(other)]
    )
    return view.SeriesView(_title(group), place + 1, parts, len(group))
