"""Shell completion of topics, tags and authors: fast, and without any error output, whatever state the site is in."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from devlog.assemble.site import parents
from devlog.disk.site_folder import find_root
from devlog.model.diagnostic import Span
from devlog.scaffold.people import people
from devlog.scaffold.site import Existing, read_site

MOST = 150
"""The maximum number of sources read for a completion that are not in the cache of builds."""

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # completions do not depend on which posts are published


def complete(kind: str, root: Path | None, begun: str) -> list[str]:
    """The completions of a partial word.

    Args:
        kind: ``topics``, ``tags`` or ``authors``.
        root: the site's folder, if the command names one.
        begun: the text typed so far.

    Returns:
        The words that begin with it, ignoring case; an empty list if the site cannot be read.
    """
    try:
        site = read_site(find_root(root or Path()), _LONG_AGO, 0 if kind == "topics" else MOST)
        words = _KINDS[kind](site)
    except Exception:  # the shell expects words only, and cannot show errors
        return []
    start = begun.removeprefix("@").casefold() if kind == "authors" else begun.casefold()
    return [word for word in words if word.casefold().startswith(start) and word.isprintable()]


def _topics(site: Existing) -> Sequence[str]:
    paths = [source.path for source in site.inputs.content.sources]
    bundles = {posixpath.dirname(path) for path in paths if posixpath.basename(path).startswith("index.")}
    folders = {folder for path in paths for folder in parents(path)}
    return sorted(folder for folder in folders if bundles.isdisjoint((folder, *parents(folder))))


def _tags(site: Existing) -> Sequence[str]:
    return sorted({*(name for _, name in site.assembled.site.tags), *site.inputs.config.tags.allowed})


def _authors(site: Existing) -> Sequence[str]:
    known = people(site.assembled.site.authors, site.inputs.author_entries)
    return sorted(person.handle or person.byline(Span("")).spelling for person in known)


_KINDS: dict[str, Callable[[Existing], Sequence[str]]] = {"topics": _topics, "tags": _tags, "authors": _authors}
