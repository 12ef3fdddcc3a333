"""Markdown to a document: CommonMark and GFM by markdown-it-py, with devlog's own way of writing HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore, normalize, text_join
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from devlog import sanitize
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body, Heading, Ref
from devlog.model.slug import anchor
from devlog.parse import excerpt
from devlog.parse.blocks import BlockParser
from devlog.parse.body import BodyWriter
from devlog.parse.code import Fence, known_language, nearest_language, read_info, render_code
from devlog.parse.emoji import replace_emoji
from devlog.parse.inline import Helpers, InlineParser
from devlog.parse.options import ParseOptions
from devlog.parse.raw_html import is_marker
from devlog.parse.shortcodes import KNOWN, LinkHelpers, Shortcode, shortcode_plugin


class Rendered(msgspec.Struct, frozen=True):
    """A body of text turned into HTML, and what else was learnt on the way."""

    body: Body
    refs: tuple[Ref, ...]
    headings: tuple[Heading, ...]
    anchors: tuple[str, ...]
    prose: excerpt.Prose
    title: str
    diagnostics: tuple[Diagnostic, ...]


def render_markdown(text: str, file: str, first_line: int, title: str, options: ParseOptions) -> Rendered:
    """Turn Markdown into HTML with holes.

    Args:
        text: the body, without front matter.
        file: the name used in messages.
        first_line: the line of the file on which the body begins.
        title: the page's title: a first level-1 heading that repeats it, or any if it is empty, is dropped.
        options: of the site.
    """
    # Bare addresses need a look at every "w", ":" and "@": only where there can be one.
    autolink = options.autolink and any(mark in text for mark in ("://", "www.", "@", "mailto:", "xmpp:"))
    parser = _parser(options.html != "escape", autolink, www="www." in text)
    writer = BodyWriter(text, file, first_line, options.html, options.own_url)
    env: dict[str, Any] = {"writer": writer, "marks": first_line if options.marks else 0}
    tokens = parser.parse(text, env)
    if options.emoji and ":" in text:
        _replace_emoji(tokens)
    first_title = _first_title(tokens)
    if first_title and (not title or _same(first_title, title)):
        del tokens[:3]
    else:
        first_title = ""
    prose = excerpt.read_prose(tokens)
    writer.sanitized = options.html == "safe" and _has_html(tokens)
    written = parser.renderer.render(tokens, parser.options, env)
    return Rendered(
        writer.body(written),
        tuple(writer.refs),
        tuple(writer.headings),
        tuple(sorted(writer.anchors)),
        prose,
        first_title,
        tuple(writer.diagnostics),
    )


@lru_cache(maxsize=8)
def _parser(html: bool, autolink: bool, *, www: bool) -> MarkdownIt:
    parser = plain_parser(html, autolink, www=www)
    parser.block = BlockParser(parser.block)
    parser.inline = InlineParser(parser.inline)
    parser.helpers = Helpers(parser.helpers)  # type: ignore[assignment]
    parser.core.ruler.at("normalize", _normalize)
    parser.core.ruler.at("text_join", _text_join)
    parser.renderer = Renderer(parser)  # anew: the plugins have put rules of their own in place of ours
    return parser


def plain_parser(html: bool, autolink: bool, *, www: bool) -> MarkdownIt:
    """markdown-it as it comes, with the plugins and rules that a post is read by: what devlog's must agree with.

    Args:
        html: whether raw HTML is read as such.
        autolink: whether bare addresses become links.
        www: whether those that begin with ``www.`` do.
    """
    parser = MarkdownIt("gfm-like2", {"linkify": False, "html": html})
    parser.disable("linkify")
    parser.use(footnote_plugin).use(deflist_plugin).use(shortcode_plugin)
    if autolink:
        parser.use(gfm_autolink_plugin)
        if not www:
            parser.disable("gfm_autolink_www")
    # Targets stay as written until the whole site is known; `Renderer` normalises what leaves the site.
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.helpers = LinkHelpers(parser.helpers)  # type: ignore[assignment]
    return parser


def _normalize(state: StateCore) -> None:
    """markdown-it's rule, which writes a text anew line by line: few hold what it is for."""
    if "\r" in state.src or "\0" in state.src:
        normalize(state)


def _text_join(state: StateCore) -> None:
    """markdown-it's rule, which joins what escapes and entities have cut: few blocks have one."""
    inlines = (token for token in state.tokens if token.type == "inline")
    cut = [token for token in inlines if "\\" in token.content or "&" in token.content]
    if cut:
        text_join(StateCore(state.src, state.md, state.env, cut))


def _replace_emoji(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if not token.children or (":" not in token.content and "&" not in token.content):  # an entity may be a colon
            continue
        for child in token.children:
            if child.type == "text" and ":" in child.content:
                child.content = replace_emoji(child.content)


def _first_title(tokens: Sequence[Token]) -> str:
    """The text of a level-1 heading that opens the text."""
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return excerpt.plain_text(tokens[1].children).strip()
    return ""


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def _has_html(tokens: Sequence[Token]) -> bool:
    for token in tokens:
        if token.type == "html_block":
            return True
        if "<" in token.content and any(child.type == "html_inline" for child in token.children or ()):
            return True
    return False


_EXPLICIT_ID = re.compile(r"\s*\{:?\s*#([\w:.-]{1,120})\s*\}\s*$")
_COMMENT = re.compile(r"\s*<!--(.*?)-->\s*", re.DOTALL)
_ALIGN = {"text-align:left": "align-left", "text-align:center": "align-center", "text-align:right": "align-right"}


class Renderer(RendererHTML):
    """Writes tokens as HTML. It keeps no state: that of a document is in ``env["writer"]``."""

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        """Write a token stream, noting in which block each inline stands."""
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
        """Write the tokens of one block's text; most are plain text, which no rule is asked for."""
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
        """Write a tag as markdown-it does; most have no attributes."""
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
        title = str(token.attrs.get("title", ""))
        return f"<a{writer.link('href', href)}{_attribute('title', title)}>"

    def image(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        alt = self.renderInlineAsText(token.children, options, env)
        return _image(writer, str(token.attrs.get("src", "")), alt, title=str(token.attrs.get("title", "")))

    def s_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "<del>"  # as GitHub writes it

    def s_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</del>"

    def code_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return f"<code>{escapeHtml(tokens[index].content)}</code>"

    # -- blocks

    def heading_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        children = tokens[index + 1].children or []
        explicit = ""
        if children and children[-1].type == "text":
            found = _EXPLICIT_ID.search(children[-1].content)
            if found:
                explicit = found[1]
                children[-1].content = children[-1].content[: found.start()]
        text = " ".join(excerpt.plain_text(children).split())
        tag = tokens[index].tag
        fragment = writer.heading(int(tag[1]), explicit or anchor(text) or "section", text)
        return f'<{tag} id="{escape(fragment)}">'

    def heading_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        return f"{writer.heading_anchor()}</{tokens[index].tag}>\n"

    def blockquote_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        if token.level == 0 and index + 2 < len(tokens):
            inline = tokens[index + 2]
            if inline.type == "inline" and excerpt.is_tldr(excerpt.plain_text(inline.children)):
                return '<blockquote class="tldr">\n'
        return self.renderToken(tokens, index, options, env)

    def list_item_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        if not tokens[index].meta:
            return self.renderToken(tokens, index, options, env)
        item, found, checkbox = super().list_item_open(tokens, index, options, env).partition("<input")
        writer: BodyWriter = env["writer"]
        return item + (writer.trusted(found + checkbox, block=False) if found else "")

    def fence(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        fence = _fence(token.info)
        if not known_language(fence.language):
            span = writer.finder.find(fence.language, token.map)
            writer.diagnostics.append(problems.unknown_language(span, fence.language, nearest_language(fence.language)))
        return writer.trusted(render_code(token.content, fence))

    def code_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        return writer.trusted(render_code(tokens[index].content, Fence()))

    def table_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return '<div class="table"><table>\n'

    def table_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        # A class rather than markdown-it's style attribute, so that pages can forbid inline styles.
        token = tokens[index]
        if not token.attrs:
            return f"<{token.tag}>"
        return f"<{token.tag}{_attribute('class', _ALIGN.get(str(token.attrs.get('style', '')), ''))}>"

    td_open = th_open

    def html_block(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        comment = _COMMENT.fullmatch(token.content)
        if comment and is_marker(comment[1]):
            return ""
        writer: BodyWriter = env["writer"]
        return self._raw(writer, token.content, token.map)

    def html_inline(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        content = tokens[index].content
        comment = _COMMENT.fullmatch(content)
        if comment and is_marker(comment[1]):
            return ""
        writer: BodyWriter = env["writer"]
        return writer.raw_inline(content)

    def _raw(self, writer: BodyWriter, html: str, block: Sequence[int] | None) -> str:
        return writer.raw(html, block, lambda shortcode: write_shortcode(writer, shortcode, block=True))

    def paragraph_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        if index + 1 < len(tokens) and excerpt.is_marker_paragraph(tokens[index + 1].content):
            tokens[index + 1].children = []
            tokens[index].hidden = tokens[index + 2].hidden = True
        return self.renderToken(tokens, index, options, env)

    # -- footnotes

    def footnote_ref(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number, again = tokens[index].meta["id"] + 1, tokens[index].meta.get("subId", 0)
        own = f"fnref{number}" + (f":{again}" if again else "")
        writer.anchors.add(own)
        return f'<sup class="footnote-ref"><a{writer.fragment(f"#fn{number}")} id="{own}">{number}</a></sup>'

    def footnote_block_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return '<div class="footnotes" role="doc-endnotes">\n<ol class="footnotes-list">\n'

    def footnote_block_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</ol>\n</div>\n"

    def footnote_open(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number = tokens[index].meta["id"] + 1
        writer.anchors.add(f"fn{number}")
        return f'<li id="fn{number}" class="footnote-item">'

    def footnote_close(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        writer: BodyWriter = env["writer"]
        number, again = tokens[index].meta["id"] + 1, tokens[index].meta.get("subId", 0)
        target = f"#fnref{number}" + (f":{again}" if again else "")
        label = f"Back to reference {number}" + (f"-{again + 1}" if again else "")
        return f' <a{writer.fragment(target)} class="footnote-backref" aria-label="{label}">↩︎</a>'

    # -- shortcodes

    def shortcode(self, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        writer: BodyWriter = env["writer"]
        return write_shortcode(writer, token.meta["shortcode"], block=token.block)


@lru_cache(maxsize=256)
def _fence(info: str) -> Fence:
    """What an info string asks for: most are the name of one of a few languages."""
    return read_info(unescapeAll(info))


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else ""


def _image(writer: BodyWriter, src: str, alt: str, title: str = "", width: str = "", height: str = "") -> str:
    sized = bool(width or height)
    return (
        f'<img{writer.image(src, sized=sized)} alt="{escape(alt)}"{_attribute("title", title)}'
        f"{_length('width', width)}{_length('height', height)}>"
    )


def _length(name: str, value: str) -> str:
    """A width or height as HTML wants it: pixels as an attribute, other units as a style."""
    value = value.strip().removesuffix("px")
    if value.isdecimal():
        return f' {name}="{value}"'
    if re.fullmatch(r"\d{1,4}(\.\d{1,3})?(%|em|rem|vw|ch)", value):
        return f' style="{name}:{value}"'
    return ""


def _inline(writer: BodyWriter, text: str) -> str:
    """Markdown of one line, such as a caption, as HTML; raw HTML in it is text."""
    parser = _parser(False, True, www=True)
    tokens = parser.parseInline(text, {})
    for token in tokens:
        token.map = None  # its lines are not those of the document
    return str(parser.renderer.render(tokens, parser.options, {"writer": writer}))


def write_shortcode(writer: BodyWriter, shortcode: Shortcode, *, block: bool) -> str:
    """A shortcode as HTML; one that devlog does not know stays as text, with a warning.

    Args:
        writer: the document that is being written.
        shortcode: what to write.
        block: whether it stands alone.
    """
    if shortcode.name == "figure":
        return _figure(writer, shortcode.named, block=block)
    span = writer.finder.find(shortcode.text.partition("\n")[0], writer.block)
    target = shortcode.named.get("path") or " ".join(shortcode.positional)
    if shortcode.name in ("ref", "relref") and target:
        url = writer.bare_link(target, span)
        return f"<p>{url}</p>\n" if block else url
    writer.diagnostics.append(problems.unknown_shortcode(span, shortcode.name, KNOWN))
    text = escape(shortcode.text, quote=False)
    return f"<p>{text}</p>\n" if block else text


def _figure(writer: BodyWriter, named: dict[str, str], *, block: bool) -> str:
    caption, title, credit = (_inline(writer, named.get(name, "").strip()) for name in ("caption", "title", "attr"))
    if credit and named.get("attrlink"):
        credit = f"<a{writer.link('href', named['attrlink'])}>{credit}</a>"
    alt = named.get("alt") or re.sub(r"[*_`]|\[|\]\([^)]*\)", "", named.get("caption", ""))
    image = _image(writer, named.get("src", ""), alt, "", named.get("width", ""), named.get("height", ""))
    if named.get("link"):
        image = f"<a{writer.link('href', named['link'])}>{image}</a>"
    if not block:  # a figure cannot stand inside a paragraph
        return image
    classes = [name for name in named.get("class", "").split() if name in sanitize.CLASSES]
    css = " ".join(["figure", *classes])
    heading = f"<strong>{title}</strong> " if title else ""
    text = " ".join(part for part in (f"{heading}{caption}".strip(), credit) if part)
    return f'<figure class="{css}">{image}{f"<figcaption>{text}</figcaption>" if text else ""}</figure>\n'
