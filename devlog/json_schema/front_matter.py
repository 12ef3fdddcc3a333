"""The JSON schema of front matter."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from devlog.json_schema.config import DRAFT, Schema
from devlog.json_schema.descriptions import Row, Section, linked, plain, section
from devlog.model.document import Date, FrontMatter
from devlog.parse.front_matter.schema import SPELLINGS
from devlog.plugin import Plugin
from devlog.plugins.features import features

DOCUMENT = "writing.md"
"""The document that describes each key."""

TEXT: Schema = {"type": ["string", "number", "boolean"]}
"""A string; devlog shows numbers and booleans as they are written."""
_LIST: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}
_AUTHOR: Schema = {"anyOf": [{"type": "string"}, {"type": "object"}]}
_WORDS = "|".join("".join(f"[{c.upper()}{c}]" for c in word) for word in ("true", "yes", "on", "false", "no", "off"))
_BOOLEAN: list[Schema] = [
    {"type": "boolean"},
    {"type": "integer", "minimum": 0, "maximum": 1},
    {"type": "string", "pattern": rf"^\s*({_WORDS}|[01])\s*$"},
]
"""What `devlog.parse.front_matter.values.boolean_of` takes for true or false."""
_INTEGER: list[Schema] = [
    {"type": "integer", "minimum": -999_999_999, "maximum": 999_999_999},
    {"type": "string", "pattern": r"^\s*[+-]?[0-9]{1,9}\s*$"},
]
"""What `devlog.parse.front_matter.values.integer_of` takes for a whole number."""
_SCALAR: Schema = {"type": ["boolean", "string", "number"]}
_TYPES: dict[Any, Schema] = {
    str: TEXT,
    Date: {"type": "string"},
    bool: {"anyOf": _BOOLEAN},
    int: {"anyOf": _INTEGER},
}
_VALUES: dict[str, Schema] = {
    "authors": {"anyOf": [*_AUTHOR["anyOf"], {"type": "array", "items": _AUTHOR}]},
    "tags": _LIST,
    "categories": _LIST,
    "aliases": _LIST,
    "series": {"anyOf": [*_LIST["anyOf"], {"type": "object"}]},
    "image": {"anyOf": [*_LIST["anyOf"], {"type": "object"}]},
}
"""The fields whose values have another form in front matter than in the code."""
_BY_KEY: dict[str, Schema] = {
    "render": _SCALAR,
    "comments": {"anyOf": [*_BOOLEAN, {"type": "object"}]},
    "comment": _SCALAR,
    "toc": {"anyOf": [*_BOOLEAN, {"type": "object"}]},
    "pubDate": TEXT,
    "published": TEXT,
}
"""Keys that have other values, too."""


def front_matter_schema(plugins: Iterable[Plugin] = ()) -> Schema:
    """The JSON schema of the front matter of posts, pages and topics.

    Any other key is allowed, since sites have keys of their own. A spelling that is not the first one is valid and not
    offered.

    Args:
        plugins: the plugins of the site, whose keys belong to its front matter.
    """
    about = section(DOCUMENT, "Front matter")
    properties: Schema = {}
    for field, spellings in SPELLINGS.items():
        _add(properties, spellings.split(), _schema_of(field), about)
    for plugin in (*features(), *plugins):
        keys = plugin.front_matter
        schemas: Mapping[str, Schema] = keys.schemas() if keys and keys.schemas else {}
        for field, spellings in keys.spellings.items() if keys else ():
            _add(properties, spellings.split(), schemas.get(field, {}), about)
    return {"$schema": DRAFT, "title": "Front matter of a devlog", "type": ["object", "null"], "properties": properties}


def _schema_of(field: str) -> Schema:
    """The schema of the values of one of devlog's own fields."""
    if field in _VALUES:
        return _VALUES[field]
    hint = typing.get_type_hints(FrontMatter)[field]
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return next(_TYPES[kind] for kind in kinds if kind in _TYPES)


def _add(properties: Schema, spellings: list[str], schema: Schema, about: Section) -> None:
    """Add the spellings of a key to the properties that this module is making."""
    plain_keys = [key for key in spellings if "." not in key]
    described = [key for key in plain_keys if _row(about, key)]
    for key in plain_keys:
        value = _optional(_BY_KEY.get(key, schema))
        if row := _row(about, key):
            value = {"description": _meaning(row), **_with_inner(value, row)}
        elif described:
            value = {"description": f"another spelling of {described[0]}", **value, "doNotSuggest": True}
        else:
            value = {**value, "doNotSuggest": True}
        properties.setdefault(key, value)
    if not plain_keys and spellings:  # keys that are only in a table
        table, _, key = spellings[0].partition(".")
        row = _row(about, table)
        described_as = {"description": _meaning(row)} if row else {}
        outer = properties.setdefault(table, {**described_as, "type": ["object", "null"], "properties": {}})
        outer["properties"][key] = schema


def _row(about: Section, key: str) -> Row | None:
    return next((row for row in about.rows if key in row.keys), None)


def _meaning(row: Row) -> str:
    """What the document says about a key: its value, and what happens without it."""
    value, *missing = map(plain, row.cells)
    return "; ".join([value, *(f"if missing: {text}" for text in missing)])


def _with_inner(schema: Schema, row: Row) -> Schema:
    """A schema whose tables have descriptions, from the section that the row links to."""
    about = linked(row.cells[0], DOCUMENT)
    return {**schema, "anyOf": [_described(one, about) for one in schema["anyOf"]]} if "anyOf" in schema else schema


def _described(schema: Schema, about: Section) -> Schema:
    properties = schema.get("properties")
    if not properties:
        items = schema.get("items")
        return {**schema, "items": _described(items, about)} if isinstance(items, dict) else schema
    return {**schema, "properties": dict(_inner(properties, about))}


def _inner(properties: Schema, about: Section) -> Iterator[tuple[str, Schema]]:
    for key, value in properties.items():
        row = _row(about, key)
        yield key, {"description": plain(row.cells[0]), **value} if row else value


def _optional(schema: Schema) -> Schema:
    """The schema of a value that may also be missing after its key, as in templates."""
    if not schema:
        return schema
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"], **({"enum": [*schema["enum"], None]} if "enum" in schema else {})}
