"""Messages about files that must not be fixed."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Edit, Span
from devlog.model.problems import error

_CORRECT = "change it by hand, or correct the fix of the plugin"


def uncommitted_changes(file: str, number: int) -> Diagnostic:
    """`--fix` changes nothing while there are changes that are not committed to git."""
    others = f", and so do {number - 1:,} more" if number > 1 else ""
    message = f"has uncommitted changes{others}: nothing was fixed"
    return error("uncommitted-changes", Span(file), message, "commit them first, or use --force")


def not_in_git(file: str) -> Diagnostic:
    """`--fix` changes no file that git ignores, or that is in a submodule: git could not restore it.

    Nor does it change a file that git takes for unchanged because it was told so.
    """
    message = "is not in git, or is marked there as unchanged: it was not fixed"
    return error("uncommitted-changes", Span(file), message, "use --force to fix it, too")


def not_content(file: str) -> Diagnostic:
    """`--fix` changes sources and other files of the content folder, and no more, whatever a plugin's fix is for."""
    message = "is not a source or an asset in the content folder: it was not fixed"
    return error("nothing-fixed", Span(file), message, "change it by hand")


def nothing_fixed(cause: Diagnostic) -> Diagnostic:
    """`--fix` changes nothing if the configuration has an error, or something cannot be read."""
    message = f"has an error ({cause.code}) that may cause others: nothing was fixed"
    return error("nothing-fixed", cause.span, message, "correct it first")


def would_break(file: str, cause: Diagnostic) -> Diagnostic:
    """`--fix` leaves out what gives the site an error, or a link without a target, that it does not have without."""
    place = cause.span.path if cause.span.path != file else "it"
    what = "an error" if cause.severity == "error" else "a new problem"
    message = f"was left as it is: fixed, {place} would have {what} ({cause.code}): {cause.message}"
    return error("nothing-fixed", Span(file), message, "change it by hand")


def would_alter(file: str, code: str, what: str) -> Diagnostic:
    """`--fix` leaves out what changes more of a source than it is meant to."""
    message = f"was not fixed as “{code}” says: {what} would change"
    return error("nothing-fixed", Span(file), message, "change it by hand")


def not_ended(problem: Diagnostic) -> Diagnostic:
    """`--fix` applies a plugin's fix only once if its problem is still there: the file could grow each time."""
    message = f"was fixed once as “{problem.code}” says, and has the problem still: {problem.message}"
    return error("nothing-fixed", problem.span, message, _CORRECT)


def undone(problem: Diagnostic) -> Diagnostic:
    """`--fix` applies no fix to a text twice: another fix has undone it, and the two would alternate for ever."""
    message = f"was fixed once as “{problem.code}” says, and another fix has undone that: {problem.message}"
    return error("nothing-fixed", problem.span, message, "change it by hand, or correct one of the two fixes")


def unfit(problem: Diagnostic, edit: Edit) -> Diagnostic:
    """`--fix` applies no fix of a plugin if it is not certain which text of the file to replace."""
    line, last = edit.span.line, edit.span.line + edit.lines - 1
    lines = f"line {line}" if edit.lines <= 1 else f"lines {line}–{last}"
    place = f"{lines}, column {edit.span.column}" if edit.span.column else lines
    what = f"“{edit.old}” does not occur exactly once at {place}" if edit.old else f"it has no {place}"
    return error("nothing-fixed", edit.span, f"was not fixed as “{problem.code}” says: {what}", _CORRECT)


def ineffective(problem: Diagnostic) -> Diagnostic:
    """`--fix` has a fix of a plugin that leaves the file as it is."""
    message = f"was not fixed as “{problem.code}” says: the fix changes nothing: {problem.message}"
    return error("nothing-fixed", problem.span, message, _CORRECT)


def unsettled(problem: Diagnostic, rounds: int) -> Diagnostic:
    """`--fix` ends after some rounds, although there are fixes left: one may follow from the other for ever."""
    message = f"is still to be fixed as “{problem.code}” says, after {rounds} rounds of fixes: {problem.message}"
    return error("nothing-fixed", problem.span, message, f"run the command again; if that does not help, {_CORRECT}")


def cannot_try(reason: str, *, is_full: bool) -> Diagnostic:
    """`--fix --dry-run` tries the fixes in a copy of the site, for which there is no place."""
    message = f"cannot make a copy of the site to try the fixes in: {reason}"
    return error("nothing-fixed", Span(".devlog"), message, "make room on the disk" if is_full else "")


def git_unavailable() -> Diagnostic:
    """`--fix` changes nothing if git cannot tell whether there are changes that are not committed."""
    message = "cannot tell from git whether there are uncommitted changes: nothing was fixed"
    hint = "see what “git status” says, and whether git is 2.31 or later; or use --force"
    return error("uncommitted-changes", Span(".git"), message, hint)
