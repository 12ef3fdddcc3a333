"""Data that is derived from a site and its files before it is planned, such as resized images and drawn diagrams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from devlog.model.check_facts import CheckFacts
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.post_note import PostNote
from devlog.model.target import Copy
from devlog.model.view import DigestRow, FeedLink, PathRef

T = TypeVar("T")


class Facts(msgspec.Struct, frozen=True):
    """The facts of a result, each work item's as its type declares them: a cached result with others is a miss."""

    def fits(self, work: Work, blobs: int) -> bool:
        """Whether a successful result with these facts can be that of a work item.

        Args:
            work: the work item.
            blobs: the number of files in the result.
        """
        return True


class OneFile(Facts, frozen=True):
    """The facts of a result with one file."""

    def fits(self, work: Work, blobs: int) -> bool:
        """As `Facts.fits`."""
        return blobs == 1


class Work(msgspec.Struct, frozen=True):
    """A work item. Equal items are run once, and the result is cached by their inputs.

    Attributes:
        function: the function that runs it, as ``package.module:name``: it gets `parts` and the bytes of `files`, and
            returns a `Made`.
        parts: values that the result depends on, by name.
        files: files of the site, in the order in which the function expects their bytes.
        apart: whether it may take so much memory or time that it must not run in the process of the command.
        facts: the type of the facts of its result.
        codecs: whether its result depends on the libraries with which Pillow reads and writes images.
    """

    function: str
    parts: dict[str, Any]
    files: tuple[Copy, ...] = ()
    apart: bool = False
    facts: type[Facts] = Facts
    codecs: bool = False

    def made(self, record: MadeRecord) -> bool:
        """Whether a record, which may be forged, can be the result of this item."""
        if record.problem:
            return True
        try:
            return msgspec.convert(record.facts, self.facts).fits(self, len(record.blobs))
        except (msgspec.MsgspecError, ValueError):  # UnicodeDecodeError is the latter
            return False


OwnerOf = Callable[[Work], str]
"""Returns the file for which a work item is done."""


class Made(msgspec.Struct, frozen=True):
    """The result of a work item.

    Attributes:
        facts: values that planning needs, by name.
        blobs: the bytes of files to publish.
        problem: why it failed, in words for authors of posts; empty if it succeeded.
        line: the line of the given text that the problem is about, counted from 1; 0 if unknown.
        retry: whether another attempt may succeed: then the problem is not cached.
        seconds: the processor time that it took.
    """

    facts: dict[str, Any] = {}
    blobs: tuple[bytes, ...] = ()
    problem: str = ""
    line: int = 0
    retry: bool = False
    seconds: float = 0.0


class MadeRecord(msgspec.Struct, frozen=True):
    """A `Made` whose bytes are in the store: `blobs` are their digests."""

    facts: dict[str, Any]
    blobs: tuple[str, ...]
    problem: str = ""
    line: int = 0


class CompanionText(msgspec.Struct, frozen=True):
    """A source file whose text is shown on the page of a post in addition to the post's own, such as a transcript.

    Attributes:
        text: the parsed source, with its own links.
        facts: the facts about it.
        line: the line of the post that names the file.
    """

    text: Parsed
    facts: CheckFacts = CheckFacts()
    line: int = 1


class LinkTargets(msgspec.Struct, frozen=True):
    """Targets of links in addition to pages, headings and files.

    Attributes:
        anchors: additional fragments of a page, by the path of its source.
        urls: permalinks of generated files.
        companions: the additional text of a page, by the path of its source.
    """

    anchors: Mapping[str, tuple[str, ...]] = {}
    urls: tuple[str, ...] = ()
    companions: Mapping[str, CompanionText] = {}


class Linkable(msgspec.Struct, frozen=True):
    """A part that consists only of link targets."""

    targets: LinkTargets = LinkTargets()
    problems: tuple[Diagnostic, ...] = ()


class Answers(msgspec.Struct, frozen=True):
    """The answers to external queries, for data that is not among the inputs of a build.

    Attributes:
        names: the names of the queries.
        digest: a digest that changes if any answer changes; empty if that cannot be detected.
    """

    names: tuple[str, ...]
    digest: str


class Part(msgspec.Struct, frozen=True):
    """The data that a feature or a plugin has derived from a site.

    Attributes:
        value: the data, of a type of its own; `None` if deriving it failed.
        problems: problems found while deriving it.
    """

    value: Any
    problems: tuple[Diagnostic, ...] = ()


class Derived(msgspec.Struct, frozen=True):
    """All data that features and plugins have derived from a site, its files or all of its posts together.

    Attributes:
        targets: the parts that add link targets, derived before links are resolved.
        parts: the other parts.
    """

    targets: tuple[Part, ...] = ()
    parts: tuple[Part, ...] = ()

    def of(self, kind: type[T]) -> T:
        """The value of a type; an empty one if no part has that type."""
        values = (part.value for part in (*self.targets, *self.parts))
        return next((value for value in values if isinstance(value, kind)), None) or kind()

    @property
    def notes(self) -> dict[str, PostNote]:
        """The combined `notes` of parts on posts, by the ids of the posts."""
        found: dict[str, PostNote] = {}
        for part in (*self.targets, *self.parts):
            notes: Mapping[str, PostNote] = getattr(part.value, "notes", {})
            found |= {id_: found[id_].joined(note) if id_ in found else note for id_, note in notes.items()}
        return found

    @property
    def permalinks(self) -> frozenset[str]:
        """The `permalinks` of parts: the generated files that depend on the bodies of sources."""
        parts = (*self.targets, *self.parts)
        return frozenset(link for part in parts for link in getattr(part.value, "permalinks", ()))

    @property
    def feeds(self) -> dict[str, tuple[FeedLink, ...]]:
        """The `feeds` of parts, by the path of a topic: its pages and those of its posts list them before others."""
        found: dict[str, tuple[FeedLink, ...]] = {}
        for part in (*self.targets, *self.parts):
            feeds: Mapping[str, tuple[FeedLink, ...]] = getattr(part.value, "feeds", {})
            found |= {path: (*found.get(path, ()), *links) for path, links in feeds.items()}
        return found

    @property
    def starts(self) -> tuple[PathRef, ...]:
        """The `starts` of parts: reading paths, for lists of where to begin."""
        return tuple(start for part in (*self.targets, *self.parts) for start in getattr(part.value, "starts", ()))

    @property
    def digests_by_author(self) -> dict[str, tuple[DigestRow, ...]]:
        """The `digests_by_author` of parts: the digests that list changes of an author, by the author's key."""
        parts = (*self.targets, *self.parts)
        return {key: rows for part in parts for key, rows in getattr(part.value, "digests_by_author", {}).items()}

    @property
    def avatars(self) -> dict[str, str]:
        """The `avatars` of parts: the permalinks of images of authors, by the author's key."""
        parts = (*self.targets, *self.parts)
        return {key: permalink for part in parts for key, permalink in getattr(part.value, "avatars", {}).items()}

    @property
    def companions(self) -> dict[str, CompanionText]:
        """The additional texts of pages, by the id of the post."""
        known = (getattr(part.value, "targets", None) for part in self.targets)
        some = [targets.companions for targets in known if isinstance(targets, LinkTargets)]
        return {id_: text for found in some for id_, text in found.items()}

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The problems of all parts."""
        return tuple(problem for part in (*self.targets, *self.parts) for problem in part.problems)
