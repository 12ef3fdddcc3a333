"""JSON schemas of the files that people write, for editors: types from the code, descriptions from the documents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from devlog.plugin import Plugin


def schema_of(kind: str, plugins: Iterable[Plugin] = ()) -> dict[str, Any]:
    """The JSON schema of a kind of file.

    Args:
        kind: ``config``, ``front-matter`` or ``authors``.
        plugins: the plugins of the site.
    """
    from devlog.json_schema.config import authors_schema, config_schema
    from devlog.json_schema.front_matter import front_matter_schema

    if kind == "authors":
        return authors_schema()
    return config_schema(plugins) if kind == "config" else front_matter_schema(plugins)


def as_json(schema: dict[str, Any]) -> str:
    """A schema as the text of a file."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
