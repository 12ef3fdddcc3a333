"""Plans the pages about source references, and makes their contexts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devlog.assemble.pages import image_of_site
from devlog.assemble.pagination import Page
from devlog.assemble.site_context import Context, SiteContext
from devlog.features.source_references.assemble.citations import cited_view
from devlog.features.source_references.assemble.index import FOLDER, JSON, Mentions, has_references, title_of
from devlog.features.source_references.assemble.source_map import SOURCE, SOURCE_JSON, SourceMap
from devlog.features.source_references.assemble.source_map_views import directory_view, record_of, source_posts
from devlog.features.source_references.config import configured_repository
from devlog.features.source_references.model.citation import Sources
from devlog.features.source_references.model.mention import MentionKind
from devlog.features.source_references.model.reference import Reference
from devlog.model import view
from devlog.model.derived import Derived
from devlog.model.diagnostic import generated
from devlog.model.site import Post
from devlog.plugin import Outline, PlannedFile

_TEMPLATES = frozenset({"refs.html", "reflist.html"})
_MAP_TEMPLATE = "refsource.html"


def plan_pages(outline: Outline) -> Iterator[PlannedFile]:
    """Plan the pages about source references, unless the site has a page of its own there."""
    if not (outline.once(_has_pages) and outline.is_free(FOLDER)):
        return
    found: Mentions = outline.once(_mentions)
    span = generated("the references")
    yield PlannedFile(FOLDER, "page", template="refs.html", span=span, make=_overview)
    for kind in found.by_kind:
        for part in found.parts(kind, outline.config.page_size):
            yield PlannedFile(
                part.permalink, "page", template="reflist.html", span=span, make=_list, about=(kind, part)
            )
    yield PlannedFile(JSON, "refs", span=span, make=_records)
    if outline.once(_has_map):
        for path, directory in outline.once(source_map).directories.items():
            yield PlannedFile(
                directory.permalink, "page", template=_MAP_TEMPLATE, span=span, make=_directory, about=(path,)
            )
        yield PlannedFile(SOURCE_JSON, "source-map", span=span, make=_source_record)


def site_fields(outline: Outline) -> dict[str, Any]:
    """The link to these pages, if they exist."""
    return {"refs_url": outline.url(FOLDER)} if outline.once(_has_pages) else {}


def _has_pages(outline: Outline) -> bool:
    if configured_repository(outline.config) is None:
        return False
    site, derived = outline.site, outline.derived
    if any(page.permalink == FOLDER for page in site.pages):
        return False
    names = {item.name for item in outline.theme.templates}
    return names >= _TEMPLATES and has_references(site, _symbols(derived), derived.companions)


def _has_map(outline: Outline) -> bool:
    """Whether the theme can show the map of the source, and posts cite any file of it."""
    has_template = any(item.name == _MAP_TEMPLATE for item in outline.theme.templates)
    return has_template and bool(outline.once(source_map).files)


def source_map(outline: Outline) -> SourceMap:
    """The map of the source of a site that has pages about source references."""
    return SourceMap(outline.once(_mentions), outline.derived.of(Sources).cited)


def known_source(outline: Outline) -> tuple[Mentions, SourceMap] | None:
    """The mentions in posts and the map of the source, for other uses than pages; `None` for a site without a
    configured repository.
    """
    if configured_repository(outline.config) is None:
        return None
    return outline.once(_mentions), outline.once(source_map)


def _symbols(derived: Derived) -> dict[str, str]:
    """The URLs of the symbols that the project is known to define."""
    return {name: found.url for name, found in derived.of(Sources).symbols.items()}


def _mentions(outline: Outline) -> Mentions:
    repository, site, derived = configured_repository(outline.config), outline.site, outline.derived
    assert repository
    people = {author.handle.lower(): outline.url(author.permalink) for author in site.authors if author.handle}
    return Mentions(site, repository, _symbols(derived), people, derived.companions)


def _shown(known: SiteContext) -> Mentions:
    """The mentions in posts, for a page that shows some of them."""
    found = known.once(_mentions)
    known.note_shown(found.sketched)
    return found


def _overview(known: SiteContext) -> Context:
    """The context of the overview."""
    about = known.t("references_of_site", site=known.config.title)
    page = known.page_view("refs", known.t("references"), FOLDER, about, **image_of_site(known))
    size, mentions = known.config.page_size, _shown(known)
    return {
        **known.common,
        "page": page,
        "kinds": mentions.kinds(known.views),
        "newest": mentions.newest(known.views, size),
        "discussed": mentions.discussed(known.views, size),
        "refs_json": known.views.url(JSON),
        "source_url": known.views.url(SOURCE) if known.once(_has_map) else "",
    }


def _directory(known: SiteContext, path: str) -> Context:
    """The context of the page of a directory, or of the whole map."""
    _shown(known)
    found: SourceMap = known.once(source_map)
    mentions: Mentions = known.once(_mentions)
    whole = known.t("source_map")
    crumbs = [view.Link(known.t("references"), known.views.url(FOLDER))]
    above, at = [], path
    while at:
        at = found.directories[at].parent
        title = f"{at}/" if at else whole
        above.append(view.Link(title, known.views.url(found.directories[at].permalink)))
    site = known.config.title
    page = known.page_view(
        "refsource",
        f"{path}/" if path else whole,
        found.directories[path].permalink,
        known.t("source_of_directory", directory=f"{path}/", site=site)
        if path
        else known.t("source_of_site", site=site),
        breadcrumbs=(*known.breadcrumbs(""), *crumbs, *reversed(above)),
        **image_of_site(known),
    )
    return {
        **known.common,
        "page": page,
        "directory": directory_view(found, mentions, known.views, path),
        "posts": source_posts(found, mentions, known.views, path) if path else (),
        "source_json": known.views.url(SOURCE_JSON),
    }


def _source_record(known: SiteContext) -> Context:
    """The context of ``source.json``."""
    _shown(known)
    return {"source": record_of(known.once(source_map), known.once(_mentions), known.outline)}


def _list(known: SiteContext, kind: MentionKind, part: Page) -> Context:
    """The context of a page of a list."""
    title, mentions = known.t(title_of(kind)), _shown(known)
    page = known.page_view(
        "reflist",
        part.titled(title, known.t),
        part.permalink,
        known.t("references_of_kind", kind=title, site=known.config.title),
        breadcrumbs=(*known.breadcrumbs(""), view.Link(known.t("references"), known.views.url(FOLDER))),
        **image_of_site(known),
    )
    return {
        **known.common,
        "page": page,
        "total": len(mentions.by_kind[kind]),
        "references": mentions.shown(kind, part, known.views),
        "pagination": part.pagination(known.views.url),
    }


def _records(known: SiteContext) -> Context:
    """The context of ``refs.json``."""
    _shown(known)
    return {"references": references(known.outline)}


def references(outline: Outline) -> tuple[Reference, ...]:
    """The source references of posts, for programs; empty for a site without any."""
    if not outline.once(_has_pages):
        return ()
    found: Mentions = outline.once(_mentions)
    return found.records(outline.absolute, outline.config.origin)


def cited_page(known: SiteContext, post: Post, context: Context) -> Context:
    """The context of a post's page, extended by the state of the source that the post cites."""
    return {**context, "cited": cited_view(known.derived.of(Sources).cited.get(post.id))}
