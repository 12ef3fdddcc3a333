"""What RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1 ask of a feed, as far as devlog's feeds can break it."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element
from xml.parsers import expat

from lxml import etree

ATOM = "{http://www.w3.org/2005/Atom}"
_DC, _CONTENT = "{http://purl.org/dc/elements/1.1/}", "{http://purl.org/rss/1.0/modules/content/}"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")

# Child elements: exactly one (1), at most one (?), any number (*), at least one (+).
_ATOM_FEED = {"title": "1", "subtitle": "?", "id": "1", "updated": "1", "link": "+", "entry": "*", "author": "*"}
_ATOM_ENTRY = {
    "title": "1", "id": "1", "published": "?", "updated": "1", "link": "+", "author": "+", "category": "*",
    "summary": "?", "content": "?",
}  # fmt: skip
_RSS_CHANNEL = {
    "title": "1", "link": "1", "description": "1", "language": "?", "lastBuildDate": "?", "item": "*",
    f"{ATOM}link": "1",
}  # fmt: skip
_RSS_ITEM = {
    "title": "1", "link": "1", "guid": "1", "pubDate": "1", f"{_DC}creator": "*", "category": "*", "description": "1",
    f"{_CONTENT}encoded": "?",
}  # fmt: skip


def atom_faults(data: bytes) -> list[str]:
    """What is wrong with an Atom feed."""
    root = _parse(data)
    found = [] if root.tag == f"{ATOM}feed" else [f"root is {root.tag}"]
    found += _children(root, {ATOM + name: count for name, count in _ATOM_FEED.items()})
    entries = root.findall(f"{ATOM}entry")
    for element in (root, *entries):
        found += _atom_common(element)
    for entry in entries:
        found += _children(entry, {ATOM + name: count for name, count in _ATOM_ENTRY.items()})
        found += [
            "author without a name" for name in entry.findall(f"{ATOM}author") if not name.findtext(f"{ATOM}name")
        ]
        found += ["category without a term" for item in entry.findall(f"{ATOM}category") if not item.get("term")]
        for content in entry.findall(f"{ATOM}content"):
            found += [] if content.get("type") in ("text", "html") and len(content) == 0 else ["content"]
    return found + _twice(entry.findtext(f"{ATOM}id") or "" for entry in entries)


def _atom_common(element: Element) -> list[str]:
    found = []
    for name in ("updated", "published"):
        for item in element.findall(ATOM + name):
            found += [] if _is_moment(item.text or "") else [f"{name} {item.text!r}"]
    identifier = element.findtext(f"{ATOM}id") or ""
    found += [] if _is_absolute(identifier) else [f"id {identifier!r}"]
    links = element.findall(f"{ATOM}link")
    found += ["link without href" for link in links if not link.get("href")]
    kinds = Counter((link.get("rel", "alternate"), link.get("type"), link.get("hreflang")) for link in links)
    return found + [f"two links {kind}" for kind, count in kinds.items() if count > 1]


def rss_faults(data: bytes) -> list[str]:
    """What is wrong with an RSS feed."""
    root = _parse(data)
    found = [] if root.tag == "rss" and root.get("version") == "2.0" else [f"root is {root.tag}"]
    channel = root.find("channel")
    if channel is None or len(root) != 1:
        return [*found, "no channel"]
    found += _children(channel, _RSS_CHANNEL)
    items = channel.findall("item")
    for item in items:
        found += _children(item, _RSS_ITEM)
        guid = item.find("guid")
        if guid is not None and guid.get("isPermaLink") != "false" and not _is_web(guid.text or ""):
            found.append(f"guid {guid.text!r} is no URL")
    dates = [date.text or "" for date in channel.iter("pubDate", "lastBuildDate")]
    found += [f"date {date!r}" for date in dates if not _is_mail_date(date)]
    found += [f"link {link.text!r}" for link in channel.iter("link") if not _is_absolute(link.text or "", paths=True)]
    return found + _twice(item.findtext("guid") or "" for item in items)


def json_faults(data: bytes) -> list[str]:
    """What is wrong with a JSON feed."""
    feed: dict[str, Any] = json.loads(data)
    found = [] if feed.get("version") == "https://jsonfeed.org/version/1.1" else ["version"]
    found += [] if isinstance(feed.get("title"), str) else ["title"]
    for item in feed["items"]:
        found += [] if isinstance(item["id"], str) and item["id"] else ["id"]
        found += [] if isinstance(item.get("content_html", item.get("content_text")), str) else ["content"]
        found += [f"{key}" for key in ("date_published", "date_modified") if not _is_moment(item[key])]
        found += ["authors" for author in item["authors"] if not author["name"]]
        found += ["tags"] if not all(isinstance(tag, str) for tag in item["tags"]) else []
    return found + _twice(item["id"] for item in feed["items"])


def reader_faults(data: bytes) -> list[str]:
    """What a common reader of feeds holds against one."""
    import feedparser

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the reader's own making
        parsed = feedparser.parse(data)
    return [str(parsed.get("bozo_exception"))] if parsed.bozo else []


def _parse(data: bytes) -> Any:
    expat.ParserCreate().Parse(data, True)  # the strictest of the two says first
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False))


def _children(element: Element, rules: dict[str, str]) -> list[str]:
    counts = Counter(str(child.tag) for child in element)
    found = [f"{tag} in {element.tag}" for tag in counts if tag not in rules]
    for tag, rule in rules.items():
        count = counts[tag]
        if (rule in "1+" and not count) or (rule in "1?" and count > 1):
            found.append(f"{count} × {tag} in {element.tag}")
    return found


def _is_moment(text: str) -> bool:
    if not _MOMENT.fullmatch(text):
        return False
    datetime.fromisoformat(text)
    return True


def _is_mail_date(text: str) -> bool:
    try:
        return parsedate_to_datetime(text).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _is_web(url: str) -> bool:
    return urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).netloc)


def _is_absolute(url: str, *, paths: bool = False) -> bool:
    """Whether `url` is an ASCII URL with a scheme; with `paths`, a path will do where no site's URL is configured."""
    return url.isascii() and " " not in url and (_is_web(url) or url.startswith("urn:") or (paths and url[:1] == "/"))


def _twice(names: Any) -> list[str]:
    return [f"{name!r} names {count} entries" for name, count in Counter(names).items() if count > 1]
