"""Shows files, or parts of them, that a post includes: ``{{< code file="src/x.py" lines="10-24" >}}``.

The part becomes a fence, with the options that a fence has. The text of the file is a value that was read before.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import msgspec

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.expansion import size_of
from devlog.model.included import MOST_FILES, IncludedFile, call_of
from devlog.model.shortcode_tag import Shortcode
from devlog.parse.code.highlight import LINE, Fence, known_language, read_info
from devlog.parse.shortcodes import problems
from devlog.parse.shortcodes.included import Included, Range

if TYPE_CHECKING:
    from devlog.parse.markdown.body import BodyWriter

_OWN = frozenset({"file", "commit", "lines", "region", "lang", "language", "title"})
"""Arguments that are not options of the fence."""

_LANGUAGES = {
    "bzl": "python",
    "cc": "cpp",
    "cmakelists.txt": "cmake",
    "cu": "cuda",
    "cuh": "cuda",
    "dockerfile": "dockerfile",
    "gv": "dot",
    "hh": "cpp",
    "htm": "html",
    "hxx": "cpp",
    "ipynb": "json",
    "kt": "kotlin",
    "kts": "kotlin",
    "makefile": "makefile",
    "mjs": "js",
    "mk": "makefile",
    "mmd": "mermaid",
    "pxd": "cython",
    "pyi": "python",
    "pyx": "cython",
    "svg": "xml",
    "td": "tablegen",
}
"""The languages of files by ending or name, as far as the ending is not itself the name of a language."""


class Doubt(NamedTuple):
    """A problem of a tag: the words of the tag that it is about, and a function that makes the message."""

    words: str
    tell: Callable[[Span], Diagnostic]


class Extract(NamedTuple):
    """A part of a file to show.

    Attributes:
        content: the text to show.
        info: the info string of a fence with the same options.
        fence: these options, with the title.
        found: the file.
        counted: the characters that were counted before they are HTML.
        ranges: the lines to show; empty for the whole file.
        doubts: problems despite which there is something to show.
    """

    content: str
    info: str
    fence: Fence
    found: IncludedFile
    counted: int
    ranges: tuple[Range, ...] = ()
    doubts: tuple[Doubt, ...] = ()


Take = Callable[[int], None]
"""Counts characters that are added to the page, before they are; it may raise an exception."""


def extract_of(
    shortcode: Shortcode, included: Mapping[tuple[str, str], Included], take: Take
) -> Extract | Doubt | None:
    """The part of a file that a tag shows, or why it shows none; `None` if its file was not looked for.

    Args:
        shortcode: the tag.
        included: the files that were looked for, by path and commit as written.
        take: counts the characters of the part; a tag can name the same lines many times.
    """
    name = call_of(shortcode)
    file = included.get(name)
    if file is None:
        is_many = len(included) >= MOST_FILES
        return _doubt(shortcode, "file", partial(problems.too_many_included, most=MOST_FILES)) if is_many else None
    item = file.item
    if item.obstacle:
        key = "commit" if item.obstacle in ("bad-commit", "no-commit") else "file"
        tell = partial(problems.not_included, name=name[0], commit=name[1], obstacle=item.obstacle)
        return _doubt(shortcode, key, tell)
    if shortcode.name == "asciinema":
        return _recording(shortcode, file, take)
    lines = file.lines
    chosen = _chosen(shortcode, name[0], file)
    if isinstance(chosen, Doubt):
        return chosen
    ranges, doubts = chosen
    info = _info(shortcode, item.found.path)
    title = shortcode.named.get("title", _shown(name[0], item.found.path)).strip()
    fence = msgspec.structs.replace(read_info(info), title=title)
    shown = ranges or ((1, len(lines)),)
    if fence.numbers and ranges:
        shown = ((min(first for first, _ in ranges), max(last for _, last in ranges)),)
    count = file.length(shown) + LINE * fence.wraps_lines * sum(last - first + 1 for first, last in shown)
    take(count)
    if fence.numbers and ranges:
        fence = _numbered(fence, shown[0], ranges)
    content = "\n".join(line for first, last in shown for line in lines[first - 1 : last])
    return Extract(f"{content}\n", info, fence, item.found, count, ranges, doubts)


def _recording(shortcode: Shortcode, file: Included, take: Take) -> Extract | Doubt:
    """The text of a recording of a terminal."""
    item, text = file.item, file.recorded
    if text is None:
        return _doubt(shortcode, "file", partial(problems.no_recording, name=item.found.name))
    count = len(text) + 1
    take(count)
    title = shortcode.named.get("title", _shown(item.found.name, item.found.path)).strip()
    return Extract(f"{text}\n", "ansi", Fence("ansi", title), item.found, count)


_VALUE = r"""\s*=\s*(?:"[^"\n]*"|`[^`\n]*`|[^\s"`=>]+)"""


def _doubt(shortcode: Shortcode, key: str, tell: Callable[[Span], Diagnostic]) -> Doubt:
    """A problem of an argument of a tag."""
    found = re.search(rf"\b{key}{_VALUE}", shortcode.text, re.IGNORECASE)
    return Doubt(found[0] if found else "", tell)


def _shown(name: str, path: str) -> str:
    """The path of a file as its title shows it."""
    return path if name.startswith(("/", "../")) else posixpath.normpath(name)


def _chosen(shortcode: Shortcode, name: str, file: Included) -> tuple[tuple[Range, ...], tuple[Doubt, ...]] | Doubt:
    """The lines that a tag names, and doubts about them; no lines for the whole file."""
    written, region = (shortcode.named.get(key, "").strip() for key in ("lines", "region"))
    if region:
        found = file.region(region)
        no_region = partial(problems.no_region, name=name, region=region)
        return ((found,), ()) if found else _doubt(shortcode, "region", no_region)
    if not written:
        return (), ()
    count = len(file.lines)
    ranges = _ranges(written, count)
    if ranges is None:
        return _doubt(shortcode, "lines", partial(problems.bad_lines, written=written))
    there = tuple((first, min(last, count)) for first, last in ranges if first <= count)
    if there == ranges:
        return ranges, ()
    tell = partial(problems.lines_beyond_end, name=name, written=written, count=count)
    beyond = _doubt(shortcode, "lines", tell)
    return (there, (beyond,)) if there else beyond


_RANGE = re.compile(r"L?(\d{1,7})(?:\s*(-)\s*(?:L?(\d{1,7}))?)?", re.ASCII)


def _ranges(written: str, count: int) -> tuple[Range, ...] | None:
    """The lines in a text such as ``10-24``, ``10-`` or ``5,8-9`` for a file of `count` lines, if it is right."""
    found: list[Range] = []
    for part in written.split(","):
        read = _RANGE.fullmatch(part.strip())
        if read is None:
            return None
        first = int(read[1])
        last = int(read[3]) if read[3] else max(first, count) if read[2] else first
        if not 0 < first <= last:
            return None
        found.append((first, last))
    return tuple(found)


def _info(shortcode: Shortcode, path: str) -> str:
    """The info string of the fence: the language of the tag or of the file, and all other options."""
    named, words = shortcode.named, list(shortcode.positional)
    language = named.get("lang") or named.get("language", "")
    if not language and words and known_language(words[0].lower()):
        language = words.pop(0)
    options = [*words, *(f'{key}="{value}"' for key, value in named.items() if key not in _OWN)]
    return f"{language or _language_of(path)} {{{','.join(options)}}}".replace("\n", " ")


def _language_of(path: str) -> str:
    name = posixpath.basename(path).lower()
    ending = name.rpartition(".")[2]
    language = _LANGUAGES.get(name) or _LANGUAGES.get(ending, ending)
    return language if known_language(language) or language == "mermaid" else ""


def _numbered(fence: Fence, span: Range, ranges: Sequence[Range]) -> Fence:
    """The options for lines with the numbers that they have in the file, of which those between the ranges are hidden.

    Args:
        fence: the options.
        span: from the first line of all ranges to the last.
        ranges: the lines to show, in any order.
    """
    begin, hidden, seen = span[0], set(fence.hidden), span[0] - 1
    for first, last in sorted(ranges):
        hidden.update(range(seen + 2 - begin, first + 1 - begin))
        seen = max(seen, last)
    start = begin if fence.first == 1 else fence.first
    return msgspec.structs.replace(fence, first=start, hidden=frozenset(hidden))


def report(writer: BodyWriter, doubts: Sequence[Doubt], block: Sequence[int] | None) -> None:
    """Report the problems of a tag in some lines of the document that is being written."""
    writer.diagnostics += [doubt.tell(writer.finder.find(doubt.words, block)) for doubt in doubts]


def counted_html(writer: BodyWriter, extract: Extract, html: str, block: Sequence[int] | None) -> str:
    """The HTML of a part of a file, which may be many times as long as the part: what it is longer counts, too.

    It counts in bytes, since all of it is there again for a few bytes in each post that includes the file.
    """
    writer.inclusion.take(max(0, size_of(html) - extract.counted), writer.finder.find("", block))
    return html


def link_to(writer: BodyWriter, extract: Extract, meta: Mapping[str, Any]) -> str:
    """The attribute with the URL of the file: on the site, or as a feature has noted it; empty if there is none."""
    if extract.found.is_active:
        return ""
    if extract.found.file:
        return writer.link("href", f"/{quote(extract.found.path)}")
    return f' href="{escape(meta["url"])}"' if "url" in meta else ""
