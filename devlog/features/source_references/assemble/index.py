"""The index of source references: everything that posts mention, and the posts that mention it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from devlog.assemble.pagination import Page, paginate
from devlog.assemble.views import Views
from devlog.features.source_references.model.mention import KINDS, Mention, MentionKind, mentions_of
from devlog.features.source_references.model.reference import Reference, ReferencePost
from devlog.features.source_references.model.repository import Repository
from devlog.model import view
from devlog.model.derived import CompanionText
from devlog.model.document import Parsed
from devlog.model.site import Post, Site

FOLDER = "/refs/"
JSON = "/refs.json"
LISTED = 20
"""The maximum number of posts that a page shows for each reference; ``refs.json`` has all of them."""
FEATURED = 12
"""The maximum number of references in each section of the overview."""

_KINDS: Mapping[MentionKind, tuple[str, str]] = {
    "pull": ("pulls", "pull_requests"),
    "issue": ("issues", "issues"),
    "commit": ("commits", "commits"),
    "file": ("files", "files"),
    "symbol": ("symbols", "symbols"),
    "handle": ("handles", "people"),
}
_NUMBER = re.compile(r"(?:(.*)#)?(\d+)")


class Referred(NamedTuple):
    """Something that posts mention.

    Attributes:
        kind: its kind.
        id: its identifier; that of a file has no lines.
        url: the URL that shows it; may be empty.
        mentions: the posts that mention it, as indexes of `Mentions.posts`, newest first, each with its first mention.
    """

    kind: MentionKind
    id: str
    url: str
    mentions: tuple[tuple[int, Mention], ...]


class Mentions:
    """The mentions in the published posts and pages of a site.

    Attributes:
        posts: posts, newest first, then plain pages, without drafts and unlisted ones.
        by_kind: what they mention, in the order of the lists.
        sketched: the ids of those of which only the front matter is parsed so far.
    """

    def __init__(
        self,
        site: Site,
        repository: Repository,
        symbols: Mapping[str, str],
        people: Mapping[str, str],
        companions: Mapping[str, CompanionText] = MappingProxyType({}),
    ) -> None:
        """
        Args:
            site: the site.
            repository: the repository that posts refer to.
            symbols: the URLs of the symbols that the repository defines; other symbols are ignored.
            people: the URLs of pages about people, by handle.
            companions: the secondary sources shown on pages of posts, by the id of the post.
        """
        self.posts = [post for post in (*site.posts, *site.pages) if post.is_findable]
        self.sketched = frozenset(post.id for post in self.posts if not post.parsed.document.body)
        self._repository = repository
        self._symbols = symbols
        self._people = people
        self._posts: dict[int, tuple[str, str, view.Day]] = {}
        found: dict[tuple[MentionKind, str], dict[int, Mention]] = {}
        mentions_by_post = [mentions_in(post, companions) for post in self.posts]
        canonical = _canonical(mentions_by_post, repository)
        for index, mentions in enumerate(mentions_by_post):
            for mention in mentions:
                if mention.kind == "symbol" and mention.id not in symbols:
                    continue
                found.setdefault(canonical(mention), {}).setdefault(index, mention)
        self.by_kind: dict[MentionKind, list[Referred]] = {}
        for (kind, id_), by_post in found.items():
            url = self._url(kind, id_, next(iter(by_post.values())))
            self.by_kind.setdefault(kind, []).append(Referred(kind, id_, url, tuple(by_post.items())))
        for kind, some in self.by_kind.items():
            some.sort(key=_ORDER[kind])

    def _url(self, kind: MentionKind, id_: str, mention: Mention) -> str:
        repository = self._repository
        if kind == "pull" and mention.kind == "issue":
            number = _NUMBER.fullmatch(id_)
            return repository.pull(number[2], number[1] or "").url if number else mention.url
        if kind == "file":
            other, _, path = id_.rpartition(":")
            if other:
                return mention.url.partition("#")[0]
            return (repository.directory(path) if path.endswith("/") else repository.file(path)).url
        if kind == "symbol":
            return self._symbols[id_]
        if kind == "commit":
            other, _, sha = id_.rpartition("@")
            return repository.commit(sha, other).url
        return self._people.get(id_) or mention.url if kind == "handle" else mention.url

    def parts(self, kind: MentionKind, size: int) -> Iterator[Page]:
        """The pages of a list."""
        return paginate(f"{FOLDER}{_KINDS[kind][0]}/", len(self.by_kind[kind]), size)

    # -- values for pages

    def kinds(self, views: Views) -> tuple[view.ReferenceKind, ...]:
        """The lists that are not empty."""
        return tuple(
            view.ReferenceKind(
                kind, views.t(title_of(kind)), views.url(f"{FOLDER}{_KINDS[kind][0]}/"), len(self.by_kind[kind])
            )
            for kind in KINDS
            if kind in self.by_kind
        )

    def shown(self, kind: MentionKind, part: Page, views: Views) -> tuple[view.ReferenceView, ...]:
        """The references on one page of a list."""
        return tuple(self._view(item, part.permalink, views) for item in self.by_kind[kind][part.start : part.stop])

    def _view(self, item: Referred, permalink: str, views: Views, most: int = LISTED) -> view.ReferenceView:
        anchor = _anchor(item.id)
        folder, name = _name(item)
        return view.ReferenceView(
            kind=item.kind,
            name=name,
            folder=folder,
            url=item.url,
            anchor=anchor,
            place=f"{views.url(permalink)}#{quote(anchor, safe=_SAFE)}",
            count=len(item.mentions),
            posts=tuple(self._post(index, mention, views) for index, mention in item.mentions[:most]),
        )

    def _post(self, index: int, mention: Mention, views: Views) -> view.ReferencePost:
        known = self._posts.get(index)
        if known is None:
            post = self.posts[index]
            known = self._posts[index] = (post.title, views.url(post.permalink), views.refs((post,))[0].date)
        return view.ReferencePost(*known, mention.sentence)

    def newest(self, views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        """What the newest posts mention, without handles and symbols, of which there are many."""
        some = sorted(self._featured(), key=lambda item: item.mentions[0][0])  # by the newest post; the sort is stable
        return self._chosen(some[:FEATURED], views, size)

    def discussed(self, views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        """What the most posts mention; only references that several posts mention."""
        some = sorted(self._featured(), key=lambda item: (-len(item.mentions), item.mentions[0][0]))
        return self._chosen([item for item in some[:FEATURED] if len(item.mentions) > 1], views, size)

    def _featured(self) -> Iterable[Referred]:
        return (item for kind in KINDS[:4] for item in self.by_kind.get(kind, ()))

    def _chosen(self, some: Iterable[Referred], views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        chosen = []
        for item in some:
            number = self.by_kind[item.kind].index(item) // size + 1
            first = f"{FOLDER}{_KINDS[item.kind][0]}/"
            chosen.append(self._view(item, first if number == 1 else f"{first}page/{number}/", views, 1))
        return tuple(chosen)

    # -- values for programs

    def records(self, absolute: Callable[[str], str], origin: str) -> tuple[Reference, ...]:
        """All references, for programs.

        Args:
            absolute: turns a permalink into an absolute URL.
            origin: the site's scheme and host.
        """
        posts = [(absolute(post.permalink), post.parsed.file) for post in self.posts]
        return tuple(
            Reference(
                item.kind,
                item.id,
                origin + item.url if item.url.startswith("/") else item.url,
                tuple([ReferencePost(*posts[post], mention.line, mention.sentence) for post, mention in item.mentions]),
            )
            for kind in KINDS
            for item in self.by_kind.get(kind, ())
        )


def reference_permalinks() -> Iterator[str]:
    """The permalinks of the overview, all lists and ``refs.json``."""
    yield from (FOLDER, JSON, *(f"{FOLDER}{folder}/" for folder, _ in _KINDS.values()))


def title_of(kind: MentionKind) -> str:
    """The message key of a list's title."""
    return _KINDS[kind][1]


def _canonical(
    mentions_by_post: Iterable[Iterable[Mention]], repository: Repository
) -> Callable[[Mention], tuple[MentionKind, str]]:
    """A function that returns the same key for mentions of the same thing. A number that is marked as a pull request in
    one place is one everywhere.
    """
    pulls: set[str] = set()
    commits: set[str] = set()
    for mentions in mentions_by_post:
        for mention in mentions:
            if mention.kind == "pull":
                pulls.add(mention.id)
            elif mention.kind == "commit":
                commits.add(mention.id)
    if repository.forge == "gitlab":  # GitLab numbers issues and merge requests separately
        pulls = set()
    longer = _longer(commits)

    def canonical(mention: Mention) -> tuple[MentionKind, str]:
        kind, id_ = mention.kind, mention.id
        if kind == "issue" and id_ in pulls:
            return "pull", id_
        if kind == "commit":
            return kind, longer.get(id_, id_)
        return kind, id_.partition("#")[0] if kind == "file" else id_

    return canonical


def _longer(commits: Iterable[str]) -> dict[str, str]:
    """For each abbreviated commit, its longest written form; without abbreviations that fit several commits."""
    ordered = sorted(commits)
    found: dict[str, str] = {}
    for one, following in reversed(list(pairwise(ordered))):
        if following.startswith(one):
            found[one] = found.get(following, following)
    ends = [one for one in ordered if one not in found]
    return {one: full for one, full in found.items() if sum(end.startswith(one) for end in _near(ends, full)) == 1}


def _near(ordered: Sequence[str], one: str) -> Sequence[str]:
    index = bisect_left(ordered, one)
    return ordered[max(0, index - 1) : index + 2]


def mentions_alike(old: Parsed, new: Parsed) -> bool:
    """Whether two versions of a source mention the same things, so that the same files about them are published."""
    one, other = mentions_of(old), mentions_of(new)
    if not one and not other:
        return True
    what = attrgetter("kind", "id", "url")
    return set(map(what, one)) == set(map(what, other))


def mentions_in(post: Post, companions: Mapping[str, CompanionText]) -> tuple[Mention, ...]:
    """The mentions in a post, and those in a source beside it, at the line of the post that names that source."""
    found = companions.get(post.id)
    more = mentions_of(found.text) if found else ()
    if found is None or not more:
        return mentions_of(post.parsed)
    return (*mentions_of(post.parsed), *(msgspec.structs.replace(mention, line=found.line) for mention in more))


def has_references(site: Site, symbols: Mapping[str, str], companions: Mapping[str, CompanionText]) -> bool:
    """Whether any post mentions anything."""
    return any(
        mention.kind != "symbol" or mention.id in symbols
        for post in (*site.posts, *site.pages)
        if post.is_findable
        for mention in mentions_in(post, companions)
    )


_SAFE = "/:@!$&'()*+,;=~"


def _anchor(id_: str) -> str:
    """The fragment for a reference: its identifier without spaces, which fragments cannot contain."""
    return "".join(id_.split())


def _name(item: Referred) -> tuple[str, str]:
    """The folder of a reference, if it is a file, and its name in a list."""
    if item.kind == "file":
        return _folder_and_name(item)
    if item.kind == "handle":
        return "", f"@{item.id}"
    if item.kind == "commit":
        other, mark, sha = item.id.rpartition("@")
        return "", f"{other}{mark}{sha[:12]}"
    return "", f"#{item.id}" if item.id.isdigit() else item.id


def _by_number(item: Referred) -> Any:
    """The sort key for numbers: those of the own repository first, newest first."""
    number = _NUMBER.fullmatch(item.id)
    return (number[1] or "", -int(number[2])) if number else (item.id, 0)


def _folder_and_name(item: Referred) -> tuple[str, str]:
    """The folder and the name of a file or a directory; that of a directory ends with a slash."""
    bare = item.id.removesuffix("/")
    folder, _, name = bare.rpartition("/")
    return folder, name + item.id[len(bare) :]


_ORDER: Mapping[MentionKind, Callable[[Referred], Any]] = {
    "pull": _by_number,
    "issue": _by_number,
    "commit": lambda item: (item.mentions[0][0], item.id),
    "file": _folder_and_name,
    "symbol": lambda item: (item.id.casefold(), item.id),
    "handle": lambda item: item.id,
}
