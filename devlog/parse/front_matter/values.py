"""Functions that convert values of the front matter; each returns a typed value, or the problem with it."""

from __future__ import annotations

import re
from collections.abc import Sequence as Items
from typing import Protocol, TypeVar

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline, Date, Tag
from devlog.model.language import language_tag
from devlog.model.secrets import shortened
from devlog.model.slug import slug, slug_of_key
from devlog.model.visible import is_visible
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.authors import is_team, link_url, parse_author, parse_authors
from devlog.parse.front_matter.dates import parse_date
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence
from devlog.parse.front_matter.web_urls import EXPECTED, path_or_url, web_url


class _HasSpan(Protocol):
    @property
    def span(self) -> Span: ...


_Placed = TypeVar("_Placed", bound=_HasSpan)

_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
MOST = 64
"""The maximum number of authors, tags, categories, aliases and superseded posts per post: each adds pages or work."""

LONGEST = 1_000
"""The maximum length of the name of a post, topic, author, tag or series, since other pages repeat it."""

LONGEST_IN_URL = 240
"""The maximum length of the name of an author or a tag in the URL of its page, in bytes: file systems allow 255."""

_SHORT = 40  # letters of a name that is short enough in any script

LONGEST_TEXT = 4_000
"""The maximum length of a text about an author or a show, since feeds and other pages repeat it."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]*")
_IMAGE_KEYS = ("src", "image", "relative", "path", "url")
_NAME_KEYS = ("name", "title")
_HANDLE_KEYS = ("handle", "github", "user", "username", "key", "id")
_URL_KEYS = ("url", "website", "homepage", "link")
_AFFILIATION_KEYS = ("affiliation", "org", "organization", "company")


def text_of(entry: Entry) -> str | Diagnostic:
    """A string as written, without surrounding white space."""
    if isinstance(entry.value, Scalar):
        return "" if entry.value.is_null else entry.value.text.strip()
    return _wrong(entry, "a string")


def line_of(entry: Entry) -> str | Diagnostic:
    """A string on one line."""
    text = text_of(entry)
    return text if isinstance(text, Diagnostic) else " ".join(text.split())


def target_of(entry: Entry) -> str | Diagnostic:
    """A string on one line, or the first item of a list, of which a redirect leads to no other."""
    items = entry.value.items if isinstance(entry.value, Sequence) else ()
    return line_of(Entry(entry.key, items[0]) if items else entry)


def title_of(entry: Entry) -> str | Diagnostic:
    """A string on one line of limited length, since other pages show it too; empty if nobody would see any of it."""
    text = line_of(entry)
    if isinstance(text, Diagnostic):
        return text
    if len(text) <= LONGEST:
        return text if is_visible(text) else ""
    return problems.too_long(entry.value.span, entry.key.text, len(text), LONGEST)


def too_long(key: str, length: int, span: Span, limit: int = LONGEST) -> tuple[Diagnostic, ...]:
    """The problem with a name, or another text with its own limit, if it is too long."""
    return (problems.too_long(span, key, length, limit),) if length > limit else ()


def without_long(key: str, items: Items[_Placed]) -> tuple[tuple[_Placed, ...], tuple[Diagnostic, ...]]:
    """The values of a list whose names are not too long, and a problem for each of the others."""
    problems_of = [(item, _too_long(key, item)) for item in items]
    found = tuple(problem for _, some in problems_of for problem in some)
    return tuple(item for item, some in problems_of if not some), found


def _too_long(key: str, item: _Placed) -> tuple[Diagnostic, ...]:
    """The problem with a value of a list if its name is too long, by itself or in the URL of its page."""
    if found := too_long(key, _longest(item), item.span):
        return found
    name = (item.handle or item.name) if isinstance(item, Byline) else item.name if isinstance(item, Tag) else ""
    if len(name) > _SHORT and len(slug(name).encode()) > LONGEST_IN_URL:
        return (problems.too_long_in_url(item.span, key, name, LONGEST_IN_URL),)
    return ()


def _longest(item: object) -> int:
    """The length of the longest name in a value of a list; 0 for aliases, which are paths with a limit of their own."""
    if isinstance(item, Byline):
        return max(len(item.name), len(item.affiliation), len(item.aside))
    return len(item.name) if isinstance(item, Tag) else 0


def boolean_of(entry: Entry) -> bool | Diagnostic:
    """A boolean."""
    found = boolean(entry.value.text) if isinstance(entry.value, Scalar) else None
    return _wrong(entry, "true or false") if found is None else found


def boolean(text: str) -> bool | None:
    """The value of a word for true or false; `None` for any other word."""
    return _WORDS.get(text.strip().lower())


def opposite_of(entry: Entry) -> bool | Diagnostic:
    """The opposite of a boolean, for keys such as ``unlisted`` whose field means the reverse."""
    value = boolean_of(entry)
    return value if isinstance(value, Diagnostic) else not value


def unless_never(entry: Entry) -> bool | Diagnostic:
    """Whether Hugo renders or lists a page: false for ``never``, ``link`` and words for false, true for any other."""
    if isinstance(entry.value, Scalar):
        return entry.value.text.strip().lower() not in ("never", "link", "false", "no", "off", "0")
    return _wrong(entry, "always or never")


def integer_of(entry: Entry) -> int | Diagnostic:
    """A whole number."""
    if isinstance(entry.value, Scalar) and _INTEGER.fullmatch(entry.value.text.strip()):
        return int(entry.value.text)
    return _wrong(entry, "a whole number")


def date_of(entry: Entry) -> Date | Diagnostic:
    """A date in any of the usual formats."""
    if not isinstance(entry.value, Scalar):
        return problems.bad_date(entry.value.span, entry.key.text, "")
    text = entry.value.text
    return parse_date(text) or problems.bad_date(
        entry.value.span, entry.key.text, shortened(" ".join(text.split()), 60)
    )


def image_node(entry: Entry) -> Node | None:
    """The node with the path of an image: the value itself, the first of a list, or a field of a mapping."""
    node: Node | None = entry.value
    if not isinstance(node, Scalar | Mapping) and node is not None:
        node = node.items[0] if node.items else None
    return _field(node, _IMAGE_KEYS) if isinstance(node, Mapping) else node


def image_of(entry: Entry) -> str | Diagnostic:
    """The path of an image."""
    node = image_node(entry)
    if not isinstance(node, Scalar):
        return _wrong(entry, "the path of an image")
    text = node.text.strip()
    return text and (path_or_url(text) or _wrong(entry, "the path or the URL of an image"))


def web_url_of(entry: Entry) -> str | Diagnostic:
    """A URL of the web; empty if nothing is given."""
    text = line_of(entry)
    return text if isinstance(text, Diagnostic) or not text else web_url(text) or _wrong(entry, EXPECTED)


def language_of(entry: Entry) -> str | Diagnostic:
    """A language tag; empty if nothing is given."""
    text = " ".join(entry.value.text.split()) if isinstance(entry.value, Scalar) else ""
    return language_tag(text) or problems.no_language_tag(_span(entry), entry.key.text, shortened(text, 60))


def slug_of(entry: Entry) -> str | Diagnostic:
    """A name for the end of a URL, which may have several segments; with a leading slash, it is the whole path."""
    text = line_of(entry)
    if isinstance(text, Diagnostic) or text.startswith("/"):
        return text
    lost = next((part for part in text.split("/") if part.strip() and not slug_of_key(part)), "")
    return problems.empty_slug(_span(entry), entry.key.text, shortened(lost, 60)) if lost else text


def path_of(entry: Entry) -> str | Diagnostic:
    """A URL path with a slash at both ends."""
    text = line_of(entry)
    return text if isinstance(text, Diagnostic) or not text else f"/{text.strip('/')}/".replace("//", "/")


def strings_of(entry: Entry, separator: str) -> tuple[tuple[Scalar, ...], tuple[Diagnostic, ...]]:
    """The strings of a list or of a single string; duplicates and empty ones are dropped.

    Args:
        entry: the key and its value.
        separator: the separator of items in a single string: a comma, a space, or empty if such a string is one item.

    Returns:
        The strings, stripped, and the problems found.
    """
    node = entry.value
    if isinstance(node, Mapping):
        return (), (_wrong(entry, "a list of strings"),)
    if isinstance(node, Scalar):
        items: tuple[Node, ...] = _parts(node, separator) if separator else (node,)
    else:
        items = node.items
    texts: dict[str, Scalar] = {}
    found = []
    for item in items:
        if not isinstance(item, Scalar):
            found.append(problems.bad_value(item.span, entry.key.text, "a list of strings"))
        elif item.text.strip() and not item.is_null:
            text = " ".join(item.text.split())
            texts.setdefault(text, Scalar(text, item.span, item.plain))
    return tuple(texts.values()), tuple(found)


def limited(key: str, items: Items[_Placed]) -> tuple[tuple[_Placed, ...], tuple[Diagnostic, ...]]:
    """The values of a key up to the limit of a post, and a problem if there are more."""
    found = (problems.too_many(items[MOST].span, key, len(items), MOST),) if len(items) > MOST else ()
    return tuple(items[:MOST]), found


def authors_of(entry: Entry) -> tuple[tuple[Byline, ...], tuple[Diagnostic, ...]]:
    """The authors named by a string, a mapping or a list of either, and the problems found."""
    node = entry.value
    listed = not isinstance(node, Scalar | Mapping)
    items: tuple[Node, ...] = (node,) if isinstance(node, Scalar | Mapping) else node.items
    bylines: list[Byline] = []
    found = []
    for item in items:
        if isinstance(item, Scalar):
            plural = listed or entry.key.text.lower() == "authors"
            if plural and _KEY.fullmatch(item.text.strip()) and not item.is_null:
                bylines.append(Byline("", item.text.strip(), item.span))
            elif not item.is_null:
                bylines += parse_authors(item.text, item.span)
        elif isinstance(item, Mapping) and (byline := _person(item)):
            bylines.append(byline)
        else:
            found.append(problems.bad_value(item.span, entry.key.text, "a name such as “Ada Quill (@adaquill)”"))
    return tuple(bylines), tuple(found)


def _person(node: Mapping) -> Byline | None:
    """The author that a mapping describes; None if it has neither a name nor a handle."""
    name, key = _field(node, _NAME_KEYS), _field(node, _HANDLE_KEYS)
    handle = _plain(key).removeprefix("@").lower()
    place = name or key
    if place is None or not (_plain(name) or handle):
        return None
    base = parse_author(_plain(name), place.span)
    url = link_url(_plain(_field(node, _URL_KEYS)))
    orcid = _plain(_field(node, ("orcid",)))
    if not url and orcid:
        url = link_url(orcid if orcid.startswith("https://") else f"https://orcid.org/{orcid}")
    url = url or base.url or link_url(_plain(_field(node, ("email",))))
    team = _plain(_field(node, ("team",))).lower()
    return Byline(
        name=base.name,
        handle=handle or base.handle,
        span=place.span,
        aside=base.aside,
        url=url,
        affiliation=_plain(_field(node, _AFFILIATION_KEYS)),
        team=is_team(base.name) or _WORDS.get(team, False),
    )


def _field(node: Mapping, keys: tuple[str, ...]) -> Node | None:
    """The first non-empty value of several keys."""
    for key in keys:
        value = node.get(key)
        if value is not None and not (isinstance(value, Scalar) and (value.is_null or not value.text.strip())):
            return value
    return None


def _plain(node: Node | None) -> str:
    """The text of a value: of the first item of a list, or of the name in a mapping."""
    if isinstance(node, Mapping):
        node = node.get("name")
    elif node is not None and not isinstance(node, Scalar):
        return _plain(node.items[0]) if node.items else ""
    return " ".join(node.text.split()) if isinstance(node, Scalar) and not node.is_null else ""


def _parts(node: Scalar, separator: str) -> tuple[Scalar, ...]:
    exact = node.span.length == len(node.text)
    parts, start = [], 0
    for part in node.text.split(separator):
        text, indent = part.strip(), len(part) - len(part.lstrip())
        span = Span(node.span.path, node.span.line, node.span.column + start + indent, len(text))
        parts.append(Scalar(text, span if exact else node.span))
        start += len(part) + 1
    return tuple(parts)


def _wrong(entry: Entry, expected: str) -> Diagnostic:
    return problems.bad_value(_span(entry), entry.key.text, expected)


def _span(entry: Entry) -> Span:
    """The place of a value; that of its key if it has none of its own."""
    return entry.value.span if entry.value.span.length else entry.key.span
