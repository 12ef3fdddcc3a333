"""The contexts of pages, and of files that plugins plan. Each function makes a whole context on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from devlog.assemble.comments import comments_view
from devlog.assemble.feeds import feed_title
from devlog.assemble.pagination import Page
from devlog.assemble.series import series_view
from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.structured import blog, blog_posting, person
from devlog.assemble.views import iso_date, tag_permalink
from devlog.model import view
from devlog.model.document import Parsed
from devlog.model.site import Post
from devlog.model.source import Size
from devlog.plugin import PlannedFile

MOST_STARTS = 12
"""The maximum number of reading paths on the home page, where posts follow."""

MOST_REPEATED = 100
"""The maximum number of links that further pages of a list repeat; the first page shows all of them."""


LATEST = 3
"""The number of posts whose titles describe a home page or a topic without a description of its own."""


def _titles(posts: Iterable[Post]) -> str:
    """The titles of the newest posts, in one line."""
    return ", ".join(f"“{post.title}”" for post in islice(posts, LATEST))


def home(known: SiteContext) -> Context:
    """The home page."""
    config, site = known.config, known.site
    top = [topic for topic in site.topics if "/" not in topic.path]
    top.sort(key=lambda topic: not known.by_topic[topic.path])
    page = known.page_view(
        "home",
        config.title,
        "/",
        config.description
        or (
            known.t("posts_of_site", site=config.title, titles=_titles(site.posts[: config.recent]))
            if site.posts
            else ""
        ),
        feeds=known.feed_links("/", config.title, json=True),
        json_ld=blog(config, known.views.absolute("/")),
        scripts=known.scripts(site.home),
        styles=known.styles(site.home),
        content_security_policy=known.policy(site.home),
        **image_of_site(known),
    )
    pinned, others = known.home_files.posts(site)
    return {
        **known.common,
        "page": page,
        "home": view.HomeView(
            hero=config.home.hero,
            image=known.fillings.cover_of(known.home_files.image, known.home_files.file),
            image_alt=config.home.image_alt,
            cards=config.home.layout == "cards",
            topics_below=config.home.topics == "below",
            pinned=known.excerpted(pinned),
        ),
        "content": known.content(site.home),
        "starts": known.derived.starts[:MOST_STARTS],
        "recent": known.excerpted(others[: config.recent]),
        "topics": tuple(known.views.topic(topic, known.posts(known.by_topic[topic.path]), ()) for topic in top),
        "total": len(site.posts),
    }


def topic(known: SiteContext, path: str, part: Page) -> Context:
    """A page of a topic; `part` is its part of the list of posts."""
    topic, indexes = known.topic_of(path), known.by_topic[path]
    about = ""
    if indexes and part.number == 1:
        titles = _titles(known.posts(indexes[:LATEST]))
        about = known.t("posts_in_topic", topic=topic.title, site=known.config.title, titles=titles)
    page = known.page_view(
        "topic",
        part.titled(topic.title, known.t),
        part.permalink,
        topic.description or about,
        feeds=known.feeds.get(path, ())
        + known.feed_links(topic.permalink, feed_title(topic.title, known.config), json=True),
        breadcrumbs=known.breadcrumbs(path.rpartition("/")[0]),
        scripts=known.scripts(topic.index if part.number == 1 else None),
        styles=known.styles(topic.index if part.number == 1 else None),
        content_security_policy=known.policy(topic.index if part.number == 1 else None),
        **_image_of_list(known, topic.permalink, topic.title, topic.index),
    )
    is_first = part.number == 1
    shown = known.topic_view(topic)
    if not is_first:
        shown = msgspec.structs.replace(shown, subtopics=shown.subtopics[:MOST_REPEATED])
    recent = indexes[: known.config.topic_recent] if is_first else []
    return {
        **known.common,
        "page": page,
        "topic": shown,
        "content": known.content(topic.index) if is_first else "",
        "recent": known.excerpted(known.posts(recent)),
        **_list(known, indexes, part),
    }


def post(known: SiteContext, index: int, older: int | None, newer: int | None) -> Context:
    """A post, by its index in ``site.posts``, with its neighbors in its topic."""
    post = known.site.posts[index]
    own_url = known.references.index.own_url
    comments = comments_view(known.config, post, own_url, known.t) if known.config.comments.provider else None
    shown = known.views.post(post, comments.url if comments else "")
    filling = known.fillings.of(post.id)
    updated = iso_date(post.updated, post.updated_day_only) if post.updated else ""
    description = post.parsed.front_matter.description or post.excerpt
    image = _image_of_post(known, post, known.references.of(post.id).image)
    page = known.page_view(
        "post",
        post.title,
        post.permalink,
        description,
        published=shown.date.iso if shown.date else "",
        modified=updated,
        authors=tuple(author.name for author in shown.authors),
        tags=tuple(tag.name for tag in shown.tags),
        feeds=known.feeds_of_posts.get(post.topic) or known.common["site"].feeds,
        breadcrumbs=known.crumbs.get(post.topic) or known.breadcrumbs(post.topic),
        json_ld=blog_posting(known.config, shown, filling.page_url, image.get("image", ""), description),
        noindex=bool(post.state),
        scripts=known.scripts(post.parsed),
        styles=known.styles(post.parsed),
        content_security_policy=known.policy(post.parsed),
        **image,
    )
    context: Context = {
        **known.common,
        "page": _with_canonical(page, post),
        "post": shown,
        "content": filling,
        "cover": _cover(known, post),
        "previous": None if older is None else known.log(older),
        "next": None if newer is None else known.log(newer),
        "series": series_view(post, known.series, known.views.link) if post.parsed.front_matter.series else None,
        "related": tuple(map(known.log, known.relations.of(index))),
        "comments": comments,
        "cited": None,
        "digest": None,
        "episode": None,
        "transcript": "",
        "paths": (),
    }
    return _completed(known, post, context)


def _with_canonical(page: view.PageView, post: Post) -> view.PageView:
    canonical = post.parsed.front_matter.canonical_url
    return msgspec.structs.replace(page, canonical=canonical) if canonical else page


def plain_page(known: SiteContext, index: int) -> Context:
    """A plain page, by its index in ``site.pages``."""
    post = known.site.pages[index]
    description = post.parsed.front_matter.description or post.excerpt
    named = known.references.of(post.id).image
    image = {"image": named} if named else {} if post.state else image_of_site(known)
    crumbs = known.breadcrumbs_of_page(post.permalink)
    page = known.page_view(
        "page",
        post.title,
        post.permalink,
        description,
        breadcrumbs=crumbs,
        noindex=bool(post.state),
        scripts=known.scripts(post.parsed),
        styles=known.styles(post.parsed),
        content_security_policy=known.policy(post.parsed),
        **image,
    )
    context = {
        **known.common,
        "page": _with_canonical(page, post),
        "post": known.views.post(post),
        "content": known.content(post.parsed),
        "path": None,
    }
    return _completed(known, post, context)


def _completed(known: SiteContext, post: Post, context: Context) -> Context:
    """The context of a post or plain page with what the notes of features add."""
    note = known.notes.get(post.id)
    return note.page(known, post, context) if note and note.page else context


def authors(known: SiteContext) -> Context:
    """The list of authors."""
    about = known.t("authors_of_site", site=known.config.title)
    page = known.page_view("authors", known.t("authors"), "/authors/", about, **image_of_site(known))
    shown = [known.author_view(author) for author in known.site.authors if known.by_author.get(author.key)]
    return {**known.common, "page": page, "authors": tuple(shown)}


def author(known: SiteContext, key: str, part: Page) -> Context:
    """A page of an author."""
    author = known.authors[key]
    shown = known.author_view(author)
    if part.number > 1:
        shown = msgspec.structs.replace(shown, topics=shown.topics[:MOST_REPEATED])
    page = known.page_view(
        "author",
        part.titled(author.name, known.t),
        part.permalink,
        author.bio or known.t("posts_by_author", author=author.name, site=known.config.title),
        feeds=known.feed_links(author.permalink, feed_title(author.name, known.config), json=False),
        breadcrumbs=(*known.breadcrumbs(""), view.Link(known.t("authors"), known.views.url("/authors/"))),
        json_ld=person(shown, known.views.absolute(author.permalink)),
        **_image_of_list(known, author.permalink, author.name),
    )
    digests = known.derived.digests_by_author.get(key, ()) if part.number == 1 else ()
    return {
        **known.common,
        "page": page,
        "author": shown,
        "digests": digests,
        **_list(known, known.by_author[key], part),
    }


def tags(known: SiteContext) -> Context:
    """The list of tags."""
    title = known.t("tags")
    feeds = known.feed_links("/tags/", feed_title(title, known.config), json=False) if known.by_tag else ()
    about = known.t("tags_of_site", site=known.config.title)
    page = known.page_view("tags", title, "/tags/", about, feeds=feeds, **image_of_site(known))
    shown = tuple(known.views.tag(slug, len(known.by_tag[slug])) for slug, _ in known.site.tags)
    return {**known.common, "page": page, "tags": shown}


def tag(known: SiteContext, slug: str, name: str, part: Page) -> Context:
    """A page of a tag."""
    page = known.page_view(
        "tag",
        part.titled(name, known.t),
        part.permalink,
        known.t("posts_with_tag", tag=name, site=known.config.title),
        feeds=known.feed_links(tag_permalink(slug), feed_title(name, known.config), json=False),
        breadcrumbs=(*known.breadcrumbs(""), view.Link(known.t("tags"), known.views.url("/tags/"))),
        **_image_of_list(known, tag_permalink(slug), name),
    )
    indexes = known.by_tag[slug]
    return {**known.common, "page": page, "tag": known.views.tag(slug, len(indexes)), **_list(known, indexes, part)}


def archive(
    known: SiteContext, part: Page, counts: tuple[view.YearCount, ...], months: tuple[view.MonthCount, ...], total: int
) -> Context:
    """A page of the archive.

    Args:
        part: the range of posts on the page.
        counts: the number of posts in each year.
        months: the number of posts in each month.
        total: the number of dated posts, which come before all others.
    """
    about = known.t("posts_by_year", site=known.config.title)
    title = part.titled(known.t("archive"), known.t)
    page = known.page_view("archive", title, part.permalink, about, **image_of_site(known))
    years: dict[int, list[Post]] = {}
    for post in known.site.posts[part.start : min(part.stop, total)]:
        years.setdefault(post.date.year if post.date else 0, []).append(post)
    return {
        **known.common,
        "page": page,
        "years": tuple(view.YearView(year, known.views.refs(posts)) for year, posts in years.items()),
        "counts": counts,
        "months": months,
        "total": total,
        "pagination": part.pagination(known.views.url),
    }


def subscribe(known: SiteContext) -> Context:
    """The page that explains feeds, and lists those of the site and of topics with posts."""
    config, site = known.config, known.site
    page = known.page_view(
        "subscribe", known.t("subscribe"), "/subscribe/", known.t("subscribe_lead"), **image_of_site(known)
    )
    others: tuple[view.FeedLink, ...] = ()
    folders = [("/", config.title, known.t("all_posts"), others)]
    folders += [
        (topic.permalink, feed_title(topic.title, config), topic.title, known.feeds.get(topic.path, ()))
        for topic in site.topics
        if known.by_topic[topic.path]
    ]
    groups = tuple(
        view.FeedGroup(
            name,
            known.views.url(folder),
            tuple(
                msgspec.structs.replace(feed, url=config.origin + feed.url)
                for feed in (*more, *known.feed_links(folder, title, json=True))
            ),
        )
        for folder, title, name, more in folders
    )
    return {**known.common, "page": page, "groups": groups}


def not_found(known: SiteContext) -> Context:
    """The page that is served for missing pages."""
    page = known.page_view("404", known.t("not_found"), "/404.html", "", noindex=True)
    recent = known.views.refs(known.site.posts[: known.config.topic_recent])
    return {**known.common, "page": page, "recent": recent}


def wanted(known: SiteContext, wanted: PlannedFile) -> Context:
    """The context of a file that a plan wants; that of a page includes what all pages share."""
    if wanted.make:
        return wanted.make(known, *wanted.about)
    if not wanted.template:
        return wanted.context
    page = known.page_view("plugin", wanted.title, wanted.permalink, "", **image_of_site(known))
    return {**known.common, "page": page, **wanted.context}


def _list(known: SiteContext, indexes: Sequence[int], part: Page) -> Context:
    """The posts on one page of a long list, and its pagination."""
    posts = known.posts(indexes[part.start : part.stop])
    return {"posts": known.views.refs(posts), "pagination": part.pagination(known.views.url)}


def _cover(known: SiteContext, post: Post) -> view.Cover | None:
    """The image that a post names, unless its text shows the same one."""
    cover = known.fillings.cover(post.id) if post.parsed.front_matter.image else None
    if cover and any(link.url == cover.url for link in known.references.of(post.id).links):
        return None
    return cover


def _image_of_post(known: SiteContext, post: Post, named: str) -> Context:
    """The image for previews of a post on other sites: the one that it names, or else its social card."""
    card = known.page_images.of_post(post) if known.page_images and not named else None
    return _shown(known, card, post.title) if card else {"image": named} if named else {}


def _image_of_list(known: SiteContext, permalink: str, title: str, index: Parsed | None = None) -> Context:
    """The image for previews of a list on other sites: the one that its source names, its card, or the site's image."""
    if index and index.front_matter.image:
        return {"image": known.references.of(index.path).image}
    card = known.page_images.of_list(permalink, title) if known.page_images else None
    return _shown(known, card, title) if card else image_of_site(known)


def image_of_site(known: SiteContext) -> Context:
    """The image for previews of the home page on other sites, and of all pages without an image of their own."""
    home, title = known.site.home, known.config.title
    if home and home.front_matter.image:
        return {"image": known.references.of(home.path).image}
    card = known.page_images.of_home(title) if known.page_images else None
    return _shown(known, card, title) if card else {}


def _shown(known: SiteContext, card: tuple[str, Size | None], title: str) -> Context:
    """The properties of a social card for a page with a title; the size only if it is known."""
    permalink, size = card
    site = known.config.title
    alt = title if title == site else f"{title} – {site}"
    shown = {"image": known.views.absolute(permalink), "image_alt": alt}
    return {**shown, "image_width": size.width, "image_height": size.height} if size else shown
