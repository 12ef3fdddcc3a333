"""Decides what readers can search in a site, and plans the search page."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.assemble.plan import Planner
from devlog.assemble.site_context import Context, SiteContext
from devlog.config import Config
from devlog.features.site_search.model import PAGE, TEMPLATE, Record
from devlog.model.diagnostic import generated
from devlog.model.document import Document
from devlog.model.site import Site
from devlog.plugin import Outline, PlannedFile


def is_searchable(config: Config, site: Site) -> bool:
    """Whether pages have a search box."""
    return config.search.enabled and any(post.is_findable for posts in (site.posts, site.pages) for post in posts)


def plan_search(outline: Outline) -> Iterator[PlannedFile]:
    """Plan the search page, unless the site has a page of its own there."""
    if is_searchable(outline.config, outline.site):
        span = generated("the search")
        yield PlannedFile(PAGE, "page", template=TEMPLATE, span=span, yields=True, make=_searching)


def _searching(known: SiteContext) -> Context:
    """The context of the search page."""
    return {**known.common, "page": known.page_view("search", known.t("search"), PAGE, "", noindex=True)}


def records(planner: Planner) -> Iterator[Record]:
    """One record for each post and plain page that may be found, and for each page of a plugin that is to be found."""
    known = planner.context
    config, site, views, companion = known.config, known.site, known.views, known.companion_bodies
    companion_size = {post: _size(found.text.document) for post, found in known.companions.items()}
    topics = {topic.path: topic.title for topic in site.topics}
    authors = {author.key: author.name for author in site.authors}
    tags = dict(site.tags)
    start = len(config.base_path) - 1
    for post in (*site.posts, *site.pages):
        if post.is_findable:
            yield Record(
                url=views.url(post.permalink)[start:],
                title=post.title,
                body=post.parsed.document.body,
                date=post.date.date().isoformat() if post.date else "",
                topic=topics.get(post.topic, ""),
                authors=tuple([authors[credit.author] for credit in post.credits]),
                tags=tuple([tags[tag] for tag in post.tags]),
                transcript=companion.get(post.id, ""),
                status=views.status(post),
                shown_date=views.day(post.date, day_only=post.day_only).text,
                language=views.language(post),
                size=_size(post.parsed.document) + companion_size.get(post.id, 0),
            )
    for page in planner.searchable_pages():
        yield Record(
            url=views.url(page.permalink)[start:], title=page.title, body="", text=page.search, size=len(page.search)
        )


def _size(document: Document) -> int:
    """About how many bytes of text it has: those of its HTML in a site without Markdown versions."""
    return document.length or document.html
