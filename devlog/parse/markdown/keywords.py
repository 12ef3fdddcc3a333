"""Extracts the keywords of a post: posts that share rare ones are related."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from sys import byteorder
from zlib import crc32

from devlog.model.short_texts import cache_of_short

WORDS = 12
"""The maximum number of words taken from the title and the headings."""

NAMES = 8
"""The maximum number of names taken from code, the most frequent ones."""

_LONGEST = 60
_CODE = re.compile(rf"<code>([^<\n]{{3,{_LONGEST}}})</code>")
_NAME = re.compile(r"[A-Za-z_@][\w.:/@+-]*")
_WORD = re.compile(r"[^\W\d_](?:[\w+#]|[.:'’-](?=\w))*")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_NAME_LIKE = re.compile(r"\w[_.:/]+\w|_\w|[^\W\d_]-?\d")

# Stop words; the longer a site's posts are, the less this list matters.
_COMMON = frozenset(
    """
    able about above across adding all and any are but can cannot did for new nor not per via vs yet
    after again against ahead along already also although always among another answer
    anything around asked available away back background because become been before begin behind being below best
    better between beyond both bring brief building built call came change changed changes changing come comes coming
    conclusion contents could current currently data deep detail details different does doing done down during each
    early easier easy either else end enough even ever every everything example examples faster fast feature features
    few final finally find first fixed fixing follow from full further future getting give gives going good great had
    half happen happened happens hard has have having here high history how however idea improve improved improvement
    improvements improving inside instead into introducing introduction issue issues its itself just keep kept kind
    know known large last later learn learned learning less lesson lessons let like limitations list little local log
    logs long look looking lot made main make makes making many matter matters maybe mean means meet might more most
    motivation move moved moving much must need needed needs never next none note notes nothing now number off often
    old once one only open option options order other others our out over overview own part parts past people place
    plan point possible post posts problem problems proposal question questions quick quite rather ready real really
    reason reference references related release released report result results right same second see seen set several
    short should show shown side simple since single slow small solution some something sometimes soon start started
    state status step steps still stop such sum summary support supported sure take takes taking tell than that the
    their them then there these they thing things third this those thoughts three through time tips today together
    tools top toward towards try trying turn two under understanding until update updated updates upon use used
    useful user users uses using usually value very version want wanted was way ways week weekly well went were what
    when where whether which while who whole why will with within without word words work worked working works world
    would write writing wrong year years yes yet you your null true false self this type types name names file files
    function return class
    """.split()
)


def code_in_html(html: str) -> list[str]:
    """The contents of code spans in HTML."""
    return _CODE.findall(html) if "<code>" in html else []


def terms(title: str, headings: Iterable[str], code: Iterable[str]) -> bytes:
    """The keywords of a post.

    Args:
        title: the title of the post.
        headings: the texts of its headings.
        code: the contents of its code spans, most of which are names.

    Returns:
        The digests of its keywords, four bytes each: of the first words of its title and headings, and of its most
        frequent names. The lowest bit is set if a keyword looks like a name in code rather than a word.
    """
    words: dict[str, None] = {}
    for line in (title, *headings):
        words.update(dict.fromkeys(_words(line)))
        if len(words) >= WORDS:
            break
    names = Counter(name for written in code if len(written) <= _LONGEST and (name := _name(written)))
    chosen = [name for name, _ in names.most_common() if name not in words][:NAMES]
    found = array("I", sorted({_digest(term) for term in (*list(words)[:WORDS], *chosen)}))
    if byteorder == "big":
        found.byteswap()
    return found.tobytes()


def _words(line: str) -> Iterator[str]:
    for found in _WORD.findall(line):
        wide = "" if found.isascii() else _WIDE.search(found)
        if wide:  # a script without spaces: two characters at a time
            run = wide[0]
            yield from (run[place : place + 2] for place in range(len(run) - 1))
        elif _NAME_LIKE.search(found):
            yield found.lower()
        else:
            word = _stem(found.lower())
            if word:
                yield word


def _stem(word: str) -> str:
    """A word in the singular, where that is easy to tell; empty for a stop word or a very short one."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) < 4 and not (len(word) == 3 and word.isascii()):
        return ""
    if word in _COMMON:
        return ""
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=8192)  # a site's posts mention the same names
def _name(code: str) -> str:
    """The name that a code span consists of; empty for other code."""
    name = code.strip().removesuffix("()").rstrip(".:/")
    if not _NAME.fullmatch(name) or len(name) < 3:
        return ""
    return name.lower() if _NAME_LIKE.search(name) else _stem(name.lower())


@cache_of_short(8192)
def _digest(term: str) -> int:
    return crc32(term.encode()) & ~1 | bool(_NAME_LIKE.search(term))
