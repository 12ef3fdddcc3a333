"""The JSON schemas of ``devlog.toml`` and of the authors file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from devlog.built_in import built_in_themes
from devlog.config import AuthorEntry, Config
from devlog.config_file.reader import FORMER
from devlog.json_schema.descriptions import Row, Section, linked, plain, section, sections
from devlog.parse.front_matter.authors_file import SPELLINGS as AUTHOR_SPELLINGS
from devlog.plugin import Plugin
from devlog.plugins.codes import codes
from devlog.plugins.features import known_codes

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The draft of JSON Schema that editors for TOML and YAML know."""

DOCUMENT = "configuration.md"
"""The document that describes each key."""

_TOP = "Top level"
"""The section about the keys outside of tables."""

Schema = dict[str, Any]


def config_schema(plugins: Iterable[Plugin] = ()) -> Schema:
    """The JSON schema of ``devlog.toml``.

    Args:
        plugins: the plugins of the site, whose codes ``[severity]`` may name.
    """
    schema = _of(Config)
    properties = schema["properties"]
    _describe(schema, section(DOCUMENT, _TOP))
    for key, value in properties.items():
        table = table_of(key)
        if table.title:
            value["description"] = plain(table.intro) or value.get("description", "")
            _describe(struct_in(value), table)
    for (table_name, former), now in FORMER.items():
        inner = properties[table_name]["properties"]
        inner[former] = {**inner[now], "description": f"the former name of {now}", **_ANOTHER}
    severities = properties["severity"]
    definitions = {"severity": severities["additionalProperties"]}
    of_code = {"$ref": "#/definitions/severity"}
    severities["properties"] = dict.fromkeys(sorted({*known_codes(), *codes(plugins)}), of_code)
    theme = tomllib.loads((built_in_themes() / "default" / "theme.toml").read_text("utf-8"))
    settings = properties["settings"]
    settings["properties"] = {
        name: {**settings["additionalProperties"], "default": value} for name, value in theme["settings"].items()
    }
    _describe(settings, table_of("settings"))
    return {"$schema": DRAFT, "title": "The configuration of devlog", **schema, "definitions": definitions}


def authors_schema() -> Schema:
    """The JSON schema of the authors file, ``content/authors.yml``."""
    entry = _of(AuthorEntry)
    del entry["additionalProperties"]  # authors files of other generators have many keys
    _describe(entry, table_of("authors"))
    links = {"type": "array", "items": {"type": ["string", "object"]}}
    known = entry["properties"]
    known["links"] = {"description": known["links"]["description"], "anyOf": [known["links"], links]}
    for spelling, key in AUTHOR_SPELLINGS.items():
        known[spelling] = {"description": f"another spelling of {key}", **_ANOTHER}
    return {"$schema": DRAFT, "title": "Authors of a devlog", "type": "object", "additionalProperties": entry}


_ANOTHER: Schema = {"deprecated": True, "doNotSuggest": True}
"""Marks a key that works, but that editors should not offer."""


def table_of(key: str) -> Section:
    """The section about a table of the configuration; an empty one if there is none."""
    pattern = re.compile(rf"`\[+{re.escape(key)}(?:\.[A-Z]+)?\]+`")
    return next((one for one in sections(DOCUMENT) if pattern.fullmatch(one.title)), Section("", "", ()))


def meaning(row: Row) -> str:
    """What a row of the document says about its key, as Markdown."""
    return row.cells[-1]


def _of(kind: type[msgspec.Struct]) -> Schema:
    """The schema of a struct. Every struct stands where it is used: some editors ignore keys beside a reference."""
    schema = msgspec.json.schema(kind)
    whole = _expanded(schema, schema["$defs"])
    assert isinstance(whole, dict)
    return whole


def _expanded(node: Any, structs: Mapping[str, Any]) -> Any:
    if isinstance(node, list | tuple):
        return [_expanded(item, structs) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _expanded(structs[node["$ref"].rpartition("/")[2]], structs)
    if "properties" not in node:
        return {key: _expanded(value, structs) for key, value in node.items() if key != "default" or value != {}}
    properties = {key: _expanded(value, structs) for key, value in node["properties"].items()}
    required = {"required": node["required"]} if node["required"] else {}
    description = " ".join(node.get("description", "").partition("\n\n")[0].split())
    return {
        "type": "object",
        "description": plain(description.replace("``", "`")),
        "properties": properties,
        **required,
        "additionalProperties": False,
    }


def struct_in(schema: Schema) -> Schema:
    """The schema of the struct that a key may have as its value, or that its list or table has as values."""
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())]
    return next((one for one in inner if isinstance(one, dict) and "properties" in one), schema)


def _describe(schema: Schema, about: Section) -> None:
    """Add the descriptions of a section to the keys of a schema that this module has just made."""
    properties = schema.get("properties", {})
    for row in about.rows:
        for key in row.keys:
            if key not in properties:
                continue
            if not meaning(row).startswith("see ["):
                properties[key]["description"] = plain(meaning(row))
            if about.title != _TOP:  # a table in a table is described where its row leads
                _describe(struct_in(properties[key]), linked(" ".join(row.cells), DOCUMENT))
