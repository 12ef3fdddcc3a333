"""What digests tell of the authors of a site, for their pages."""

from __future__ import annotations

import re
from collections.abc import Mapping

from devlog.assemble import views
from devlog.assemble.urls import url
from devlog.config import AuthorEntry, Config
from devlog.features.digests.model.provenance import Provenance
from devlog.model.catalog import catalog_of
from devlog.model.names import fold
from devlog.model.site import Site
from devlog.model.view import DigestRow

MOST_SHOWN = 12
"""The page of an author lists so many digests, the newest."""

_COUNTED = re.compile(r"(?P<name>\S.{0,200}) \((?P<changes>[1-9]\d{0,5})\)", re.ASCII)


def digests_by_author(
    site: Site, config: Config, entries: Mapping[str, AuthorEntry], catalog: str
) -> dict[str, tuple[DigestRow, ...]]:
    """The digests that list changes of authors.

    People have no handle in a repository: they are the authors whose name, or another spelling of it in the authors
    file, a digest has.

    Args:
        site: all that is published.
        config: the configuration of the site.
        entries: those of the authors file, by handle.
        catalog: the encoded messages of the theme.

    Returns:
        The newest digests, by the key of the author.
    """
    digests = [
        (post, made)
        for post in site.posts
        if post.date and not post.state and post.parsed.front_matter.parts
        if (made := post.parsed.front_matter.of(Provenance)).authors
    ]
    if not digests:
        return {}
    t = catalog_of(catalog)
    keys = {fold(author.name): author.key for author in site.authors}
    known = {author.key for author in site.authors}
    for handle, entry in entries.items():
        keys |= {
            fold(name): handle.lower() for name in (*entry.aliases, entry.name) if name and handle.lower() in known
        }
    found: dict[str, list[DigestRow]] = {}
    for post, made in digests:
        day = views.day(t, post.date, config.date_format, day_only=True)
        for counted in filter(None, map(_COUNTED.fullmatch, made.authors)):
            key = keys.get(fold(counted["name"]), "")
            if key and len(found.setdefault(key, [])) < MOST_SHOWN:
                row = DigestRow(day, post.title, url(config, post.permalink), int(counted["changes"]), 0)
                found[key].append(row)
    return {key: tuple(rows) for key, rows in found.items()}
