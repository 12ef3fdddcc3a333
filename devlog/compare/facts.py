"""Extracts the title, date, authors and anchors of a page, in all the ways in which generators and themes mark them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from devlog.compare.html import Tag, attributes, tags
from devlog.model.character_references import unescape
from devlog.model.json_depth import check_json_depth

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ASIDE = frozenset({"nav", "aside", "footer"})
_READ = _HEADINGS | _ASIDE | {"article", "base", "link", "meta", "script", "time"}
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_TITLES = frozenset({"og:title", "twitter:title"})
_DATES = frozenset(
    {"article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "dc.date.issued", "pubdate"}
)
_MARKED = re.compile(r"\b(?:id|itemprop|name)\s*=|\bauthor\b|dt-published", re.IGNORECASE)
_REFRESH = re.compile(r"\s*[0-9.]*\s*[;,]?\s*(?:url\s*=\s*)?(.*)", re.IGNORECASE | re.DOTALL)
_OPEN = 8  # the maximum number of texts that are collected at once
_TEXT = 2000
_MANY = 200  # the maximum number of facts of each kind
_LINKED_DATA = 1 << 18


class Page(msgspec.Struct, frozen=True):
    """The facts about a page.

    Attributes:
        titles: the titles in its metadata, the most reliable first.
        window: the text of its ``<title>``.
        headings: the texts of its first level-1 headings.
        site: the names of the site in its metadata.
        dates: the publication dates in its metadata.
        times: other dates in it.
        authors: the authors in its metadata: a list of names for each kind of metadata.
        bylines: the authors in its text, in the same form.
        anchors: the ids of headings, except those in navigation, asides and footers.
        ids: all ids that can be the target of a link.
        refresh: the target of its redirect; empty if it has none.
        canonical: its canonical URL.
        base: the base URL of its relative links, if it is not its own URL.
        articles: the number of articles in it.
        article: whether its metadata declares it an article.
    """

    titles: tuple[str, ...] = ()
    window: str = ""
    headings: tuple[str, ...] = ()
    site: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    authors: tuple[tuple[str, ...], ...] = ()
    bylines: tuple[tuple[str, ...], ...] = ()
    anchors: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    refresh: str = ""
    canonical: str = ""
    base: str = ""
    articles: int = 0
    article: bool = False


def read_page(html: str) -> Page:
    """Read a page. Errors in its HTML never make this fail."""
    reader = _Reader()
    for tag in tags(html, reader.wants_text):
        reader.read(tag)
    return reader.page()


class _Text:
    """The text of an element, collected until the element ends."""

    __slots__ = ("depth", "kind", "name", "parts", "size")

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind
        self.depth = 1
        self.size = 0
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        if self.size < _TEXT:
            self.parts.append(text[:_TEXT])
            self.size += len(text)


class _Reader:
    """Goes through the tags of a page and records its facts."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}
        self._linked: dict[str, list[str]] = {}
        self._texts: list[_Text] = []
        self._anchors: dict[str, None] = {}
        self._ids: set[str] = set()
        self._aside = 0
        self._articles = 0
        self._in_article = 0
        self._is_dated = False
        self._heading = ""
        self._linked_data = False

    def read(self, tag: Tag) -> None:
        if self._texts and tag.before:
            text = unescape(tag.before)
            for open_text in self._texts:
                open_text.add(text)
        if tag.opens:
            self._start(tag)
        else:
            self._end(tag)

    def wants_text(self) -> bool:
        return bool(self._texts)

    def page(self) -> Page:
        said = self._said.get
        linked = self._linked.get
        titles = [*said("og:title", []), *linked("headline", []), *said("twitter:title", []), *said("headline", [])]
        authors = [linked("author", []), said("author", []), said("article:author", [])]
        bylines = [said("itemprop author", []), said("author text", [])]
        return Page(
            titles=_unique(titles),
            window=next(iter(said("title", [])), ""),
            headings=_unique(said("h1", []))[:3],
            site=_unique(said("og:site_name", [])),
            dates=_unique([*said("date", []), *linked("datePublished", [])]),
            times=_unique(said("time", [])),
            authors=tuple(_unique(names) for names in authors if names),
            bylines=tuple(_unique(names) for names in bylines if names),
            anchors=tuple(self._anchors),
            ids=frozenset(self._ids),
            refresh=next(iter(said("refresh", [])), ""),
            canonical=next(iter(said("canonical", [])), ""),
            base=next(iter(said("base", [])), ""),
            articles=self._articles,
            article="article" in said("og:type", []) or bool(linked("datePublished")),
        )

    def _say(self, kind: str, text: str) -> None:
        text = " ".join(text.split())
        said = self._said.setdefault(kind, [])
        if text and len(said) < _MANY:
            said.append(text[:_TEXT])

    def _collect(self, tag: Tag, kind: str) -> None:
        if len(self._texts) < _OPEN and tag.name not in _VOID:
            self._texts.append(_Text(tag.name, kind))

    def _start(self, tag: Tag) -> None:
        for text in self._texts:
            text.depth += text.name == tag.name
        if tag.name == "title":
            self._collect(tag, "title")
        elif tag.name in _READ or _MARKED.search(tag.source):
            self._marked(tag, attributes(tag.source))

    def _marked(self, tag: Tag, given: dict[str, str]) -> None:
        anchor = given.get("id") or (given.get("name", "") if tag.name == "a" else "")
        if anchor:
            self._ids.add(anchor)
            if self._heading and not self._aside:
                self._anchors[anchor] = None
        if tag.name in _HEADINGS:
            self._heading_starts(tag, anchor)
        elif tag.name in _ASIDE:
            self._aside += 1
        elif tag.name == "article":
            self._articles += 1
            self._in_article += 1
        elif tag.name == "script":
            if given.get("type", "").strip().lower() == "application/ld+json":
                self._linked_data = True
        elif tag.name in {"base", "link", "meta"}:
            self._head(tag.name, given)
        else:
            self._in_text(tag, given)

    def _heading_starts(self, tag: Tag, anchor: str) -> None:
        self._heading = tag.name
        if self._aside:
            return
        if anchor:
            self._anchors[anchor] = None
        if tag.name == "h1":
            self._collect(tag, "h1")

    def _head(self, name: str, given: dict[str, str]) -> None:
        if name == "base":
            self._say("base", given.get("href", ""))
        elif name == "link":
            if "canonical" in given.get("rel", "").lower().split():
                self._say("canonical", given.get("href", ""))
        elif given.get("http-equiv", "").strip().lower() == "refresh":
            self._say("refresh", _target(given.get("content", "")))
        else:
            self._meta(given)

    def _meta(self, given: dict[str, str]) -> None:
        key = (given.get("property") or given.get("name") or given.get("itemprop") or "").strip().lower()
        content = given.get("content", "")
        if key in _TITLES or key in {"headline", "og:site_name", "og:type"}:
            self._say(key, content)
        elif key in _DATES:
            self._say("date", content)
        elif key in {"author", "dc.creator"}:
            self._say("author", content)
        elif key == "article:author" and "://" not in content:
            self._say(key, content)

    def _in_text(self, tag: Tag, given: dict[str, str]) -> None:
        classes = given.get("class", "").split()
        property_ = given.get("itemprop", "").split()
        if tag.name == "time" or "datePublished" in property_ or "dt-published" in classes:
            self._time(tag, given, classes, property_)
        elif "headline" in property_:
            self._collect(tag, "headline")
        elif "author" in property_:
            self._collect(tag, "itemprop author")
        elif "name" in property_ and any(text.kind == "itemprop author" for text in self._texts):
            self._collect(tag, "name")
        elif "p-author" in classes or "author" in given.get("rel", "").lower().split():
            self._collect(tag, "author text")

    def _time(self, tag: Tag, given: dict[str, str], classes: list[str], property_: list[str]) -> None:
        date = given.get("datetime") or given.get("content", "")
        if "dateModified" in property_ or "dt-updated" in classes or self._aside:
            return
        if self._is_dated and self._articles and not self._in_article:
            return  # behind the article: the date of a related post or a comment
        self._is_dated = True
        published = "datePublished" in property_ or "dt-published" in classes or "pubdate" in given
        kind = "date" if published else "time"
        if date:
            self._say(kind, date)
        else:
            self._collect(tag, kind)

    def _end(self, tag: Tag) -> None:
        if tag.name == "script" and self._linked_data:
            self._linked_data = False
            self._read_linked_data(tag.before)
        elif tag.name in _ASIDE:
            self._aside = max(0, self._aside - 1)
        elif tag.name == "article":
            self._in_article = max(0, self._in_article - 1)
        elif tag.name in _HEADINGS:
            self._heading = ""
        for text in [text for text in self._texts if text.name == tag.name]:
            text.depth -= 1
            if not text.depth:
                self._texts.remove(text)
                self._finish(text)

    def _finish(self, text: _Text) -> None:
        if text.kind == "name":  # inside an author element, only this is the name
            for outer in self._texts:
                if outer.kind == "itemprop author":
                    outer.parts, outer.size = list(text.parts), _TEXT
            return
        self._say(text.kind, "".join(text.parts))

    def _read_linked_data(self, text: str) -> None:
        if len(text) > _LINKED_DATA:
            return
        try:
            check_json_depth(text)
            data = json.loads(text)
        except (ValueError, RecursionError):
            return
        for thing in _things(data):
            kind = " ".join(_strings(thing.get("@type")))
            if re.search(r"Article|Posting|WebPage", kind):
                for key in ("headline", "datePublished"):
                    self._link(key, _strings(thing.get(key)))
                self._link("author", _names(thing.get("author")))

    def _link(self, key: str, texts: list[str]) -> None:
        linked = self._linked.setdefault(key, [])
        linked += texts[: _MANY - len(linked)]


def _things(data: Any) -> Iterator[dict[str, Any]]:
    """The objects on the top levels of linked data (JSON-LD)."""
    rows = data if isinstance(data, list) else [data]
    for row in rows[:_MANY]:
        if isinstance(row, dict):
            yield row
            graph = row.get("@graph")
            yield from (item for item in graph[:_MANY] if isinstance(item, dict)) if isinstance(graph, list) else ()


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [item[:_TEXT] for item in values[:_MANY] if isinstance(item, str)]


def _names(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    found = [item.get("name") if isinstance(item, dict) else item for item in values[:_MANY]]
    return [name for item in found for name in _strings(item)]


def _target(content: str) -> str:
    """The URL in the content of a ``refresh``; empty if the page only reloads itself."""
    found = _REFRESH.fullmatch(content[:_TEXT])
    return found[1].strip().strip("\"'").strip() if found else ""


def _unique(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
