"""Reading paths, with their links resolved in the whole site."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Ref
from devlog.model.post_note import PostNote
from devlog.model.view import PathRef


class Before(msgspec.Struct, frozen=True):
    """Something to know before.

    Attributes:
        title: the title of a post or page, or a sentence.
        url: the URL of the post or page; empty for a sentence.
        post: the id of the post; empty if it is not a post.
        ref: the link; `None` for a sentence.
        permalink: the permalink of the post or page; empty if it is not of this site.
        language: the language tag of what is not in the language of the site; else empty.
    """

    title: str
    url: str = ""
    post: str = ""
    ref: Ref | None = None
    permalink: str = ""
    language: str = ""


class Step(msgspec.Struct, frozen=True):
    """A step of a path.

    Attributes:
        post: the id of its post.
        ref: the link to the post.
        why: why to read the post; may be empty.
        before: what to know before.
    """

    post: str
    ref: Ref
    why: str = ""
    before: tuple[Before, ...] = ()


class ReadingPath(msgspec.Struct, frozen=True):
    """A reading path.

    Attributes:
        page: the id of its page.
        title: the title of the page.
        permalink: the permalink of the page.
        description: what the path is about, for lists; may be empty.
        steps: the steps in order, each post once; empty if none of its posts is published.
        before: what to know before the first step.
        is_listed: whether lists of paths show it: its page is not a draft. It may be unlisted.
        language: the language tag of a page that is not in the language of the site; else empty.
    """

    page: str
    title: str
    permalink: str
    description: str
    steps: tuple[Step, ...]
    before: tuple[Before, ...] = ()
    is_listed: bool = True
    language: str = ""


class ReadingPaths(msgspec.Struct, frozen=True):
    """The reading paths of a site.

    Attributes:
        paths: the paths in the order of lists.
        notes: additions to the pages of paths and of their posts, by id.
        starts: the paths for the home page and other lists.
        problems: diagnostics about the front matter of pages.
    """

    paths: tuple[ReadingPath, ...] = ()
    notes: Mapping[str, PostNote] = {}
    starts: tuple[PathRef, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
