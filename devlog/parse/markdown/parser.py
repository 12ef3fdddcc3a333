"""Renders Markdown to a document: CommonMark and GFM by markdown-it-py, with devlog's own HTML renderer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore, normalize, text_join
from markdown_it.token import Token
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from devlog.model.check_facts import Doubt, Match, Outside, RepeatedTitle
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Body, Diagram, Heading, Ref
from devlog.model.error_line import error_line
from devlog.model.markdown import AsWritten, Hidden
from devlog.model.parts import Parts, parts
from devlog.model.short_texts import cache_of_short
from devlog.model.shortcode_tag import Shortcode
from devlog.model.theme import PluginRef
from devlog.out_of_time import OutOfTimeError
from devlog.parse.check_facts import Shown, is_waiver, note_placeholders, note_shown
from devlog.parse.code.diagrams import COMMON, alternative
from devlog.parse.code.highlight import (
    Fence,
    known_language,
    nearest_language,
    read_info,
    render_code,
    show_directional,
)
from devlog.parse.dialects.kramdown import kramdown_plugin
from devlog.parse.dialects.liquid import Filled
from devlog.parse.dialects.zola import unescape_calls
from devlog.parse.html.raw_html import is_marker
from devlog.parse.html.wide_lists import LAST_NARROW
from devlog.parse.markdown import excerpt, problems
from devlog.parse.markdown.admonitions import admonition_plugin, known_words
from devlog.parse.markdown.anchors import NAMES_OF_EMOJI, PROFILES, take_explicit_ids
from devlog.parse.markdown.attributes import ATTRIBUTE_LINES, AttributeLine, attributes_plugin
from devlog.parse.markdown.autolinks import protocol_rule, shown_url, www_rule
from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.crossed_html import end_where_they_begin
from devlog.parse.markdown.definition_lists import definition_list_plugin
from devlog.parse.markdown.directional import directional
from devlog.parse.markdown.emoji import replace_emoji
from devlog.parse.markdown.fast_blocks import BlockParser
from devlog.parse.markdown.fast_inline import Helpers, InlineParser
from devlog.parse.markdown.footnotes import footnotes_plugin, lost_footnotes
from devlog.parse.markdown.made_links import is_made
from devlog.parse.markdown.math import Formulas, has_math, math_plugin
from devlog.parse.markdown.misplaced_html import dividing_sentences, show_misplaced_as_text
from devlog.parse.markdown.mistakes import NONE, find_mistakes, mistakes_in_line, placed, too_deep
from devlog.parse.markdown.nesting import NestingParser
from devlog.parse.markdown.open_html import end_in_their_blocks
from devlog.parse.markdown.plugin_rules import check_rules, rules_of
from devlog.parse.markdown.same_refs import merge_outside, merge_refs
from devlog.parse.markdown.tables import lay_out_columns, table_rule
from devlog.parse.markdown.tabs import group_tabs, may_have_tabs
from devlog.parse.markdown.tasks import task_plugin
from devlog.parse.markdown.text_marks import mark_plugin, subscript_plugin, superscript_plugin
from devlog.parse.markdown.typography import folded, typography_plugin
from devlog.parse.markdown.unclosed_html import UNCLOSED, ShownBlocks, show_unclosed_as_text
from devlog.parse.markdown.wiki_links import wiki_link_plugin
from devlog.parse.options import ParseOptions
from devlog.parse.shortcodes.inclusion import counted_html, link_to, report
from devlog.parse.shortcodes.matching import Write
from devlog.parse.shortcodes.parser_plugin import shortcode_plugin
from devlog.parse.shortcodes.rendering import attribute, write_image, write_in_html, write_shortcode
from devlog.parse.shortcodes.syntax import LinkHelpers
from devlog.parse.words import ALERTS
from devlog.plugin import Plugin, Rewrite
from devlog.plugins.faults import blame, faults
from devlog.plugins.features import fences, markdown_versions, prose_of
from devlog.plugins.loading import PluginError, load


class Rendered(msgspec.Struct, frozen=True):
    """A body rendered to HTML, and everything else that rendering found out about it."""

    body: Body
    refs: tuple[Ref, ...]
    headings: tuple[Heading, ...]
    anchors: tuple[str, ...]
    prose: excerpt.Prose
    title: str
    diagnostics: tuple[Diagnostic, ...]
    outside: tuple[Outside, ...] = ()
    without_alt: tuple[Span, ...] = ()
    repeated_title: RepeatedTitle | None = None
    placeholders: tuple[Match, ...] = ()
    shown_waivers: tuple[Shown, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    code: tuple[str, ...] = ()
    parts: Parts = ()
    rewritten: msgspec.Struct | None = None
    formulas: bool = False
    players: tuple[str, ...] = ()
    tangled: bool = False
    highlighted: dict[str, str] = {}


def render_markdown(
    markdown: BodyText, options: ParseOptions, filled: Filled | None = None, rewrite: Rewrite | None = None
) -> Rendered:
    """Render Markdown to HTML with holes.

    Args:
        markdown: the text.
        options: the parse options of the site.
        filled: the text after Liquid, if Liquid was evaluated first; spans still refer to `markdown`.
        rewrite: the function of a feature or plugin that rewrites the tokens before they become HTML.
    """
    source, file, first_line, title = markdown.text, markdown.file, markdown.first_line, markdown.title
    text = filled.text if filled else source
    # Autolinks must check every "w", ":" and "@", so they are enabled only if the text may contain a bare URL.
    autolink = options.autolink and any(mark in text for mark in ("://", "www.", "@", "mailto:", "xmpp:"))
    parser = _parser(
        _Syntax(
            html=options.html != "escape",
            autolink=autolink,
            www="www." in text,
            kramdown=options.conventions.kramdown,
            math=options.math and has_math(text),
            extensions=options.extensions,
            plugins=options.plugins,
            prose=tuple(name for name, _ in options.prose),
        )
    )
    zola = options.conventions.zola_calls
    rest = filled.text if filled else ""
    writer = BodyWriter(markdown, options, filled=rest)
    writer.formulas = Formulas(writer) if options.math else None
    env: dict[str, Any] = {
        "writer": writer,
        "marks": first_line if options.marks else 0,
        "zola": zola,
        "diagrams": COMMON.union(options.diagrams),
        "attributes": options.conventions.attributes,
        "prose": dict(options.prose),
        "language": options.language,
        "shortcodes": writer.shortcodes,
    }
    tokens = _tokens_of(parser, text, env, writer, Span(file, first_line))
    tags = _html_in(tokens) if "<" in text else []
    versions = markdown_versions() if options.markdown_versions else None
    source_text = versions.as_written(text, tokens, tags, options) if versions and not rewrite else None
    as_written = source_text and _without_attributes(source_text, env.get(ATTRIBUTE_LINES, ()))
    opening = _lines_of(tokens)
    # Only now, after the text is kept as written.
    tokens, tags, unclosed = (show_unclosed_as_text if options.html == "safe" else ShownBlocks)(tokens, tags)
    unended = end_in_their_blocks(tokens) if tags and options.html != "escape" else []
    tokens, tags, crossed = end_where_they_begin(tokens, tags)
    mistakes = [
        *unclosed,
        *unended,
        *crossed,
        *(show_misplaced_as_text(tokens, tags) if options.html == "safe" else ()),
        *dividing_sentences(tokens, tags),
        *too_deep(env),
        *directional(tokens),
        *find_mistakes(
            tokens, tags, lost_footnotes(env), emoji=options.emoji, admonitions="admonitions" in options.extensions
        ),
    ]
    if filled and filled.inserted:
        _number_lines([*tokens, *(mistake.token for mistake in mistakes)], filled)
    if options.emoji and ":" in text and _replace_emoji(tokens, options.anchors):
        as_written = None
    if zola and "/*" in text:
        _unescape_code(tokens)
    if may_have_tabs(text):
        tokens = group_tabs(tokens, writer.t)
    writer.named = take_explicit_ids(tokens)
    doubtful = placed(mistakes, source, file, first_line) if mistakes else NONE
    first_title, lone_anchors = _first_title(tokens), list[str]()
    if first_title and (not title or _same(first_title, title)):
        own_anchor = writer.lone_anchor(_fragment(tokens, options.anchors))
        repeated = _repeated_title(tokens, Span(file, first_line), source, own_anchor) if title else None
        lone_anchors = [anchor for anchor in (own_anchor, *_footnote_refs(tokens[1], writer)) if anchor]
        tags = [token for token in tags if token is not tokens[1]]
        del tokens[:3]
        as_written = as_written and as_written.without(Hidden(*opening))
    else:
        first_title, repeated = "", None
    rewritten = rewrite(tokens, writer, file, first_line) if rewrite else None
    prose = excerpt.read_prose(tokens)
    has_labels = bool(writer.definitions)
    known = prose_of(options.prose) if options.prose else ()
    collected = [part for found, own in known if (part := found.collect(tokens, own, first_line, has_labels))]
    writer.sanitized = options.html == "safe" and tags != []
    lone = "".join(f'<a id="{escape(anchor)}"></a>' for anchor in lone_anchors)
    written = (writer.trusted(f"{lone}\n") if lone else "") + _rendered(parser, tokens, env, writer)
    body = writer.body(written)
    return without_repetition(
        Rendered(
            versions.with_markdown(body, as_written, writer) if versions else body,
            tuple(writer.refs),
            tuple(writer.headings),
            tuple(sorted(writer.anchors)),
            prose,
            first_title,
            (*doubtful.diagnostics, *writer.diagnostics),
            tuple(writer.outside),
            tuple(writer.without_alt),
            repeated,
            note_placeholders(source, file, first_line, options.placeholders, tokens),
            note_shown(source, first_line, tokens),
            doubtful.doubts,
            tuple(writer.diagrams),
            tuple(writer.code),
            parts=parts(collected),
            rewritten=rewritten,
            formulas=bool(writer.formulas and writer.formulas.are_shown),
            players=tuple(sorted(writer.players)),
            tangled=writer.is_tangled,
            highlighted=writer.highlighter.highlighted,
        ),
        len(source),
    )


def _rendered(parser: MarkdownIt, tokens: Sequence[Token], env: dict[str, Any], writer: BodyWriter) -> str:
    """The HTML of tokens.

    Raises:
        OutOfTimeError: the time is up; it has the line of the block that was being rendered.
    """
    try:
        return str(parser.renderer.render(tokens, parser.options, env))
    except OutOfTimeError as error:
        error.line = writer.finder.find("", writer.block).line if writer.block else 0
        raise


def without_repetition(rendered: Rendered, length: int) -> Rendered:
    """A rendered body with one reference for equal links and images.

    Args:
        rendered: the body, with a reference for each.
        length: the length of its text as written.
    """
    body, refs = merge_refs(rendered.body, rendered.refs, length)
    return msgspec.structs.replace(rendered, body=body, refs=refs, outside=merge_outside(rendered.outside, length))


class _Syntax(msgspec.Struct, frozen=True):
    """The syntax that a parser has to know: that of the site, as far as a text may contain it.

    Attributes:
        html: whether raw HTML is parsed as HTML.
        autolink: whether bare URLs become links.
        www: whether URLs that begin with ``www.`` do too.
        kramdown: whether kramdown's additions are known.
        math: whether formulas are.
        extensions: the extensions of Markdown that the site turns on.
        plugins: its plugins that extend Markdown.
        prose: the features that read prose.
        footnotes: whether footnotes are; not in a line that is parsed alone, since a page has one list of notes.
    """

    html: bool
    autolink: bool
    www: bool
    kramdown: bool = False
    math: bool = False
    extensions: tuple[str, ...] = ()
    plugins: tuple[PluginRef, ...] = ()
    prose: tuple[str, ...] = ()
    footnotes: bool = True


@lru_cache(maxsize=16)
def _parser(syntax: _Syntax) -> MarkdownIt:
    parser = plain_parser(syntax.html, syntax.autolink, www=syntax.www)
    if not syntax.footnotes:
        parser.disable(["footnote_inline", "footnote_ref"])
    if syntax.kramdown:
        parser.use(kramdown_plugin)
    if syntax.math:
        parser.use(math_plugin, kramdown=syntax.kramdown)
    for extension in syntax.extensions:
        parser.use(EXTENSIONS[extension])
    parser.renderer = Renderer(parser)  # again: the built-in plugins have replaced some of our rules
    blocks, inlines = _rules_of(parser.block), _rules_of(parser.inline)
    for ref, plugin in zip(syntax.plugins, load(syntax.plugins), strict=True):
        if plugin.markdown:
            before = rules_of(parser)
            try:
                plugin.markdown(parser)
            except faults() as error:  # the plugin's own code
                raise PluginError(ref, error_line(error), blame(ref, error)) from error
            check_rules(parser, ref, before)
    # The fast parsers support exactly the built-in rules.
    if _rules_of(parser.block) == blocks:
        parser.block = BlockParser(parser.block)
    if _rules_of(parser.inline) == inlines:
        parser.inline = InlineParser(parser.inline)
    parser.helpers = Helpers(parser.helpers)  # type: ignore[assignment]
    parser.core.ruler.at("normalize", _normalize)
    parser.core.ruler.at("text_join", _text_join)
    for name, (found, _) in zip(syntax.prose, prose_of((name, None) for name in syntax.prose), strict=True):
        parser.core.ruler.before("text_join", name, found.rule)
    return parser


EXTENSIONS: dict[str, Callable[[MarkdownIt], None]] = {
    "typographer": typography_plugin,
    "mark": mark_plugin,
    "superscript": superscript_plugin,
    "subscript": subscript_plugin,
    "admonitions": admonition_plugin,
    "wiki_links": wiki_link_plugin,
}
"""Extensions of Markdown that a site may turn on, by the name of their key in the configuration."""


def _rules_of(parser: ParserBlock | ParserInline) -> list[object]:
    """Everything that determines how a parser reads a text: its rules, and the characters at which one may begin."""
    rulers: list[Any] = [parser.ruler, parser.ruler2] if isinstance(parser, ParserInline) else [parser.ruler]
    rules = [(rule.name, rule.enabled, rule.fn, *rule.alt) for ruler in rulers for rule in ruler.__rules__]
    return [*rules, getattr(parser, "terminator_re", None)]


def plain_parser(html: bool, autolink: bool, *, www: bool) -> MarkdownIt:
    """Standard markdown-it with the plugins and rules for posts: the reference that devlog's fast parser must match.

    Args:
        html: whether raw HTML is parsed as HTML.
        autolink: whether bare URLs become links.
        www: whether URLs that begin with ``www.`` do too.
    """
    parser = MarkdownIt("gfm-like2", {"linkify": False, "html": html})
    parser.disable("linkify")
    parser.block = NestingParser(parser.block)
    parser.block.ruler.at("table", table_rule, {"alt": ["paragraph", "reference"]})
    parser.use(task_plugin)
    assert BUILT_IN.markdown
    BUILT_IN.markdown(parser)
    if autolink:
        parser.use(gfm_autolink_plugin)
        parser.inline.ruler.at("gfm_autolink_www", www_rule)
        parser.inline.ruler.at("gfm_autolink_protocol", protocol_rule)
        if not www:
            parser.disable("gfm_autolink_www")
    # Targets stay as written until the whole site is known; `BodyWriter` normalizes external URLs.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = shown_url  # type: ignore[method-assign,assignment]
    # `BodyWriter` rejects and reports unsafe URLs; the parser would show such a link as source.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - named as the original
    parser.helpers = LinkHelpers(parser.helpers)  # type: ignore[assignment]
    return parser


def _add_rules(parser: MarkdownIt) -> None:
    parser.use(footnotes_plugin).use(definition_list_plugin).use(shortcode_plugin).use(attributes_plugin)


BUILT_IN = Plugin("devlog", markdown=_add_rules)
"""devlog's own additions to GitHub's Markdown, which are always enabled."""


def _normalize(state: StateCore) -> None:
    """markdown-it's rule, called only for the few texts that need it, since it rewrites the text line by line."""
    if "\r" in state.src or "\0" in state.src:
        normalize(state)


_CUT = re.compile(r"[\\&]|\^\[|\[\^")
"""What a block has if its text may be in several parts: escapes, entities, and footnotes that have become text."""


def _text_join(state: StateCore) -> None:
    """markdown-it's rule, which joins text split by escapes and entities, called only for the few blocks with one."""
    cut = [token for token in state.tokens if token.type == "inline" and _CUT.search(token.content)]
    if cut:
        text_join(StateCore(state.src, state.md, state.env, cut))


def _lines_of(tokens: Sequence[Token]) -> tuple[int, int]:
    """The first line of the first block, and the line after it."""
    start, end = (tokens[0].map if tokens else None) or (0, 0)
    return start, end


def _replace_emoji(tokens: Sequence[Token], profile: str) -> bool:
    """Replace the names of emoji in text; returns whether there was any."""
    found = False
    for index, token in enumerate(tokens):
        if not token.children or (":" not in token.content and "&" not in token.content):  # an entity may be a colon
            continue
        is_heading = index > 0 and tokens[index - 1].type == "heading_open"
        if is_heading and profile in NAMES_OF_EMOJI and "fragment" not in token.meta:
            token.meta["fragment"] = PROFILES[profile](token)
        for before, child in pairwise((token, *token.children)):
            is_url = before.type == "link_open" and before.markup == "autolink"
            if child.type == "text" and ":" in child.content and not is_url:
                written, child.content = child.content, replace_emoji(child.content)
                found = found or child.content != written
    return found


def _number_lines(tokens: Sequence[Token], filled: Filled) -> None:
    """Map the lines of tokens from the text after Liquid to the source."""
    done: set[int] = set()
    for token in tokens:
        if token.map and id(token.map) not in done:  # some tokens share a map
            done.add(id(token.map))
            token.map[:] = [filled.source_line(token.map[0]), filled.source_line(token.map[1] - 1) + 1]


def _unescape_code(tokens: Sequence[Token]) -> None:
    """Unescape shortcodes in code, which Zola requires authors to escape."""
    for token in tokens:
        for part in (token, *(token.children or ())):
            if part.type in ("fence", "code_block", "code_inline"):
                part.content = unescape_calls(part.content)


def _tokens_of(parser: MarkdownIt, text: str, env: dict[str, Any], writer: BodyWriter, start: Span) -> list[Token]:
    """The tokens of a text that begins at `start`.

    Raises:
        ExpansionError: the text's definitions would expand to too much output.
    """
    tokens = parser.parse(text, env)
    writer.definitions = env.get("references", {})
    if writer.definitions or "*[" in text:  # definitions of abbreviations
        writer.allowance.take_links(tokens, start)
    return tokens


def _without_attributes(as_written: AsWritten, taken: Sequence[AttributeLine]) -> AsWritten | None:
    """A source without its lines of attributes; `None` if some cannot be removed without changing the block around."""
    if any(one.is_nested for one in taken):
        return None
    return as_written.without(*(one.line for one in taken))


def _first_title(tokens: Sequence[Token]) -> str:
    """The text of a level-1 heading at the beginning of a body; empty if there is none."""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return excerpt.shown_text(tokens[1]).strip()
    return ""


def _fragment(tokens: Sequence[Token], profile: str) -> str:
    """The fragment of the first heading, so that links to it keep working when it is not shown."""
    return str(tokens[0].attrs.get("id", "") or tokens[1].meta.get("fragment") or PROFILES[profile](tokens[1]))


def _footnote_ref(token: Token) -> str:
    """The fragment of a reference to a footnote, for the reference itself or for the link back to it."""
    again = token.meta.get("subId", 0)
    return f"fnref{token.meta['id'] + 1}" + (f":{again}" if again else "")


def _footnote_refs(heading: Token, writer: BodyWriter) -> list[str]:
    """Reserve the fragments of references in a heading that is not shown, to which their footnotes link back."""
    found = [_footnote_ref(child) for child in heading.children or () if child.type == "footnote_ref"]
    for fragment in found:
        writer.reserve(fragment)
    return found


def _repeated_title(tokens: Sequence[Token], body: Span, text: str, anchor: str) -> RepeatedTitle:
    """The facts about the first heading of a body, which begins at `body`."""
    start, end = tokens[0].map or (0, 1)
    following = text.split("\n", end + 1)[end : end + 1]
    lines = end - start + (following != [] and not following[0].strip())
    is_plain = not tokens[0].attrs and all(child.type in _PLAIN for child in tokens[1].children or ())
    return RepeatedTitle(Span(body.path, body.line + start), lines, anchor, is_plain)


_PLAIN = frozenset({"text", "softbreak", "code_inline", "em_open", "em_close", "strong_open", "strong_close"})


def _same(one: str, other: str) -> bool:
    return folded(" ".join(one.split()).casefold()) == folded(" ".join(other.split()).casefold())


def _is_gallery(children: Sequence[Token]) -> bool:
    """Whether a paragraph consists of several images; variants of one image for light and dark mode do not count."""
    if len(children) < 2 or children[0].type != "image":
        return False
    images = [child for child in children if child.type == "image"]
    others = (child for child in children if child.type != "image")
    if len(images) < 2 or any(
        other.type not in ("softbreak", "hardbreak") and other.content.strip() for other in others
    ):
        return False
    return not any(_FOR_ONE_MODE.search(str(image.attrs.get("src", ""))) for image in images)


_FOR_ONE_MODE = re.compile(r"#(?:gh-|only-)?(?:light|dark)\b")


def _html_in(tokens: Sequence[Token]) -> list[Token]:
    """The blocks that are raw HTML or contain inline HTML."""
    return [
        token
        for token in tokens
        if token.type == "html_block"
        or (token.children and "<" in token.content and any(child.type == "html_inline" for child in token.children))
    ]


_FLAG = re.compile(r"(?<!\S)--?[A-Za-z][\w-]{0,30}(?![\w-])")  # a longer one may have to be broken on a phone
_COMMENT = re.compile(r"\s*<!--(.*?)-->\s*", re.DOTALL)
_ALIGN = {"text-align:left": "align-left", "text-align:center": "align-center", "text-align:right": "align-right"}


class Renderer(RendererHTML):
    """Renders tokens as HTML. It has no state: the state of a document is in ``env["writer"]``."""

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        """Render a token stream, and keep track of the current block."""
        writer: BodyWriter = env["writer"]
        rules = self.rules
        first_line: int = env.get("marks", 0)
        out: list[str] = []
        for index, token in enumerate(tokens):
            if token.map:
                writer.block = token.map
                if first_line and not token.level and token.nesting >= 0:
                    out.append(writer.trusted(f"<!--devlog:{token.map[0] + first_line}-->"))
            kind = token.type
            if kind == "inline":
                out.append(self.renderInline(token.children or (), options, env))
            elif kind in rules:
                out.append(rules[kind](tokens, index, options, env))
            else:
                out.append(self.renderToken(tokens, index, options, env))
        return "".join(out)

    def renderInline(self, tokens: Sequence[Token], options: Any, env: Any) -> str:  # noqa: N802
        """Render the inline tokens of one block; most are plain text, which needs no rule."""
        if len(tokens) == 1 and tokens[0].type == "text":
            return escapeHtml(tokens[0].content)
        rules = self.rules
        out: list[str] = []
        for index, token in enumerate(tokens):
            kind = token.type
            if kind == "text":
                out.append(escapeHtml(token.content))
            elif kind in rules:
                out.append(rules[kind](tokens, index, options, env))
            else:
                out.append(self.renderToken(tokens, index, options, env))
        return "".join(out)

    def renderToken(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: N802
        """Render a tag as markdown-it does, with a faster path for tags without attributes, as most are."""
        token = tokens[idx]
        if token.hidden:
            return ""
        if token.attrs or not token.nesting:
            return super().renderToken(tokens, idx, options, env)
        if not token.block:
            return f"<{token.tag}>" if token.nesting > 0 else f"</{token.tag}>"
        if token.nesting < 0:
            return f"</{token.tag}>\n"
        before = "\n" if idx and tokens[idx - 1].hidden else ""
        following = tokens[idx + 1] if idx + 1 < len(tokens) else None
        if following is not None and (
            following.type == "inline" or following.hidden or (following.nesting < 0 and following.tag == token.tag)
        ):
            return f"{before}<{token.tag}>"
        return f"{before}<{token.tag}>\n"

    # -- links and images

    def link_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        href = str(token.attrs.get("href", ""))
        if is_made(token):
            return f'<a href="{escape(href)}">'
        title = str(token.attrs.get("title", ""))
        return f"<a{writer.link('href', href, shown=token.info == 'auto')}{attribute('title', title)}>"

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        alt = self.renderInlineAsText(token.children, options, env)
        attributes = {name: str(token.attrs.get(name, "")) for name in ("title", "width", "height", "class")}
        return write_image(writer, str(token.attrs.get("src", "")), alt, attributes)

    def s_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "<del>"  # as on GitHub

    def s_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</del>"

    def code_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        code = tokens[index].content
        writer.code.append(code)
        html = escapeHtml(code)
        if "-" in code:
            # Authors cannot have this class: a long text without line breaks would be wider than the page.
            html = _FLAG.sub(lambda flag: writer.trusted(f'<span class="flag">{flag[0]}</span>', block=False), html)
        if not code.isascii():
            html = show_directional(html, lambda shown: writer.trusted(shown, block=False))
        return f"<code>{html}</code>"

    # -- blocks

    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        heading = tokens[index + 1]
        explicit = str(tokens[index].attrs.get("id", ""))
        shown = excerpt.shown_text(heading).strip() or excerpt.alt_text(heading.children)
        text = " ".join(shown.split())
        tag = tokens[index].tag
        made = explicit or heading.meta.get("fragment") or PROFILES[writer.profile](heading)
        fragment = writer.heading(int(tag[1]), made, text, explicit=bool(explicit))
        if explicit and explicit != fragment and explicit in writer.anchors:
            span = writer.finder.find(f"#{explicit}", tokens[index].map)
            writer.diagnostics.append(problems.duplicate_id(span, explicit, fragment))
        return f'<{tag} id="{escape(fragment)}">'

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        return f"{writer.heading_anchor()}</{tokens[index].tag}>\n"

    def blockquote_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        if token.level == 0 and index + 2 < len(tokens):
            inline = tokens[index + 2]
            text = excerpt.plain_text(inline.children) if inline.type == "inline" else ""
            if excerpt.is_tldr(text):
                return '<blockquote class="tldr">\n'
            if excerpt.is_disclosure(text):
                end = index
                while tokens[end].type != "blockquote_close" or tokens[end].level:
                    end += 1
                tokens[end].tag = "aside"
                return '<aside class="disclosure" role="note">\n'
        return self.renderToken(tokens, index, options, env)

    def alert_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        meta, writer = tokens[index].meta, env["writer"]
        if "unknown" in meta:
            span = writer.finder.find(meta["unknown"], tokens[index].map)
            writer.diagnostics.append(problems.unknown_admonition(span, meta["unknown"], known_words()))
        if "unclosed" in meta:
            span = writer.finder.find(tokens[index].markup, tokens[index].map)
            writer.diagnostics.append(problems.unclosed_admonition(span, tokens[index].markup))
        return self.renderToken(tokens, index, options, env)

    details_open = alert_open

    def alert_title_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        kind = tokens[index - 1].meta.get("kind")  # only in GitHub's syntax: shortcodes have a title
        if kind:
            writer: BodyWriter = env["writer"]
            tokens[index + 1].children = [Token("text", "", 0, content=writer.t(ALERTS[kind.lower()]))]
        return self.renderToken(tokens, index, options, env)

    def ordered_list_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        last = int(token.attrs.get("start", 1)) - 1
        end = index + 1
        while tokens[end].level > token.level:
            last += tokens[end].type == "list_item_open" and tokens[end].level == token.level + 1
            end += 1
        if last > LAST_NARROW:
            token.attrJoin("class", "wide")
        return self.renderToken(tokens, index, options, env)

    def list_item_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        if not tokens[index].meta:
            return self.renderToken(tokens, index, options, env)
        item, found, checkbox = super().list_item_open(tokens, index, options, env).partition("<input")
        writer: BodyWriter = env["writer"]
        state = writer.t("task_done") if "checked" in checkbox else writer.t("task_to_do")
        # The checkbox precedes its text and is not inside a label, so it needs a name of its own.
        named = found + checkbox.replace(">", f' aria-label="{escape(state)}">', 1)
        box = writer.trusted(named, block=False) if found else ""
        following = tokens[index + 1]
        if following.type == "paragraph_open" and not following.hidden:  # on the line of its text, as on GitHub
            following.meta["box"] = box
            return item
        return item + box

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        extract = token.meta.get("included")
        if extract:
            report(writer, extract.doubts, token.map)
        fence = extract.fence if extract else _fence(token.info)
        if fence.language == "math" and writer.formulas:
            return writer.formulas.block(token.content, "```", token.map)
        write = fences().get(fence.language)
        if (
            write
            and (html := write(writer, fence.language, unescapeAll(token.info), token.content, token.map)) is not None
        ):
            return html
        is_lone = fence.tab is not None and "in_tab" not in token.meta  # a single tab leaves nothing to choose
        if is_lone and not fence.title:
            fence = msgspec.structs.replace(fence, title=fence.tab or writer.t("code"))
        if not known_language(fence.language) and fence.language not in env.get("diagrams", ()):
            span = writer.finder.find(fence.language, token.map)
            writer.diagnostics.append(problems.unknown_language(span, fence.language, nearest_language(fence.language)))
        if fence.language not in env.get("diagrams", ()):
            link = link_to(writer, extract, token.meta) if extract else ""
            html = render_code(token.content, fence, link, writer.highlighter.highlight)
            return writer.trusted(counted_html(writer, extract, html, token.map) if extract else html)
        alt = alternative(fence.language, token.content, token.info) or fence.title or writer.t("diagram")
        span = writer.finder.find(fence.language, token.map)
        html = render_code(token.content, fence, highlight=writer.highlighter.highlight)
        html = counted_html(writer, extract, html, token.map) if extract else html
        return writer.diagram(Diagram(fence.language, token.content, span), html, alt, fence.title)

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        return writer.trusted(render_code(tokens[index].content, Fence()))

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        lay_out_columns(tokens, index)
        return f"{writer.table_begin()}\n"

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        # A class instead of markdown-it's style attribute, so that pages can forbid inline styles.
        token = tokens[index]
        if not token.attrs and not token.meta:
            return f"<{token.tag}>"
        names = (_ALIGN.get(str(token.attrs.get("style", "")), ""), "wide" if token.meta.get("wide") else "")
        return f"<{token.tag}{attribute('class', ' '.join(filter(None, names)))}>"

    td_open = th_open

    def html_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        comment = _COMMENT.fullmatch(token.content)
        if comment and (is_marker(comment[1]) or is_waiver(comment[1])):
            return ""
        writer: BodyWriter = env["writer"]
        unclosed: frozenset[str] = token.meta.get(UNCLOSED, frozenset())
        return writer.raw(token.content, token.map, shortcodes_in_html(writer), unclosed)

    def html_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        content = tokens[index].content
        comment = _COMMENT.fullmatch(content)
        if comment and (is_marker(comment[1]) or is_waiver(comment[1])):
            return ""
        writer: BodyWriter = env["writer"]
        return writer.raw_inline(content)

    def paragraph_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        if index + 1 < len(tokens) and excerpt.is_marker_paragraph(tokens[index + 1].content):
            tokens[index + 1].children = []
            tokens[index].hidden = tokens[index + 2].hidden = True
        elif index + 1 < len(tokens) and _is_gallery(tokens[index + 1].children or ()):
            tokens[index].attrs["class"] = "gallery"
        box: str = tokens[index].meta.get("box", "")
        return self.renderToken(tokens, index, options, env) + box

    # -- formulas

    def math_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        assert writer.formulas
        return writer.formulas.inline(tokens[index])

    def math_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token, writer = tokens[index], env["writer"]
        assert writer.formulas
        written: str = writer.formulas.block(token.content, token.markup, token.map)
        return written

    def renderInlineAsText(self, tokens: Sequence[Token] | None, options: Any, env: Any) -> str:  # noqa: N802
        """Render tokens as text like markdown-it, with formulas as TeX, and tokens of plugins as they say."""
        texts = [
            Token("text", "", 0, content=text) if (text := excerpt.text_in_place(token)) else token
            for token in tokens or ()
        ]
        return super().renderInlineAsText(texts, options, env)

    # -- tokens inserted by a `rewrite`

    def rewritten(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        written: str = tokens[index].meta["write"](tokens[index], env["writer"])
        return written

    # -- footnotes

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number, own = tokens[index].meta["id"] + 1, _footnote_ref(tokens[index])
        writer.reserve(own)
        return f'<sup class="footnote-ref"><a{writer.fragment(f"#fn{number}")} id="{own}">{number}</a></sup>'

    def footnote_block_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return '<div class="footnotes" role="doc-endnotes">\n<ol class="footnotes-list">\n'

    def footnote_block_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</ol>\n</div>\n"

    def footnote_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number = tokens[index].meta["id"] + 1
        writer.reserve(f"fn{number}")
        return f'<li id="fn{number}" class="footnote-item">'

    def footnote_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number, again = tokens[index].meta["id"] + 1, tokens[index].meta.get("subId", 0)
        target = f"#{_footnote_ref(tokens[index])}"
        label = writer.t("back_to_reference", number=f"{number}-{again + 1}" if again else number)
        return f' <a{writer.fragment(target)} class="footnote-backref" aria-label="{escape(label)}">↩︎</a>'

    # -- kramdown

    def anchor_point(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        fragment = tokens[index].meta["id"]
        writer.reserve(fragment)
        return f'<span id="{escape(fragment)}"></span>'

    def kramdown_options(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        writer.diagnostics.append(problems.kramdown_options(writer.finder.find("{::options", tokens[index].map)))
        return ""

    # -- shortcodes

    def shortcode(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        shortcode: Shortcode = token.meta["shortcode"]
        inside: bool = token.meta["inside"]
        if shortcode.name in writer.shortcodes and shortcode.role != "close":
            before, token.meta["after"] = _custom(writer, shortcode, inside=inside, block=token.block)
            return before
        return write_shortcode(writer, shortcode, _inline_of(writer), block=token.block, inside=inside)

    def shortcode_end(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        after: str = tokens[index].meta["opening"].meta.get("after", "")
        return after


@cache_of_short(256)
def _fence(info: str) -> Fence:
    """Parse an info string, cached since most are the name of one of a few languages."""
    return read_info(unescapeAll(info))


def _inline(writer: BodyWriter, text: str) -> str:
    """Render one line of Markdown, such as a caption, to HTML; raw HTML and footnotes in it become text.

    Raises:
        ExpansionError: its links would expand to too much output.
    """
    math = writer.formulas is not None and has_math(text)
    syntax = _Syntax(html=False, autolink=True, www=True, math=math, extensions=writer.extensions, footnotes=False)
    parser = _parser(syntax)
    tokens = parser.parseInline(text, {"language": writer.language, "references": writer.definitions})
    for token in tokens:
        token.map = None  # its line numbers are not those of the document
        for written, problem in mistakes_in_line(token):
            writer.diagnostics.append(problem(writer.finder.find(written, writer.block)))
    if writer.definitions:
        writer.allowance.take_links(tokens, writer.finder.find("", writer.block))
    return str(parser.renderer.render(tokens, parser.options, {"writer": writer}))


def _inline_of(writer: BodyWriter) -> Callable[[str], str]:
    return lambda text: _inline(writer, text)


def _custom(writer: BodyWriter, shortcode: Shortcode, *, inside: bool, block: bool) -> tuple[str, str]:
    """The HTML before and after the content of a shortcode that the site defines."""
    from devlog.parse.shortcodes.custom import write_custom  # few sites have any

    definition = writer.shortcodes[shortcode.name]
    return write_custom(writer, shortcode, definition, _inline_of(writer), inside=inside, block=block)


def shortcodes_in_html(writer: BodyWriter) -> Write:
    """A function that renders the shortcodes in raw HTML."""

    def write(shortcode: Shortcode, inside: str | None) -> tuple[str, str | None]:
        if shortcode.name in writer.shortcodes and shortcode.role != "close":
            return _custom(writer, shortcode, inside=inside is not None, block=True)
        return write_in_html(writer, shortcode, inside, _inline_of(writer))

    return write
