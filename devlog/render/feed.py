"""Renders feeds from a target alone, in a fixed order: RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import Any

from devlog import sanitize
from devlog.model.digest import digest_bytes
from devlog.model.document import Body
from devlog.model.recent import Recent
from devlog.model.target import Entry, FeedView
from devlog.render.body_html import fill_absolute
from devlog.render.machine import write_json
from devlog.render.xml import element, shown, xml_text

Bodies = Mapping[str, Body]

_RSS = (
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:content="http://purl.org/rss/1.0/modules/content/">'
)


def rss(feed: FeedView, entries: tuple[Entry, ...], bodies: Bodies) -> str:
    """An RSS 2.0 feed; ``content:encoded`` has the full body of an entry."""
    lines = [
        *_prolog(feed),
        _RSS,
        "<channel>",
        element("title", feed.title),
        element("link", feed.home),
        element("description", shown(feed.description)),
        element("language", feed.language),
        element("lastBuildDate", rfc822(feed.updated)),
        element("atom:link", "", href=feed.url, rel="self", type_="application/rss+xml"),
    ]
    for entry in entries:
        permanent = "true" if entry.id == entry.url else "false"
        lines += [
            "<item>",
            element("title", entry.title),
            element("link", entry.url),
            element("guid", entry.id, isPermaLink=permanent),
            element("pubDate", rfc822(entry.published)),
        ]
        lines += [element("dc:creator", author) for author in entry.authors]
        lines += [element("category", tag) for tag in entry.tags]
        lines += [element("category", mark, domain=_STATUS) for mark in _marks(entry)]
        lines.append(element("description", shown(_summary(entry))))
        if entry.content:
            lines.append(element("content:encoded", content_html(feed, entry, bodies)))
        lines.append("</item>")
    lines += ["</channel>", "</rss>", ""]
    return "\n".join(lines)


def _prolog(feed: FeedView) -> list[str]:
    """The lines before a feed: its encoding, and the style for people who open it."""
    style = f'<?xml-stylesheet type="text/css" href="{xml_text(feed.style)}"?>'
    return ['<?xml version="1.0" encoding="utf-8"?>', *([style] if feed.style else [])]


def atom(feed: FeedView, entries: tuple[Entry, ...], bodies: Bodies) -> str:
    """An Atom feed (RFC 4287)."""
    lines = [
        *_prolog(feed),
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{xml_text(feed.language)}">',
        element("title", feed.title),
        element("subtitle", feed.description),
        element("id", feed.id),
        element("updated", feed.updated),
        element("link", "", href=feed.home, rel="alternate", type_="text/html"),
        element("link", "", href=feed.url, rel="self", type_="application/atom+xml"),
    ]
    for entry in entries:
        lines += [
            f'<entry xml:lang="{xml_text(entry.language)}">' if entry.language else "<entry>",
            element("title", entry.title),
            element("id", entry.id),
            element("published", entry.published),
            element("updated", entry.updated),
            element("link", "", href=entry.url, rel="alternate", type_="text/html"),
        ]
        # An entry must have an author; for a post without authors, the site is the author.
        lines += [f"<author>{element('name', name)}</author>" for name in entry.authors or (feed.title,)]
        lines += [element("category", "", term=tag) for tag in entry.tags]
        lines += [element("category", "", term=mark, scheme=_STATUS) for mark in _marks(entry)]
        lines.append(element("summary", _summary(entry)))
        if entry.content:
            lines.append(element("content", content_html(feed, entry, bodies), type_="html"))
        lines.append("</entry>")
    lines += ["</feed>", ""]
    return "\n".join(lines)


def json_feed(feed: FeedView, entries: tuple[Entry, ...], bodies: Bodies) -> bytes:
    """A JSON Feed 1.1."""
    items: list[dict[str, Any]] = []
    for entry in entries:
        item: dict[str, Any] = {
            "id": entry.id,
            "url": entry.url,
            "title": entry.title,
            "date_published": entry.published,
            "date_modified": entry.updated,
            "authors": [{"name": name} for name in entry.authors],
            "tags": list(entry.tags),
            "summary": _summary(entry),
        }
        if entry.content:
            item["content_html"] = content_html(feed, entry, bodies)
        else:  # an item must have a content
            item["content_text"] = _summary(entry)
        if entry.language:
            item["language"] = entry.language
        if more := _extension(entry):
            item["_devlog"] = more
        items.append(item)
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "description": feed.description,
        "home_page_url": feed.home,
        "feed_url": feed.url,
        "language": feed.language,
        "items": items,
    }
    return write_json(document)


def content_html(feed: FeedView, entry: Entry, bodies: Bodies) -> str:
    """The body of an entry, sanitized even if the site trusts its posts, since readers show feeds on other sites."""
    assert entry.content is not None
    html = fill_absolute(bodies[entry.content.body], entry.content, feed.origin)
    digest = digest_bytes(html.encode("utf-8", "surrogatepass"))
    known = _SANITIZED.get(digest)
    if known is not None:
        return _notes(entry) + known.decode("utf-8", "surrogatepass")
    sanitized = _sanitized(html)
    _SANITIZED.add(digest, sanitized.encode("utf-8", "surrogatepass"))
    return _notes(entry) + sanitized


_SANITIZED = Recent[str, bytes](32 << 20, lambda html: len(html) + _OVERHEAD)
"""The last sanitized bodies in UTF-8, by the digest of their HTML: feeds in all formats, of the site and of the topic,
contain them. Their number would be no limit: a body may be long, and a preview renders feeds after each edit."""

_OVERHEAD = 500
"""About how many bytes the cache takes for a body besides its HTML."""


_STATUS = "urn:devlog:status"
"""The scheme of categories that state the status of a post. Tags have no scheme."""


def _marks(entry: Entry) -> tuple[str, ...]:
    """The status with which lists mark a post."""
    return (entry.note.mark,) if entry.note.mark else ()


def _summary(entry: Entry) -> str:
    """The summary of an entry, after a note about its status if there is one."""
    return f"{entry.note.text} {entry.summary}".rstrip() if entry.note.text else entry.summary


def _notes(entry: Entry) -> str:
    """Notes before the body of an entry, which itself stays unchanged."""
    notes, ai = entry.note.html, entry.ai
    return f"{notes}<p><em>{escape(ai.text)}</em></p>\n" if ai and not ai.in_text else notes


def _extension(entry: Entry) -> dict[str, Any]:
    """The values for which JSON Feed has no standard names."""
    found, ai = {**entry.note.facts}, entry.ai
    if ai:
        found["ai"] = {name: value for name, value in (("drafted", ai.drafted), ("edited_by", ai.edited_by)) if value}
        found["ai"]["disclosure"] = ai.text
    return {name: value for name, value in found.items() if value}


# Elements that do not work in feed readers: line numbers, which would become part of the code, and the checkboxes of
# task lists, which the sanitizer removes.
_LINE_NUMBER = re.compile(r'<span class="line-number" aria-hidden="true">\d+</span>')
_TASK = re.compile(r'<input class="task-list-item-checkbox"[^<>]*>')
# Most readers ignore MathML and show its characters one after the other, so feeds contain the source of formulas.
_MATH = re.compile(r'<math alttext="([^"]*)"[^<>]*>')
# The sanitizer would also remove the elements in code, but checks the attributes of each first, which takes longer.
_CODE = re.compile(r'<pre tabindex="0"><code[^<>]*>')
_CODE_END = "</code></pre>"
_SPAN = re.compile(r'<span class="[a-z0-9 -]+">|</span>')


def _sanitized(html: str) -> str:
    """The HTML of a body, without what feed readers must not run or cannot show."""
    html = _LINE_NUMBER.sub("", html)
    html = _TASK.sub(lambda found: "☑" if "checked" in found[0] else "☐", html)
    html = _replaced(html, _CODE, _CODE_END, lambda tag, content: tag[0] + _SPAN.sub("", content) + _CODE_END)
    if "<math" in html:
        html = _replaced(html, _MATH, "</math>", lambda tag, _: f"<code>{tag[1]}</code>")
    return sanitize.sanitize_for_feed(html)


def _replaced(html: str, opening: re.Pattern[str], closing: str, make: Callable[[re.Match[str], str], str]) -> str:
    """HTML with other elements in place of some.

    A pattern of a whole element would search the rest of the HTML for the end of each element that is never closed.

    Args:
        html: the HTML.
        opening: a pattern of the tag with which such an element begins.
        closing: the tag with which it ends.
        make: called with the match of the first tag and with the content; returns what replaces the element.
    """
    *ended, rest = html.split(closing)
    parts = []
    for part in ended:
        tag = opening.search(part)
        parts.append(part[: tag.start()] + make(tag, part[tag.end() :]) if tag else part + closing)
    return "".join((*parts, rest))


def rfc822(moment: str) -> str:
    """A moment in the format of RSS (RFC 822)."""
    return format_datetime(datetime.fromisoformat(moment))
