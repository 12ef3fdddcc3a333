"""The change of one file: what fixes make of its text and name, and how that is done and undone."""

from __future__ import annotations

from itertools import compress
from pathlib import Path

import msgspec

from devlog.disk import problems as disk_problems
from devlog.disk.read import TEXT_LIMIT, read_bytes
from devlog.disk.single_files import rename, replace
from devlog.fixing.patch import Kept, binary, head, is_plain, kept_lines, lines_of, unified
from devlog.model.diagnostic import Diagnostic, Edit
from devlog.model.digest import digest_bytes
from devlog.model.edits import apart, edited, misfit, replacements
from devlog.model.secrets import masked


class Change(msgspec.Struct, frozen=True):
    """A fixed file.

    Attributes:
        file: its old name.
        new_file: its new name.
        before: its old text.
        after: its new text.
        kept: which lines of the new text are lines of the old one.
        fixed: the problems that it fixes.
        unfit: the problems whose fixes do not fit the old text, each with an edit that does not.
    """

    file: str
    new_file: str
    before: str
    after: str
    kept: Kept = ()
    fixed: tuple[Diagnostic, ...] = ()
    unfit: tuple[tuple[Diagnostic, Edit], ...] = ()

    def diff(self) -> str:
        """The change as a unified diff, with the names that git gives to the two sides. Secrets are masked in it."""
        lines = list(unified(lines_of(masked(self.before)), lines_of(masked(self.after)), self.kept))
        hunks = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        is_changed = hunks or self.renames
        return f"{head(self.file, self.new_file, hunks)}{hunks}" if is_changed else ""

    def patch(self) -> str:
        """The change for programs: as the diff, if that can be printed as it is, and otherwise as git writes changes of
        files that are not text, so that what is printed can be applied.

        A diff of lines with secrets cannot be: it is shown as to people, since the logs of programs are read as well.
        """
        diff = self.diff()
        if is_plain(diff) or self._has_secrets:
            return diff
        hunks = binary(*(text.encode("utf-8", "surrogateescape") for text in (self.before, self.after)))
        return f"{head(self.file, self.new_file, hunks, is_text=False)}{hunks}"

    def then(self, later: Change) -> Change:
        """This change and a later one of the same file, as one."""
        kept = tuple(self.kept[number] if number >= 0 else -1 for number in later.kept)
        return Change(self.file, later.new_file, self.before, later.after, kept)

    @property
    def _has_secrets(self) -> bool:
        return masked(self.before) != self.before or masked(self.after) != self.after

    @property
    def is_empty(self) -> bool:
        """Whether the file stays as it is."""
        return self.before == self.after and not self.renames

    @property
    def renames(self) -> bool:
        """Whether the file has another name afterwards."""
        return self.file != self.new_file


def change_of(root: Path, file: str, digest: str, found: list[Diagnostic], most: int) -> Change | Diagnostic:
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
    tried = [(problem, problem.fix, misfit(before, problem.fix.edits)) for problem in found if problem.fix]
    unfit = tuple((problem, edit) for problem, _, edit in tried if edit)
    fitting = [(problem, fix) for problem, fix, edit in tried if not edit]
    name = next((fix.rename for _, fix in fitting if fix.rename), "")
    fitting = [(problem, fix) for problem, fix in fitting if fix.rename in ("", name)]
    # A fix that overlaps with another one is left for the next round: half of it could never be completed.
    chosen = list(compress(fitting, apart(before, [fix.edits for _, fix in fitting])))[:most]
    new = next((fix.rename for _, fix in chosen if fix.rename), "")
    edits = [edit for _, fix in chosen for edit in fix.edits]
    after = edited(before, edits) or ""
    kept = kept_lines(before, replacements(before, edits) or ())
    return Change(file, new or file, before, after, kept, tuple(problem for problem, _ in chosen), unfit)


def make(root: Path, change: Change) -> Diagnostic | None:
    """Give a file its new text and name; returns why it could not be done, and then nothing is."""
    old, new = _bytes(change)
    if old != new and (problem := replace(root, change.file, old, new)):
        return problem
    problem = rename(root, change.file, change.new_file) if change.renames else None
    if problem and old != new:
        replace(root, change.file, new, old)
    return problem


def undo(root: Path, change: Change) -> Diagnostic | None:
    """Give a file the name and the text that it had before; returns why it could not be done."""
    old, new = _bytes(change)
    if change.renames and (problem := rename(root, change.new_file, change.file)):
        return problem
    return replace(root, change.file, new, old) if old != new else None


def undo_any(root: Path, change: Change) -> None:
    """Undo what was made of a change: all of it, only its text, or nothing."""
    if undo(root, change) and change.renames:
        undo(root, msgspec.structs.replace(change, new_file=change.file))


def _bytes(change: Change) -> tuple[bytes, bytes]:
    """The old and the new text of a file, as they are on the disk."""
    return change.before.encode("utf-8", "surrogateescape"), change.after.encode("utf-8", "surrogateescape")
