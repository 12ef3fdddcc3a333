"""Reads the front matter of a reading path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devlog.features.reading_paths import problems
from devlog.features.reading_paths.model.declared import DeclaredStep, Requirement
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Ref
from devlog.parse.front_matter import problems as front_matter_problems
from devlog.parse.front_matter import values
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence

Read = tuple[object, list[Diagnostic]]
"""A value, which is empty if there is none, and its diagnostics."""

_KEYS = ("post", "why", "before")
_STEPS = "a list of posts, each with “post” and “why”"
_BEFORE = "a list of links or sentences"


def read_path(field: str, entry: Entry) -> Read:
    """Read the key of a field.

    Args:
        field: a field of `DeclaredPath`.
        entry: the key with its value.

    Returns:
        The value, which is empty if there is none, and its diagnostics.
    """
    return _steps(entry) if field == "steps" else _before(entry)


def _steps(entry: Entry) -> Read:
    if not isinstance(entry.value, Sequence):
        return (), [_wrong(entry, _STEPS)]
    found: list[Diagnostic] = []
    steps = []
    for item in entry.value.items:
        step, faults = _step(item, entry)
        found += faults
        steps += [step] if step else []
    some, more = _limited(entry.key.text, steps)
    return some, [*found, *more]


def _limited(key: str, steps: list[DeclaredStep]) -> tuple[tuple[DeclaredStep, ...], Iterable[Diagnostic]]:
    _, more = values.limited(key, [step.ref for step in steps])
    return tuple(steps[: values.MOST]), more


def _step(item: Node, entry: Entry) -> tuple[DeclaredStep | None, list[Diagnostic]]:
    if isinstance(item, Scalar):
        return (None, []) if _is_empty(item) else (DeclaredStep(_link(item)), [])
    if not isinstance(item, Mapping):
        return None, [front_matter_problems.bad_value(item.span, entry.key.text, _STEPS)]
    found: list[Diagnostic] = []
    parts: dict[str, Entry] = {}
    for part in item.entries:
        name = part.key.text.strip().lower()
        if name in _KEYS:
            parts[name] = part
        else:
            found.append(problems.unknown_step_key(part.key.span, part.key.text, _KEYS))
    post = parts["post"].value if "post" in parts else None
    if not isinstance(post, Scalar) or _is_empty(post):
        span = parts["post"].key.span if "post" in parts else item.span
        return None, [*found, front_matter_problems.bad_value(span, entry.key.text, _STEPS)]
    why, faults = _sentence(parts["why"]) if "why" in parts else ("", [])
    found += faults
    before, faults = _before(parts["before"]) if "before" in parts else ((), [])
    return DeclaredStep(_link(post), why, before), [*found, *faults]


def _sentence(entry: Entry) -> tuple[str, list[Diagnostic]]:
    text = values.line_of(entry)
    if isinstance(text, Diagnostic):
        return "", [text]
    wrong = values.too_long(entry.key.text, len(text), entry.value.span)
    return ("" if wrong else text), list(wrong)


def _before(entry: Entry) -> tuple[tuple[Requirement, ...], list[Diagnostic]]:
    if isinstance(entry.value, Mapping):
        return (), [_wrong(entry, _BEFORE)]
    scalars, faults = values.strings_of(entry, "")
    some, more = values.limited(entry.key.text, scalars)
    found = [*faults, *more]
    required = []
    for scalar in some:
        wrong = values.too_long(entry.key.text, len(scalar.text), scalar.span)
        found += wrong
        required += [] if wrong else [_requirement(scalar)]
    return tuple(required), found


def _requirement(scalar: Scalar) -> Requirement:
    """A link if it has no space, as in Markdown, and is more than a word; else a sentence."""
    is_link = " " not in scalar.text and ("/" in scalar.text or "." in scalar.text)
    return Requirement(_link(scalar)) if is_link else Requirement(text=scalar.text)


def _link(scalar: Scalar) -> Ref:
    return Ref("link", scalar.text.strip(), scalar.span)


def _is_empty(node: Scalar) -> bool:
    return node.is_null or not node.text.strip()


def _wrong(entry: Entry, expected: str) -> Diagnostic:
    span = entry.value.span if entry.value.span.length else entry.key.span
    return front_matter_problems.bad_value(span, entry.key.text, expected)


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of the value of each field of `DeclaredPath`."""
    text = {"type": "string"}
    before = {"anyOf": [text, {"type": "array", "items": text}]}
    step = {
        "type": "object",
        "properties": {"post": text, "why": text, "before": before},
        "required": ["post"],
        "additionalProperties": False,
    }
    return {"steps": {"anyOf": [{"type": "array", "items": {"anyOf": [text, step]}}]}, "before": before}
