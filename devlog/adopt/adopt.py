"""The steps of an import: list the files, detect the generator, convert its configuration, do trial builds, write.

The import writes only ``devlog.toml``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from devlog.adopt import hugo, jekyll, plain, problems, zola
from devlog.adopt.adoption import Adoption, Note, Setting
from devlog.adopt.common import as_patterns
from devlog.adopt.detect import BRIDGETOWN, detect, nested
from devlog.adopt.survey import Survey, UnreadableError
from devlog.adopt.trial import Trial, is_below, stoppers, trials, try_out
from devlog.adopt.write_toml import FILE, accepted, toml_key, toml_text
from devlog.config import Config
from devlog.config_file.read import read_config
from devlog.disk.single_files import create
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.model.diagnostic import Diagnostic, Span
from devlog.pipeline import Session
from devlog.stages import Progress

_NEVER = datetime.max.replace(tzinfo=UTC)
_ROUNDS = 4
"""How often files that stop the build are ignored: the error of one may hide that of the next."""


class Adopted(msgspec.Struct, frozen=True):
    """The result of an import.

    Attributes:
        adoption: the converted configuration; `None` if the import failed before.
        text: the text of the ``devlog.toml``.
        trial: the result of a trial build with it.
        left_out: the files that are ignored until they are fixed, each with its first error.
        written: whether ``devlog.toml`` was written.
        diagnostics: the problems that stopped the import.
    """

    adoption: Adoption | None = None
    text: str = ""
    trial: Trial | None = None
    left_out: dict[str, Diagnostic] = {}
    written: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


def adopt(root: Path, now: datetime, progress: Progress, *, write: bool) -> Adopted:
    """Import a site.

    Args:
        root: the site's folder.
        now: the current time, which determines the scheduled posts.
        progress: called with the progress of trial builds.
        write: whether to write ``devlog.toml``, rather than only return its text.
    """
    try:
        return _adopted(root, now, progress, write=write)
    except UnreadableError as error:
        return Adopted(diagnostics=error.diagnostics)


def _adopted(root: Path, now: datetime, progress: Progress, *, write: bool) -> Adopted:
    survey = Survey(root)
    adoption, wrong = translated(survey, now)
    if adoption is None:
        return Adopted(diagnostics=wrong)
    existing = _configured(survey)
    adoption, trial, left_out = _tried(root, accepted(adoption), now, progress)
    if existing:  # only now, since files that stop the build are ignored, too
        differing = _differences(survey, existing, toml_text(adoption))
        return Adopted(diagnostics=(problems.already_adopted(Span(existing), differing),))
    text = toml_text(adoption)
    refused = create(root, FILE, text.encode()) if write else None
    done = (refused,) if refused else ()
    return Adopted(adoption, text, trial, left_out, written=write and not refused, diagnostics=done)


def translated(survey: Survey, now: datetime = _NEVER) -> tuple[Adoption | None, tuple[Diagnostic, ...]]:
    """The converted configuration of a site before trial builds, or the problems if there is none.

    Args:
        survey: the files of the site.
        now: the current time; without it, nothing is scheduled, and what expires has expired.
    """
    generator = detect(survey)
    if generator == "Hugo":
        files, tree, wrong = hugo.configuration(survey)
        return (None, wrong) if wrong else (hugo.adopt_hugo(survey, files, tree, now), ())
    if generator == "Jekyll":
        files, tree, wrong = jekyll.configuration(survey)
        return (None, wrong) if wrong else (jekyll.adopt_jekyll(survey, files, tree), ())
    if generator == "Zola":
        files, tree, wrong = zola.configuration(survey)
        return (None, wrong) if wrong else (zola.adopt_zola(survey, files, tree), ())
    if generator == "Bridgetown":
        return None, (problems.unsupported_generator(Span(survey.first(*BRIDGETOWN)), generator),)
    inner = nested(survey)
    if generator == "Markdown" and not inner:
        files, tree, wrong = plain.configuration(survey)
        return (None, wrong) if wrong else (plain.adopt_plain(survey, files, tree, now), ())
    return None, (problems.nothing_to_adopt(Span(survey.name), inner),)


def _configured(survey: Survey) -> str:
    """The file that already configures devlog for this site; empty if there is none."""
    for name in CONFIGURATIONS:
        text = survey.head(name) if survey.has(name) else ""
        if survey.has(name) and (name == FILE or "[tool.devlog" in text):
            return name
    return ""


def _differences(survey: Survey, file: str, text: str) -> tuple[str, ...]:
    """The keys whose values differ between the site's configuration and the generated one."""
    own, _ = read_config(survey.head(file), file)
    made, _ = read_config(text, FILE)
    return tuple(name for name in Config.__struct_fields__ if getattr(own, name) != getattr(made, name))


def _tried(
    root: Path, adoption: Adoption, now: datetime, progress: Progress
) -> tuple[Adoption, Trial, dict[str, Diagnostic]]:
    """Do trial builds, and ignore the files that stop the build, until the rest can be built."""
    with trials(root, progress) as session:
        return _tried_in(session, adoption, now)


def _tried_in(session: Session, adoption: Adoption, now: datetime) -> tuple[Adoption, Trial, dict[str, Diagnostic]]:
    left_out: dict[str, Diagnostic] = {}
    trial = try_out(session, toml_text(adoption), now)
    if any(diagnostic.code == "colliding-alias" for diagnostic in trial.diagnostics):
        forgiven = Setting(("severity", "colliding-alias"), "warning", "published pages take precedence over old URLs")
        adoption = msgspec.structs.replace(adoption, settings=(*adoption.settings, forgiven))
        trial = try_out(session, toml_text(adoption), now)
    free = _without_taken_redirects(adoption, trial)
    if free != adoption:
        adoption = free
        trial = try_out(session, toml_text(adoption), now)
    for _ in range(_ROUNDS):
        config = read_config(toml_text(adoption), FILE)[0]
        found = stoppers(trial, session.root, config)
        if not found:
            break
        left_out |= found
        static = [file for file in found if is_below(session.root, file, config.static)]
        adoption = _without(
            adoption, "ignore", as_patterns((file for file in found if file not in static), config.content)
        )
        adoption = _without(adoption, "ignore_static", as_patterns(static, config.static))
        trial = try_out(session, toml_text(adoption), now)
    return adoption, trial, left_out


def _without_taken_redirects(adoption: Adoption, trial: Trial) -> Adoption:
    """An adoption without the redirects at URLs that something else has, such as a list that devlog generates."""
    lines = toml_text(adoption).split("\n")
    wrong = [item.span for item in trial.diagnostics if item.code == "colliding-url" and item.span.path == FILE]
    taken = {lines[span.line - 1].partition(" = ")[0] for span in wrong if span.line}
    out = [item for item in adoption.settings if item.path[0] == "redirects" and toml_key(str(item.path[1])) in taken]
    paths = {item.path for item in out}
    notes = [Note(Span(""), f"{item.key} ({item.comment})", "something else has that URL") for item in out]
    return msgspec.structs.replace(
        adoption,
        settings=tuple(item for item in adoption.settings if item.path not in paths),
        unmapped=(*adoption.unmapped, *notes),
    )


def _without(adoption: Adoption, key: str, patterns: tuple[str, ...]) -> Adoption:
    """An adoption that ignores additional files.

    Args:
        adoption: the one before.
        key: the key with the patterns of the folder that they are in.
        patterns: the patterns to add to them.
    """
    if not patterns:
        return adoption
    before = next((setting for setting in adoption.settings if setting.path == (key,)), None)
    known = before.value if before and isinstance(before.value, tuple) else ()
    why = "files that stop the build are at the end: see the report"
    comment = "; ".join(dict.fromkeys(part for part in (before.comment if before else "", why) if part))
    if before and before.comment.endswith(why):
        comment = before.comment
    ignore = Setting((key,), tuple(dict.fromkeys((*known, *patterns))), comment)
    rest = tuple(setting for setting in adoption.settings if setting.path != (key,))
    return msgspec.structs.replace(adoption, settings=(*rest, ignore))
