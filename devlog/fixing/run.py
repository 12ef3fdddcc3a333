"""Fixes a site: checks it, applies the fixes that have one right answer, and repeats until none is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unicodedata import normalize

import msgspec

from devlog.checking import Checked, Options, check
from devlog.config import is_of_plugin
from devlog.disk.folder import describe
from devlog.disk.git import tracked, uncommitted
from devlog.disk.read import Tree
from devlog.disk.single_files import is_spare
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.fixing import problems
from devlog.fixing.change import Change, change_of, make, undo, undo_any
from devlog.fixing.meaning import keeps_meaning
from devlog.fixing.outcome import broken_by, not_ended, signs
from devlog.fixing.site_copy import NO_ROOM, NoCopyError, site_copy
from devlog.inputs import read_configuration
from devlog.model.diagnostic import Diagnostic, Fix
from devlog.model.digest import digest_bytes
from devlog.plugins.features import features

ROUNDS = 30
"""The maximum number of rounds, since a fix may reveal another problem, and one that goes wrong is searched for."""


Also = Callable[[Checked], Sequence[Diagnostic]]
"""Returns problems that the check itself does not find."""


class Fixed(msgspec.Struct, frozen=True):
    """The result of fixing a site.

    Attributes:
        changes: the fixed files.
        refused: why some files could not be fixed.
        checked: the result of the last check.
    """

    changes: tuple[Change, ...]
    refused: tuple[Diagnostic, ...]
    checked: Checked


def _nothing(_checked: Checked) -> Sequence[Diagnostic]:
    return ()


def fix(
    options: Options, wanted: Callable[[Diagnostic], bool], *, force: bool, also: Also = _nothing
) -> Fixed | Diagnostic:
    """Fix a site.

    Args:
        options: as for `devlog.checking.check`.
        wanted: returns whether to fix a problem.
        force: whether to fix the site even if there are uncommitted changes.
        also: returns problems that no rule finds; called once, after the first check.

    Returns:
        The result, or a diagnostic if nothing was done.
    """
    changed = () if force else uncommitted(options.root)
    if changed is None:
        return problems.git_unavailable()
    # Every check writes into `.devlog`. What a killed one has left of a file may be the last save of an editor, so it
    # stays, but nothing is done with it.
    changed = tuple(name for name in changed if not f"{name}/".startswith(".devlog/") and not is_spare(name))
    if changed:
        return problems.uncommitted_changes(changed[0], len(changed))
    return _fix(options, wanted, options.root, also, None if force else tracked(options.root))


def try_out(
    options: Options, wanted: Callable[[Diagnostic], bool], *, force: bool, also: Also = _nothing
) -> Fixed | Diagnostic:
    """The result that `fix` would have once no change is uncommitted, computed with a copy of the site."""
    try:
        with site_copy(options.root) as (root, unread):
            return _tried(options, root, unread, wanted, also, force=force)
    except NoCopyError as error:
        return problems.cannot_try(describe(error.error), is_full=error.error.errno in NO_ROOM)


def _tried(
    options: Options,
    copy: Path,
    unread: Iterable[Diagnostic],
    wanted: Callable[[Diagnostic], bool],
    also: Also,
    *,
    force: bool,
) -> Fixed:
    """Fix a copy of a site; `unread` is what could not be read of the site, and is missing there."""
    copied = msgspec.structs.replace(options, root=copy, repository=options.root)
    if unread:  # what is wrong in the copy may be right in the site
        config = read_configuration(options.root)[0]
        inputs = (*CONFIGURATIONS, *(f"{folder}/".removeprefix("./") for folder in (config.content, config.static)))
        if cause := next((item for item in unread if f"{item.span.path}/".startswith(inputs)), None):
            return Fixed((), (problems.nothing_fixed(cause),), check(copied))
    return _fix(copied, wanted, options.root, also, None if force else tracked(options.root, new=True))


def _fix(
    options: Options,
    wanted: Callable[[Diagnostic], bool],
    repository: Path,
    also: Also,
    known: frozenset[str] | None = None,
) -> Fixed:
    """Fix a site; `known` are the files that may be fixed, if not all may be."""
    plain = msgspec.structs.replace(options, strict=False)  # a warning about what a fix reveals must not undo it
    checked = check(plain)
    if cause := next(filter(may_cause_others, checked.diagnostics), None):
        return Fixed((), (problems.nothing_fixed(cause),), check(options) if options.strict else checked)
    fixing = _Fixing(options.root, known)
    more = list(also(checked))
    config = checked.evidence.config if checked.evidence else None
    completing = [plugin.fixes(config, repository) for plugin in features() if config and plugin.fixes]
    for _ in range(ROUNDS):
        if checked.evidence is None:
            break
        with fixing.undone_if_interrupted():
            changes = fixing.round(checked, _fixable(checked, more, wanted, completing))
            if not changes:
                break
            fixed = check(plain)
            broken = broken_by(options.root, checked, fixed, changes)
            fixing.settle(changes, broken)
        fixing.give_up([change for change in changes if change not in broken], fixed.diagnostics)
        settled = {problem for change in changes if change not in broken for problem in change.fixed}
        more = [problem for problem in more if problem not in settled]
        if broken:
            fixed = check(plain)
        checked = fixed
    else:
        fixing.end(checked, _fixable(checked, more, wanted, ()))
    if options.strict or fixing.reasons():
        checked = check(options)
    return Fixed(tuple(fixing.changes()), fixing.reasons(), checked)


def _fixable(
    checked: Checked,
    more: Sequence[Diagnostic],
    wanted: Callable[[Diagnostic], bool],
    completing: Iterable[Callable[[Any, Iterable[Diagnostic]], Iterable[Diagnostic]]],
) -> list[Diagnostic]:
    """The problems to fix in sources that devlog has not converted, with the fixes that features add."""
    found = [problem for problem in (*checked.diagnostics, *more) if wanted(problem)]
    for complete in completing:
        found = list(complete(checked.evidence, found))
    converted = checked.inputs.converted([item.span.path for item in found]) if checked.inputs else frozenset()
    return [item for item in found if item.span.path not in converted]


class _Fixing:
    """The fixes of a site so far.

    Attributes:
        refused: why some files could not be fixed, or not all in them, by file.
    """

    def __init__(self, root: Path, known: frozenset[str] | None) -> None:
        self.refused: dict[str, Diagnostic] = {}
        self._root = root
        self._known = known
        self._tried: list[Change] = []  # those that no check has confirmed yet
        self._done: dict[str, Change] = {}  # by the current names of files
        self._closed: set[str] = set()  # files that cannot be changed
        self._wrong: set[tuple[object, ...]] = set()  # fixes that are left out
        self._endless: set[tuple[object, ...]] = set()  # problems that their fixes did not end, and these fixes
        self._applied: set[tuple[object, ...]] = set()  # fixes that stay, each with the text of the file before it
        self._renaming: set[tuple[str, str]] = set()  # files and the codes of the fixes that have renamed them
        self._skipped: dict[str, Diagnostic] = {}  # why fixes of this round are left out, by file
        self._most: dict[str, int] = {}  # how many fixes of a file are tried at once, after more have gone wrong

    @contextmanager
    def undone_if_interrupted(self) -> Iterator[None]:
        """Undo the changes of a round that does not end: nobody knows yet whether they are right."""
        try:
            yield
        except BaseException:
            while self._tried:
                with suppress(KeyboardInterrupt):  # who presses Ctrl-C twice must not find half of them
                    undo_any(self._root, self._tried[-1])
                    self._tried.pop()
            raise

    def round(self, checked: Checked, found: Iterable[Diagnostic]) -> list[Change]:
        """Apply the fixes of problems, each file once; returns the changes.

        Fixes that give sources another meaning go first, and alone: others may depend on them, and what those change is
        then known exactly.
        """
        self._skipped = {}
        digests = _digests(checked)
        left = self._left(found, digests)
        return self._apply([item for item in left if not keeps_meaning(item)], digests) or self._apply(
            [item for item in left if keeps_meaning(item)], digests
        )

    def _left(self, found: Iterable[Diagnostic], digests: Mapping[str, str]) -> list[Diagnostic]:
        """The problems whose fixes are worth a try."""
        left = [item for item in found if item.fix and item.span.path not in self._closed]
        left = [item for item in left if _identity(item) not in self._wrong]
        left = [item for item in left if self._endless.isdisjoint(self._signs(item))]
        left = [item for item in left if not self._is_undone(item, digests.get(item.span.path, ""))]
        return [item for item in left if not self._renames_again(item)]

    def _apply(self, found: Iterable[Diagnostic], digests: Mapping[str, str]) -> list[Change]:
        self._tried = []
        for file, some in _by_file(found).items():
            if file not in digests:
                if all(change.file != file for change in self._done.values()):  # it was not renamed by an earlier fix
                    self._close(file, problems.not_content(file))
                continue
            if self._known is not None and normalize("NFC", self._original(file)) not in self._known:
                self._close(file, problems.not_in_git(file))
                continue
            change = change_of(self._root, file, digests[file], some, self._most.get(file, len(some)))
            if isinstance(change, Diagnostic):
                self._close(file, change)
                continue
            for why in _without_effect(change):
                self._skipped.setdefault(file, why)
            if not change.is_empty:
                self._tried.append(change)  # before it is made, which may be interrupted
                if problem := make(self._root, change):
                    self._tried.pop()
                    self._close(file, problem)
        return [*self._tried]

    def settle(self, changes: Iterable[Change], broken: Mapping[Change, Diagnostic]) -> None:
        """Keep the changes of a round, and undo those that go wrong, so that fewer fixes are tried in the next one.

        Args:
            changes: all changes of the round.
            broken: those that go wrong, with the reason.
        """
        for change in changes:
            file, most = change.file, len(change.fixed)
            undone = undo(self._root, change) if change in broken else None
            if change in broken and undone is None:
                self._most[file] = max(1, most // 2)
                if most == 1:
                    self._wrong.add(_identity(change.fixed[0]))
                    self.refused.setdefault(file, broken[change])
                continue
            if undone:
                self._close(change.new_file, undone)
            if file in self._most:
                self._most[change.new_file] = 2 * self._most.pop(file)
            before = self._done.pop(file, None)
            self._done[change.new_file] = before.then(change) if before else change
            digest = digest_bytes(change.before.encode("utf-8", "surrogateescape"))
            self._applied.update((digest, _identity(problem)) for problem in change.fixed)
            original = self._done[change.new_file].file
            self._renaming.update((original, problem.code) for problem in change.fixed if _renames(problem))
        self._tried = []

    def give_up(self, changes: Iterable[Change], found: Sequence[Diagnostic]) -> None:
        """Apply no fix again that did not end its problem: it would be applied in each round, and the file might grow.

        Args:
            changes: those of a round that stay.
            found: the problems after them.
        """
        for change in changes:
            for problem in not_ended(change, found):
                self._endless.update(self._signs(problem))
                self.refused.setdefault(change.new_file, problems.not_ended(problem))

    def end(self, checked: Checked, found: Iterable[Diagnostic]) -> None:
        """Tell which fixes are left after the last round.

        Args:
            checked: the site after it.
            found: its problems that are to be fixed.
        """
        self._skipped = {}
        for problem in self._left(found, _digests(checked)):
            self._skipped.setdefault(problem.span.path, problems.unsettled(problem, ROUNDS))

    def reasons(self) -> tuple[Diagnostic, ...]:
        """Why some files could not be fixed, or not all in them: one reason for each."""
        return tuple((self._skipped | self.refused).values())

    def changes(self) -> Iterator[Change]:
        """The files that differ in the end, sorted by their original names."""
        for change in sorted(self._done.values(), key=lambda change: (change.file, change.new_file)):
            if not change.is_empty:
                yield change

    def _close(self, file: str, why: Diagnostic) -> None:
        self.refused[file] = why
        self._closed.add(file)

    def _is_undone(self, problem: Diagnostic, digest: str) -> bool:
        """Whether the fix of a problem was applied to the same text before, which is then reported."""
        is_undone = (digest, _identity(problem)) in self._applied
        if is_undone:
            self.refused.setdefault(problem.span.path, problems.undone(problem))
        return is_undone

    def _renames_again(self, problem: Diagnostic) -> bool:
        """Whether a rule wants to rename a file that it has renamed before, as it could for ever; reported if so."""
        again = _renames(problem) and (self._original(problem.span.path), problem.code) in self._renaming
        if again:
            self._skipped.setdefault(problem.span.path, problems.not_ended(problem))
        return again

    def _signs(self, problem: Diagnostic) -> set[tuple[object, ...]]:
        """By what a problem is known again, whatever name the file has then."""
        return {(self._original(problem.span.path), *sign) for sign, _ in signs(problem)}

    def _original(self, file: str) -> str:
        """The name that a file had at the beginning."""
        return self._done[file].file if file in self._done else file


def _identity(problem: Diagnostic) -> tuple[object, ...]:
    """What tells the fix of a problem from others, wherever earlier fixes have moved its place to."""
    fix = problem.fix or Fix()
    return (problem.span.path, problem.code, fix.rename, *((edit.old, edit.new, edit.lines) for edit in fix.edits))


def _renames(problem: Diagnostic) -> bool:
    return bool(problem.fix and problem.fix.rename)


def _without_effect(change: Change) -> Iterator[Diagnostic]:
    """Which fixes of plugins do nothing, and why. One of devlog's own may not fit a rare text, by design."""
    yield from (problems.unfit(problem, edit) for problem, edit in change.unfit if is_of_plugin(problem.code))
    if change.is_empty:
        yield from (problems.ineffective(problem) for problem in change.fixed if is_of_plugin(problem.code))


def may_cause_others(problem: Diagnostic) -> bool:
    """Whether other problems may be there only because of this one, so that nothing is fixed."""
    return problem.severity == "error" and (problem.code == "unreadable" or problem.span.path in CONFIGURATIONS)


def _by_file(found: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """The problems that have a fix, by file."""
    by_file: dict[str, list[Diagnostic]] = {}
    for problem in found:
        if problem.fix:
            by_file.setdefault(problem.span.path, []).append(problem)
    return by_file


def _digests(checked: Checked) -> dict[str, str]:
    """The digests of the content folder's files as the check has read them."""
    content = checked.inputs.content if checked.inputs else Tree()
    digests = {source.file: source.digest for source in content.sources}
    return digests | {asset.file: asset.digest for asset in content.assets}
