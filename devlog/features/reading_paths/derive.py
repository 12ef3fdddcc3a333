"""Derives the reading paths of a site when links can be resolved, before pages are planned."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.features.reading_paths.model.declared import DeclaredPath
from devlog.features.reading_paths.model.reading_path import ReadingPaths
from devlog.model.document import Parsed
from devlog.plugin import Late

_KIND = f"{DeclaredPath.__module__}:{DeclaredPath.__qualname__}"

_resolve = Late("devlog.features.reading_paths.assemble:reading_paths_of")


def derive_paths(work: Deriving) -> ReadingPaths:
    """The reading paths of a site."""
    site = work.site
    pages = [page for page in site.pages if _declares(page.parsed)]
    others = [
        *(post.parsed for post in site.posts if _declares(post.parsed)),
        *(topic.index for topic in site.topics if topic.index and _declares(topic.index)),
        *([site.home] if site.home and _declares(site.home) else []),
    ]
    if not (pages or others):
        return ReadingPaths()
    found: ReadingPaths = _resolve(work.inputs.config, site, work.references.index, pages, others)
    return found


def _declares(parsed: Parsed) -> bool:
    """Whether a source has a key of a reading path; values are not decoded, since most sources have none."""
    return any(part.kind == _KIND for part in parsed.front_matter.parts)
