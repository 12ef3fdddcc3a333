"""Compares two outputs: reads their pages one by one, and keeps only the differences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import tzinfo
from fnmatch import translate
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from devlog.compare import match, problems, urls
from devlog.compare.facts import Page
from devlog.compare.feeds import compare_feeds
from devlog.compare.sitemap import read_addresses
from devlog.compare.tree import Item, Kind, Reader, Tree, read_tree
from devlog.compare.values import (
    Anchors,
    Compared,
    Comparison,
    Differs,
    Excuse,
    FeedChange,
    Found,
    Lost,
    Moved,
    OtherAuthors,
    Reason,
    by_kind,
)
from devlog.config import Config
from devlog.inputs import judge
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import collision_key

_HOPS = 10
_NO_TITLES = frozenset({"/", "/404.html"})


class Options(msgspec.Struct, frozen=True):
    """The inputs of a comparison.

    Attributes:
        old: the folder of the old output, or a sitemap of the old site.
        new: the folder of the new output.
        old_base_url: the URL of the old site; empty if its home page declares it, or if it is that of the new site.
        accept: patterns of URLs that may be lost.
        config: the configuration of the new site.
    """

    old: Path
    new: Path
    old_base_url: str
    accept: tuple[str, ...]
    config: Config


def compare(options: Options) -> Comparison | tuple[Diagnostic, ...]:
    """Compare an old output with a new one.

    Returns:
        The lost, new and different URLs; problems if there is nothing to compare.
    """
    if options.old.samefile(options.new):
        return (problems.same_output(str(options.old)),)
    given = urls.base(options.old_base_url) if options.old_base_url else None
    configured = urls.base(options.config.base_url)
    new = read_tree(options.new, str(options.new), None, configured)
    if options.old.is_file():
        old = read_addresses(options.old, str(options.old), given or configured)
    else:
        old = read_tree(options.old, str(options.old), given, configured)
    if isinstance(old, Diagnostic) or isinstance(new, Diagnostic):
        return tuple(found for found in (old, new) if isinstance(found, Diagnostic))
    done = compare_trees(old, new, options.accept, ZoneInfo(options.config.timezone))
    return msgspec.structs.replace(done, diagnostics=tuple(judge([*done.diagnostics], options.config, strict=False)))


def compare_trees(old: Tree, new: Tree, accept: Sequence[str], zone: tzinfo) -> Comparison:
    """Compare two outputs that are known to contain pages.

    Args:
        old: the old output.
        new: the new output.
        accept: patterns of URLs that may be lost.
        zone: the time zone that determines the day of a time.
    """
    with Reader(old) as old_reader, Reader(new) as new_reader:
        work = _Work(_Side(old, old_reader), _Side(new, new_reader), zone)
        work.read()
        return work.result(accept)


class _Side:
    """One of the two outputs, and the data collected from its pages."""

    def __init__(self, tree: Tree, reader: Reader) -> None:
        self.tree = tree
        self.reader = reader
        self.items: dict[str, Item] = dict(tree.items)
        self.redirects: dict[str, str | None] = {}  # None for a target on another site
        self.goals: dict[str, str] = {}
        self.loops: set[str] = set()  # pages that send readers to themselves
        self.names = match.Site(reader.page("/"))

    def page(self, url: str) -> Page | None:
        """Read a page, and record redirects and whether it is a list; `None` if there is no page, or a redirect."""
        page = self.reader.page(url)
        if page is None:
            return None
        if page.refresh:
            goal = self.path_of(page.refresh, url, page.base)
            if goal == url:
                self.loops.add(url)
            else:
                self.redirects[url] = goal
                self.goals[url] = page.refresh if goal is None else goal
                return None
        if page.article and self.items[url].kind == "list":
            self.items[url] = msgspec.structs.replace(self.items[url], kind="page")
        return page

    def path_of(self, url: str, at: str = "/", relative_to: str = "") -> str | None:
        """The path below the base of a URL in a page; `None` for a URL on another site."""
        path = urls.below(url, self.tree.bases, at, relative_to)
        if path is None and not any(base.host for base in self.tree.bases):
            host = urls.host(url)
            guess = urls.below(url, (urls.Base(host, "/"),)) if host else None
            return guess if guess is not None and self.served(guess) else None
        return path

    def served(self, url: str) -> str | None:
        """The URL of the file that a host serves for a requested URL; `None` if there is none."""
        return next((form for form in urls.forms(url) if form in self.items), None)

    def follow(self, url: str) -> tuple[str | None, Reason | None]:
        """Follow the redirects of a URL.

        Returns:
            The final URL in this output and `None`; `None` and the reason if there is none; or twice `None` if it is on
            another site.
        """
        seen: set[str] = set()
        at = self.served(url)
        while at is not None and at in self.redirects:
            if at in seen or len(seen) > _HOPS:
                return None, "loop"
            seen.add(at)
            goal = self.redirects[at]
            if goal is None:
                return None, None
            at = self.served(goal)
        return (at, None) if at is not None else (None, "leads-nowhere" if seen else "missing")

    def end(self, url: str) -> tuple[str, bool]:
        """The final target of a URL, or the last known one, and whether it is in this output."""
        end, reason = self.follow(url)
        if end or reason:
            return end or self.redirects.get(url) or url, True
        at = self.served(url) or url
        while (goal := self.redirects.get(at)) is not None:
            at = self.served(goal) or goal
        return self.goals[at], False


class _Work:
    """The differences that are collected while two outputs are read."""

    def __init__(self, old: _Side, new: _Side, zone: tzinfo) -> None:
        self._old = old
        self._new = new
        self._zone = zone
        self._titles: list[Differs] = []
        self._dates: list[Differs] = []
        self._authors: list[OtherAuthors] = []
        self._anchors: list[Anchors] = []
        self._feeds: list[FeedChange] = []
        self._counts = dict.fromkeys(Compared.__struct_fields__, 0)
        self._lost_titles: dict[str, str] = {}
        self._new_titles: dict[str, set[str]] = {}

    def read(self) -> None:
        """Compare all pages of both sides URL by URL, then moved pages and feeds, which need all redirects."""
        both = sorted(self._old.items.keys() | self._new.items.keys())
        for url in both:
            old_page, new_page = self._old.page(url), self._new.page(url)
            if old_page and new_page:
                self._compare_pages(url, old_page, new_page)
            elif old_page and url not in self._new.items:
                self._lost_titles[url] = self._title(self._old, old_page)
            elif new_page and url not in self._old.items and not new_page.articles > 1:
                self._new_titles.setdefault(self._title(self._new, new_page), set()).add(url)
        self._compare_moved()
        for url in both:
            self._compare_feeds(url)

    def _title(self, side: _Side, page: Page) -> str:
        return next(iter(side.names.titles(page)), "")

    def _compare_pages(self, url: str, old: Page, new: Page) -> None:
        if self._is_list(url) or old.articles > 1 or new.articles > 1:
            return
        if url not in _NO_TITLES:
            self._compare_facts(url, old, new)
        if old.anchors:
            self._counts["anchors"] += 1
            if lost := tuple(anchor for anchor in old.anchors if anchor not in new.ids):
                self._anchors.append(Anchors(url, lost))

    def _compare_moved(self) -> None:
        """Compare pages with those that their URLs are redirected to: all of one at once, which is read only once."""
        moved: dict[str, list[str]] = {}
        for url in self._old.items:
            if url in self._new.redirects and url not in self._old.redirects and (end := self._new.follow(url)[0]):
                moved.setdefault(end, []).append(url)
        for end, ones in moved.items():
            if new := self._new.page(end):
                for url in ones:
                    if old := self._old.page(url):
                        self._compare_pages(url, old, new)

    def _compare_facts(self, url: str, old: Page, new: Page) -> None:
        old_titles, new_titles = self._old.names.titles(old), self._new.names.titles(new)
        self._counts["title"] += bool(old_titles and new_titles)
        loose = not (old.titles and new.titles)
        if title := match.title_difference(old_titles, new_titles, loose=loose):
            self._titles.append(Differs(url, *title))
        self._counts["date"] += match.has_date(old) and match.has_date(new)
        if date := match.date_difference(old, new, self._zone):
            self._dates.append(Differs(url, *date))
        old_authors, new_authors = self._old.names.authors_of(old), self._new.names.authors_of(new)
        self._counts["authors"] += bool(old_authors and new_authors)
        if authors := match.author_difference(old_authors, new_authors):
            self._authors.append(OtherAuthors(url, *authors))

    def _is_list(self, url: str) -> bool:
        return any(url in side.items and side.items[url].kind == "list" for side in (self._old, self._new))

    def _compare_feeds(self, url: str) -> None:
        old, new = self._old.reader.feed(url), self._new.reader.feed(url)
        if old is None or new is None:
            return
        self._counts["feeds"] += 1
        change = compare_feeds(url, old, new, self._end_of_old, self._end_of_new)
        if change.changed or change.only_old or change.only_new or change.old_format != change.new_format:
            self._feeds.append(change)

    def _end_of_old(self, link: str) -> str | None:
        """The final path in the new output of a link in the old feed."""
        return self._end(self._old.path_of(link))

    def _end_of_new(self, link: str) -> str | None:
        """The final path of a link in the new feed."""
        return self._end(self._new.path_of(link))

    def _end(self, path: str | None) -> str | None:
        return path if path is None else self._new.follow(path)[0] or path

    def result(self, accept: Sequence[str]) -> Comparison:
        """The result of the comparison."""
        kept: list[Kind] = []
        lost: list[Lost] = []
        moved: list[Moved] = []
        redirects: list[Differs] = []
        may_go = re.compile("|".join(translate(pattern) for pattern in accept)) if accept else None
        for url, item in self._old.items.items():
            outcome = self._outcome(url, item.kind)
            if isinstance(outcome, Lost):
                accepted = bool(may_go and may_go.match(url))
                lost.append(self._excused(outcome, "accepted" if accepted else ""))
            elif isinstance(outcome, Moved):
                moved.append(outcome)
            else:
                kept.append(item.kind)
                if isinstance(outcome, Differs):
                    redirects.append(outcome)
        return Comparison(
            old=self._old.tree.name,
            new=self._new.tree.name,
            urls_only=self._old.tree.root is None,
            old_urls=by_kind(item.kind for item in self._old.items.values()),
            new_urls=by_kind(item.kind for item in self._new.items.values()),
            kept=by_kind(kept),
            lost=tuple(self._near(lost)),
            redirected=tuple(moved),
            added=self._added(),
            compared=Compared(**self._counts),
            titles=tuple(sorted(self._titles, key=_url)),
            dates=tuple(sorted(self._dates, key=_url)),
            authors=tuple(sorted(self._authors, key=_url)),
            anchors=tuple(sorted(self._anchors, key=_url)),
            feeds=tuple(self._feeds),
            redirects=tuple(redirects),
            diagnostics=tuple(sorted((*self._old.reader.diagnostics, *self._new.reader.diagnostics), key=_order)),
        )

    def _excused(self, lost: Lost, excuse: Excuse) -> Lost:
        """A lost URL with its old redirect target, and the reason why it may be lost."""
        led_to = self._old.goals.get(lost.url, "")
        if lost.kind == "asset":
            excuse = "theme"
        elif lost.reason == "missing" and urls.is_first_page_of(lost.url, led_to) and self._new.served(led_to):
            excuse = "first-page"
        return msgspec.structs.replace(lost, led_to=led_to, excuse=excuse)

    def _added(self) -> tuple[Found, ...]:
        known = {self._new.served(url) for url in self._old.items}
        return tuple(Found(url, item.kind) for url, item in self._new.items.items() if url not in known)

    def _outcome(self, url: str, kind: Kind) -> Lost | Moved | Differs | None:
        """The difference of a URL of the old output; `None` if it is unchanged."""
        at = self._new.served(url)
        if at is None:
            return Lost(url, kind)
        if kind == "feed" and self._new.items[at].kind != "feed":
            return Lost(url, kind, "no-feed")
        if at not in self._new.redirects:
            is_loop = at in self._new.loops and url in self._old.redirects and not self._old.follow(url)[1]
            return Lost(url, kind, "loop") if is_loop else None
        if reason := self._new.follow(at)[1]:
            broken = url in self._old.redirects and self._old.follow(url)[1]
            return None if broken else Lost(url, kind, reason)
        if url not in self._old.redirects:
            goal, inside = self._new.end(at)
            return Moved(url, kind, goal, inside=inside)
        return self._other_goal(url, at)

    def _other_goal(self, url: str, at: str) -> Differs | None:
        """The difference between the targets of a redirect that both outputs have; `None` if they are the same."""
        old, new = self._old.end(url), self._new.end(at)
        expected = self._new.end(old[0]) if old[1] else old  # where the old target is now
        return None if new in (old, expected) else Differs(url, old[0], new[0])

    def _near(self, lost: list[Lost]) -> list[Lost]:
        """Lost URLs, each with a similar URL of the new output."""
        folded = {collision_key(url): url for url in self._new.items} if lost else {}
        done = []
        for one in lost:
            form = next((form for form in urls.siblings(one.url) if form in self._new.items), "")
            case = folded.get(collision_key(one.url), "")
            same = self._new_titles.get(self._lost_titles.get(one.url, ""), set())
            if one.reason != "missing":
                done.append(one)
            elif case:
                done.append(msgspec.structs.replace(one, near=case, near_by="case"))
            elif form:
                done.append(msgspec.structs.replace(one, near=form, near_by="form"))
            elif len(same) == 1 and self._lost_titles.get(one.url):
                done.append(msgspec.structs.replace(one, near=next(iter(same)), near_by="title"))
            else:
                done.append(one)
        return done


def _url(one: Differs | OtherAuthors | Anchors) -> str:
    return one.url


def _order(diagnostic: Diagnostic) -> tuple[object, ...]:
    return diagnostic.sort_key
