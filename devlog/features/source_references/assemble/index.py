"""From a source to its explanations: everything that texts speak of, and which texts do."""

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
from devlog.model.derived import Beside
from devlog.model.document import Parsed
from devlog.model.site import Post, Site

FOLDER = "/refs/"
JSON = "/refs.json"
LISTED = 20
"""So many posts a page shows for each reference; ``refs.json`` has them all."""
FEATURED = 12
"""So many references the overview shows of each sort."""

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
    """Something that texts speak of.

    Attributes:
        kind: what it is.
        id: what names it; a file's, without lines.
        url: where it is to be seen; may be empty.
        texts: places in `Mentions.texts` of those that speak of it, newest first, each with its first mention of it.
    """

    kind: MentionKind
    id: str
    url: str
    texts: tuple[tuple[int, Mention], ...]


class Mentions:
    """What the published texts of a site speak of.

    Attributes:
        texts: posts, newest first, then plain pages; no draft is among them.
        by_kind: what they speak of, in the order of the lists.
        sketched: the ids of those of which not all is known yet.
    """

    def __init__(
        self,
        site: Site,
        repository: Repository,
        symbols: Mapping[str, str],
        people: Mapping[str, str],
        beside: Mapping[str, Beside] = MappingProxyType({}),
    ) -> None:
        """
        Args:
            site: the site.
            repository: that texts speak of.
            symbols: the URLs of the symbols that the repository is known to have; no others count.
            people: the URLs of pages about people, by handle.
            beside: the texts that stand in pages of posts besides their own, by the id of the post.
        """
        self.texts = [post for post in (*site.posts, *site.pages) if not post.state]
        self.sketched = frozenset(post.id for post in self.texts if not post.parsed.document.body)
        self._repository = repository
        self._symbols = symbols
        self._people = people
        self._posts: dict[int, tuple[str, str, view.Day]] = {}
        found: dict[tuple[MentionKind, str], dict[int, Mention]] = {}
        mentions_by_post = [mentions_in(post, beside) for post in self.texts]
        canonical = _canonical(mentions_by_post, repository)
        for index, mentions in enumerate(mentions_by_post):
            for mention in mentions:
                if mention.kind == "symbol" and mention.id not in symbols:
                    continue
                found.setdefault(canonical(mention), {}).setdefault(index, mention)
        self.by_kind: dict[MentionKind, list[Referred]] = {}
        for (kind, id_), texts in found.items():
            url = self._url(kind, id_, next(iter(texts.values())))
            self.by_kind.setdefault(kind, []).append(Referred(kind, id_, url, tuple(texts.items())))
        for kind, some in self.by_kind.items():
            some.sort(key=_ORDER[kind])

    def _url(self, kind: MentionKind, id_: str, mention: Mention) -> str:
        repository = self._repository
        if kind == "pull" and mention.kind == "issue":
            number = _NUMBER.fullmatch(id_)
            return repository.pull(number[2], number[1] or "").url if number else mention.url
        if kind == "file":
            other, _, path = id_.rpartition(":")
            return mention.url.partition("#")[0] if other else repository.file(path).url
        if kind == "symbol":
            return self._symbols[id_]
        if kind == "commit":
            other, _, sha = id_.rpartition("@")
            return repository.commit(sha, other).url
        return self._people.get(id_) or mention.url if kind == "handle" else mention.url

    def parts(self, kind: MentionKind, size: int) -> Iterator[Page]:
        """The pages of a list."""
        return paginate(f"{FOLDER}{_KINDS[kind][0]}/", len(self.by_kind[kind]), size)

    # -- what pages show

    def kinds(self, views: Views) -> tuple[view.ReferenceKind, ...]:
        """The lists that there are."""
        return tuple(
            view.ReferenceKind(
                kind, views.t(title_of(kind)), views.url(f"{FOLDER}{_KINDS[kind][0]}/"), len(self.by_kind[kind])
            )
            for kind in KINDS
            if kind in self.by_kind
        )

    def shown(self, kind: MentionKind, part: Page, views: Views) -> tuple[view.ReferenceView, ...]:
        """What a page of a list shows."""
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
            count=len(item.texts),
            posts=tuple(self._post(index, mention, views) for index, mention in item.texts[:most]),
        )

    def _post(self, index: int, mention: Mention, views: Views) -> view.ReferencePost:
        known = self._posts.get(index)
        if known is None:
            post = self.texts[index]
            known = self._posts[index] = (post.title, views.url(post.permalink), views.refs((post,))[0].date)
        return view.ReferencePost(*known, mention.sentence)

    def newest(self, views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        """What the newest posts speak of: handles and symbols, of which there are many, are left out."""
        some = sorted(self._featured(), key=lambda item: item.texts[0][0])  # by the newest post; it is a stable sort
        return self._chosen(some[:FEATURED], views, size)

    def discussed(self, views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        """What most posts speak of, if there is anything that several do."""
        some = sorted(self._featured(), key=lambda item: (-len(item.texts), item.texts[0][0]))
        return self._chosen([item for item in some[:FEATURED] if len(item.texts) > 1], views, size)

    def _featured(self) -> Iterable[Referred]:
        return (item for kind in KINDS[:4] for item in self.by_kind.get(kind, ()))

    def _chosen(self, some: Iterable[Referred], views: Views, size: int) -> tuple[view.ReferenceView, ...]:
        chosen = []
        for item in some:
            number = self.by_kind[item.kind].index(item) // size + 1
            first = f"{FOLDER}{_KINDS[item.kind][0]}/"
            chosen.append(self._view(item, first if number == 1 else f"{first}page/{number}/", views, 1))
        return tuple(chosen)

    # -- for machines

    def records(self, absolute: Callable[[str], str], origin: str) -> tuple[Reference, ...]:
        """All of it for programs.

        Args:
            absolute: turns a permalink into an absolute URL.
            origin: the site's scheme and host.
        """
        posts = [(absolute(post.permalink), post.parsed.file) for post in self.texts]
        return tuple(
            Reference(
                item.kind,
                item.id,
                origin + item.url if item.url.startswith("/") else item.url,
                tuple([ReferencePost(*posts[index], mention.line, mention.sentence) for index, mention in item.texts]),
            )
            for kind in KINDS
            for item in self.by_kind.get(kind, ())
        )


def reference_permalinks() -> Iterator[str]:
    """Where the overview, all lists and the file for programs are published."""
    yield from (FOLDER, JSON, *(f"{FOLDER}{folder}/" for folder, _ in _KINDS.values()))


def title_of(kind: MentionKind) -> str:
    """What a list is called."""
    return _KINDS[kind][1]


def _canonical(
    mentions_by_post: Iterable[Iterable[Mention]], repository: Repository
) -> Callable[[Mention], tuple[MentionKind, str]]:
    """What tells which mentions speak of the same: a number that is a pull request anywhere is one everywhere."""
    pulls: set[str] = set()
    commits: set[str] = set()
    for mentions in mentions_by_post:
        for mention in mentions:
            if mention.kind == "pull":
                pulls.add(mention.id)
            elif mention.kind == "commit":
                commits.add(mention.id)
    if repository.forge == "gitlab":  # where both are counted apart
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
    """For each commit that is written shorter somewhere, how it is written in full; not where two begin alike."""
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
    """Whether two versions of a text speak of the same things, so that the same files tell of them."""
    one, other = mentions_of(old), mentions_of(new)
    if not one and not other:
        return True
    what = attrgetter("kind", "id", "url")
    return set(map(what, one)) == set(map(what, other))


def mentions_in(post: Post, beside: Mapping[str, Beside]) -> tuple[Mention, ...]:
    """What a post mentions, and what a text beside it does, at the line of the post that names that."""
    found = beside.get(post.id)
    more = mentions_of(found.text) if found else ()
    if found is None or not more:
        return mentions_of(post.parsed)
    return (*mentions_of(post.parsed), *(msgspec.structs.replace(mention, line=found.line) for mention in more))


def has_references(site: Site, symbols: Mapping[str, str], beside: Mapping[str, Beside]) -> bool:
    """Whether anything is spoken of at all."""
    return any(
        mention.kind != "symbol" or mention.id in symbols
        for post in (*site.posts, *site.pages)
        if not post.state
        for mention in mentions_in(post, beside)
    )


_SAFE = "/:@!$&'()*+,;=~"


def _anchor(id_: str) -> str:
    """The fragment that leads to a reference: its name, which only a space would spoil."""
    return "".join(id_.split())


def _name(item: Referred) -> tuple[str, str]:
    """The folder of a reference, if it is a file, and how it is called in a list."""
    if item.kind == "file":
        folder, _, name = item.id.rpartition("/")
        return folder, name
    if item.kind == "handle":
        return "", f"@{item.id}"
    if item.kind == "commit":
        other, mark, sha = item.id.rpartition("@")
        return "", f"{other}{mark}{sha[:12]}"
    return "", f"#{item.id}" if item.id.isdigit() else item.id


def _by_number(item: Referred) -> Any:
    """Numbers of the own repository first, the newest before the others."""
    number = _NUMBER.fullmatch(item.id)
    return (number[1] or "", -int(number[2])) if number else (item.id, 0)


def _by_folder(item: Referred) -> Any:
    return item.id.rpartition("/")[::2]


_ORDER: Mapping[MentionKind, Callable[[Referred], Any]] = {
    "pull": _by_number,
    "issue": _by_number,
    "commit": lambda item: (item.texts[0][0], item.id),
    "file": _by_folder,
    "symbol": lambda item: (item.id.casefold(), item.id),
    "handle": lambda item: item.id,
}
