"""Converts values of the site into the views that templates see, with finished URLs, formatted dates and counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import msgspec

from devlog.assemble.reading_time import reading_time
from devlog.assemble.topic_hues import topic_hues
from devlog.assemble.urls import url
from devlog.config import Config
from devlog.model import view
from devlog.model.catalog import Catalog
from devlog.model.date_form import date_in_words
from devlog.model.post_note import PostNote
from devlog.model.site import Author, Post, Site, Topic

SHOWN = 16
"""The maximum number of authors and of tags of a post in a list; the post's own page shows all."""

FITTING = 400
"""The maximum total length, in characters, of the names that a list shows of a post; the first is always shown.

Posts can repeat a long name with few characters: the title of a post that supersedes them, or the name of an author in
the authors file.
"""

YEARS = 40
"""The maximum number of years in a calendar: a mistyped year must not make it endless."""

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_NOT_NAMES = frozenset({"the", "jr", "sr", "ii", "iii", "iv"})


def fitting(names: Iterable[str]) -> int:
    """How many of some names a list shows: as many as fit, but at least the first."""
    count = length = 0
    for name in names:
        length += len(name)
        if count and length > FITTING:
            break
        count += 1
    return count


def language_of(post: Post, config: Config) -> str:
    """The language tag of a post that is not in the language of the site; else empty."""
    own = post.parsed.front_matter.language
    return own if own.lower() != config.language.lower() else ""


class Views:
    """Builds each view once, on demand, so that a post is the same value in every list.

    Attributes:
        missing: the posts that were requested though they are not parsed in full yet.
        t: the message catalog of the site.
    """

    def __init__(
        self,
        config: Config,
        site: Site,
        avatars: Mapping[str, str],
        t: Catalog,
        notes: Mapping[str, PostNote] | None = None,
    ) -> None:
        """
        Args:
            config: the configuration of the site.
            site: the site that is shown.
            avatars: the URLs of avatars by the author's key, for authors who have one.
            t: the message catalog of the site.
            notes: notes of features on posts, by id.
        """
        self.missing: set[str] = set()
        self.t = t
        self._config = config
        self._origin = config.origin
        self._edit_pattern, self._view_pattern = config.edit_pattern, config.view_pattern
        self._avatars = avatars
        self._notes = notes or {}
        self._statuses = {id_: note.status for id_, note in self._notes.items() if note.status}
        self._urls: dict[str, str] = {}
        self._authors = {author.key: author for author in site.authors}
        self._tags = {slug: view.TagRef(name, self.url(tag_permalink(slug))) for slug, name in site.tags}
        self._hues = topic_hues(site)
        self._topic_refs = {topic.path: self._topic_ref(topic) for topic in site.topics}
        self._author_refs: dict[tuple[str, str], view.AuthorRef] = {}
        self._refs: dict[str, view.PostRef] = {}

    def updated(self, sources: Iterable[str]) -> Views:
        """A copy after some sources were parsed again; it shares all views that do not depend on them."""
        made = copy(self)
        made.missing = set()
        made._refs = {**self._refs}
        for path in sources:
            made._refs.pop(path, None)
        return made

    def url(self, permalink: str) -> str:
        """The URL of a permalink as pages link to it."""
        found = self._urls.get(permalink)
        if found is None:
            found = self._urls[permalink] = url(self._config, permalink)
        return found

    def absolute(self, permalink: str) -> str:
        """The absolute URL of a permalink; without a configured origin, the URL as pages link to it."""
        return self._origin + self.url(permalink)

    def day(self, date: datetime | None, *, day_only: bool) -> view.Day:
        """A date as pages show it; all fields are empty for a post without a date."""
        return day(self.t, date, self._config.date_format, day_only=day_only)

    # -- posts

    def note(self, post: Post) -> PostNote | None:
        """The note of features on a post; `None` without one, as for most posts."""
        return self._notes.get(post.parsed.path)

    def ai(self, post: Post) -> view.AiView | None:
        """How AI was involved in writing a post; `None` if that is not declared."""
        note = self.note(post)
        if note is None or note.ai is None:
            return None
        return msgspec.structs.replace(note.ai, in_text=post.parsed.document.discloses)

    def status(self, post: Post) -> str:
        """The status of a post; empty for most."""
        return self._statuses.get(post.id, "")

    def excerpt(self, post: Post) -> str:
        """The excerpt of a post or page, which is missing while only its front matter is parsed."""
        if not post.parsed.document.body:
            self.missing.add(post.id)
        return post.excerpt

    def refs(self, posts: Iterable[Post]) -> tuple[view.PostRef, ...]:
        """Posts as lists show them."""
        known = self._refs
        return tuple([known.get(post.parsed.path) or self._post_ref(post) for post in posts])

    def whole(self, posts: Iterable[Post]) -> tuple[view.PostRef, ...]:
        """Posts with all authors and tags, for the one list that names them all."""
        posts = tuple(posts)
        return tuple(map(self._whole, self.refs(posts), posts))

    def _whole(self, ref: view.PostRef, post: Post) -> view.PostRef:
        if not (ref.more_authors or ref.more_tags):
            return ref
        return msgspec.structs.replace(
            ref, authors=self.authors(post), tags=self.tags(post), more_authors=0, more_tags=0
        )

    def _post_ref(self, post: Post) -> view.PostRef:
        authors, tags = self.authors(post, SHOWN), self.tags(post, SHOWN)
        authors = authors[: fitting(author.name + author.affiliation for author in authors)]
        tags = tags[: fitting(tag.name for tag in tags)]
        ref = view.PostRef(
            url=self.url(post.permalink),
            title=post.title,
            date=self.day(post.date, day_only=post.day_only),
            authors=authors,
            topic=self._topic_refs.get(post.topic),
            tags=tags,
            excerpt=post.excerpt,
            reading_time=reading_time(post),
            state=post.state,
            status=self._statuses.get(post.parsed.path, ""),
            more_authors=len(post.credits) - len(authors),
            more_tags=len(post.tags) - len(tags),
            language=self.language(post),
        )
        if post.parsed.document.body:
            self._refs[post.id] = ref
        else:
            self.missing.add(post.id)
        return ref

    def log(self, post: Post) -> view.LogRef:
        """A post as another post links to it."""
        known, topic = self._refs.get(post.parsed.path), self._topic_refs.get(post.topic)
        date = known.date if known else self.day(post.date, day_only=post.day_only)
        status = self._statuses.get(post.parsed.path, "")
        language = self.language(post)
        return view.LogRef(self.url(post.permalink), post.title, date, topic, post.state, status, language)

    def post(self, post: Post, discuss_url: str = "") -> view.PostView:
        """A post or plain page as its own page shows it; `discuss_url` is the URL of its discussion."""
        ref = self._refs.get(post.id) or self._post_ref(post)
        edit_url, source_url = self._addresses_of_source(post.parsed.file)
        headings = post.parsed.document.headings if post.parsed.front_matter.toc else ()
        shown = view.PostView(
            url=ref.url,
            title=post.title,
            date=ref.date if post.date else None,
            updated=self.day(post.updated, day_only=post.updated_day_only) if post.updated else None,
            authors=self.authors(post) if ref.more_authors else ref.authors,
            topic=ref.topic,
            tags=self.tags(post) if ref.more_tags else ref.tags,
            headings=tuple(heading for heading in headings if heading.text),  # a link needs a name
            summary=post.parsed.front_matter.summary,
            reading_time=ref.reading_time,
            words=post.parsed.document.words,
            state=post.state,
            edit_url=edit_url,
            source_url=source_url,
            discuss_url=discuss_url,
            language=ref.language,
        )
        note = self.note(post)
        if note is None:
            return shown
        return msgspec.structs.replace(shown, **{**note.fields, "status": note.status, "ai": self.ai(post)})

    def link(self, post: Post) -> view.Link:
        """A post or plain page as a link with its title."""
        return view.Link(post.title, self.url(post.permalink), self.language(post))

    def language(self, post: Post) -> str:
        """The language tag of a post that is not in the language of the site; else empty."""
        return language_of(post, self._config)

    def _addresses_of_source(self, file: str) -> tuple[str, str]:
        """The URLs where a file of the site can be edited and viewed; empty if they are not configured."""
        if not (self._edit_pattern or self._view_pattern):
            return "", ""
        in_repository = quote(self._config.source_path(file))
        return self._edit_pattern.replace("{path}", quote(file)), self._view_pattern.replace("{path}", in_repository)

    def tags(self, post: Post, most: int | None = None) -> tuple[view.TagRef, ...]:
        """The tags of a post, at most `most` of them."""
        return tuple(self._tags[slug] for slug in post.tags[:most])

    def authors(self, post: Post, most: int | None = None) -> tuple[view.AuthorRef, ...]:
        """The byline of a post, at most `most` authors of it."""
        return tuple(self._author_ref(credit.author, credit.affiliation) for credit in post.credits[:most])

    def _author_ref(self, key: str, affiliation: str) -> view.AuthorRef:
        found = self._author_refs.get((key, affiliation))
        if found is None:
            author = self._authors[key]
            found = view.AuthorRef(
                name=author.name,
                handle=author.handle,
                url=self.url(author.permalink),
                affiliation=affiliation,
                team=author.team,
                avatar=self._avatars.get(key, ""),
                initials=initials(author.name),
            )
            self._author_refs[key, affiliation] = found
        return found

    # -- topics, authors, tags

    def _topic_ref(self, topic: Topic) -> view.TopicRef:
        return view.TopicRef(topic.title, self.url(topic.permalink), self._hues[topic.path])

    def topic(self, topic: Topic, posts: Iterable[Post], subtopics: Iterable[Topic]) -> view.TopicView:
        """A topic with the posts below it; its authors are sorted by their number of posts, highest first."""
        posts = tuple(posts)
        counts: dict[str, int] = {}
        for post in posts:
            for credit in post.credits:
                counts[credit.author] = counts.get(credit.author, 0) + 1
        ranked = sorted(counts, key=lambda key: (-counts[key], self._authors[key].name.casefold(), key))
        return view.TopicView(
            title=topic.title,
            url=self.url(topic.permalink),
            hue=self._hues[topic.path],
            count=len(posts),
            description=topic.description,
            authors=tuple(self._author_ref(key, "") for key in ranked),
            subtopics=tuple(view.Link(sub.title, self.url(sub.permalink)) for sub in subtopics),
        )

    def author(self, author: Author, posts: Iterable[Post]) -> view.AuthorView:
        """An author with their posts."""
        posts = tuple(posts)
        topics = {post.topic: self._topic_refs[post.topic] for post in posts if post.topic}
        dated = [post for post in posts if post.date]
        return view.AuthorView(
            name=author.name,
            handle=author.handle,
            url=self.url(author.permalink),
            count=len(posts),
            bio=author.bio,
            link=author.link if author.link.startswith(("https://", "http://")) else "",
            avatar=self._avatars.get(author.key, ""),
            affiliation=author.affiliation,
            team=author.team,
            topics=tuple(
                view.Link(ref.title, ref.url)
                for ref in sorted(topics.values(), key=lambda ref: (ref.title.casefold(), ref.url))
            ),
            initials=initials(author.name),
            links=tuple(view.Link(title, target) for title, target in author.links),
            first=self.day(dated[-1].date, day_only=dated[-1].day_only) if dated else _NO_DAY,
            last=self.day(dated[0].date, day_only=dated[0].day_only) if dated else _NO_DAY,
            calendar=calendar(dated),
        )

    def tag(self, slug: str, count: int) -> view.TagView:
        """A tag with the number of its posts."""
        ref = self._tags[slug]
        return view.TagView(ref.name, ref.url, count)


def tag_permalink(slug: str) -> str:
    """The permalink of a tag's page."""
    return f"/tags/{slug}/"


_NO_DAY = view.Day("", "", "", 0)


def day(t: Catalog, date: datetime | None, form: str, *, day_only: bool) -> view.Day:
    """A date as pages show it; all fields are empty for a post without a date.

    Args:
        t: the message catalog of the site.
        date: the date of a post.
        form: how the date is shown; see `devlog.model.date_form`.
        day_only: whether the date has no time.
    """
    if date is None:
        return _NO_DAY
    text = date_in_words(date, form, t)
    return view.Day(iso_date(date, day_only=day_only), date.date().isoformat(), text, date.year)


_MINUTE = timedelta(minutes=1)


def iso_date(date: datetime, day_only: bool) -> str:
    """A date in ISO 8601, with its time unless `day_only`."""
    if day_only:
        return date.date().isoformat()
    offset = date.utcoffset() or timedelta()
    if offset % _MINUTE:  # as before there were time zones: HTML has whole minutes
        date = date.replace(tzinfo=timezone(round(offset / _MINUTE) * _MINUTE))
    return date.isoformat(timespec="seconds")


def excerpt_parts(post: Post) -> tuple[view.ExcerptPart, ...]:
    """The parts of a post's excerpt; none if it is plain text."""
    text, marks = post.excerpt, post.parsed.document.marks
    if not marks or text != post.parsed.document.excerpt:
        return ()
    parts, place = [], 0
    for mark in marks:
        parts += [view.ExcerptPart(text[place : mark.start])] if mark.start > place else []
        parts.append(view.ExcerptPart(text[mark.start : mark.end], mark.kind))
        place = mark.end
    return (*parts, view.ExcerptPart(text[place:])) if place < len(text) else tuple(parts)


def shorten(text: str, limit: int = 200) -> str:
    """`text` cut to at most `limit` characters, for descriptions: after a sentence, or else after a word."""
    if len(text) <= limit:
        return text
    from devlog.model.sentences import whole_sentences

    return whole_sentences(text, limit) or text[: limit - 2].rsplit(" ", 1)[0].rstrip(" .,;:–—") + " …"


def months(posts: Iterable[Post]) -> tuple[view.MonthCount, ...]:
    """The number of posts in each month, from the oldest post to the newest, for at most the last forty years."""
    counts = Counter((post.date.year, post.date.month) for post in posts if post.date)
    return tuple(view.MonthCount(year, month, counts[year, month]) for year, month in _months(counts))


def _months(counts: Mapping[tuple[int, int], int]) -> Iterator[tuple[int, int]]:
    if counts:
        (year, month), last = min(counts), max(counts)
        if year <= last[0] - YEARS:
            year, month = last[0] - YEARS + 1, 1
        while (year, month) <= last:
            yield year, month
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)


def calendar(posts: Iterable[Post]) -> tuple[view.CalendarYear, ...]:
    """The years of some posts with the number in each month: oldest first, without gaps, at most forty."""
    counts = Counter((post.date.year, post.date.month) for post in posts if post.date)
    if not counts:
        return ()
    first, last = min(counts)[0], max(counts)[0]
    years = []
    for year in range(max(first, last - YEARS + 1), last + 1):
        of_months = tuple(counts[year, month] for month in range(1, 13))
        years.append(view.CalendarYear(year, sum(of_months), of_months))
    return tuple(years)


def initials(name: str) -> str:
    """The initials of an author, shown in place of a missing avatar: at most two characters.

    For a name with letter case, these are the first letters of its first and its last word; for a single word or a
    handle, its first letter; for a name in a script without capitals, where words are not abbreviated, its first
    character.
    """
    words = _WORD.findall(name)
    words = [word for word in words if not word.isdigit() and word.casefold() not in _NOT_NAMES] or words
    if not words:
        return name.strip()[:1]
    has_capitals = words[0][0].upper() != words[0][0].lower()
    chosen = [words[0], words[-1]] if len(words) > 1 and has_capitals else words[:1]
    return "".join(_capital(word) for word in chosen)


def _capital(word: str) -> str:
    """The first letter of a word as a capital; a letter whose capital form has two letters (ß) stays as it is."""
    capital = word[0].upper()
    return capital if len(capital) == 1 else word[0]
