"""The images of authors."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.assemble.links import LinkIndex
from devlog.model.closest import MOST_SUGGESTIONS
from devlog.model.diagnostic import Diagnostic
from devlog.model.site import Author


def avatars_of(
    authors: Iterable[Author], index: LinkIndex, *, remote: bool
) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
    """The pictures of authors.

    Args:
        authors: of the site.
        index: every place of the site.
        remote: whether pictures on other hosts are shown, which then learn who reads.

    Returns:
        Their URLs by the key of the author, and which of them are not there.
    """
    found: dict[str, str] = {}
    missing: list[Diagnostic] = []
    for author in authors:
        if author.avatar.startswith(("https://", "http://")):
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
