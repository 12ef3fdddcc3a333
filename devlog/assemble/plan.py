"""The plan: every file that the published site needs, and all that goes into each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from devlog.assemble.claims import Claims
from devlog.assemble.feeds import Feed, feed_targets
from devlog.assemble.links import LinkIndex, resolve_all
from devlog.assemble.machine import facts, sitemap
from devlog.assemble.pagination import paginate
from devlog.assemble.site import Assembled, parents
from devlog.assemble.structured import blog, blog_posting, person
from devlog.assemble.views import Views, day, shorten, tag_permalink
from devlog.config import Config
from devlog.model import problems, view
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Parsed, Ref
from devlog.model.site import Author, Post, Topic
from devlog.model.target import Copy, Filling, Recipe, Target
from devlog.model.theme import Theme


def _place_of(post: Post) -> Span:
    """What decides on a post's URL, for messages about it."""
    front_matter = post.parsed.front_matter
    spans = dict(front_matter.spans) if front_matter.url or front_matter.slug else {}
    return spans.get("url") or spans.get("slug") or Span(post.parsed.file)


class Planner:
    """Plans a site target by target, so that the contexts of a large one are never held at once.

    Two sources never share a URL: the second claim is an error that names both.

    Attributes:
        copies: the files to copy, by path.
    """

    def __init__(self, config: Config, assembled: Assembled, theme: Theme, own_url: str = "") -> None:
        """
        Args:
            config: with what the command line replaces.
            assembled: the site.
            theme: its theme.
            own_url: the configured URL, which posts may write in their links.
        """
        self._claims = Claims()
        self._diagnostics: list[Diagnostic] = list(assembled.diagnostics)
        self._config = config
        self._site = assembled.site
        self._unpublished = assembled.unpublished
        self._theme = theme
        self._topics = {topic.path: topic for topic in assembled.site.topics}
        self._views = Views(config, assembled.site)
        # A topic shows the posts of the topics below it.
        self._by_topic: dict[str, list[Post]] = {topic.path: [] for topic in self._site.topics}
        self._by_topic |= self._group((post.topic, *parents(post.topic)) for post in self._site.posts)
        self._by_author = self._group({credit.author for credit in post.credits} for post in self._site.posts)
        self._by_tag = self._group(post.tags for post in self._site.posts)
        self._fillings: dict[str, Filling] = {}
        self._found: list[str] = []  # the pages that search engines may find
        self._index = LinkIndex(config, own_url)
        self._common = self._common_context()
        self._crumbs = {topic.path: self._breadcrumbs(topic.path) for topic in self._site.topics}
        self._post_feeds = {topic.path: self._feeds_of_topic(topic) for topic in self._site.topics}
        self.copies = self._copies()  # first of all, so that a page's claim on a file's URL names the file

    def _group(self, keys: Iterable[Iterable[str]]) -> dict[str, list[Post]]:
        """The posts under each key; `keys` yields the keys of each post in turn."""
        groups: dict[str, list[Post]] = {}
        for post, post_keys in zip(self._site.posts, keys, strict=True):
            for key in post_keys:
                groups.setdefault(key, []).append(post)
        return groups

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with the site as a whole: complete when all targets are planned."""
        return [*self._diagnostics, *self._claims.diagnostics]

    @property
    def recipes(self) -> Mapping[Recipe, int]:
        """How many targets there are of each recipe: complete when all are planned."""
        return self._claims.recipes

    def _copies(self) -> tuple[Copy, ...]:
        for item in self._site.assets:
            asset = item.asset
            self._claims.copy(item.permalink, item.folder, asset.file, asset.digest, Span(asset.file))
        for asset in self._theme.assets:
            path = f"theme/{asset.path}"
            self._claims.copy(f"/{path}", "theme", asset.path, asset.digest, Span(path))
        return tuple(sorted(self._claims.copies.values(), key=lambda copy: copy.path))

    def targets(self) -> Iterator[Target]:
        """Plan the files to render, one after the other."""
        self._resolve()
        yield from self._home()
        for topic in self._site.topics:
            yield from self._topic(topic)
        for group in self._neighbours():
            yield from self._post(*group)
        for page in self._site.pages:
            yield from self._page(page)
        yield from self._authors()
        yield from self._tags()
        yield from self._archive()
        yield from self._redirects()
        yield from self._machine_files()
        if not self._site.posts:
            self._diagnostics.append(problems.no_posts(Span(self._config.content)))

    # -- what all pages share

    def _common_context(self) -> dict[str, Any]:
        config, url = self._config, self._views.url
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
                    self._views.url(item.url)
                    if item.url.startswith("/") and not (base != "/" and item.url.startswith(base))
                    else item.url,
                )
                for item in items
            )
        pages = [view.Link(page.title, self._views.url(page.permalink)) for page in self._site.pages]
        lists = [view.Link("Archive", self._views.url("/archive/"))]
        if self._site.authors:
            lists.append(view.Link("Authors", self._views.url("/authors/")))
        if self._site.tags:
            lists.append(view.Link("Tags", self._views.url("/tags/")))
        return (*lists, *pages)

    def _feed_links(self, folder: str, title: str, *, json: bool) -> tuple[view.FeedLink, ...]:
        formats = self._config.feeds.formats
        links = []
        if "rss" in formats:
            links.append(view.FeedLink(title, self._views.url(f"{folder}index.xml"), "application/rss+xml"))
        if "atom" in formats:
            links.append(view.FeedLink(title, self._views.url(f"{folder}feed.xml"), "application/atom+xml"))
        if "json" in formats and json:
            links.append(view.FeedLink(title, self._views.url(f"{folder}feed.json"), "application/feed+json"))
        return tuple(links)

    def _feeds_of_topic(self, topic: Topic) -> tuple[view.FeedLink, ...]:
        """The feeds that pages of a topic name: its own, then the site's."""
        own = self._feed_links(topic.permalink, f"{topic.title} · {self._config.title}", json=True)
        return own + self._feed_links("/", self._config.title, json=True)

    def _html(self, permalink: str, template: str, page: view.PageView, span: Span, **context: Any) -> Iterator[Target]:
        for target in self._claims.target(permalink, "page", template, {**self._common, "page": page, **context}, span):
            if not page.noindex:
                self._found.append(target.path)
            yield target

    # -- references

    def _resolve(self) -> None:
        """Resolve every reference of every text: only now is it known what there is."""
        index = self._index
        texts: list[tuple[Parsed, str]] = [(p.parsed, p.permalink) for p in (*self._site.posts, *self._site.pages)]
        texts += [(topic.index, topic.permalink) for topic in self._site.topics if topic.index]
        if self._site.home:
            texts.append((self._site.home, "/"))
        for parsed, permalink in texts:
            index.add_page(parsed, permalink)
        for item in self._unpublished:
            index.add_page(item.parsed, item.permalink, item.reason)
        for asset in self._site.assets:
            index.add_asset(asset.asset, asset.permalink, static=asset.folder == "static")
        for permalink in self._generated():
            index.add_url(permalink)
        for parsed, permalink in texts:
            places, wrong = resolve_all(index, parsed, permalink)
            self._diagnostics += wrong
            self._fillings[parsed.path] = Filling(parsed.document.body, places, self._views.absolute(permalink))

    def _generated(self) -> Iterable[str]:
        """The permalinks of what devlog makes itself."""
        yield from ("/", "/archive/", "/authors/", "/tags/", "/sitemap.xml", "/posts.json", "/404.html", "/robots.txt")
        folders = [topic.permalink for topic in self._site.topics]
        folders += [author.permalink for author in self._site.authors]
        folders += [tag_permalink(slug) for slug, _ in self._site.tags]
        yield from folders
        for folder in ("/", *folders):
            yield from (f"{folder}index.xml", f"{folder}feed.xml", f"{folder}feed.json")
        for redirect in self._site.redirects:
            yield redirect.permalink

    def _content(self, parsed: Parsed | None) -> Filling | str:
        return self._fillings[parsed.path] if parsed else ""

    # -- pages

    def _page_view(self, kind: str, title: str, permalink: str, description: str, **more: Any) -> view.PageView:
        return view.PageView(
            kind=kind,
            title=title,
            url=self._views.url(permalink),
            canonical=self._views.absolute(permalink) if self._config.origin else "",
            description=shorten(description),
            **more,
        )

    def _home(self) -> Iterator[Target]:
        config, site = self._config, self._site
        top = [topic for topic in site.topics if "/" not in topic.path]
        top.sort(key=lambda topic: not self._by_topic[topic.path])
        page = self._page_view(
            "home",
            config.title,
            "/",
            config.description,
            feeds=self._feed_links("/", config.title, json=True),
            json_ld=blog(config, self._views.absolute("/")),
        )
        span = Span(site.home.file if site.home else "the home page")
        yield from self._html(
            "/",
            "home.html",
            page,
            span,
            content=self._content(site.home),
            recent=self._views.refs(site.posts[: config.recent]),
            topics=tuple(self._views.topic(topic, self._by_topic[topic.path], ()) for topic in top),
            total=len(site.posts),
        )
        yield from self._feeds("/", config.title, config.description, site.posts, config.feeds.site, json=True)

    def _topic(self, topic: Topic) -> Iterator[Target]:
        posts = self._by_topic[topic.path]
        subtopics = [sub for sub in self._site.topics if sub.path.rpartition("/")[0] == topic.path]
        shown = self._views.topic(topic, posts, subtopics)
        span = Span(topic.index.file if topic.index else f"{self._config.content}/{topic.path}")
        title = f"{topic.title} · {self._config.title}"
        crumbs = self._breadcrumbs(topic.path.rpartition("/")[0])
        for part in paginate(self._views, topic.permalink, posts, self._config.page_size):
            page = self._page_view(
                "topic",
                topic.title if part.number == 1 else f"{topic.title}, page {part.number}",
                part.permalink,
                topic.description,
                feeds=self._feed_links(topic.permalink, title, json=True),
                breadcrumbs=crumbs,
            )
            yield from self._html(
                part.permalink,
                "topic.html",
                page,
                span,
                topic=shown,
                content=self._content(topic.index) if part.number == 1 else "",
                recent=self._views.refs(posts[: self._config.topic_recent]) if part.number == 1 else (),
                posts=self._views.refs(part.posts),
                pagination=part.pagination,
            )
        yield from self._feeds(topic.permalink, title, topic.description, posts, self._config.feeds.topics, json=True)

    def _breadcrumbs(self, topic: str) -> tuple[view.Link, ...]:
        crumbs = [view.Link("Home", self._views.url("/"))]
        parts = topic.split("/") if topic else []
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            found = self._topics.get(path)
            if found:
                crumbs.append(view.Link(found.title, self._views.url(found.permalink)))
        return tuple(crumbs)

    def _neighbours(self) -> Iterable[tuple[Post, view.Link | None, view.Link | None]]:
        """Each post with the older and the newer one of its topic."""
        links = {post.id: view.Link(post.title, self._views.url(post.permalink)) for post in self._site.posts}
        by_topic = self._group((post.topic,) for post in self._site.posts)
        for posts in by_topic.values():
            for index, post in enumerate(posts):
                older = links[posts[index + 1].id] if index + 1 < len(posts) else None
                newer = links[posts[index - 1].id] if index else None
                yield post, older, newer

    def _post(self, post: Post, older: view.Link | None, newer: view.Link | None) -> Iterator[Target]:
        shown = self._views.post(post)
        updated = day(post.updated, post.updated_day_only).iso if post.updated else ""
        image = self._image(post)
        description = post.parsed.front_matter.description or post.excerpt
        page = self._page_view(
            "post",
            post.title,
            post.permalink,
            description,
            image=image,
            published=shown.date.iso if shown.date else "",
            modified=updated,
            authors=tuple(author.name for author in shown.authors),
            tags=tuple(tag.name for tag in shown.tags),
            feeds=self._post_feeds.get(post.topic) or self._common["site"].feeds,
            breadcrumbs=self._crumbs.get(post.topic) or self._breadcrumbs(post.topic),
            json_ld=blog_posting(self._config, shown, self._views.absolute(post.permalink), image, description),
            noindex=bool(post.state),
        )
        canonical = post.parsed.front_matter.canonical_url
        if canonical.startswith(("https://", "http://")):
            page = msgspec.structs.replace(page, canonical=canonical)
        yield from self._html(
            post.permalink,
            "post.html",
            page,
            _place_of(post),
            post=shown,
            content=self._content(post.parsed),
            previous=older,
            next=newer,
        )

    def _image(self, post: Post) -> str:
        """The picture that stands for a post elsewhere, as an absolute URL, found as pictures in its text are."""
        front_matter = post.parsed.front_matter
        image = front_matter.image
        if not image or image.startswith(("https://", "http://")):
            return image
        ref = Ref("image", image, front_matter.span("image", post.parsed.file))
        place, wrong = self._index.resolve(ref, post.parsed, post.permalink)
        self._diagnostics += [wrong] if wrong else []
        return self._config.origin + place.url if place.url.startswith("/") else ""

    def _page(self, post: Post) -> Iterator[Target]:
        description = post.parsed.front_matter.description or post.excerpt
        page = self._page_view(
            "page", post.title, post.permalink, description, breadcrumbs=self._breadcrumbs(""), noindex=bool(post.state)
        )
        yield from self._html(
            post.permalink,
            "page.html",
            page,
            _place_of(post),
            post=self._views.post(post),
            content=self._content(post.parsed),
        )

    # -- lists

    def _authors(self) -> Iterator[Target]:
        shown = []
        for author in self._site.authors:
            posts = self._by_author.get(author.key, [])
            author_view = self._views.author(author, posts)
            if posts:
                shown.append(author_view)
                yield from self._author(author, author_view, posts)
        page = self._page_view("authors", "Authors", "/authors/", f"Who writes in {self._config.title}.")
        yield from self._html("/authors/", "authors.html", page, Span("the list of authors"), authors=tuple(shown))

    def _author(self, author: Author, author_view: view.AuthorView, posts: Sequence[Post]) -> Iterator[Target]:
        span = Span(f"the author “{author.name}”")
        title = f"{author.name} · {self._config.title}"
        for part in paginate(self._views, author.permalink, posts, self._config.page_size):
            page = self._page_view(
                "author",
                author.name if part.number == 1 else f"{author.name}, page {part.number}",
                part.permalink,
                author.bio or f"Logs by {author.name} in {self._config.title}.",
                feeds=self._feed_links(author.permalink, title, json=False),
                breadcrumbs=(*self._breadcrumbs(""), view.Link("Authors", self._views.url("/authors/"))),
                json_ld=person(author_view, self._views.absolute(author.permalink)),
            )
            yield from self._html(
                part.permalink,
                "author.html",
                page,
                span,
                author=author_view,
                posts=self._views.refs(part.posts),
                pagination=part.pagination,
            )
        yield from self._feeds(author.permalink, title, author.bio, posts, self._config.feeds.authors, json=False)

    def _tags(self) -> Iterator[Target]:
        shown = []
        for slug, name in self._site.tags:
            posts = self._by_tag[slug]
            tag = self._views.tag(slug, posts)
            shown.append(tag)
            span = Span(f"the tag “{name}”")
            title = f"{name} · {self._config.title}"
            for part in paginate(self._views, tag_permalink(slug), posts, self._config.page_size):
                page = self._page_view(
                    "tag",
                    name if part.number == 1 else f"{name}, page {part.number}",
                    part.permalink,
                    f"Logs tagged “{name}” in {self._config.title}.",
                    feeds=self._feed_links(tag_permalink(slug), title, json=False),
                    breadcrumbs=(*self._breadcrumbs(""), view.Link("Tags", self._views.url("/tags/"))),
                )
                yield from self._html(
                    part.permalink,
                    "tag.html",
                    page,
                    span,
                    tag=tag,
                    posts=self._views.refs(part.posts),
                    pagination=part.pagination,
                )
            yield from self._feeds(tag_permalink(slug), title, "", posts, self._config.feeds.tags, json=False)
        page = self._page_view("tags", "Tags", "/tags/", f"What {self._config.title} is about.")
        yield from self._html("/tags/", "tags.html", page, Span("the list of tags"), tags=tuple(shown))

    def _archive(self) -> Iterator[Target]:
        dated = [post for post in self._site.posts if post.date]
        parts = list(paginate(self._views, "/archive/", dated, self._config.page_size))
        starts: dict[int, str] = {}
        totals: dict[int, int] = {}
        for part in parts:
            for post in part.posts:
                year = post.date.year if post.date else 0
                starts.setdefault(year, part.permalink)
                totals[year] = totals.get(year, 0) + 1
        counts = tuple(
            view.YearCount(year, totals[year], f"{self._views.url(starts[year])}#y{year}") for year in totals
        )
        for part in parts:
            title = "Archive" if part.number == 1 else f"Archive, page {part.number}"
            page = self._page_view("archive", title, part.permalink, f"All logs of {self._config.title} by year.")
            years: dict[int, list[Post]] = {}
            for post in part.posts:
                years.setdefault(post.date.year if post.date else 0, []).append(post)
            yield from self._html(
                part.permalink,
                "archive.html",
                page,
                Span("the archive"),
                years=tuple(view.YearView(year, self._views.refs(posts)) for year, posts in years.items()),
                counts=counts,
                total=len(dated),
                pagination=part.pagination,
            )

    # -- for machines

    def _feeds(
        self, folder: str, title: str, description: str, posts: Sequence[Post], content: str, *, json: bool
    ) -> Iterator[Target]:
        feed = Feed(folder, title, description, full=content == "full", json=json)
        chosen = [post for post in posts if post.date and not post.state][: self._config.feeds.limit]
        span = Span(f"the feed “{title}”")
        for target in feed_targets(self._config, self._views, feed, chosen, self._fillings):
            yield from self._claims.target(f"/{target.path}", target.recipe, "", target.context, span)

    def _redirects(self) -> Iterator[Target]:
        for redirect in self._site.redirects:
            context = {
                "title": redirect.title,
                "target": self._views.absolute(redirect.target),
            }
            yield from self._claims.target(redirect.permalink, "redirect", "redirect.html", context, redirect.span)

    def _machine_files(self) -> Iterator[Target]:
        config, views = self._config, self._views
        if not self._claims.brings("404.html"):
            page = self._page_view("404", "Not found", "/404.html", "", noindex=True)
            recent = views.refs(self._site.posts[: config.topic_recent])
            yield from self._html("/404.html", "404.html", page, Span("the page for missing pages"), recent=recent)
        posts = {
            "posts": views.refs(self._site.posts),
            "facts": tuple(facts(post) for post in self._site.posts),
            "origin": config.origin,
        }
        yield from self._claims.target("/posts.json", "posts", "", posts, Span("the list of posts"))
        sitemap_url = ""
        if config.origin and not self._claims.brings("sitemap.xml"):
            pages = sitemap(views, self._found, self._site.posts)
            yield from self._claims.target("/sitemap.xml", "sitemap", "", {"pages": pages}, Span("the site map"))
            sitemap_url = views.absolute("/sitemap.xml")
        if not self._claims.brings("robots.txt"):
            context = {"sitemap": sitemap_url}
            yield from self._claims.target("/robots.txt", "robots", "", context, Span("the rules for robots"))
