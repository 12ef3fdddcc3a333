"""Verify what functions of plugins return."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from devlog.model.diagnostic import Diagnostic, Fix
from devlog.model.error_line import error_line
from devlog.plugins.codes import has_name


def misfit(value: Any, kind: Any) -> str:
    """Why a value that a plugin returned does not match a type. Structs do not check their fields when constructed.

    Args:
        value: the value of a plugin.
        kind: the type, as in annotations.

    Returns:
        Empty if the value and everything in it match the declared types, and can be stored: a string with a lone
        surrogate, for example, cannot.
    """
    try:
        msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)
    except Exception as error:  # of any type: the value may run code of the plugin
        return error_line(error)
    return ""


def misfit_problem(given: Any) -> str:
    """Why a value that a function of a plugin returned is not a problem that can be reported; empty if it is one."""
    if not isinstance(given, Diagnostic):
        return f"it returned a {type(given).__name__} instead of a problem"
    reason = misfit(given, Diagnostic) or (_misfit_fix(given.fix, given.span.path) if given.fix else "")
    return f"a problem that it returned is malformed: {reason}" if reason else ""


def misfit_problems(found: Iterable[Any], function: Callable[..., Any]) -> str:
    """Why the problems that a converter or a recipe returned cannot be reported; empty if they can."""
    found = tuple(found)
    if found and not has_name(function):
        return "it has no name, from which its problems would get their code"
    return next(filter(None, map(misfit_problem, found)), "")


_CONTROL = re.compile(r"[\0-\x1f\x7f\\]")
_LONGEST_NAME = 255
"""The number of bytes that the name of a file may have in common file systems."""


def _misfit_fix(fix: Fix, path: str) -> str:
    """Why a fix cannot be one of a problem in a file; empty if it can.

    What it replaces is compared with the file only when it is applied: a rule may not know the file's exact text.
    """
    if other := next((edit.span.path for edit in fix.edits if edit.span.path != path), None):
        return f"its fix edits “{other}”, and the problem is in “{path}”"
    folder, _, name = fix.rename.rpartition("/")
    if not fix.rename:
        return ""
    if folder != path.rpartition("/")[0] or name in ("", ".", ".."):
        return f"its fix gives “{path}” the name “{fix.rename}”, which is not in the same folder"
    is_long = len(name.encode()) > _LONGEST_NAME
    return "its fix has a name that no file can have" if is_long or _CONTROL.search(name) else ""
