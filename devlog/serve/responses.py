"""The values that the preview hands to the server: answers to requests, and updates for open tabs."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Literal, Protocol

import msgspec


class Page(msgspec.Struct, frozen=True):
    """An HTML page. The server inserts the preview's script into it.

    Attributes:
        html: the page as a build would write it.
        key: the digest of `html`, which changes whenever the page does.
        status: the HTTP status.
        state: ``draft``, ``future`` or ``expired``; empty for published pages.
        note: details of that state, such as ``publishes 2027-05-03``.
        editor: the URL that opens the page's source in an editor, with the placeholder ``{line}``; empty if there is
            none.
    """

    html: bytes
    key: str
    status: int = 200
    state: str = ""
    note: str = ""
    editor: str = ""


class Data(msgspec.Struct, frozen=True):
    """A rendered file other than an HTML page: a feed, the sitemap, a script with translated messages.

    Only devlog, its theme and its plugins create such files.

    Attributes:
        data: the bytes of the file.
        media_type: derived from its name.
        is_own: whether it is part of the theme.
    """

    data: bytes
    media_type: str
    is_own: bool = False


class File(msgspec.Struct, frozen=True):
    """A file that is published unchanged.

    Attributes:
        root: a folder from which the site's inputs are read.
        file: the file's path below it, taken from the snapshot and never from a request.
        follow: whether to follow symbolic links, as in themes.
        media_type: derived from its name.
        strip: whether it is an image that is published without its metadata.
        minify: whether it is a style sheet or a script that is published minified.
        is_own: whether it is part of the theme, or was made by devlog; any author can add other files beside a post.
    """

    root: Path
    file: str
    follow: bool
    media_type: str
    strip: bool = False
    minify: bool = False
    is_own: bool = False


class RedirectResponse(msgspec.Struct, frozen=True):
    """A redirect to another path of this server, which is already percent-encoded."""

    location: str


Answer = Page | Data | File | RedirectResponse


class Problem(msgspec.Struct, frozen=True):
    """A diagnostic as the overlay shows it; every field is plain text.

    Attributes:
        frame: the source line; empty if there is none.
        line: counted from 1; 0 if the problem is about the file as a whole, as is `column`.
        length: the number of characters of the line that the problem covers.
        editor: the URL that opens the location in an editor; empty if there is none.
    """

    severity: Literal["error", "warning", "info"]
    code: str
    message: str
    path: str
    line: int
    column: int
    length: int
    hint: str
    frame: str
    editor: str = ""


class Update(msgspec.Struct, frozen=True):
    """A message to open tabs: sent after a change, and when a tab connects.

    Attributes:
        number: counts changes in one run of the server, from 1; 0 before the first change.
        changed: the new keys of changed pages that tabs show, by path. A page that no longer exists has the key of
            the page for missing pages; a path that now has another kind of file has `None`. The first message to a
            tab has the key of its own page here.
        files: the URL paths of files published unchanged (styles, scripts, images) that have changed.
        problems: the first of the current problems, errors first.
        scroll: whether a tab scrolls to the change.
        moved: the new paths of pages whose sources were renamed, by the paths that tabs show.
        counts: how many current problems there are, by severity.
    """

    number: int
    changed: dict[str, str | None]
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    scroll: bool = True
    moved: dict[str, str] = {}
    counts: dict[str, int] = {}


class Site(Protocol):
    """The site as the server uses it. Both methods may be called from any thread; known results are ready at once."""

    def ask(self, path: str) -> Future[Answer]:
        """The answer for a decoded path, such as ``/devlogs/kernels/``; a page with status 404 if there is none."""

    def hello(self, page: str) -> Future[Update]:
        """The first message for a tab that shows a page."""
