"""Renders the feed of a show: RSS 2.0 with the extensions of Apple's directory and the Podcasting 2.0 namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.features.episodes.model.audio import PodcastItem, Show
from devlog.model.target import Entry, FeedView, Resources, Target
from devlog.model.view import PersonView
from devlog.render.feed import content_html, rfc822
from devlog.render.xml import element, shown, xml_text

MOST = 4000
"""The maximum size of a description in bytes."""

_OPEN_REFERENCE = re.compile(r"&[a-z]{0,3}\Z")
_RSS = (
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"'
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    ' xmlns:podcast="https://podcastindex.org/namespace/1.0">'
)


def podcast(target: Target, resources: Resources) -> str:
    """The recipe for the feed of a show."""
    feed: FeedView = target.context["feed"]
    show: Show = target.context["show"]
    entries: tuple[Entry, ...] = target.context["entries"]
    episodes: tuple[PodcastItem, ...] = target.context["episodes"]
    lines = ['<?xml version="1.0" encoding="utf-8"?>', _RSS, "<channel>", *_channel(feed, show)]
    for entry, item in zip(entries, episodes, strict=True):
        lines += ["<item>", *_item(entry, item, feed.language)]
        if entry.content:
            lines.append(element("content:encoded", content_html(feed, entry, resources.bodies)))
        lines.append("</item>")
    return "\n".join([*lines, "</channel>", "</rss>", ""])


def _channel(feed: FeedView, show: Show) -> Iterator[str]:
    yield element("title", feed.title)
    yield element("link", show.link)
    yield element("description", shortened(shown(feed.description)))
    yield element("language", feed.language)
    yield element("lastBuildDate", rfc822(feed.updated))
    yield element("atom:link", "", href=feed.url, rel="self", type_="application/rss+xml")
    if show.copyright:
        yield element("copyright", show.copyright)
    if show.image:
        yield f"<image>{element('url', show.image)}{element('title', feed.title)}{element('link', show.link)}</image>"
        yield element("itunes:image", "", href=show.image)
    yield element("itunes:author", show.author)
    if show.owner_email:
        name, mail = element("itunes:name", show.owner_name), element("itunes:email", show.owner_email)
        yield f"<itunes:owner>{name}{mail}</itunes:owner>"
    for category, below in show.categories:
        inner = element("itunes:category", "", text_=below) if below else ""
        yield f'<itunes:category text="{xml_text(category)}">{inner}</itunes:category>'
    yield element("itunes:explicit", _word(show.explicit))
    yield element("itunes:type", show.type)
    yield element("podcast:guid", show.guid)
    if show.locked is not None:
        owner = {"owner": show.owner_email} if show.owner_email else {}
        yield element("podcast:locked", "yes" if show.locked else "no", **owner)
    if show.license:
        yield element("podcast:license", show.license[:128], **({"url": show.license_url} if show.license_url else {}))
    if show.funding[0]:
        yield element("podcast:funding", show.funding[1][:128], url=show.funding[0])
    yield from map(_person, show.people)


def _item(entry: Entry, item: PodcastItem, language: str) -> Iterator[str]:
    yield element("title", entry.title)
    yield element("link", entry.url)
    yield element("guid", entry.id, isPermaLink="true" if entry.id == entry.url else "false")
    yield element("pubDate", rfc822(entry.published))
    yield element("description", shortened(shown(entry.summary)))
    yield element("enclosure", "", url=item.url, length=str(item.length), type_=item.type)
    if item.seconds:
        yield element("itunes:duration", str(max(1, round(item.seconds))))
    yield element("itunes:explicit", _word(item.explicit))
    yield element("itunes:episodeType", item.kind)
    if item.season:
        yield element("itunes:season", str(item.season))
        yield element("podcast:season", str(item.season))
    if item.number:
        yield element("itunes:episode", str(item.number))
        yield element("podcast:episode", str(item.number))
    if item.image:
        yield element("itunes:image", "", href=item.image)
    for file in item.transcripts:
        more = {"rel": "captions"} if file.type in ("text/vtt", "application/x-subrip") else {}
        yield element("podcast:transcript", "", url=file.url, type_=file.type, language=language, **more)
    if item.chapters:
        yield element("podcast:chapters", "", url=item.chapters, type_="application/json+chapters")
    yield from map(_person, item.people)


def _person(person: PersonView) -> str:
    known = {"role": person.role, "group": person.group, "img": person.image, "href": person.url}
    return element("podcast:person", person.name[:128], **{key: value for key, value in known.items() if value})


def _word(explicit: bool) -> str:
    return "true" if explicit else "false"


def shortened(text: str) -> str:
    """A description, truncated between characters and entity references if it has more bytes than directories allow."""
    data = text.encode(errors="ignore")
    if len(data) <= MOST:
        return text
    cut = _OPEN_REFERENCE.sub("", data[: MOST - 4].decode(errors="ignore"))
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[-80:] else cut} …"
