"""Fixes links to lines of files on branches: pins them to the commit that the author saw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

import msgspec

from devlog.check.evidence import CheckedSource, Evidence
from devlog.config import Config
from devlog.disk.checkout_folder import Refusal, checkout_folder
from devlog.disk.folder import is_there
from devlog.disk.git import identity
from devlog.disk.git_contents import branches_of, commit_of, lines_at
from devlog.features.source_references.config import configured_repository
from devlog.features.source_references.disk import Checkout, SilentError, SlowError
from devlog.features.source_references.model.citation import TRUNKS
from devlog.model.diagnostic import Diagnostic, Edit, Fix

T = TypeVar("T")

MOST_QUESTIONS = 1000
"""The maximum number of commits, and of files in them, that git is asked for: each starts a process."""

_LINK = re.compile(
    r"(?P<repository>https://[\w.-]+/[\w.-]+/[\w.-]+)/(?P<way>(?:-/)?(?:blob|blame|tree))/(?P<ref>[^/#?]+)/(?P<file>[^#?]+)"
    r"(?P<rest>(?:\?[^#]*)?#L(?:ines-)?(?P<line>[0-9]{1,9})(?:C[0-9]+)?(?:-L?(?P<last>[0-9]{1,9})(?:C[0-9]+)?)?)"
)


class AtHand:
    """An available checkout: the URLs of its repository, and cached answers of its git."""

    def __init__(
        self,
        repositories: Iterable[str],
        branches: Callable[[], frozenset[str]],
        commit_of: Callable[[str, str], str],
        lines_at: Callable[[str, str], int],
    ) -> None:
        """
        Args:
            repositories: the URLs by which links may refer to its repository.
            branches: returns the names of its branches.
            commit_of: returns its newest commit at the end of a day, on a branch.
            lines_at: returns the number of lines of a file in a commit.
        """
        self.repositories = tuple(filter(None, repositories))
        self.branches = cache(branches)
        self.commit_of = _limited(commit_of, "")
        self.lines_at = _limited(lines_at, -1)


def _limited(ask: Callable[[str, str], T], nothing: T) -> Callable[[str, str], T]:
    """A function that asks each question once, and answers with nothing after the maximum number of questions."""

    @cache
    def answer(one: str, other: str) -> T:
        return ask(one, other) if answer.cache_info().misses <= MOST_QUESTIONS else nothing

    return answer


def pinning(config: Config, root: Path) -> Callable[[Evidence, Iterable[Diagnostic]], Iterator[Diagnostic]]:
    """A function that adds fixes for links, and caches answers of git; the arguments are those of `_checkouts`."""
    return partial(_pinned, _checkouts(config, root))


def _checkouts(config: Config, root: Path) -> tuple[AtHand, ...]:
    """The available checkouts: the one that the configuration names, and the site's own.

    Args:
        config: the configuration of the site.
        root: the site's folder, which may be in a checkout of the repository to which its posts link.
    """
    address = config.source_repo or identity(root).origin
    own = AtHand([address], partial(branches_of, root), partial(commit_of, root), partial(lines_at, root))
    folder = checkout_folder(root, config.source_checkout) if config.source_checkout else None
    if folder is None or isinstance(folder, Refusal) or not is_there(folder, folder=True):
        return (own,)
    checkout, named = Checkout(folder), configured_repository(config)
    addresses = [identity(folder).origin, named.url if named else ""]
    asked = Asked(checkout)
    return AtHand(addresses, asked.branches, asked.newest, asked.line_count), own


class Asked:
    """A checkout that is not asked again after git has timed out once, since each question would take as long."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._is_slow = False

    def branches(self) -> frozenset[str]:
        """See `Checkout.branches`; empty if there is no answer."""
        return self._answer(self._checkout.branches, frozenset())

    def newest(self, day: str, branch: str) -> str:
        """See `Checkout.newest`; empty if there is no answer."""
        return self._answer(partial(self._checkout.newest, day, branch), "")

    def line_count(self, commit: str, file: str) -> int:
        """See `Checkout.line_count`; -1 if there is no answer."""
        return self._answer(partial(self._checkout.line_count, commit, file), -1)

    def _answer(self, ask: Callable[[], T], nothing: T) -> T:
        try:
            return nothing if self._is_slow else ask()
        except SlowError:
            self._is_slow = True
        except SilentError:  # the reason may concern only this question
            pass
        return nothing


def _pinned(at_hand: Sequence[AtHand], evidence: Evidence, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems; those with the code `unpinned-link` get a fix if a checkout of the repository is available.

    Args:
        at_hand: the result of `_checkouts`.
        evidence: the evidence of the check that found the problems.
        found: problems of any kind.
    """
    links = {outside.span: (text, outside.url) for text in evidence.sources for outside in text.facts.outside}
    for problem in found:
        text, url = links.get(problem.span, (None, ""))
        new = _pin(at_hand, text, url) if text and problem.code == "unpinned-link" else ""
        if new and problem.span.length >= len(url):
            yield msgspec.structs.replace(problem, fix=Fix((Edit(problem.span, url, new),)))
        else:
            yield problem


def _pin(at_hand: Sequence[AtHand], text: CheckedSource, url: str) -> str:
    """The URL with the commit of the post's day; empty if the file or its line did not exist then."""
    found = _LINK.fullmatch(url)
    if found is None:
        return ""
    date = text.post.date if text.post else None
    branch = "" if found["ref"] in TRUNKS else found["ref"]
    last = int(found["last"] or found["line"])
    for checkout in at_hand:
        if any(_same(repository, found["repository"]) for repository in checkout.repositories):
            if branch and branch not in checkout.branches():
                continue
            commit = checkout.commit_of(date.date().isoformat() if date else "", branch)
            if commit and 0 < last <= checkout.lines_at(commit, unquote(found["file"])):
                return f"{found['repository']}/{found['way']}/{commit}/{found['file']}{found['rest']}"
    return ""


_ADDRESS = re.compile(r"(?:\w+://)?(?:[^@/]+@)?(?P<host>[\w.-]+)(?::\d+)?[:/](?P<path>.+?)(?:\.git)?/?")


def _same(one: str, other: str) -> bool:
    """Whether two URLs refer to the same repository, with any protocol."""
    mine, theirs = (_ADDRESS.fullmatch(address) for address in (one, other))
    return bool(mine and theirs and (mine["host"], mine["path"].lower()) == (theirs["host"], theirs["path"].lower()))
