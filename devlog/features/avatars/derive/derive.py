"""Derives the avatars of authors from images on other hosts, before pages are planned.

An image is fetched once: then it is in the store, and so is the small square that is published. A build fetches what
is missing; the preview and checks use what is in the store.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from devlog import packages
from devlog.config import Avatars
from devlog.deriving import MADE, Deriving
from devlog.features.avatars import problems
from devlog.features.avatars.model import FOLDER, FetchedAvatars
from devlog.installation import installation
from devlog.model.derived import Made, MadeRecord, OneFile, Work
from devlog.model.diagnostic import Span
from devlog.model.site import Author
from devlog.model.target import Copy

SIDE = 192
"""The width and height of a published avatar in pixels: twice the largest size in which pages show it."""

_FETCH = "devlog.features.avatars.derive.fetch:fetch"
_SQUARE = "devlog.features.avatars.derive.square:square"
_HANDLE = re.compile(r"[a-z\d][a-z\d._-]{0,63}", re.ASCII)


def derive_avatars(work: Deriving) -> FetchedAvatars:
    """The avatars of authors that the configuration asks to fetch."""
    avatars = work.inputs.config.avatars
    if work.effort is None or not avatars.fetch:
        return FetchedAvatars()
    if work.before:
        return work.before.of(FetchedAvatars)
    wanted = _wanted(work.site.authors, avatars)
    if not wanted:
        return FetchedAvatars()
    if not packages.version("pillow"):
        hint = installation().add_package("Pillow")
        return FetchedAvatars(problems=(problems.avatars_need_pillow(_span(work), hint),))
    made = _made(work, tuple(dict.fromkeys(wanted.values())))
    blobs = {key: record.blobs[0] for key, url in wanted.items() if (record := made[url]) and not record.problem}
    by_reason: dict[str, list[str]] = {}
    for author in work.site.authors:
        record = made.get(wanted.get(author.key, ""))
        if record and record.problem:
            by_reason.setdefault(record.problem, []).append(author.name)
    return FetchedAvatars(
        avatars={key: _permalink(blob) for key, blob in blobs.items()},
        blobs={_permalink(blob): blob for blob in sorted(set(blobs.values()))},
        problems=tuple(problems.no_avatar(_span(work), names, reason) for reason, names in by_reason.items()),
    )


def _span(work: Deriving) -> Span:
    """The position of the key that asks to fetch avatars."""
    return work.spans()("avatars", "fetch")


def _wanted(authors: Sequence[Author], avatars: Avatars) -> dict[str, str]:
    """The URLs to fetch, by the author's key: those of authors without an image among the files of the site."""
    found: dict[str, str] = {}
    for author in authors:
        if author.avatar.startswith(("https://", "http://")):
            found[author.key] = author.avatar
        elif not author.avatar and avatars.url and _HANDLE.fullmatch(author.handle):
            found[author.key] = avatars.url.replace("{handle}", quote(author.handle, safe=""))
    return found


def _made(work: Deriving, urls: Sequence[str]) -> dict[str, MadeRecord | None]:
    """The square of the image at each URL, or why there is none; `None` if neither is known yet."""
    fetched = dict(zip(urls, _fetched(work, [Work(_FETCH, {"url": url}, facts=OneFile) for url in urls]), strict=True))
    images = {url: record.blobs[0] for url, record in fetched.items() if record and record.blobs}
    works = {
        digest: Work(_SQUARE, {"side": SIDE}, (Copy("", MADE, digest, digest),), True, OneFile, codecs=True)
        for digest in dict.fromkeys(images.values())
    }
    squares = dict(zip(works, _squares(work, list(works.values())), strict=True))
    return {url: squares[images[url]] if url in images else record for url, record in fetched.items()}


def _fetched(work: Deriving, works: Sequence[Work]) -> Sequence[MadeRecord | None]:
    if work.effort != "make":
        return work.stages.derived_before(works, work.read)

    def make(missing: Sequence[Work]) -> Sequence[Made]:
        from devlog.features.avatars.derive.fetch import fetch_all  # loads asyncio and ssl, which few builds need

        return fetch_all([item.parts["url"] for item in missing])

    return work.stages.derive(works, work.read, make, stage="Fetching avatars")


def _squares(work: Deriving, works: Sequence[Work]) -> Sequence[MadeRecord | None]:
    if work.effort != "make":
        return work.stages.derived_before(works, work.read)
    return work.stages.derive(works, work.read, stage="Fetching avatars")


def _permalink(blob: str) -> str:
    return f"{FOLDER}{blob[:16]}.webp"
