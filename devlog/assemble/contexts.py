"""What goes into each file: a page's whole context, made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from devlog.assemble import episodes
from devlog.assemble.cards import Cards, cards_of
from devlog.assemble.citations import cited_view
from devlog.assemble.claims import Claim
from devlog.assemble.comments import comments_view
from devlog.assemble.feeds import FEED_TYPES, Feed, feed_entry, feed_files, feed_view
from devlog.assemble.llms import NEWEST, listed_topics, other_pages, published, that_fit
from devlog.assemble.machine import facts, sitemap
from devlog.assemble.mentions import FOLDER as REFS
from devlog.assemble.mentions import Mentions, has_references, mentions_alike, title_of
from devlog.assemble.pagination import Page
from devlog.assemble.policy import page_policy
from devlog.assemble.references import References, avatars_of, places_of
from devlog.assemble.related import Relations, row_of
from devlog.assemble.searchable import is_searchable
from devlog.assemble.series import series_of, series_view
from devlog.assemble.site import Assembled, parents
from devlog.assemble.standing import standings_of
from devlog.assemble.structured import absolute, blog, blog_posting, person, podcast_episode
from devlog.assemble.views import Views, day, shorten, tag_permalink
from devlog.config import Config
from devlog.model import search, view
from devlog.model.citation import Sources
from devlog.model.document import Parsed
from devlog.model.episode import BODY
from devlog.model.markdown import twin_of
from devlog.model.mention import MentionKind
from devlog.model.picture import Pictures
from devlog.model.site import Author, Post, Redirect, Site, Topic
from devlog.model.sound import Sounds
from devlog.model.target import TWINNED, Blob, Entry, Filling
from devlog.model.theme import Theme
from devlog.plugin import Wanted

Context = dict[str, Any]

DRAWING = "diagrams.js"
"""The file of a theme that has a page's diagrams drawn by a script that the configuration names."""


SOME = 16
"""So many texts are read at once until one is found that speaks of the project's source."""


class _Image(NamedTuple):
    """A picture that stands for a post elsewhere, as far as it is known."""

    url: str = ""
    width: int = 0
    height: int = 0
    alt: str = ""


_NO_IMAGE = _Image()
_NO_EPISODE: Context = {"episode": None, "transcript": ""}
_NO_SOUNDS = Sounds()


class Contexts:
    """Makes contexts: one method for each kind of file.

    Attributes:
        site: the site.
        references: those of its texts.
        views: what templates see of it.
        standings: how far posts can be relied on, by id, of those of which there is something to say.
        by_topic: which posts a topic shows, those of the topics below it included: their places in ``site.posts``.
        by_author: which posts an author has, likewise.
        by_tag: which posts have a tag, likewise.
    """

    def __init__(
        self, config: Config, assembled: Assembled, theme: Theme, own_url: str, related: bytes | None = None
    ) -> None:
        """
        Args:
            config: with what the command line replaces.
            assembled: the site.
            theme: its theme.
            own_url: the configured URL, which posts may write in their links.
            related: what is remembered of which posts are related.
        """
        self.site = assembled.site
        self._sounds = _NO_SOUNDS
        self._settings = {**msgspec.json.decode(theme.settings), **config.settings}
        index = places_of(config, assembled, own_url)
        remote = self._settings.get("remote_avatars") is True
        avatars, missing = avatars_of(assembled.site.authors, index, remote=remote)
        self.standings, misplaced = standings_of(config, assembled.site, index)
        self.views = Views(config, assembled.site, avatars, self.standings)
        self.references = References(config, assembled, self.views, index, (*missing, *misplaced))
        self._config = config
        self._theme = theme
        self._cards: Cards | None = None
        self._own_url = own_url
        self._series = series_of(self.site.posts)
        self._remembered = related
        self._relations: Relations | None = None
        self.by_topic: dict[str, list[int]] = {topic.path: [] for topic in self.site.topics}
        self.by_topic |= self._group((post.topic, *parents(post.topic)) for post in self.site.posts)
        self.by_author = self._group({credit.author for credit in post.credits} for post in self.site.posts)
        self.by_tag = self._group(post.tags for post in self.site.posts)
        self._topics = {topic.path: topic for topic in self.site.topics}
        self._authors = {author.key: author for author in self.site.authors}
        self._mentions: Mentions | None = None
        self._sources = Sources()
        self._unsure = self._untold()
        self._common = self._shared()
        self.shows = episodes.shows_of(self.site)
        self._crumbs = {topic.path: self._breadcrumbs(topic.path) for topic in self.site.topics}
        self._feeds_of_posts = {topic.path: self._feeds_of_topic(topic) for topic in self.site.topics}
        # What long lists show on each of their pages; nothing in them is about texts.
        self._topic_views: dict[str, view.TopicView] = {}
        self._author_views: dict[str, view.AuthorView] = {}
        self._logs: dict[int, view.LogRef] = {}
        self._links: dict[int, view.Link] = {}
        self._entries: tuple[object, tuple[Entry, ...]] = (None, ())

    def amended(self, site: Site, texts: Mapping[str, Parsed]) -> Contexts:
        """The contexts after some texts, by path, were parsed anew; `site` has them already."""
        made = copy(self)
        made.site = site
        made.views = self.views.amended(texts)
        made.references = self.references.amended(made.views, texts)
        known = ((self.references.text(path), text) for path, text in texts.items())
        if any(old and _relates(old) != _relates(new) for old, new in known):
            made._relations = None
        made._mentions = None
        made._unsure = made._untold()
        if made.has_mentions != self.has_mentions:
            made._common = made._shared()
        made._topics = {topic.path: topic for topic in site.topics}
        made._logs, made._links = {}, {}
        made._entries = (None, ())
        return made

    def with_pictures(self, pictures: Pictures) -> Contexts:
        """The contexts with other sizes and formats of pictures."""
        made = copy(self)
        made.references = self.references.with_pictures(pictures.images).with_drawings(pictures.diagrams)
        made._cards = cards_of(pictures.cards, self._config, self._theme, self.site)
        return made

    def with_sounds(self, sounds: Sounds) -> Contexts:
        """The contexts with the sounds of episodes."""
        made = copy(self)
        made._sounds = sounds
        posts = [post for post in self.site.posts if post.id in sounds.by_post]
        texts = {post.id: found.text for post in posts if (found := sounds.by_post[post.id].transcript)}
        urls = [permalink for post in posts for permalink, _ in made.spoken_files(post)]
        urls += [self._topics[path].permalink + episodes.FEED for path in self.shows]
        made.references = self.references.with_transcripts([post.id for post in posts], texts, urls)
        if any(text.document.mentions for text in texts.values()):
            made._mentions = None
            made._common = made._shared()
        return made

    def with_sources(self, sources: Sources) -> Contexts:
        """The contexts with what a clone knows of the source that texts speak of."""
        made = copy(self)
        made._sources = sources
        made._mentions = None
        if made.has_mentions != self.has_mentions:
            made._common = made._shared()
        return made

    def make(self, claim: Claim) -> tuple[Context, frozenset[str]]:
        """What goes into a claimed file, and the texts in it that are not parsed in full yet."""
        self.views.missing.clear()
        self.references.missing.clear()
        context = claim.make(self, *claim.about)
        unsure = self._unsure if "site" in context else frozenset()
        return context, frozenset(self.views.missing | self.references.missing | unsure)

    @property
    def _speaking(self) -> Site:
        """The site as far as it speaks of the source: what is spoken in episodes counts as written."""
        return episodes.with_speech(self.site, self._sounds) if self._sounds.by_post else self.site

    @property
    def transcripts(self) -> dict[str, str]:
        """The digests of what is spoken, by the id of the post, where it is a text of its own."""
        spoken = {post: sound.transcript for post, sound in self._sounds.by_post.items()}
        return {post: found.text.document.body for post, found in spoken.items() if found}

    def topic_of(self, path: str) -> Topic:
        """The topic of a path."""
        return self._topics[path]

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
                settings=self._settings,
                content_security_policy=page_policy(config),
                refs_url=url(REFS) if self.has_mentions else "",
                **self._search_links(),
            ),
            # A URL changes with the file's bytes, so that browsers' caches let go of the old one.
            "assets": {
                asset.path: f"{url(f'/theme/{asset.path}')}?v={asset.digest[:8]}" for asset in self._theme.assets
            },
        }

    def _untold(self) -> frozenset[str]:
        """Some of the texts that must be known before any page can say whether there are references to look at."""
        if self._config.repository is None or self.has_mentions:
            return frozenset()
        sketches = (post.id for post in (*self.site.posts, *self.site.pages) if not post.parsed.document.body)
        return frozenset(islice(sketches, SOME))

    @property
    def has_mentions(self) -> bool:
        """Whether there are pages about what posts say of the project's source."""
        if self._config.repository is None or any(page.permalink == REFS for page in self.site.pages):
            return False
        names = {item.name for item in self._theme.templates}
        return {"refs.html", "reflist.html"} <= names and has_references(self._speaking, self._symbols)

    @property
    def _symbols(self) -> dict[str, str]:
        """The URLs of the symbols that are known to be some of the project's."""
        return {name: found.url for name, found in self._sources.symbols.items()}

    @property
    def mentions(self) -> Mentions:
        """What posts say of the project's source, if there are pages about it."""
        if self._mentions is None:
            repository = self._config.repository
            assert repository
            url = self.views.url
            people = {author.handle.lower(): url(author.permalink) for author in self.site.authors if author.handle}
            self._mentions = Mentions(self._speaking, repository, self._symbols, people)
        self.views.missing |= self._mentions.sketched
        return self._mentions

    def speak_of_the_same(self, texts: Mapping[str, Parsed]) -> bool:
        """Whether texts, by path, that were parsed anew speak of the same things as before."""
        if self._config.repository is None:
            return True
        known = ((self.references.text(path), text) for path, text in texts.items())
        return all(old is None or mentions_alike(old, new) for old, new in known)

    def _search_links(self) -> dict[str, Any]:
        if not is_searchable(self._config, self.site):
            return {}
        url = self.views.url
        return {"search": True, "search_url": url(search.PAGE), "index_url": url(f"/{search.FOLDER}")}

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
        """The feeds that pages of a topic name: that of its show, its own, then the site's."""
        own = self._feed_links(topic.permalink, f"{topic.title} · {self._config.title}", json=True)
        return self._feed_of_show(topic.path) + own + self._feed_links("/", self._config.title, json=True)

    def _feed_of_show(self, path: str) -> tuple[view.FeedLink, ...]:
        """The feed of the show that a topic belongs to."""
        found = episodes.show_of(self.shows, path) if self.shows else None
        return () if found is None else (episodes.feed_link(self.views, self._topics[found], self.shows[found]),)

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
            markdown_url=self._twin_url(permalink) if kind in TWINNED else "",
            **more,
        )

    def _twin_url(self, permalink: str) -> str:
        """Where a page stands as Markdown; empty where twins are not wanted."""
        return twin_of(self.views.url(permalink)) if self._config.llms.twins else ""

    def _scripts(self, parsed: Parsed | None) -> tuple[str, ...]:
        """The scripts that draw the diagrams of a text where no command does, the theme's own last."""
        if parsed is None or not parsed.document.diagrams:
            return ()
        found: dict[str, None] = {}
        for language in sorted({diagram.language for diagram in parsed.document.diagrams}):
            diagram = self._config.diagrams.get(language)
            if diagram and diagram.script and not diagram.command:
                own = diagram.script.startswith("/")
                found[self.views.url(diagram.script) if own else diagram.script] = None
        theirs = self._common["assets"].get(DRAWING) if found else None
        return (*found, theirs) if theirs else tuple(found)

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
            scripts=self._scripts(site.home),
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
            feeds=self._feed_of_show(path)
            + self._feed_links(topic.permalink, f"{topic.title} · {self._config.title}", json=True),
            breadcrumbs=self._breadcrumbs(path.rpartition("/")[0]),
            scripts=self._scripts(topic.index if part.number == 1 else None),
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
        comments = comments_view(self._config, post, self._own_url) if self._config.comments.provider else None
        shown = self.views.post(post, comments.url if comments else "")
        resolved = self.references.of(post.id)
        updated = day(post.updated, post.updated_day_only).iso if post.updated else ""
        description = post.parsed.front_matter.description or post.excerpt
        image = self._image(post, resolved.image)
        page = self._page(
            "post",
            post.title,
            post.permalink,
            description,
            image=image.url,
            image_width=image.width,
            image_height=image.height,
            image_alt=image.alt,
            published=shown.date.iso if shown.date else "",
            modified=updated,
            authors=tuple(author.name for author in shown.authors),
            tags=tuple(tag.name for tag in shown.tags),
            feeds=self._feeds_of_posts.get(post.topic) or self._common["site"].feeds,
            breadcrumbs=self._crumbs.get(post.topic) or self._breadcrumbs(post.topic),
            json_ld=blog_posting(self._config, shown, resolved.filling.page_url, image.url, description),
            noindex=bool(post.state),
            scripts=self._scripts(post.parsed),
        )
        canonical = post.parsed.front_matter.canonical_url
        if canonical.startswith(("https://", "http://")):
            page = msgspec.structs.replace(page, canonical=canonical)
        episode = self._episode(post) if post.parsed.front_matter.audio else _NO_EPISODE
        if episode["episode"]:
            page = self._with_sound(page, episode["episode"])
        return {
            **self._common,
            "page": page,
            "post": shown,
            "content": resolved.filling,
            "previous": self._link(older),
            "next": self._link(newer),
            "series": series_view(post, self._series, self.views.url) if post.parsed.front_matter.series else None,
            "related": self._related(self.relations.of(place)),
            "comments": comments,
            "cited": cited_view(self._sources.cited.get(post.id)),
            **episode,
        }

    def _related(self, places: Iterable[int]) -> tuple[view.LogRef, ...]:
        """Posts as those that are related to them name them."""
        known = self._logs
        for place in places:
            if place not in known:
                known[place] = self.views.log(self.site.posts[place])
        return tuple([known[place] for place in places])

    def _episode(self, post: Post) -> Context:
        """The sound of a post, and what is spoken in it."""
        audio, sound = post.parsed.front_matter.audio, self._sounds.by_post.get(post.id)
        if audio is None or sound is None:
            return _NO_EPISODE
        show = episodes.show_of(self.shows, post.topic)
        topic = self._topics[show] if show is not None else None
        shown: Context = {"episode": episodes.episode_view(self.views, post, audio, sound, topic)}
        if audio.transcript == BODY:
            return {**shown, "content": "", "transcript": self.references.of(post.id).filling}
        return {**shown, "transcript": self.references.spoken(post.id) or ""}

    def spoken_files(self, post: Post) -> Iterator[tuple[str, str]]:
        """The files of an episode: their permalinks, and what they are: ``chapters`` or the format of a transcript."""
        sound = self._sounds.by_post[post.id]
        for ending in episodes.formats(post, sound):
            yield episodes.file_beside(post.permalink, f"transcript.{ending}"), ending
        if sound.chapters:
            yield episodes.file_beside(post.permalink, "chapters.json"), "chapters"

    def transcript(self, place: int, ending: str) -> Context:
        """A file of a transcript."""
        post = self.site.posts[place]
        audio, sound = post.parsed.front_matter.audio, self._sounds.by_post[post.id]
        own = audio is None or audio.transcript == BODY or sound.transcript is None
        cues = post.parsed.document.cues if own or sound.transcript is None else Blob(sound.transcript.cues)
        context: Context = {"cues": cues, "format": ending, "title": post.title, "language": self._config.language}
        text = sound.transcript.text.path if sound.transcript and not own else ""
        if own or text.lower().endswith((".md", ".markdown")):  # which does not say when the last one ends
            context["seconds"] = sound.seconds
        return context

    def chapters(self, place: int) -> Context:
        """The chapters of an episode."""
        post = self.site.posts[place]
        origin = self._config.origin
        parts = [
            msgspec.structs.replace(part, image=origin + part.image) if part.image[:1] == "/" else part
            for part in self._sounds.by_post[post.id].chapters
        ]
        return {"title": post.title, "chapters": tuple(parts)}

    def podcast(self, path: str, places: tuple[int, ...]) -> Context:
        """The feed of a show."""
        topic, podcast, config = self._topics[path], self.shows[path], self._config
        entries, told = [], []
        for post in self.posts(places):
            audio = post.parsed.front_matter.audio
            assert audio
            entries.append(self._entry(post, full=audio.transcript != BODY))
            told.append(episodes.told(config, self.views, post, audio, self._sounds.by_post[post.id], podcast.explicit))
        feed = feed_view(
            config, self.views, episodes.show_feed(config, topic, podcast), topic.permalink + episodes.FEED, entries
        )
        return {
            "feed": msgspec.structs.replace(feed, language=podcast.language or config.language),
            "entries": tuple(entries),
            "show": episodes.show(config, self.views, topic, podcast, self._sounds),
            "episodes": tuple(told),
        }

    def _with_sound(self, page: view.PageView, episode: view.EpisodeView) -> view.PageView:
        """What the head of an episode's page says: that of any post, and where its sound lies."""
        return msgspec.structs.replace(
            page,
            audio=absolute(self._config, episode.audio_url),
            audio_type=episode.type,
            json_ld=podcast_episode(page.json_ld, episode, self._config),
        )

    @property
    def relations(self) -> Relations:
        """Which posts are related, by their places in ``site.posts``."""
        if self._relations is None:
            posts, url = self.site.posts, self.views.url
            pages = {url(post.permalink): post.permalink for post in posts}
            status = self.views.status
            rows = [
                row_of(post, self.references.linked(post.id, pages), is_offered=status(post) != "superseded")
                for post in posts
            ]
            self._relations = Relations(rows, self._remembered)
        return self._relations

    def _link(self, place: int | None) -> view.Link | None:
        if place is None:
            return None
        found = self._links.get(place)
        if found is None:
            post = self.site.posts[place]
            found = self._links[place] = view.Link(post.title, self.views.url(post.permalink))
        return found

    def _image(self, post: Post, named: str) -> _Image:
        """The picture that stands for a post elsewhere: the one that it names, else its card."""
        if named:
            return _Image(named)
        if self._cards is None:
            return _NO_IMAGE
        found = self._cards.picture(post)
        if found is None:
            return _NO_IMAGE
        permalink, size = found
        alt = f"{post.title} – {self._config.title}"
        return _Image(self.views.absolute(permalink), size.width if size else 0, size.height if size else 0, alt)

    def page(self, place: int) -> Context:
        """A plain page, by its place in ``site.pages``."""
        post = self.site.pages[place]
        description = post.parsed.front_matter.description or post.excerpt
        crumbs = self._breadcrumbs("")
        page = self._page(
            "page",
            post.title,
            post.permalink,
            description,
            breadcrumbs=crumbs,
            noindex=bool(post.state),
            scripts=self._scripts(post.parsed),
        )
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

    def archive(
        self, part: Page, counts: tuple[view.YearCount, ...], months: tuple[view.MonthCount, ...], total: int
    ) -> Context:
        """A page of the archive.

        Args:
            part: which posts it lists.
            counts: those of all years.
            months: those of all months.
            total: that of all dated posts, which come first.
        """
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
            "months": months,
            "total": total,
            "pagination": part.pagination(self.views.url),
        }

    # -- what posts say of the project's source

    def refs(self) -> Context:
        """The overview of the references."""
        page = self._page("refs", "References", REFS, f"What {self._config.title} says of the source, and where.")
        size, mentions = self._config.page_size, self.mentions
        return {
            **self._common,
            "page": page,
            "kinds": mentions.kinds(self.views),
            "newest": mentions.newest(self.views, size),
            "discussed": mentions.discussed(self.views, size),
            "refs_json": self.views.url("/refs.json"),
        }

    def reflist(self, kind: MentionKind, part: Page) -> Context:
        """A page of the references of one kind."""
        title = title_of(kind)
        page = self._page(
            "reflist",
            part.titled(title),
            part.permalink,
            f"{title} that {self._config.title} speaks of.",
            breadcrumbs=(*self._breadcrumbs(""), view.Link("References", self.views.url(REFS))),
        )
        return {
            **self._common,
            "page": page,
            "total": len(self.mentions.by_kind[kind]),
            "references": self.mentions.shown(kind, part, self.views),
            "pagination": part.pagination(self.views.url),
        }

    def refs_json(self) -> Context:
        """The references for programs."""
        return {"references": self.mentions.records(self.views, self._config.origin)}

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

    def search(self) -> Context:
        """The page that searches."""
        return {**self._common, "page": self._page("search", "Search", search.PAGE, "", noindex=True)}

    def wanted(self, wanted: Wanted) -> Context:
        """What a plan wants; a page sees what all pages see, too."""
        if not wanted.template:
            return wanted.context
        page = self._page("plugin", wanted.title, wanted.permalink, "")
        return {**self._common, "page": page, **wanted.context}

    def blob(self, digest: str) -> Context:
        """Bytes that were made before."""
        return {"blob": Blob(digest)}

    def posts_json(self) -> Context:
        """The list of posts."""
        return {
            "posts": self.views.refs(self.site.posts),
            "facts": tuple(facts(post) for post in self.site.posts),
            "origin": self._config.origin,
            "twins": self._config.llms.twins,
        }

    def llms(self) -> Context:
        """The list for programs that read as people do."""
        site, posts = self.site, self.posts(published(self.site))
        return {
            "site": self._common["site"],
            "topics": listed_topics(site, self.views, posts),
            "posts": self.views.refs(posts[:NEWEST]),
            "others": other_pages(site, self.views),
            "twins": self._config.llms.twins,
        }

    def llms_full(self) -> Context:
        """The newest texts for such programs."""
        posts, limit = self.posts(published(self.site)), self._config.llms.full_bytes
        chosen = tuple(that_fit(posts, limit))
        return {
            "site": self._common["site"],
            "posts": self.views.refs(chosen),
            "entries": tuple(self._entry(post, full=True) for post in chosen),
            "total": len(posts),
            "limit": limit,
        }

    def sitemap(self, found: tuple[str, ...]) -> Context:
        """The site map of the paths that search engines may find."""
        return {"pages": sitemap(self.views, found, self.site.posts)}

    def robots(self, sitemap_url: str) -> Context:
        """The rules for robots."""
        return {"sitemap": sitemap_url}


def _relates(parsed: Parsed) -> object:
    """What of a text decides to which posts its own is related, beside what the whole site must be assembled for."""
    document = parsed.document
    return document.terms, document.body != "", [ref.target for ref in document.refs if ref.kind == "link"]
