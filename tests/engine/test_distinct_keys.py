"""Values that templates show differently have different keys, so that their pages are made again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sites import build_site, read_tree, write_site

from devlog.engine.digests import Digester

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC).replace(tzinfo=None)
VALUES: tuple[Any, ...] = (
    NOON,
    NOON.isoformat(),
    str(NOON),
    NOON.replace(tzinfo=UTC),
    (NOON - timedelta(hours=2)).replace(tzinfo=timezone(-timedelta(hours=2))),
    date(2026, 5, 3),
    "2026-05-03",
    time(12),
    "12:00:00",
    (1,),
    [1],
    [["tuple"], 1],
    {"a": [1]},
    {"a": (1,)},
    [[date(2026, 5, 3)]],
    [["2026-05-03"]],
)


@pytest.mark.parametrize(("one", "other"), tuple(combinations(VALUES, 2)))
def test_keys_tell_values_apart(one: Any, other: Any) -> None:
    assert Digester().key([], [("value", one)]) != Digester().key([], [("value", other)])


PLUGIN = """\
from datetime import datetime
from devlog.plugin import PlannedFile, Plugin
def pages(outline):
    return [PlannedFile("/n/", "page", {{"range": {value}}}, template="n.html")]
plugin = Plugin("numbers", plans=(pages,))
"""


def test_a_page_of_a_plugin_follows_its_values(tmp_path: Path) -> None:
    """Even of one that has the name of a function of Jinja."""
    config = 'plugins = ["numbers.py"]\nsearch.enabled = false\ncards.enabled = false\n'
    files = {"devlog.toml": config, "content/a.md": "A text.\n", "templates/n.html": "<p>{{ range }}</p>"}
    root = write_site(tmp_path, files)
    for value, shown in (("'one'", "one"), ("'two'", "two"), ("datetime(2026, 5, 3)", "2026-05-03 00:00:00")):
        write_site(root, {"numbers.py": PLUGIN.format(value=value)})
        report = build_site(root)
        assert not report.failed
        assert read_tree(root / "public")["n/index.html"] == f"<p>{shown}</p>".encode()
