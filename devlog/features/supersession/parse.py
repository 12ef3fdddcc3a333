"""Reads front matter about the status of a source: supersession, reviews, and disclosure of AI."""

from __future__ import annotations

from typing import Any

from devlog.features.supersession import problems
from devlog.features.supersession.model.provenance import STATUSES, Ai
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Ref
from devlog.model.problems import nearest
from devlog.parse.front_matter import problems as front_matter_problems
from devlog.parse.front_matter import values
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar

Read = tuple[object, list[Diagnostic]]
"""A value, which is empty if there is none, and its diagnostics."""

_FOREIGN = frozenset("draft published publish hidden public private unlisted listed live".split())
"""Values by which other generators mean the publication state."""

_MEANT = {
    **dict.fromkeys("active maintained ok uptodate valid".split(), "current"),
    **dict.fromkeys("obsoleted replaced".split(), "superseded"),
    **dict.fromkeys("archive archived deprecated expired legacy obsolete old outdated stale".split(), "historical"),
}

_PARTS = {
    **dict.fromkeys(("drafted", "draftedby", "draftedwith"), "drafted"),
    "editedby": "edited_by",
    "note": "note",
}

_EXPECTED = "true, a string, or “drafted” and “edited_by”"

_NOTHING = frozenset({"none"})


def _fold(key: str) -> str:
    return key.strip().lower().replace("_", "").replace("-", "")


def read_provenance(field: str, entry: Entry) -> Read:
    """Read the key of a field.

    Args:
        field: a field of `Provenance`.
        entry: the key with its value.

    Returns:
        The value, which is empty if there is none, and its diagnostics.
    """
    return _READERS[field](entry)


def _status(entry: Entry) -> Read:
    text = values.line_of(entry)
    if isinstance(text, Diagnostic):
        return "", [text]
    word = text.lower()
    if word in STATUSES:
        return word, []
    if word in _FOREIGN:
        return "", []
    near = _MEANT.get(_fold(word).replace(" ", "")) or nearest(word, STATUSES)
    return "", [problems.unknown_status(_span_of(entry), text, near)]


def _texts(entry: Entry) -> Read:
    scalars, faults = values.strings_of(entry, "")
    some, more = values.limited(entry.key.text, scalars)
    return tuple(Ref("link", scalar.text, scalar.span) for scalar in some), [*faults, *more]


def _reviewed(entry: Entry) -> Read:
    date = values.date_of(entry)
    if not isinstance(date, Diagnostic):
        return date, []
    if _is_no(entry.value):
        return None, []
    return None, [front_matter_problems.bad_value(_span_of(entry), entry.key.text, "a date such as 2026-05-03")]


def _applies_to(entry: Entry) -> Read:
    scalars, faults = values.strings_of(entry, "")
    return ", ".join(scalar.text for scalar in scalars), [*faults]


def _ai(entry: Entry) -> Read:
    node = entry.value
    if isinstance(node, Mapping):
        return _parts(entry, node)
    text = values.line_of(entry)
    if isinstance(text, Diagnostic):
        return None, [front_matter_problems.bad_value(_span_of(entry), entry.key.text, _EXPECTED)]
    if _is_no(node):
        return None, []
    if _is_yes(node):
        return Ai(), []
    if not any(letter.isalpha() for letter in text):
        return None, [front_matter_problems.bad_value(_span_of(entry), entry.key.text, _EXPECTED)]
    return (Ai(note=text) if text.endswith((".", "!", "?", "。")) else Ai(drafted=text)), []


def _parts(entry: Entry, node: Mapping) -> Read:
    """The disclosure that is given as a table of parts."""
    parts: dict[str, str] = {}
    found: list[Diagnostic] = []
    is_said = False
    for part in node.entries:
        name = _PARTS.get(_fold(part.key.text))
        if name is None:
            found.append(problems.unknown_part(part.key.span, part.key.text, entry.key.text, ("drafted", "edited_by")))
        elif _is_empty(part.value) or _is_no(part.value):
            continue
        elif _is_yes(part.value):
            is_said = True
        else:
            scalars, faults = values.strings_of(part, "")
            found += faults
            parts[name] = _joined([scalar.text for scalar in scalars])
            is_said = is_said or bool(scalars)
    return (Ai(**parts) if is_said else None), found


def _joined(texts: list[str]) -> str:
    """Texts joined as in a sentence: “A”, “A and B”, “A, B and C”."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


_READERS = {
    "status": _status,
    "supersedes": _texts,
    "superseded_by": _texts,
    "reviewed": _reviewed,
    "applies_to": _applies_to,
    "ai": _ai,
}


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and (node.is_null or not node.text.strip())


def _is_no(node: Node) -> bool:
    return isinstance(node, Scalar) and (values.boolean(node.text) is False or node.text.strip().lower() in _NOTHING)


def _is_yes(node: Node) -> bool:
    return isinstance(node, Scalar) and values.boolean(node.text) is True


def _span_of(entry: Entry) -> Span:
    return entry.value.span if entry.value.span.length else entry.key.span


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of the value of each field of `Provenance`."""
    text: dict[str, Any] = {"type": ["string", "number"]}
    texts = {"anyOf": [text, {"type": "array", "items": text}]}
    parts = {"drafted": {"anyOf": [*texts["anyOf"], {"type": "boolean"}]}, "edited_by": texts}
    return {
        "status": {"type": "string", "examples": [*STATUSES]},  # other generators use other values
        "supersedes": texts,
        "superseded_by": texts,
        "reviewed": {"type": ["string", "boolean"]},
        "applies_to": texts,
        "ai": {"anyOf": [{"type": ["string", "boolean"]}, {"type": "object", "properties": parts}]},
    }
