"""Plans every file that the published site needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Literal

import msgspec

from devlog.assemble import files, pages, problems
from devlog.assemble.claims import Claim, Claims, Make, claims_of_files
from devlog.assemble.feeds import Feed, feed_files, feed_title
from devlog.assemble.incremental_update import update
from devlog.assemble.pagination import paginate
from devlog.assemble.plan_validation import unfit
from devlog.assemble.references import References
from devlog.assemble.site import Assembled
from devlog.assemble.site_context import SUBSCRIBE, SiteContext
from devlog.assemble.urls import output_path, span_of
from devlog.assemble.views import months, tag_permalink
from devlog.config import Config
from devlog.model import view
from devlog.model.active import run_by_servers, shown_for_folder, shown_for_missing
from devlog.model.derived import CompanionText, Derived
from devlog.model.diagnostic import Diagnostic, Span, generated
from devlog.model.document import Parsed
from devlog.model.post_note import PostNote
from devlog.model.site import Author, Post, Redirect, Site, Topic
from devlog.model.slug import slug
from devlog.model.target import WITH_MARKDOWN, Copy, ResolvedLink, Target
from devlog.model.theme import PluginRef, Theme
from devlog.plugin import Outline, Plan, PlannedFile, Plugin
from devlog.plugins.codes import code_of
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import features, site_search
from devlog.plugins.loading import load
from devlog.plugins.results import misfit_problem

MOST_URLS = 50_000
"""How many URLs one sitemap may have (sitemaps.org, 0.9)."""


class Planner:
    """Plans a site: first claims the paths of all files, then makes the context of one file after the other.

    So the contexts of a large site are never all in memory, and the preview makes only those that it shows. Two sources
    never share a URL: the second claim is an error that names both.

    Attributes:
        assembled: the site.
        derived: data that features and plugins derive from it and its files.
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
            related: the value of `related` of an earlier build.
        """
        self._config = config
        self._theme = theme
        self.assembled = assembled
        self.derived = derived
        self._known = SiteContext(config, assembled, theme, references, derived, related)
        self._claims = self._claimed_files()

    def _claimed_files(self) -> Claims:
        """The claims of files to copy. They come first: if a page has the same URL, the error names the file."""
        return claims_of_files(self.assembled.site, self._theme, strip=self._config.images.strip)

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The files to copy, by path."""
        return tuple(sorted(self._claims.copies.values(), key=lambda copy: copy.path))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics about the site as a whole; complete after all files are claimed."""
        found = [*self.assembled.diagnostics, *self.refused, *self._known.references.diagnostics()]
        found += (*self._known.wrong, *self.derived.problems)
        if self._config.images.strip:
            kept = (item.asset.file for item in self.assembled.site.assets if item.asset.location == "kept")
            found += map(problems.kept_location, kept)
        if not self.assembled.site.posts:
            found.append(problems.no_posts(Span(self._config.content), self._config.content_prefix))
        return found

    @property
    def refused(self) -> list[Diagnostic]:
        """Why files cannot be published where they should be; complete after all files are claimed."""
        found = list(self._claims.diagnostics)
        if self._claims.searched and self.is_searchable:
            path, span = self._claims.searched
            found.append(problems.search_folder_taken(span, path))
        return found

    def resolved_links(self) -> Iterator[tuple[Parsed, tuple[ResolvedLink, ...]]]:
        """Every published source with its resolved links."""
        return self._known.references.resolved_links()

    @property
    def notes(self) -> Mapping[str, PostNote]:
        """The notes of features on posts, by id."""
        return self._known.notes

    @property
    def companions(self) -> tuple[CompanionText, ...]:
        """The secondary sources shown on pages of posts, such as transcripts: each file once."""
        return tuple({item.text.file: item for item in self._known.companions.values()}.values())

    @property
    def recipes(self) -> Mapping[str, int]:
        """The number of files of each recipe; complete after all files are claimed."""
        return self._claims.recipes

    @property
    def related(self) -> bytes | None:
        """A record of related posts for the next build; `None` if the record of the last build is still valid."""
        return self._known.relations.record()

    @property
    def is_searchable(self) -> bool:
        """Whether pages have a search box."""
        search = site_search()
        return search is not None and search.is_wanted(self._config, self.assembled.site)

    @property
    def context(self) -> SiteContext:
        """The values from which the contexts of files are made."""
        return self._known

    @property
    def site(self) -> Site:
        """The planned site."""
        return self.assembled.site

    @property
    def posts(self) -> int:
        """The number of posts."""
        return len(self.assembled.site.posts)

    def target(self, claim: Claim) -> Target:
        """A file with the context from which it is rendered."""
        return self.sketched(claim)[0]

    def sketched(self, claim: Claim) -> tuple[Target, frozenset[str]]:
        """A file with its context, and the sources in it of which only the front matter is parsed so far."""
        context, missing = self._known.make(claim)
        return Target(claim.path, claim.recipe, claim.template, context, claim.markdown), missing

    def post_of(self, claim: Claim) -> Post | None:
        """The post or plain page that a file shows."""
        site, index = self.assembled.site, claim.about[0] if claim.about else None
        if not isinstance(index, int):
            return None
        return (site.posts if claim.make is pages.post else site.pages)[index]

    def source_of(self, claim: Claim) -> str:
        """The source file of a page; empty if the page has no source of its own."""
        post = self.post_of(claim)
        if post:
            return post.parsed.file
        site = self.assembled.site
        if claim.make is pages.home and site.home:
            return site.home.file
        indexes = {topic.path: topic.index.file for topic in site.topics if topic.index}
        return indexes.get(str(claim.about[0]), "") if claim.make is pages.topic else ""

    def targets(self) -> Iterator[Target]:
        """All files to render, one after the other."""
        return map(self.target, self.claims())

    def updated(self, sources: Mapping[str, Parsed]) -> Planner | None:
        """Update the plan after some sources, by path, were parsed again.

        Returns:
            A plan with the same claims, or `None` if the site must be assembled again.
        """
        assembled = update(self.assembled, sources)
        if assembled is None:
            return None
        made = copy(self)
        made.assembled = assembled
        made._known = self._known.updated(assembled.site, sources)
        return made

    def may_bring(self, path: str) -> bool:
        """Whether a file that is not planned yet may be planned once all sources are parsed in full."""
        targets = (part.value.targets for part in self.derived.targets if part.value is not None)
        return any(f"/{path}".startswith(url) for some in targets for url in some.urls)

    def claims_alike(self, sources: Mapping[str, Parsed]) -> bool:
        """Whether the set of files stays the same after some sources, by path, were parsed again.

        Expects that `updated` returns a plan for them.
        """
        return self._known.plans_alike(sources)

    def rederived(self, derived: Derived) -> Planner:
        """The plan of a site in the preview, with the data that was derived from its files after an edit."""
        made = copy(self)
        made.derived = derived
        made._known = self._known.rederived(derived)
        return made

    @property
    def references(self) -> References:
        """The links of the site's sources."""
        return self._known.references

    @property
    def has_plans(self) -> bool:
        """Whether plugins plan files of their own, or derive data from the site that pages may show."""
        return any(plugin.pages or plugin.plans or plugin.derive for plugin in load(self._theme.plugins))

    @property
    def has_targets(self) -> bool:
        """Whether plugins add link targets, which may depend on bodies."""
        return any(plugin.targets for plugin in load(self._theme.plugins))

    def claims(self) -> Iterator[Claim]:
        """Claim the files to render, one after the other. Each call starts again with new claims."""
        self._claims = self._claimed_files()
        self._files_of_posts = frozenset(post.parsed.file for post in self.assembled.site.posts)
        found: list[str] = []  # pages to which the sitemap leads search engines
        for claim in self._pages():
            post = self.post_of(claim)
            if claim.recipe == "page" and (
                not post or (post.is_findable and not post.parsed.front_matter.canonical_url)
            ):
                found.append(claim.path)
            yield claim
        self._refuse_shown_for_others()
        redirects = self.assembled.site.redirects
        yield from self._redirects(item for item in redirects if item.is_configured)
        yield from self._planned("plans")
        yield from self._machine_files(tuple(found))
        # Last, so that no alias of a post takes the place of a page for all, such as the one for missing pages.
        yield from self._redirects(item for item in redirects if not item.is_configured)
        yield from self._old_feeds_of_tags()

    def searchable_pages(self) -> Iterator[PlannedFile]:
        """The pages of plugins that the search finds. What is wrong with a plan is said when its files are claimed."""
        outline = self._known.outline
        for plugin in load(self._theme.plugins):
            for plan in (*plugin.pages, *plugin.plans):
                try:
                    for item in plan(outline):
                        if isinstance(item, PlannedFile) and item.search and not unfit(item, self._theme):
                            yield item
                except faults():
                    pass

    def _planned(self, point: Literal["pages", "plans"]) -> Iterator[Claim]:
        """The claims of files that features and plugins plan."""
        refs = self._theme.plugins
        outline = msgspec.structs.replace(self._known.outline, is_free=self._claims.is_unclaimed)
        spare: list[tuple[Plugin, PlannedFile]] = []
        for ref, plugin in [*((None, plugin) for plugin in features()), *zip(refs, load(refs), strict=True)]:
            for plan in getattr(plugin, point):
                for wanted in self._wanted(outline, ref, plugin, plan, point):
                    if wanted.yields:
                        spare.append((plugin, wanted))
                    else:
                        yield from self._claimed(plugin, wanted)
        for plugin, wanted in spare:
            if self._claims.is_unclaimed(wanted.permalink):
                yield from self._claimed(plugin, wanted)

    def _claimed(self, plugin: Plugin, wanted: PlannedFile) -> Iterator[Claim]:
        span = wanted.span or generated(f"the plugin “{plugin.name}”")
        return self._claims.claim(wanted.permalink, wanted.recipe, wanted.template, span, pages.wanted, wanted)

    def _wanted(
        self, outline: Outline, ref: PluginRef | None, plugin: Plugin, plan: Plan, point: Literal["pages", "plans"]
    ) -> Iterator[PlannedFile]:
        """The files that a plan returns. Diagnostics that it returns, and faults of the plan itself, are recorded."""
        found = self._claims.diagnostics
        if ref is None:
            for item in plan(outline):
                if isinstance(item, PlannedFile):
                    yield item
                else:
                    found.append(item)
            return
        code = code_of(plugin, plan)
        what = f"the plan “{code}”"
        try:
            for item in plan(outline):
                is_problem = isinstance(item, Diagnostic)
                if reason := misfit_problem(item) if is_problem else unfit(item, self._theme):
                    found.append(fault(ref, what, reason, plan))
                elif isinstance(item, Diagnostic):
                    found.append(msgspec.structs.replace(item, code=code))
                elif item.yields and point == "pages":
                    reason = "only what “plans” want can be spare, not a page of the site"
                    found.append(fault(ref, what, reason, plan))
                else:
                    yield item
        except faults() as error:  # the plugin's own code
            found.append(fault(ref, what, error, plan))

    def _pages(self) -> Iterator[Claim]:
        yield from self._home()
        foreign = self._config.conventions.is_foreign
        if foreign:
            yield from self._plain_pages()
        for topic in self.assembled.site.topics:
            yield from self._topic(topic)
        yield from self._posts()
        if not foreign:
            yield from self._plain_pages()
        yield from self._authors()
        yield from self._tags()
        yield from self._archive()
        yield from self._planned("pages")

    def _plain_pages(self) -> Iterator[Claim]:
        for index, page in enumerate(self.assembled.site.pages):
            yield from self._html(page.permalink, "page.html", span_of(page), pages.plain_page, index)

    def _html(self, permalink: str, template: str, span: Span, make: Make, *about: object) -> Iterator[Claim]:
        if reason := self._run_by_servers(permalink):
            self._claims.refuse(permalink, problems.run_by_servers(span, permalink, reason))
            return iter(())
        has_markdown = self._known.has_markdown and template[:-5] in WITH_MARKDOWN
        return self._claims.claim(permalink, "page", template, span, make, *about, has_markdown=has_markdown)

    def _run_by_servers(self, permalink: str) -> str:
        """Why servers would run what is published at a permalink that posts determine; empty if all are trusted."""
        return "" if self._config.html == "trusted" else run_by_servers(output_path(permalink))

    def _list(self, permalink: str, template: str, span: Span, make: Make, *about: object) -> Iterator[Claim]:
        """Claim a page that lists posts. In sites of other generators an existing page has precedence."""
        if self._config.conventions.is_foreign and not self._claims.is_free(permalink):
            return iter(())
        return self._html(permalink, template, span, make, *about)

    def _home(self) -> Iterator[Claim]:
        config, site = self._config, self.assembled.site
        yield from self._html(
            "/", "home.html", Span(site.home.file) if site.home else generated("the home page"), pages.home
        )
        everything = range(len(site.posts))
        feed = Feed("/", config.title, config.description, full=config.feeds.site == "full", json=True)
        yield from self._feeds(feed, everything)

    def _topic(self, topic: Topic) -> Iterator[Claim]:
        config, indexes = self._config, self._known.by_topic[topic.path]
        index = topic.index
        span = index.front_matter.span("url", index.file) if index else Span(topic.folder)
        parts = [] if topic.redirect else paginate(topic.permalink, len(indexes), config.page_size)
        for part in parts:
            yield from self._list(part.permalink, "topic.html", span, pages.topic, topic.path, part)
        title, full = feed_title(topic.title, config), config.feeds.topics == "full"
        yield from self._feeds(Feed(topic.permalink, title, topic.description, full=full, json=True), indexes)

    def _posts(self) -> Iterator[Claim]:
        """Each post, with the older and the newer post of its topic."""
        posts = self.assembled.site.posts
        by_topic: dict[str, list[int]] = {}
        for index, post in enumerate(posts):
            by_topic.setdefault(post.topic, []).append(index)
        for indexes in by_topic.values():
            for index, newer, older in zip(indexes, (None, *indexes), (*indexes[1:], None), strict=False):
                post = posts[index]
                yield from self._html(post.permalink, "post.html", span_of(post), pages.post, index, older, newer)

    def _authors(self) -> Iterator[Claim]:
        for author in self.assembled.site.authors:
            indexes = self._known.by_author.get(author.key)
            if indexes:
                yield from self._author(author, indexes)
        yield from self._list("/authors/", "authors.html", generated("the list of authors"), pages.authors)

    def _author(self, author: Author, indexes: Sequence[int]) -> Iterator[Claim]:
        config, span = self._config, generated(f"the author “{author.name}”")
        for part in paginate(author.permalink, len(indexes), config.page_size):
            yield from self._html(part.permalink, "author.html", span, pages.author, author.key, part)
        title, full = feed_title(author.name, config), config.feeds.authors == "full"
        yield from self._feeds(Feed(author.permalink, title, author.bio, full=full, json=False), indexes)

    def _tags(self) -> Iterator[Claim]:
        config = self._config
        for key, name in self.assembled.site.tags:
            indexes, folder = self._known.by_tag[key], tag_permalink(key)
            for part in paginate(folder, len(indexes), config.page_size):
                yield from self._html(
                    part.permalink, "tag.html", generated(f"the tag “{name}”"), pages.tag, key, name, part
                )
            yield from self._feeds_of_tag(key, name)
        yield from self._list("/tags/", "tags.html", generated("the list of tags"), pages.tags)
        yield from self._feeds_of_tags()

    def _feeds_of_tags(self, old: str = "") -> Iterator[Claim]:
        config, posts = self._config, self.assembled.site.posts
        if self.assembled.site.tags:
            tagged = (index for index, post in enumerate(posts) if post.tags)
            title, full = feed_title(self._known.t("tags"), config), config.feeds.tags == "full"
            yield from self._feeds(Feed("/tags/", title, "", full=full, json=False), tagged, old)

    def _feeds_of_tag(self, key: str, name: str, old: str = "") -> Iterator[Claim]:
        config, indexes = self._config, self._known.by_tag[key]
        title, full = feed_title(name, config), config.feeds.tags == "full"
        yield from self._feeds(Feed(tag_permalink(key), title, "", full=full, json=False), indexes, old)

    def _archive(self) -> Iterator[Claim]:
        years = [post.date.year for post in self.assembled.site.posts if post.date]
        parts = list(paginate("/archive/", len(years), self._config.page_size))
        starts: dict[int, str] = {}
        totals: dict[int, int] = {}
        for part in parts:
            for year in years[part.start : part.stop]:
                starts.setdefault(year, part.permalink)
                totals[year] = totals.get(year, 0) + 1
        url = self._known.views.url
        counts = tuple(view.YearCount(year, totals[year], f"{url(starts[year])}#y{year}") for year in totals)
        about, span = (counts, months(self.assembled.site.posts), len(years)), generated("the archive")
        for part in parts:
            yield from self._list(part.permalink, "archive.html", span, pages.archive, part, *about)

    # -- files for programs

    def _feeds(self, feed: Feed, indexes: Iterable[int], old: str = "") -> Iterator[Claim]:
        """The files of a feed; if `old`, a permalink, is given, only another copy of its RSS there."""
        posts, limit = self.assembled.site.posts, self._config.feeds.limit
        chosen: list[int] = []
        for index in indexes:
            if len(chosen) == limit:
                break
            if posts[index].date and not posts[index].state:
                chosen.append(index)
        span = generated(f"the feed “{feed.title}”")
        for recipe, own in feed_files(self._config, feed.folder, json=feed.json).items():
            if recipe == "rss" or not old:
                yield from self._claims.claim(old or own, recipe, "", span, files.feed, feed, own, tuple(chosen))

    def _redirects(self, redirects: Iterable[Redirect]) -> Iterator[Claim]:
        names = dict(self.assembled.site.tags)
        moved = {topic.permalink for topic in self.assembled.site.topics if topic.redirect}
        moved |= {item.permalink for item in self.assembled.unpublished if not item.reason}
        for item in redirects:
            owner = self._claims.owner(item.permalink)
            of_post = not item.is_configured or item.permalink in moved
            if of_post and (reason := self._run_by_servers(item.permalink)):
                self._claims.refuse(item.permalink, problems.run_by_servers(item.span, item.permalink, reason))
            elif of_post and (reason := self._shown_for_others(item.permalink, item.span)):
                self._claims.diagnostics.append(problems.bad_url(item.span, item.permalink, reason))
            elif owner and not item.yields and not item.is_configured:
                found = problems.colliding_alias(item.span, output_path(item.permalink), owner)
                self._claims.diagnostics.append(found)
            elif not item.yields or self._claims.is_free(item.permalink):
                yield from self._claims.claim(
                    item.permalink, "redirect", "redirect.html", item.span, files.redirect, item
                )
            old = item.permalink + self._config.feeds.rss
            if item.tag and self._claims.is_free(old):  # feeds cannot redirect, so publish a copy
                yield from self._feeds_of_tag(item.tag, names[item.tag], old)

    def _refuse_shown_for_others(self) -> None:
        """Report posts and plain pages that some hosts would show to visitors of other pages."""
        for item in (*self.assembled.site.posts, *self.assembled.site.pages):
            if item.permalink.endswith("/"):
                continue
            if reason := self._shown_for_others(item.permalink, span_of(item)):
                self._claims.diagnostics.append(problems.bad_url(span_of(item), item.permalink, reason))

    def _shown_for_others(self, permalink: str, span: Span) -> str:
        """Why visitors of other pages would get what a post has at a permalink on some hosts; empty if they would not.

        Args:
            permalink: of a page or of an alias.
            span: of the post.
        """
        path = output_path(permalink)
        if shown_for_missing(path) and path != "404.html":  # this one is the page for that, or collides with it
            return "hosts show it instead of missing pages"
        if shown_for_folder(path) and self._is_of_others(permalink[: permalink.rfind("/") + 1], span):
            return "web servers show it instead of the page of its folder"
        # Where “/a” is requested, hosts look for “a.html” and “a/index.html”, and some do so for “/a/”, too.
        is_file = permalink.lower().endswith(".html")
        other = permalink[: -len(".html")] + "/" if is_file else permalink.rstrip("/") + ".html"
        if not self._is_of_others(other, span) or self._may_be_beside(other, span):
            return ""
        return f"many hosts confuse it with “{other}” of another page"

    def _may_be_beside(self, permalink: str, span: Span) -> bool:
        """Whether a post may be beside a permalink of another page that hosts confuse with its own.

        Sites of other generators have pages such as “tags.html” of Jekyll, and posts named like their category, beside
        which devlog makes its lists: there, only two posts must not be confused.
        """
        owner = self._claims.owner(permalink)
        paths = {span.path, owner.path} if owner else {span.path}
        return self._config.conventions.is_foreign and not paths <= self._files_of_posts

    def _is_of_others(self, permalink: str, span: Span) -> bool:
        """Whether another source than that of the span, or devlog itself, has a permalink."""
        owner = self._claims.owner(permalink)
        return owner is not None and owner.path != span.path  # it may be an alias of the same post

    def _sitemaps(self, found: tuple[str, ...]) -> Iterator[Claim]:
        """One sitemap or, as one may not have any number of URLs, several and a list of them."""
        claim, made = self._claims.claim, generated("the sitemap")
        if len(found) <= MOST_URLS:
            yield from claim("/sitemap.xml", "sitemap", "", made, files.sitemap, found)
            return
        found = tuple(sorted(found))
        parts = [found[start : start + MOST_URLS] for start in range(0, len(found), MOST_URLS)]
        permalinks = tuple(f"/sitemap-{number}.xml" for number in range(1, len(parts) + 1))
        yield from claim("/sitemap.xml", "sitemap_index", "", made, files.sitemap_index, permalinks)
        for permalink, part in zip(permalinks, parts, strict=True):
            yield from claim(permalink, "sitemap", "", made, files.sitemap, part)

    def _old_feeds_of_tags(self) -> Iterator[Claim]:
        for key in self._config.tags.also:
            old = f"/{slug(key)}/{self._config.feeds.rss}"
            if self._claims.is_free(old):
                yield from self._feeds_of_tags(old)

    def _machine_files(self, found: tuple[str, ...]) -> Iterator[Claim]:
        claims = self._claims
        if claims.is_unclaimed("/404.html"):
            yield from self._html("/404.html", "404.html", generated("the page for missing pages"), pages.not_found)
        if self._known.explains_feeds and claims.is_unclaimed("/subscribe/"):
            yield from self._html("/subscribe/", SUBSCRIBE, generated("the page that explains feeds"), pages.subscribe)
            found = (*found, "subscribe/")
        yield from claims.claim("/posts.json", "posts", "", generated("the list of posts"), files.posts_json)
        sitemap_url = ""
        if self._config.origin and not claims.brings("sitemap.xml"):
            yield from self._sitemaps(found)
            sitemap_url = self._known.views.absolute("/sitemap.xml")
        if not claims.brings("robots.txt"):
            yield from claims.claim("/robots.txt", "robots", "", generated("robots.txt"), files.robots, sitemap_url)
