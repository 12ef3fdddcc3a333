"""Finds the authors of a new post among those that a site knows, so that no author gets a second spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from devlog.check import problems as check_problems
from devlog.config import AuthorEntry
from devlog.disk.git import Identity
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline
from devlog.model.names import fold
from devlog.model.problems import nearest
from devlog.model.site import Author
from devlog.parse.front_matter.authors import parse_author, parse_authors
from devlog.scaffold import problems
from devlog.scaffold.writing import clean

_NOREPLY = re.compile(
    r"(?:[0-9]+\+)?(?P<handle>[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)@users\.noreply\.github\.com", re.IGNORECASE
)

Found = tuple[tuple[Byline, ...], tuple[Diagnostic, ...]]


class Person(msgspec.Struct, frozen=True):
    """An author whom the site knows.

    Attributes:
        name: as the site writes it.
        handle: as the site writes it.
        others: other names of this author.
    """

    name: str
    handle: str
    others: tuple[str, ...] = ()

    def byline(self, span: Span) -> Byline:
        """The byline of this author in a post."""
        return Byline(self.name, self.handle, span)

    def is_called(self, word: str) -> bool:
        """Whether a name or handle belongs to this author."""
        folded = _fold(word)
        return bool(folded) and folded in {_fold(name) for name in (self.name, self.handle, *self.others)}


def people(authors: Iterable[Author], author_entries: Mapping[str, AuthorEntry]) -> tuple[Person, ...]:
    """All authors whom a site knows, sorted by key.

    Args:
        authors: of its posts.
        author_entries: the entries of its authors file, by handle; some may have no posts yet.
    """
    found: dict[str, Person] = {}
    for key, entry in author_entries.items():
        handle = key.removeprefix("@").lower()
        found[handle] = Person(entry.name, handle, entry.aliases)
    for author in authors:
        named = "" if author.handle and author.name == author.key else author.name
        others = found[author.key].others if author.key in found else ()
        found[author.key] = Person(named, author.handle, others)
    return tuple(found[key] for key in sorted(found))


def guess(identity: Identity, known: Sequence[Person]) -> Found:
    """The author according to git.

    Args:
        identity: the user in git's configuration.
        known: the authors whom the site knows.

    Returns:
        The author, spelled as on the site if it knows them; none if git has no user name. And the diagnostics.
    """
    span = Span("--author")
    address = _NOREPLY.fullmatch(identity.email.strip())
    handle = address["handle"].lower() if address else ""
    name, wrong = clean(identity.name, span)
    as_byline = parse_author(name, span)
    if as_byline.handle:  # some write “Ada Quill (@adaquill)” into git's configuration
        name, handle = as_byline.name, as_byline.handle
    person = _find(handle, known) or _find(name, known)
    if person:
        return (person.byline(span),), _without_handle(person.byline(span), known)
    if not name and not handle:
        return (), (*wrong, problems.no_author(span))
    author = Byline(name, handle, span)
    return (author,), (*wrong, *_without_handle(author, known))


def resolve(texts: Iterable[str], known: Sequence[Person]) -> Found:
    """The authors that the options of a command name.

    Args:
        texts: handles, names, or both as ``Name (@handle)``; each may contain several.
        known: the authors whom the site knows.

    Returns:
        The authors, spelled as on the site if it knows them, and the diagnostics.
    """
    authors: list[Byline] = []
    found: list[Diagnostic] = []
    for text in texts:
        line, wrong = clean(text, Span("--author"))
        found += wrong
        whole = _find(line, known)  # a name such as “Quill, Ada” would be parsed as two authors
        given = (parse_author(line, Span("--author")),) if whole else parse_authors(line, Span("--author"))
        for byline in given:
            author, more = _as_known(byline, known)
            found += more
            if author not in authors:
                authors.append(author)
    return tuple(authors), tuple(found)


def _as_known(byline: Byline, known: Sequence[Person]) -> tuple[Byline, tuple[Diagnostic, ...]]:
    person = _find(byline.handle, known) or _find(byline.aside, known)
    if person:
        differs = byline.name and person.name and not person.is_called(byline.name)
        drift = check_problems.two_names(byline.span, person.handle, byline.name, person.name) if differs else None
        author = person.byline(byline.span) if person.name else msgspec.structs.replace(byline, handle=person.handle)
        return author, (drift,) if drift else ()
    person = None if byline.aside else _find(byline.name, known)
    if person and byline.handle and person.handle:  # another handle means another person, or a mistake
        return byline, (check_problems.two_handles(byline.span, byline.name, byline.handle, person.handle),)
    if person and not byline.handle:
        byline = person.byline(byline.span)
    elif person:
        byline = msgspec.structs.replace(byline, name=person.name)
    return byline, _without_handle(byline, known)


def _without_handle(author: Byline, known: Sequence[Person]) -> tuple[Diagnostic, ...]:
    """The warning about an author without a handle, if one is expected."""
    if author.handle or author.aside or author.team:
        return ()
    words = {word: person for person in known if person.handle for word in (person.name, person.handle) if word}
    near = nearest(author.name, words)
    right = words[near].byline(author.span).spelling if near else ""
    return (check_problems.missing_handle(author.span, author.name, right, None),)


def _find(word: str, known: Sequence[Person]) -> Person | None:
    """The known author with a name or handle; handles take precedence. `None` if there is none, or several."""
    by_handle = [person for person in known if word and person.handle == word.removeprefix("@").lower()]
    by_name = [person for person in known if person.is_called(word)]
    return next(iter(by_handle), None) or (by_name[0] if len(by_name) == 1 else None)


def _fold(word: str) -> str:
    return fold(word).removeprefix("@")
