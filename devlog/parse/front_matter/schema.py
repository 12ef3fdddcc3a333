"""Maps keys of the front matter to fields: devlog's keys, and those of other generators."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from devlog.model.closest import is_slip
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Alias, Byline, Date, FrontMatter, Tag
from devlog.model.parts import parts
from devlog.model.theme import PluginRef
from devlog.parse.front_matter import problems, values
from devlog.parse.front_matter.authors import link_url, parse_author
from devlog.parse.front_matter.dates import parse_date
from devlog.parse.front_matter.tree import Entry, Json, Mapping, Scalar, to_json
from devlog.parse.options import ParseOptions
from devlog.plugin import FrontMatterKeys, Plugin
from devlog.plugins.codes import code_of
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import features
from devlog.plugins.loading import load
from devlog.plugins.results import misfit, misfit_problem

# Keys are compared without case, "-" and "_"; "a.b" is the key b in the mapping a; the first key that is set wins.
SPELLINGS: dict[str, str] = {
    "title": "title",
    "date": "date.created date",
    "updated": "updated lastmod modified last_update.date date.updated modDatetime updatedDate updatedAt",
    "publish": "publishDate pubDate published pubDatetime publishedAt",
    "expiry": "expiryDate expires unpublishDate",
    "draft": "draft isDraft",
    "authors": "author authors taxonomies.authors params.author params.authors extra.author extra.authors",
    "tags": "tags taxonomies.tags",
    "categories": "categories taxonomies.categories category",
    "aliases": "aliases redirect_from",
    "slug": "slug",
    "url": "url path permalink",
    "summary": "summary excerpt params.summary",
    "description": "description params.description",
    "image": "image cover images thumbnail featured_image params.image params.cover extra.image",
    "canonical_url": "canonical_url canonical params.canonical_url",
    "language": "lang language params.lang params.language",
    "weight": "weight",
    "toc": "toc hide_table_of_contents params.toc extra.toc",
    "render": "build.render headless render",
    "listed": "build.list unlisted",
    "redirect": "redirect_to",
    "series": "series series.name series.title taxonomies.series params.series extra.series",
    "part": "part series_part series_order series_weight series.part series.order params.series_order extra.part",
    "comments": "comments comment params.comments extra.comments",
    "comments_id": "comments_id params.comments_id extra.comments_id",
}
_FOREIGN = frozenset(  # keys of other generators and of themes, which are never taken for typos
    """
    ai aigenerated appliesto archetype art audio banner body build cascade categories category class
    collection color comments content contents css data dates dek disqus episode excerptseparator
    extra featured feed file files footer format generatefeeds group guest header headless headline
    hero hidden hide icon id insearchindex insertanchorlinks intro iscjklanguage js keywords label
    langs languages lastupdate layout lead license link links linktitle list lng locale location logo
    katex markup math mathjax menu menus meta name nav noindex number outputs page pagetemplate paginateby paginatepath
    params parent parts pin pinned podcast position post posts private program published publishresources
    rate rating readtime redirect redirectto related render resources reviewed reviewer reviewers robots search seo
    series share short sidebar sitemap sortby source standalone state status style styles subject
    subtitle subtitles superseded supersedes tagline target taxonomies taxonomy team teaser template text theme
    thumb time topic transparent type unlisted usemathjax uuid version video videos visibility
    """.split()
)

_Value = str | bool | int | Date
_READERS: dict[str, Callable[[Entry], _Value | Diagnostic]] = {
    "title": values.title_of,
    "date": values.date_of,
    "updated": values.date_of,
    "publish": values.date_of,
    "expiry": values.date_of,
    "draft": values.boolean_of,
    "slug": values.slug_of,
    "url": values.line_of,
    "summary": values.text_of,
    "description": values.text_of,
    "image": values.image_of,
    "canonical_url": values.web_url_of,
    "language": values.language_of,
    "weight": values.integer_of,
    "toc": values.boolean_of,
    "render": values.unless_never,
    "listed": values.unless_never,
    "redirect": values.target_of,
    "part": values.integer_of,
    "comments": values.boolean_of,
    "comments_id": values.line_of,
}
_SPECIAL = {
    "hidetableofcontents": values.opposite_of,
    "headless": values.opposite_of,
    "unlisted": values.opposite_of,
    "path": values.path_of,
    "comment": values.unless_never,
}
_OFTEN_OTHER = ("pubdate", "published")
"""Hugo's keys for a date that have other values elsewhere, such as ``published: false`` of Jekyll."""

_NEVER_NESTED = ("toc", "series", "comments")
"""Fields that are not set if their key has a mapping as its value; that mapping may contain a key for them."""

_NO_PATH = re.compile(r":|\{[{%]")
_DATED_PATH = re.compile(r"(?:.*?/)?([0-9]{4}/[0-9]{1,2}/[0-9]{1,2})/.")

Index = dict[str, Entry]
Present = dict[str, list[str]]
Found = tuple[Diagnostic, ...]
Fields = dict[str, tuple[object, Span]]


def _fold(key: str) -> str:
    return key.strip().lower().replace("_", "").replace("-", "")


_KEYS = {field: tuple(_fold(key) for key in keys.split()) for field, keys in SPELLINGS.items()}
_FIELDS: dict[str, list[tuple[int, str]]] = {}
"""The fields for which each key stands, with its place among the keys for that field."""
for _field, _names in _KEYS.items():
    for _rank, _name in enumerate(_names):
        _FIELDS.setdefault(_name, []).append((_rank, _field))


class _Field(NamedTuple):
    """A field of a feature or a plugin; `ref` is `None` for a feature."""

    ref: PluginRef | None
    plugin: Plugin
    keys: FrontMatterKeys
    name: str


class _Known(NamedTuple):
    """All known keys.

    Attributes:
        spellings: the spelling of each key outside tables, by its folded name, without case, "-" and "_".
        names: the folded names of all keys, including those in tables.
        tables: the tables with known keys.
        others: the keys of features and plugins, and the field that each sets, in order of precedence.
    """

    spellings: dict[str, str]
    names: frozenset[str]
    tables: frozenset[str]
    others: tuple[tuple[str, _Field], ...]


@lru_cache(maxsize=16)
def _known(plugins: tuple[PluginRef, ...]) -> _Known:
    pairs = [*((None, plugin) for plugin in features()), *zip(plugins, load(plugins), strict=True)]
    others: list[tuple[str, _Field]] = []
    spellings = [*SPELLINGS.values()]
    for ref, plugin in pairs:
        keys = plugin.front_matter
        for field, spelt in keys.spellings.items() if keys else ():
            assert keys
            spellings.append(spelt)
            others += [(_fold(key), _Field(ref, plugin, keys, field)) for key in spelt.split()]
    names = frozenset(name for names in _KEYS.values() for name in names).union(name for name, _ in others)
    tables = frozenset(name.partition(".")[0] for name in names if "." in name)
    shown = {_fold(key): key for spelt in spellings for key in spelt.split() if "." not in key}
    return _Known(shown, names, tables, tuple(others))


def read_schema(root: Mapping, options: ParseOptions) -> tuple[FrontMatter, Found]:
    """Convert the keys of front matter to typed fields.

    Args:
        root: the tree of the front matter, independent of its format.
        options: the parse options of the site.

    Returns:
        The typed front matter, and the problems found.
    """
    known = _known(options.plugins)
    index, found = _index(root, known)
    tag_keys = {_fold(key) for key in options.tags_also}
    present = _present(index, tag_keys)
    fields, faults = _scalars(index, present)
    lists, more = _lists(index, present, options, known)
    implied = _implied(index, fields)
    fields = {**implied, **fields, **lists}
    used = {name for field in present for name in _used(present, field)} | tag_keys
    said, wrong, meant = _others(index, known)
    found += wrong
    used |= meant
    params = json.dumps(_params(root, used), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    spans = {field: span for some in (*said.values(), fields) for field, (_, span) in some.items()}
    front = msgspec.structs.replace(
        FrontMatter(),
        **_values(fields),
        parts=parts(kind(**_values(some)) for kind, some in said.items()),
        params=params,
        spans=tuple(sorted(spans.items())),
    )
    return front, (*found, *faults, *more, *_near_misses(root, known))


def _values(fields: Fields) -> dict[str, Any]:
    return {field: value for field, (value, _) in fields.items()}


def _others(index: Index, known: _Known) -> tuple[dict[type[msgspec.Struct], Fields], Found, set[str]]:
    """Read the keys of features and plugins.

    Returns:
        The fields by the type that has them, the problems found, and the keys that were used.
    """
    found: list[Diagnostic] = []
    fields: dict[type[msgspec.Struct], Fields] = {}
    used: set[str] = set()
    for name, field in known.others:
        entry = index.get(name)
        if entry is None or field.name in fields.get(field.keys.kind, ()) or _is_empty(entry):
            continue
        value, wrong = _read(field, entry)
        found += wrong
        if value or wrong:
            used.add(name)
        if value:
            fields.setdefault(field.keys.kind, {})[field.name] = (value, _span_of(entry))
    return fields, tuple(found), used


def _read(field: _Field, entry: Entry) -> tuple[Any, Found]:
    """Let a feature or a plugin read the value of a key; `None` and a problem if the code of a plugin fails."""
    read = field.keys.read
    if field.ref is None:
        value, found = read(field.name, entry)
        return value, tuple(found)
    code = code_of(field.plugin, read)
    what = f"“{code}” on the key “{entry.key.text}”"
    try:
        value, given = read(field.name, entry)
        found = tuple(given)
        reason = misfit({field.name: value}, field.keys.kind) if value else ""
    except faults() as error:  # the plugin's own code
        return None, (fault(field.ref, what, error, read),)
    if not all(isinstance(problem, Diagnostic) for problem in found):
        return None, (fault(field.ref, what, "what it found wrong are not all problems", read),)
    if reason := reason or next(filter(None, map(misfit_problem, found)), ""):
        return None, (fault(field.ref, what, reason, read),)
    return value, tuple(msgspec.structs.replace(problem, code=code) for problem in found)


def _index(root: Mapping, known: _Known) -> tuple[Index, Found]:
    """All keys by folded name, including those in known tables, and problems for keys that are set twice."""
    index: Index = {}
    found = []
    for entry in root.entries:
        name = _fold(entry.key.text)
        if name in index and (name in known.names or index[name].key.text.lower() == entry.key.text.lower()):
            first = index[name].key.span
            found.append(problems.duplicate_key(entry.key.span, entry.key.text, first.line))
        index.setdefault(name, entry)
        if name in known.tables and isinstance(entry.value, Mapping):
            for child in entry.value.entries:
                index.setdefault(f"{name}.{_fold(child.key.text)}", child)
    return index, tuple(found)


def _present(index: Index, tag_keys: set[str]) -> Present:
    """The names of the keys that set each field, in order of precedence; fields that no key sets are missing."""
    ranked: dict[str, list[tuple[int, str]]] = {}
    for name, entry in index.items():
        for rank, field in _FIELDS.get(name, ()):
            is_tag = field == "language" and name in tag_keys  # such as “Rust”, a programming language
            if not is_tag and _sets(name, entry, field, index):
                ranked.setdefault(field, []).append((rank, name))
    if "series" not in ranked:  # elsewhere the keys for a part have other meanings
        ranked.pop("part", None)
    return {field: [name for _, name in sorted(names)] for field, names in ranked.items()}


def _sets(name: str, entry: Entry, field: str, index: Index) -> bool:
    """Whether a key for a field sets it."""
    if _is_empty(entry) or (name == "permalink" and not _is_path(entry)):
        return False
    if name in _OFTEN_OTHER and not (isinstance(entry.value, Scalar) and parse_date(entry.value.text)):
        return False
    nested = isinstance(entry.value, Mapping)
    return not (nested and (field in _NEVER_NESTED or (name == "date" and "date.updated" in index)))


def _is_empty(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and (entry.value.is_null or not entry.value.text.strip())


def _is_path(entry: Entry) -> bool:
    """Whether a permalink is a path, rather than a pattern, the name of one, or a template of Eleventy."""
    return isinstance(entry.value, Scalar) and "/" in entry.value.text and not _NO_PATH.search(entry.value.text)


def _span_of(entry: Entry, field: str = "") -> Span:
    node = (values.image_node(entry) if field == "image" else None) or entry.value
    return node.span if node.span.length else entry.key.span


def _used(present: Present, field: str) -> list[str]:
    """The keys that set a field: all of them for a list, the first for any other."""
    names = present.get(field, [])
    return names if field in ("authors", "tags", "categories", "aliases") else names[:1]


def _scalars(index: Index, present: Present) -> tuple[Fields, Found]:
    """The fields with a single value."""
    fields: Fields = {}
    found: list[Diagnostic] = []
    for field, read in _READERS.items():
        for name in _used(present, field):
            value = _SPECIAL.get(name, read)(index[name])
            if isinstance(value, Diagnostic):
                found.append(value)
            else:
                fields[field] = (value, _span_of(index[name], field))
    return fields, tuple(found)


def _lists(index: Index, present: Present, options: ParseOptions, known: _Known) -> tuple[Fields, Found]:
    """The fields that are lists, each collected from all its keys."""
    result: Fields = {}
    found: Found = ()
    authors: dict[tuple[str, str], Byline] = {}
    texts: dict[str, dict[str, Scalar]] = {"tags": {}, "categories": {}, "aliases": {}}
    for name in present.get("authors", ()):
        bylines, faults = values.authors_of(index[name])
        found += faults
        for byline in bylines:
            authors.setdefault((byline.name, byline.handle), byline)
    if team := _team(index):
        authors.setdefault((team.name, team.handle), team)
    for field, items in texts.items():
        for name in present.get(field, ()):
            scalars, faults = values.strings_of(index[name], _separator(name, options))
            found += faults
            for scalar in scalars:
                items.setdefault(scalar.text, scalar)
    tags = tuple(Tag(text, scalar.span) for text, scalar in texts["tags"].items())
    categories = tuple(Tag(text, scalar.span) for text, scalar in texts["categories"].items())
    others, faults = _other_tags(index, options, known)
    found += faults
    aliases = tuple(Alias(text, scalar.span) for text, scalar in texts["aliases"].items())
    series, faults = _series(index, present)
    found += faults
    if series:
        found += values.too_long("series", len(series[0]), series[1])
        result["series"] = series
    lists: dict[str, tuple[Byline | Tag | Alias, ...]] = {
        "authors": tuple(authors.values()),
        "tags": (*tags, *others),
        "categories": categories,
        "aliases": aliases,
    }
    for field, given in lists.items():
        short, long = values.without_long(field, given)
        value, faults = values.limited(field, short)
        found += (*long, *faults)
        names = [*present.get(field, ()), *(name for name in _TEAM if field == "authors" and name in index)]
        if value:
            result[field] = (value, _span_of(index[names[0]]) if names else others[0].span)
    return result, found


def _series(index: Index, present: Present) -> tuple[tuple[str, Span] | None, Found]:
    """The series; a list is accepted, since Hugo's taxonomies are lists."""
    for name in _used(present, "series"):
        scalars, faults = values.strings_of(index[name], "")
        if len(scalars) > 1:
            faults += (problems.several_series(scalars[1].span, scalars[0].text),)
        return (scalars[0].text, scalars[0].span) if scalars else None, faults
    return None, ()


def _separator(name: str, options: ParseOptions) -> str:
    """The separator of items in a list that is written as one string; empty if such a string is a single item."""
    if name in _KEYS["aliases"] or name == "category":
        return ""
    return options.conventions.list_separator


def _other_tags(index: Index, options: ParseOptions, known: _Known) -> tuple[tuple[Tag, ...], Found]:
    """The tags in the other keys that the site configures to contain tags."""
    tags: list[Tag] = []
    found: Found = ()
    for key in options.tags_also:
        for name in (_fold(key), f"taxonomies.{_fold(key)}"):
            if name in index and not _is_empty(index[name]):
                scalars, faults = values.strings_of(index[name], _separator(name, options))
                tags += [Tag(scalar.text, scalar.span, key) for scalar in scalars]
                found += faults if name not in known.names else ()
    return tuple(tags), found


_TEAM = ("team", "extra.team")


def _team(index: Index) -> Byline | None:
    """The team on whose behalf a post was written, as posts of the Rust blog name it."""
    entry = next((index[name] for name in _TEAM if name in index), None)
    name = values.line_of(entry) if entry else ""
    if entry is None or not isinstance(name, str) or not name:
        return None
    link = next((index[key] for key in ("teamurl", "extra.teamurl") if key in index), None)
    url = values.line_of(link) if link else ""
    byline = parse_author(name, _span_of(entry))
    return msgspec.structs.replace(byline, team=True, url=byline.url or link_url(url if isinstance(url, str) else ""))


def _is_draft(status: Entry) -> bool:
    text = values.line_of(status)
    return isinstance(text, str) and text.lower() == "draft"  # Pelican's documentation writes “Draft” too


def _implied(index: Index, fields: Fields) -> Fields:
    """The draft state and the date derived from other keys, if they are not set themselves."""
    result: Fields = {}
    published, status, path = (index.get(name) for name in ("published", "status", "path"))
    if "draft" not in fields and published and values.boolean_of(published) is False:
        result["draft"] = (True, _span_of(published))
    if "draft" not in fields and status and _is_draft(status):
        result["draft"] = (True, _span_of(status))
    if "date" not in index and path and isinstance(path.value, Scalar):
        match = _DATED_PATH.match(path.value.text)
        date = parse_date(match[1]) if match else None
        if date:
            result["date"] = (date, _span_of(path))
    if "date" not in index and "date" not in result and "publish" in fields:
        result["date"] = fields["publish"]
    return result


def _params(root: Mapping, used: set[str]) -> dict[str, Json]:
    """The unknown keys as parameters; keys in a mapping ``params`` count as if they were at the top level."""
    params: dict[str, Json] = {}
    for entry in root.entries:
        name = _fold(entry.key.text)
        if name == "params" and isinstance(entry.value, Mapping):
            for child in entry.value.entries:
                if f"params.{_fold(child.key.text)}" not in used:
                    params.setdefault(child.key.text, to_json(child.value))
        elif name not in used and name != "date":
            params[entry.key.text] = to_json(entry.value)
    return params


def _meant(entry: Entry, known: _Known) -> str:
    """The key that was most likely meant: the key itself, unless it is a typo of a known key."""
    name = _fold(entry.key.text)
    if name in known.spellings or name in _FOREIGN:
        return name
    return next((other for other in known.spellings if is_slip(name, other)), name)


def _near_misses(root: Mapping, known: _Known) -> Found:
    """Problems for keys that are probably typos of known keys."""
    found = []
    meant = [_meant(entry, known) for entry in root.entries]
    for entry, near in zip(root.entries, meant, strict=True):
        if near != _fold(entry.key.text):
            taken = meant.count(near) > 1
            exact = entry.key.span.length == len(entry.key.text)
            edit = Edit(entry.key.span, entry.key.text, known.spellings[near])
            fix = Fix((edit,)) if exact and not taken else None
            found.append(problems.unknown_key(entry.key.span, entry.key.text, known.spellings[near], fix))
    return tuple(found)
