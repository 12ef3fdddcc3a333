"""Compares the feeds of two outputs: whether feed readers will recognize the entries."""

from __future__ import annotations

from collections.abc import Callable

from devlog.compare.values import Entry, FeedChange
from devlog.compare.xml import Feed

PathOf = Callable[[str], str | None]


def compare_feeds(url: str, old: Feed, new: Feed, old_path: PathOf, new_path: PathOf) -> FeedChange:
    """Compare the entries of a feed by their ids, and by the pages that they link to.

    Args:
        url: the URL of the feed.
        old: the old feed.
        new: the new feed.
        old_path: returns the path below the base of a link in the old feed, or `None`.
        new_path: the same for the new feed.
    """
    old_ids, new_ids = {entry.id for entry in old.entries}, {entry.id for entry in new.entries}
    unknown = {new_path(entry.link) or entry.link: entry.id for entry in new.entries if entry.id not in old_ids}
    gone = [entry for entry in old.entries if entry.id not in new_ids]
    changed = []
    for entry in gone:
        link = old_path(entry.link) or entry.link
        if link and link in unknown:
            changed.append(Entry(link, entry.id, unknown.pop(link)))
    return FeedChange(
        url=url,
        old_format=old.format,
        new_format=new.format,
        same=len(old_ids & new_ids),
        changed=tuple(changed),
        only_old=len(gone) - len(changed),
        only_new=len(new_ids - old_ids) - len(changed),
    )
