"""Builds a `Body`: HTML with holes for links and images, which are resolved once the whole site is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec
from markdown_it.common.normalize_url import normalizeLink

from devlog import sanitize
from devlog.model.check_facts import Outside
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Anchor, Body, Diagram, Drawing, Heading, Image, Ref, RefKind
from devlog.model.expansion import INCLUDED_ALWAYS, most_expanded
from devlog.model.image import MODES
from devlog.model.included import IncludedText
from devlog.model.urls import decoded, plain, runs
from devlog.native import NativeFaultError
from devlog.parse.code.highlighted import Highlighter
from devlog.parse.code.line_links import line_anchors
from devlog.parse.html import tangled
from devlog.parse.html.long_runs import with_breaks
from devlog.parse.html.raw_html import FOREIGN, Tag, replace_urls, scan, show_as_text, srcset_candidates
from devlog.parse.html.wide_lists import mark_wide_lists
from devlog.parse.markdown import problems
from devlog.parse.markdown.anchors import EMPTY, unique
from devlog.parse.markdown.expansion import Allowance
from devlog.parse.markdown.open_html import opening_at
from devlog.parse.markdown.source_positions import Finder
from devlog.parse.options import ParseOptions
from devlog.parse.shortcodes.included import Included
from devlog.parse.shortcodes.matching import Write, replace_shortcodes
from devlog.parse.shortcodes.syntax import plain_targets
from devlog.parse.words import catalog_for

if TYPE_CHECKING:
    from devlog.parse.markdown.math import Formulas

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):|//", re.IGNORECASE)
# A URL that is already normalized, as most are: normalization is the most expensive step of writing a link.
_PLAIN_URL = re.compile(r"https?://[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?:/[\w/.~#?=&+,;:@!$*'()-]*)?", re.ASCII)
_RUNS_OR_READS = frozenset({"data", "file", "javascript", "vbscript"})
"""Schemes that no Markdown link may have, regardless of how raw HTML is treated."""
_INTERNAL_SCHEMES = frozenset({"link"})


_PLACEHOLDER = re.compile(r'x(\d+)x"|y(\d+)y|a(\d+)a|p(\d+)p|(q)q|d(\d+)d')
_RESERVED = re.compile(rf"fn(?:ref)?\d+|{sanitize.OWN_IDS}")
_HIDING = re.compile(r"\bdisplay\s*:\s*none\b|\bvisibility\s*:\s*(?:hidden|collapse)\b", re.IGNORECASE)
_TAKE_REST = frozenset({"script", "style", "textarea"})
"""Elements of which a block of HTML has all up to their end tag, or all that follows; so it has of a shown `<pre>`."""
_IMAGE = re.compile(r"<img\s[^<]*", re.IGNORECASE)
_OPEN_ATTRIBUTE = re.compile(r'[a-z]+="$')


class BodyText(msgspec.Struct, frozen=True):
    """The text of a body, which is Markdown or HTML, and what its file says about it.

    Attributes:
        text: the body, without front matter.
        file: the name used in messages.
        first_line: the line of the file on which the body begins.
        title: the page's title: an initial level-1 heading that repeats it, or any if it is empty, is dropped.
        params: the values that the shortcode `param` may show, as JSON.
        included: the files that the text includes.
        highlighted: highlighted code of the last version of the text, by key.
    """

    text: str
    file: str
    first_line: int = 1
    title: str = ""
    params: tuple[str, ...] = ()
    included: tuple[IncludedText, ...] = ()
    highlighted: dict[str, str] = {}


CHART = '<figure class="chart">'
"""The beginning of the HTML of a chart, which ends at the next ``</figure>``."""
_PLAYER = re.compile(r"<(?:video|audio)\b")
_MOST_PLAYERS = 200
"""A browser needs some 10 ms for the controls of each player, and stands still meanwhile."""


class BodyWriter:
    """The state of one document while its HTML is written.

    Holes and trusted pieces are placeholders in the HTML until `body` splits it at them. A placeholder contains a
    digest of the text, so no text can contain its own placeholders.
    """

    def __init__(self, source: BodyText, options: ParseOptions, filled: str = "") -> None:
        """
        Args:
            source: the text of the document.
            options: how the text is parsed.
            filled: the text after Liquid, if Liquid was evaluated first.
        """
        text, file, first_line = source.text, source.file, source.first_line
        self.t = catalog_for(options.words)
        self.finder = Finder(text, file, first_line)
        self.refs: list[Ref] = []
        self.headings: list[Heading] = []
        self.anchors: set[str] = set()
        self.tables = 0  # the number of tables written so far
        self.diagrams: list[Diagram] = []
        self.players: set[str] = set()  # the sites whose players readers can load
        self.is_tangled = False  # whether HTML that is trusted cannot be sanitized within limits
        self._drawings: list[Drawing] = []
        self.definitions: dict[str, Any] = {}  # of links, by label
        self.formulas: Formulas | None = None  # None if formulas are not parsed
        self._in_picture = False  # whether a `<picture>` is open in the paragraph
        self._taken: dict[str, int] = {}  # by fragment, the last number that made it unique
        self.diagnostics: list[Diagnostic] = []
        self.outside: list[Outside] = []
        self.code: list[str] = []  # the contents of code spans
        self.chart_sources: dict[str, str] = {}  # by the HTML of a chart, that of the code block it was drawn from
        self.without_alt: list[Span] = []
        self.block: Sequence[int] | None = None
        self.sanitized = False
        self.highlighter = Highlighter(source.highlighted)
        self.params = source.params
        self.included = {(item.found.name, item.found.commit): Included(item) for item in source.included}
        self.allowance = Allowance(most_expanded(len(text)))
        self.inclusion = Allowance(most_expanded(len(text), INCLUDED_ALWAYS))  # for the HTML of included files
        self.profile = options.anchors
        self.extensions, self.language = options.extensions, options.language
        self.shortcodes = {shortcode.name: shortcode for shortcode in options.shortcodes}
        self.named: set[str] = set()  # explicit ids of headings, which no other heading may get
        self._zola = options.conventions.zola_calls
        self._html = options.html
        self._text = filled or text
        # Digest everything that can end up in the HTML: a value of the front matter could contain the text's digest.
        known = "\0".join((text, filled, *source.params, *(item.text for item in source.included))).encode()
        self._nonce = sanitize.PLACEHOLDER + blake2b(known, digest_size=12, person=b"placeholder").hexdigest()
        self._trusted: list[str] = []
        self._noted: set[str] = set()
        self._raw = 0  # the number of characters of raw HTML
        self._start = self._first_raw = Span(file, first_line)
        self._raw_ids: dict[str, Span] = {}  # the ids of raw HTML, and their places
        self._made_ids: set[str] = set()  # those that devlog makes, for headings and footnotes
        self._titled: tuple[str, Sequence[int] | None] = ("", None)  # the id of the last heading, and its block
        self._drawn: Sequence[int] | None = None  # the paragraph in which SVG or MathML is open
        self._open_comment: Diagnostic | None = None  # about a comment that has not ended so far
        self._texts: set[str] = set()  # names in angle brackets that are not elements
        host = decoded(options.own_url).partition("://")[2].rstrip("/").lower()
        self._own = (f"https://{host}", f"http://{host}") if host else ()

    def table_begin(self) -> str:
        """The beginning of a table, in a scrollable container that can be focused by keyboard and has a name."""
        self.tables += 1
        name = escape(self.t("table_number", number=self.tables))
        return f'<div class="table" role="region" aria-label="{name}" tabindex="0"><table>'

    # -- holes

    def link(self, attribute: str, url: str, *, shown: bool = False) -> str:
        """An attribute with a URL: a hole for a URL inside the site, else the URL itself.

        Args:
            attribute: the name of the attribute.
            url: the URL as written.
            shown: whether the URL is also the text of the link.
        """
        span = (self.finder.find_bare if shown else self.finder.find_target)(url, self.block)
        if self._is_internal(url):
            return self._hole("link", url, attribute, span, shown=shown)
        return self._literal("link", attribute, url, span)

    def bare_link(self, target: str, span: Span) -> str:
        """A hole for only the URL of a target inside the site, without an attribute."""
        self.refs.append(Ref("link", target, span, ""))
        return self._bare(len(self.refs) - 1)

    def url(self, target: str) -> str:
        """The value of an attribute with a URL: a hole for a target in the site; empty for one that is not allowed."""
        span = self.finder.find_target(target, self.block)
        if self._is_internal(target):
            return self.bare_link(target, span)
        return self._literal("link", "", target, span).removeprefix(' ="').removesuffix('"')

    def slot(self) -> str:
        """A text that no other text contains, for the place of a shortcode's content in the output of its template."""
        return f"{self._nonce}s"

    def image(self, url: str, alt: str, *, sized: bool) -> str:
        """The ``src`` of an image, to which its size is added when the site knows it."""
        span = self.finder.find_target(url, self.block)
        if not alt.strip():
            self.without_alt.append(span)
        if self._is_internal(url):
            return self._hole("image", url, "src", span, sized=sized)
        if sanitize.IMAGE_DATA.match(url):
            return f' src="{escape(url)}"'
        return self._literal("image", "src", url, span) + ' loading="lazy"'

    def in_mode(self, url: str, tag: str) -> str:
        """The tag of an image, which readers see only in light or dark mode if the URL says so.

        Images of the site are found later, with their variants: see `devlog.assemble.links`.
        """
        before, behind = self._in_mode(url)
        return f"{before}{tag}{behind}"

    def _in_mode(self, url: str) -> tuple[str, str]:
        """What is before and behind the tag of an image."""
        mode = MODES.get(url.partition("#")[2])
        return (f'<span class="only-{mode}">', "</span>") if mode and not self._is_internal(url) else ("", "")

    def media(self, attribute: str, url: str) -> str:
        """An attribute with the URL of a video, an audio file or a poster image."""
        span = self.finder.find_target(url, self.block)
        if self._is_internal(url):
            return self._hole("media", url, attribute, span)
        return self._literal("media", attribute, url, span)

    def framed(self, tag: str) -> str:
        """Mark the whole tag of the image just written, so that the page can offer several versions of the image."""
        index = len(self.refs) - 1
        return f"{self._nonce}p{index}p{tag}{self._nonce}qq" if f"{self._nonce}x{index}x" in tag else tag

    def diagram(self, diagram: Diagram, source: str, alt: str, title: str) -> str:
        """A hole for a code block that may be shown as a diagram.

        Args:
            diagram: the diagram to draw.
            source: the code block as HTML.
            alt: the alt text of the diagram.
            title: the title of the block.
        """
        self._drawings.append(Drawing(len(self.diagrams), source, alt, title))
        self.diagrams.append(diagram)
        return self.trusted(f"{self._nonce}d{len(self.diagrams) - 1}d")

    def fragment(self, url: str) -> str:
        """The ``href`` of a link that devlog generates to a fragment of the same page, with no span in the source."""
        self.refs.append(Ref("link", url, Span("")))
        return f' href="{self._nonce}x{len(self.refs) - 1}x"'

    def heading_anchor(self) -> str:
        """A hole for the link of the last heading to itself, which only the post's own page shows."""
        return f"{self._nonce}a{len(self.headings) - 1}a"

    def _is_internal(self, url: str) -> bool:
        scheme = _SCHEME.match(url)
        if not scheme:
            return not runs(url)  # decoded, it may have a scheme
        if (scheme[1] or "").lower() in _INTERNAL_SCHEMES:
            return True
        whole = decoded(url).lower() if self._own else ""
        return any(whole.startswith(own) and whole[len(own) : len(own) + 1] in ("", *"/?#") for own in self._own)

    def _literal(self, kind: RefKind, attribute: str, url: str, span: Span) -> str:
        scheme = _scheme_of(url)
        is_allowed = scheme in sanitize.SCHEMES or (self._html == "trusted" and scheme not in _RUNS_OR_READS)
        if not is_allowed or runs(url):
            self.diagnostics.append(problems.unsafe_url(span, url, scheme))
            return ""
        self.outside.append(Outside(kind, url, span))
        normal = url if len(url) < 256 and _PLAIN_URL.fullmatch(url) else normalizeLink(url)
        return f' {attribute}="{escape(normal)}"'

    def _hole(
        self, kind: RefKind, url: str, attribute: str, span: Span, *, sized: bool = False, shown: bool = False
    ) -> str:
        self.refs.append(Ref(kind, url, span, attribute, sized, shown))
        return f' {attribute}="{self._nonce}x{len(self.refs) - 1}x"'

    def _bare(self, index: int) -> str:
        return f"{self._nonce}y{index}y"

    def trusted(self, html: str, *, block: bool = True) -> str:
        """Protect HTML that devlog generated from the sanitizer."""
        if not self.sanitized:
            return html
        self._trusted.append(html)
        placeholder = f"{self._nonce}z{len(self._trusted) - 1}z"
        return f"<div>{placeholder}</div>\n" if block else placeholder

    # -- headings

    def heading(self, level: int, fragment: str, text: str, *, explicit: bool = False) -> str:
        """Record a heading and return its fragment, made unique by ``-1``, ``-2`` …, or in the profile's way.

        Args:
            level: 1-6.
            fragment: the fragment made from the heading's text; empty if the text has no usable characters.
            text: the heading's text without markup.
            explicit: whether the author specified the fragment.
        """
        if _RESERVED.match(fragment):  # ids of footnotes and of the theme
            fragment = f"section-{fragment}"
        fragment = fragment or EMPTY.get(self.profile, "section")

        def is_taken(other: str) -> bool:
            return other in self.anchors or (other in self.named and not explicit)

        own, self._taken[fragment] = unique(fragment, is_taken, self.profile, self._taken.get(fragment, 0))
        self.reserve(own)
        self._titled = (own, self.block)
        self.headings.append(Heading(level, own, text))
        return own

    def reserve(self, fragment: str) -> None:
        """Record an id that devlog generates, and report raw HTML that has it already."""
        if span := self._raw_ids.pop(fragment, None):
            self.diagnostics.append(problems.repeated_id(span, fragment))
        self.anchors.add(fragment)
        self._made_ids.add(fragment)

    def lone_anchor(self, fragment: str) -> str:
        """Reserve the fragment of a heading that is not shown; returns it, or an empty string if it cannot be used."""
        if not fragment or _RESERVED.match(fragment):
            return ""
        self.anchors.add(fragment)
        return fragment

    # -- raw HTML

    def raw(self, html: str, block: Sequence[int] | None, write: Write, unclosed: frozenset[str]) -> str:
        """Raw HTML with holes for its internal URLs, and with its shortcodes rendered.

        Args:
            html: as written.
            block: its lines in the text.
            write: renders a shortcode.
            unclosed: names of elements that would take what follows them, since nothing closes them: text.
        """
        if self._html == "escape":  # whatever rule produced it: nothing sanitizes it later
            return f"<pre>{escape(html)}</pre>\n"
        self.block = block
        html = plain_targets(html)
        if self._html == "safe":  # scripts of posts do not run, so their fallback is shown
            html = sanitize.NO_SCRIPT.sub(lambda tag: " " * len(tag[0]), html)
        tags, depth, unterminated = scan(html, unclosed)
        if self._html == "safe" and depth > sanitize.MAX_DEPTH:
            self.diagnostics.append(problems.html_too_deep(self.finder.within(block, html)(0, 0), sanitize.MAX_DEPTH))
            return f"<pre>{escape(html)}</pre>\n"

        place = self.finder.within(block, html)
        self._note_unterminated(html, unterminated, place)
        lone = {tag.name: tag for tag in reversed(tags) if tag.name in unclosed}
        self._note_unclosed(html, sorted(lone.values(), key=lambda tag: tag.offset), place)
        return replace_shortcodes(self._tags(html, tags, place, unclosed), write, zola=self._zola)

    def raw_inline(self, html: str) -> str:
        """A single tag inside a paragraph, with a hole for its internal URL."""
        if self._html == "escape":
            return escape(html)
        if html[:9].lower().startswith(("<picture", "</picture")):
            self._in_picture = html[1] != "/"
        span = self.finder.find_outside_code(html, self.block)
        if self._html == "safe" and sanitize.NO_SCRIPT.fullmatch(html):
            return ""
        tags = scan(html).tags
        if not tags:
            name = html[2:].split(">", maxsplit=1)[0].strip().lower()
            self._drawn = None if name in FOREIGN else self._drawn
            return show_as_text(html, {name} & self._texts)
        written = self._tags(html, tags, lambda _offset, _length: span)
        if tags[0].name in FOREIGN and not html.endswith("/>"):
            self._drawn = self.block
        return written

    def _tags(
        self,
        html: str,
        tags: list[Tag],
        place: Callable[[int, int], Span],
        unclosed: frozenset[str] = frozenset(),
    ) -> str:
        """Check the tags of raw HTML, and make holes of their URLs; `place` converts an offset and length to a span."""
        if not self._raw and tags:
            self._first_raw = place(tags[0].offset, 1)
        self._raw += len(html)
        for tag in tags:
            self._note_tag(tag, place, unclosed)

        def replace(tag: str, name: str, url: str, offset: int, attributes: dict[str, str]) -> str | None:
            if name == "srcset":
                return self._srcset(tag, url, place(offset, len(name) + len(url) + 3))
            if not url or (self._html == "safe" and tag not in sanitize.TAGS):
                return None
            if not self._is_internal(url):
                if self._is_left_out(tag, url):
                    span = place(offset, len(name) + len(url) + 3)
                    self.diagnostics.append(problems.unsafe_url(span, url, _scheme_of(url)))
                    return None
                outside: RefKind = "link" if name == "href" else "image" if tag == "img" else "media"
                self.outside.append(Outside(outside, url, place(offset, len(name) + len(url) + 3)))
                return None
            plain_image = tag == "img" and "loading" not in attributes
            kind: RefKind = "link" if name == "href" else "image" if plain_image else "media"
            sized = bool({"width", "height", "style"} & attributes.keys())
            if kind == "image" and "srcset" not in attributes:
                framed.append(len(self.refs))
            self.refs.append(Ref(kind, url, place(offset, len(name) + len(url) + 3), name, sized))
            return f"{self._nonce}x{len(self.refs) - 1}x"

        framed: list[int] = []

        def frame(tag: Tag) -> tuple[str, str]:
            ref = framed.pop() if framed else -1
            is_alone = not tag.is_choice and not self._in_picture
            if tag.name == "img" and is_alone and "#" in (tag.attributes.get("src") or ""):
                before, behind = self._in_mode(tag.attributes["src"].strip())
                if before:
                    return before, behind
            return (f"{self._nonce}p{ref}p", f"{self._nonce}qq") if ref >= 0 and is_alone else ("", "")

        texts = {tag.name for tag in tags} & (self._texts | unclosed)
        return show_as_text(replace_urls(html, tags, replace, frame), texts)

    def _is_left_out(self, tag: str, url: str) -> bool:
        """Whether the sanitizer removes a URL from a tag that it keeps."""
        picture = tag == "img" and sanitize.IMAGE_DATA.match(url)
        return self._html == "safe" and (_scheme_of(url) not in sanitize.SCHEMES or runs(url)) and not picture

    def _srcset(self, tag: str, candidates: str, span: Span) -> str:
        """The allowed candidates of a ``srcset``, with holes for internal URLs."""
        written = []
        for url, descriptor in srcset_candidates(candidates):
            if self._is_internal(url):
                self.refs.append(Ref("media", url, span, ""))
                written.append(f"{self._bare(len(self.refs) - 1)} {descriptor}".strip())
            elif self._is_left_out(tag, url):
                self.diagnostics.append(problems.unsafe_url(span, url, _scheme_of(url)))
            else:
                written.append(f"{url} {descriptor}".strip())
        return ", ".join(written)

    def _note_unterminated(self, html: str, offset: int, place: Callable[[int, int], Span]) -> None:
        """Note a comment or tag that raw HTML does not end; a comment may still end in a later block."""
        if self._open_comment and "-->" in html:
            self._open_comment = None
        if offset < 0:
            return
        opening = opening_at(html, offset)
        problem = problems.unterminated(place(offset, len(opening)), opening)
        if opening == "<!--":
            self._open_comment = problem
        else:
            self.diagnostics.append(problem)

    def _is_foreign(self, tag: Tag) -> bool:
        """Whether a tag is part of SVG or MathML, which begins in the same raw HTML or in the same paragraph."""
        return tag.is_foreign or (self._drawn is not None and self._drawn is self.block)

    def _note_unclosed(self, html: str, tags: list[Tag], place: Callable[[int, int], Span]) -> None:
        """Note the elements of raw HTML that become text since nothing closes them, the first `tags` of each."""
        for tag in tags:
            span, name = place(tag.offset, len(tag.name) + 1), tag.text[1 : len(tag.name) + 1]
            takes_rest = tag.name in _TAKE_REST and not html[: tag.offset].strip() and "\n" in html.strip()
            self.diagnostics.append((problems.unclosed_block if takes_rest else problems.unclosed_html)(span, name))

    def _note_tag(self, tag: Tag, place: Callable[[int, int], Span], unclosed: frozenset[str]) -> None:
        if tag.name in unclosed:
            return
        if self._html == "safe" and tag.name not in sanitize.TAGS:
            # A name with a colon is a leftover of an editor. Parts of SVG and MathML are removed with these, which are
            # noted.
            if tag.name in sanitize.WRAPPERS or tag.name in self._noted or self._is_foreign(tag):
                return
            self._noted.add(tag.name)
            span = place(tag.offset, len(tag.name) + 1)
            if tag.name in sanitize.KNOWN or ":" in tag.name:
                self.diagnostics.append(problems.unsafe_html(span, tag.name))
            else:
                self._texts.add(tag.name)
                self.diagnostics.append(problems.not_html(span, tag.text[1 : len(tag.name) + 1]))
            return
        hiding = "hidden" if "hidden" in tag.attributes else _HIDING.search(tag.attributes.get("style", ""))
        if hiding and self._html == "safe":
            written = hiding if isinstance(hiding, str) else hiding[0]
            self.diagnostics.append(problems.shown_anyway(place(tag.offset, len(tag.name) + 1), tag.name, written))
        if tag.name == "img" and "alt" not in tag.attributes:  # an empty one marks a decorative image
            self.without_alt.append(place(tag.offset, len(tag.name) + 1))
        self._note_anchors(tag, place(tag.offset, len(tag.name) + 1))

    def _note_anchors(self, tag: Tag, span: Span) -> None:
        own, name = tag.attributes.get("id"), tag.attributes.get("name") if tag.name == "a" else ""
        if own and own in self._made_ids:
            if own != self._titled[0] or self.block != self._titled[1]:  # in its heading, it leads to the same place
                self.diagnostics.append(problems.repeated_id(span, own))
        elif own:  # editors write one id many times, to which nothing links
            self._raw_ids[own] = span
        self.anchors.update(found for found in (own, name) if found and not self._is_of_theme(found))

    def _is_of_theme(self, fragment: str) -> bool:
        """Whether the sanitizer removes an id because it is the theme's."""
        return self._html == "safe" and fragment.startswith(sanitize.OWN_IDS)

    # -- the end

    def body(self, html: str) -> Body:
        """Sanitize the written HTML, and split it at its placeholders.

        Raises:
            TangledError: the HTML cannot be sanitized within limits.
        """
        self.diagnostics += [self._open_comment] if self._open_comment else []
        if self.sanitized:
            html = self._sanitized(html)
        elif self._html == "trusted":
            self.is_tangled = tangled.may_grow(html, len(html)) and tangled.is_tangled(html)
        self._count_players(html)
        self.anchors |= line_anchors(self._with_sources(html))
        first, *parts = with_breaks(html).split(self._nonce)
        pieces: list[str | int | Anchor | Image | Drawing] = [first]
        opened = (0, -1)  # the piece at which the last marked image tag begins, and the index of its reference
        for part in parts:
            found = _PLACEHOLDER.match(part)
            before = pieces[-1]
            assert isinstance(before, str)
            attribute = _OPEN_ATTRIBUTE.search(before, max(0, len(before) - 20)) if found and found[1] else None
            if found and found[2]:
                pieces += (int(found[2]), part[found.end() :])
            elif found and found[3]:
                pieces += (Anchor(self.headings[int(found[3])].id), part[found.end() :])
            elif found and found[6]:
                pieces += (self._drawings[int(found[6])], part[found.end() :])
            elif found and found[4]:
                opened = (len(pieces), int(found[4]))
                pieces.append(part[found.end() :])
            elif found and found[5]:
                _close_image(pieces, opened)
                pieces.append(part[found.end() :])
            elif found and attribute:  # the hole stands for the whole attribute
                pieces[-1] = before[: attribute.start()]
                pieces += (int(found[1]), part[found.end() :])
            else:  # the sanitizer turned the enclosing tag into text
                pieces[-1] = before + (part[found.end() :] if found else part)
        if self.sanitized and tangled.repeats_too_much(self._repeated(pieces), len(self._text)):
            raise tangled.TangledError(self._first_raw)
        return Body(tuple(piece for piece in pieces if piece != ""))

    def _sanitized(self, html: str) -> str:
        """The HTML without what is not allowed, and with its trusted pieces."""
        if tangled.may_grow(html, self._raw) and tangled.is_tangled(html):
            raise tangled.TangledError(self._first_raw)
        if sanitize.has_huge_tables(html):
            self.diagnostics.append(problems.huge_tables(self._first_raw, sanitize.MOST_PLACES))
        try:
            html = mark_wide_lists(sanitize.sanitize(html))
        except NativeFaultError as error:
            raise tangled.TangledError(self._first_raw) from error
        placeholder = rf"{self._nonce}z(\d+)z"
        for pattern in (rf"<div>{placeholder}</div>\n?", placeholder):
            html = re.sub(pattern, lambda found: self._trusted[int(found[1])], html)
        return html

    def _with_sources(self, html: str) -> str:
        """HTML with the source of diagrams, which is shown if they cannot be drawn."""
        if not self._drawings:
            return html
        return re.sub(rf"{self._nonce}d(\d+)d", lambda found: self._drawings[int(found[1])].source, html)

    def _count_players(self, html: str) -> None:
        count = len(_PLAYER.findall(html)) if "<video" in html or "<audio" in html else 0
        if count > _MOST_PLAYERS:
            self.diagnostics.append(problems.too_many_players(self._start, count, _MOST_PLAYERS))

    def _repeated(self, pieces: Iterable[object]) -> Iterator[str]:
        """The URLs of all holes except the first of each: sanitizing reopens unclosed links, and so repeats them."""
        seen = set[int]()
        for piece in pieces:
            ref = piece.ref if isinstance(piece, Image) else piece
            if isinstance(ref, int):
                if ref in seen:
                    yield self.refs[ref].target
                seen.add(ref)


def _close_image(pieces: list[str | int | Anchor | Image | Drawing], opened: tuple[int, int]) -> None:
    """Merge the pieces of a marked image tag into an `Image`, if they still form the original tag."""
    start, ref = opened
    inside = pieces[start:]
    if len(inside) == 3 and inside[1] == ref:
        before, _, after = inside
        if isinstance(before, str) and isinstance(after, str) and _IMAGE.fullmatch(before) and after.endswith(">"):
            pieces[start:] = [Image(ref, before, after)]


def _scheme_of(url: str) -> str:
    """The scheme of an external URL; of a URL that runs only once it is decoded, the decoded scheme."""
    scheme = _SCHEME.match(plain(url) if runs(url) else url)
    return ((scheme[1] if scheme else "") or "https").lower()
