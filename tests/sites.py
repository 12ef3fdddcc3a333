"""Making and building small sites in tests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from devlog.build import Options, build
from devlog.model.report import Report

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
"""The moment at which test sites are built unless a test says otherwise."""


def write_site(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, by their path inside `folder`, exactly as given; returns `folder`."""
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
    return folder


def build_site(folder: Path, **options: Any) -> Report:
    """Build the site in `folder`, in this process, at `NOW` and without a search unless `options` say otherwise.

    Args:
        folder: the site's root.
        options: fields of `devlog.build.Options`.
    """
    return build(Options(**{"root": folder, "now": NOW, "jobs": 1, "search": False, **options}))


def read_tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` by its path, in order; empty when there is no such folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def tree_digest(folder: Path) -> str:
    """One digest of all paths and contents below `folder`."""
    digest = hashlib.sha256()
    for path, data in read_tree(folder).items():
        digest.update(f"{len(path)}:{path}:{len(data)}:".encode() + data)
    return digest.hexdigest()
