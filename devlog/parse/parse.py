"""Parses a source into a `Parsed` value and a `Body`: pure, so that results can be cached and workers can do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import msgspec
from markdown_it.token import Token

from devlog import problems as devlog_problems
from devlog.model.character_references import unescape
from devlog.model.check_facts import CheckFacts
from devlog.model.diagnostic import Diagnostic, Span, limited
from devlog.model.digest import digest_bytes
from devlog.model.directional_controls import without_directions
from devlog.model.document import Body, Document, Parsed
from devlog.model.error_line import error_line
from devlog.model.included import IncludedText
from devlog.model.parts import parts
from devlog.model.source import Source
from devlog.model.visible import is_visible
from devlog.out_of_time import OutOfTimeError
from devlog.parse import problems
from devlog.parse.check_facts import note_matches, note_waivers
from devlog.parse.code.ansi import with_marks
from devlog.parse.code.highlighted import find_blocks
from devlog.parse.convert import convert, related
from devlog.parse.dialects.hexo import fill_tags
from devlog.parse.dialects.liquid import Filled, fill_liquid, page_variables
from devlog.parse.front_matter import values
from devlog.parse.head import ILLEGAL, Head, is_legal, parsed_of, read_head
from devlog.parse.html.tangled import TangledError
from devlog.parse.markdown import excerpt
from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.directional import in_html_source
from devlog.parse.markdown.expansion import ExpansionError
from devlog.parse.markdown.keywords import code_in_html, terms
from devlog.parse.markdown.misplaced_html import show_misplaced_as_text
from devlog.parse.markdown.mistakes import MOST, placed, unclosed_elements
from devlog.parse.markdown.parser import Rendered, render_markdown, shortcodes_in_html, without_repetition
from devlog.parse.markdown.plugin_rules import RuleError
from devlog.parse.markdown.unclosed_html import unclosed_in, without_templates
from devlog.parse.options import ParseOptions
from devlog.parse.record import LastCode, ParsedRecord, ParsedSource
from devlog.plugins.faults import FaultError, blamed, fault, faults
from devlog.plugins.features import markdown_versions, prose_of
from devlog.plugins.loading import PluginError, load


def parse(source: Source, options: ParseOptions) -> tuple[Parsed, Body, CheckFacts]:
    """Parse a source. Parsing never fails: problems of the source become diagnostics."""
    result = _parse(source, options)
    return result.parsed, result.body, result.facts


class _Result(NamedTuple):
    """A parsed source.

    Attributes:
        parsed: everything but its body.
        body: the body.
        facts: the facts that checks need.
        encoded: the encoded body, from which its digest is computed.
        highlighted: the HTML of code in the body, by key.
    """

    parsed: Parsed
    body: Body
    facts: CheckFacts
    encoded: bytes
    highlighted: Mapping[str, str]


def _parse(source: Source, options: ParseOptions) -> _Result:
    """Parse a source of any format."""
    conversion = convert(source, options)
    if conversion is None:
        return _parse_text(source, options)
    html = "safe" if conversion.sanitized and options.html == "trusted" else options.html
    own = msgspec.structs.replace(options, html=html, marks=False)  # its lines are not those of the file
    try:
        result = _parse_text(conversion.source, own)
    except OutOfTimeError as error:
        error.line = 0  # that of the Markdown, which exists in no file
        raise
    parsed, facts = related(result.parsed, result.facts, conversion)
    return result._replace(parsed=parsed, facts=facts)


def _parse_text(source: Source, options: ParseOptions) -> _Result:
    """Parse Markdown or HTML."""
    if source.included:
        source = msgspec.structs.replace(source, included=tuple(map(_printable, source.included)))
    head = read_head(source, options)
    front_matter = head.front_matter
    if options.language:  # that of the site, which a post may replace
        options = msgspec.structs.replace(options, language=front_matter.language or options.language)
    is_html = source.path.lower().endswith((".html", ".htm"))
    filled = _fill(source, head, options, html=is_html)
    rendered = _render_within_bounds(source, head, options, filled, html=is_html)
    encoded = msgspec.msgpack.encode(rendered.body)
    summary = front_matter.summary or front_matter.description
    made = (
        excerpt.without_label(excerpt.Excerpt(summary))
        if summary
        else excerpt.make_excerpt(rendered.prose, options.excerpt_words, first_only=options.conventions.first_paragraph)
    )
    made = excerpt.without_turns(made)
    document = Document(
        body=digest_bytes(encoded),
        refs=rendered.refs,
        headings=rendered.headings,
        anchors=rendered.anchors,
        excerpt=made.text,
        marks=made.marks,
        title=without_directions(rendered.title)[0] if is_visible(rendered.title) else "",
        words=rendered.prose.words,
        diagrams=rendered.diagrams,
        formulas=rendered.formulas,
        players=rendered.players,
        discloses=rendered.prose.discloses,
        tangled=rendered.tangled,
        terms=terms(
            front_matter.title or rendered.title, [heading.text for heading in rendered.headings], rendered.code
        ),
        parts=(*parts([rendered.rewritten]), *rendered.parts) if rendered.rewritten else rendered.parts,
        length=rendered.body.length,
        written=len(source.text),
        html=rendered.body.html_size,
        repeats=rendered.body.repeats,
        letters=_letters(source, rendered.body) if options.letters else "",
    )
    facts = CheckFacts(
        block=head.block,
        outside=rendered.outside,
        without_alt=rendered.without_alt,
        repeated_title=rendered.repeated_title,
        placeholders=rendered.placeholders,
        matches=note_matches(source.text, source.file, options.patterns),
        waivers=note_waivers(source.text, source.file, rendered.shown_waivers),
        doubts=rendered.doubts,
    )
    heading = 0 if front_matter.title else len(rendered.title)
    long = values.too_long("title", heading, Span(source.file, head.first_line))
    found = (*head.diagnostics, *long, *(filled.diagnostics if filled else ()), *rendered.diagnostics)
    parsed = parsed_of(source, options, head, document, limited(found))
    return _Result(parsed, rendered.body, facts, encoded, rendered.highlighted)


def _printable(included: IncludedText) -> IncludedText:
    """An included file without characters that feeds cannot contain, and with marks for terminal escape characters."""
    if is_legal(included.text):
        return included
    return msgspec.structs.replace(included, text=ILLEGAL.sub("", with_marks(included.text)))


def _letters(source: Source, body: Body) -> str:
    """The characters outside of ASCII in a source and in its HTML, sorted."""
    texts = [source.text, *(piece for piece in body.pieces if isinstance(piece, str))]
    texts += (unescape(text) for text in texts[1:] if "&" in text)
    found = {letter for text in texts if not text.isascii() for letter in text if letter > "\x7f"}
    return "".join(sorted(found))


def _render_within_bounds(
    source: Source, head: Head, options: ParseOptions, filled: Filled | None, *, html: bool
) -> Rendered:
    """Render the body of a source, within limits on the growth of the output.

    Raw HTML that is tangled is shown as text. A body that expands far beyond the length of its source is left empty.
    """
    try:
        return _render(source, head, options, filled, html=html)
    except ExpansionError as error:
        empty = BodyText("", source.file, head.first_line, head.front_matter.title)
        rendered = render_markdown(empty, options)
        return msgspec.structs.replace(rendered, diagnostics=(problems.expands_too_much(error.span, error.limit),))
    except TangledError as error:
        plain = msgspec.structs.replace(options, html="escape")
        rendered = _render_within_bounds(source, head, plain, filled, html=html)
        found = (problems.tangled_html(error.span), *rendered.diagnostics)
        return msgspec.structs.replace(rendered, diagnostics=found)


def _render(source: Source, head: Head, options: ParseOptions, filled: Filled | None, *, html: bool) -> Rendered:
    """Render the body of a source, which is HTML or Markdown."""
    if html:
        return _render_html(head, source, options, filled)
    title, params = head.front_matter.title, _params(head, options)
    markdown = BodyText(head.text, source.file, head.first_line, title, params, source.included, source.highlighted)
    return render_markdown(markdown, options, filled, head.rewrite)


def _fill(source: Source, head: Head, options: ParseOptions, *, html: bool) -> Filled | None:
    """Evaluate the Liquid in a body, unless the post opts out with ``render_with_liquid: false``, or Hexo's tags."""
    if not options.conventions.liquid:
        return None if html else fill_tags(head.text, source.path)
    params = msgspec.json.decode(head.front_matter.params) if head.front_matter.params else {}
    if params.get("render_with_liquid") is False:
        return Filled(head.text)
    variables = {**dict(options.variables), **page_variables(head.front_matter)}
    return fill_liquid(head.text, source.file, head.first_line, variables, html=html)


def _params(head: Head, options: ParseOptions) -> tuple[str, ...]:
    """The values that the shortcode `param` may show, as JSON: first those of the front matter, then the site's."""
    if "param" not in head.text:
        return ()
    own = head.front_matter
    known = {name: getattr(own, name) for name in ("title", "description", "summary", "image", "language")}
    known["lang"] = own.language
    shown = {name: value for name, value in known.items() if value}
    return (own.params, msgspec.json.encode(shown).decode(), options.params)


def _render_html(head: Head, source: Source, options: ParseOptions, filled: Filled | None) -> Rendered:
    """Render a source whose body is already HTML."""
    file = source.file
    text = filled.text if filled else head.text
    text = without_templates(text) if options.html == "safe" else text
    params = _params(head, options)
    source_text = BodyText(head.text, file, head.first_line, "", params, source.included, source.highlighted)
    writer = BodyWriter(source_text, options, filled.text if filled else "")
    collected: list[msgspec.Struct] = []
    unclosed = unclosed_in(text) if options.html == "safe" else frozenset[str]()
    mistakes = _mistakes_in_html(text, file, head.first_line, options)
    if options.html == "escape":
        html = f"<pre>{escape(text)}</pre>\n"
    else:
        html = writer.raw(text, (0, 0), shortcodes_in_html(writer), unclosed)
        for prose, settings in prose_of(options.prose):
            html = prose.html(html, settings)
            part = prose.collect_html(text, settings, head.first_line)
            collected += [part] if part else []
        writer.sanitized = options.html == "safe"
    body = writer.body(html)
    versions = markdown_versions() if options.markdown_versions else None
    rendered = Rendered(
        versions.with_markdown(body, None, writer) if versions else body,
        tuple(writer.refs),
        (),
        tuple(sorted(writer.anchors)),
        excerpt.html_prose(text, unclosed),
        "",
        (*in_html_source(head.text, file, head.first_line), *mistakes, *writer.diagnostics),
        tuple(writer.outside),
        tuple(writer.without_alt),
        code=tuple(code_in_html(text)),
        parts=parts(collected),
        players=tuple(sorted(writer.players)),
        tangled=writer.is_tangled,
        highlighted=writer.highlighter.highlighted,
    )
    return without_repetition(rendered, len(head.text))


def _mistakes_in_html(text: str, file: str, first_line: int, options: ParseOptions) -> tuple[Diagnostic, ...]:
    """The probable mistakes in a body that is HTML."""
    if options.html == "escape":
        return ()
    block = [Token("html_block", "", 0, content=text, map=[0, 1])]
    found = [*unclosed_elements(block), *(show_misplaced_as_text((), block) if options.html == "safe" else ())]
    return placed(found[:MOST], text, file, first_line).diagnostics


def parse_batch(sources: Sequence[Source], options: ParseOptions) -> list[ParsedRecord]:
    """Parse several sources. A worker process may run this."""
    records = []
    for source in sources:
        try:
            record = _record(_parse(source, options))
            if options.plugins:  # structs are not checked when they are made, and plugins make some
                _check_that_it_decodes(record)
        except faults() as error:  # a bug in devlog or a plugin: it fails one source, and names it
            empty, plain = msgspec.structs.replace(source, text=""), msgspec.structs.replace(options, plugins=())
            result = _parse(empty, plain)
            parsed = msgspec.structs.replace(result.parsed, diagnostics=(_fault(source, options, error),))
            # The reason may be the machine, which may have had too little memory, so the next build tries again.
            record = msgspec.structs.replace(_record(result._replace(parsed=parsed)), remember=False)
        records.append(record)
    return records


def _record(result: _Result) -> ParsedRecord:
    """What the cache keeps of a source. Encoding fails for text with half of a surrogate pair."""
    text = ParsedSource(result.parsed, msgspec.Raw(msgspec.msgpack.encode(result.facts)))
    digest, blocks = result.parsed.document.body, find_blocks(result.highlighted, result.body)
    code = msgspec.msgpack.encode(LastCode(digest, blocks)) if blocks else b""
    return ParsedRecord(msgspec.msgpack.encode(text), digest, result.encoded, code)


def _check_that_it_decodes(record: ParsedRecord) -> None:
    """Raise the exception that would end the command when it reads this record; it is to fail one source instead."""
    text = msgspec.msgpack.decode(record.text, type=ParsedSource)
    msgspec.msgpack.decode(text.facts, type=CheckFacts)


def _fault(source: Source, options: ParseOptions, error: BaseException) -> Diagnostic:
    """The diagnostic for an exception during parsing, which blames a plugin or devlog."""
    if isinstance(error, FaultError):
        return error.problem
    if isinstance(error, PluginError):
        return devlog_problems.bad_plugin(error.span, error.ref.name, error.reason)
    what = f"reading the Markdown of “{source.file}”"
    if isinstance(error, RuleError):
        return fault(error.ref, what, str(error), error.function)
    ref = blamed(options.plugins, error)
    if ref:
        return fault(ref, what, error)
    pairs = zip(options.plugins, load(options.plugins), strict=True)
    changing = [ref.name for ref, plugin in pairs if plugin.markdown or plugin.sources or plugin.front_matter]
    return problems.internal_error(Span(source.file), error_line(error), changing)
