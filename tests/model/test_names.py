"""Which file a name in front matter means."""

from __future__ import annotations

import pytest

from devlog.model.names import named_file

KNOWN = {"a/b c.md", "a/b%20c.vtt", "d#e.md", "a/d#e.vtt"}


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("b c.md", "a/b c.md"),
        ("b%20c.md", "a/b c.md"),
        ("b%20c.vtt", "a/b%20c.vtt"),
        ("b%2520c.vtt", "a/b%20c.vtt"),
        ("/d%23e.md", "d#e.md"),
        ("d#e.vtt", "a/d#e.vtt"),
        ("../a/b%20c.md", "a/b c.md"),
        ("e.md", ""),
    ],
)
def test_a_file_is_named_as_it_is_or_as_links_have_it(target: str, found: str) -> None:
    assert named_file("a/post.md", target, KNOWN) == found
