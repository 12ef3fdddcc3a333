"""No regular expression is matched differently by the Pythons that devlog runs on.

CPython before 3.11.5, which Debian 12 has, matches possessive quantifiers of groups and atomic groups wrongly: see the
issues 100061 and 106052 of CPython. No expression needs them, so that none has them.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import devlog

PACKAGE = Path(devlog.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
WRONG = {_constants.POSSESSIVE_REPEAT: "a possessive quantifier", _constants.ATOMIC_GROUP: "an atomic group"}

COMPILED_BY_IMPORTS = """
import importlib, json, pkgutil, re, sys
from re import _compiler

import devlog

found, missing, compile = [], [], _compiler.compile

def recorded(pattern, flags=0):
    if isinstance(pattern, str | bytes):
        frame = sys._getframe(1)
        while frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        found.append((frame.f_code.co_filename, frame.f_lineno, isinstance(pattern, bytes), text, int(flags)))
    return compile(pattern, flags)

_compiler.compile = recorded
for module in pkgutil.walk_packages(devlog.__path__, "devlog."):
    if not module.name.endswith(".__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name.partition(".")[0] == "devlog":
                raise
            missing.append(error.name)  # of an extra
json.dump([found, missing], sys.stdout)
"""


def _wrong_in(pattern: str | bytes, flags: int = 0) -> list[str]:
    """What of an expression some Python matches wrongly."""
    return list(_wrong_nodes(_parser.parse(pattern, flags)))


def _wrong_nodes(node: Any) -> Iterator[str]:
    if isinstance(node, _parser.SubPattern):
        node = node.data
    if isinstance(node, list | tuple):
        for part in node:
            yield from _wrong_nodes(part)
    elif isinstance(node, _constants._NamedIntConstant) and node in WRONG:  # else the number of a letter may be its
        yield WRONG[node]


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (r"[a*+]+\+(?:b+c)*", []),
        ("".join(map(chr, range(32))), []),
        (r"a*+", ["a possessive quantifier"]),
        (rb"(?:(?!b).)++", ["a possessive quantifier"]),
        (r"(?=a{1,3}+)", ["a possessive quantifier"]),
        (r"a|(b?+)", ["a possessive quantifier"]),
        (r"(?i:(?>a)b)", ["an atomic group"]),
    ],
)
def test_what_is_wrong(pattern: str | bytes, wrong: list[str]) -> None:
    assert _wrong_in(pattern) == wrong


@pytest.mark.slow
def test_expressions_of_modules() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMPILED_BY_IMPORTS], capture_output=True, text=True, timeout=120, check=True
    )
    found, missing = json.loads(done.stdout)
    own = [
        (Path(file).relative_to(PACKAGE), line, text.encode("latin-1") if is_bytes else text, flags)
        for file, line, is_bytes, text, flags in found
        if Path(file).is_relative_to(PACKAGE)
    ]
    assert len(own) > 400
    assert [(file, line, wrong) for file, line, text, flags in own if (wrong := _wrong_in(text, flags))] == []
    if missing:
        pytest.skip(f"modules that need {', '.join(missing)}, of extras, were not looked at")


@pytest.mark.slow
def test_expressions_of_functions() -> None:
    """These are compiled only when they are needed; what is put into them then is taken for a letter."""
    wrong, missing = [], []
    for file in FILES:
        try:
            wrong += [(str(file.relative_to(PACKAGE)), line, what) for line, what in _wrong_in_functions(file)]
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] == "devlog":
                raise
            missing.append(str(error.name))
    assert wrong == []
    if missing:
        pytest.skip(f"modules that need {', '.join(missing)}, of extras, were not looked at")


def _wrong_in_functions(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a module where something is wrong in an expression, and what."""
    source = file.read_text("utf-8")
    if file.name == "__main__.py" or "re." not in source:
        return
    name = ".".join(("devlog", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    names = vars(importlib.import_module(name))
    if names.get("re") is not re:
        return
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        if (
            isinstance(call.func.value, ast.Name)
            and call.func.value.id == "re"
            and call.func.attr not in ("escape", "error")
        ):
            yield from ((call.lineno, what) for what in _wrong_in(_expression(call.args[0], names)))


def _expression(node: ast.expr, names: dict[str, Any]) -> str | bytes:
    """An expression as far as its module's names tell it; what a function puts into it is a letter here."""
    expression: str | bytes = "x"
    match node:
        case ast.JoinedStr(values=parts):
            expression = "".join(_text(_expression(part, names)) for part in parts)
        case ast.FormattedValue(value=inside):
            expression = _expression(inside, names)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            expression = _text(_expression(left, names)) + _text(_expression(right, names))
        case ast.BinOp(op=ast.Mod(), left=left):
            expression = re.sub(r"%[srd]", "x", _text(_expression(left, names)))
        case _ if not _local_names(node) - names.keys() - vars(builtins).keys():
            value = eval(compile(ast.Expression(node), "", "eval"), names)
            expression = value if isinstance(value, str | bytes) else expression
    return expression


def _local_names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


@pytest.mark.slow
def test_only_one_module_asks_the_library_for_character_references() -> None:
    """It raises on long numbers: see `devlog.model.character_references`."""
    assert [file.name for file in FILES if _asks_for_unescape(file)] == ["character_references.py"]


def _asks_for_unescape(file: Path) -> bool:
    imports = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    return any(node.module == "html" and "unescape" in [name.name for name in node.names] for node in imports)
