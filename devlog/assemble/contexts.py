"""What goes into each file: a page's whole context, made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import msgspec

from devlog.assemble.claims import Claim
from devlog.assemble.feeds import FEED_TYPES, Feed, feed_entry, feed_files, feed_view
from devlog.assemble.machine import facts, sitemap
from devlog.assemble.pagination import Page
from devlog.assemble.references import References
from devlog.assemble.site import Assembled, parents
from devlog.assemble.structured import blog, blog_posting, person
from devlog.assemble.views import Views, day, shorten, tag_permalink
from devlog.config import Config
from devlog.model import view
from devlog.model.document import Parsed
from devlog.model.site import Author, Post, Redirect, Site, Topic
from devlog.model.target import Entry, Filling
from devlog.model.theme import Theme
from devlog.plugin import Wanted

Context = dict[str, Any]


class Contexts:
    """Makes contexts: one method for each kind of file.

    Attributes:
        site: the site.
        references: those of its texts.
        views: what templates see of it.
        by_topic: which posts a topic shows, those of the topics below it included: their places in ``site.posts``.
        by_author: which posts an author has, likewise.
        by_tag: which posts have a tag, likewise.
    """

    def __init__(self, config: Config, assembled: Assembled, theme: Theme, own_url: str) -> None:
        """
        Args:
            config: with what the command line replaces.
            assembled: the site.
            theme: its theme.
            own_url: the configured URL, which posts may write in their links.
        """
        self.site = assembled.site
        self.views = Views(config, assembled.site)
        self.references = References(config, assembled, self.views, own_url)
        self._config = config
        self._theme = theme
        self.by_topic: dict[str, list[int]] = {topic.path: [] for topic in self.site.topics}
        self.by_topic |= self._group((post.topic, *parents(post.topic)) for post in self.site.posts)
        self.by_author = self._group({credit.author for credit in post.credits} for post in self.site.posts)
        self.by_tag = self._group(post.tags for post in self.site.posts)
        self._topics = {topic.path: topic for topic in self.site.topics}
        self._authors = {author.key: author for author in self.site.authors}
        self._common = self._shared()
        self._crumbs = {topic.path: self._breadcrumbs(topic.path) for topic in self.site.topics}
        self._feeds_of_posts = {topic.path: self._feeds_of_topic(topic) for topic in self.site.topics}
        # What long lists show on each of their pages; nothing in them is about texts.
        self._topic_views: dict[str, view.TopicView] = {}
        self._author_views: dict[str, view.AuthorView] = {}
        self._entries: tuple[object, tuple[Entry, ...]] = (None, ())

    def amended(self, site: Site, texts: Mapping[str, Parsed]) -> Contexts:
        """The contexts after some texts, by path, were parsed anew; `site` has them already."""
        made = copy(self)
        made.site = site
        made.views = self.views.amended(texts)
        made.references = self.references.amended(made.views, texts)
        made._topics = {topic.path: topic for topic in site.topics}
        made._entries = (None, ())
        return made

    def make(self, claim: Claim) -> tuple[Context, frozenset[str]]:
        """What goes into a claimed file, and the texts in it that are not parsed in full yet."""
        self.views.missing.clear()
        self.references.missing.clear()
        context = claim.make(self, *claim.about)
        return context, frozenset(self.views.missing | self.references.missing)

    def _group(self, keys: Iterable[Iterable[str]]) -> dict[str, list[int]]:
        """The places of the posts under each key; `keys` yields the keys of each post in turn."""
        groups: dict[str, list[int]] = {}
        for place, post_keys in enumerate(keys):
            for key in post_keys:
                groups.setdefault(key, []).append(place)
        return groups

    def posts(self, places: Sequence[int]) -> list[Post]:
        """The posts at some places of ``site.posts``."""
        posts = self.site.posts
        return [posts[place] for place in places]

    # -- what all pages share

    def _shared(self) -> Context:
        config, url = self._config, self.views.url
        return {
            "site": view.SiteView(
                title=config.title,
                description=config.description,
                language=config.language,
                url=url("/"),
                base_url=config.base_url or "/",
                archive_url=url("/archive/"),
                authors_url=url("/authors/"),
                tags_url=url("/tags/"),
                menu=self._menu(),
                feeds=self._feed_links("/", config.title, json=True),
                source_repo=config.source_repo,
                copyright=config.copyright,
                settings={**msgspec.json.decode(self._theme.settings), **config.settings},
            ),
            # A URL changes with the file's bytes, so that browsers' caches let go of the old one.
            "assets": {
                asset.path: f"{url(f'/theme/{asset.path}')}?v={asset.digest[:8]}" for asset in self._theme.assets
            },
        }

    def _menu(self) -> tuple[view.Link, ...]:
        if self._config.menu:
            items = sorted(self._config.menu, key=lambda item: item.weight)
            base = self._config.base_path
            return tuple(
                view.Link(
                    item.name,
                    self.views.url(item.url)
                    if item.url.startswith("/") and not (base != "/" and item.url.startswith(base))
                    else item.url,
                )
                for item in items
            )
        pages = [view.Link(page.title, self.views.url(page.permalink)) for page in self.site.pages if page.in_menu]
        lists = [view.Link("Archive", self.views.url("/archive/"))]
        if self.site.authors:
            lists.append(view.Link("Authors", self.views.url("/authors/")))
        if self.site.tags:
            lists.append(view.Link("Tags", self.views.url("/tags/")))
        return (*lists, *pages)

    def _feed_links(self, folder: str, title: str, *, json: bool) -> tuple[view.FeedLink, ...]:
        files = feed_files(self._config, folder, json=json)
        return tuple(view.FeedLink(title, self.views.url(own), FEED_TYPES[kind]) for kind, own in files.items())

    def _feeds_of_topic(self, topic: Topic) -> tuple[view.FeedLink, ...]:
        """The feeds that pages of a topic name: its own, then the site's."""
        own = self._feed_links(topic.permalink, f"{topic.title} · {self._config.title}", json=True)
        return own + self._feed_links("/", self._config.title, json=True)

    def _breadcrumbs(self, topic: str) -> tuple[view.Link, ...]:
        crumbs = [view.Link("Home", self.views.url("/"))]
        parts = topic.split("/") if topic else []
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            found = self._topics.get(path)
            if found:
                crumbs.append(view.Link(found.title, self.views.url(found.permalink)))
        return tuple(crumbs)

    def _page(self, kind: str, title: str, permalink: str, description: str, **more: Any) -> view.PageView:
        return view.PageView(
            kind=kind,
            title=title,
            url=self.views.url(permalink),
            canonical=self.views.absolute(permalink) if self._config.origin else "",
            description=shorten(description),
            **more,
        )

    def _content(self, parsed: Parsed | None) -> Filling | str:
        return self.references.of(parsed.path).filling if parsed else ""

    # -- pages

    def home(self) -> Context:
        """The home page."""
        config, site = self._config, self.site
        top = [topic for topic in site.topics if "/" not in topic.path]
        top.sort(key=lambda topic: not self.by_topic[topic.path])
        page = self._page(
            "home",
            config.title,
            "/",
            config.description,
            feeds=self._feed_links("/", config.title, json=True),
            json_ld=blog(config, self.views.absolute("/")),
        )
        return {
            **self._common,
            "page": page,
            "content": self._content(site.home),
            "recent": self.views.refs(site.posts[: config.recent]),
            "topics": tuple(self.views.topic(topic, self.posts(self.by_topic[topic.path]), ()) for topic in top),
            "total": len(site.posts),
        }

    def topic(self, path: str, part: Page) -> Context:
        """A page of a topic."""
        topic, places = self._topics[path], self.by_topic[path]
        if path not in self._topic_views:
            subtopics = [sub for sub in self.site.topics if sub.path.rpartition("/")[0] == path]
            self._topic_views[path] = self.views.topic(topic, self.posts(places), subtopics)
        page = self._page(
            "topic",
            part.titled(topic.title),
            part.permalink,
            topic.description,
            feeds=self._feed_links(topic.permalink, f"{topic.title} · {self._config.title}", json=True),
            breadcrumbs=self._breadcrumbs(path.rpartition("/")[0]),
        )
        is_first = part.number == 1
        recent = places[: self._config.topic_recent] if is_first else []
        return {
            **self._common,
            "page": page,
            "topic": self._topic_views[path],
            "content": self._content(topic.index) if is_first else "",
            "recent": self.views.refs(self.posts(recent)),
            **self._list(places, part),
        }

    def _list(self, places: Sequence[int], part: Page) -> Context:
        """The posts of a page of a long list, and where it stands."""
        posts = self.posts(places[part.start : part.stop])
        return {"posts": self.views.refs(posts), "pagination": part.pagination(self.views.url)}

    def post(self, place: int, older: int | None, newer: int | None) -> Context:
        """A post, by its place in ``site.posts``, with its neighbours in its topic."""
        post = self.site.posts[place]
        shown = self.views.post(post)
        resolved = self.references.of(post.id)
        updated = day(post.updated, post.updated_day_only).iso if post.updated else ""
        description = post.parsed.front_matter.description or post.excerpt
        page = self._page(
            "post",
            post.title,
            post.permalink,
            description,
            image=resolved.image,
            published=shown.date.iso if shown.date else "",
            modified=updated,
            authors=tuple(author.name for author in shown.authors),
            tags=tuple(tag.name for tag in shown.tags),
            feeds=self._feeds_of_posts.get(post.topic) or self._common["site"].feeds,
            breadcrumbs=self._crumbs.get(post.topic) or self._breadcrumbs(post.topic),
            json_ld=blog_posting(self._config, shown, self.views.absolute(post.permalink), resolved.image, description),
            noindex=bool(post.state),
        )
        canonical = post.parsed.front_matter.canonical_url
        if canonical.startswith(("https://", "http://")):
            page = msgspec.structs.replace(page, canonical=canonical)
        return {
            **self._common,
            "page": page,
            "post": shown,
            "content": resolved.filling,
            "previous": self._link(older),
            "next": self._link(newer),
        }

    def _link(self, place: int | None) -> view.Link | None:
        if place is None:
            return None
        post = self.site.posts[place]
        return view.Link(post.title, self.views.url(post.permalink))

    def page(self, place: int) -> Context:
        """A plain page, by its place in ``site.pages``."""
        post = self.site.pages[place]
        description = post.parsed.front_matter.description or post.excerpt
        crumbs = self._breadcrumbs("")
        page = self._page("page", post.title, post.permalink, description, breadcrumbs=crumbs, noindex=bool(post.state))
        return {**self._common, "page": page, "post": self.views.post(post), "content": self._content(post.parsed)}

    # -- lists

    def authors(self) -> Context:
        """The list of authors."""
        page = self._page("authors", "Authors", "/authors/", f"Who writes in {self._config.title}.")
        shown = [self._author_view(author) for author in self.site.authors if self.by_author.get(author.key)]
        return {**self._common, "page": page, "authors": tuple(shown)}

    def _author_view(self, author: Author) -> view.AuthorView:
        found = self._author_views.get(author.key)
        if found is None:
            found = self.views.author(author, self.posts(self.by_author[author.key]))
            self._author_views[author.key] = found
        return found

    def author(self, key: str, part: Page) -> Context:
        """A page of an author."""
        author = self._authors[key]
        shown = self._author_view(author)
        page = self._page(
            "author",
            part.titled(author.name),
            part.permalink,
            author.bio or f"Logs by {author.name} in {self._config.title}.",
            feeds=self._feed_links(author.permalink, f"{author.name} · {self._config.title}", json=False),
            breadcrumbs=(*self._breadcrumbs(""), view.Link("Authors", self.views.url("/authors/"))),
            json_ld=person(shown, self.views.absolute(author.permalink)),
        )
        return {**self._common, "page": page, "author": shown, **self._list(self.by_author[key], part)}

    def tags(self) -> Context:
        """The list of tags."""
        feeds = self._feed_links("/tags/", f"Tags · {self._config.title}", json=False) if self.by_tag else ()
        page = self._page("tags", "Tags", "/tags/", f"What {self._config.title} is about.", feeds=feeds)
        shown = tuple(self.views.tag(slug, len(self.by_tag[slug])) for slug, _ in self.site.tags)
        return {**self._common, "page": page, "tags": shown}

    def tag(self, slug: str, name: str, part: Page) -> Context:
        """A page of a tag."""
        page = self._page(
            "tag",
            part.titled(name),
            part.permalink,
            f"Logs tagged “{name}” in {self._config.title}.",
            feeds=self._feed_links(tag_permalink(slug), f"{name} · {self._config.title}", json=False),
            breadcrumbs=(*self._breadcrumbs(""), view.Link("Tags", self.views.url("/tags/"))),
        )
        places = self.by_tag[slug]
        return {**self._common, "page": page, "tag": self.views.tag(slug, len(places)), **self._list(places, part)}

    def archive(self, part: Page, counts: tuple[view.YearCount, ...], total: int) -> Context:
        """A page of the archive; `counts` are those of all years, `total` that of all dated posts, which come first."""
        page = self._page(
            "archive", part.titled("Archive"), part.permalink, f"All logs of {self._config.title} by year."
        )
        years: dict[int, list[Post]] = {}
        for post in self.site.posts[part.start : min(part.stop, total)]:
            years.setdefault(post.date.year if post.date else 0, []).append(post)
        return {
            **self._common,
            "page": page,
            "years": tuple(view.YearView(year, self.views.refs(posts)) for year, posts in years.items()),
            "counts": counts,
            "total": total,
            "pagination": part.pagination(self.views.url),
        }

    # -- for machines

    def feed(self, feed: Feed, own: str, places: tuple[int, ...]) -> Context:
        """A file of a feed."""
        chosen = (feed, places)
        if self._entries[0] != chosen:  # a feed's files come one after the other
            self._entries = (chosen, tuple(self._entry(post, full=feed.full) for post in self.posts(places)))
        entries = self._entries[1]
        return {"feed": feed_view(self._config, self.views, feed, own, entries), "entries": entries}

    def _entry(self, post: Post, *, full: bool) -> Entry:
        filling = self.references.of(post.id).filling if full else None
        return feed_entry(self._config, self.views, post, filling)

    def redirect(self, item: Redirect) -> Context:
        """What leads from an old URL to a new one."""
        target = self.references.redirected(item)[0] if item.is_written else self.views.absolute(item.target)
        return {"title": item.title, "target": target}

    def not_found(self) -> Context:
        """The page for missing pages."""
        page = self._page("404", "Not found", "/404.html", "", noindex=True)
        recent = self.views.refs(self.site.posts[: self._config.topic_recent])
        return {**self._common, "page": page, "recent": recent}

    def wanted(self, wanted: Wanted) -> Context:
        """What a plan wants; a page sees what all pages see, too."""
        if not wanted.template:
            return wanted.context
        page = self._page("plugin", wanted.title, wanted.permalink, "")
        return {**self._common, "page": page, **wanted.context}

    def posts_json(self) -> Context:
        """The list of posts."""
        return {
            "posts": self.views.refs(self.site.posts),
            "facts": tuple(facts(post) for post in self.site.posts),
            "origin": self._config.origin,
        }

    def sitemap(self, found: tuple[str, ...]) -> Context:
        """The site map of the paths that search engines may find."""
        return {"pages": sitemap(self.views, found, self.site.posts)}

    def robots(self, sitemap_url: str) -> Context:
        """The rules for robots."""
        return {"sitemap": sitemap_url}
