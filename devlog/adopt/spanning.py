"""Converts globs whose ``*`` matches ``/`` too, as in the ``fnmatch`` of Ruby and Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from devlog.adopt.common import literal
from devlog.disk.ignore import compile_ignore

_TOKEN = re.compile(r"(?P<set>\[!?\]?[^\]]*\])|(?P<inner>\*+/)|(?P<star>\*+)")

_ALSO_SLASHES = re.compile(r"[?\[]")
"""What matches a slash, too, and does not in a pattern."""


def spanning(glob: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Patterns of `ignore` for what such a glob matches.

    Args:
        glob: the glob, in the syntax of Python, without a slash at its beginning.
        paths: the paths in the content folder, of which those are listed that no pattern can be made for.
    """
    pattern = "/" + _TOKEN.sub(_converted, glob)
    rules, wrong = compile_ignore((pattern,))
    if not wrong and not _ALSO_SLASHES.search(glob):
        return (pattern,)
    found = (path for path in paths if fnmatchcase(path, glob))
    rest = tuple(f"/{literal(path)}" for path in found if wrong or not rules.paths[0].fullmatch(path))
    return rest if wrong else (pattern, *rest)


def _converted(token: re.Match[str]) -> str:
    if token["set"]:
        return token["set"]
    return "*/**/" if token["inner"] else "**"
