"""Detects active files: those that browsers or web servers run, and those that control web servers.

A file beside a post is published unchanged, in the site's origin. Its name tells whether it is active. For markup, its
content tells: most SVG drawings are harmless, and are published.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devlog.model.media import media_type
from devlog.model.urls import runs

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

LIMIT = 64 << 20
"""The maximum size in bytes of markup that is examined; browsers do not show more."""

_RUN_BY_BROWSERS = frozenset(
    "cjs dhtml ecma hta htc htm html htt hxt js jse mht mhtml mjs svgz swf vbs xht xhtml xsl xslt".split()
)
_COMPRESSED = frozenset("br gz z zst".split())
"""Suffixes of files that servers decompress, or send instead of the file without the suffix."""
_KNOWN_TO_ALL = frozenset(
    "aac atom bmp bz2 css csv eot epub flac gif gz ico ics jpeg jpg json m4a m4v mov mp3 mp4 oga ogg ogv otf pdf png "
    "rss svg tar tsv ttf txt wav webm webp woff woff2 xml zip".split()
)
"""Suffixes for which every server sends a media type; for newer ones, such as “cast” and “toml”, many send none."""
_RUN_BY_SERVERS = re.compile(
    r"php\d?|pht|phtml|phps|phar|shtml?|stm|aspx?|as[cmh]x|asax|asa|cer|cdx|cshtml|vbhtml|jspx?|jspf|jsw|jsv"
    r"|cfml?|cfc|f?cgi|svc|soap|rem|axd|xamlx"
)
_OBEYED = frozenset(
    ".htaccess .htpasswd .htgroup .user.ini php.ini web.config _headers _redirects _routes.json _worker.js "
    "netlify.toml now.json staticwebapp.config.json vercel.json".split()
)
_OBEYED_AT_ROOT = frozenset({"cname", "auth", "cors", "router"})
"""Files that some hosts obey only at the root of a site: GitHub Pages the first, Surge all of them."""
_SPEAK_FOR_SITE = frozenset(
    """robots.txt sitemap.xml ads.txt app-ads.txt sellers.json security.txt bingsiteauth.xml apple-app-site-association
    assetlinks.json""".split()
)
"""Files that crawlers, advertisers and app stores read at the root of a site, to learn who owns it and what is
allowed."""
_WELL_KNOWN = ".well-known"
"""The folder of such files (RFC 8615)."""
_MARKUP = re.compile(
    r"svg|xml|xsd|rng|xul|xbl|rss|atom|rdf|owl|mml|mathml|kml|gpx|wsdl|plist|opf|ncx|ttml|dae|xspf|jnlp|smil?"
)
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
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

SCRIPT = "it is a script"
PAGE = "it is a page of its own"
SNIFFED = "it begins as HTML does, and its name does not say that it is something else"
PACKED = "servers may send it as the page or script that it holds"
SERVER = "web servers run such files"
OBEYED = "web servers obey such files"
SPEAKS_FOR_SITE = "crawlers and other services read it as a statement of the site's owner"


def active_by_name(path: str) -> str:
    """Why the name of a file makes it active; empty if it does not.

    Args:
        path: the path of the file, with ``/`` between segments.
    """
    *folders, name = path.lower().split("/")
    name = name.rstrip(". ")  # Windows drops trailing dots and spaces
    if name in _OBEYED or not _OBEYED.isdisjoint(folders):
        return OBEYED
    if "cgi-bin" in folders:
        return SERVER
    # Some servers also obey the first suffix of “run.php.txt”, and the middle of “a.asp;.png” or “a.asp:x”.
    endings = [re.split("[:;]", ending)[0].rstrip() for ending in name.split(".")[1:]]
    if any(_RUN_BY_SERVERS.fullmatch(ending) for ending in endings):
        return SERVER
    return _active_by_ending(endings)


def obeyed(path: str) -> str:
    """Why no page may have a path: web servers would obey a file or folder of that name. Empty if it is allowed."""
    name = next((name for name in path.lower().split("/") if name in _OBEYED), "")
    return f"web servers obey what is named “{name}”" if name else obeyed_at_root(path)


def obeyed_at_root(path: str) -> str:
    """Why no file of a post may have a path: hosts and other services would apply it to the whole site.

    Empty if it may have the path. If the content folder is the site's own folder, as in the Jekyll dialect, such a file
    belongs to the site's owner.
    """
    name = path.lower()
    while (ending := name.rpartition(".")[2]) in _COMPRESSED:  # servers send these instead of the file itself
        name = name.removesuffix(f".{ending}")
    if name in _OBEYED_AT_ROOT:
        return OBEYED
    return SPEAKS_FOR_SITE if name in _SPEAK_FOR_SITE or name.startswith(f"{_WELL_KNOWN}/") else ""


def _active_by_ending(endings: list[str]) -> str:
    """Why browsers run a file with these suffixes; empty if they do not. Trailing suffixes that no server knows are
    ignored.
    """
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
    """Whether a suffix stands for a known type."""
    is_typed = media_type(f"x.{ending}") != "application/octet-stream"
    return is_typed or ending in _RUN_BY_BROWSERS or _MARKUP.fullmatch(ending) is not None


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
        self._parser: XMLParserType | None = None
        self._is_first = True
        self._end = b""  # of the previous piece
        self._is_broken = False
        self._may_run = False  # whether something in it could be an element that browsers know
        endings = self._name.rstrip(". ").split(".")[1:]
        # Servers ignore a suffix that they do not know: they treat “a.svg.orig” as an SVG.
        known = next((ending for ending in reversed(endings) if _is_known(ending)), "")
        self._is_markup = not self._reason and _MARKUP.fullmatch(known) is not None
        self._is_unknown = not self._reason and not (endings and endings[-1] in _KNOWN_TO_ALL)
        # Some servers may send a type that others do not know as XML. Before it, there may be any white space.
        self._is_undecided = self._is_unknown and not self._is_markup
        self._is_markup = self._is_markup or self._is_undecided
        self._is_drawing = known == "svg"

    def feed(self, piece: bytes) -> None:
        """Examine the next piece of the file."""
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
        """Why the file is active; empty if it is not. Call it after the whole file was fed."""
        if self._is_markup and not self._reason and self._length and not self._is_broken:
            self._parse(b"", last=True)
        if self._is_broken and (self._may_run or self._is_drawing) and not self._reason:
            return "it is not well-formed XML, which browsers read in their own ways"
        return self._reason

    def _parse(self, piece: bytes, *, last: bool) -> None:
        from xml.parsers import expat  # imported here, since most sites have no markup beside their posts

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


_NAMES_CHARACTERS = re.compile("xhtml|html|mathml", re.IGNORECASE)
"""Matches the public identifiers of document types whose entities browsers have built in."""
_OTHER = r"""\s+(?!type\b)[a-z]+\s*=\s*(?:"[^"]*"|'[^']*')"""
_STYLE = re.compile(rf"""(?:{_OTHER})*\s+type\s*=\s*(?:"text/css"|'text/css')(?:{_OTHER})*\s*""")


def _declaration(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding and encoding.lower() not in _ENCODINGS:
        raise _FoundError(f"its encoding is “{encoding[:40]}”, which not all programs read alike")


def _entity(_name: str, is_parameter: bool, value: str | None, *_: object) -> None:
    if is_parameter or value is None:  # expat resolves neither of these, but other parsers do
        raise _FoundError("it includes other text by an entity")


def _doctype(_name: str, _system: str | None, public: str | None, _subset: int) -> None:
    # Expat skips the entities that only these define, but browsers know them: “javascript&colon;” is a script.
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
        if word in _LINKING and any(map(runs, [value, *value.split(";")])) and not _is_image(local, value):
            raise _FoundError(f"its attribute “{word}” holds a script")


def _is_image(local: str, value: str) -> bool:
    """Whether an attribute contains an embedded image that is displayed as an image, in which nothing runs."""
    return local in ("image", "img", "feimage") and value.lstrip().lower().startswith("data:image/")


def _start_of(piece: bytes) -> bytes:
    """The part of a file that browsers examine; of a file in UTF-16, its ASCII characters."""
    start = piece[:1445]
    bom = next((bom for bom in _BOMS if start.startswith(bom)), b"")
    return start.removeprefix(bom).replace(b"\0", b"") if bom else start
