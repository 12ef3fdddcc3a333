"""Collecting a body: HTML whose references stay open until the whole site is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING

from markdown_it.common.normalize_url import normalizeLink

from devlog import sanitize
from devlog.model.check_facts import Outside
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Anchor, Body, Diagram, Drawing, Heading, Image, Ref, RefKind
from devlog.model.urls import plain, runs
from devlog.parse.html import tangled
from devlog.parse.html.raw_html import Tag, replace_urls, scan, show_as_text, srcset_candidates
from devlog.parse.markdown import problems
from devlog.parse.markdown.anchors import EMPTY, unique
from devlog.parse.markdown.expansion import Allowance
from devlog.parse.markdown.source_positions import Finder
from devlog.parse.options import ParseOptions
from devlog.parse.shortcodes.matching import Write, replace_shortcodes
from devlog.parse.shortcodes.syntax import plain_targets
from devlog.parse.words import catalog_for

if TYPE_CHECKING:
    from devlog.parse.markdown.math import Formulas

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):|//", re.IGNORECASE)
# A URL that is normal already, as those of most links are: working that out takes longer than all else about a link.
_PLAIN_URL = re.compile(r"https?://[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*(?:/[\w/.~#?=&+,;:@!$*'()-]*)?", re.ASCII)
_RUNS_OR_READS = frozenset({"data", "file", "javascript", "vbscript"})
"""Schemes of addresses to which no link of Markdown leads, whatever raw HTML may do."""
_INTERNAL_SCHEMES = frozenset({"link"})


_PLACEHOLDER = re.compile(r'x(\d+)x"|y(\d+)y|a(\d+)a|p(\d+)p|(q)q|d(\d+)d')
_RESERVED = re.compile(r"fn(?:ref)?\d+|devlog:")
_IMAGE = re.compile(r"<img\s[^<]*", re.IGNORECASE)
_OPEN_ATTRIBUTE = re.compile(r'[a-z]+="$')


class BodyWriter:
    """What is known of one document while its HTML is written.

    Holes and trusted pieces stand in the HTML as placeholders until `body` cuts it at them. A placeholder
    contains a digest of the text, so no text can contain its own placeholders.
    """

    def __init__(
        self,
        text: str,
        file: str,
        first_line: int,
        options: ParseOptions,
        *,
        filled: str = "",
        params: tuple[str, ...] = (),
    ) -> None:
        """
        Args:
            text: of the document.
            file: that it stands in.
            first_line: of the text in the file.
            options: how the text is parsed.
            filled: the text after Liquid, if that came first.
            params: what the shortcode `param` may show, as JSON.
        """
        self.t = catalog_for(options.words)
        self.finder = Finder(text, file, first_line)
        self.refs: list[Ref] = []
        self.headings: list[Heading] = []
        self.anchors: set[str] = set()
        self.tables = 0  # how many have been written
        self.diagrams: list[Diagram] = []
        self._drawings: list[Drawing] = []
        self.formulas: Formulas | None = None  # writes formulas, where they are read
        self._in_picture = False  # whether a tag for it stands before in the paragraph
        self._taken: dict[str, int] = {}  # by fragment, the last number that made it unique
        self.diagnostics: list[Diagnostic] = []
        self.outside: list[Outside] = []
        self.code: list[str] = []  # what stands as code within lines
        self.without_alt: list[Span] = []
        self.block: Sequence[int] | None = None
        self.sanitized = False
        self.params = params
        self.allowance = Allowance(len(text))
        self.profile = options.anchors
        self.named: set[str] = set()  # ids that headings name themselves, which no other may get
        self._zola = options.conventions.zola_calls
        self._html = options.html
        self._text = filled or text
        # Of all that can come into the HTML: a value of the front matter could hold the digest of the text alone.
        known = "\0".join((text, filled, *params)).encode()
        self._nonce = sanitize.PLACEHOLDER + blake2b(known, digest_size=12, person=b"placeholder").hexdigest()
        self._trusted: list[str] = []
        self._noted: set[str] = set()
        self._raw = 0  # how many characters are raw HTML
        self._first_raw = Span(file, first_line)
        self._texts: set[str] = set()  # names in angle brackets that are no elements
        host = options.own_url.partition("://")[2].rstrip("/")
        self._own = (f"https://{host}", f"http://{host}") if host else ()

    # -- holes

    def link(self, attribute: str, url: str, *, shown: bool = False) -> str:
        """An attribute with a URL: a hole for what is inside the site, else the URL itself.

        Args:
            attribute: its name.
            url: as the text has it.
            shown: whether it is also the text of the link.
        """
        span = self.finder.find(url, self.block)
        if self._is_internal(url):
            return self._hole("link", url, attribute, span, shown=shown)
        return self._literal("link", attribute, url, span)

    def bare_link(self, target: str, span: Span) -> str:
        """The URL alone of a place inside the site, for text."""
        self.refs.append(Ref("link", target, span, ""))
        return self._bare(len(self.refs) - 1)

    def image(self, url: str, alt: str, *, sized: bool) -> str:
        """The ``src`` of an image, to be joined by its size when the site knows it."""
        span = self.finder.find(url, self.block)
        if not alt.strip():
            self.without_alt.append(span)
        if self._is_internal(url):
            return self._hole("image", url, "src", span, sized=sized)
        if sanitize.IMAGE_DATA.match(url):
            return f' src="{escape(url)}"'
        return self._literal("image", "src", url, span) + ' loading="lazy"'

    def media(self, attribute: str, url: str) -> str:
        """An attribute with the URL of a video or a sound, or of the picture that stands for it."""
        span = self.finder.find(url, self.block)
        if self._is_internal(url):
            return self._hole("media", url, attribute, span)
        return self._literal("media", attribute, url, span)

    def framed(self, tag: str) -> str:
        """A whole tag of an image that was just written, which the page may give a choice of pictures."""
        index = len(self.refs) - 1
        return f"{self._nonce}p{index}p{tag}{self._nonce}qq" if f"{self._nonce}x{index}x" in tag else tag

    def diagram(self, diagram: Diagram, source: str, alt: str, title: str) -> str:
        """A code block that may be shown as a picture.

        Args:
            diagram: what is to be drawn.
            source: the code block as HTML.
            alt: what stands for the picture.
            title: of the block.
        """
        self._drawings.append(Drawing(len(self.diagrams), source, alt, title))
        self.diagrams.append(diagram)
        return self.trusted(f"{self._nonce}d{len(self.diagrams) - 1}d")

    def fragment(self, url: str) -> str:
        """A link of devlog's own making to a place of the same page, which stands nowhere in the source."""
        self.refs.append(Ref("link", url, Span("")))
        return f' href="{self._nonce}x{len(self.refs) - 1}x"'

    def heading_anchor(self) -> str:
        """The link of the last heading to itself, which only its own page shows."""
        return f"{self._nonce}a{len(self.headings) - 1}a"

    def _is_internal(self, url: str) -> bool:
        scheme = _SCHEME.match(url)
        if not scheme:
            return not runs(url)  # decoded, it may have a scheme
        if (scheme[1] or "").lower() in _INTERNAL_SCHEMES:
            return True
        lowered = url.lower() if self._own else ""
        return any(lowered.startswith(own) and (len(url) == len(own) or url[len(own)] in "/?#") for own in self._own)

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
        """HTML of devlog's own making, kept away from the sanitiser."""
        if not self.sanitized:
            return html
        self._trusted.append(html)
        placeholder = f"{self._nonce}z{len(self._trusted) - 1}z"
        return f"<div>{placeholder}</div>\n" if block else placeholder

    # -- headings

    def heading(self, level: int, fragment: str, text: str, *, explicit: bool = False) -> str:
        """Record a heading and return its fragment, made unique by ``-1``, ``-2`` … or as the profile has it.

        Args:
            level: 1-6.
            fragment: as made of the text; empty if nothing was left of it.
            text: the heading's, without markup.
            explicit: whether the writer of the text has named it.
        """
        if _RESERVED.match(fragment):  # ids of footnotes and of the theme
            fragment = f"section-{fragment}"
        fragment = fragment or EMPTY.get(self.profile, "section")

        def is_taken(other: str) -> bool:
            return other in self.anchors or (other in self.named and not explicit)

        own, self._taken[fragment] = unique(fragment, is_taken, self.profile, self._taken.get(fragment, 0))
        self.anchors.add(own)
        self.headings.append(Heading(level, own, text))
        return own

    def lone_anchor(self, fragment: str) -> str:
        """Take a fragment for a heading that is not shown; empty if there is none, or it is reserved."""
        if not fragment or _RESERVED.match(fragment):
            return ""
        self.anchors.add(fragment)
        return fragment

    # -- raw HTML

    @cached_property
    def _meant_as_text(self) -> frozenset[str]:
        """Elements that the sanitizer would remove with the rest of the post, since nothing closes them."""
        if self._html != "safe":
            return frozenset()
        small = self._text.lower()
        return frozenset(name for name in sanitize.REMOVED_WITH_CONTENT if f"</{name}" not in small)

    def raw(self, html: str, block: Sequence[int] | None, write: Write) -> str:
        """Raw HTML with its internal URLs turned into holes and its shortcodes written out."""
        if self._html == "escape":  # whichever rule has taken it for HTML: nobody sanitizes it
            return f"<pre>{escape(html)}</pre>\n"
        self.block = block
        html = plain_targets(html)
        if self._html == "safe":  # no script of a post runs, and what stands in for it is shown
            html = sanitize.NO_SCRIPT.sub(lambda tag: " " * len(tag[0]), html)
        tags, depth = scan(html, self._meant_as_text)
        if self._html == "safe" and depth > sanitize.MAX_DEPTH:
            self.diagnostics.append(problems.html_too_deep(self.finder.within(block, html)(0, 0), sanitize.MAX_DEPTH))
            return f"<pre>{escape(html)}</pre>\n"

        place = self.finder.within(block, html)
        return replace_shortcodes(self._tags(html, tags, place), write, zola=self._zola)

    def raw_inline(self, html: str) -> str:
        """A single tag inside a paragraph, its internal URL turned into a hole."""
        if self._html == "escape":
            return escape(html)
        if html[:9].lower().startswith(("<picture", "</picture")):
            self._in_picture = html[1] != "/"
        span = self.finder.find(html, self.block)
        if self._html == "safe" and sanitize.NO_SCRIPT.fullmatch(html):
            return ""
        tags, _ = scan(html)
        if not tags:
            name = html[2:].split(">", maxsplit=1)[0].strip().lower()
            return show_as_text(html, {name} & self._texts)
        return self._tags(html, tags, lambda _offset, _length: span)

    def _tags(self, html: str, tags: list[Tag], place: Callable[[int, int], Span]) -> str:
        """Raw HTML after a look at each of its tags; `place` tells where an offset of it stands."""
        if not self._raw and tags:
            self._first_raw = place(tags[0].offset, 1)
        self._raw += len(html)
        for tag in tags:
            self._note_tag(tag, place)

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
            is_whole = ref >= 0 and not tag.is_choice and not self._in_picture
            return (f"{self._nonce}p{ref}p", f"{self._nonce}qq") if is_whole else ("", "")

        texts = {tag.name for tag in tags} & self._texts
        return show_as_text(replace_urls(html, tags, replace, frame), texts)

    def _is_left_out(self, tag: str, url: str) -> bool:
        """Whether the sanitiser leaves an address out of a tag that it keeps."""
        picture = tag == "img" and sanitize.IMAGE_DATA.match(url)
        return self._html == "safe" and (_scheme_of(url) not in sanitize.SCHEMES or runs(url)) and not picture

    def _srcset(self, tag: str, candidates: str, span: Span) -> str:
        """The candidates of a responsive image that may stay, each internal URL of them turned into a hole."""
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

    def _note_tag(self, tag: Tag, place: Callable[[int, int], Span]) -> None:
        if self._html == "safe" and tag.name not in sanitize.TAGS:
            if tag.name in sanitize.WRAPPERS or tag.name in self._noted:
                return
            self._noted.add(tag.name)
            span = place(tag.offset, len(tag.name) + 1)
            # One that is never closed would take the rest of the post with it: it was meant as text. A name with
            # a colon was left behind by an editor.
            unclosed = tag.name in self._meant_as_text
            if not unclosed and (tag.name in sanitize.KNOWN or ":" in tag.name):
                self.diagnostics.append(problems.unsafe_html(span, tag.name))
            else:
                self._texts.add(tag.name)
                problem = problems.unclosed_html if unclosed else problems.not_html
                self.diagnostics.append(problem(span, tag.text[1 : len(tag.name) + 1]))
            return
        if tag.name == "img" and "alt" not in tag.attributes:  # an empty one says that the image is only decoration
            self.without_alt.append(place(tag.offset, len(tag.name) + 1))
        fragments = (tag.attributes.get("id"), tag.attributes.get("name") if tag.name == "a" else None)
        self.anchors.update(fragment for fragment in fragments if fragment)

    # -- the end

    def body(self, html: str) -> Body:
        """Cut the written HTML at its placeholders.

        Raises:
            TangledError: it cannot be cleaned within bounds.
        """
        if self.sanitized:
            if tangled.may_grow(html, self._raw) and tangled.is_tangled(html):
                raise tangled.TangledError(self._first_raw)
            html = sanitize.sanitize(html)
            placeholder = rf"{self._nonce}z(\d+)z"
            for pattern in (rf"<div>{placeholder}</div>\n?", placeholder):
                html = re.sub(pattern, lambda found: self._trusted[int(found[1])], html)
        first, *parts = html.split(self._nonce)
        pieces: list[str | int | Anchor | Image | Drawing] = [first]
        opened = (0, -1)  # where the last frame of an image begins, and its reference
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
            else:  # the sanitiser made text of the tag around it
                pieces[-1] = before + (part[found.end() :] if found else part)
        if self.sanitized and tangled.repeats_too_much(self._repeated(pieces), len(self._text)):
            raise tangled.TangledError(self._first_raw)
        return Body(tuple(piece for piece in pieces if piece != ""))

    def _repeated(self, pieces: Iterable[object]) -> Iterator[str]:
        """The URLs of holes but for the first hole of each: cleaning opens links that were left open anew."""
        seen = set[int]()
        for piece in pieces:
            ref = piece.ref if isinstance(piece, Image) else piece
            if isinstance(ref, int):
                if ref in seen:
                    yield self.refs[ref].target
                seen.add(ref)


def _close_image(pieces: list[str | int | Anchor | Image | Drawing], opened: tuple[int, int]) -> None:
    """Make one piece of what stands in a frame: only if it is still the tag that was put there."""
    start, ref = opened
    inside = pieces[start:]
    if len(inside) == 3 and inside[1] == ref:
        before, _, after = inside
        if isinstance(before, str) and isinstance(after, str) and _IMAGE.fullmatch(before) and after.endswith(">"):
            pieces[start:] = [Image(ref, before, after)]


def _scheme_of(url: str) -> str:
    """The scheme of an address that leaves the site; of one that only runs once it is decoded, as its reader has it."""
    scheme = _SCHEME.match(plain(url) if runs(url) else url)
    return ((scheme[1] if scheme else "") or "https").lower()
