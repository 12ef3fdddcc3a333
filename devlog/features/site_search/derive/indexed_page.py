"""Converts a post to HTML for the indexer, which has only the searchable text and its weights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from html import escape
from itertools import count

from devlog.features.site_search.model import Record
from devlog.model.directional_controls import DIRECTIONAL
from devlog.model.document import Body
from devlog.model.slug import humanize
from devlog.model.visible import is_visible
from devlog.parse.html.raised import with_powers
from devlog.parse.html.ruby import with_readings

APART = "\u2063"
"""A separator between text that is only searched, the names around a post, and text that excerpts may show."""

JOIN = "\u2060"
"""Marks a word that was split from the one before it. The indexer splits words only at spaces, so that it would find
neither part of ``f(recompile_limit)``; readers see the two parts joined again."""

_RARE = "\ua66e"

_OWN = re.compile(f"[{APART}{JOIN}{_RARE}]")
"""What only devlog writes: a post with the mark of another author, say, would be found among the posts of that one."""

CODE = 0.4
"""The weight of a word in a block of code; in a paragraph it is 1, in headings up to 7."""

MOST_ANCHORS = 500
"""The maximum number of anchors in a text to which results lead: browsers take the square of it for each result."""

_ID = re.compile(r'(<[a-z][^<>]*?) id="[^"]*"')

# A tag without an end, which trusted HTML may have, takes what follows it, as in a browser: it is read once.
# Line numbers are not text; other elements inside lines do not separate words.
_INLINE = re.compile(r'<span class="line-number"[^<>]*>[^<]*</span>|</?span[^>]*>?')
# The beginning of a paragraph, as of a speaker's turn: its attributes, the speaker, and the time, which is not a word.
_PARAGRAPH = re.compile(
    r'<p ([^<>]*)>(?:<cite>([^<]*)</cite>)?(?: ?<a class="time"[^<>]*>(?:<time[^<>]*>)?[^<]*(?:</time>)?</a>)?'
)
_TURN = 'class="turn"'
_ID_OF_TURN = re.compile(r'\bid="([^"]+)"')
# Elements that browsers show in a line or cell of their own, but whose words the indexer does not set apart from those
# beside them, as it does for `p`, `li` and `td`.
_APART = re.compile(
    r"</?(?:address|aside|blockquote|button|caption|center|col|colgroup|dd|details|dialog|dir|dl|dt|fieldset|figcaption"
    r"|figure|footer|form|header|hgroup|hr|legend|main|menu|nav|ol|optgroup|option|pre|search|summary|table|tbody|tfoot"
    r"|th|thead|tr)\b",
    re.IGNORECASE,
)
# Characters between words without a space. Full stops, commas, colons, slashes, hyphens and capitals are not included:
# there the indexer keeps both the whole and its parts, and an apostrophe is part of a word.
# Chinese and Japanese have no spaces at all: there, each sign ends a word, also behind the end of an element.
_SIGNS = r"\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3e\uff5b-\uff65"
_BACK = "↩︎</a>"
"""The sign behind a footnote, which leads back to the text."""
_IDEOGRAPHIC = re.compile(f"[{_SIGNS}]")
_BEHIND = r"[^\s>][(\[{=;|!~^%*\"“”«»—–…]"
_CUT = re.compile(rf"<[^>]*>?|(?<={_BEHIND})(?=[^\W])")
_CUT_IDEOGRAPHIC = re.compile(rf"<[^>]*>?|(?<={_BEHIND}|[\s\S][{_SIGNS}])(?=[^\W])")  # slower


def page(record: Record, body: Body, language: str, transcript: Body | None = None) -> str:
    """The HTML of a post for the indexer.

    Args:
        record: the record of the post.
        body: the HTML of the post.
        language: the language of the site.
        transcript: the HTML of its transcript, if that is in a file of its own.
    """
    spoken = f"<p>{APART}</p>{text(transcript)}" if transcript else ""
    title = escape(_title(record), quote=False)
    about = _OWN.sub("", " · ".join(filter(None, (record.topic, *record.authors, *record.tags))))
    marks = " ".join(mark(kind, value) for kind, value in facets(record))
    shown = "".join(
        f'<i data-pagefind-meta="{name}[data-value]" data-value="{escape(_OWN.sub("", value))}"></i>'
        for name, value in (
            ("date", record.shown_date),
            ("topic", record.topic),
            ("status", record.status),
            ("language", record.language),
        )
        if value
    )
    return (
        f'<!doctype html><html lang="{escape(language)}"><body data-pagefind-body>{shown}'
        f'<h1 data-pagefind-meta="title" data-pagefind-weight="10">{title}</h1>'
        f'<p data-pagefind-weight="3">{escape(about, quote=False)}</p>'
        f'<p data-pagefind-weight="0.1">{marks}</p><p>{APART}</p>{text(body)}{spoken}</body></html>'
    )


def _title(record: Record) -> str:
    """The title of a post, or the name in its URL if nothing is left of it: a result is a link with this text."""
    title = _OWN.sub("", record.title)
    return title if is_visible(title) else humanize(record.url.strip("/").rpartition("/")[2]) or record.url


def text(body: Body) -> str:
    """The HTML of a body without its holes, in which words are split."""
    html = _INLINE.sub("", "".join([piece for piece in body.pieces if isinstance(piece, str)]))
    if not html.isascii():
        # An excerpt begins and ends anywhere: what turns text around would have no end there, or no beginning.
        html = DIRECTIONAL.sub("", _OWN.sub("", html)).replace(_BACK, "</a>")
    html = with_readings(with_powers(html))
    html = _APART.sub(r" \g<0>", html).replace("<pre", f'<pre data-pagefind-weight="{CODE}"')
    if _TURN in html:
        html = _PARAGRAPH.sub(_paragraph, html)
    cut = _CUT_IDEOGRAPHIC if not html.isascii() and _IDEOGRAPHIC.search(html) else _CUT
    return cut.sub(lambda found: found[0] or f" {JOIN}", _with_few_anchors(html))


def _with_few_anchors(html: str) -> str:
    """The HTML with its first `MOST_ANCHORS` ids."""
    if html.count(' id="') <= MOST_ANCHORS:
        return html
    number = count(1)
    return _ID.sub(lambda found: found[0] if next(number) <= MOST_ANCHORS else found[1], html)


def _paragraph(found: re.Match[str]) -> str:
    """The beginning of a paragraph. In a turn of a transcript, the name of an element marks its anchor as a time."""
    name = _ID_OF_TURN.search(found[1]) if _TURN in found[1] else None
    if not name:
        return found[0]
    speaker = f"{found[2]}: " if found[2] else ""
    return f'<p><time id="{name[1]}"></time>{speaker}'


def facets(record: Record) -> Iterator[tuple[str, str]]:
    """The kinds and values by which results can be filtered or ranked, for one record."""
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
    """A word that all posts with a common value contain, and that does not occur in any post by itself.

    Where a bundle does not have it, the index takes the longest word with which it begins: so no other word must begin
    as it does, and it begins with a letter that stands alone in no text. The indexer's own filters would do the same as
    these words, but their order in the output differs from run to run.
    """
    digest = blake2b(f"{kind}\0{value}".encode(), digest_size=8).digest()
    return f"{_RARE}{int.from_bytes(digest) % 10**15:015d}"
