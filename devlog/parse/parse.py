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
from devlog.model.notes import Block, Notes
from devlog.model.source import Source
from devlog.parse import excerpt
from devlog.parse.ansi import ESCAPE
from devlog.parse.body import BodyWriter
from devlog.parse.code_ranges import CodeRanges
from devlog.parse.dates import date_from_name
from devlog.parse.emoji import replace_emoji
from devlog.parse.front_matter import read_front_matter
from devlog.parse.liquid import Filled, fill_liquid, page_variables
from devlog.parse.markdown import Rendered, render_markdown, shortcodes_in_html
from devlog.parse.notes import note_matches, note_waivers
from devlog.parse.options import ParseOptions
from devlog.parse.record import ParsedRecord, Text
from devlog.parse.terms import code_in_html, terms
from devlog.plugin import PluginError, blamed, fault, said

# What XML 1.0 cannot hold: no feed reader accepts it, and no reader of text misses it.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


class _Head(msgspec.Struct, frozen=True):
    """What a source says about itself, how, and the text that follows, which begins on `first_line`."""

    front_matter: FrontMatter
    block: Block | None
    text: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...]


def _read_head(source: Source, options: ParseOptions) -> _Head:
    if "\x1b" in source.text:
        source = msgspec.structs.replace(source, text=_show_escapes(source.text))
    diagnostics: list[Diagnostic] = []
    for character, start in _illegal(source.text).items():
        before = source.text[:start]
        span = Span(source.file, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1, 1)
        diagnostics.append(problems.control_character(span, character))
    if diagnostics:
        source = msgspec.structs.replace(source, text=_ILLEGAL.sub("", source.text))
    front_matter, text, first_line, found, block = read_front_matter(source, options)
    if options.emoji:
        front_matter = msgspec.structs.replace(
            front_matter,
            title=replace_emoji(front_matter.title),
            summary=replace_emoji(front_matter.summary),
            description=replace_emoji(front_matter.description),
        )
    if separator := _separator(front_matter):
        text = text.replace(separator, "<!--more-->", 1)
    return _Head(front_matter, block, text, first_line, (*diagnostics, *found))


def _is_template(head: _Head, dialect: str) -> bool:
    """Whether what a page shows comes from a template: of Jekyll, in the text; of Zola, in place of one."""
    if dialect == "zola":
        return not head.text.strip() and "template" in msgspec.json.decode(head.front_matter.params)
    return dialect == "jekyll" and "{%" in head.text


def _parsed(
    source: Source, options: ParseOptions, head: _Head, document: Document, diagnostics: Sequence[Diagnostic]
) -> Parsed:
    name = _name(source.path)
    name_date, name_slug = date_from_name(name)
    found = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key))
    return Parsed(
        path=source.path,
        file=source.file,
        name=name,
        name_date=name_date,
        name_slug=name_slug,
        front_matter=head.front_matter,
        document=document,
        diagnostics=found,
        is_template=_is_template(head, options.dialect),
    )


def parse(source: Source, options: ParseOptions) -> tuple[Parsed, Body, Notes]:
    """Parse a source. It never fails: what is wrong with the text is among the diagnostics."""
    head = _read_head(source, options)
    front_matter = head.front_matter
    is_html = source.path.lower().endswith((".html", ".htm"))
    filled = _fill(source, head, options, html=is_html) if options.dialect == "jekyll" else None
    if is_html:
        rendered = _render_html(head, source.file, options, filled)
    else:
        rendered = render_markdown(
            head.text, source.file, head.first_line, front_matter.title, options, filled, _params(head, options)
        )
    document = Document(
        body=digest_bytes(msgspec.msgpack.encode(rendered.body)),
        refs=rendered.refs,
        headings=rendered.headings,
        anchors=rendered.anchors,
        excerpt=(
            front_matter.summary
            or front_matter.description
            or excerpt.make_excerpt(rendered.prose, options.excerpt_words, first_only=options.dialect == "jekyll")
        ),
        title=rendered.title,
        words=rendered.prose.words,
        diagrams=rendered.diagrams,
        terms=terms(
            front_matter.title or rendered.title, [heading.text for heading in rendered.headings], rendered.code
        ),
    )
    notes = Notes(
        block=head.block,
        outside=rendered.outside,
        without_alt=rendered.without_alt,
        repeated_title=rendered.repeated_title,
        placeholders=rendered.placeholders,
        matches=note_matches(source.text, source.file, options.patterns),
        waivers=note_waivers(source.text, source.file),
    )
    found = (*head.diagnostics, *(filled.diagnostics if filled else ()), *rendered.diagnostics)
    return _parsed(source, options, head, document, found), rendered.body, notes


def sketch(source: Source, options: ParseOptions) -> Parsed | None:
    """What a source says about itself, without its text, which takes most of the time.

    Returns:
        What `parse` gives but for an empty document, or `None` where the title stands in the text.
    """
    head = _read_head(source, options)
    return _parsed(source, options, head, Document(""), head.diagnostics) if head.front_matter.title else None


# The bytes of UTF-8 that none of the characters of one byte in `_ILLEGAL` is written with.
_LEGAL_BYTES = bytes(byte for byte in range(256) if not _ILLEGAL.match(chr(byte)))


def _is_legal(text: str) -> bool:
    """Whether a text has no illegal character, found in a third of the time that a search for one takes."""
    try:
        illegal = text.encode().translate(None, _LEGAL_BYTES)
    except UnicodeEncodeError:  # a surrogate
        return False
    return not illegal and "\ufffe" not in text and "\uffff" not in text


def _show_escapes(text: str) -> str:
    """A text whose code shows the control characters of a terminal as a sign, by which colours are known."""
    code = CodeRanges(text)
    return re.sub("\x1b", lambda found: ESCAPE if found.start() in code else found[0], text)


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


def _fill(source: Source, head: _Head, options: ParseOptions, *, html: bool) -> Filled:
    """The text after Liquid, which a post may do without."""
    params = msgspec.json.decode(head.front_matter.params) if head.front_matter.params else {}
    if params.get("render_with_liquid") is False:
        return Filled(head.text)
    variables = {**dict(options.variables), **page_variables(head.front_matter)}
    return fill_liquid(head.text, source.file, head.first_line, variables, html=html)


def _params(head: _Head, options: ParseOptions) -> tuple[str, ...]:
    """What the shortcode `param` may show, as JSON: of the front matter, then of the site."""
    if "param" not in head.text:
        return ()
    own = head.front_matter
    known = {name: getattr(own, name) for name in ("title", "description", "summary", "image") if getattr(own, name)}
    return (own.params, msgspec.json.encode(known).decode(), options.params)


def _render_html(head: _Head, file: str, options: ParseOptions, filled: Filled | None) -> Rendered:
    """A post whose body is HTML already."""
    text = filled.text if filled else head.text
    params, zola = _params(head, options), options.dialect == "zola"
    shown = filled.text if filled else ""
    writer = BodyWriter(
        head.text, file, head.first_line, options.html, options.own_url, filled=shown, params=params, zola=zola
    )
    if options.html == "escape":
        html = f"<pre>{escape(text)}</pre>\n"
    else:
        html = writer.raw(text, (0, 0), shortcodes_in_html(writer))
        writer.sanitized = options.html == "safe"
    return Rendered(
        writer.body(html),
        tuple(writer.refs),
        (),
        tuple(sorted(writer.anchors)),
        excerpt.html_prose(text),
        "",
        tuple(writer.diagnostics),
        tuple(writer.outside),
        tuple(writer.without_alt),
        code=tuple(code_in_html(text)),
    )


def parse_batch(sources: Sequence[Source], options: ParseOptions) -> list[ParsedRecord]:
    """Parse sources, in a worker perhaps."""
    records = []
    for source in sources:
        try:
            parsed, body, notes = parse(source, options)
        except Exception as error:  # a fault of devlog or of a plugin, which is to cost one text and to name it
            empty, plain = msgspec.structs.replace(source, text=""), msgspec.structs.replace(options, plugins=())
            parsed, body, notes = parse(empty, plain)
            parsed = msgspec.structs.replace(parsed, diagnostics=(_fault(source, options, error),))
        text = Text(parsed, msgspec.Raw(msgspec.msgpack.encode(notes)))
        encode = msgspec.msgpack.encode
        records.append(ParsedRecord(encode(text), parsed.document.body, encode(body)))
    return records


def _fault(source: Source, options: ParseOptions, error: Exception) -> Diagnostic:
    """What made parsing fail."""
    if isinstance(error, PluginError):
        return problems.bad_plugin(error.span, error.ref.name, error.reason)
    ref = blamed(options.plugins, error)
    if ref:
        return fault(ref, f"reading the Markdown of “{source.file}”", error)
    return problems.internal_error(Span(source.file), said(error))
