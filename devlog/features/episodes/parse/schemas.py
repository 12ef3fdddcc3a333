"""The JSON Schema of the blocks ``audio`` and ``podcast``, for editors."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_LINE: Schema = {"type": ["string", "number"]}
_COUNT: Schema = {"type": "integer", "minimum": 1}
_TIME: Schema = {"type": ["string", "number"]}
_BOOLEAN: Schema = {"type": "boolean"}


def schemas() -> dict[str, Schema]:
    """The JSON Schema of the value of each field of `AudioFrontMatter`."""
    return {
        "audio": {"anyOf": [_TEXT, _block(_AUDIO)]},
        "podcast": {"anyOf": [_BOOLEAN, _block(_PODCAST)]},
    }


def _block(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _one_or_more(*kinds: Schema) -> Schema:
    return {"anyOf": [*kinds, {"type": "array", "items": {"anyOf": [*kinds]}}]}


_PEOPLE = _one_or_more(_TEXT, _block({**dict.fromkeys(("name", "role", "group", "url", "image"), _TEXT)}))
_CHAPTER = _block({"start": _TIME, "end": _TIME, "title": _LINE, "url": _TEXT, "image": _TEXT, "toc": _BOOLEAN})

_AUDIO: Schema = {
    "file": _TEXT,
    "url": _TEXT,
    "length": _COUNT,
    "type": {"type": "string", "pattern": "^(?:audio|video)/"},
    "duration": _TIME,
    "season": _COUNT,
    "episode": _COUNT,
    "episode_type": {"enum": ["full", "trailer", "bonus"]},
    "explicit": {"enum": [True, False, "clean", "explicit"]},
    "people": _PEOPLE,
    "image": _TEXT,
    "chapters": {"anyOf": [_TEXT, {"type": "object"}, {"type": "array", "items": {"anyOf": [_TEXT, _CHAPTER]}}]},
    "transcript": _TEXT,
}
_PODCAST: Schema = {
    "title": _LINE,
    "description": _LINE,
    "author": _LINE,
    "owner": {"anyOf": [_TEXT, _block({"name": _TEXT, "email": _TEXT})]},
    "image": _TEXT,
    "category": _one_or_more(_TEXT, {"type": "object"}),
    "categories": _one_or_more(_TEXT, {"type": "object"}),
    "explicit": {"enum": [True, False, "clean", "explicit"]},
    "type": {"enum": ["episodic", "serial"]},
    "language": _TEXT,
    "copyright": _LINE,
    "license": {"anyOf": [_TEXT, _block({"name": _TEXT, "url": _TEXT})]},
    "locked": _BOOLEAN,
    "guid": _TEXT,
    "link": _TEXT,
    "funding": {"anyOf": [_TEXT, _block({"url": _TEXT, "title": _LINE})]},
    "people": _PEOPLE,
}
