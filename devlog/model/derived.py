"""What is made once of files and values, before the site is planned: pictures in other sizes, drawn diagrams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from devlog.model.check_facts import Notes
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.post_note import PostNote
from devlog.model.target import Copy
from devlog.model.view import FeedLink

T = TypeVar("T")


class Work(msgspec.Struct, frozen=True):
    """Something to be made. Equal works are made once, and the result is remembered by what it is made of.

    Attributes:
        function: what makes it, as ``package.module:name``: it gets `parts` and the bytes of `files`, and gives
            a `Made`.
        parts: values that it depends on, by name.
        files: of the site, in the order in which the function wants their bytes.
        apart: whether it may take so much memory or time that it must not be done in the process of the command.
    """

    function: str
    parts: dict[str, Any]
    files: tuple[Copy, ...] = ()
    apart: bool = False


class Made(msgspec.Struct, frozen=True):
    """What came of it.

    Attributes:
        facts: what planning wants to know of it, by name.
        blobs: the bytes of files to publish.
        problem: why it could not be made, in words for the writer; empty if it could.
        line: the line of the given text that the problem is about, counted from 1; 0 when that is not known.
        retry: whether another try may go better: then the problem is not remembered.
    """

    facts: dict[str, Any] = {}
    blobs: tuple[bytes, ...] = ()
    problem: str = ""
    line: int = 0
    retry: bool = False


class MadeRecord(msgspec.Struct, frozen=True):
    """A `Made` whose bytes lie in the store: `blobs` are their digests."""

    facts: dict[str, Any]
    blobs: tuple[str, ...]
    problem: str = ""
    line: int = 0


class Beside(msgspec.Struct, frozen=True):
    """A text that stands in the page of a post besides the post's own.

    Attributes:
        text: with references of its own.
        notes: what else was noted in it.
        line: of the post, that names it.
    """

    text: Parsed
    notes: Notes = Notes()
    line: int = 1


class LinkTargets(msgspec.Struct, frozen=True):
    """What links can lead to besides pages, headings and files.

    Attributes:
        anchors: more fragments of a page, by the path of its source.
        urls: permalinks of files that are made.
        texts: what stands in a page besides its own text, by the path of the source.
    """

    anchors: Mapping[str, tuple[str, ...]] = {}
    urls: tuple[str, ...] = ()
    texts: Mapping[str, Beside] = {}


class Linkable(msgspec.Struct, frozen=True):
    """A part that is nothing but link targets."""

    targets: LinkTargets = LinkTargets()
    problems: tuple[Diagnostic, ...] = ()


class Answers(msgspec.Struct, frozen=True):
    """What came of asking for what no input of a build holds.

    Attributes:
        names: of all that was asked for.
        digest: is another one when anything would be answered in another way; empty where that cannot be told.
    """

    names: tuple[str, ...]
    digest: str


class Part(msgspec.Struct, frozen=True):
    """What a feature or a plugin has made of a site.

    Attributes:
        value: of a type of its own; `None` where it could not be made.
        problems: what is wrong with it.
    """

    value: Any
    problems: tuple[Diagnostic, ...] = ()


class Derived(msgspec.Struct, frozen=True):
    """All that features and plugins know of a site: because of its files, or of all its texts together.

    Attributes:
        targets: the parts that add link targets, made before links are resolved.
        parts: the others.
    """

    targets: tuple[Part, ...] = ()
    parts: tuple[Part, ...] = ()

    def of(self, kind: type[T]) -> T:
        """The value of a type; an empty one where nothing of that kind was made."""
        values = (part.value for part in (*self.targets, *self.parts))
        return next((value for value in values if isinstance(value, kind)), None) or kind()

    @property
    def notes(self) -> dict[str, PostNote]:
        """What parts with `notes` know of posts, by their ids."""
        found: dict[str, PostNote] = {}
        for part in (*self.targets, *self.parts):
            notes: Mapping[str, PostNote] = getattr(part.value, "notes", {})
            found |= {id_: found[id_].joined(note) if id_ in found else note for id_, note in notes.items()}
        return found

    @property
    def feeds(self) -> dict[str, tuple[FeedLink, ...]]:
        """What parts with `feeds` have pages of a topic, and of its posts, name before others, by the topic's path."""
        found: dict[str, tuple[FeedLink, ...]] = {}
        for part in (*self.targets, *self.parts):
            feeds: Mapping[str, tuple[FeedLink, ...]] = getattr(part.value, "feeds", {})
            found |= {path: (*found.get(path, ()), *links) for path, links in feeds.items()}
        return found

    @property
    def texts(self) -> dict[str, Beside]:
        """The texts that stand in pages besides those of their own posts, by the id of the post."""
        known = (getattr(part.value, "targets", None) for part in self.targets)
        some = [targets.texts for targets in known if isinstance(targets, LinkTargets)]
        return {id_: text for texts in some for id_, text in texts.items()}

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is wrong with any of it."""
        return tuple(problem for part in (*self.targets, *self.parts) for problem in part.problems)
