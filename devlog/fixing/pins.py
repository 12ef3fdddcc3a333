"""Links to lines of files, pinned to the commit that their writer saw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from urllib.parse import unquote

import msgspec

from devlog.check.evidence import Evidence, Text
from devlog.config import Config
from devlog.disk.git import commit_of, identity, lines_at
from devlog.model.diagnostic import Diagnostic, Edit, Fix

_LINK = re.compile(
    r"(?P<repository>https://[\w.-]+/[\w.-]+/[\w.-]+)/(?P<way>(?:-/)?(?:blob|blame|tree))/(?P<ref>[^/#?]+)/(?P<file>[^#?]+)"
    r"(?P<rest>(?:\?[^#]*)?#L(?:ines-)?(?P<line>[0-9]{1,9})(?:C[0-9]+)?(?:-L?(?P<last>[0-9]{1,9})(?:C[0-9]+)?)?)"
)

_TRUNKS = frozenset({"HEAD", "main", "master", "trunk", "develop"})
"""What the branch may be called that a clone has checked out: names change, and links keep the old one."""


class Clone:
    """A clone at hand: the address of its repository, its folder, and what its git has answered."""

    def __init__(self, repository: str, folder: Path) -> None:
        self.repository = repository
        self.commit_of = cache(partial(commit_of, folder))
        self.lines_at = cache(partial(lines_at, folder))


def clones(config: Config, root: Path) -> tuple[Clone, ...]:
    """The clones at hand: the site's own, and the one that the configuration names.

    Args:
        config: of the site.
        root: the site's folder, which may be in a clone of what its posts link to.
    """
    own = Clone(config.source_repo or identity(root).origin, root)
    checkout = root / config.source_checkout
    if not config.source_checkout or not checkout.is_dir():
        return (own,)
    return own, Clone(identity(checkout).origin, checkout)


def pinned(evidence: Evidence, at_hand: Sequence[Clone], found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Problems; those of the kind `unpinned-link` with their fix, where a clone of the repository is at hand.

    Args:
        evidence: of the check that found them.
        at_hand: from `clones`.
        found: problems of any kind.
    """
    links = {outside.span: (text, outside.url) for text in evidence.texts for outside in text.notes.outside}
    for problem in found:
        text, url = links.get(problem.span, (None, ""))
        new = _pin(at_hand, text, url) if text and problem.code == "unpinned-link" else ""
        if new and problem.span.length >= len(url):
            yield msgspec.structs.replace(problem, fix=Fix((Edit(problem.span, url, new),)))
        else:
            yield problem


def _pin(at_hand: Sequence[Clone], text: Text, url: str) -> str:
    """The address with the commit of the post's day; empty when the file or its line was not there then."""
    found = _LINK.fullmatch(url)
    clone = next((clone for clone in at_hand if found and _same(clone.repository, found["repository"])), None)
    if found is None or clone is None:
        return ""
    date = text.post.date if text.post else None
    branch = "" if found["ref"] in _TRUNKS else found["ref"]
    commit = clone.commit_of(date.date().isoformat() if date else "", branch)
    last = int(found["last"] or found["line"])
    if not commit or not 0 < last <= clone.lines_at(commit, unquote(found["file"])):
        return ""
    return f"{found['repository']}/{found['way']}/{commit}/{found['file']}{found['rest']}"


_ADDRESS = re.compile(r"(?:\w+://)?(?:[^@/]+@)?(?P<host>[\w.-]+)(?::\d+)?[:/](?P<path>.+?)(?:\.git)?/?")


def _same(one: str, other: str) -> bool:
    """Whether two addresses name one repository, by whatever protocol."""
    mine, theirs = (_ADDRESS.fullmatch(address) for address in (one, other))
    return bool(mine and theirs and (mine["host"], mine["path"].lower()) == (theirs["host"], theirs["path"].lower()))
