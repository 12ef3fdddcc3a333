"""What directories and players ask of the feed of a show: RSS 2.0, Apple's tags, the Podcasting 2.0 namespace."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

import feedparser
from lxml import etree

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
ATOM = "{http://www.w3.org/2005/Atom}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"

# Exactly one (1), at most one (?), any number (*), at least one (+).
_CHANNEL = {
    "title": "1", "link": "1", "description": "1", "language": "1", "lastBuildDate": "1", f"{ATOM}link": "1",
    "copyright": "?", "image": "?", "item": "*", f"{ITUNES}image": "?", f"{ITUNES}author": "1", f"{ITUNES}owner": "?",
    f"{ITUNES}category": "*", f"{ITUNES}explicit": "1", f"{ITUNES}type": "1", f"{PODCAST}guid": "1",
    f"{PODCAST}locked": "?", f"{PODCAST}license": "?", f"{PODCAST}funding": "*", f"{PODCAST}person": "*",
}  # fmt: skip
_ITEM = {
    "title": "1", "link": "1", "guid": "1", "pubDate": "1", "description": "1", "enclosure": "1",
    f"{ITUNES}duration": "?", f"{ITUNES}explicit": "1", f"{ITUNES}episodeType": "1", f"{ITUNES}season": "?",
    f"{ITUNES}episode": "?", f"{ITUNES}image": "?", f"{PODCAST}season": "?", f"{PODCAST}episode": "?",
    f"{PODCAST}transcript": "*", f"{PODCAST}chapters": "?", f"{PODCAST}person": "*", f"{CONTENT}encoded": "?",
}  # fmt: skip
_TRANSCRIPTS = {"text/plain", "text/html", "text/vtt", "application/json", "application/x-subrip"}
_UUID5 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def faults(data: bytes) -> list[str]:
    """What is wrong with a feed; nothing if it keeps all rules."""
    parsed = feedparser.parse(data)
    wrong = [f"feedparser: {parsed.bozo_exception}"] if parsed.bozo else []
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    (channel,) = root
    wrong += _counts(channel, _CHANNEL)
    wrong += _of_channel(channel)
    items = channel.findall("item")
    for item in items:
        wrong += [f"{item.findtext('title')}: {fault}" for fault in (*_counts(item, _ITEM), *_of_item(item))]
    for name, values in (
        ("guid", [item.findtext("guid") for item in items]),
        ("enclosure", [item.find("enclosure").get("url") for item in items if item.find("enclosure") is not None]),
    ):
        wrong += [f"{name} {value} comes twice" for value, count in Counter(values).items() if count > 1]
    dates = [parsedate_to_datetime(item.findtext("pubDate")) for item in items]
    if dates != sorted(dates, reverse=True):
        wrong.append("the newest episode does not come first")
    return wrong


def _counts(parent: Element, rules: dict[str, str]) -> Iterator[str]:
    counted = Counter(child.tag for child in parent)
    for tag, count in counted.items():
        if tag not in rules:
            yield f"{tag} has no place here"
        elif count > 1 and rules[tag] in "1?":
            yield f"{tag} comes {count} times"
    for tag, rule in rules.items():
        if rule in "1+" and tag not in counted:
            yield f"{tag} is missing"


def _of_channel(channel: Element) -> Iterator[str]:
    if channel.findtext(f"{ITUNES}explicit") not in ("true", "false"):
        yield "itunes:explicit is neither true nor false"
    if channel.findtext(f"{ITUNES}type") not in ("episodic", "serial"):
        yield "itunes:type"
    own = channel.find(f"{ATOM}link")
    if own is None or own.get("rel") != "self" or not _is_address(own.get("href")):
        yield "atom:link does not lead to the feed itself"
    if not _UUID5.fullmatch(channel.findtext(f"{PODCAST}guid") or ""):
        yield "podcast:guid is no UUID of version 5"
    for category in channel.iter(f"{ITUNES}category"):
        if not category.get("text") or (category.text or "").strip():
            yield "itunes:category has its name in the attribute “text”"
    if channel.findtext(f"{PODCAST}locked") not in (None, "yes", "no"):
        yield "podcast:locked is neither yes nor no"
    for funding in channel.findall(f"{PODCAST}funding"):
        if not _is_address(funding.get("url")) or len(funding.text or "") > 128:
            yield "podcast:funding"
    yield from _texts(channel)


def _of_item(item: Element) -> Iterator[str]:
    sound = item.find("enclosure")
    if sound is not None:
        if not _is_address(sound.get("url")) or not (sound.get("length") or "").isdigit():
            yield "the enclosure has no address, or no length"
        if not (sound.get("type") or "").startswith(("audio/", "video/")):
            yield "the enclosure is no sound"
    if parsedate_to_datetime(item.findtext("pubDate") or "").tzinfo is None:
        yield "pubDate has no time zone"
    yield from _numbers(item)
    yield from _files(item)
    yield from _texts(item)


def _numbers(item: Element) -> Iterator[str]:
    guid = item.find("guid")
    if guid is not None and guid.get("isPermaLink") == "true" and guid.text != item.findtext("link"):
        yield "the guid is no permalink"
    duration = item.findtext(f"{ITUNES}duration")
    if duration is not None and not (duration.isdigit() and int(duration)):
        yield "itunes:duration is no number of seconds"
    if item.findtext(f"{ITUNES}episodeType") not in ("full", "trailer", "bonus"):
        yield "itunes:episodeType"
    for name in ("season", "episode"):
        number, again = item.findtext(f"{ITUNES}{name}"), item.findtext(f"{PODCAST}{name}")
        if number != again or (number is not None and not (number.isdigit() and int(number))):
            yield f"{name}: {number} and {again}"


def _files(item: Element) -> Iterator[str]:
    seen = set()
    for transcript in item.findall(f"{PODCAST}transcript"):
        kind = transcript.get("type")
        if kind not in _TRANSCRIPTS or kind in seen or not _is_address(transcript.get("url")):
            yield f"podcast:transcript of the type {kind}"
        if transcript.get("rel") not in (None, "captions"):
            yield "podcast:transcript with another rel than captions"
        seen.add(kind)
    chapters = item.find(f"{PODCAST}chapters")
    if chapters is not None and (
        chapters.get("type") != "application/json+chapters" or not _is_address(chapters.get("url"))
    ):
        yield "podcast:chapters"


def _texts(parent: Element) -> Iterator[str]:
    if not (parent.findtext("title") or "").strip():
        yield "the title is empty"
    description = parent.findtext("description") or ""
    if len(description.encode()) > 4000 or "�" in description:
        yield "the description is too long, or cut inside a character"
    for person in parent.findall(f"{PODCAST}person"):
        if not (person.text or "").strip() or len(person.text or "") > 128:
            yield "podcast:person without a name"
        if any(person.get(name) and not _is_address(person.get(name)) for name in ("href", "img")):
            yield "podcast:person with what is no address"


def _is_address(url: str | None) -> bool:
    parts = urlsplit(url or "")
    return parts.scheme in ("http", "https") and bool(parts.netloc) and " " not in (url or "")
