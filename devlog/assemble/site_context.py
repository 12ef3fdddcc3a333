"""The site context: the values from which `pages` and `files` make the contexts of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import Any, TypeVar

import msgspec

from devlog.assemble.avatars import avatars_of
from devlog.assemble.claims import Claim
from devlog.assemble.feeds import FEED_TYPES, Feed, feed_entry, feed_files, feed_title, full_lists, lasting_paths
from devlog.assemble.home import HomeFiles, home_files
from devlog.assemble.own_files import OwnFiles, hashed
from devlog.assemble.policy import page_policy
from devlog.assemble.references import Fillings, References
from devlog.assemble.related import Relations, row_of
from devlog.assemble.series import series_of
from devlog.assemble.site import Assembled, parents
from devlog.assemble.urls import url as url_of
from devlog.assemble.views import Views, excerpt_parts, shorten
from devlog.config import Config, Home
from devlog.model import view
from devlog.model.catalog import catalog_of
from devlog.model.derived import Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.expansion import is_unusual
from devlog.model.image import Drawings, MathFont
from devlog.model.outpath import markdown_path_of
from devlog.model.post_note import PostNote
from devlog.model.site import Author, Post, Site, Topic
from devlog.model.target import WITH_MARKDOWN, Entry, Filling
from devlog.model.theme import Theme
from devlog.model.urls import decoded, is_rooted
from devlog.plugin import Outline, PageImages
from devlog.plugins.features import features, has_markdown_versions, prose_in, site_search

Context = dict[str, Any]
T = TypeVar("T")

DRAWING = "diagrams.js"
"""The file of a theme that runs a configured script to render the diagrams of a page."""


FEED_STYLE = "feed.css"
"""The style sheet of a theme for feeds, which browsers show to people who open one."""

SUBSCRIBE = "subscribe.html"
"""The template of the page that explains feeds; a theme without it has no such page."""


SOME = 16
"""The number of sources to parse at once while looking for one that determines the shared fields of all pages."""


MOST_IN_MENU = 30
"""The maximum number of plain pages in a menu that is not configured: every page shows it, and readers must scroll."""


class SiteContext:
    """The data of the site from which contexts are made; most of it is computed on demand.

    Attributes:
        site: the site.
        t: the message catalog of the site.
        references: the links of its sources.
        fillings: what fills the holes of their bodies.
        views: the values that templates see.
        notes: notes of features on posts, by id.
        by_topic: the posts of each topic, including those of topics below it, as indexes of ``site.posts``.
        by_author: the posts of each author, likewise.
        by_tag: the posts with each tag, likewise.
        authors: the authors by key.
        config: the configuration, with overrides of the command line.
        has_markdown: whether pages have Markdown versions.
        common: the values that the contexts of all pages share.
        series: the posts of each series.
        crumbs: the breadcrumbs of each topic, by path.
        feeds_of_posts: the feeds that pages of posts link to, by topic.
        page_images: images for previews of pages on other sites, such as social cards; `None` without any.
        derived: the data that features and plugins derive from the site.
        feeds: feeds that pages of a topic and its posts list before other feeds, by the topic's path.
        companions: the secondary sources shown on pages of posts, such as transcripts, by the id of the post.
        home_files: the image and the pinned posts of the home page.
        wrong: diagnostics about links that are not in a source, such as those of avatars.
    """

    def __init__(
        self,
        config: Config,
        assembled: Assembled,
        theme: Theme,
        references: References,
        derived: Derived,
        related: bytes | None = None,
    ) -> None:
        """
        Args:
            config: the configuration, with overrides of the command line.
            assembled: the site.
            theme: the theme of the site.
            references: the links of its sources.
            derived: data derived from the site and its files.
            related: the cached record of related posts.
        """
        self.site = assembled.site
        self.t = catalog_of(theme.catalog)
        self.derived = derived
        self.feeds = derived.feeds
        self.companions = derived.companions
        self.references = references
        self.fillings = Fillings(config, references, derived)
        self._settings = {**msgspec.json.decode(theme.settings), **config.settings}
        remote = self._settings.get("remote_avatars") is True
        fetched = {key: url_of(config, permalink) for key, permalink in derived.avatars.items()}
        avatars, missing = avatars_of(assembled.site.authors, references.index, fetched, remote=remote)
        self.home_files = (
            home_files(config.home, assembled.named_spans, references.index, assembled.site)
            if config.home != Home()
            else HomeFiles()
        )
        self.wrong: tuple[Diagnostic, ...] = (*missing, *self.home_files.diagnostics)
        self.notes = derived.notes
        self._avatars = avatars
        self.views = Views(config, assembled.site, avatars, self.t, self.notes)
        self.config = config
        self._theme = theme
        spans, url = assembled.named_spans, self.views.url
        self._own_files = OwnFiles(config, assembled.site, theme.templates, spans, url)
        self.wrong += tuple(self._own_files.diagnostics)
        self._made: dict[object, Any] = {}
        self.page_images = self._images_of_pages()
        self.has_markdown = has_markdown_versions(config)
        self.series = series_of(self.site.posts)
        self._remembered = related
        self._relations: Relations | None = None
        self.by_topic: dict[str, list[int]] = {topic.path: [] for topic in self.site.topics}
        self.by_topic |= self._group((post.topic, *parents(post.topic)) for post in self.site.posts)
        self.by_author = self._group({credit.author for credit in post.credits} for post in self.site.posts)
        self.by_tag = self._group(post.tags for post in self.site.posts)
        self._lasting_paths = lasting_paths(config, self.site.posts)
        self._topics = {topic.path: topic for topic in self.site.topics}
        self._pages = {page.permalink: page for page in self.site.pages}
        self._below = _subtopics(self.site.topics)
        self.authors = {author.key: author for author in self.site.authors}
        self._prose = prose_in(config)
        self._site_fields = self._fields_of_prose()
        self._fields_of_features = self._given_fields()
        self._unsure = self._unread_texts()
        self.common = self._shared()
        self.crumbs = {topic.path: self.breadcrumbs(topic.path) for topic in self.site.topics}
        self.feeds_of_posts = {topic.path: self._feeds_of_topic(topic) for topic in self.site.topics}
        # Caches of values that several pages show. None of them depends on the bodies of sources.
        self._topic_views: dict[str, view.TopicView] = {}
        self._author_views: dict[str, view.AuthorView] = {}
        self._logs: dict[int, view.LogRef] = {}
        self._entries: tuple[object, tuple[Entry, ...]] = (None, ())

    def updated(self, site: Site, sources: Mapping[str, Parsed]) -> SiteContext:
        """An updated copy after some sources, by path, were parsed again; `site` already contains them."""
        made = copy(self)
        made.site = site
        made.views = self.views.updated(sources)
        made.references = self.references.updated(sources)
        made.fillings = self.fillings.updated(made.references)
        known = ((self.references.text(path), text) for path, text in sources.items())
        if any(old and _relates(old) != _relates(new) for old, new in known):
            made._relations = None
        made._made = {}
        made._site_fields = made._fields_of_prose()
        made._unsure = made._unread_texts()
        if made._site_fields != self._site_fields:
            made.common = made._shared()
        made._topics = {topic.path: topic for topic in site.topics}
        made._below = _subtopics(site.topics)
        made._logs = {}
        made._entries = (None, ())
        return made

    def rederived(self, derived: Derived) -> SiteContext:
        """A copy for the preview, with the data that was derived from files after an edit."""
        made = copy(self)
        made.fillings = Fillings(self.config, self.references, derived)
        made.derived = derived
        made._made = {}
        made.feeds, made.companions = derived.feeds, derived.companions
        if made.feeds != self.feeds:
            made.feeds_of_posts = {topic.path: made._feeds_of_topic(topic) for topic in made.site.topics}
        made.page_images = made._images_of_pages()
        made.notes = derived.notes
        if _listed(made.notes) != _listed(self.notes):
            made.views = Views(self.config, self.site, self._avatars, self.t, made.notes)
            made._relations, made._logs = None, {}
        made._site_fields = made._fields_of_prose()
        made._fields_of_features = made._given_fields()
        if (made._site_fields, made._fields_of_features) != (self._site_fields, self._fields_of_features):
            made.common = made._shared()
        return made

    @property
    def outline(self) -> Outline:
        """The site as plans of plugins see it."""
        views = self.views
        return Outline(self.config, self.site, self._theme, self.derived, views.url, views.absolute, self.once)

    def once(self, make: Callable[[Outline], T]) -> T:
        """The result of a function of the outline, computed once, and again after an edit."""
        if make not in self._made:
            self._made[make] = make(self.outline)
        found: T = self._made[make]
        return found

    def _images_of_pages(self) -> PageImages | None:
        known = (plugin.page_images(self.outline) for plugin in features() if plugin.page_images)
        return next((images for images in known if images), None)

    def make(self, claim: Claim) -> tuple[Context, frozenset[str]]:
        """The context of a claimed file, and the sources in it of which only the front matter is parsed so far."""
        self.views.missing.clear()
        self.references.missing.clear()
        context = claim.make(self, *claim.about)
        unsure = self._unsure if "site" in context else frozenset()
        return context, frozenset(self.views.missing | self.references.missing | unsure)

    @property
    def companion_bodies(self) -> dict[str, str]:
        """The digests of the bodies of secondary sources on pages of posts, by the id of the post."""
        return {post: found.text.document.body for post, found in self.companions.items()}

    def topic_of(self, path: str) -> Topic:
        """The topic with a path."""
        return self._topics[path]

    def _group(self, keys: Iterable[Iterable[str]]) -> dict[str, list[int]]:
        """The indexes of the posts with each key; `keys` yields the keys of each post in turn."""
        groups: dict[str, list[int]] = {}
        for index, post_keys in enumerate(keys):
            for key in post_keys:
                groups.setdefault(key, []).append(index)
        return groups

    def posts(self, indexes: Sequence[int]) -> list[Post]:
        """The posts at some indexes of ``site.posts``."""
        posts = self.site.posts
        return [posts[index] for index in indexes]

    # -- shared by all pages

    def _shared(self) -> Context:
        config, url = self.config, self.views.url
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
                feeds=self.feed_links("/", config.title, json=True),
                source_repo=config.source_repo,
                copyright=config.copyright,
                subscribe_url=url("/subscribe/") if self.explains_feeds else "",
                page_width=config.page_width,
                full_width_header=config.header.full_width,
                links=tuple(view.Link(link.name, self._of_site(link.url)) for link in config.footer.links),
                social=tuple(view.Link(name, address) for name, address in config.footer.social.items()),
                styles=self._own_files.styles,
                scripts=self._own_files.scripts,
                analytics=self._analytics(),
                settings=self._settings,
                content_security_policy=page_policy(config),
                **self._fields_of_features,
                **{name: value for fields in self._site_fields for name, value in fields.items()},
                **self._search_links(),
            ),
            "assets": {
                **{asset.path: hashed(url(f"/theme/{asset.path}"), asset.digest) for asset in self._theme.assets},
                **self._own_files.assets,
            },
        }

    def _fields_of_prose(self) -> tuple[Context, ...]:
        """The fields of the site view that depend on the prose of sources, one table for each feature that reads it."""
        outline = self.outline
        return tuple(prose.site_fields(outline) for prose in self._prose)

    def _given_fields(self) -> Context:
        """The fields of the site view that features give, apart from those of prose."""
        known = (plugin.site_fields(self.outline) for plugin in features() if plugin.site_fields)
        return {name: value for fields in known for name, value in fields.items()}

    def _unread_texts(self) -> frozenset[str]:
        """Some of the sources that must be parsed before the fields of all pages that depend on prose are final."""
        if all(self._site_fields):
            return frozenset()
        sketches = (post.id for post in (*self.site.posts, *self.site.pages) if not post.parsed.document.body)
        return frozenset(islice(sketches, SOME))

    def note_shown(self, sources: Iterable[str]) -> None:
        """Record sources that the current file shows. If only their front matter is parsed, the file is not final."""
        self.views.missing.update(sources)

    def plans_alike(self, sources: Mapping[str, Parsed]) -> bool:
        """Whether sources, by path, that were parsed again lead to the same set of files as before."""
        known = [(old, text) for path, text in sources.items() if (old := self.references.text(path))]
        return all(prose.is_alike(old, new) for prose in self._prose for old, new in known)

    def _search_links(self) -> dict[str, Any]:
        search, url = site_search(), self.views.url
        if search is None or not search.is_wanted(self.config, self.site):
            return {}
        return {"search": True, "search_url": url(search.page), "index_url": url(f"/{search.folder}")}

    def _menu(self) -> tuple[view.Link, ...]:
        if self.config.menu:
            items = sorted(self.config.menu, key=lambda item: item.weight)
            return tuple(view.Link(item.name, self._of_site(item.url)) for item in items)
        named = [page for page in self.site.pages if page.in_menu][:MOST_IN_MENU]
        pages = [self.views.link(page) for page in named]
        lists = [view.Link(self.t("archive"), self.views.url("/archive/"))]
        if self.site.authors:
            lists.append(view.Link(self.t("authors"), self.views.url("/authors/")))
        if self.site.tags:
            lists.append(view.Link(self.t("tags"), self.views.url("/tags/")))
        return (*lists, *pages)

    def _analytics(self) -> view.AnalyticsView | None:
        script = self._own_files.analytics
        return view.AnalyticsView(script, *self.config.analytics.attribute) if script else None

    @property
    def explains_feeds(self) -> bool:
        """Whether there is a page that explains feeds."""
        has_page = any(template.name == SUBSCRIBE for template in self._theme.templates)
        return has_page and bool(self.config.feeds.formats)

    def _of_site(self, url: str) -> str:
        """A URL of the configuration as pages link to it; a path may begin with the base path, but need not."""
        base = self.config.base_path
        if not is_rooted(url) or (base != "/" and decoded(url).startswith(decoded(base))):
            return url
        path = url.partition("#")[0].partition("?")[0]
        return self.views.url(path) + url[len(path) :]

    @property
    def feed_style(self) -> str:
        """The URL of the theme's style sheet for feeds; empty if it has none."""
        found: str = self.common["assets"].get(FEED_STYLE, "")
        return found

    def feed_links(self, folder: str, title: str, *, json: bool) -> tuple[view.FeedLink, ...]:
        """The feeds of a permalink, as links of pages; with `json` including the JSON Feed, if the site has one."""
        files = feed_files(self.config, folder, json=json)
        return tuple(view.FeedLink(title, self.views.url(own), FEED_TYPES[kind]) for kind, own in files.items())

    def _feeds_of_topic(self, topic: Topic) -> tuple[view.FeedLink, ...]:
        """The feeds that pages of a topic link to: those that features add, its own, then the site's."""
        own = self.feed_links(topic.permalink, feed_title(topic.title, self.config), json=True)
        return self.feeds.get(topic.path, ()) + own + self.feed_links("/", self.config.title, json=True)

    def breadcrumbs(self, topic: str) -> tuple[view.Link, ...]:
        """The breadcrumbs from the home page to a topic, by its path, through the topics above it."""
        crumbs = [view.Link(self.t("home"), self.views.url("/"))]
        parts = topic.split("/") if topic else []
        for end in range(1, len(parts) + 1):
            path = "/".join(parts[:end])
            found = self._topics.get(path)
            if found:
                crumbs.append(view.Link(found.title, self.views.url(found.permalink)))
        return tuple(crumbs)

    def breadcrumbs_of_page(self, permalink: str) -> tuple[view.Link, ...]:
        """The breadcrumbs from the home page to a plain page, through the pages of the folders above it."""
        above = [f"/{folder}/" for folder in reversed(parents(permalink.strip("/")))]
        return (*self.breadcrumbs(""), *(self.views.link(self._pages[link]) for link in above if link in self._pages))

    def page_view(self, kind: str, title: str, permalink: str, description: str, **more: Any) -> view.PageView:
        """The properties of a page; `more` are other fields of the view."""
        if not description and kind not in ("home", "404"):
            description = self.t("page_in_site", title=title, site=self.config.title)
        return view.PageView(
            kind=kind,
            title=title,
            url=self.views.url(permalink),
            canonical=self.views.absolute(permalink) if self.config.origin else "",
            description=shorten(description),
            markdown_url=self._markdown_url(permalink) if kind in WITH_MARKDOWN else "",
            **more,
        )

    def _markdown_url(self, permalink: str) -> str:
        """The URL of a page's Markdown version; empty if Markdown versions are turned off."""
        return markdown_path_of(self.views.url(permalink)) if self.has_markdown else ""

    def scripts(self, parsed: Parsed | None) -> tuple[str, ...]:
        """Scripts that render diagrams of a source in the browser if nothing else does; that of the theme is last."""
        if parsed is None or not parsed.document.diagrams:
            return ()
        named, installed = self.config.diagrams, self.derived.of(Drawings).scripts
        found: dict[str, None] = {}
        for language in sorted({diagram.language for diagram in parsed.document.diagrams}):
            diagram = named.get(language)
            script = installed.get(language, "") if diagram is None else "" if diagram.command else diagram.script
            if script:
                found[self.views.url(script) if script.startswith("/") else script] = None
        theirs = self.common["assets"].get(DRAWING) if found else None
        return (*found, theirs) if theirs else tuple(found)

    def styles(self, parsed: Parsed | None) -> tuple[str, ...]:
        """Style sheets that the formulas of a source need besides that of the theme."""
        style = self.derived.of(MathFont).style if parsed and parsed.document.formulas else ""
        return (self.views.url(style),) if style else ()

    def policy(self, parsed: Parsed | None) -> str:
        """The content security policy of a page that needs another than the other pages, since its text has players of
        other sites, or diagrams that an installed script draws; else empty.
        """
        if parsed is None:
            return ""
        players = parsed.document.players
        draws = any(item.language in self.derived.of(Drawings).scripts for item in parsed.document.diagrams)
        return page_policy(self.config, players, draws=draws) if players or draws else ""

    def content(self, parsed: Parsed | None) -> Filling | str:
        """The body of a source with what fills its holes; empty without a source."""
        return self.fillings.of(parsed.path) if parsed else ""

    @property
    def relations(self) -> Relations:
        """Which posts are related, by their indexes in ``site.posts``."""
        if self._relations is None:
            posts, url = self.site.posts, self.views.url
            pages = {url(post.permalink): post.permalink for post in posts}
            hidden = {id_ for id_, note in self.notes.items() if not note.is_offered}
            rows = [
                row_of(post, self.references.linked(post.id, pages), is_offered=post.id not in hidden) for post in posts
            ]
            self._relations = Relations(rows, self._remembered)
        return self._relations

    # -- values that several pages show, made once

    def topic_view(self, topic: Topic) -> view.TopicView:
        """The view of a topic for its own pages."""
        found = self._topic_views.get(topic.path)
        if found is None:
            found = self.views.topic(topic, self.posts(self.by_topic[topic.path]), self._below.get(topic.path, ()))
            self._topic_views[topic.path] = found
        return found

    def author_view(self, author: Author) -> view.AuthorView:
        """The view of an author with their posts."""
        found = self._author_views.get(author.key)
        if found is None:
            found = self.views.author(author, self.posts(self.by_author[author.key]))
            self._author_views[author.key] = found
        return found

    def log(self, index: int) -> view.LogRef:
        """A post as pages of its neighbors and of related posts link to it."""
        found = self._logs.get(index)
        if found is None:
            found = self._logs[index] = self.views.log(self.site.posts[index])
        return found

    def excerpted(self, posts: Sequence[Post]) -> tuple[view.PostRef, ...]:
        """Posts as lists with excerpts show them: with code and emphasized words in the excerpt, and with a cover."""
        return tuple(
            msgspec.structs.replace(
                ref, excerpt_parts=excerpt_parts(post), cover=self.fillings.cover(post.id) if _has_cover(post) else None
            )
            if post.parsed.document.marks or _has_cover(post)
            else ref
            for ref, post in zip(self.views.refs(posts), posts, strict=True)
        )

    def entries(self, feed: Feed, indexes: tuple[int, ...]) -> tuple[Entry, ...]:
        """The entries of a feed. The last result is kept, since the files of a feed are rendered in a row."""
        chosen = (feed, indexes)
        if self._entries[0] != chosen:
            posts = self.posts(indexes)
            entries = (self.entry(post, full=feed.full and not self.expands(post)) for post in posts)
            self._entries = (chosen, tuple(entries))
        return self._entries[1]

    def expands(self, post: Post) -> bool:
        """Whether feeds have only the excerpt of a post: its HTML is much longer than its file, or would be in them."""
        size, written = self.fillings.html_size(post.id), post.parsed.document.written
        return post.parsed.document.tangled or is_unusual(size, written, full_lists(self.config, post))

    def entry(self, post: Post, *, full: bool) -> Entry:
        """A post as an entry of a feed; with its body if `full`."""
        path = self._lasting_paths.get(post.id, post.permalink)
        return feed_entry(self.config, self.views, post, self.fillings.of(post.id) if full else None, path)


def _has_cover(post: Post) -> bool:
    return post.parsed.front_matter.image != ""


def _subtopics(topics: Iterable[Topic]) -> dict[str, list[Topic]]:
    """The topics directly below each topic, by its path."""
    found: dict[str, list[Topic]] = {}
    for topic in topics:
        found.setdefault(topic.path.rpartition("/")[0], []).append(topic)
    return found


def _listed(notes: Mapping[str, PostNote]) -> dict[str, PostNote]:
    """The parts of notes that are shown elsewhere than on the pages of their own posts."""
    without = {id_: msgspec.structs.replace(note, page=None) for id_, note in notes.items()}
    return {id_: note for id_, note in without.items() if note != PostNote()}


def _relates(parsed: Parsed) -> object:
    """What decides which posts are related to a source, except for changes after which the site is assembled again."""
    document = parsed.document
    return document.terms, document.body != "", [ref.target for ref in document.refs if ref.kind == "link"]
