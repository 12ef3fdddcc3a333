"""A large authors file is read in time that grows with it, whatever is wrong with it."""

from __future__ import annotations

import pytest

from devlog.parse.front_matter.authors_file import read_authors_file


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "text",
    [
        "{{ a }}" * 60_000,
        "'\\\\\\" * 100_000,
        "a" + " " * 400_000 + "\nb: [\n",
        "a" * 400_000 + "\nb: [\n",
    ],
)
def test_one_long_line_is_read_soon(text: str) -> None:
    """Looking for a key from each of its characters would take minutes."""
    assert read_authors_file(text, "content/authors.yml").diagnostics


@pytest.mark.slow
def test_each_mistake_is_told_at_its_line() -> None:
    text = "".join(f"h{number}: {{}}\nw{number}: [\n" for number in range(2_000))
    registry = read_authors_file(text, "content/authors.yml")
    assert list(registry.authors) == [f"h{number}" for number in range(2_000)]
    lines = [problem.span.line for problem in registry.diagnostics if problem.severity == "error"]
    assert lines == [*range(2, 4_001, 2)]
