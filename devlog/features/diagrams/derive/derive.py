"""Renders diagrams with configured commands, before pages are planned."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from devlog import config
from devlog.deriving import Deriving
from devlog.features.diagrams import problems
from devlog.inputs import digest_of, read_configuration
from devlog.model.derived import Made, MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Diagram
from devlog.model.image import Drawings, ImageFile, diagram_key
from devlog.model.target import Copy
from devlog.programs import program_of


def derive_drawings(work: Deriving) -> Drawings:
    """The diagrams of published sources, rendered by configured commands."""
    shown = tuple(diagram for parsed in work.references.sources() for diagram in parsed.document.diagrams)
    if not shown or work.effort is None:
        return Drawings()
    configured = work.inputs.config.diagrams
    tools = {language: _tools(work.root, one, work.inputs.named) for language, one in configured.items()}
    works = {
        diagram_key(diagram.language, diagram.text): _drawing(diagram, tools[diagram.language])
        for diagram in shown
        if diagram.language in configured and configured[diagram.language].command
    }
    drawn = work.stages.derive(tuple(works.values()), _nothing_to_read, partial(_draw, work), "diagrams")
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


def _tools(root: Path, configured: config.Diagram, named: Mapping[str, str]) -> dict[str, Any]:
    """The inputs of drawing the diagrams of a language, besides the diagram: if one changes, all are drawn again.

    Args:
        root: the site's folder.
        configured: how they are drawn.
        named: the digests of the files of the site that commands name.
    """
    parts: dict[str, Any] = {"command": list(configured.command), "program": program_of(configured.command)}
    if configured.names_root:
        parts["root"] = str(root.resolve())
        parts["programs"] = [named[file] for file in configured.programs]
    return parts


def _drawing(diagram: Diagram, tools: Mapping[str, Any]) -> Work:
    """The work that renders a diagram."""
    parts = {"language": diagram.language, "text": diagram.text, **tools}
    return Work("devlog.features.diagrams.derive.draw:draw", parts)


def _draw(work: Deriving, works: Sequence[Work]) -> list[Made]:
    """Draw diagrams. If a program was replaced meanwhile, its drawings are not cached for either version."""
    if not works:
        return []
    from devlog.features.diagrams.derive.draw import draw_all  # with all that starts programs: they are seldom run

    made = draw_all(works)
    configured = work.inputs.config.diagrams
    named = {file: digest_of(work.root, file) for one in configured.values() for file in one.programs}
    tools = {language: _tools(work.root, one, named) for language, one in configured.items()}
    return [
        result if one.parts == one.parts | tools[one.parts["language"]] else _REPLACED
        for one, result in zip(works, made, strict=True)
    ]


_REPLACED = Made(problem="the program that draws it has changed during the build", retry=True)


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
