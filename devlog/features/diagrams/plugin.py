"""Registers rendered diagrams as a feature of devlog. Sites without diagrams load nothing else of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devlog.model.derived import Derived
from devlog.model.document import Parsed
from devlog.model.image import Drawings
from devlog.plugin import Codes, ExternalInputs, Late, Outline, Plugin

_RECORD = "devlog.features.diagrams.build_record"
_derive = Late("devlog.features.diagrams.derive.derive:derive_drawings")
_plan = Late("devlog.features.diagrams.assemble:plan_drawings")


def derive_drawings(work: Any) -> Any:
    """The diagrams of published sources; see `devlog.features.diagrams.derive.derive`."""
    has_diagrams = any(parsed.document.diagrams for parsed in work.references.sources())
    return _derive(work) if has_diagrams and work.effort is not None else Drawings()


def draws_alike(old: Parsed, new: Parsed, _derived: Derived) -> bool:
    """Whether two versions of a source have the same diagrams, at the same positions."""
    return old.document.diagrams == new.document.diagrams


def plan_drawings(outline: Outline) -> Iterable[Any]:
    """The files to publish; see `devlog.features.diagrams.assemble`."""
    found: Iterable[Any] = () if outline.derived.of(Drawings) == Drawings() else _plan(outline)
    return found


PLUGIN = Plugin(
    "diagrams",
    codes=Codes("bad-diagrams diagram-failed diagrams-as-text"),
    derive=derive_drawings,
    derives_alike=draws_alike,
    plans=(plan_drawings,),
    external_inputs=ExternalInputs(Late(f"{_RECORD}:asked"), Late(f"{_RECORD}:ask_again")),
)
