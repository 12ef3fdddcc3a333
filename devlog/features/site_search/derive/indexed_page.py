"""A text as the indexer reads it: HTML that only says what is to be found and how much it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from html import escape

from devlog.features.site_search.model import Record
from devlog.model.document import Body

APART = "\u2063"
"""Stands alone between what is only found, the names around a text, and what excerpts may show."""

JOIN = "\u2060"
"""Begins what was cut off the word before it. The indexer knows words by the spaces between them, so that of
``f(recompile_limit)`` it would find neither part; readers are shown the two together again."""

CODE = 0.4
"""How much a word in a block of code counts; in a paragraph it is 1, in headings up to 7."""

# Numbers of lines are no text; other elements inside of lines are no borders of words.
_INLINE = re.compile(r'<span class="line-number"[^>]*>[^<]*</span>|</?span[^>]*>')
# The beginning of what somebody says: its place, who it is, and the time, which is no word.
_TURN = re.compile(
    r'<p (?=[^>]*class="turn")[^>]*?\bid="([^"]+)"[^>]*>(?:<cite>([^<]*)</cite>)?(?: ?<a class="time"[^>]*>.*?</a>)?'
)
# What stands between words without a space. Full stops, commas, colons, slashes, hyphens and capitals are left alone:
# there the indexer keeps the whole and its parts, and an apostrophe is part of a word.
_CUT = re.compile(r"<[^>]*>|(?<=[^\s>][(\[{=;|!~^%*\"“”«»—–…])(?=[^\W])")


def page(record: Record, body: Body, language: str, transcript: Body | None = None) -> str:
    """The HTML of a text for the indexer.

    Args:
        record: what is known of it.
        body: its HTML.
        language: of the site.
        transcript: what is spoken in it, where that is another text.
    """
    spoken = f"<p>{APART}</p>{text(transcript)}" if transcript else ""
    title = escape(record.title, quote=False)
    about = " · ".join(filter(None, (record.topic, *record.authors, *record.tags)))
    marks = " ".join(mark(kind, value) for kind, value in facets(record))
    shown = "".join(
        f'<i data-pagefind-meta="{name}[data-value]" data-value="{escape(value)}"></i>'
        for name, value in (("date", record.date), ("topic", record.topic), ("status", record.status))
        if value
    )
    return (
        f'<!doctype html><html lang="{escape(language)}"><body data-pagefind-body>{shown}'
        f'<h1 data-pagefind-meta="title" data-pagefind-weight="10">{title}</h1>'
        f'<p data-pagefind-weight="3">{escape(about, quote=False)}</p>'
        f'<p data-pagefind-weight="0.1">{marks}</p><p>{APART}</p>{text(body)}{spoken}</body></html>'
    )


def text(body: Body) -> str:
    """A body without its holes, cut into words."""
    html = _INLINE.sub("", "".join([piece for piece in body.pieces if isinstance(piece, str)]))
    html = html.replace("<pre", f'<pre data-pagefind-weight="{CODE}"')
    if 'class="turn"' in html:
        html = _TURN.sub(_turn, html)
    return _CUT.sub(lambda found: found[0] or f" {JOIN}", html)


def _turn(found: re.Match[str]) -> str:
    """A turn in a transcript: pages of the search know its place as one in time by the name of the element."""
    speaker = f"{found[2]}: " if found[2] else ""
    return f'<p><time id="{found[1]}"></time>{speaker}'


def facets(record: Record) -> Iterator[tuple[str, str]]:
    """By what results can be narrowed or ranked, and what of it a text has."""
    if record.topic:
        yield "topic", record.topic
    for name in record.authors:
        yield "author", name
    for name in record.tags:
        yield "tag", name
    if record.date:
        yield "year", record.date[:4]
    if record.status == "superseded":
        yield "status", record.status


@lru_cache(maxsize=4096)
def mark(kind: str, value: str) -> str:
    """The word that stands in all texts that have something in common: a number that no text has of its own.

    The filters of the indexer would do the same, but it writes them in another order each time.
    """
    digest = blake2b(f"{kind}\0{value}".encode(), digest_size=8).digest()
    return f"{int.from_bytes(digest) % 10**15:015d}"
