"""Pages for series of digests: a list by year with a chart, and links to the same days of earlier years."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from devlog.assemble.pages import image_of_site
from devlog.assemble.site_context import Context, SiteContext
from devlog.assemble.urls import output_path
from devlog.features.digests.model.provenance import Provenance
from devlog.features.digests.model.series import Digest
from devlog.model.diagnostic import generated
from devlog.model.site import Post, Site, Topic
from devlog.model.view import DigestRow, DigestView, DigestYear, EarlierDigest, Link
from devlog.plugin import Outline, PlannedFile

FOLDER = "history/"
"""The page of a series, below that of its topic."""
LEAST = 3
"""The number of digests of a topic from which on they have a page."""

_TEMPLATE = "digests.html"
_NEAR = 3
"""A weekly digest of last year is at most so many days from the day of this year's."""
_MOST_YEARS = 5
_MOST_BARS = 400


def series_of(site: Site) -> dict[str, tuple[Digest, ...]]:
    """The digests of each topic that has several, newest first, by the path of the topic."""
    found: dict[str, list[Digest]] = {}
    for post in site.posts:
        if post.topic and post.date and not post.state and post.parsed.front_matter.parts:
            made = post.parsed.front_matter.of(Provenance)
            if made.last:
                found.setdefault(post.topic, []).append(Digest(post, _number(made.changes), _number(made.people)))
    return {topic: tuple(digests) for topic, digests in found.items() if len(digests) >= LEAST}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0


def plan_series(outline: Outline) -> Iterator[PlannedFile]:
    """Plan a page for each series, unless the site has a page of its own there, or its theme no template."""
    for topic in outline.once(_with_pages).values():
        permalink = f"{topic.permalink}{FOLDER}"
        span = generated("digests")
        yield PlannedFile(permalink, "page", template=_TEMPLATE, span=span, make=_series, about=(topic.path, permalink))


def _with_pages(outline: Outline) -> dict[str, Topic]:
    """The topics whose digests have a page, by path."""
    if all(template.name != _TEMPLATE for template in outline.theme.templates):
        return {}
    series = outline.once(_all)
    topics = [topic for topic in outline.site.topics if topic.path in series and not topic.redirect]
    taken = _published(outline.site) if topics else frozenset()
    return {topic.path: topic for topic in topics if output_path(f"{topic.permalink}{FOLDER}") not in taken}


def _published(site: Site) -> frozenset[str]:
    """The paths of what a site itself publishes, be it a file or an old URL."""
    permalinks = [
        *(item.permalink for item in (*site.pages, *site.posts)),
        *(topic.permalink for topic in site.topics),
        *(asset.permalink for asset in site.assets),
        *(redirect.permalink for redirect in site.redirects if not redirect.yields),
    ]
    return frozenset(map(output_path, permalinks))


def _all(outline: Outline) -> dict[str, tuple[Digest, ...]]:
    return series_of(outline.site)


def _series(known: SiteContext, topic: str, permalink: str) -> Context:
    """The context of the page of a series."""
    digests = known.once(_all)[topic]
    title = known.t("digests_of_topic", topic=known.topic_of(topic).title)
    page = known.page_view(
        "digests", title, permalink, title, breadcrumbs=known.breadcrumbs(topic), **image_of_site(known)
    )
    rows = [_row(known, digest) for digest in digests]
    years = [(year, tuple(some)) for year, some in groupby(rows, key=lambda row: row.day.year)]
    return {
        **known.common,
        "page": page,
        "total": len(digests),
        "years": tuple(DigestYear(year, some, sum(row.changes for row in some)) for year, some in years),
        "bars": tuple(row.changes for row in reversed(rows[:_MOST_BARS])),
    }


def _row(known: SiteContext, digest: Digest) -> DigestRow:
    post = digest.post
    day = known.views.day(post.date, day_only=True)
    return DigestRow(day, post.title, known.views.url(post.permalink), digest.changes, digest.people)


def digest_page(known: SiteContext, post: Post, context: Context) -> Context:
    """The context of a post's page, extended by its series; see `devlog.model.post_note.PostNote`."""
    topic: Topic | None = known.once(_with_pages).get(post.topic)
    if topic is None:
        return context
    link = Link(known.t("digests_of_topic", topic=topic.title), known.views.url(f"{topic.permalink}{FOLDER}"))
    posts = known.once(_by_day)[post.topic]
    assert post.date
    earlier = tuple(
        EarlierDigest(years, known.views.url(posts.of[day].permalink), posts.of[day].title)
        for years, day in same_days(post.date.date(), posts.days)
    )
    return {**context, "digest": DigestView(link, earlier)}


class _ByDay(NamedTuple):
    """The digests of a topic by day, and their days in order."""

    of: dict[date, Post]
    days: list[date]


def _by_day(outline: Outline) -> dict[str, _ByDay]:
    found = {}
    for topic, digests in outline.once(_all).items():
        posts = {digest.post.date.date(): digest.post for digest in digests if digest.post.date}
        found[topic] = _ByDay(posts, sorted(posts))
    return found


def same_days(day: date, days: Sequence[date]) -> Iterator[tuple[int, date]]:
    """The days nearest to a day in earlier years, if they are near.

    Args:
        day: of a digest.
        days: those of all digests of its series, each once and in order.

    Yields:
        How many years earlier, and the day.
    """
    for years in range(1, _MOST_YEARS + 1):
        wanted = _years_before(day, years)
        begin = bisect_left(days, wanted.toordinal() - _NEAR, key=date.toordinal)
        end = bisect_right(days, wanted.toordinal() + _NEAR, key=date.toordinal)
        if begin < end:
            yield years, min(days[begin:end], key=lambda other: abs(other - wanted))


def _years_before(day: date, years: int) -> date:
    last = day.replace(day=28) if (day.month, day.day) == (2, 29) else day
    return last.replace(year=max(1, day.year - years))
