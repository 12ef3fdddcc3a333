"""The registry of authors in ``content/authors.yml``."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from devlog.config import AuthorEntry
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.tree import Entry, Mapping, Scalar, Sequence
from devlog.parse.yaml_events import read_yaml

_KNOWN = AuthorEntry.__struct_fields__
# As registries of other generators spell it; a key that is set by its own name counts first.
_SPELLINGS = {
    "display_name": "name",
    "web": "url",
    "website": "url",
    "homepage": "url",
    "uri": "url",
    "link": "url",
    "picture": "avatar",
    "photo": "avatar",
    "image": "avatar",
    "org": "affiliation",
    "company": "affiliation",
}
_ACCOUNT = re.compile(r"[A-Za-z0-9_-]{1,39}")
_PROFILES = {"github": "https://github.com/", "twitter": "https://twitter.com/"}


def read_registry(text: str, file: str) -> tuple[dict[str, AuthorEntry], tuple[Diagnostic, ...]]:
    """Read a registry: a mapping of handles to what is known of each author.

    Args:
        text: of the file.
        file: its name in messages.

    Returns:
        The entries by handle, and what is wrong with the file. Keys that devlog gives no meaning are passed
        over: registries of other generators have many.
    """
    tree, diagnostics = read_yaml(text, file, 1)
    found: dict[str, AuthorEntry] = {}
    wrong = list(diagnostics)
    if not isinstance(tree, Mapping):
        if tree is not None:
            wrong.append(problems.bad_registry(Span(file, 1)))
        return found, tuple(wrong)
    for entry in tree.entries:
        if isinstance(entry.value, Mapping):
            found[entry.key.text] = _author(entry.value)
        else:
            wrong.append(problems.bad_registry(entry.key.span))
    return found, tuple(wrong)


def _author(mapping: Mapping) -> AuthorEntry:
    values: dict[str, Any] = {}
    for entry in mapping.entries:
        if entry.key.text in _KNOWN:
            values[entry.key.text] = _value(entry)
    for entry in mapping.entries:
        key, value = entry.key.text, entry.value
        if not isinstance(value, Scalar) or value.is_null:
            continue
        if key in _SPELLINGS:
            values.setdefault(_SPELLINGS[key], value.text)
        elif key in _PROFILES and _ACCOUNT.fullmatch(value.text.removeprefix("@")):
            values.setdefault("url", _PROFILES[key] + value.text.removeprefix("@"))
    return msgspec.convert(values, AuthorEntry, strict=False)


def _value(entry: Entry) -> Any:
    value = entry.value
    if entry.key.text == "aliases":
        items = value.items if isinstance(value, Sequence) else (value,)
        return tuple(item.text for item in items if isinstance(item, Scalar))
    text = value.text if isinstance(value, Scalar) else ""
    return text.lower() in ("true", "yes") if entry.key.text == "team" else text
