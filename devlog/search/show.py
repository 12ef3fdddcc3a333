"""Output of search results, as text for people and as JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import wrap

import click

from devlog.report import json_text, printable
from devlog.search.query import read_query
from devlog.search.values import Hit

_WIDTH, _NARROWEST, _WIDEST = 80, 40, 100
_INDENT = "    "


def as_json(hits: Sequence[Hit]) -> str:
    """Hits as a JSON array."""
    return json_text(
        [
            {
                "title": hit.title,
                "url": hit.url,
                "source": hit.source,
                "line": hit.line,
                "section": hit.section,
                "snippet": hit.snippet,
                **({"missing": hit.missing} if hit.missing else {}),
                **({"taken_for": hit.taken_for} if hit.taken_for else {}),
            }
            for hit in hits
        ]
    )


def as_text(hits: Sequence[Hit], query: str) -> str:
    """Hits as text: title and section, location, and a snippet with the matching words in bold."""
    shown = hits[0].taken_for or query
    return "\n\n".join([*_relaxed(hits[0], query), *("\n".join(_lines(hit, shown)) for hit in hits)])


def _relaxed(first: Hit, query: str) -> list[str]:
    """A note on how the query was relaxed, if no post matches all of it."""
    said = []
    if first.taken_for:
        said.append(f"No exact match for “{_clean(query)}”. Showing results for “{_clean(first.taken_for)}”.")
    if first.missing:
        said.append("No post contains all of these words. Best partial matches:")
    return ["\n".join(click.style(line, italic=True) for line in said)] if said else []


def _lines(hit: Hit, query: str) -> list[str]:
    width = _width()
    date = click.style(f"{_clean(hit.date)}  ", dim=True) if hit.date else ""
    place = click.style(f"{_clean(hit.source)}:{hit.line}", fg="cyan")
    lines = [*_heading(hit, width), f"{_INDENT}{date}{place}"]
    if hit.missing:
        lines[-1] += click.style(f"  missing: {', '.join(map(_clean, hit.missing))}", dim=True)
    return lines + [f"{_INDENT}{_marked(line, query)}" for line in _wrapped(hit.snippet, width - len(_INDENT))]


def _heading(hit: Hit, width: int) -> list[str]:
    title, section = _clean(hit.title), _clean(hit.section)
    lines, rest = [], len(title)
    for line in _wrapped(f"{title} › {section}" if section else title, width):
        ends = max(0, rest)  # the column where the title ends in this line
        styled = ((line[:ends], {"bold": True}), (line[ends:], {"dim": True}))
        lines.append("".join(click.style(part, **style) for part, style in styled if part))
        rest -= len(line) + 1
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(_clean(text), width, break_long_words=False, break_on_hyphens=False)


def _marked(line: str, query: str) -> str:
    shown, at = [], 0
    for start, end in read_query(query).marks(line):
        shown += [line[at:start], click.style(line[start:end], bold=True, fg="yellow")]
        at = end
    return "".join([*shown, line[at:]])


def _clean(text: str) -> str:
    return printable(" ".join(text.split()))


def _width() -> int:
    if not sys.stdout.isatty():
        return _WIDTH
    return max(_NARROWEST, min(_WIDEST, get_terminal_size().columns))
