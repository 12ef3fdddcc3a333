"""What the preview says to the server: answers to requests, and what every update tells the tabs that are open."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Literal, Protocol

import msgspec


class Page(msgspec.Struct, frozen=True):
    """A page of HTML, which is answered with the preview's script in it.

    Attributes:
        html: as a build would write it.
        key: the digest of `html`: another key means that the page has changed.
        status: of HTTP.
        state: ``draft``, ``future`` or ``expired``; empty for what is published.
        note: what to tell of that state, such as ``publishes 2027-05-03``.
        editor: the URL that opens the page's source in an editor, with ``{line}`` in it; empty when there is none.
    """

    html: bytes
    key: str
    status: int = 200
    state: str = ""
    note: str = ""
    editor: str = ""


class Data(msgspec.Struct, frozen=True):
    """A rendered file that is no page: a feed, the sitemap, a script with messages. Only devlog, its theme and its
    plugins make such.

    Attributes:
        data: its bytes.
        media_type: of its name.
        is_own: whether it is part of the theme.
    """

    data: bytes
    media_type: str
    is_own: bool = False


class File(msgspec.Struct, frozen=True):
    """A file that is published as it is.

    Attributes:
        root: a folder that the site's inputs are read from.
        file: the file's path below it, as the snapshot has it: never from a request.
        follow: whether links may be followed, as in themes.
        media_type: of the name.
        strip: whether it is a picture that is published without its metadata.
        is_own: whether it is part of the theme, or devlog made it; else anybody may have put it beside a post.
    """

    root: Path
    file: str
    follow: bool
    media_type: str
    strip: bool = False
    is_own: bool = False


class Elsewhere(msgspec.Struct, frozen=True):
    """Another path of this server has the answer; it is percent-encoded already."""

    location: str


Answer = Page | Data | File | Elsewhere


class Problem(msgspec.Struct, frozen=True):
    """A diagnostic as the overlay shows it; every field is plain text.

    Attributes:
        frame: the source line; empty when there is none.
        line: counted from 1; 0 when it is about the file as a whole, as is `column`.
        length: how many characters of the line it covers.
        editor: the URL that opens the place in an editor; empty when there is none.
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
    """What tabs are told: after a change, and when they begin to listen.

    Attributes:
        number: counts from 1 on in one run of the server; 0 is the state before any change.
        changed: pages that tabs show and that have changed, by path, with their new keys: that of the page for
            missing pages where one is gone, `None` where a file is now that is no page. The first message to a tab
            has the key of its own page here.
        files: paths of files published as they are (styles, scripts, images) that have changed.
        problems: all there are now, errors first.
        scroll: whether a tab goes to what has changed.
    """

    number: int
    changed: dict[str, str | None]
    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    scroll: bool = True


class Site(Protocol):
    """What the server asks. Both may be called from any thread; what is known is answered at once."""

    def ask(self, path: str) -> Future[Answer]:
        """The answer for a decoded path, such as ``/devlogs/kernels/``; a page with status 404 if there is none."""

    def hello(self, page: str) -> Future[Update]:
        """The first message for a tab that shows a page."""
