"""One source in, one parsed value and its body out: pure, so that it can be remembered and done anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import msgspec

from devlog.model import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Body, Document, FrontMatter, Parsed
from devlog.model.source import Source
from devlog.parse import excerpt
from devlog.parse.body import BodyWriter
from devlog.parse.dates import date_from_name
from devlog.parse.emoji import replace_emoji
from devlog.parse.front_matter import read_front_matter
from devlog.parse.markdown import Rendered, render_markdown, write_shortcode
from devlog.parse.options import ParseOptions
from devlog.parse.record import ParsedRecord

# What XML 1.0 cannot hold: no feed reader accepts it, and no reader of text misses it.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


class _Head(msgspec.Struct, frozen=True):
    """What a source says about itself, and the text that follows, which begins on `first_line`."""

    front_matter: FrontMatter
    text: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...]


def _read_head(source: Source, options: ParseOptions) -> _Head:
    diagnostics: list[Diagnostic] = []
    for character, start in _illegal(source.text).items():
        before = source.text[:start]
        span = Span(source.file, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1, 1)
        diagnostics.append(problems.control_character(span, character))
    if diagnostics:
        source = msgspec.structs.replace(source, text=_ILLEGAL.sub("", source.text))
    front_matter, text, first_line, found = read_front_matter(source)
    if options.emoji:
        front_matter = msgspec.structs.replace(
            front_matter,
            title=replace_emoji(front_matter.title),
            summary=replace_emoji(front_matter.summary),
            description=replace_emoji(front_matter.description),
        )
    if separator := _separator(front_matter):
        text = text.replace(separator, "<!--more-->", 1)
    return _Head(front_matter, text, first_line, (*diagnostics, *found))


def _parsed(source: Source, head: _Head, document: Document, diagnostics: Sequence[Diagnostic]) -> Parsed:
    name = _name(source.path)
    name_date, name_slug = date_from_name(name)
    found = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key))
    return Parsed(source.path, source.file, name, name_date, name_slug, head.front_matter, document, found)


def parse(source: Source, options: ParseOptions) -> tuple[Parsed, Body]:
    """Parse a source. It never fails: what is wrong with the text is among the diagnostics."""
    head = _read_head(source, options)
    front_matter = head.front_matter
    if source.path.lower().endswith((".html", ".htm")):
        rendered = _render_html(head.text, source.file, head.first_line, options)
    else:
        rendered = render_markdown(head.text, source.file, head.first_line, front_matter.title, options)
    document = Document(
        body=digest_bytes(msgspec.msgpack.encode(rendered.body)),
        refs=rendered.refs,
        headings=rendered.headings,
        anchors=rendered.anchors,
        excerpt=(
            front_matter.summary
            or front_matter.description
            or excerpt.make_excerpt(rendered.prose, options.excerpt_words)
        ),
        title=rendered.title,
        words=rendered.prose.words,
    )
    return _parsed(source, head, document, (*head.diagnostics, *rendered.diagnostics)), rendered.body


def sketch(source: Source, options: ParseOptions) -> Parsed | None:
    """What a source says about itself, without its text, which takes most of the time.

    Returns:
        What `parse` gives but for an empty document, or `None` where the title stands in the text.
    """
    head = _read_head(source, options)
    return _parsed(source, head, Document(""), head.diagnostics) if head.front_matter.title else None


# The bytes of UTF-8 that none of the characters of one byte in `_ILLEGAL` is written with.
_LEGAL_BYTES = bytes(byte for byte in range(256) if not _ILLEGAL.match(chr(byte)))


def _is_legal(text: str) -> bool:
    """Whether a text has no illegal character, found in a third of the time that a search for one takes."""
    try:
        illegal = text.encode().translate(None, _LEGAL_BYTES)
    except UnicodeEncodeError:  # a surrogate
        return False
    return not illegal and "\ufffe" not in text and "\uffff" not in text


def _illegal(text: str) -> dict[str, int]:
    """The characters that must go, each with its first place."""
    places: dict[str, int] = {}
    if _is_legal(text):
        return places
    for found in _ILLEGAL.finditer(text):
        places.setdefault(found[0], found.start())
    return places


def _separator(front_matter: FrontMatter) -> str:
    """The mark that a post itself says its excerpt ends at."""
    if "excerpt_separator" not in front_matter.params:
        return ""
    mark = msgspec.json.decode(front_matter.params).get("excerpt_separator")
    return mark.strip() if isinstance(mark, str) else ""


def _name(path: str) -> str:
    """The name of a source: of a bundle, the folder's."""
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0]
    return folder.rpartition("/")[2] if stem == "index" and folder else stem


def _render_html(text: str, file: str, first_line: int, options: ParseOptions) -> Rendered:
    """A post whose body is HTML already."""
    writer = BodyWriter(text, file, first_line, options.html, options.own_url)
    if options.html == "escape":
        html = f"<pre>{escape(text)}</pre>\n"
    else:
        html = writer.raw(text, (0, 0), lambda code: write_shortcode(writer, code, block=True))
        writer.sanitized = options.html == "safe"
    return Rendered(
        writer.body(html),
        tuple(writer.refs),
        (),
        tuple(sorted(writer.anchors)),
        excerpt.html_prose(text),
        "",
        tuple(writer.diagnostics),
    )


def parse_batch(sources: Sequence[Source], options: ParseOptions) -> list[ParsedRecord]:
    """Parse sources, in a worker perhaps."""
    records = []
    for source in sources:
        try:
            parsed, body = parse(source, options)
        except Exception as error:  # a fault of devlog, which is to cost one text and to name it
            parsed, body = parse(msgspec.structs.replace(source, text=""), options)
            fault = problems.internal_error(Span(source.file), f"{type(error).__name__}: {error}")
            parsed = msgspec.structs.replace(parsed, diagnostics=(fault,))
        data = msgspec.msgpack.encode(body)
        records.append(ParsedRecord(msgspec.msgpack.encode(parsed), parsed.document.body, data))
    return records
