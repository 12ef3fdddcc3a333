"""Renders diagrams with programs, before pages are planned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from devlog.assemble.site_context import DRAWING
from devlog.deriving import Deriving
from devlog.features.diagrams import problems
from devlog.features.diagrams.derive.script import derive_script
from devlog.features.diagrams.disk import (
    NPM_PACKAGE,
    PROGRAMS,
    SAFE_SCRIPT,
    Renderer,
    Script,
    is_refused,
    renderer_of,
    script_of,
)
from devlog.inputs import identity_of
from devlog.installation import installation
from devlog.model.derived import Facts, Made, MadeRecord, Work
from devlog.model.diagnostic import Diagnostic, Span, limited
from devlog.model.document import Diagram
from devlog.model.image import Drawings, ImageFile, diagram_key
from devlog.model.target import Copy

STAGE = "Drawing diagrams"


class _Drawn(NamedTuple):
    """Diagrams with what draws them, by key; the keys of those that are refused; and the first post of each."""

    works: dict[str, Work]
    refused: frozenset[str]
    posts: dict[str, str]

    def post_of(self, work: Work) -> str:
        """The post for which a diagram is drawn."""
        return self.posts[diagram_key(work.parts["language"], work.parts["text"])]


def derive_drawings(work: Deriving) -> Drawings:
    """The diagrams of published sources, of which there are some, rendered by programs."""
    shown = tuple(diagram for parsed in work.references.sources() for diagram in parsed.document.diagrams)
    configured = work.inputs.config.diagrams
    languages = sorted({diagram.language for diagram in shown})
    renderers = _renderers(work, languages, work.inputs.programs)
    plan = _planned(shown, renderers)
    made = _made(work, plan)
    light: dict[str, ImageFile] = {}
    dark: dict[str, ImageFile] = {}
    for key, derived in made.items():
        files = [_file(blob, derived) for blob in derived.blobs]
        light |= {key: files[0]} if files else {}
        dark |= {key: files[1]} if len(files) > 1 else {}
    wrong = [_undrawn(diagram, made, plan.refused) for diagram in shown]
    wrong += _missing_scripts(work, languages)
    unnamed = [language for language in languages if language not in configured]
    package = work.inputs.config.in_theme_folder(NPM_PACKAGE)
    scripts = {language: script_of(language, work.root, package) for language in unnamed if language not in renderers}
    draws = any(asset.path == DRAWING for asset in work.inputs.loaded.theme.assets)
    wrong += _as_text(shown, scripts, draws=draws)
    identities = {language: found.identity for language, found in {**renderers, **scripts}.items() if found}
    asked = [language for language in languages if language in renderers or language not in configured]
    safe = {language: script for language, script in scripts.items() if draws and script and script.is_safe}
    read = {language: derive_script(work, script) for language, script in safe.items()}
    used = {language: files for language, files in read.items() if not isinstance(files, str)}
    wrong += [
        problems.diagram_failed(diagram.span, diagram.language, f"{package} cannot be read: {reason}")
        for diagram in shown
        if isinstance(reason := read.get(diagram.language), str)
    ]
    return Drawings(
        light,
        dark,
        {language: identities.get(language, "") for language in asked},
        {language: script.permalink for language, script in used.items()},
        {permalink: blob for script in used.values() for permalink, blob in script.blobs.items()},
        limited(item for item in wrong if item),
    )


def _renderers(work: Deriving, languages: Iterable[str], named: Mapping[str, str]) -> dict[str, Renderer]:
    """What draws each of some languages, of those that something draws."""
    configured = work.inputs.config.diagrams
    found = {language: renderer_of(language, configured.get(language), work.root, named) for language in languages}
    return {language: renderer for language, renderer in found.items() if renderer}


def _planned(shown: Iterable[Diagram], renderers: Mapping[str, Renderer]) -> _Drawn:
    works, refused, posts = {}, set(), {}
    for diagram in shown:
        key, renderer = diagram_key(diagram.language, diagram.text), renderers.get(diagram.language)
        if renderer is None or key in works:
            continue
        if is_refused(diagram, renderer):
            refused.add(key)
            continue
        parts = {"language": diagram.language, "text": diagram.text, **renderer.parts}
        works[key] = Work(renderer.function, parts, (), "command" not in parts, _Drawing)
        posts[key] = diagram.span.path
    return _Drawn(works, frozenset(refused), posts)


class _Drawing(Facts, frozen=True):
    """The size of a drawing: of one file, or of two, for light and for dark mode."""

    width: int
    height: int

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs in (1, 2)


def _made(work: Deriving, plan: _Drawn) -> dict[str, MadeRecord]:
    """The result of each work item: commands are run from here, everything else in workers."""
    works = plan.works
    commands = {key: item for key, item in works.items() if "command" in item.parts}
    others = {key: item for key, item in works.items() if key not in commands}
    draw = partial(_draw, work, plan)
    drawn = work.stages.derive(tuple(commands.values()), _nothing_to_read, draw, STAGE, plan.post_of)
    if others:
        given = tuple(others.values())
        drawn += work.stages.derive(given, _nothing_to_read, stage=STAGE, owner_of=plan.post_of)
    return dict(zip([*commands, *others], drawn, strict=True))


def _draw(work: Deriving, plan: _Drawn, works: Sequence[Work]) -> list[Made]:
    """Draw diagrams. If a program was replaced meanwhile, its drawings are not cached for either version."""
    if not works:
        return []
    from devlog.features.diagrams.derive.draw import draw_all  # with all that starts programs: they are seldom run

    made = draw_all(works, plan.post_of)
    named = {file: identity_of(work.root, file) for file in work.inputs.config.programs}
    now = _renderers(work, {one.parts["language"] for one in works}, named)
    return [
        result if (found := now.get(one.parts["language"])) and one.parts == one.parts | found.parts else _REPLACED
        for one, result in zip(works, made, strict=True)
    ]


_REPLACED = Made(problem="the program that draws it has changed during the build", retry=True)


def _nothing_to_read(_file: Copy) -> bytes:
    return b""


def _file(blob: str, derived: MadeRecord) -> ImageFile:
    return ImageFile(f"/diagrams/{blob}.svg", "image/svg+xml", derived.facts["width"], derived.facts["height"], blob)


def _undrawn(diagram: Diagram, made: Mapping[str, MadeRecord], refused: frozenset[str]) -> Diagnostic | None:
    """Why a diagram could not be rendered, at the line of the diagram that caused it, or else at its fence."""
    key = diagram_key(diagram.language, diagram.text)
    if key in refused:
        return problems.diagram_refused(diagram.span, diagram.language, PROGRAMS[diagram.language].name)
    derived = made.get(key)
    if derived is None or derived.blobs:
        return None
    return problems.diagram_failed(diagram.span_of(derived.line), diagram.language, derived.problem)


def _as_text(shown: Iterable[Diagram], scripts: Mapping[str, Script | None], *, draws: bool) -> list[Diagnostic]:
    """A hint for each language that nothing draws, at its first use.

    Args:
        shown: the diagrams.
        scripts: the installed script, if there is one, of each language that no program draws.
        draws: whether the theme lets scripts draw.
    """
    first: dict[str, Span] = {}
    for diagram in sorted(shown, key=lambda diagram: diagram.span):
        # While a preview cannot read the configuration, posts keep the diagrams in languages that it named.
        if diagram.language in scripts and (diagram.language == "mermaid" or diagram.language in PROGRAMS):
            first.setdefault(diagram.language, diagram.span)
    wrong = []
    for language, span in first.items():
        script = scripts[language]
        if script is None or not draws:
            wrong.append(problems.diagrams_as_text(span, language, _advice(language, draws=draws)))
        elif not script.is_safe:
            wrong.append(problems.old_diagram_script(span, script.package, script.version, SAFE_SCRIPT))
    return wrong


def _advice(language: str, *, draws: bool) -> str:
    if language == "mermaid":
        command = f"run {installation().add_extra('mermaid')}"
        return f"{command}, or “npm install mermaid” in the site's folder" if draws else command
    return f"install {PROGRAMS[language].name}"


def _missing_scripts(work: Deriving, languages: Sequence[str]) -> list[Diagnostic]:
    """Diagnostics about scripts that render diagrams but are not among the files of the site."""
    wrong = []
    for language, diagram in work.inputs.config.diagrams.items():
        if language in languages and diagram.script.startswith("/") and work.claims().is_free(diagram.script):
            wrong.append(problems.no_diagram_script(work.spans()("diagrams", language, "script"), diagram.script))
    return wrong
