"""Detects active files by their content: most SVG drawings are harmless, and are published."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from devlog.model.active import (
    ACTING,
    HOLDS_PAGE,
    SNIFFED,
    active_by_name,
    deciding,
    may_be_encoded,
)
from devlog.model.active_names import COMPRESSED, KNOWN_TO_ALL, KNOWN_TO_APACHE, MARKUP
from devlog.model.secrets import shortened
from devlog.model.urls import runs

if TYPE_CHECKING:
    from devlog.model.bounded_xml import BoundedParser

LIMIT = 64 << 20
"""The maximum size in bytes of markup that is examined; browsers do not show more."""

_GROWTH = 16
"""How many times the size of its file markup may take once its entities are expanded; 1 MiB is always allowed."""

_LONGEST_STYLE = 1_000
"""The maximum length of the attributes of a style sheet: an expression that matches them takes a hundred times as much
memory."""

# What browsers treat as HTML if a server sends no media type (MIME Sniffing, section 7.1), and what some of them add:
# Chromium does not require the end of the name, so “<a” matches any name that begins with it; Firefox accepts every
# declaration and more names.
_LOOKS_LIKE_HTML = re.compile(
    rb"[\t\n\x0b\x0c\r ]*<(?:!|\?(?!xml[\t\n\r ])|a|b|p|html|head|h[1-6]|script|iframe|div|font|table|style|title"
    rb"|(?:frameset|img|link|meta|center|form|isindex)[\s/>])",
    re.IGNORECASE,
)
_BLANK = b"\t\n\x0b\x0c\r \0\xef\xbb\xbf\xfe\xff"
"""Bytes that may come before markup: white space, byte order marks, and the zero bytes of UTF-16."""
_MAY_RUN = re.compile(rb"xmlns|<!ENTITY|<!ATTLIST|xml-stylesheet|\x1b")
"""Without a match, all elements of a text are only data to browsers, however malformed it is: a namespace can be
written in many ways, but always needs its attribute, whose letters only the escape sequences of ISO-2022 can hide."""
# With mod_mime_magic, Apache sends files that it does not know as what they hold, also compressed ones. It takes one
# for a page if one of these words is among the first of a text, which ends at a zero byte.
_SAYS_HTML = re.compile(rb"(?:^|[ \t\n\r\f])<(?:!--|(?:html|head|title|h1)>)", re.IGNORECASE)
_EXAMINED = 1445
"""The number of bytes by which browsers recognize a file; Apache looks at fewer."""
_START = 4096
"""The number of bytes of a compressed file that are unpacked to see as many; of most, far fewer would do."""
_GZIP = b"\x1f\x8b"
_UNREAD = (b"\x1f\x1e", b"\x1f\x9d", b"\x1f\xa0")
"""The first bytes of files that Apache unpacks and Python does not. Browsers know no such encoding, and show the bytes
as they are."""
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_DIFFERS = re.compile(rb"[\0\x1b~+\x80-\xff]")
"""Bytes that some encoding reads unlike UTF-8, or that change how it reads the bytes behind them."""

ENCODED = "a suffix of its name may make browsers read it in another encoding"


class Look:
    """Examines a file for content that browsers run, while it is read in pieces."""

    def __init__(self, path: str) -> None:
        """
        Args:
            path: the path of the file.
        """
        self._name = path.rpartition("/")[2].lower()
        self._reason = active_by_name(path)
        self._length = 0
        self._entity = 0  # the length of the longest entity
        self._references = 0  # the most references to entities that there may be
        self._declaration: list[str] = []  # the parts of the one that is being read
        self._parser: BoundedParser | None = None
        self._start: bytes | None = None  # the first bytes, until they are enough to recognize the file
        self._end = b""  # of the previous piece
        self._is_broken = False
        self._may_run = False  # whether something in it could be an element that browsers know
        endings = self._name.rstrip(". ").split(".")[1:]
        kinds = deciding(endings)
        self._is_encoded = may_be_encoded(endings)
        # Some servers, such as sirv, send “a.gz” as what it holds, which “gz” does not say.
        said = [ending for ending in endings if ending not in COMPRESSED]
        self._is_unknown = not self._reason and not (said and said[-1] in KNOWN_TO_ALL)
        if self._is_unknown:
            self._start = b""
        self._is_page = False  # whether some servers take it for a page, although it does not begin as one
        self._may_be_page = not (said and said[-1] in KNOWN_TO_APACHE)
        self._page_end = b""  # of the previous piece, as `_acts` examines it
        # Some servers may send a type that others do not know as XML. Before it, there may be any white space.
        self._is_undecided = self._is_unknown
        self._is_markup = self._is_unknown or (not self._reason and any(map(MARKUP.fullmatch, kinds)))
        self._is_drawing = "svg" in kinds

    def feed(self, piece: bytes) -> None:
        """Examine the next piece of the file."""
        if self._start is not None:
            self._start += piece
            if len(self._start) >= _START:
                self._sniff()
        elif self._is_page and not self._reason:
            self._look_for_actions(piece)
        if self._is_undecided and (start := piece.lstrip(_BLANK)):
            self._is_undecided = False
            self._is_markup = start.startswith(b"<") or (self._is_encoded and start.startswith(b"\x1b"))
        if not self._is_markup or self._reason:
            return
        if self._is_encoded and _DIFFERS.search(piece):
            self._reason = ENCODED
            return
        self._length += len(piece)
        if self._length > LIMIT:
            self._reason = "it is too long to be looked at"
            return
        text = self._end + piece.replace(b"\0", b"")
        self._may_run = self._may_run or _MAY_RUN.search(text) is not None
        self._end = text[-40:]
        if not self._is_broken:
            self._references += piece.count(b"&")
            self._parse(piece, last=False)

    def reason(self) -> str:
        """Why the file is active; empty if it is not. Call it after the whole file was fed."""
        if self._is_markup and not self._reason and self._length and not self._is_broken:
            self._parse(b"", last=True)
        self._sniff()
        self._parser = None  # it refers to this object, and holds what it has read
        if self._is_broken and (self._may_run or self._is_drawing) and not self._reason:
            return "it is not well-formed XML, which browsers read in their own ways"
        return self._reason

    def _sniff(self) -> None:
        start, self._start = self._start, None
        if not start or self._reason:
            return
        self._reason = _sniffed(start)
        self._is_page = self._may_be_page and not self._reason and _says_html(start)
        if self._is_page:
            self._look_for_actions(start)

    def _look_for_actions(self, piece: bytes) -> None:
        """Refuse what acts in a page; other text, such as most patches of pages, does nothing if it is shown as one."""
        text = _BLANKS.sub(b" ", self._page_end + piece.replace(b"\0", b""))
        if _ACTS.search(text):
            self._reason = ACTING
        self._page_end = text[-_LONGEST_ACTION:]

    def _parse(self, piece: bytes, *, last: bool) -> None:
        from xml.parsers.expat import ExpatError  # imported here, since most sites have no markup beside their posts

        from devlog.model.bounded_xml import ExcessError

        try:
            if self._parser is None:
                self._parser = self._begin()
            self._limit_growth()
            if last:
                self._parser.close()
            else:
                self._parser.feed(piece)
        except _FoundError as found:
            self._reason = str(found)
        except ExcessError as found:
            self._reason = f"it was not examined, since {found}"
        except (ExpatError, UnicodeDecodeError):
            self._is_broken = True
        except (LookupError, ValueError):
            self._reason = "its encoding is unknown"

    def _begin(self) -> BoundedParser:
        from devlog.model.bounded_xml import BoundedParser

        parser = BoundedParser()
        reader = parser.reader
        reader.XmlDeclHandler = _declaration
        reader.StartDoctypeDeclHandler = self._begin_declarations
        reader.EndDoctypeDeclHandler = self._end_declarations
        reader.ProcessingInstructionHandler = _instruction
        reader.StartElementHandler = _element
        return parser

    def _begin_declarations(self, _name: str, system: str | None, public: str | None, _subset: int) -> None:
        # Expat skips the entities that only these define, but browsers know them: “javascript&colon;” is a script.
        # Firefox looks for a file of that name among its own if there is any public identifier.
        if _NAMES_CHARACTERS.search(f"{public or ''} {system or ''}") or (system and not _DTD.fullmatch(system)):
            raise _FoundError("its document type has entities that not all programs know")
        assert self._parser
        self._parser.reader.ProcessingInstructionHandler = None
        self._parser.reader.DefaultHandlerExpand = self._declare

    def _end_declarations(self) -> None:
        self._judge_declaration()
        assert self._parser
        self._parser.reader.ProcessingInstructionHandler = _instruction
        self._parser.reader.DefaultHandlerExpand = None

    def _declare(self, text: str) -> None:
        """Take the next part of the declarations, as it is written."""
        self._declaration.append(text)
        if text == ">":
            self._judge_declaration()

    def _judge_declaration(self) -> None:
        """Refuse a declaration that could mean different things to expat and to browsers."""
        declared = _DECLARED.fullmatch("".join(self._declaration))
        self._declaration.clear()
        if not declared:
            raise _FoundError("its document type declares more than entities of plain text")
        self._entity = max(self._entity, len(declared["value"] or ""))
        self._limit_growth()

    def _limit_growth(self) -> None:
        """Refuse declarations that make far more of the markup than there is in the file, before they are applied."""
        if self._entity * self._references > min(LIMIT, (1 << 20) + _GROWTH * self._length):
            raise _FoundError("its entities make it far longer than it is")


class _FoundError(Exception):
    """Active content was found; the message describes it."""


_ENCODINGS = frozenset({"utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})
_RUN_IN = frozenset(
    {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/math/mathml"}
)
"""The namespaces whose elements browsers know; all other elements are data to them."""
_RUNNING = frozenset(
    "script handler listener iframe frame frameset embed object applet base form portal fencedframe".split()
)
_LINKING = frozenset("href src action formaction data to from by values poster".split())


_BLANKS = re.compile(rb"[\x01-\x1a\x1c-\x20]+")
_ACTS = re.compile(
    rb"<script[ />]|<(?:%(elements)b)[ /]"  # without attributes, the others do nothing
    rb"|[ /\"'](?:on(?!line|set|ion)[a-z]{3,60}|srcdoc|formaction|http-equiv|attributename) ?="
    rb"|[=\"';] ?j ?a ?v ?a ?s ?c ?r ?i ?p ?t ?:|href ?= ?[\"']? ?d ?a ?t ?a ?:|data:text/html"
    # a URL in which references may stand for letters
    rb"|[ /\"'](?:xlink:)?(?:%(links)b) ?= ?[\"']? ?(?:[a-z] ?){0,11}&"
    rb"|\x1b ?[($]"  # what shifts the encoding may stand between the letters of any word
    % {
        b"elements": "|".join(sorted(_RUNNING)).encode(),
        b"links": "|".join(sorted(_LINKING)).encode(),
    },
    re.IGNORECASE,
)
"""Matches what may run or act in a page of HTML, without zero bytes and with one space for all blanks: elements and
attributes, and URLs that are scripts or pages. Browsers drop blanks within a URL, and take “/” for a blank in a tag."""
_LONGEST_ACTION = 100
"""The maximum length of a match of it."""
_NAMES_CHARACTERS = re.compile("xhtml|html|mathml", re.IGNORECASE)
"""Matches the identifiers of document types whose entities browsers have built in."""
_DTD = re.compile(r"[\w.:/~+-]*\.dtd", re.ASCII)
"""Matches where document types are; Firefox has files of entities with other suffixes."""
_OTHER = r"""\s+(?!type\b)[a-z]+\s*=\s*(?:"[^"]*"|'[^']*')"""
_STYLE = re.compile(rf"""(?:{_OTHER})*\s+type\s*=\s*(?:"text/css"|'text/css')(?:{_OTHER})*\s*""")


def _declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding and encoding.lower() not in _ENCODINGS:
        raise _FoundError(f"its encoding is “{shortened(encoding, 40)}”, which not all programs read alike")


_SPACE = r"[ \t\r\n]"
_CHARACTER = r"&\#(?:[1-9][0-9]{2,6}|x(?:[89A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f]{1,4})[0-9A-Fa-f]);"
_DECLARED = re.compile(
    rf"""{_SPACE}*(?:<!--[^-]*(?:-[^-]+)*-->{_SPACE}*)*
    (?:<!ENTITY{_SPACE}+(?!(?:amp|apos|gt|lt|quot){_SPACE})[A-Za-z_][A-Za-z0-9_.-]*{_SPACE}+
        (?P<value>"[^"<&%]*(?:{_CHARACTER}[^"<&%]*)*"|'[^'<&%]*(?:{_CHARACTER}[^'<&%]*)*'){_SPACE}*>
    |<!ATTLIST{_SPACE}+svg{_SPACE}+xmlns:xlink{_SPACE}+CDATA{_SPACE}+\#FIXED{_SPACE}+
        ["']http://www\.w3\.org/1999/xlink["']{_SPACE}*>
    )?""",
    re.VERBOSE,
)
"""Matches what editors and older versions of Graphviz declare: entities of plain text, in which no number may stand for
a character of markup, and the namespace of links. Programs differ in what they make of other declarations."""


def _instruction(target: str, data: str) -> None:
    if target.lower() != "xml-stylesheet":
        return
    if len(data) > _LONGEST_STYLE or not _STYLE.fullmatch(f" {data}"):
        raise _FoundError("a style sheet makes something else of it")


def _element(name: str, attributes: dict[str, str]) -> None:
    namespace, _, local = name.lower().rpartition(" ")
    if namespace not in _RUN_IN:
        return
    if local in _RUNNING or (local == "meta" and "http-equiv" in map(str.lower, attributes)):
        raise _FoundError(f"it has an element <{local}>")
    for key, value in attributes.items():
        word = key.rpartition(" ")[2].lower()
        if (word.startswith("on") and " " not in key) or word == "srcdoc":
            raise _FoundError(f"it has an attribute “{shortened(word, 40)}”")
        if word in _LINKING and _any_runs(value) and not _is_image(local, value):
            raise _FoundError(f"its attribute “{word}” holds a script")


def _any_runs(value: str) -> bool:
    """Whether a URL, or one in a list with semicolons, is a script."""
    return runs(value) or (";" in value and any(runs(part[0]) for part in re.finditer("[^;]+", value)))


def _is_image(local: str, value: str) -> bool:
    """Whether an attribute contains an embedded image that is displayed as an image, in which nothing runs."""
    return local in ("image", "img", "feimage") and value.lstrip().lower().startswith("data:image/")


def _sniffed(start: bytes) -> str:
    """Why browsers or servers may treat a file as a page if its name says nothing, by its first bytes."""
    if start.startswith(_UNREAD):
        return HOLDS_PAGE
    if not start.startswith(_GZIP):
        return SNIFFED if _begins_as_html(start) else ""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacker.decompress(start, _EXAMINED)
    except zlib.error:
        return HOLDS_PAGE  # what comes before the error may be shown
    is_seen = len(unpacked) == _EXAMINED or (unpacker.eof and not unpacker.unused_data)
    is_page = unpacked.lstrip(_BLANK).startswith(b"<") or _says_html(unpacked)
    return HOLDS_PAGE if is_page or not is_seen else ""


def _begins_as_html(start: bytes) -> bool:
    """Whether browsers recognize a page."""
    return _LOOKS_LIKE_HTML.match(_ascii_of(start)) is not None


def _says_html(start: bytes) -> bool:
    """Whether servers may recognize a page."""
    return _SAYS_HTML.search(_ascii_of(start).partition(b"\0")[0]) is not None


def _ascii_of(start: bytes) -> bytes:
    """What browsers and servers examine: the first bytes of a file, or the ASCII characters of one in UTF-16."""
    start = start[:_EXAMINED]
    bom = next((bom for bom in _BOMS if start.startswith(bom)), b"")
    return start.removeprefix(bom).replace(b"\0", b"") if bom else start
