"""Reports of a comparison, as text and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click
import msgspec

from devlog import report
from devlog.compare.tree import Kind
from devlog.compare.values import KINDS, Comparison, Differs, FeedChange, Lost, Moved
from devlog.report import count
from devlog.report import printable as without_controls

T = TypeVar("T")
_SHOWN = 10
_PAGE_NUMBER = re.compile(r"(/page[/-]?)[0-9]+(?=/?(?:\.html)?$)")
_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as `urls.canonical` and names of files have it."""
_NOUNS: dict[Kind, tuple[str, str]] = {
    "page": ("page", "pages"),
    "list": ("list page", "list pages"),
    "feed": ("feed", "feeds"),
    "file": ("file", "files"),
    "asset": ("theme file", "theme files"),
}
_NEAR = {
    "case": "the new output has “{}”, which differs in letter case only",
    "form": "the new output has “{}”",
    "title": "the new output has a page of the same title at “{}”",
}
_REASONS = {
    "no-feed": "the new file is not a feed",
    "leads-nowhere": "the new redirect is broken",
    "loop": "the new redirects form a loop",
}


def as_json(comparison: Comparison) -> str:
    """A comparison as one JSON document, whose keys docs/migration.md explains."""
    tree = msgspec.to_builtins(comparison)
    tree["diagnostics"] = [report.as_json(item) for item in comparison.diagnostics]
    return report.json_text(_written({**tree, "failed": comparison.failed}))


def printable(text: str) -> str:
    """A text with escapes for control characters, and for bytes that are not UTF-8."""
    return without_controls(_escaped(text))


def _escaped(text: str) -> str:
    """A URL or a file name in which bytes that are not UTF-8 are as in a URL, such as ``%FF``."""
    return _BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def _written(value: Any) -> Any:
    """A document with escapes for bytes of URLs and file names that are not UTF-8."""
    if isinstance(value, str):
        return _escaped(value).encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _written(item) for key, item in value.items()}
    return [_written(item) for item in value] if isinstance(value, list | tuple) else value


def as_text(comparison: Comparison, *, verbose: bool) -> str:
    """A comparison as text: the numbers, then lists of what to review.

    Args:
        comparison: the result of the comparison.
        verbose: whether to show complete lists, and new URLs too.
    """
    lines = [*_verdict(comparison), "", *_table(comparison)]
    show = _Lists(None if verbose else _SHOWN)
    for kind in KINDS:
        lost = [one for one in comparison.lost if one.kind == kind and not one.excuse]
        title = f"Lost: {_count(len(lost), kind)}"
        if kind == "list" and not verbose:
            show.add(title, _grouped(lost), lambda line: [line], color="red")
        else:
            show.add(title, lost, _lost, color="red")
    show.add("Lost, as accepted", [one for one in comparison.lost if one.excuse == "accepted"], _lost)
    show.add("Redirected", comparison.redirected, _moved)
    show.add("Changed redirects", comparison.redirects, _differs)
    show.add("Changed titles", comparison.titles, _differs)
    show.add("Changed dates", comparison.dates, _differs)
    show.add(
        "Changed authors",
        comparison.authors,
        lambda one: [printable(one.url), f"  {_names(one.old)} → {_names(one.new)}"],
    )
    show.add(
        "Lost headings, to which other sites may link",
        comparison.anchors,
        lambda one: [printable(one.url), f"  {_some([f'#{anchor}' for anchor in one.lost], verbose=verbose)}"],
    )
    show.add("Changed feeds", comparison.feeds, lambda one: _feed(one, verbose=verbose))
    if verbose:
        for excuse, title in (("first-page", "First pages of lists"), ("theme", "Removed theme files")):
            show.add(title, [one for one in comparison.lost if one.excuse == excuse], _lost)
        show.add("New", comparison.added, lambda one: [printable(one.url)])
    return "\n".join([*lines, *show.lines, *_last(comparison)])


def _verdict(comparison: Comparison) -> list[str]:
    old, new = printable(comparison.old), printable(comparison.new)
    lost = sum(not one.excuse for one in comparison.lost)
    if lost:
        verdict = click.style(f"{count(lost, 'URL')} lost", fg="red", bold=True)
    else:
        verdict = click.style("No URL lost", fg="green", bold=True)
    return [f"{verdict} between {old} and {new}"]


def _table(comparison: Comparison) -> list[str]:
    """A table with the numbers of each kind."""
    heads = ("", "before", "kept", "redirected", "lost", "may go", "new")
    rows: list[Sequence[str]] = [heads]
    for kind in KINDS:
        row = (
            comparison.old_urls[kind],
            comparison.kept[kind],
            sum(one.kind == kind for one in comparison.redirected),
            sum(one.kind == kind and not one.excuse for one in comparison.lost),
            sum(one.kind == kind and bool(one.excuse) for one in comparison.lost),
            sum(one.kind == kind for one in comparison.added),
        )
        if any(row):
            rows.append((_NOUNS[kind][1], *(f"{number:,}" for number in row)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return [
        "  "
        + "  ".join(
            cell.ljust(w) if not i else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


class _Lists:
    """Lists with headings; long ones are truncated."""

    def __init__(self, limit: int | None) -> None:
        self.lines: list[str] = []
        self._limit = limit

    def add(self, title: str, items: Sequence[T], described: Callable[[T], list[str]], color: str = "yellow") -> None:
        """Add a list, unless it is empty."""
        if not items:
            return
        number = "" if any(map(str.isdigit, title)) else f" ({len(items):,})"
        self.lines += ["", click.style(f"{title}{number}", fg=color, bold=True)]
        for item in items[: self._limit]:
            self.lines += [f"  {line}" for line in described(item)]
        more = len(items) - len(items[: self._limit])
        if more:
            self.lines.append(click.style(f"  … and {more:,} more", dim=True))


def _count(number: int, kind: Kind) -> str:
    one, many = _NOUNS[kind]
    return f"{number:,} {one if number == 1 else many}"


def _grouped(lost: Sequence[Lost]) -> list[str]:
    """The URLs of list pages; further pages of a list share a line."""
    groups = Counter(_PAGE_NUMBER.sub(r"\g<1>…", one.url) for one in lost)
    return [f"{printable(url)} ({number:,} pages)" if number > 1 else printable(url) for url, number in groups.items()]


def _lost(one: Lost) -> list[str]:
    notes = [_REASONS[one.reason]] if one.reason != "missing" else []
    notes += [f"it was a redirect to “{printable(one.led_to)}”"] if one.led_to else []
    notes += [_NEAR[one.near_by].format(printable(one.near))] if one.near_by else []
    return [printable(one.url), *(f"  {line}" for line in notes)]


def _moved(one: Moved) -> list[str]:
    outside = "" if one.inside else " (on another site, which was not looked at)"
    return [f"{printable(one.url)} → {printable(one.to)}{outside}"]


def _differs(one: Differs) -> list[str]:
    return [printable(one.url), f"  {printable(one.old)} → {printable(one.new)}"]


def _names(names: Iterable[str]) -> str:
    return printable(", ".join(names))


def _some(texts: Sequence[str], *, verbose: bool) -> str:
    shown = texts if verbose else texts[:_SHOWN]
    more = len(texts) - len(shown)
    return printable(", ".join(shown)) + (f" … and {more:,} more" if more else "")


def _feed(change: FeedChange, *, verbose: bool) -> list[str]:
    lines = [printable(change.url)]
    if change.old_format != change.new_format:
        lines.append(f"  it was {change.old_format} and is {change.new_format}, which feed readers handle")
    if change.changed:
        lines.append(f"  {_entries(len(change.changed))} with a new id, which feed readers show as new:")
        shown = change.changed if verbose else change.changed[:2]
        lines += [f"    {printable(entry.old)} → {printable(entry.new)}" for entry in shown]
    if change.only_old:
        lines.append(f"  {_entries(change.only_old)} removed: harmless, feed readers keep what they have")
    if change.only_new:
        lines.append(f"  {_entries(change.only_new)} only in the new feed, which feed readers may show as new")
    return lines


def _entries(number: int) -> str:
    return f"{number:,} {'entry is' if number == 1 else 'entries are'}"


def _last(comparison: Comparison) -> list[str]:
    """The last lines: how much could be compared, and why some lost URLs are harmless."""
    lines = [""]
    if comparison.urls_only:
        lines.append("Only URLs were compared: a sitemap contains nothing else.")
    else:
        seen = comparison.compared
        compared = (
            f"titles on {count(seen.title, 'page')}",
            f"dates on {count(seen.date, 'page')}",
            f"authors on {count(seen.authors, 'page')}",
            f"headings on {count(seen.anchors, 'page')}",
            f"entries of {count(seen.feeds, 'feed')}",
        )
        lines.append(f"Compared where both sides have them: {', '.join(compared)}.")
    excused = Counter(one.excuse for one in comparison.lost)
    if excused["theme"]:
        lines.append("Theme files (style sheets, scripts, fonts, icons) may be removed: the new theme has its own.")
    if excused["first-page"]:
        lines.append(f"Redirects from “page/1/” of a list may be removed ({excused['first-page']:,}): the list exists.")
    return lines
