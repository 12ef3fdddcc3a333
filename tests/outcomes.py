"""What a build leaves behind, for comparing builds."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sites import build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST
from devlog.model.report import Report


@dataclass(frozen=True)
class Outcome:
    """What two builds of one input must agree on."""

    files: dict[str, bytes]
    folders: list[str]
    diagnostics: tuple[object, ...]
    skipped: tuple[object, ...]
    counts: tuple[int, ...]


def outcome(root: Path, report: Report) -> Outcome:
    public = root / "public"
    files = read_tree(public)
    files.pop(MANIFEST, None)  # it holds the times of files
    return Outcome(
        files=files,
        folders=sorted(path.relative_to(public).as_posix() for path in public.rglob("*") if path.is_dir()),
        diagnostics=tuple(item for item in report.diagnostics if item.code != "edited-output"),
        skipped=report.skipped,
        counts=(report.posts, report.pages, report.feeds, report.outputs),
    )


def clean_outcome(inputs: Mapping[str, str | bytes], **options: Any) -> tuple[Outcome, Report]:
    """What a build of the inputs makes where nothing was before."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_site(Path(folder), inputs)
        report = build_site(root, cache=False, **options)
        return outcome(root, report), report


def known_outcome(inputs: Mapping[str, bytes], **options: Any) -> tuple[Outcome, Report]:
    """`clean_outcome` of inputs that are all that a build depends on; of the last ones, it is still known.

    Random edits are often taken back, and some change nothing. That equal inputs make equal sites is for
    ``tests/engine/test_determinism.py``.
    """
    key = frozenset(inputs.items()), frozenset(options.items())
    if key not in _known:
        _known[key] = clean_outcome(inputs, **options)
    _known.move_to_end(key)
    if len(_known) > 16:
        _known.popitem(last=False)
    return _known[key]


_known: OrderedDict[object, tuple[Outcome, Report]] = OrderedDict()
