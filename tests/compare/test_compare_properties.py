"""A tree is like itself, and whatever page is taken away is missed."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from compare_outputs import compared, hugo, jekyll, refresh, tree, zola
from hypothesis import given, settings
from hypothesis import strategies as st

from devlog.compare.compare import compare_trees
from devlog.compare.values import Comparison

NAMES = st.sampled_from(["a", "b", "index", "Page", "é", "tags", "2026-05-04-x", "c++"])
PATHS = st.builds("/".join, st.lists(NAMES, min_size=1, max_size=3))
TEXT = st.text(alphabet="abc <>&\"'|-é\n", max_size=20)
PAGES = st.one_of(
    st.builds(
        "<title>{} | The log</title><h1>{}</h1><time datetime='2026-05-0{}'><h2 id='{}'>x</h2>{}".format,
        TEXT,
        TEXT,
        st.integers(1, 9),
        NAMES,
        TEXT,
    ),
    st.builds(lambda path: refresh(f"/lumen/{path}/"), PATHS),
)
OUTPUTS = st.one_of(
    st.sampled_from([hugo(), jekyll(), zola()]),
    st.dictionaries(PATHS.map(lambda path: f"{path}/index.html"), PAGES, max_size=6),
)


def nothing_differs(done: Comparison) -> bool:
    differences = (done.redirected, done.added, done.titles, done.dates, done.authors, done.anchors, done.feeds)
    return not any(differences) and not done.redirects


@pytest.mark.slow
@settings(max_examples=60)
@given(OUTPUTS)
def test_a_tree_compared_with_itself(files: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        output = tree(Path(folder), {"index.html": "", **files})
        done = compare_trees(output, output, (), UTC)
    assert nothing_differs(done)
    assert done.lost == ()
    assert done.kept == done.old_urls


@pytest.mark.slow
@settings(max_examples=60)
@given(OUTPUTS, st.data())
def test_a_page_taken_away_is_lost(files: dict[str, str], data: st.DataObject) -> None:
    paths = sorted(path for path in files if path.endswith(".html") and path != "index.html")
    if not paths:
        return
    gone = data.draw(st.sampled_from(paths))
    with TemporaryDirectory() as folder:
        done = compared(Path(folder), files, {path: text for path, text in files.items() if path != gone})
    url = f"/{gone.removesuffix('index.html')}"
    assert url in [lost.url for lost in done.lost if lost.reason == "missing"]
    assert done.failed or url.endswith("/page/1/")
