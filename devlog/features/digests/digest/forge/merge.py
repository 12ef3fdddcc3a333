"""Adds what a forge answered to the changes of a history."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from devlog.features.digests.digest.changes import Found
from devlog.features.digests.digest.forge.ask import Answers
from devlog.features.digests.digest.forge.bodies import prose_of
from devlog.features.digests.digest.forge.values import Item
from devlog.features.digests.digest.subjects import read_message
from devlog.features.digests.model.activity import Change, Kind

_KINDS: dict[Kind, re.Pattern[str]] = {
    "fix": re.compile(r"(?:^|[:/ -])(?:bug|bugfix|fix|defect|regression|crash)$", re.IGNORECASE),
    "performance": re.compile(r"(?:^|[:/ -])(?:performance|perf|speed)$", re.IGNORECASE),
    "feature": re.compile(r"(?:^|[:/ -])(?:feature|enhancement|improvement)$", re.IGNORECASE),
    "documentation": re.compile(r"(?:^|[:/ -])(?:documentation|docs?)$", re.IGNORECASE),
    "test": re.compile(r"(?:^|[:/ -])(?:tests?|testing)$", re.IGNORECASE),
    "maintenance": re.compile(r"(?:^|[:/ -])(?:chore|maintenance|refactor(?:ing)?|cleanup|ci)$", re.IGNORECASE),
}
"""The type of a change with such a label."""


def merged(changes: Sequence[Found], answers: Answers) -> tuple[Found, ...]:
    """The changes with what the forge knows about those that are listed.

    Args:
        changes: of the history.
        answers: what the forge answered.
    """
    return tuple(
        msgspec.structs.replace(one, change=_merged(one.change, answers)) if one.change.fate == "listed" else one
        for one in changes
    )


def _merged(change: Change, answers: Answers) -> Change:
    item, issues = answers.items.get(change.number), answers.issues.get(change.commit, ())
    if item is None:
        return msgspec.structs.replace(change, issues=issues)
    statement = read_message(f"{item.title}\n\n{prose_of(item.body)}")
    is_revert = bool(statement.reverted_title or statement.relanded_title)
    return msgspec.structs.replace(
        change,
        title=change.title if is_revert else statement.title or change.title,
        detail=change.detail or statement.detail,
        scope=change.scope or statement.scope,
        kind=_kind(change, statement.kind, item),
        labels=item.labels,
        milestone=item.milestone,
        comments=item.comments,
        reactions=item.reactions,
        issues=issues,
    )


def _kind(change: Change, stated: Kind, item: Item) -> Kind:
    """The type that the subject states, else that of the title on the forge, else that of a label."""
    by_label: Kind = next(
        (kind for kind, form in _KINDS.items() if any(form.search(label) for label in item.labels)), "change"
    )
    return next((kind for kind in (change.kind, stated, by_label) if kind != "change"), "change")
