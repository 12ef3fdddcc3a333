"""Chooses the colors of a site's topics: as far apart as there is room, and the same as more topics come."""

from __future__ import annotations

from collections.abc import Mapping

from devlog.assemble.site import parents
from devlog.model.color import hue
from devlog.model.site import Site

SLOTS = 12
"""The number of hues that readers can tell apart."""


def topic_hues(site: Site) -> Mapping[str, int]:
    """The hue of each topic, in degrees, by the topic's path.

    Topics choose in the order of their oldest posts, so that a new one takes what is left, and changes no other: each
    takes the hue that is farthest from those taken. The first starts where its name puts it. When all are taken, they
    are given a second time.
    """
    oldest: dict[str, float] = {}
    for post in site.posts:
        if post.date and post.topic:
            for path in (post.topic, *parents(post.topic)):
                moment = post.date.timestamp()
                oldest[path] = min(moment, oldest.get(path, moment))
    paths = [topic.path for topic in site.topics]
    order = sorted(paths, key=lambda path: (path not in oldest, oldest.get(path, 0), path))
    found: dict[str, int] = {}
    free: set[int] = set()
    taken: list[int] = []
    for path in order:
        if not free:
            free, taken = set(range(SLOTS)), []
        own = hue(path) * SLOTS // 360
        slot = max(
            sorted(free),
            key=lambda slot: (min((_apart(slot, other) for other in taken), default=0), -_apart(slot, own)),
        )
        free.remove(slot)
        taken.append(slot)
        found[path] = slot * 360 // SLOTS + 180 // SLOTS
    return found


def _apart(one: int, other: int) -> int:
    """The distance of two places on a circle."""
    steps = abs(one - other)
    return min(steps, SLOTS - steps)
