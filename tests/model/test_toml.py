"""Where the keys and tables of a TOML text stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.toml import TomlError, load_toml, toml_entries

TEXT = '''\
title = "A log" # """
about = """
title = "not this one"
[nor.this]
"""
'quoted.key' . x = 1
numbers = [
  [1, 2],
  ["a = b"],
]

[feeds]
limit = 3

  [[menu]]
  name = "One"
[[menu]]
name = "Two" # [x]
'''


def shown(text: str, *, is_valid: bool = True) -> list[tuple[tuple[str | int, ...], str]]:
    """Each path, and what stands there up to the end of the line."""
    return [
        (entry.path, text[entry.start :].split("\n", maxsplit=1)[0]) for entry in toml_entries(text, is_valid=is_valid)
    ]


def test_what_only_looks_like_a_key_is_none() -> None:
    assert shown(TEXT) == [
        (("title",), 'title = "A log" # """'),
        (("about",), 'about = """'),
        (("quoted.key", "x"), "'quoted.key' . x = 1"),
        (("numbers",), "numbers = ["),
        (("feeds",), "[feeds]"),
        (("feeds", "limit"), "limit = 3"),
        (("menu", 0), "[[menu]]"),
        (("menu", 0, "name"), 'name = "One"'),
        (("menu", 1), "[[menu]]"),
        (("menu", 1, "name"), 'name = "Two" # [x]'),
    ]


def test_a_place_ends_where_the_next_one_begins() -> None:
    found = toml_entries(TEXT)
    assert TEXT[found[1].value : found[1].end] == ' """\ntitle = "not this one"\n[nor.this]\n"""\n'
    assert [entry.header for entry in found[:6]] == ["", "", "", "", "[feeds]", "[feeds]"]
    assert found[-1].names == ("menu", "name")
    assert found[-1].end == len(TEXT)


def test_of_what_is_not_valid_each_line_counts() -> None:
    text = 'tags = ["a",\ntitle = "A log\nabout = """\ndate = 3\n'
    assert [path for path, _ in shown(text, is_valid=False)] == [("tags",), ("title",), ("about",), ("date",)]
    assert [path for path, _ in shown(text)] == [("tags",)]


@pytest.mark.slow
@given(st.text(alphabet="ab.=[]{}\"'#,\\ \n1", max_size=40))
def test_each_key_that_is_read_has_a_place(text: str) -> None:
    try:
        table = load_toml(text)
    except TomlError:
        return
    assert {entry.names[0] for entry in toml_entries(text)} >= {key for key in table if key.isalnum()}


def test_keys_below_a_long_header_have_paths_of_limited_length() -> None:
    found = toml_entries(f"[a{'.a' * 5_000}]\n" + "b = 1\n" * 100, is_valid=False)
    assert len(found) == 101
    assert sum(len(entry.path) for entry in found) < 101 * 110


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("part", ['"\\', '"\\\n', "'a\n", '"a\n', '"""\\', "\"'", 'a."\\.'])
def test_what_nobody_closes_is_looked_at_once(part: str) -> None:
    with pytest.raises(TomlError):
        load_toml("x = [" + "1.0," * 200 + "]\n" + part * 200_000)


@pytest.mark.parametrize("number", ["9223372036854775808", "-9_223_372_036_854_775_809", "0x1_0000_0000_0000_0000"])
def test_an_integer_has_64_bits(number: str) -> None:
    text = f"a = \"{number}\" # {number}\nb = '''\n{number}'''\nc = [1, {{x = {number}}}]\n"
    with pytest.raises(TomlError, match=r"more than 64 bits \(at line 4, column 14\)"):
        load_toml(text)


def test_the_largest_and_the_smallest_integer() -> None:
    assert load_toml("a = [9223372036854775807, -9223372036854775808]") == {"a": [2**63 - 1, -(2**63)]}
