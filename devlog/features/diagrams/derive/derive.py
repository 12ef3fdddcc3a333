"""Renders diagrams with configured commands, before pages are planned."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from devlog import config
from devlog.deriving import Deriving
from devlog.features.diagrams import problems
from devlog.inputs import Inputs, read_configuration
from devlog.model.derived import MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Diagram
from devlog.model.image import Drawings, ImageFile, diagram_key
from devlog.model.target import Copy
from devlog.programs import program_of


def derive_drawings(work: Deriving) -> Drawings:
    """The diagrams of published sources, rendered by configured commands."""
    shown = tuple(diagram for parsed in work.references.texts() for diagram in parsed.document.diagrams)
    if not shown or work.effort is None:
        return Drawings()
    from devlog.features.diagrams.derive.draw import (
        draw_all,  # imported here since most sites have no diagrams and start no programs
    )

    configured = work.inputs.config.diagrams
    programs = {language: program_of(configured[language].command) for language in configured}
    works = {
        diagram_key(diagram.language, diagram.text): _drawing(
            work.root, work.inputs, diagram, configured[diagram.language], programs[diagram.language]
        )
        for diagram in shown
        if diagram.language in configured and configured[diagram.language].command
    }
    drawn = work.stages.derive(tuple(works.values()), _nothing_to_read, draw_all, "diagrams")
    made = dict(zip(works, drawn, strict=True))
    by_key = {}
    for key, derived in made.items():
        if derived.blobs:
            (blob,) = derived.blobs
            size = derived.facts
            by_key[key] = ImageFile(f"/diagrams/{blob}.svg", "image/svg+xml", size["width"], size["height"], blob)
    wrong = [_undrawn(diagram, made) for diagram in shown]
    wrong += _unasked(shown, configured)
    wrong += _missing_scripts(work, {diagram.language for diagram in shown})
    return Drawings(by_key, tuple(item for item in wrong if item))


def _drawing(root: Path, inputs: Inputs, diagram: Diagram, configured: config.Diagram, program: str) -> Work:
    """The work that renders a diagram. It includes the version of the program, so that a new one renders all again."""
    command = configured.command
    parts: dict[str, Any] = {"language": diagram.language, "text": diagram.text, "command": list(command)}
    parts["program"] = program
    if configured.programs:
        parts["root"] = str(root.resolve())
        parts["programs"] = [inputs.named[file] for file in configured.programs]
    return Work("devlog.features.diagrams.derive.draw:draw", parts)


def _nothing_to_read(_file: Copy) -> bytes:
    return b""


def _undrawn(diagram: Diagram, made: Mapping[str, MadeRecord]) -> Diagnostic | None:
    """Why a diagram could not be rendered, at the line of the diagram that caused it, or else at its fence."""
    derived = made.get(diagram_key(diagram.language, diagram.text))
    if derived is None or derived.blobs:
        return None
    span = diagram.span
    if derived.line > 0:
        span = Span(span.path, span.line + derived.line)
    return problems.diagram_failed(span, diagram.language, derived.problem)


def _unasked(shown: Iterable[Diagram], configured: Container[str]) -> list[Diagnostic]:
    """A hint for each language without configuration, at its first use."""
    first: dict[str, Span] = {}
    for diagram in sorted(shown, key=lambda diagram: diagram.span):
        if diagram.language not in configured:
            first.setdefault(diagram.language, diagram.span)
    return [problems.diagrams_as_text(span, language) for language, span in first.items()]


def _missing_scripts(work: Deriving, languages: Container[str]) -> list[Diagnostic]:
    """Diagnostics about scripts that render diagrams but are not among the files of the site."""
    wrong = []
    for language, diagram in work.inputs.config.diagrams.items():
        if language in languages and diagram.script.startswith("/") and work.claims().is_free(diagram.script):
            _, _, span_of = read_configuration(work.root)
            wrong.append(problems.no_diagram_script(span_of("diagrams", language, "script"), diagram.script))
    return wrong
