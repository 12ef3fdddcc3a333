"""Files that are nested as deep as they can be do not end the process, whichever thread reads them.

Each is read in a fork of its own, so that a crash is a failure: first by the main thread, then by one with a stack of
512 kB, as threads have on some systems.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from apart import Apart
from nested import MODULES, READERS, TOML

from devlog.model.json_depth import MAX_NESTING, JsonDepthError, check_json_depth
from devlog.model.toml import TomlDepthError, TomlError, load_toml


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with Apart("nested", *MODULES) as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reader", "name"),
    [
        pytest.param(key, name, marks=[pytest.mark.feature(reader.feature)] if reader.feature else [])
        for key, reader in READERS.items()
        for name in reader.texts
    ],
)
def test_the_process_goes_on(apart: Apart, reader: str, name: str) -> None:
    assert apart.do("read_nested", reader, name) == ["by the main thread", "by a thread with a small stack"]


@pytest.mark.parametrize("name", sorted(TOML.keys() - {"open strings", "open literal strings"}))
def test_toml_that_is_too_deep(name: str) -> None:
    with pytest.raises(TomlDepthError, match=r"nested more than 100 levels deep \(at line \d+, column \d+\)$"):
        load_toml(TOML[name])


DEEP = MAX_NESTING - 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1.5\n",
        "a." * DEEP + "a = 1.5",
        "[" + "a." * DEEP + "a]\nb = 1",
        "a = " + "[" * DEEP + "]" * DEEP,
        "a = " + "{a = " * DEEP + "1}" + "}" * (DEEP - 1),
        "a = [" + "1.5, " * 1_000 + "]",
        "a = [" + "[1.5],\n" * 1_000 + "]",
        "a = [" + "{b.c = [1.5], d.e.f = 2},\n" * 1_000 + "]",
        "".join(f"[a.b{number}]\nc.d = [1.5, [2.5]]\n[[e.f]]\n" for number in range(500)),
        f"a = \"{'[{.' * 100}\" # {'[{.' * 100}\nb = '{'[{.' * 100}'\nc.d = 1",
        f'a = """{"[{." * 100}\n\\"""{"[" * 200}"""""\nb = \'\'\'\n{"[." * 100}\'\'\'\'\nc.d = 1',
    ],
)
def test_toml_that_is_not(text: str) -> None:
    assert load_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2", "a = " + "1" * 5_000, "a = [", '"', "a = '''"])
def test_toml_that_is_none(text: str) -> None:
    with pytest.raises(TomlError):
        load_toml(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "is_deep"),
    [
        ("[" * MAX_NESTING + "]" * MAX_NESTING, False),
        ("[" * MAX_NESTING + "[]" + "]" * MAX_NESTING, True),
        ('{"a": ' * MAX_NESTING + "[1]" + "}" * MAX_NESTING, True),
        ("[" + '["a]", {"b\\"[[": "[["}],' * 1_000 + "1]", False),
        ('["' + "[" * 1_000 + '"]', False),
        ('["' + "[" * 1_000, False),
        ('["\\', False),
        ('["' + "]" * 1_000 + '",' + "[" * MAX_NESTING, True),
    ],
)
def test_json_that_is_too_deep(text: str, is_deep: bool) -> None:
    for data in (text, text.encode()):
        if is_deep:
            with pytest.raises(JsonDepthError):
                check_json_depth(data)
        else:
            check_json_depth(data)
