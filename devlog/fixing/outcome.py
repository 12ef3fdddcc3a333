"""Judges what the fixes of a round have done to a site: which go wrong, and which do not end their problem."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from devlog.check.evidence import CheckedSource, Evidence
from devlog.checking import Checked
from devlog.config import is_of_plugin
from devlog.engine.store import Store
from devlog.fixing import problems
from devlog.fixing.change import Change
from devlog.fixing.meaning import changed, destinations_of, keeps_meaning, shows_same, sources_of
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body
from devlog.model.record import decoded
from devlog.pipeline import store_of

_LOST = frozenset({"broken-link", "broken-image", "broken-menu"})
"""The codes of links whose target does not exist, as that of a file does not after the file was renamed."""


def broken_by(root: Path, before: Checked, after: Checked, changes: Sequence[Change]) -> dict[Change, Diagnostic]:
    """The changes that go wrong: the site has an error because of them, links no longer lead to a renamed file, or a
    source says something else.
    """
    causes = dict(_altered(root, before, after, changes))
    old_names = {change.new_file: change.file for change in changes}
    known = {(item.span.path, item.code, item.message) for item in before.diagnostics}
    had = {item.span.path for item in before.diagnostics if item.severity == "error"}
    linking = _linking(before.evidence, changes)
    for item in after.diagnostics:
        file = old_names.get(item.span.path, item.span.path)
        if (item.severity != "error" and item.code not in _LOST) or (file, item.code, item.message) in known:
            continue
        led = [change for change in changes if linking[change.file].has(file, item)]
        about = [change for change in changes if change.new_file in (item.span.path, *item.others)]
        blamed = [change for change in led if change.renames] if item.code in _LOST else []
        if not blamed and item.severity == "error" and not about:
            blamed = led
        elif not blamed and item.severity == "error" and file not in had:  # which may hide others
            blamed = [change for change in about if change.renames] or about  # a rename makes a post of another file
        causes |= {change: problems.would_break(change.file, item) for change in blamed}
    return causes


class _Links(NamedTuple):
    """The links to a file.

    Attributes:
        files: the sources that have them.
        targets: its name and its permalink, which messages about other mentions of it contain, such as in the menu.
    """

    files: frozenset[str]
    targets: tuple[str, ...]

    def has(self, file: str, problem: Diagnostic) -> bool:
        """Whether a problem of a file may be there because these links have lost their target."""
        said = unquote(problem.message)
        return file in self.files or any(target in said for target in self.targets)


def _linking(evidence: Evidence | None, changes: Iterable[Change]) -> dict[str, _Links]:
    """The links to the files that were changed, as they were before, by file."""
    permalinks: dict[str, str] = {}
    if evidence:
        permalinks |= {item.asset.file: item.permalink for item in evidence.site.assets}
        permalinks |= {topic.index.file: topic.permalink for topic in evidence.site.topics if topic.index}
        permalinks |= {text.parsed.file: text.post.permalink for text in evidence.sources if text.post}
    found = {}
    for change in changes:
        permalink = permalinks.get(change.file, "")
        uses = evidence.uses.get(permalink, ()) if evidence else ()
        targets = (posixpath.basename(change.file), *([permalink] if permalink else []))
        found[change.file] = _Links(frozenset(use.text.parsed.file for use in uses), targets)
    return found


def _altered(
    root: Path, before: Checked, after: Checked, changes: Iterable[Change]
) -> Iterator[tuple[Change, Diagnostic]]:
    """The changes after which a source says something else, although their fixes should keep its meaning."""
    keeping = {change.file: change for change in changes if all(map(keeps_meaning, change.fixed))}
    old, new = sources_of(before.evidence, keeping), sources_of(after.evidence, keeping)
    led, leads = destinations_of(before.evidence, keeping), destinations_of(after.evidence, keeping)
    with closing(Store(store_of(root))) as store:
        for file, change in keeping.items():
            if file in old and file in new:
                what = changed(old[file], new[file], change.fixed) or ("its links" if led[file] - leads[file] else "")
                if not what and not _shows_same(store, old[file], new[file], change):
                    what = "its text"
                if what:
                    yield change, problems.would_alter(file, change.fixed[0].code, what)


def _shows_same(store: Store, old: CheckedSource, new: CheckedSource, change: Change) -> bool:
    """Whether a source shows the same after a change; also if its bodies are not in the store, which may be locked."""
    digests = [old.parsed.document.body, new.parsed.document.body]
    if digests[0] == digests[1]:
        return True
    found = store.contents(digests)
    before, after = (decoded(found.get(digest), Body) for digest in digests)
    heading = old.facts.repeated_title
    anchor = heading.anchor if heading else ""
    return before is None or after is None or shows_same(before, after, change.fixed, anchor)


def not_ended(change: Change, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems of plugins, as they are after a change, that it should have fixed.

    Each says the same as before, or has the same fix at the same place. One in another line that stayed as it was is
    another problem: a rule may report only the first of a file.

    Args:
        change: the change.
        found: the problems after it.
    """
    lines: dict[tuple[object, ...], set[int]] = {}  # by the signs of the problems
    for item in change.fixed:
        for sign, line in signs(item) if is_of_plugin(item.code) else ():
            lines.setdefault(sign, set()).add(line)
    for item in found:
        if item.span.path == change.new_file:
            again = ((lines.get(sign), _old_line(change, line)) for sign, line in signs(item))
            if any(known and (not old or old in known) for known, old in again):
                yield item


def signs(problem: Diagnostic) -> Iterator[tuple[tuple[object, ...], int]]:
    """By what a problem is known again that its fix has not ended, although its message or its fix may differ then.

    Each sign has the line of what it is about.
    """
    yield (problem.code, problem.message), problem.span.line
    edits = problem.fix.edits if problem.fix else ()
    if edits:
        spans = ((edit.span.line, edit.span.column, edit.span.length) for edit in edits)
        texts = ((edit.old, edit.new, edit.lines) for edit in edits)
        yield (problem.code, *zip(spans, texts, strict=True)), edits[0].span.line


def _old_line(change: Change, line: int) -> int:
    """Where a line was before a change; 0 for a new or changed line, and for the whole file."""
    return change.kept[line - 1] + 1 if 0 < line <= len(change.kept) else 0
