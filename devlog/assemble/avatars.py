"""Resolves the avatars of authors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devlog.assemble.links import LinkIndex
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.diagnostic import Diagnostic
from devlog.model.site import Author


def avatars_of(
    authors: Iterable[Author], index: LinkIndex, fetched: Mapping[str, str], *, remote: bool
) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """The avatars of authors.

    Args:
        authors: all authors of the site.
        index: everything in the site that a link can lead to.
        fetched: the URLs of images that were fetched from other hosts and are published, by the author's key.
        remote: whether to use images on other hosts. Those hosts then learn who reads the site.

    Returns:
        The URLs of avatars by the author's key, and diagnostics for avatars that were not found.
    """
    found: dict[str, str] = {}
    missing: list[Diagnostic] = []
    for author in authors:
        if author.key in fetched:
            found[author.key] = fetched[author.key]
        elif author.avatar.startswith(("https://", "http://")):
            if remote:
                found[author.key] = author.avatar
        elif author.avatar:
            url, _, wrong = index.follow(
                author.avatar, author.avatar_span, "image", suggest=len(missing) < MOST_SUGGESTIONS
            )
            if wrong:
                missing.append(wrong)
            else:
                found[author.key] = url
    return found, tuple(missing)
