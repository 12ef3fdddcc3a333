"""Finds out where the pages that tabs show have gone when their sources are renamed, or get another address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from devlog.assemble.claims import Claim
from devlog.model.document import Parsed
from devlog.model.source import SourceFile
from devlog.serve.snapshot import Snapshot

MOST = 100
"""The maximum number of former addresses to remember, for tabs that are hidden meanwhile."""


class _Source(NamedTuple):
    """The source of a page, as it was when the page was last there."""

    file: str
    digest: str
    title: str


class Moves:
    """The former and the new addresses of pages.

    Attributes:
        known: the new path of a page, by the former one.
    """

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self._lost: dict[str, _Source] = {}

    def follow(self, before: Snapshot, after: Snapshot, shown: Iterable[str]) -> dict[str, str]:
        """The new paths of pages after a change, by the former ones.

        A source may be deleted in one change and appear again in the next one.

        Args:
            before: the site before the change.
            after: the site after the change.
            shown: the paths of the pages that tabs show.
        """
        if before.claims is after.claims:
            return {}
        lost, moved = dict[str, _Source](), dict[str, str]()
        for path in sorted(shown):
            source = _source_at(before, path) or self._lost.get(path)
            if source is None or after.find(path) is not None:
                continue
            there = _path_of(after, source.file) or _path_of(after, _successor(source, before, after))
            if there:
                moved[path] = there
            else:
                lost[path] = source
        self._lost = lost
        self.known = dict([*self.known.items(), *moved.items()][-MOST:])
        return moved


def _source_at(snapshot: Snapshot, path: str) -> _Source | None:
    """The source of the page at a path; `None` if there is no page, or none with a source of its own."""
    claim = snapshot.find(path)
    file = snapshot.planner.source_of(claim) if isinstance(claim, Claim) and claim.recipe == "page" else ""
    source = next((item for item in snapshot.inputs.content.sources if item.file == file), None) if file else None
    return _Source(file, source.digest, _title(snapshot.sources, source)) if source else None


def _title(sources: Mapping[str, Parsed], source: SourceFile) -> str:
    parsed = sources.get(source.path)
    return (parsed.front_matter.title or parsed.document.title) if parsed else ""


def _successor(lost: _Source, before: Snapshot, after: Snapshot) -> str:
    """The new file with the content of a file that is gone, or else with its title; empty if none is certain."""
    old = {source.file for source in before.inputs.content.sources}
    new = [source for source in after.inputs.content.sources if source.file not in old]
    name = lost.file.rpartition("/")[2]
    same = [source.file for source in new if source.digest == lost.digest]
    named = [file for file in same if file.rpartition("/")[2] == name]
    titled = [source.file for source in new if lost.title and _title(after.sources, source) == lost.title]
    return next((found[0] for found in (same, named, titled) if len(found) == 1), "")


def _path_of(snapshot: Snapshot, file: str) -> str:
    """The path of the page that a source has; empty if it has none."""
    site = snapshot.planner.assembled.site
    pages = ((post.parsed.file, post.permalink) for post in (*site.posts, *site.pages))
    topics = ((topic.index.file, topic.permalink) for topic in site.topics if topic.index)
    permalink = next((place for own, place in (*pages, *topics) if own == file), "") if file else ""
    path = snapshot.base_path + permalink.removeprefix("/")
    return path if permalink and isinstance(snapshot.find(path), Claim) else ""
