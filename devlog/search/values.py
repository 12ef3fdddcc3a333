"""What a search gives."""

from __future__ import annotations

import msgspec


class Hit(msgspec.Struct, frozen=True):
    """A place in a text that a search has found.

    Attributes:
        title: of the text.
        url: of its page, with the fragment of the section.
        source: its file, relative to the site's folder.
        line: the best line there, counted from 1.
        section: the heading of the section; empty before the first.
        snippet: some words of it, as plain text on one line.
        date: the day of the text as ``2026-05-03``; empty where there is none.
        missing: what was looked for and does not stand in the text, where no text has all.
        taken_for: what was looked for in place of words that no text has.
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
    """A text of the site, or the page of a topic.

    Attributes:
        id: its path below the content folder.
        title: never empty.
        url: of its page.
        source: its file, relative to the site's folder.
        line: on which its title stands.
        date: the day as ``2026-05-03``; empty where there is none.
        topic: the path of its topic; empty outside topics.
        authors: their keys.
        tags: slugs.
        state: empty when it is published, else ``draft``, ``future`` or ``expired``.
        kind: ``post``, ``page``, ``topic`` or ``home``.
        summary: its first words.
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
    """A part of a text from one heading to the next.

    Attributes:
        heading: empty before the first heading.
        fragment: leads to it on the page; empty where nothing does.
        line: the first line of it in its file.
        text: the lines from there on as plain text: the first is `line`, and each line of the file is one here. Those
            of the heading are empty.
        level: of the heading, 1 to 6; 0 without one.
        source: the file, where it is not that of the text.
    """

    heading: str
    fragment: str
    line: int
    text: str
    level: int = 0
    source: str = ""
