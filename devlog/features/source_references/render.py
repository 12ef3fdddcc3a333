"""Renders ``refs.json`` and ``source.json``, the source references of posts for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devlog.features.source_references.model.reference import Reference, ReferencePost
from devlog.model.target import Resources, Target
from devlog.render.machine import write_json


def recipe(target: Target, _resources: Resources) -> bytes:
    """The recipe for ``refs.json``."""
    return refs(target.context["references"])


def source_map(target: Target, _resources: Resources) -> bytes:
    """The recipe for ``source.json``."""
    return write_json(target.context["source"])


def refs(references: Sequence[Reference]) -> bytes:
    """``refs.json``: everything that posts refer to, each with its posts, newest first."""
    return write_json({"refs": [_reference(*item) for item in references]})


def _reference(kind: str, id_: str, url: str, posts: Sequence[ReferencePost]) -> dict[str, Any]:
    names = ReferencePost._fields
    return {"kind": kind, "id": id_, "url": url, "posts": [dict(zip(names, post, strict=True)) for post in posts]}
