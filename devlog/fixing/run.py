"""Fixes a site: checks it, applies the fixes that have one right answer, and repeats until none is left."""

from __future__ import annotations

import difflib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from unicodedata import normalize

import msgspec

from devlog.checking import Checked, Options, check
from devlog.disk import problems as disk_problems
from devlog.disk.create import rename, replace
from devlog.disk.git import tracked, uncommitted
from devlog.disk.manifest import MANIFEST
from devlog.disk.read import TEXT_LIMIT, Tree, read_bytes
from devlog.disk.scratch import scratch_folder
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.fixing import problems
from devlog.inputs import read_configuration
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.edits import edited, fits
from devlog.plugin import features
from devlog.report import printable

ROUNDS = 10
"""The maximum number of rounds, since a fix may reveal another problem."""

_DEEPEST = 100
"""The number of levels of folders that a copy of a site has. Checks read fewer; copying and removing recurse."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Change(msgspec.Struct, frozen=True):
    """A fixed file.

    Attributes:
        file: its old name.
        new_file: its new name.
        before: its old text.
        after: its new text.
    """

    file: str
    new_file: str
    before: str
    after: str

    def diff(self) -> str:
        """The change as a unified diff, with the names that git gives to the two sides."""
        old, new = printable(self.file), printable(self.new_file)
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), f"a/{old}", f"b/{new}")
        text = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        renamed = f"rename from {old}\nrename to {new}\n" if self.file != self.new_file else ""
        return renamed + text


def _lines(text: str) -> list[str]:
    """The lines of a text as diff programs count them: only a line feed ends one."""
    return _LINE.findall(text)


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
        return problems.git_is_silent()
    changed = tuple(name for name in changed if not f"{name}/".startswith(".devlog/"))  # every check writes there
    if changed:
        return problems.uncommitted_changes(changed[0], len(changed))
    return _fix(options, wanted, options.root, also, None if force else tracked(options.root))


def try_out(options: Options, wanted: Callable[[Diagnostic], bool], *, force: bool, also: Also = _nothing) -> Fixed:
    """The result that `fix` would have once no change is uncommitted, computed with a copy of the site."""
    with _copy(options.root) as (root, unread):
        copied = msgspec.structs.replace(options, root=root, repository=options.root)
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
    if cause := next(filter(_may_cause_others, checked.diagnostics), None):
        return Fixed((), (problems.nothing_fixed(cause),), check(options) if options.strict else checked)
    fixing = _Fixing(options.root, known)
    more = also(checked)
    config = checked.evidence.config if checked.evidence else None
    completing = [plugin.fixes(config, repository) for plugin in features() if config and plugin.fixes]
    for _ in range(ROUNDS):
        if checked.evidence is None:
            break
        found, more = [problem for problem in (*checked.diagnostics, *more) if wanted(problem)], ()
        for complete in completing:
            found = list(complete(checked.evidence, found))
        files = [problem.span.path for problem in found]
        converted = checked.inputs.converted(files) if checked.inputs else frozenset()
        changes = fixing.round(checked, [problem for problem in found if problem.span.path not in converted])
        if not changes:
            break
        fixed = check(plain)
        if broken := _broken(checked, fixed, changes):
            fixing.take_back(broken)
            fixed = check(plain)
        checked = fixed
    if options.strict or fixing.refused:
        checked = check(options)
    return Fixed(tuple(fixing.changes()), tuple(fixing.refused.values()), checked)


class _Fixing:
    """The fixes of a site so far.

    Attributes:
        refused: why some files could not be fixed, by file.
    """

    def __init__(self, root: Path, known: frozenset[str] | None) -> None:
        self.refused: dict[str, Diagnostic] = {}
        self._root = root
        self._known = known
        self._originals: dict[str, str] = {}  # the original names of fixed files, by current name
        self._before: dict[str, str] = {}  # their original texts, by original name

    def round(self, checked: Checked, found: Iterable[Diagnostic]) -> list[Change]:
        """Apply the fixes of problems, each file once; returns the changes."""
        digests, changes = _digests(checked), list[Change]()
        for file, some in _by_file(problem for problem in found if problem.span.path not in self.refused).items():
            original = self._originals.get(file, file)
            if self._known is not None and normalize("NFC", original) not in self._known:
                self.refused[file] = problems.not_in_git(file)
                continue
            done = _fix_file(self._root, file, digests.get(file, ""), some)
            if isinstance(done, Diagnostic):
                self.refused[file] = done
            elif done.before != done.after or done.file != done.new_file:
                self._originals.pop(file, None)
                self._originals[done.new_file] = original
                self._before.setdefault(original, done.before)
                changes.append(done)
        return changes

    def take_back(self, broken: Iterable[tuple[Change, Diagnostic]]) -> None:
        """Undo changes of the last round, each for an error that it causes."""
        for change, cause in broken:
            undone = _undo(self._root, change)
            if undone is None:
                self._originals[change.file] = self._originals.pop(change.new_file)
            self.refused[change.file] = undone or problems.would_break(change.file, cause)

    def changes(self) -> Iterator[Change]:
        """The files that differ in the end, sorted by their original names."""
        for new, old in sorted(self._originals.items(), key=lambda names: names[::-1]):
            text = _text(self._root, new)
            if text is not None and (text != self._before[old] or old != new):
                yield Change(old, new, self._before[old], text)


def _broken(before: Checked, after: Checked, changes: Sequence[Change]) -> list[tuple[Change, Diagnostic]]:
    """The changes after which a file that had no error has one that is about the change, each with that error."""
    old_names = {change.new_file: change.file for change in changes}
    had = {item.span.path for item in before.diagnostics if item.severity == "error"}
    errors = [item for item in after.diagnostics if item.severity == "error"]
    new = [item for item in errors if old_names.get(item.span.path, item.span.path) not in had]
    causes: dict[Change, Diagnostic] = {}
    for item in new:
        about = [change for change in changes if change.new_file in (item.span.path, *item.others)]
        renaming = [change for change in about if change.file != change.new_file]  # it makes a post of another file
        causes |= dict.fromkeys(renaming or about, item)
    return [*causes.items()]


def _undo(root: Path, change: Change) -> Diagnostic | None:
    """Give a file the name and the text that it had before; returns why it could not be done."""
    old, new = (text.encode("utf-8", "surrogateescape") for text in (change.before, change.after))
    if change.file != change.new_file and (problem := rename(root, change.new_file, change.file)):
        return problem
    return replace(root, change.file, new, old) if old != new else None


def _may_cause_others(problem: Diagnostic) -> bool:
    """Whether other problems may be there only because of this one."""
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


def _fix_file(root: Path, file: str, digest: str, found: list[Diagnostic]) -> Change | Diagnostic:
    """Apply the fixes of one file, which must be unchanged since the check.

    Args:
        root: the site's folder.
        file: relative to it.
        digest: of the file as the check has read it.
        found: problems of the file with fixes.

    Returns:
        The change, or a diagnostic if the file could not be fixed.
    """
    data = read_bytes(root, file, limit=TEXT_LIMIT)
    if isinstance(data, Diagnostic):
        return data
    if digest_bytes(data) != digest:
        return disk_problems.changed_while_building(file)
    before = data.decode("utf-8", "surrogateescape")
    # If the exact span of a problem is unknown, only this problem is left unfixed.
    fixes = [problem.fix.edits for problem in found if problem.fix]
    after = edited(before, [edit for edits in fixes if fits(before, edits) for edit in edits])
    if after is not None and after != before:
        problem = replace(root, file, data, after.encode("utf-8", "surrogateescape"))
        if problem:
            return problem
    new = next((problem.fix.rename for problem in found if problem.fix and problem.fix.rename), "")
    problem = rename(root, file, new) if new else None
    return problem or Change(file, new or file, before, before if after is None else after)


def _text(root: Path, file: str) -> str | None:
    data = read_bytes(root, file, limit=TEXT_LIMIT)
    return None if isinstance(data, Diagnostic) else data.decode("utf-8", "surrogateescape")


@contextmanager
def _copy(root: Path) -> Iterator[tuple[Path, list[Diagnostic]]]:
    """A copy of a site, and what cannot be read of it. Files are hard links if possible, since fixes replace files."""
    with scratch_folder("fix") as folder:
        target = folder / "site"
        try:
            unread: list[Diagnostic] = []
            try:
                shutil.copytree(
                    root, target, symlinks=True, ignore=partial(_ignored, root), copy_function=_link_or_copy
                )
            except shutil.Error as error:
                unread = [
                    disk_problems.unreadable(Path(source).relative_to(root).as_posix(), "no permission")
                    for source, *_ in error.args[0]
                ]
            yield target, unread
        finally:
            # If a folder is read-only, the cleanup of `tempfile` would change the permissions of the hard links in it,
            # and so those of the site's files.
            if target.exists():
                _make_removable(target)


def _make_removable(folder: Path) -> None:
    folder.chmod(0o700)
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            _make_removable(inner)


def _ignored(root: Path, folder: str, names: list[str]) -> set[str]:
    """The names that checks do not read: folders of tools in the site's own folder, output folders anywhere, and
    everything that is nested too deeply.
    """
    if len(Path(folder).parts) - len(root.parts) >= _DEEPEST:
        return set(names)
    kept = {".git", ".devlog", "node_modules", ".venv"} if Path(folder) == root else set()
    outputs = (name for name in names if _is_output(Path(folder, name)))
    return kept.intersection(names).union(outputs)


def _is_output(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:  # the folder is not readable
        return False


def _link_or_copy(source: str, target: str) -> object:
    try:
        Path(target).hardlink_to(source)
    except OSError:  # another file system, or one without hard links
        with suppress(OSError):  # unreadable files are left out
            shutil.copy(source, target, follow_symlinks=False)
    return target
