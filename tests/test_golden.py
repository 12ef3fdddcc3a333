"""A small devlog and its whole output, byte for byte: `tests/golden/site` and `tests/golden/public`.

`pytest tests/test_golden.py --update` rewrites the output. Read the difference before you keep it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from selection import FEATURES
from sites import build_site, read_tree

from devlog.disk.manifest import MANIFEST

FOLDER = Path(__file__).parent / "golden"
THEME = "theme/"
"""Where the theme's files are published: they are its source, and stand here by their digests only."""


def golden(tree: dict[str, bytes]) -> dict[str, bytes]:
    """An output tree as it is kept: without the manifest, whose keys change with devlog's own code.

    The theme's files are left out, and the digests of their bytes in the pages' URLs are replaced, so that
    a change of a color leaves the pages alone.
    """
    kept = {path: data for path, data in tree.items() if path != MANIFEST and not path.startswith(THEME)}
    return {path: re.sub(rb"(/theme/[\w.-]+)\?v=[0-9a-f]{8}", rb"\1?v=DIGEST", data) for path, data in kept.items()}


@pytest.mark.slow
@pytest.mark.feature(*FEATURES)
def test_the_whole_output(tmp_path: Path, update: bool) -> None:
    site = tmp_path / "site"
    shutil.copytree(FOLDER / "site", site)
    report = build_site(site)
    assert report.diagnostics == ()
    tree = read_tree(site / "public")
    made = golden(tree)
    if update:
        shutil.rmtree(FOLDER / "public", ignore_errors=True)
        for path, data in made.items():
            file = FOLDER / "public" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    kept = read_tree(FOLDER / "public")
    assert sorted(made) == sorted(kept)
    for path, data in kept.items():
        assert made[path] == data, path
    assert len(made) + len([path for path in tree if path.startswith(THEME)]) == report.outputs
