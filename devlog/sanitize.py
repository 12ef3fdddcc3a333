"""Sanitizes raw HTML in posts in ``safe`` mode: text, structure and media stay, code does not."""

from __future__ import annotations

import re
import sys
import threading
from html import escape
from math import prod

import nh3

from devlog.model.control_characters import CONTROL, NONCHARACTERS
from devlog.model.urls import runs
from devlog.native import NativeFaultError, call

TAGS = frozenset(
    "a abbr acronym address area aside article audio b bdi bdo blockquote br caption center cite code col colgroup "
    "data dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins "
    "kbd li map mark nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub "
    "summary sup table tbody td tfoot th thead time tr track tt u ul var video wbr".split()
)
"""Elements that stay. ``svg`` and ``math`` never do: both have been used to bypass sanitizers."""

REMOVED_WITH_CONTENT = frozenset("iframe noembed noframes noscript script style template textarea title xmp".split())

NOT_SHOWN = REMOVED_WITH_CONTENT - {"noscript"}
"""Those of them whose content readers do not see: without scripts, that of ``<noscript>`` is shown."""

NO_SCRIPT = re.compile(r"</?noscript[ \t\n]{0,8}>", re.IGNORECASE)
"""Tags to remove before sanitizing, so that their content is sanitized like any other content, and stays."""

WRAPPERS = frozenset({"html", "head", "body"})
"""Elements that mean nothing inside a page: they are removed without a message, and their content stays."""

KNOWN = (
    TAGS
    | REMOVED_WITH_CONTENT
    | WRAPPERS
    | frozenset(
        "applet base basefont bgsound big blink button canvas datalist dialog dir embed fieldset font form frame "
        "frameset input isindex keygen label legend link listing main marquee menu menuitem meta meter nobr "
        "object optgroup option output param plaintext portal progress rb rtc search select slot "
        "spacer svg math "
        "animatemotion animatetransform circle clippath defs desc ellipse feblend fecolormatrix fecomponenttransfer "
        "fecomposite feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca "
        "fefuncb fefuncg fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset fepointlight "
        "fespecularlighting fespotlight fetile feturbulence foreignobject g image line lineargradient marker mask "
        "mpath path pattern polygon polyline radialgradient rect stop symbol text textpath tspan use "
        "maction menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms "
        "mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover".split()
    )
)
"""All elements of HTML, and those of SVG and MathML with names that are no words: outside of drawings and formulas,
anything else in angle brackets was meant as text, such as ``<filter>`` or ``<switch>``."""

_GLOBAL = frozenset({"id", "title", "lang", "dir", "class", "style", "align", "role", "aria-label", "aria-hidden"})
ATTRIBUTES: dict[str, set[str]] = {
    "*": set(_GLOBAL),
    "a": {"href", "name", "rel", "hreflang"},
    "area": {"href", "alt", "coords", "shape"},
    "audio": {"src", "controls", "loop", "muted", "preload"},
    "blockquote": {"cite"},
    "col": {"span"},
    "colgroup": {"span"},
    "data": {"value"},
    "del": {"cite", "datetime"},
    "details": {"open"},
    "div": {"tabindex"},
    "img": {"src", "srcset", "sizes", "alt", "width", "height", "loading", "decoding"},
    "ins": {"cite", "datetime"},
    "li": {"value"},
    "map": {"name"},
    "ol": {"start", "reversed", "type"},
    "p": {"data-start"},
    "q": {"cite"},
    "source": {"src", "srcset", "sizes", "type", "media", "width", "height"},
    "table": {"border", "cellpadding", "cellspacing", "tabindex", "width"},
    "td": {"colspan", "rowspan", "headers", "width", "valign"},
    "th": {"colspan", "rowspan", "headers", "scope", "width", "valign"},
    "time": {"datetime"},
    "track": {"src", "kind", "srclang", "label", "default"},
    "video": {"src", "poster", "width", "height", "controls", "loop", "muted", "preload", "playsinline"},
}

STYLES = frozenset(
    {"width", "height", "max-width", "max-height", "text-align", "margin", "margin-left", "margin-right", "float"}
)

CLASSES = frozenset(
    "align-left align-center align-right anchor contains-task-list task-list-item markdown-alert "
    "markdown-alert-title markdown-alert-note markdown-alert-tip markdown-alert-important markdown-alert-warning "
    "markdown-alert-caution table tldr disclosure figure footnote-ref footnotes footnotes-list footnote-item "
    "footnote-backref center left right small wide caption note warning tip only-light only-dark tabs tab tab-title "
    "gallery turn".split()
)

RELATIONS = frozenset("external nofollow noopener noreferrer sponsored ugc".split())
"""Values of ``rel`` that only say something about the link. Others say something about the page or its site: whose it
is (``me``, ``author``), where it takes messages (``webmention``), which page comes next."""

SCHEMES = frozenset({"http", "https", "mailto", "tel", "ftp", "irc", "ircs", "xmpp", "news", "git", "ssh", "matrix"})
"""URL schemes that a link in a post may have."""

MAX_DEPTH = 200
"""The maximum nesting depth: ammonia needs quadratic time for nesting, so a post with a deeper one is shown as text."""

IMAGE_DATA = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif)[;,]", re.IGNORECASE)
"""Images that may be embedded in a URL."""

_DECLARATION = re.compile(r"\s*([a-z-]+)\s*:([\w\s.%+*/(),-]*)", re.IGNORECASE | re.ASCII)
"""A declaration that is accepted: a property and a value without quotes, escapes and comments, which none of the
allowed properties needs."""
_CALL = re.compile(r"(?<![\w-])([\w-]*)\(")
_CALCULATIONS = frozenset({"calc", "clamp", "max", "min"})
"""The functions of CSS that only compute lengths. Others fetch files or, in old feed readers, run code."""


PLACEHOLDER = "devlog-placeholder-"
"""The prefix of placeholders in a body; `parse.body` adds a digest of the text and a number."""

OWN_IDS = "devlog:"
"""The prefix of the theme's ids. A post that has one could name a part of the page around it or take its links."""

_HOLE = re.compile(rf"{PLACEHOLDER}[0-9a-f]+x\d+x")
_BARE_HOLE = re.compile(rf"{PLACEHOLDER}[0-9a-f]+y\d+y(?: [\d.]+[wx])?")
_LISTS = {"class": CLASSES, "rel": RELATIONS}
"""Attributes that are lists of words, with those that they may have."""
_ONLY = {
    "id": re.compile(rf"(?!{OWN_IDS}).*", re.DOTALL),
    "name": re.compile(rf"(?!{OWN_IDS}).*", re.DOTALL),
    "tabindex": re.compile("0"),  # scrollable elements can be focused, but no element can come first in the tab order
    "colspan": re.compile("[1-9][0-9]?"),  # browsers compute the borders of each place of the grid
    "rowspan": re.compile("[1-9][0-9]?"),
    "data-start": re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,3})?"),  # the position in seconds to which a player seeks
}
"""Attributes that may only have some values, with patterns of these."""
_URLS = frozenset({"cite", "href", "poster", "src"})
_BLANK = re.compile(r"[\x00-\x20]+")
_OTHER_SCHEME = re.compile(r"(?:^|[\s,])(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""Finds a candidate of a ``srcset`` that is no URL of the web. Parsing leaves them out, unless it trusts the post."""


_CONTROL = re.compile(f"[{CONTROL}{NONCHARACTERS}]")
"""What references such as ``&#27;`` may stand for."""


def _is_in_place(name: str, value: str) -> bool:
    """Whether placeholders are where devlog put them, and not in an attribute that a quote in the post has opened."""
    if name == "srcset":
        return all(_BARE_HOLE.fullmatch(part) or PLACEHOLDER not in part for part in value.split(", "))
    return bool(_HOLE.fullmatch(value))


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    """Filter an attribute: keep only known classes and relations, harmless styles, data URLs of images, ids that are
    no theme's, and placeholders in place.

    Returns:
        The value to keep, or `None` to remove the attribute.
    """
    value = _CONTROL.sub("", value)  # before anything is looked for: what is removed later could hide it
    if PLACEHOLDER in value and not _is_in_place(name, value):
        return None
    if name in _ONLY:
        return value if _ONLY[name].fullmatch(value) else None
    if name in _LISTS:
        return " ".join(part for part in value.split() if part in _LISTS[name]) or None
    if name == "style":
        # Without “!important”, with which content could be wider than the theme allows.
        parts = (part.partition("!")[0].rstrip() for part in value.split(";"))
        return ";".join(part for part in parts if _is_harmless(tag, part)) or None
    if _BLANK.sub("", value[:64]).lower().startswith("data:"):  # browsers ignore the blanks
        return value if tag == "img" and name == "src" and IMAGE_DATA.match(value) else None
    return None if name in _URLS and runs(value) else value


_WITH_A_HEIGHT = frozenset({"audio", "img", "table", "video"})
"""Elements whose content is never higher than they are."""
_OF_TABLES = frozenset("table caption colgroup col thead tbody tfoot tr td th".split())


def _is_harmless(tag: str, declaration: str) -> bool:
    """Whether a CSS declaration moves nothing over other content of the page, and requests no file.

    A negative margin could move content, and what is higher than its element lies over what follows: a link as large as
    the page, in front of its header or its footer, would take readers to any URL.
    """
    found = _DECLARATION.fullmatch(declaration)
    if found is None or "/*" in declaration or "*/" in declaration:  # a comment could continue in the next one
        return False
    if not _CALCULATIONS.issuperset(call.lower() for call in _CALL.findall(found[2])):
        return False
    name = found[1].lower()
    if name.endswith("height"):
        return tag in _WITH_A_HEIGHT
    if name == "float":  # a cell that floats is a block, which its content may overflow
        return tag == "table" or tag not in _OF_TABLES
    return not name.startswith("margin") or "-" not in found[2]


def _cleaner_with(attributes: dict[str, set[str]], without: frozenset[str] = frozenset()) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(TAGS) - without,
        clean_content_tags=set(REMOVED_WITH_CONTENT),
        attributes=attributes,
        strip_comments=True,
        link_rel=None,
        url_schemes=SCHEMES | {"data"},
        filter_style_properties=set(STYLES),
        attribute_filter=_keep_attribute,
    )


_cleaner = _cleaner_with(ATTRIBUTES)
_plain_table_cleaner = _cleaner_with({tag: names - {"colspan", "rowspan"} for tag, names in ATTRIBUTES.items()})
_tableless_cleaner = _cleaner_with(ATTRIBUTES, _OF_TABLES)
_undirected_cleaner = _cleaner_with({tag: names - {"dir"} for tag, names in ATTRIBUTES.items()}, frozenset({"bdi"}))
_unquoted_cleaner = _cleaner_with(ATTRIBUTES, frozenset({"q"}))

MOST_PLACES = 50_000
"""The maximum number of places that the cells of a text may take with ``colspan`` and ``rowspan``, and the rows and
columns of its tables."""

MOST_DIRECTIONS = 4_000_000
"""The maximum of elements, squared, times elements whose direction a browser finds out from all of their content."""

_DIRECTED = re.compile(r"""<bdi\b|\bdir\s*=\s*["']?\s*auto""", re.IGNORECASE)

MOST_QUOTES = 500
"""The maximum number of ``q`` in a text: for the marks of each, Chromium looks at all that come before it. Style sheets
could only prevent it with marks that are the same in all languages, and feed readers have their own."""

_QUOTE = re.compile(r"<(/?)q(?=[\s/>])[^<>]*>", re.IGNORECASE)

_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)([^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*)>""")

_CELL = re.compile(r"<t[dh]\b[^>]*", re.IGNORECASE)
_SPANNED = re.compile(r"""(col|row)span\s*=\s*["']?\s*(\d{1,9})""", re.IGNORECASE)


def has_huge_tables(html: str) -> bool:
    """Whether cells take more than `MOST_PLACES` places, for each of which browsers compute borders."""
    lower = html.lower()
    if "colspan" not in lower and "rowspan" not in lower:
        return False
    places = 0
    for cell in _CELL.finditer(html):
        spans = {name.lower(): min(99, int(number)) for name, number in reversed(_SPANNED.findall(cell[0]))}
        places += prod(spans.values())
    return places > MOST_PLACES


def has_ragged_tables(html: str) -> bool:
    """Whether the rows and columns of tables span far more places than there are cells: one long row, many short ones.

    Args:
        html: a balanced fragment, as cleaners return it.
    """
    if html.count("<t") + 99 * html.count("colspan") < 2 * int(MOST_PLACES**0.5):
        return False
    places, cells = 0, 0
    tables: list[list[int]] = []  # of each open table: rows, columns, and columns of its last row
    for tag in _TAG.finditer(html):
        closing, name, attributes = tag.groups()
        if name == "table" and not closing:
            tables.append([0, 0, 0])
        elif name == "table" and tables:
            places += tables[-1][0] * tables.pop()[1]
        elif name == "tr" and tables and not closing:
            tables[-1][0] += 1
            tables[-1][2] = 0
        elif name in ("td", "th") and tables and not closing:
            spans = {kind: int(number) for kind, number in _SPANNED.findall(attributes)}
            cells += 1
            tables[-1][2] += spans.get("col", 1)
            tables[-1][1] = max(tables[-1][1], tables[-1][2])
    return places > max(MOST_PLACES, 4 * cells)


def sanitize(html: str) -> str:
    """Turn `html` into a balanced fragment that is harmless in a page (ammonia's algorithm with the lists above).

    Raises:
        NativeFaultError: the sanitizer failed on it.
    """
    cleaner = _plain_table_cleaner if has_huge_tables(html) else _cleaner
    if html.count("<") ** 2 * len(_DIRECTED.findall(html)) > MOST_DIRECTIONS:
        html = _cleaned(_undirected_cleaner, html)
    if len(_QUOTE.findall(html)) > 2 * MOST_QUOTES:
        # Whatever the pattern takes for a tag, what it leaves is sanitized without the element.
        html = _cleaned(_unquoted_cleaner, _QUOTE.sub(lambda tag: "”" if tag[1] else "“", html))
    cleaned = _cleaned(cleaner, html)
    if has_ragged_tables(cleaned):
        cleaned = _cleaned(_tableless_cleaner, cleaned)
    return _CONTROL.sub("", cleaned)


def _keep_in_feed(tag: str, name: str, value: str) -> str | None:
    """Filter an attribute as in a page, but remove the labels of boxes, which are not boxes in a feed, and lists of
    images in which a trusted body may have any URL.
    """
    is_removed = (tag == "div" and name == "aria-label") or (name == "srcset" and _OTHER_SCHEME.search(value))
    return None if is_removed else _keep_attribute(tag, name, value)


_feed_cleaner = nh3.Cleaner(
    # Spans only have the classes of syntax highlighting, which mean nothing in a feed reader.
    tags=set(TAGS) - {"span"},
    clean_content_tags=set(REMOVED_WITH_CONTENT),
    attributes={
        tag: {name for name in names if name not in ("class", "role", "aria-hidden", "tabindex")}
        for tag, names in ATTRIBUTES.items()
    },
    strip_comments=True,
    link_rel=None,
    url_schemes=SCHEMES | {"data"},
    filter_style_properties=set(STYLES),
    attribute_filter=_keep_in_feed,
)


def sanitize_for_feed(html: str) -> str:
    """Sanitize `html` for feed readers: like `sanitize`, and without what only works with devlog's style sheets.

    What the sanitizer failed on becomes text.
    """
    try:
        return _CONTROL.sub("", _cleaned(_feed_cleaner, html))
    except NativeFaultError:
        return _CONTROL.sub("", escape(html))


def _cleaned(cleaner: nh3.Cleaner, html: str) -> str:
    """The result of a cleaner. Where Ctrl-C or a time limit interrupts it, it would only leave out an attribute."""
    if threading.current_thread() is not threading.main_thread():  # which no signal reaches
        return call(cleaner.clean, html)
    lost: list[BaseException | None] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda raised: lost.append(raised.exc_value)
    try:
        cleaned = call(cleaner.clean, html)
    finally:
        sys.unraisablehook = before
    for error in filter(None, lost):
        raise error
    return cleaned
