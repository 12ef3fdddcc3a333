"""Imports go strictly down, the layers of ARCHITECTURE.md, and features stand by themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from devlog.config import DialectName
from devlog.model.dialect import DIALECTS

PACKAGE = Path(__file__).parent.parent / "devlog"

Function = ast.FunctionDef | ast.AsyncFunctionDef

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"__init__", "model"}),
    frozenset({"native", "out_of_time", "problems", "threads", "waiting"}),
    frozenset({"built_in", "config", "packages", "programs", "sanitize"}),
    frozenset({"config_file", "installation", "plugin"}),
    frozenset({"plugins"}),
    frozenset({"parse", "assemble", "check", "render", "engine", "disk", "report", "http"}),
    frozenset({"cache_keys", "jobs", "json_schema", "template_cache", "warm_up"}),
    frozenset({"inputs", "stages"}),
    frozenset({"deriving"}),
    frozenset({"build_record", "derive"}),
    frozenset({"pipeline"}),
    frozenset({"build", "checking"}),
    frozenset({"serve", "scaffold", "fixing", "gaps", "external", "adopt", "compare", "deploy", "search", "speak"}),
    frozenset({"mcp_server", "digest"}),
    frozenset({"cli"}),
    frozenset({"start"}),
    frozenset({"__main__"}),
)


def package(module: str) -> str:
    """The first part of a module's name inside the package, or of a feature's, the stage that it belongs to."""
    parts = module.split(".")
    if parts[1:2] == ["features"] and len(parts) > 3:
        return parts[3]
    return parts[1] if len(parts) > 1 else "__init__"


def feature(module: str) -> str:
    """The feature that a module is part of; empty for the core and the commands."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["features"] and len(parts) > 2 else ""


def layer(name: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if name in names)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of the syntax tree of a file that one of these tests looks at; most files are read by each of them."""
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return tuple(node for node in tree if isinstance(node, ast.Import | ast.ImportFrom | ast.Compare | Function))


@cache
def imports(path: Path) -> list[tuple[str, int]]:
    """Every module of devlog that a file imports, late and type-only imports included."""
    found = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names if alias.name.split(".")[0] == "devlog"]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: relative import"
            if node.module and node.module.split(".")[0] == "devlog":
                if node.module == "devlog":  # from devlog import sanitize
                    found += [(f"devlog.{alias.name}", node.lineno) for alias in node.names]
                else:
                    found += [(_module(node.module, alias.name), node.lineno) for alias in node.names]
    own = {"devlog.__version__", "devlog.DISTRIBUTION"}  # values of the package itself, no modules
    return [(name if name not in own else "devlog", line) for name, line in found]


def _module(package: str, name: str) -> str:
    """The module that an import of a name from a package or a module loads."""
    path = PACKAGE.parent.joinpath(*package.split("."), name)
    return f"{package}.{name}" if path.is_dir() or path.with_suffix(".py").exists() else package


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parts[-2:] != ("features", "__init__.py"))


def at(path: Path) -> str:
    """A file as messages name it."""
    return path.relative_to(PACKAGE).as_posix()


def module_of(path: Path) -> str:
    """The dotted name of a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


# Each test looks at all modules: a test for each of them would be thousands, which every process collects.


def test_imports_go_down() -> None:
    assert [wrong for path in MODULES for wrong in _imports_that_do_not_go_down(path)] == []


def _imports_that_do_not_go_down(path: Path) -> Iterator[str]:
    own = package(module_of(path))
    for name, line in imports(path):
        other = package(name)
        if other != own and layer(other) >= layer(own):
            yield f"{at(path)}:{line}: {own} imports its neighbor or superior {other}"


def test_the_engine_knows_no_posts() -> None:
    """It gets what it must know of values that others define, such as those of which there are many."""
    of_posts = {
        f"devlog.model.{name}" for name in ("document", "metadata", "post_note", "site", "source", "target", "view")
    }
    engine = [path for path in MODULES if path.parent == PACKAGE / "engine"]
    assert [f"{at(path)}:{line}" for path in engine for name, line in imports(path) if name in of_posts] == []


def test_html_is_read_as_the_standard_has_it() -> None:
    """The interpreter's own reader of HTML raises, and differs from one version to the next."""
    named = {alias.name: at(path) for path in MODULES for node in nodes(path) for alias in _named(node)}
    assert named.keys().isdisjoint({"html.parser", "HTMLParser"}), named


def _named(node: ast.AST) -> list[ast.alias]:
    """The names that an import mentions."""
    if isinstance(node, ast.ImportFrom):
        return [ast.alias(node.module or ""), *node.names]
    return node.names if isinstance(node, ast.Import) else []


def test_nothing_outside_a_feature_imports_it() -> None:
    assert [
        f"{at(path)}:{line}: imports {name}"
        for path in MODULES
        for name, line in imports(path)
        if feature(name) not in (feature(module_of(path)), "")
    ] == []


def test_nothing_asks_for_the_name_of_a_dialect() -> None:
    """What a dialect does otherwise is a trait of `devlog.model.dialect`; only `adopt` chooses one."""
    assert [
        f"{at(path)}:{node.lineno}"
        for path in MODULES
        if package(module_of(path)) != "adopt"
        for node in nodes(path)
        if isinstance(node, ast.Compare) and _asks_for_a_dialect(node)
    ] == []


def _asks_for_a_dialect(node: ast.Compare) -> bool:
    sides = (node.left, *node.comparators)
    names = {side.attr if isinstance(side, ast.Attribute) else getattr(side, "id", "") for side in sides}
    texts = any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)
    return "dialect" in names and texts


MOST_PARAMETERS = 6
"""A function that needs more does two things, or some of what it takes is one value that has no name yet."""

WITH_MORE = {"parse/markdown/fast_tokens.py:make_token": "stands for a constructor with thirteen, which is too slow"}
"""Functions that take more all the same, and why."""


def test_functions_take_few_parameters() -> None:
    """The function of a command is another matter: it takes the command's options and arguments."""
    with_more = {
        f"{at(path)}:{node.name}": _parameters(node)
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, Function) and not any(map(_makes_a_command, node.decorator_list))
        if len(_parameters(node)) > MOST_PARAMETERS
    }
    assert with_more.keys() == WITH_MORE.keys(), with_more


def _parameters(function: Function) -> list[str]:
    taken = function.args
    every = (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def _makes_a_command(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(".command")


def test_each_dialect_of_the_configuration_is_described() -> None:
    assert get_args(DialectName) == tuple(DIALECTS)


def test_no_import_cycles() -> None:
    """No module imports itself by any way around, inside a package either."""
    names = {".".join(("devlog", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in MODULES}
    graph = {
        name: {other for other, _ in imports(path) if other in names and other != name} for name, path in names.items()
    }
    done: set[str] = set()
    while ready := {name for name in graph.keys() - done if graph[name] <= done}:
        done |= ready
    assert not graph.keys() - done
