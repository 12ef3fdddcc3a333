"""From the site's values to what templates see: finished URLs, written dates, counts."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from datetime import datetime
from hashlib import blake2b
from urllib.parse import quote

from devlog.assemble.urls import url
from devlog.config import Config
from devlog.model import view
from devlog.model.site import Author, Post, Site, Topic

MONTHS = "January February March April May June July August September October November December".split()

WORDS_PER_MINUTE = 213
"""Silent reading of English, as Hugo takes it."""


class Views:
    """Builds each view once, when it is asked for, so that the same post is the same value in every list.

    Attributes:
        missing: the posts that were asked for though they are not parsed in full yet.
    """

    def __init__(self, config: Config, site: Site) -> None:
        self.missing: set[str] = set()
        self._config = config
        self._origin = config.origin
        self._urls: dict[str, str] = {}
        self._authors = {author.key: author for author in site.authors}
        self._tags = {slug: view.TagRef(name, self.url(tag_permalink(slug))) for slug, name in site.tags}
        self._topic_refs = {topic.path: self._topic_ref(topic) for topic in site.topics}
        self._author_refs: dict[tuple[str, str], view.AuthorRef] = {}
        self._refs: dict[str, view.PostRef] = {}

    def amended(self, texts: Iterable[str]) -> Views:
        """The views after some texts were parsed anew; all that is not about them is shared."""
        made = copy(self)
        made.missing = set()
        made._refs = {**self._refs}
        for path in texts:
            made._refs.pop(path, None)
        return made

    def url(self, permalink: str) -> str:
        """A permalink as pages link to it."""
        found = self._urls.get(permalink)
        if found is None:
            found = self._urls[permalink] = url(self._config, permalink)
        return found

    def absolute(self, permalink: str) -> str:
        """A permalink as other sites see it; without a configured origin, as pages link to it."""
        return self._origin + self.url(permalink)

    # -- posts

    def refs(self, posts: Iterable[Post]) -> tuple[view.PostRef, ...]:
        """Posts as a list shows them."""
        known = self._refs
        return tuple([known.get(post.parsed.path) or self._post_ref(post) for post in posts])

    def _post_ref(self, post: Post) -> view.PostRef:
        ref = view.PostRef(
            url=self.url(post.permalink),
            title=post.title,
            date=day(post.date, post.day_only),
            authors=self.authors(post),
            topic=self._topic_refs.get(post.topic),
            tags=self.tags(post),
            excerpt=post.excerpt,
            reading_time=reading_time(post),
            state=post.state,
        )
        if post.parsed.document.body:
            self._refs[post.id] = ref
        else:
            self.missing.add(post.id)
        return ref

    def post(self, post: Post) -> view.PostView:
        """A post or page on its own page."""
        ref = self._refs.get(post.id) or self._post_ref(post)
        file = quote(post.parsed.file)
        config = self._config
        edit_url = ""
        if config.edit_url:
            pattern = config.edit_url if "{path}" in config.edit_url else config.edit_url.rstrip("/") + "/{path}"
            edit_url = pattern.replace("{path}", file)
        return view.PostView(
            url=ref.url,
            title=post.title,
            date=ref.date if post.date else None,
            updated=day(post.updated, post.updated_day_only) if post.updated else None,
            authors=ref.authors,
            topic=ref.topic,
            tags=ref.tags,
            headings=post.parsed.document.headings if post.parsed.front_matter.toc else (),
            summary=post.parsed.front_matter.summary,
            reading_time=ref.reading_time,
            words=post.parsed.document.words,
            state=post.state,
            edit_url=edit_url,
            source_url=f"{config.source_repo.rstrip('/')}/blob/HEAD/{file}" if config.source_repo else "",
        )

    def tags(self, post: Post) -> tuple[view.TagRef, ...]:
        """The tags of a post."""
        return tuple(self._tags[slug] for slug in post.tags)

    def authors(self, post: Post) -> tuple[view.AuthorRef, ...]:
        """The byline of a post."""
        return tuple(self._author_ref(credit.author, credit.affiliation) for credit in post.credits)

    def _author_ref(self, key: str, affiliation: str) -> view.AuthorRef:
        found = self._author_refs.get((key, affiliation))
        if found is None:
            author = self._authors[key]
            found = view.AuthorRef(author.name, author.handle, self.url(author.permalink), affiliation, author.team)
            self._author_refs[key, affiliation] = found
        return found

    # -- topics, authors, tags

    def _topic_ref(self, topic: Topic) -> view.TopicRef:
        return view.TopicRef(topic.title, self.url(topic.permalink), hue(topic.path))

    def topic(self, topic: Topic, posts: Iterable[Post], subtopics: Iterable[Topic]) -> view.TopicView:
        """A topic with the posts below it; its authors come by number of posts."""
        posts = tuple(posts)
        counts: dict[str, int] = {}
        for post in posts:
            for credit in post.credits:
                counts[credit.author] = counts.get(credit.author, 0) + 1
        ranked = sorted(counts, key=lambda key: (-counts[key], self._authors[key].name.casefold(), key))
        return view.TopicView(
            title=topic.title,
            url=self.url(topic.permalink),
            hue=hue(topic.path),
            count=len(posts),
            description=topic.description,
            authors=tuple(self._author_ref(key, "") for key in ranked),
            subtopics=tuple(view.Link(sub.title, self.url(sub.permalink)) for sub in subtopics),
        )

    def author(self, author: Author, posts: Iterable[Post]) -> view.AuthorView:
        """An author with their posts."""
        posts = tuple(posts)
        topics = {post.topic: self._topic_refs[post.topic] for post in posts if post.topic}
        return view.AuthorView(
            name=author.name,
            handle=author.handle,
            url=self.url(author.permalink),
            count=len(posts),
            bio=author.bio,
            link=author.link if author.link.startswith(("https://", "http://")) else "",
            avatar=self._picture(author.avatar),
            affiliation=author.affiliation,
            team=author.team,
            topics=tuple(
                view.Link(ref.title, ref.url)
                for ref in sorted(topics.values(), key=lambda ref: (ref.title.casefold(), ref.url))
            ),
        )

    def _picture(self, picture: str) -> str:
        """A picture of the registry: on the web or, whatever else it looks like, a path from the site's root."""
        if not picture or picture.startswith(("https://", "http://")):
            return picture
        base = self._config.base_path
        return self.url("/" + (picture[len(base) :] if picture.startswith(base) else picture.lstrip("/")))

    def tag(self, slug: str, count: int) -> view.TagView:
        """A tag with the number of its posts."""
        ref = self._tags[slug]
        return view.TagView(ref.name, ref.url, count)


def tag_permalink(slug: str) -> str:
    """The permalink of a tag's page."""
    return f"/tags/{slug}/"


def day(date: datetime | None, day_only: bool) -> view.Day:
    """A date as pages write it; all fields are empty for a post without one."""
    if date is None:
        return view.Day("", "", "", 0)
    short = date.date().isoformat()
    iso = short if day_only else date.isoformat(timespec="seconds")
    return view.Day(iso, short, f"{MONTHS[date.month - 1]} {date.day}, {date.year}", date.year)


def reading_time(post: Post) -> int:
    """Minutes that reading takes, at least one."""
    return max(1, -(-post.parsed.document.words // WORDS_PER_MINUTE))


def hue(name: str) -> int:
    """A hue (0-359) for a topic: always the same for one name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) % 360


def shorten(text: str, limit: int = 200) -> str:
    """`text` cut at a word to at most `limit` characters, for descriptions."""
    if len(text) <= limit:
        return text
    return text[: limit - 2].rsplit(" ", 1)[0].rstrip(" .,;:–—") + " …"
