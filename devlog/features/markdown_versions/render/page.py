"""Renders the Markdown version of a page from the same context as the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from devlog.model.catalog import Catalog, catalog_of
from devlog.model.document import LABEL, Body
from devlog.model.markdown import address, escaped, opened, scalar
from devlog.model.outpath import markdown_path_of
from devlog.model.target import Filling, ResolvedLink, Resources, Target
from devlog.model.urls import absolute
from devlog.model.view import (
    AuthorRef,
    AuthorView,
    BeforeView,
    EpisodeView,
    HomeView,
    Link,
    PageView,
    Pagination,
    PathRef,
    PathView,
    PostRef,
    PostView,
    SiteView,
    TopicView,
)

Context = Mapping[str, Any]
Bodies = Mapping[str, Body]

MARKS = {"superseded": "superseded", "historical": "historical"}
"""The message keys of statuses that lists mention; other statuses are not mentioned."""


def recipe(target: Target, resources: Resources) -> bytes:
    """The recipe for the Markdown version of a page, from the page's own target."""
    return markdown(target.context, resources.bodies, catalog_of(resources.theme.catalog))


def markdown(context: Context, bodies: Bodies, t: Catalog) -> bytes:
    """A page as Markdown.

    Args:
        context: the context of the page.
        bodies: the bodies that it names, by digest.
        t: the message catalog of the site.

    Returns:
        The page in UTF-8, in which bodies are stored as well: most of it is never decoded.
    """
    page: PageView = context["page"]
    return b"".join(
        [part if isinstance(part, bytes) else part.encode() for part in _KINDS[page.kind](context, bodies, t)]
    )


def filled(filling: Filling, bodies: Bodies, origin: str, notes: str = "") -> bytes:
    """A body as Markdown with all URLs filled in, with scheme and host if the site has them.

    Args:
        filling: the body with its links.
        bodies: the bodies by digest.
        origin: the scheme and host of the site.
        notes: what the labels of footnotes begin with, in a file with several bodies: one label has one note there.
    """
    return b"".join(
        [
            piece
            if isinstance(piece, bytes)
            else notes.encode()
            if piece == LABEL
            else address(_absolute(filling.link(piece), filling, origin)).encode()
            for piece in bodies[filling.body].markdown
        ]
    )


def _absolute(link: ResolvedLink, filling: Filling, origin: str) -> str:
    url = link.url
    if url.startswith("#"):
        return filling.page_url + url
    return absolute(url, origin)


def origin_of(site: SiteView) -> str:
    """The scheme and host of a site; empty if it has no absolute URL."""
    return site.base_url[: -len(site.url)] if "://" in site.base_url else ""


# -- posts


def _post(context: Context, bodies: Bodies, t: Catalog) -> Iterator[str | bytes]:
    post: PostView = context["post"]
    origin = origin_of(context["site"])
    yield _front_matter(post, context["page"], context.get("episode"), origin)
    yield f"\n# {_line(post.title)}\n"
    if post.status in MARKS:
        yield _banner(post, origin, t)
    yield _text(context, "content", bodies, origin)
    if context.get("path"):
        yield from _path(context["path"], origin, t)
    spoken = _text(context, "transcript", bodies, origin)
    if spoken:
        yield f"\n## {_line(t('transcript'))}\n"
        yield spoken


def _path(path: PathView, origin: str, t: Catalog) -> Iterator[str]:
    """The posts of a reading path, in order, each with the reason to read it."""
    yield _section(t("know_before"), [f"- {_before(item, origin)}" for item in path.before])
    yield f"\n## {_line(t('reading_path'))}\n"
    for step in path.steps:
        facts = [t("minutes", count=step.post.reading_time), *([step.post.status] if step.post.status in MARKS else [])]
        link = _link(step.post.title, markdown_path_of(step.post.url) or step.post.url, origin)
        why = f": {_line(step.why)}" if step.why else ""
        yield f"\n{step.number}. {link} ({', '.join(map(_line, facts))}){why}\n"
        if step.before:
            posts = ", ".join(_before(item, origin) for item in step.before)
            yield f"\n   {_line(t('before_step', posts=chr(0))).replace(chr(0), posts)}\n"


def _before(item: BeforeView, origin: str) -> str:
    return _link(item.title, markdown_path_of(item.url) or item.url, origin) if item.url else _line(item.title)


def _front_matter(post: PostView, page: PageView, episode: EpisodeView | None, origin: str) -> str:
    """The properties of a post, as YAML front matter."""
    own = origin + post.url
    lines = ["---", f"title: {scalar(post.title)}", f"url: {scalar(own)}"]
    if post.language:
        lines.append(f"lang: {scalar(post.language)}")
    if page.canonical and page.canonical != own:
        lines.append(f"canonical_url: {scalar(page.canonical)}")
    if post.date and post.date.iso:
        lines.append(f"date: {post.date.iso}")
    if post.updated:
        lines.append(f"updated: {post.updated.iso}")
    if post.authors:
        lines.append(f"authors: [{', '.join([scalar(_byline(author)) for author in post.authors])}]")
    if post.topic:
        lines.append(f"topic: {scalar(post.topic.title)}")
    if post.tags:
        lines.append(f"tags: [{', '.join([scalar(tag.name) for tag in post.tags])}]")
    if post.summary or page.description:
        lines.append(f"summary: {scalar(post.summary or page.description)}")
    if post.status or post.reviewed or post.applies_to or post.ai:
        lines += _post_status(post, origin)
    if episode:
        url = episode.audio_url
        lines.append(f"audio: {scalar(origin + url if url.startswith('/') else url)}")
        lines += [f"duration: {scalar(episode.duration)}"] if episode.duration else []
    return "\n".join((*lines, "---\n"))


def _post_status(post: PostView, origin: str) -> Iterator[str]:
    """The status of a post, and how AI was involved in writing it."""
    if post.status:
        yield f"status: {post.status}"
    for name, links in (("superseded_by", post.superseded_by), ("supersedes", post.supersedes)):
        if links:
            yield f"{name}: [{', '.join([scalar(origin + link.url) for link in links])}]"
    if post.reviewed:
        yield f"reviewed: {post.reviewed.iso}"
    if post.applies_to:
        yield f"applies_to: {scalar(post.applies_to)}"
    if post.ai:
        yield f"ai: {scalar(post.ai.text)}"


def _byline(author: AuthorRef) -> str:
    return f"{author.name} (@{author.handle})" if author.handle and author.name != author.handle else author.name


def _banner(post: PostView, origin: str, t: Catalog) -> str:
    links = [_link(link.title, markdown_path_of(link.url) or link.url, origin) for link in post.superseded_by]
    if links:
        said = _line(t("superseded_by_posts", posts="\0")).replace("\0", f" {_line(t('and'))} ".join(links))
        return f"\n> {said}\n"
    said = t("post_is_superseded") if post.status == "superseded" else t("post_is_historical")
    return f"\n> **{_line(said)}**\n"


def _text(context: Context, name: str, bodies: Bodies, origin: str) -> bytes:
    """A body, with a blank line before it; empty if there is none."""
    filling = context.get(name)
    notes = "" if name == "content" else f"{name}-"
    text = filled(filling, bodies, origin, notes) if isinstance(filling, Filling) else b""
    return b"\n" + text if text else b""


# -- lists


def _home(context: Context, bodies: Bodies, t: Catalog) -> Iterator[str | bytes]:
    site: SiteView = context["site"]
    origin = origin_of(site)
    yield _head(site.title, site.description)
    yield _text(context, "content", bodies, origin)
    starts: Sequence[PathRef] = context.get("starts", ())
    yield _section(t("start_here"), [_start(start, origin, t) for start in starts])
    home: HomeView = context["home"]
    yield _section(t("pinned"), posts_in_lines(home.pinned, origin))
    yield _section(t("recent_logs"), posts_in_lines(context["recent"], origin))
    topics: Sequence[TopicView] = context["topics"]
    yield _section(t("topics"), [_topic_line(topic, origin, t) for topic in topics])
    others = ((t("archive"), site.archive_url), (t("authors"), site.authors_url), (t("tags"), site.tags_url))
    yield _section(t("lists"), [f"- {_link(title, markdown_path_of(url), origin)}" for title, url in others])


def _start(start: PathRef, origin: str, t: Catalog) -> str:
    more = f": {_line(start.description)}" if start.description else ""
    return f"- {_link(start.title, markdown_path_of(start.url) or start.url, origin)} ({_count(start.count, t)}){more}"


def _topic_line(topic: TopicView, origin: str, t: Catalog) -> str:
    more = f": {_line(topic.description)}" if topic.description else ""
    return f"- {_link(topic.title, markdown_path_of(topic.url) or topic.url, origin)} ({_count(topic.count, t)}){more}"


def _topic(context: Context, bodies: Bodies, t: Catalog) -> Iterator[str | bytes]:
    topic: TopicView = context["topic"]
    origin = origin_of(context["site"])
    yield _head(context["page"].title, topic.description)
    yield _text(context, "content", bodies, origin)
    yield _section(
        t("topics"), [f"- {_link(sub.title, markdown_path_of(sub.url) or sub.url, origin)}" for sub in topic.subtopics]
    )
    yield from _posts(context, origin, t)


def _author(context: Context, _bodies: Bodies, t: Catalog) -> Iterator[str]:
    author: AuthorView = context["author"]
    yield _head(context["page"].title, author.bio)
    links = [*([Link(author.link, author.link)] if author.link else []), *author.links]
    known = [f"- @{author.handle}"] if author.handle else []
    known += [f"- {_line(author.affiliation)}"] if author.affiliation else []
    known += [f"- {_link(link.title, link.url, '')}" for link in links]
    yield _section("", known)
    yield from _posts(context, origin_of(context["site"]), t)


def _tag(context: Context, _bodies: Bodies, t: Catalog) -> Iterator[str]:
    yield _head(t("tag_named", tag=context["page"].title), "")
    yield from _posts(context, origin_of(context["site"]), t)


def _posts(context: Context, origin: str, t: Catalog) -> Iterator[str]:
    """The posts on one page of a list, and links to the neighboring pages."""
    yield _section(t("logs"), posts_in_lines(context["posts"], origin))
    yield _pages(context["pagination"], origin, t)


def _pages(pagination: Pagination | None, origin: str, t: Catalog) -> str:
    if pagination is None:
        return ""
    ways = ((t("newer_logs"), pagination.previous), (t("older_logs_link"), pagination.next))
    return _section("", [f"- {_link(title, markdown_path_of(url), origin)}" for title, url in ways if url])


def _authors(context: Context, _bodies: Bodies, t: Catalog) -> Iterator[str]:
    origin = origin_of(context["site"])
    yield _head(context["page"].title, "")
    authors: Sequence[AuthorView] = context["authors"]
    yield _section(
        "", [f"- {_link(item.name, markdown_path_of(item.url), origin)} ({_count(item.count, t)})" for item in authors]
    )


def _tags(context: Context, _bodies: Bodies, t: Catalog) -> Iterator[str]:
    origin = origin_of(context["site"])
    yield _head(context["page"].title, "")
    yield _section(
        "",
        [f"- {_link(tag.name, markdown_path_of(tag.url), origin)} ({_count(tag.count, t)})" for tag in context["tags"]],
    )


def _archive(context: Context, _bodies: Bodies, t: Catalog) -> Iterator[str]:
    origin = origin_of(context["site"])
    yield _head(context["page"].title, "")
    for year in context["years"]:
        title = str(year.year) if year.year else t("undated_posts")
        yield _section(title, posts_in_lines(year.posts, origin, summaries=False))
    yield _pages(context["pagination"], origin, t)


_KINDS = {
    "archive": _archive,
    "author": _author,
    "authors": _authors,
    "home": _home,
    "page": _post,
    "post": _post,
    "tag": _tag,
    "tags": _tags,
    "topic": _topic,
}
"""The functions that write the Markdown version of each kind of page."""


# -- parts of pages


def posts_in_lines(posts: Iterable[PostRef], origin: str, *, summaries: bool = True) -> list[str]:
    """Posts as list items: a link to the Markdown version, the date, the status and the summary."""
    return [_post_line(post, origin, summaries) for post in posts]


def _post_line(post: PostRef, origin: str, summaries: bool) -> str:
    facts = [fact for fact in (post.date.short, MARKS.get(post.status, ""), post.state) if fact]
    aside = f" ({', '.join(facts)})" if facts else ""
    summary = f": {_line(post.excerpt)}" if summaries and post.excerpt else ""
    return f"- {_link(post.title, markdown_path_of(post.url) or post.url, origin)}{aside}{summary}"


def _link(title: str, url: str, origin: str) -> str:
    """A link to a URL of the site, or to any absolute URL."""
    whole = absolute(url, origin)
    return f"[{_line(title).replace(']', '&#93;')}]({address(whole)})" if whole else _line(title)


def _line(text: str) -> str:
    """A plain text escaped for use in a line."""
    return escaped(" ".join(text.split()) if "\n" in text or "  " in text else text)


def _head(title: str, description: str) -> str:
    return f"# {_line(title)}\n" + (f"\n{opened(_line(description))}\n" if description.strip() else "")


def _section(title: str, lines: Sequence[str]) -> str:
    """A list below a heading; nothing if the list is empty."""
    heading = f"\n## {_line(title)}\n" if title else ""
    return f"{heading}\n" + "\n".join(lines) + "\n" if lines else ""


def _count(number: int, t: Catalog) -> str:
    return _line(t("log_count", count=number))
