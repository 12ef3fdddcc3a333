"""Converts diagnostics to the problems that the error overlay shows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from devlog.inputs import Inputs, judge
from devlog.model.diagnostic import Diagnostic
from devlog.serve.responses import Problem

LONGEST_FRAME = 10_000
"""The maximum length of a source line that is shown: up to a hundred are sent to each browser at each edit."""

MOST = 100
"""The maximum number of problems that are shown."""

_SEVERITIES = ("error", "warning", "info")


def judged(inputs: Inputs, root: Path, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics with the configured severities, errors first; those that are shown get their source lines.

    Args:
        inputs: of the site.
        root: the site's folder.
        found: diagnostics in any order.
    """
    diagnostics = judge(list(found), inputs.config, strict=False)
    diagnostics.sort(key=lambda diagnostic: _SEVERITIES.index(diagnostic.severity))
    return (*inputs.with_lines(root, diagnostics[:MOST]), *diagnostics[MOST:])


def problems(inputs: Inputs, root: Path, diagnostics: Sequence[Diagnostic]) -> tuple[Problem, ...]:
    """The first `MOST` diagnostics as problems.

    Args:
        inputs: of the site.
        root: the site's folder.
        diagnostics: in display order.
    """
    pattern = inputs.config.serve.editor
    return tuple(
        Problem(
            severity=item.severity,
            code=item.code,
            message=item.message,
            path=item.span.path,
            line=item.span.line,
            column=item.span.column,
            length=item.span.length,
            hint=item.hint,
            frame=item.line_text if len(item.line_text) <= LONGEST_FRAME else "",
            editor=editor_url(pattern, root, item.span.path, item.span.line),
        )
        for item in diagnostics[:MOST]
    )


def editor_url(pattern: str, root: Path, file: str, line: int | None) -> str:
    """The URL that opens a file of the site in an editor.

    Args:
        pattern: a URL with the placeholders ``{path}``, for the absolute path without the first slash, and ``{line}``;
            empty if there is no editor.
        root: the site's folder.
        file: relative to it.
        line: counted from 1; 0 for the file as a whole; `None` keeps the placeholder ``{line}``.

    Returns:
        The URL; empty if there is no editor or no such file.
    """
    path = root / file
    # Some diagnostics are not about a file, but a list, for example. `Path.is_file` would raise an error where a folder
    # may not be entered.
    if not pattern or not os.path.isfile(path):  # noqa: PTH113
        return ""
    filled = pattern.replace("{path}", quote(path.absolute().as_posix().lstrip("/"), safe="/:"))
    return filled if line is None else filled.replace("{line}", str(line or 1))
