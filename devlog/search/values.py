"""The values that a search returns."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


class Hit(msgspec.Struct, frozen=True):
    """A search result: a section of a post.

    Attributes:
        title: of the post.
        url: of its page, with the fragment of the section.
        source: its file, relative to the site's folder.
        line: the line of the file that matches best, counted from 1.
        section: the heading of the section; empty before the first.
        snippet: an excerpt of it, as plain text on one line.
        date: of the post, as ``2026-05-03``; empty if there is none.
        missing: the terms that the post does not contain, if no post contains all.
        taken_for: the query that was used instead, if words of the original one occur in no post.
    """

    title: str
    url: str
    source: str
    line: int
    section: str
    snippet: str
    date: str = ""
    missing: tuple[str, ...] = ()
    taken_for: str = ""


class Entry(msgspec.Struct, frozen=True):
    """A post, a page, or the page of a topic.

    Attributes:
        id: its path relative to the content folder.
        title: never empty.
        url: of its page.
        source: its file, relative to the site's folder.
        line: the line of its title.
        date: its date as ``2026-05-03``; empty if there is none.
        topic: the path of its topic; empty outside topics.
        authors: the keys of its authors.
        tags: the slugs of its tags.
        state: ``draft``, ``future`` or ``expired``; empty if it is published.
        kind: ``post``, ``page``, ``topic`` or ``home``.
        summary: its summary or description; else its first words.
    """

    id: str
    title: str
    url: str
    source: str
    line: int
    date: str
    topic: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    state: str
    kind: str
    summary: str


class Section(msgspec.Struct, frozen=True):
    """A section of a post, from one heading to the next.

    Attributes:
        heading: empty before the first heading.
        fragment: the URL fragment of the section; empty if it has none.
        line: its first line in the file.
        text: its lines as plain text, beginning with `line`, one for each line of the file. Those of the heading are
            empty.
        level: of the heading, 1 to 6; 0 if there is none.
        source: the file, if it is not that of the post.
    """

    heading: str
    fragment: str
    line: int
    text: str
    level: Annotated[int, msgspec.Meta(ge=0, le=6)] = 0
    source: str = ""


def checked(value: T) -> T:
    """A value made of a row. Raises `msgspec.ValidationError` if the index is forged: columns may hold any type."""
    return msgspec.convert(msgspec.structs.asdict(value), type(value))


class Filters(NamedTuple):
    """What limits a search; empty filters limit nothing.

    Attributes:
        topic: the path of a topic; its sub-topics are included.
        author: a handle or a name.
        tag: a tag as written, or its slug.
        since: the earliest date, as ``2026-05-03``.
        drafts: whether to include unpublished posts.
    """

    topic: str = ""
    author: str = ""
    tag: str = ""
    since: str = ""
    drafts: bool = False


NO_FILTERS = Filters()
