"""Mending a site: check, make the changes that have one right answer, and check again until there is none left."""

from __future__ import annotations

import difflib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from devlog.checking import Checked, Options, check
from devlog.disk import problems as disk_problems
from devlog.disk.create import rename, replace
from devlog.disk.git import uncommitted
from devlog.disk.manifest import MANIFEST
from devlog.disk.read import TEXT_LIMIT, Tree, read_bytes
from devlog.fixing import problems
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.edits import edited, fits
from devlog.plugin import features
from devlog.report import printable

ROUNDS = 10
"""One change may bring another problem to light; so often is looked again."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Change(msgspec.Struct, frozen=True):
    """A file that was mended: its name before and now, and its text before and now."""

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
    """The lines of a text as programs for differences count them: nothing but a line feed ends one."""
    return _LINE.findall(text)


Also = Callable[[Checked], Sequence[Diagnostic]]
"""Finds problems that a check does not."""


class Mended(msgspec.Struct, frozen=True):
    """What was mended, what could not be, and what is wrong with the site now."""

    changes: tuple[Change, ...]
    refused: tuple[Diagnostic, ...]
    checked: Checked


def _nothing(_checked: Checked) -> Sequence[Diagnostic]:
    return ()


def mend(
    options: Options, wanted: Callable[[Diagnostic], bool], *, force: bool, also: Also = _nothing
) -> Mended | Diagnostic:
    """Mend a site.

    Args:
        options: as for `devlog.checking.check`.
        wanted: which problems are to be mended.
        force: also where there are changes that git does not know yet.
        also: finds what no rule finds; it is asked once, at the beginning.

    Returns:
        What was done, or why nothing was.
    """
    changed = () if force else uncommitted(options.root)
    if changed is None:
        return problems.git_is_silent()
    changed = tuple(name for name in changed if not f"{name}/".startswith(".devlog/"))  # what every check writes
    if changed:
        return problems.uncommitted_changes(changed[0], len(changed))
    return _mend(options, wanted, options.root, also)


def try_out(options: Options, wanted: Callable[[Diagnostic], bool], *, also: Also = _nothing) -> Mended:
    """What `mend` would do, done with a copy of the site."""
    with _copy(options.root) as root:
        there = msgspec.structs.replace(options, root=root, repository=options.root)
        return _mend(there, wanted, options.root, also)


def _mend(options: Options, wanted: Callable[[Diagnostic], bool], repository: Path, also: Also) -> Mended:
    originals: dict[str, str] = {}  # of mended files: the name that each had before
    before: dict[str, str] = {}  # their texts, by that name
    refused: dict[str, Diagnostic] = {}
    checked = check(options)
    more = also(checked)
    config = checked.evidence.config if checked.evidence else None
    completing = [plugin.fixes(config, repository) for plugin in features() if config and plugin.fixes]
    for _ in range(ROUNDS):
        if checked.evidence is None:
            break
        found, more = [problem for problem in (*checked.diagnostics, *more) if wanted(problem)], ()
        for complete in completing:
            found = list(complete(checked.evidence, found))
        digests, progress = _digests(checked), False
        for file, some in _by_file(problem for problem in found if problem.span.path not in refused).items():
            done = _mend_file(options.root, file, digests.get(file, ""), some)
            if isinstance(done, Diagnostic):
                refused[file] = done
                continue
            original = originals.pop(file, file)
            originals[done.new_file] = original
            before.setdefault(original, done.before)
            progress |= done.before != done.after or done.file != done.new_file
        if not (progress or refused):
            break
        checked = check(options)
        if not progress:
            break
    return Mended(tuple(_changes(options.root, originals, before)), tuple(refused.values()), checked)


def _by_file(found: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    """The problems of each file that have a fix."""
    by_file: dict[str, list[Diagnostic]] = {}
    for problem in found:
        if problem.fix:
            by_file.setdefault(problem.span.path, []).append(problem)
    return by_file


def _changes(root: Path, originals: Mapping[str, str], before: Mapping[str, str]) -> Iterator[Change]:
    """What has changed in the end, by the names that files had before."""
    for new, old in sorted(originals.items(), key=lambda names: names[::-1]):
        text = _text(root, new)
        if text is not None and (text != before[old] or old != new):
            yield Change(old, new, before[old], text)


def _digests(checked: Checked) -> dict[str, str]:
    """The digests of the files of the content folder as a check has read them."""
    content = checked.inputs.content if checked.inputs else Tree()
    digests = {source.file: source.digest for source in content.sources}
    return digests | {asset.file: asset.digest for asset in content.assets}


def _mend_file(root: Path, file: str, digest: str, found: list[Diagnostic]) -> Change | Diagnostic:
    """Mend what is wrong in one file, which must be as it was when that was found."""
    data = read_bytes(root, file, limit=TEXT_LIMIT)
    if isinstance(data, Diagnostic):
        return data
    if digest_bytes(data) != digest:
        return disk_problems.changed_while_building(file)
    before = data.decode("utf-8", "surrogateescape")
    # Where a place is not known to the letter, only that problem stays.
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
def _copy(root: Path) -> Iterator[Path]:
    """A copy of a site. Its files are links to the same bytes where that is possible: mending replaces whole files."""
    with tempfile.TemporaryDirectory(prefix="devlog-") as folder:
        target = Path(folder) / "site"
        try:
            with suppress(shutil.Error):  # what cannot be read is wrong in the site itself, and not mended
                shutil.copytree(
                    root, target, symlinks=True, ignore=partial(_ignored, root), copy_function=_link_or_copy
                )
            yield target
        finally:
            # Where a folder is read-only, cleaning up would change the permissions of the files, which are the site's.
            if target.exists():
                _make_removable(target)


def _make_removable(folder: Path) -> None:
    folder.chmod(0o700)
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            _make_removable(inner)


def _ignored(root: Path, folder: str, names: list[str]) -> set[str]:
    """What no check reads: in the site's own folder what tools keep there, and output wherever it is."""
    kept = {".git", ".devlog", "node_modules", ".venv"} if Path(folder) == root else set()
    outputs = (name for name in names if _is_output(Path(folder, name)))
    return kept.intersection(names).union(outputs)


def _is_output(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:  # nobody may look into it
        return False


def _link_or_copy(source: str, target: str) -> object:
    try:
        Path(target).hardlink_to(source)
    except OSError:  # another file system, or one without links
        with suppress(OSError):  # likewise
            shutil.copy(source, target, follow_symlinks=False)
    return target
