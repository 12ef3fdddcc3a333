"""Configurations of other generators, which have up to 1 MiB, are read in time that grows with their size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.diagnostic import Span
from devlog.parse.front_matter.json_tree import read_json
from devlog.parse.front_matter.lines import Lines
from devlog.parse.front_matter.toml_tree import read_toml
from devlog.parse.front_matter.tree import Mapping, Scalar, Sequence

SIZE = 1_000_000


@given(st.text("\n\r\u2028ab "), st.integers(1, 9))
def test_places(text: str, first: int) -> None:
    lines = Lines(text, "a.json", first)
    for offset in range(len(text) + 1):
        before = text[:offset].split("\n")
        span = lines.span(offset, 3)
        assert span == Span("a.json", first + len(before) - 1, len(before[-1]) + 1, 3)
        assert lines.offset(span) == offset
        assert text[offset : lines.end(offset)] == text[offset:].partition("\n")[0]


def repeated(form: str, size: int = SIZE) -> str:
    """A form with numbers counted up."""
    return "".join(form.format(number) for number in range(size // len(form)))


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "text",
    [
        repeated("k{} = 1\n") + "z =\n",
        repeated("[a.k{}]\nb = 1\n") + "z =\n",
        repeated("z =\n"),
        f"[{'a' * (SIZE // 2)}]\n" + repeated("b =\n", SIZE // 2),
    ],
    ids=["keys", "tables", "faults", "header"],
)
def test_toml_with_a_mistake(text: str) -> None:
    assert read_toml(text, "hugo.toml", 1, 32)[1]


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "text",
    [
        "a = {b" + " " * (SIZE // 2) + "= []" + repeated(', "\\u0062{}" = []', SIZE // 2) + "}\n",
        repeated('["\\u0061{}"]\n'),
    ],
    ids=["blank", "tables"],
)
def test_toml_whose_values_are_not_as_written(text: str) -> None:
    assert read_toml(text, "hugo.toml", 1, 32)[1] == ()


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("between", [",\n", ","])
def test_json(between: str) -> None:
    text = '{"a":[' + between.join("1" * (SIZE // 2)) + "]}"
    assert read_json(text, "hugo.json", 1, 32)[1] == ()


@pytest.mark.slow
def test_values_are_found_behind_very_many_others_that_are_nowhere() -> None:
    root, found = read_toml("a = [\n" + "0x10,\n" * 60_000 + '    "b"\n]\n', "hugo.toml", 1, 32)
    assert found == ()
    values = root.entries[0].value
    assert isinstance(values, Sequence)
    assert values.items[-1] == Scalar("b", Span("hugo.toml", 60_002, 6, 1))


def test_the_first_of_several_values_of_a_key_counts_in_toml_with_a_mistake() -> None:
    text = "[a]\nb = 1\n[a.c]\nd = 2\n[a]\nb = 3\nc.e = 4\nz =\n"
    root, found = read_toml(text, "hugo.toml", 1)
    assert [problem.span.line for problem in found] == [6, 8]
    assert plain(root) == {"a": {"b": "1", "c": {"d": "2", "e": "4"}}}


def plain(node: object) -> object:
    if isinstance(node, Mapping):
        return {entry.key.text: plain(entry.value) for entry in node.entries}
    return node.text if isinstance(node, Scalar) else node
