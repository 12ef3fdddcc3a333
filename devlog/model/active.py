"""Files that do more than be shown: browsers run what is in them, or web servers run or obey them.

A file beside a post is published as it is, with the rights of the site. Whether one is active is told by its name, and
for markup by what is in it: most drawings are harmless, and stay.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devlog.model.media import media_type
from devlog.model.urls import runs

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

LIMIT = 64 << 20
"""So many bytes of markup are looked at; more is more than a browser shows."""

_RUN_BY_BROWSERS = frozenset(
    "cjs dhtml ecma hta htc htm html htt hxt js jse mht mhtml mjs svgz swf vbs xht xhtml xsl xslt".split()
)
_COMPRESSED = frozenset("br gz z zst".split())
"""Endings of what servers unpack or send in place of the file without them."""
_KNOWN_TO_ALL = frozenset(
    "aac atom bmp bz2 css csv eot epub flac gif gz ico ics jpeg jpg json m4a m4v mov mp3 mp4 oga ogg ogv otf pdf png "
    "rss svg tar tsv ttf txt wav webm webp woff woff2 xml zip".split()
)
"""Endings of which every server says what they are; of newer ones, as “cast” and “toml”, many say nothing."""
_RUN_BY_SERVERS = re.compile(
    r"php\d?|pht|phtml|phps|phar|shtml?|stm|aspx?|as[cmh]x|asax|asa|cer|cdx|cshtml|vbhtml|jspx?|jspf|jsw|jsv"
    r"|cfml?|cfc|f?cgi|svc|soap|rem|axd|xamlx"
)
_OBEYED = frozenset(
    ".htaccess .htpasswd .htgroup .user.ini php.ini web.config _headers _redirects _routes.json _worker.js "
    "netlify.toml now.json staticwebapp.config.json vercel.json".split()
)
_OBEYED_AT_ROOT = frozenset({"cname", "auth", "cors", "router"})
"""What some hosts obey at the top of a site alone: GitHub Pages the first, Surge all of them."""
_SPEAK_FOR_SITE = frozenset(
    """robots.txt sitemap.xml ads.txt app-ads.txt sellers.json security.txt bingsiteauth.xml apple-app-site-association
    assetlinks.json""".split()
)
"""What crawlers, advertisers and app stores look for at the top of a site, to learn who owns it and what is allowed."""
_WELL_KNOWN = ".well-known"
"""The folder of such files (RFC 8615)."""
_MARKUP = re.compile(
    r"svg|xml|xsd|rng|xul|xbl|rss|atom|rdf|owl|mml|mathml|kml|gpx|wsdl|plist|opf|ncx|ttml|dae|xspf|jnlp|smil?"
)
# What browsers take for HTML where a server does not say what a file is (MIME Sniffing, section 7.1), and what some of
# them do besides: Chromium asks for no end of the name, so that “<a” is any name that begins so; Firefox takes every
# declaration and more names.
_LOOKS_LIKE_HTML = re.compile(
    rb"[\t\n\x0b\x0c\r ]*<(?:!|\?(?!xml[\t\n\r ])|a|b|p|html|head|h[1-6]|script|iframe|div|font|table|style|title"
    rb"|(?:frameset|img|link|meta|center|form|isindex)[\s/>])",
    re.IGNORECASE,
)
_BLANK = b"\t\n\x0b\x0c\r \0\xef\xbb\xbf\xfe\xff"
"""What may stand before markup: white space, and what is there besides in 16 bits, with a mark or without."""
_MAY_RUN = re.compile(rb"xmlns|<!ENTITY|<!ATTLIST|xml-stylesheet|\x1b")
"""Without one of these, no element of a text is more than data to browsers, however broken it is: a namespace may be
written in many ways, but not without its attribute, whose letters only the escapes of ISO-2022 can hide."""
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

SCRIPT = "it is a script"
PAGE = "it is a page of its own"
SNIFFED = "it begins as HTML does, and its name does not say that it is something else"
PACKED = "servers may send it as the page or script that it holds"
SERVER = "web servers run such files"
OBEYED = "web servers obey such files"
SPEAKS_FOR_SITE = "crawlers and other services read it as a statement of the site's owner"


def active_by_name(path: str) -> str:
    """Why a file is active, as far as its name says so; empty when it does not.

    Args:
        path: of the file, with ``/`` between segments.
    """
    *folders, name = path.lower().split("/")
    name = name.rstrip(". ")  # which Windows drops
    if name in _OBEYED or not _OBEYED.isdisjoint(folders):
        return OBEYED
    if "cgi-bin" in folders:
        return SERVER
    # Of “run.php.txt” some servers heed the first ending, too, and of “a.asp;.png” or “a.asp:x” the middle.
    endings = [re.split("[:;]", ending)[0].rstrip() for ending in name.split(".")[1:]]
    if any(_RUN_BY_SERVERS.fullmatch(ending) for ending in endings):
        return SERVER
    return _active_by_ending(endings)


def obeyed(path: str) -> str:
    """Why no page may have a path: web servers would read it, or what stands in its place; empty when it may."""
    name = next((name for name in path.lower().split("/") if name in _OBEYED), "")
    return f"web servers obey what is named “{name}”" if name else obeyed_at_root(path)


def obeyed_at_root(path: str) -> str:
    """Why no file of a post may have a path: there it would tell hosts and other programs what the whole site is.

    Empty when it may. Where the content folder is the site's own, as in Jekyll's dialect, such a file is the owner's.
    """
    name = path.lower()
    while (ending := name.rpartition(".")[2]) in _COMPRESSED:  # which servers send in place of the file itself
        name = name.removesuffix(f".{ending}")
    if name in _OBEYED_AT_ROOT:
        return OBEYED
    return SPEAKS_FOR_SITE if name in _SPEAK_FOR_SITE or name.startswith(f"{_WELL_KNOWN}/") else ""


def _active_by_ending(endings: list[str]) -> str:
    """Why browsers run a file with these endings; those at the end that no server knows do not count."""
    known = len(endings)
    while known > 1 and (endings[known - 1] in _COMPRESSED or not _is_known(endings[known - 1])):
        known -= 1
    if not known:
        return ""
    last, others = endings[known - 1], endings[known:]
    if last in _RUN_BY_BROWSERS:
        own = SCRIPT if media_type(f"x.{last}") == "text/javascript" else PAGE
        return PACKED if others and _COMPRESSED.issuperset(others) else own
    is_packed = bool(others) and _COMPRESSED.issuperset(others)
    return PACKED if is_packed and _MARKUP.fullmatch(last) else ""


def _is_known(ending: str) -> bool:
    """Whether an ending says what a file is."""
    is_typed = media_type(f"x.{ending}") != "application/octet-stream"
    return is_typed or ending in _RUN_BY_BROWSERS or _MARKUP.fullmatch(ending) is not None


class Look:
    """A look into a file for what browsers run, while it is read piece by piece."""

    def __init__(self, path: str) -> None:
        """
        Args:
            path: of the file.
        """
        self._name = path.rpartition("/")[2].lower()
        self._reason = active_by_name(path)
        self._length = 0
        self._parser: XMLParserType | None = None
        self._is_first = True
        self._end = b""  # of the piece before
        self._is_broken = False
        self._may_run = False  # whether something in it could be an element that browsers know
        endings = self._name.rstrip(". ").split(".")[1:]
        # Servers pass over an ending that they do not know: to them, “a.svg.orig” is a drawing.
        known = next((ending for ending in reversed(endings) if _is_known(ending)), "")
        self._is_markup = not self._reason and _MARKUP.fullmatch(known) is not None
        self._is_unknown = not self._reason and not (endings and endings[-1] in _KNOWN_TO_ALL)
        # What only some servers know may be XML to them. To those, any white space may stand before it.
        self._is_undecided = self._is_unknown and not self._is_markup
        self._is_markup = self._is_markup or self._is_undecided
        self._is_drawing = known == "svg"

    def feed(self, piece: bytes) -> None:
        """Look at the next piece of the file."""
        first, self._is_first = self._is_first, False
        if first and self._is_unknown:
            self._reason = SNIFFED if _LOOKS_LIKE_HTML.match(_start_of(piece)) else ""
        if self._is_undecided and (start := piece.lstrip(_BLANK)):
            self._is_undecided = False
            self._is_markup = start.startswith(b"<")
        if not self._is_markup or self._reason:
            return
        self._length += len(piece)
        if self._length > LIMIT:
            self._reason = "it is too long to be looked at"
            return
        text = self._end + piece.replace(b"\0", b"")
        self._may_run = self._may_run or _MAY_RUN.search(text) is not None
        self._end = text[-40:]
        if not self._is_broken:
            self._parse(piece, last=False)

    def reason(self) -> str:
        """Why the file is active; empty when it is not. The file has been read to its end."""
        if self._is_markup and not self._reason and self._length and not self._is_broken:
            self._parse(b"", last=True)
        if self._is_broken and (self._may_run or self._is_drawing) and not self._reason:
            return "it is not well-formed XML, which browsers read in their own ways"
        return self._reason

    def _parse(self, piece: bytes, *, last: bool) -> None:
        from xml.parsers import expat  # most sites have no markup beside their posts

        try:
            if self._parser is None:
                self._parser = self._begin()
            self._parser.Parse(piece, last)
        except _FoundError as found:
            self._reason = str(found)
        except expat.ExpatError:
            self._is_broken = True
        except (LookupError, ValueError):
            self._reason = "its encoding is unknown"

    def _begin(self) -> XMLParserType:
        from xml.parsers import expat

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.XmlDeclHandler = _declaration
        parser.StartDoctypeDeclHandler = _doctype
        parser.EntityDeclHandler = _entity
        parser.ProcessingInstructionHandler = _instruction
        parser.StartElementHandler = _element
        return parser


class _FoundError(Exception):
    """Something that is run; the text says what."""


_ENCODINGS = frozenset({"utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "latin1", "windows-1252"})
_RUN_IN = frozenset(
    {"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/math/mathml"}
)
"""The namespaces whose elements browsers know; all others are data to them."""
_RUNNING = frozenset(
    "script handler listener iframe frame frameset embed object applet base form portal fencedframe".split()
)
_LINKING = frozenset("href src action formaction data to from by values poster".split())


_NAMES_CHARACTERS = re.compile("xhtml|html|mathml", re.IGNORECASE)
"""In the public identifiers of document types: those whose entities browsers know by heart."""
_OTHER = r"""\s+(?!type\b)[a-z]+\s*=\s*(?:"[^"]*"|'[^']*')"""
_STYLE = re.compile(rf"""(?:{_OTHER})*\s+type\s*=\s*(?:"text/css"|'text/css')(?:{_OTHER})*\s*""")


def _declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding and encoding.lower() not in _ENCODINGS:
        raise _FoundError(f"its encoding is “{encoding[:40]}”, which not all programs read alike")


def _entity(_name: str, is_parameter: bool, value: str | None, *_: object) -> None:
    if is_parameter or value is None:  # expat reads neither of these, but others do
        raise _FoundError("it includes other text by an entity")


def _doctype(_name: str, _system: str | None, public: str | None, _subset: int) -> None:
    # Expat passes over the entities that only these define; browsers know them: “javascript&colon;” is a script.
    if public and _NAMES_CHARACTERS.search(public):
        raise _FoundError("its document type has entities that not all programs know")


def _instruction(target: str, data: str) -> None:
    if target.lower() == "xml-stylesheet" and not _STYLE.fullmatch(f" {data}"):
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
            raise _FoundError(f"it has an attribute “{word[:40]}”")
        if word in _LINKING and any(map(runs, [value, *value.split(";")])) and not _is_picture(local, value):
            raise _FoundError(f"its attribute “{word}” holds a script")


def _is_picture(local: str, value: str) -> bool:
    """Whether an attribute holds a picture that is shown as one, in which nothing runs."""
    return local in ("image", "img", "feimage") and value.lstrip().lower().startswith("data:image/")


def _start_of(piece: bytes) -> bytes:
    """What browsers look at of a file; of one in 16 bits, the signs of ASCII."""
    start = piece[:1445]
    bom = next((bom for bom in _BOMS if start.startswith(bom)), b"")
    return start.removeprefix(bom).replace(b"\0", b"") if bom else start
