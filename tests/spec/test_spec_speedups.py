"""The examples of the specifications, read by devlog's parser and by markdown-it's own, which must agree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from markdown_versions import assert_same
from reading import read_examples

SPECS = os.environ.get("DEVLOG_SPECS", "")
pytestmark = pytest.mark.spec


@pytest.mark.parametrize("name", ["commonmark", "gfm"])
def test_same_for_all_examples(name: str) -> None:
    for example in read_examples(Path(SPECS) / f"{name}.txt"):
        assert_same(example.markdown)
        assert_same("> " + example.markdown.replace("\n", "\n> "))
        assert_same("- " + example.markdown.replace("\n", "\n  "))
