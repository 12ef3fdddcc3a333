"""Small posts for tests of limits, and names for many of them."""

from __future__ import annotations

from itertools import product
from string import ascii_lowercase

from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.parse.front_matter.values import LONGEST
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

NAMES = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]
TOO_LONG = "Lumen " * (LONGEST // 6) + "x" * 10
"""Longer than a name may be."""


def post_text(**fields: str) -> str:
    """A post with these fields in its front matter."""
    lines = {"title": "A post", "date": "2026-05-01", "author": "Ada Quill (@adaquill)", **fields}
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in lines.items()) + "---\nText.\n"


def parsed_post(name: str, **fields: str) -> Parsed:
    """The same, parsed."""
    path = f"log/{name}.md"
    return parse(Source(path, f"content/{path}", post_text(**fields)), ParseOptions())[0]
