"""Resolves the bylines of posts to authors, in two passes: first handles, then names that depend on known handles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from devlog.config import AuthorEntry
from devlog.model.diagnostic import Span
from devlog.model.document import Byline
from devlog.model.names import fold
from devlog.model.outpath import collision_key
from devlog.model.site import Author, Credit
from devlog.model.slug import slug


class AuthorEntries(msgspec.Struct, frozen=True):
    """What the authors file and the configuration say about authors.

    Attributes:
        by_handle: the entries, by handle.
        avatar_spans: where they set the avatar of an author, by handle.
    """

    by_handle: Mapping[str, AuthorEntry] = {}
    avatar_spans: Mapping[str, Span] = {}


NO_ENTRIES = AuthorEntries()

_REGISTRY = Span("the authors file")

# One lower-case word: affiliations are capitalized, or are host names.
_HANDLE_LIKE = re.compile(r"[a-z\d](?:[a-z\d_-]*[a-z\d])?")


class Directory:
    """All authors that the bylines of a site name."""

    def __init__(self, bylines: Iterable[Byline], entries: AuthorEntries) -> None:
        """
        Args:
            bylines: the bylines of all posts, oldest post first.
            entries: what the authors file and the configuration say.
        """
        bylines = tuple(bylines)
        self._avatar_spans = {key.lstrip("@").lower(): span for key, span in entries.avatar_spans.items()}
        self._author_entries = {key.lstrip("@").lower(): entry for key, entry in entries.by_handle.items()}
        self._aliases = {
            fold(alias): key
            for key, entry in self._author_entries.items()
            for alias in (*entry.aliases, *(alias.lstrip("@") for alias in entry.aliases), entry.name)
            if alias
        }
        self._handles = set(self._author_entries) | {byline.handle for byline in bylines if byline.handle}
        # By collision key: two names whose pages are one to some systems are one author, as two with one slug are. So
        # are two handles, unless there is an entry for each, which describes a person of its own.
        self._paths: dict[str, str] = {}
        for handle in (*sorted(self._author_entries), *(byline.handle for byline in bylines if byline.handle)):
            self._paths.setdefault(collision_key(slug(handle)), handle)
        self._names = self._names_with_one_handle(bylines)
        self._used: dict[str, list[Byline]] = {}
        for byline in bylines:
            self._used.setdefault(self._key(byline), []).append(byline)

    def _names_with_one_handle(self, bylines: Iterable[Byline]) -> dict[str, str]:
        handles: dict[str, set[str]] = {}
        for byline in bylines:
            handle = self._handle(byline)
            if handle and byline.name:
                handles.setdefault(fold(byline.name), set()).add(handle)
        return {name: next(iter(found)) for name, found in handles.items() if len(found) == 1}

    def _handle(self, byline: Byline) -> str:
        """The handle of a byline: written with an ``@``, or recognized as a handle in parentheses. Resolves aliases."""
        handle = byline.handle
        if not handle and byline.aside:
            aside = byline.aside.lower()
            if aside in self._handles or _HANDLE_LIKE.fullmatch(byline.aside):
                handle = aside
        return self._aliases.get(fold(handle)) or self._of_path(handle) if handle else ""

    def _of_path(self, handle: str) -> str:
        """The handle whose page has the path of that of a handle."""
        return handle if handle in self._author_entries else self._paths.get(collision_key(slug(handle)), handle)

    def _key(self, byline: Byline) -> str:
        handle = self._handle(byline)
        if handle:
            return handle
        name = fold(byline.name)
        known = self._aliases.get(name) or self._names.get(name)
        if known:
            return known
        path = slug(byline.name) or "anonymous"
        return self._paths.setdefault(collision_key(path), path)

    def credit(self, byline: Byline) -> Credit:
        """The author that a byline refers to, with the affiliation."""
        affiliation = byline.affiliation
        if not affiliation and byline.aside and not self._handle(byline):
            affiliation = byline.aside
        return Credit(self._key(byline), affiliation)

    def authors(self) -> tuple[Author, ...]:
        """Every author who is named in a byline, sorted by name."""
        found = (self._author(key, bylines) for key, bylines in self._used.items())
        return tuple(sorted(found, key=lambda author: (fold(author.name), author.key)))

    def _author(self, key: str, bylines: list[Byline]) -> Author:
        entry = self._author_entries.get(key, AuthorEntry())
        names = Counter(byline.name for byline in bylines if byline.name)
        # `most_common` keeps the order of first use for equal counts, and bylines come oldest first.
        name = entry.name or (names.most_common(1)[0][0] if names else key)
        affiliations = [credit.affiliation for credit in map(self.credit, bylines) if credit.affiliation]
        return Author(
            key=key,
            name=name,
            handle=key if key in self._handles or any(self._handle(byline) == key for byline in bylines) else "",
            permalink=f"/authors/{slug(key)}/",
            bio=entry.bio or entry.title,
            link=entry.url or next((byline.url for byline in reversed(bylines) if byline.url), ""),
            avatar=entry.avatar or entry.image_url,
            affiliation=entry.affiliation or (affiliations[-1] if affiliations else ""),
            team=entry.team or any(byline.team for byline in bylines),
            links=tuple(entry.links.items()),
            avatar_span=self._avatar_spans.get(key, _REGISTRY),
        )
