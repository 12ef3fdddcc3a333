"""Decides whether two themes give a page the same title, date and authors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, date, tzinfo
from unicodedata import normalize

from devlog.compare.facts import Page
from devlog.parse.front_matter.dates import parse_date

_SEPARATORS = re.compile(r"(?:^|\s+)(?:\||-|·|•|::|>|<|/|~)(?:\s+|$)")
_AROUND_SITE = re.compile(rf"{_SEPARATORS.pattern}|:\s+")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚′´`", "'"),
        **dict.fromkeys("“”„″", '"'),
        **dict.fromkeys("«»", "|"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
        "…": "...",
        "*": "",
    }
)
_ZONE_NAME = re.compile(r"(?<=[+-][0-9]{4}) [A-Z]{1,5}(?: m=.*)?$|(?<=[+-][0-9]{4}) [+-][0-9]{2,4}$")
_GLUE = frozenset({"and", "by", "on", "behalf", "of", "written", "posted", "author", "authors"})


def plain(title: str) -> str:
    """A title without typographic variations of its characters."""
    text = normalize("NFKC", title.translate(_PLAIN)).replace("'", "")
    text = re.sub(r"-{2,}", "-", text)
    return " ".join(text.split()).rstrip("#¶ ")


class Site:
    """The names and authors of a site as a whole, from its home page."""

    def __init__(self, home: Page | None) -> None:
        home = home or Page()
        names = [*home.site, home.window, *_SEPARATORS.split(plain(home.window))]
        self.names = frozenset(plain(name) for name in names) - {""}
        self.authors = frozenset(_words(names) for names in home.authors)

    def titles(self, page: Page) -> list[str]:
        """The possible titles of a page, the most reliable first."""
        names = self.names | {plain(name) for name in page.site}
        found = [_without(plain(title), names) for title in (*page.titles, page.window, *page.headings)]
        return list(dict.fromkeys(title for title in found if title and title not in names))

    def authors_of(self, page: Page) -> list[tuple[str, ...]]:
        """The authors of a page, without those that the site names on every page."""
        declared = [names for names in page.authors if _words(names) not in self.authors]
        return [names for names in (*declared, *page.bylines) if _words(names)]


def _without(title: str, names: frozenset[str] | set[str]) -> str:
    """A title without the name of the site before or after it."""
    for found in _AROUND_SITE.finditer(title):
        if title[found.end() :] in names:
            return title[: found.start()]
        if title[: found.start()] in names:
            return title[found.end() :]
    return title


def title_difference(old: list[str], new: list[str], *, loose: bool) -> tuple[str, str] | None:
    """The two titles of a page if they differ.

    Args:
        old: the possible titles of the old page, from `Site.titles`.
        new: those of the new page.
        loose: whether one of them comes from ``<title>``, which may contain more than the title.

    Returns:
        Both titles; `None` if they are the same, or if one of the pages has none.
    """
    if not old or not new or old[0] in new or new[0] in old:
        return None
    if loose and any(_extends(old[0], title) or _extends(title, old[0]) for title in new):
        return None
    return old[0], new[0]


def _extends(title: str, core: str) -> bool:
    """Whether a title is another one with a separate addition, such as the name of a section."""
    parts = _SEPARATORS.finditer(title)
    return any(core in (title[: part.start()], title[part.end() :]) for part in parts)


def date_difference(old: Page, new: Page, zone: tzinfo) -> tuple[str, str] | None:
    """The two publication dates of a page if their days differ; `None` as in `title_difference`."""
    pairs = ((old.dates, new.dates), (old.dates, new.times), (old.times, new.dates), (old.times, new.times))
    for mine, other in pairs:
        before, after = _dates(mine), _dates(other)
        if before and after:
            return None if _share_day(before, after, zone) else (before[0], after[0])
    return None


def has_date(page: Page) -> bool:
    """Whether a page has a date that can be parsed."""
    return bool(_dates((*page.dates, *page.times)))


def _dates(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if _days(text, UTC)]


def _share_day(old: Sequence[str], new: Sequence[str], zone: tzinfo) -> bool:
    days = {day for text in old for day in _days(text, zone)}
    return any(day in days for text in new for day in _days(text, zone))


def _days(text: str, zone: tzinfo) -> set[date]:
    """The day of a date as written, and in the site's time zone; empty if it cannot be parsed."""
    found = parse_date(_ZONE_NAME.sub("", text.strip()))
    if found is None:
        return set()
    days = {found.value.date()}
    if found.value.tzinfo is not None:
        with suppress(OverflowError):  # at the limits of the calendar
            days.add(found.value.astimezone(zone).date())
    return days


def author_difference(
    old: list[tuple[str, ...]], new: list[tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The authors of a page if they differ; `None` as in `title_difference`."""
    if not old or not new:
        return None
    for mine in old:
        for other in new:
            if _words(mine) == _words(other) or _letters(mine) == _letters(other):
                return None
    return old[0], new[0]


def _words(names: Iterable[str]) -> frozenset[str]:
    """All words in names, independent of how a list of names is written."""
    text = " ".join(re.sub(r"\([^()]*\)|<[^<>]*>|@[\w.-]+", " ", name) for name in names)
    words = re.findall(r"\w+", normalize("NFKC", text).casefold())
    return frozenset(words) - _GLUE


def _letters(names: Iterable[str]) -> str:
    """The sorted letters of all names, which are the same for a name and a handle made from it."""
    return "".join(sorted("".join(_words(names))))
