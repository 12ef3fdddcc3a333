"""Updates an assembled site after an edit that changes only the bodies of sources, not the structure of the site."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.assemble.site import Assembled
from devlog.model.document import Document, Parsed
from devlog.model.report import has_error
from devlog.model.site import Post


def update(assembled: Assembled, sources: Mapping[str, Parsed]) -> Assembled | None:
    """Replace sources of a site by newly parsed ones.

    Args:
        assembled: the site.
        sources: the new sources, by path; each replaces a source with the same path.

    Returns:
        The same value as assembling the whole site again, or `None` if that is necessary: a source differs in more
        than its document.
    """
    site = assembled.site
    old = {post.parsed.path: post.parsed for post in (*site.posts, *site.pages) if post.parsed.path in sources}
    old |= {topic.index.path: topic.index for topic in site.topics if topic.index and topic.index.path in sources}
    if site.home and site.home.path in sources:
        old[site.home.path] = site.home
    old |= {item.parsed.path: item.parsed for item in assembled.unpublished if item.parsed.path in sources}
    if not all(_alike(parsed, sources[path]) for path, parsed in old.items()):  # others are not in the site
        return None
    posts = tuple([_post(post, sources) if post.parsed.path in sources else post for post in site.posts])
    pages = tuple([_post(post, sources) if post.parsed.path in sources else post for post in site.pages])
    topics = tuple(
        msgspec.structs.replace(topic, index=sources.get(topic.index.path, topic.index)) if topic.index else topic
        for topic in site.topics
    )
    home = sources.get(site.home.path, site.home) if site.home else None
    site = msgspec.structs.replace(site, posts=posts, pages=pages, topics=topics, home=home)
    unpublished = tuple(
        msgspec.structs.replace(item, parsed=sources.get(item.parsed.path, item.parsed))
        for item in assembled.unpublished
    )
    return msgspec.structs.replace(assembled, site=site, unpublished=unpublished)


def _alike(old: Parsed, new: Parsed) -> bool:
    """Whether two versions of a source lead to the same site: only their documents differ, and the title does not."""
    empty = Document("")
    if msgspec.structs.replace(old, document=empty, diagnostics=()) != msgspec.structs.replace(
        new, document=empty, diagnostics=()
    ):
        return False
    if has_error(old.diagnostics) != has_error(new.diagnostics):
        return False
    if _shapes(old) != _shapes(new):
        return False  # it would publish other files
    return bool(new.front_matter.title) or old.document.title == new.document.title


def _shapes(parsed: Parsed) -> list[tuple[str, str]]:
    """The parts of a source, read by features, that decide which files are published. Most have no such effect."""
    return [(part.kind, part.shape) for part in parsed.document.parts if part.shape]


def _post(post: Post, sources: Mapping[str, Parsed]) -> Post:
    parsed = sources[post.parsed.path]
    excerpt = parsed.document.excerpt or parsed.front_matter.description
    return msgspec.structs.replace(post, parsed=parsed, excerpt=excerpt)
