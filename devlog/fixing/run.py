"""Fixes a site: checks it, applies the fixes that have one right answer, and repeats until none is left."""

from __future__ import annotations

import errno
import os
import posixpath
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

import msgspec

from devlog.check.evidence import CheckedSource, Evidence
from devlog.checking import Checked, Options, check
from devlog.config import is_of_plugin
from devlog.disk import problems as disk_problems
from devlog.disk.folder import describe, is_there
from devlog.disk.git import tracked, uncommitted
from devlog.disk.manifest import MANIFEST
from devlog.disk.read import ASSET_LIMIT, TEXT_LIMIT, Tree, read_bytes
from devlog.disk.scratch import scratch_folder
from devlog.disk.single_files import is_spare, rename, replace
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.engine.store import Store
from devlog.fixing import problems
from devlog.fixing.meaning import changed, destinations_of, keeps_meaning, shows_same, sources_of
from devlog.fixing.patch import Kept, binary, head, is_plain, kept_lines, lines_of, unified
from devlog.inputs import read_configuration
from devlog.model.diagnostic import Diagnostic, Fix
from devlog.model.digest import digest_bytes
from devlog.model.document import Body
from devlog.model.edits import edited, fits, replacements
from devlog.model.record import decoded
from devlog.pipeline import store_of
from devlog.plugins.features import features

ROUNDS = 30
"""The maximum number of rounds, since a fix may reveal another problem, and one that goes wrong is searched for."""

_DEEPEST = 100
"""The number of levels of folders that a copy of a site has. Checks read fewer; copying and removing recurse."""
_OF_TOOLS = frozenset({".git", ".devlog", "node_modules", ".venv"})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors after which no copy is made. All others are about one file."""
_OUTLINE = 4096
_LOST = frozenset({"broken-link", "broken-image", "broken-menu"})
"""The codes of links whose target does not exist, as that of a file does not after the file was renamed."""


class Change(msgspec.Struct, frozen=True):
    """A fixed file.

    Attributes:
        file: its old name.
        new_file: its new name.
        before: its old text.
        after: its new text.
        kept: which lines of the new text are lines of the old one.
        fixed: the problems that it fixes.
    """

    file: str
    new_file: str
    before: str
    after: str
    kept: Kept = ()
    fixed: tuple[Diagnostic, ...] = ()

    def diff(self) -> str:
        """The change as a unified diff, with the names that git gives to the two sides."""
        lines = list(unified(lines_of(self.before), lines_of(self.after), self.kept))
        hunks = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        is_changed = hunks or self.file != self.new_file
        return f"{head(self.file, self.new_file, hunks)}{hunks}" if is_changed else ""

    def patch(self) -> str:
        """The change for programs: as the diff, if that can be printed as it is, and otherwise as git writes changes of
        files that are not text, so that what is printed can be applied.
        """
        diff = self.diff()
        if is_plain(diff):
            return diff
        hunks = binary(*(text.encode("utf-8", "surrogateescape") for text in (self.before, self.after)))
        return f"{head(self.file, self.new_file, hunks, is_text=False)}{hunks}"

    def then(self, later: Change) -> Change:
        """This change and a later one of the same file, as one."""
        kept = tuple(self.kept[number] if number >= 0 else -1 for number in later.kept)
        return Change(self.file, later.new_file, self.before, later.after, kept)


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


class _NoCopyError(Exception):
    """There is no place for a copy of the site.

    Attributes:
        error: the error of the system.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(describe(error))
        self.error = error


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
        with _copy(options.root) as (root, unread):
            return _tried(options, root, unread, wanted, also, force=force)
    except _NoCopyError as error:
        return problems.cannot_try(describe(error.error), is_full=error.error.errno in _NO_ROOM)


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
    if cause := next(filter(_may_cause_others, checked.diagnostics), None):
        return Fixed((), (problems.nothing_fixed(cause),), check(options) if options.strict else checked)
    fixing = _Fixing(options.root, known)
    more = list(also(checked))
    config = checked.evidence.config if checked.evidence else None
    completing = [plugin.fixes(config, repository) for plugin in features() if config and plugin.fixes]
    for _ in range(ROUNDS):
        if checked.evidence is None:
            break
        found = [problem for problem in (*checked.diagnostics, *more) if wanted(problem)]
        for complete in completing:
            found = list(complete(checked.evidence, found))
        files = [problem.span.path for problem in found]
        converted = checked.inputs.converted(files) if checked.inputs else frozenset()
        with fixing.undone_if_interrupted():
            changes = fixing.round(checked, [problem for problem in found if problem.span.path not in converted])
            if not changes:
                break
            fixed = check(plain)
            broken = _broken(options.root, checked, fixed, changes)
            fixing.settle(changes, broken)
        fixing.give_up([change for change in changes if change not in broken], fixed.diagnostics)
        settled = {problem for change in changes if change not in broken for problem in change.fixed}
        more = [problem for problem in more if problem not in settled]
        if broken:
            fixed = check(plain)
        checked = fixed
    if options.strict or fixing.refused:
        checked = check(options)
    return Fixed(tuple(fixing.changes()), tuple(fixing.refused.values()), checked)


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
        self._endless: set[tuple[str, str, str]] = set()  # problems that their fixes did not end
        self._most: dict[str, int] = {}  # how many fixes of a file are tried at once, after more have gone wrong

    @contextmanager
    def undone_if_interrupted(self) -> Iterator[None]:
        """Undo the changes of a round that does not end: nobody knows yet whether they are right."""
        try:
            yield
        except BaseException:
            while self._tried:
                with suppress(KeyboardInterrupt):  # who presses Ctrl-C twice must not find half of them
                    _undo_any(self._root, self._tried[-1])
                    self._tried.pop()
            raise

    def round(self, checked: Checked, found: Iterable[Diagnostic]) -> list[Change]:
        """Apply the fixes of problems, each file once; returns the changes.

        Fixes that give sources another meaning go first, and alone: others may depend on them, and what those change is
        then known exactly.
        """
        left = [item for item in found if item.fix and item.span.path not in self._closed]
        left = [item for item in left if _identity(item) not in self._wrong and self._same(item) not in self._endless]
        digests = _digests(checked)
        return self._apply([item for item in left if not keeps_meaning(item)], digests) or self._apply(
            [item for item in left if keeps_meaning(item)], digests
        )

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
            change = _change_of(self._root, file, digests[file], some, self._most.get(file, len(some)))
            if isinstance(change, Diagnostic):
                self._close(file, change)
            elif change.before != change.after or change.file != change.new_file:
                self._tried.append(change)  # before it is made, which may be interrupted
                if problem := _make(self._root, change):
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
            undone = _undo(self._root, change) if change in broken else None
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
        self._tried = []

    def give_up(self, changes: Iterable[Change], found: Sequence[Diagnostic]) -> None:
        """Apply no fix again that did not end its problem: it would be applied in each round, and the file might grow.

        Args:
            changes: those of a round that stay.
            found: the problems after them.
        """
        for change in changes:
            for problem in _not_ended(change, found):
                self._endless.add(self._same(problem))
                self.refused.setdefault(change.new_file, problems.not_ended(problem))

    def changes(self) -> Iterator[Change]:
        """The files that differ in the end, sorted by their original names."""
        for change in sorted(self._done.values(), key=lambda change: (change.file, change.new_file)):
            if change.before != change.after or change.file != change.new_file:
                yield change

    def _close(self, file: str, why: Diagnostic) -> None:
        self.refused[file] = why
        self._closed.add(file)

    def _same(self, problem: Diagnostic) -> tuple[str, str, str]:
        """What a problem and the one that is there again after its fix have in common."""
        return (self._original(problem.span.path), problem.code, problem.message)

    def _original(self, file: str) -> str:
        """The name that a file had at the beginning."""
        return self._done[file].file if file in self._done else file


def _identity(problem: Diagnostic) -> tuple[object, ...]:
    """What tells the fix of a problem from others, wherever earlier fixes have moved its place to."""
    fix = problem.fix or Fix()
    return (problem.span.path, problem.code, fix.rename, *((edit.old, edit.new, edit.lines) for edit in fix.edits))


def _broken(root: Path, before: Checked, after: Checked, changes: Sequence[Change]) -> dict[Change, Diagnostic]:
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
        blamed = list(filter(_renames, led)) if item.code in _LOST else []
        if not blamed and item.severity == "error" and not about:
            blamed = led
        elif not blamed and item.severity == "error" and file not in had:  # which may hide others
            blamed = list(filter(_renames, about)) or about  # a rename makes a post of another file
        causes |= {change: problems.would_break(change.file, item) for change in blamed}
    return causes


def _renames(change: Change) -> bool:
    return change.file != change.new_file


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


def _not_ended(change: Change, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The problems of plugins, as they are after a change, that it should have fixed.

    One in another line that stayed as it was is another problem: a rule may report only the first of a file.

    Args:
        change: the change.
        found: the problems after it.
    """
    places = {(item.code, item.message, item.span.line) for item in _applied(change) if is_of_plugin(item.code)}
    for item in found:
        if item.span.path != change.new_file:
            continue
        number = item.span.line - 1
        old = change.kept[number] + 1 if 0 <= number < len(change.kept) else 0  # 0: a changed line, or the whole file
        lines = [line for code, message, line in places if (code, message) == (item.code, item.message)]
        if lines and (not old or old in lines):
            yield item


def _applied(change: Change) -> list[Diagnostic]:
    """The problems whose fixes a change has applied: all but those whose edits overlap with others."""
    fixes = [(problem, problem.fix.edits) for problem in change.fixed if problem.fix]
    done = set(replacements(change.before, [edit for _, edits in fixes for edit in edits]) or ())
    return [problem for problem, edits in fixes if done.issuperset(replacements(change.before, edits) or ())]


def _make(root: Path, change: Change) -> Diagnostic | None:
    """Give a file its new text and name; returns why it could not be done, and then nothing is."""
    old, new = _bytes(change)
    if old != new and (problem := replace(root, change.file, old, new)):
        return problem
    problem = rename(root, change.file, change.new_file) if _renames(change) else None
    if problem and old != new:
        replace(root, change.file, new, old)
    return problem


def _undo(root: Path, change: Change) -> Diagnostic | None:
    """Give a file the name and the text that it had before; returns why it could not be done."""
    old, new = _bytes(change)
    if _renames(change) and (problem := rename(root, change.new_file, change.file)):
        return problem
    return replace(root, change.file, new, old) if old != new else None


def _undo_any(root: Path, change: Change) -> None:
    """Undo what was made of a change: all of it, only its text, or nothing."""
    if _undo(root, change) and _renames(change):
        _undo(root, msgspec.structs.replace(change, new_file=change.file))


def _bytes(change: Change) -> tuple[bytes, bytes]:
    """The old and the new text of a file, as they are on the disk."""
    return change.before.encode("utf-8", "surrogateescape"), change.after.encode("utf-8", "surrogateescape")


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


def _change_of(root: Path, file: str, digest: str, found: list[Diagnostic], most: int) -> Change | Diagnostic:
    """What the fixes of one file, which must be unchanged since the check, make of it.

    Args:
        root: the site's folder.
        file: relative to it.
        digest: of the file as the check has read it.
        found: problems of the file with fixes.
        most: how many of them to fix.

    Returns:
        The change, which is not made yet, or a diagnostic if the file cannot be fixed.
    """
    data = read_bytes(root, file, limit=TEXT_LIMIT)
    if isinstance(data, Diagnostic):
        return data
    if digest_bytes(data) != digest:
        return disk_problems.changed_while_building(file)
    before = data.decode("utf-8", "surrogateescape")
    # If the exact span of a problem is unknown, only this problem is left unfixed.
    fixed = [problem for problem in found if problem.fix and fits(before, problem.fix.edits)][:most]
    edits = [edit for problem in fixed if problem.fix for edit in problem.fix.edits]
    after = edited(before, edits) or ""
    new = next((problem.fix.rename for problem in fixed if problem.fix and problem.fix.rename), "")
    kept = kept_lines(before, replacements(before, edits) or ())
    return Change(file, new or file, before, after, kept, tuple(fixed))


@contextmanager
def _copy(root: Path) -> Iterator[tuple[Path, list[Diagnostic]]]:
    """A copy of a site, and what cannot be read of it. Files are hard links if possible, since fixes replace files.

    Raises:
        _NoCopyError: there is no place for it.
    """
    with ExitStack() as stack:
        unread: list[Diagnostic] = []
        try:
            target = stack.enter_context(scratch_folder("fix", root)) / "site"
            target.mkdir()
            stack.callback(_make_removable, target)
            _copy_folder(root, "", target, unread)
        except OSError as error:
            raise _NoCopyError(error) from error
        yield target, unread


def _copy_folder(root: Path, path: str, target: Path, unread: list[Diagnostic], depth: int = 1) -> None:
    """Copy a folder of a site, without what checks do not read: folders of tools in the site's own folder, output
    folders anywhere, and everything that is nested too deeply.

    Args:
        root: the site's folder.
        path: the folder to copy, relative to it.
        target: the copy, an empty folder.
        unread: what cannot be read or copied is added.
        depth: how many levels below the site's folder its entries are.

    Raises:
        OSError: there is no room for the copy.
    """
    source = root / path
    try:
        entries = [*os.scandir(source)]
    except OSError as error:
        unread.append(disk_problems.unreadable(path, describe(error)))
        return
    for entry in entries if depth <= _DEEPEST else ():
        inner = f"{path}/{entry.name}".lstrip("/")
        try:
            if entry.is_symlink():
                _copy_link(Path(entry), target / entry.name)
            elif not entry.is_dir(follow_symlinks=False):
                _link_or_copy(Path(entry), target / entry.name)
            elif not (entry.name in _OF_TOOLS and not path) and not _is_output(Path(entry)):
                (target / entry.name).mkdir()
                _copy_folder(root, inner, target / entry.name, unread, depth + 1)
        except FileNotFoundError:
            pass  # removed meanwhile, as editors do with their temporary files
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise
            unread.append(disk_problems.unreadable(inner, describe(error)))
    with suppress(OSError):  # not all file systems have modes
        shutil.copymode(source, target)


def _make_removable(folder: Path) -> None:
    """Let folders be emptied. Otherwise the cleanup of `tempfile` would change the permissions of the hard links in
    read-only ones, and so those of the site's files.
    """
    folder.chmod(0o700)
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            _make_removable(inner)


def _is_output(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:  # the folder is not readable
        return False


def _copy_link(source: Path, target: Path) -> None:
    """Give the copy of a site a symbolic link. Raises OSError."""
    # Some systems have links of another kind for folders, and the folder may not be copied yet.
    target.symlink_to(source.readlink(), target_is_directory=is_there(source, folder=True))


def _link_or_copy(source: Path, target: Path) -> None:
    """Give the copy of a site a file. Raises OSError."""
    try:
        target.hardlink_to(source)
    except OSError:  # another file system, or one without hard links
        _copy_file(source, target)


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file, but nothing like a pipe, which checks do not read. Raises OSError."""
    status = source.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return
    try:
        if status.st_size > ASSET_LIMIT:
            _copy_outline(source, target)
        else:
            shutil.copy(source, target, follow_symlinks=False)
    except OSError:
        target.unlink(missing_ok=True)  # a part would be checked like the whole
        raise


def _copy_outline(source: Path, target: Path) -> None:
    """Copy the beginning of a file and its length, which is all that checks read of it. Raises OSError."""
    with source.open("rb") as old, target.open("wb") as new:
        new.write(old.read(_OUTLINE))
        new.truncate(source.stat().st_size)
