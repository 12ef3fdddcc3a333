"""The registry of authors in ``content/authors.yml``."""

from __future__ import annotations

from typing import Any

import msgspec

from devlog.config import AuthorEntry
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.tree import Entry, Mapping, Scalar, Sequence
from devlog.parse.yaml_events import read_yaml

_KNOWN = AuthorEntry.__struct_fields__


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
    return msgspec.convert(values, AuthorEntry, strict=False)


def _value(entry: Entry) -> Any:
    value = entry.value
    if entry.key.text == "aliases":
        items = value.items if isinstance(value, Sequence) else (value,)
        return tuple(item.text for item in items if isinstance(item, Scalar))
    text = value.text if isinstance(value, Scalar) else ""
    return text.lower() in ("true", "yes") if entry.key.text == "team" else text
