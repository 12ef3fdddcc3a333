"""What a shell offers while a command is typed: fast, and silent whatever the site is like."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from devlog.assemble.site import parents
from devlog.model.diagnostic import Span
from devlog.scaffold.people import people
from devlog.scaffold.site import Existing, find_root, read_site

MOST = 150
"""How many texts that no build has seen yet are read for a completion."""

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # which posts are shown makes no difference here


def complete(kind: str, root: Path | None, begun: str) -> list[str]:
    """The words that continue one that was begun.

    Args:
        kind: ``topics``, ``tags`` or ``authors``.
        root: the site's folder, if one was named.
        begun: what was typed so far.

    Returns:
        Words that begin with that; letter case does not count. None if the site cannot be read.
    """
    try:
        site = read_site(find_root(root or Path()), _LONG_AGO, 0 if kind == "topics" else MOST)
        words = _KINDS[kind](site)
    except Exception:  # a shell waits for words, and has no place for anything else
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
    known = people(site.assembled.site.authors, site.inputs.registry)
    return sorted(person.handle or person.byline(Span("")).spelling for person in known)


_KINDS: dict[str, Callable[[Existing], Sequence[str]]] = {"topics": _topics, "tags": _tags, "authors": _authors}
