"""The step between assembling a site and planning its pages: features and plugins derive data from it and its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from devlog.assemble.plan_validation import unfit_value
from devlog.assemble.references import References
from devlog.deriving import Deriving
from devlog.model.derived import Derived, LinkTargets, Part
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.post_note import PostNote
from devlog.model.theme import PluginRef
from devlog.model.view import FeedLink, PathRef, PostView
from devlog.plugin import Plugin
from devlog.plugins.codes import code_of
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import features
from devlog.plugins.loading import load
from devlog.plugins.results import misfit, misfit_problem

Point = Literal["targets", "derive"]


def derive(work: Deriving) -> tuple[References, Derived]:
    """Derive the data of all features and plugins from a site and its files.

    Args:
        work: the arguments of the functions that derive; its references have no additional link targets yet.

    Returns:
        The references with the link targets of features and plugins, and the derived data.
    """
    first = tuple(_parts(work, "targets"))
    references = work.references
    if targets := _joined(first, references):
        references = references.with_targets(targets)
    return references, Derived(first, tuple(_parts(work._replace(references=references), "derive")))


def derive_anew(work: Deriving, before: Derived) -> Derived:
    """Derive data again after an edit of a post's text in a preview. Such an edit changes no link targets.

    Args:
        work: the arguments of the functions that derive, for the current site.
        before: the derived data before the edit.
    """
    return Derived(before.targets, tuple(_parts(work._replace(before=before), "derive")))


def derives_alike(old: Parsed, new: Parsed, derived: Derived) -> bool:
    """Whether features derive the same from two versions of a source that differ only in their bodies.

    Args:
        old: the source before an edit.
        new: the source after it.
        derived: the data that was derived before.
    """
    return all(plugin.derives_alike(old, new, derived) for plugin in features() if plugin.derives_alike)


def _joined(parts: Iterable[Part], references: References) -> LinkTargets | None:
    """The link targets of some parts, of those pages that are published; `None` if there are none."""
    found = [targets for part in parts if (targets := _targets_of(part.value))]
    joined = LinkTargets(
        anchors={path: anchors for targets in found for path, anchors in targets.anchors.items()},
        urls=tuple(url for targets in found for url in targets.urls),
        companions={
            path: text for targets in found for path, text in targets.companions.items() if references.text(path)
        },
    )
    return joined if joined != LinkTargets() else None


def _targets_of(value: Any) -> LinkTargets | None:
    targets = getattr(value, "targets", None)
    return targets if isinstance(targets, LinkTargets) else None


def _parts(work: Deriving, point: Point) -> Iterator[Part]:
    for plugin in features():
        if function := getattr(plugin, point):
            value = function(work)
            yield Part(value, value.problems)
    refs = work.inputs.loaded.theme.plugins
    for ref, plugin in zip(refs, load(refs), strict=True):
        if getattr(plugin, point):
            yield _of_plugin(work, ref, plugin, point)


def _of_plugin(work: Deriving, ref: PluginRef, plugin: Plugin, point: Point) -> Part:
    """The part that a plugin derives, or a problem if its code fails or returns something else than a part."""
    function = getattr(plugin, point)
    code = code_of(plugin, function)
    what = f"“{code}”"
    try:
        with work.stages.asked_by(ref):
            value = function(work)
        found = tuple(getattr(value, "problems", ()))
        reason = _misfit(value, point, found)
    except faults() as error:  # the plugin's own code
        return Part(None, (fault(ref, what, error, function),))
    if reason:
        return Part(None, (fault(ref, what, reason, function),))
    return Part(value, tuple(msgspec.structs.replace(problem, code=code) for problem in found))


def _misfit(value: Any, point: Point, found: Iterable[Any]) -> str:
    """Why a value that a plugin returned is not a valid part; empty if it is one.

    Args:
        value: the returned value.
        point: the extension point of the function.
        found: the `problems` of the value.
    """
    targets = _targets_of(value)
    if point == "targets" and targets is None:
        return "what it returned has no “targets” that are LinkTargets"
    if targets and (reason := misfit(targets, LinkTargets)):
        return f"its “targets” are malformed: {reason}"
    reason = _misfit_notes(getattr(value, "notes", {})) or _misfit_feeds(getattr(value, "feeds", {}))
    reason = reason or _misfit_starts(getattr(value, "starts", ()))
    if not reason and not all(isinstance(problem, Diagnostic) for problem in found):
        reason = "its “problems” are not all problems"
    return reason or next(filter(None, map(misfit_problem, found)), "")


def _misfit_notes(notes: Any) -> str:
    """Why the `notes` of a part are not valid notes on posts; empty if they are."""
    if not isinstance(notes, Mapping) or not all(isinstance(note, PostNote) for note in notes.values()):
        return "its “notes” are not all notes on posts"
    return next((reason for id_, note in notes.items() if (reason := _misfit_note(id_, note))), "")


def _misfit_note(id_: Any, note: PostNote) -> str:
    if note.page:
        return "“page” is for the notes of devlog itself"
    fields: Any = note.fields
    if not isinstance(fields, dict):
        return f"“fields” in its “notes” is a {type(fields).__name__} instead of a table"
    given = ((field.name, misfit(getattr(note, field.name), field.type)) for field in _CHECKED)
    if malformed := _malformed(given):
        return malformed
    if unknown := set(note.fields).difference(_KINDS):
        return f"pages of posts have no field “{min(map(str, unknown))}”, which its “notes” name"
    if reason := unfit_value({**note.fields, **note.entry.facts}, "notes") or misfit(id_, str):
        return reason
    return _malformed((name, misfit(value, _KINDS[name])) for name, value in note.fields.items())


def _malformed(reasons: Iterable[tuple[str, str]]) -> str:
    """A message with the first reason that is not empty; `reasons` are pairs of a field's name and a reason."""
    return next((f"“{name}” in its “notes” is malformed: {reason}" for name, reason in reasons if reason), "")


_CHECKED = tuple(field for field in msgspec.structs.fields(PostNote) if field.name not in ("page", "fields"))
_KINDS = {field.name: field.type for field in msgspec.structs.fields(PostView)}
"""The type of each field of a post's page, by name."""


def _misfit_feeds(feeds: Any) -> str:
    """Why the `feeds` of a part are not valid feeds of topics; empty if they are."""
    links = list(feeds.values()) if isinstance(feeds, Mapping) else [None]
    good = all(isinstance(some, tuple) and all(isinstance(link, FeedLink) for link in some) for some in links)
    if not good:
        return "its “feeds” are not all links to feeds"
    reason = misfit(dict(feeds), dict[str, tuple[FeedLink, ...]])
    return f"its “feeds” are malformed: {reason}" if reason else ""


def _misfit_starts(starts: Any) -> str:
    """Why the `starts` of a part are not valid reading paths for lists; empty if they are."""
    if not isinstance(starts, tuple) or not all(isinstance(start, PathRef) for start in starts):
        return "its “starts” are not all reading paths"
    reason = misfit(starts, tuple[PathRef, ...])
    return f"its “starts” are malformed: {reason}" if reason else ""
