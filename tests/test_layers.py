"""Imports go strictly down: the floors of ARCHITECTURE.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "devlog"

FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"__init__", "model"}),
    frozenset({"config", "packages", "programs", "sanitize"}),
    frozenset({"installation", "plugin"}),
    frozenset(
        {"parse", "assemble", "check", "render", "engine", "disk", "report", "images", "diagrams", "search", "sounds"}
    ),
    frozenset({"workers"}),
    frozenset({"inputs", "stages"}),
    frozenset({"deriving"}),
    frozenset({"cards", "drawings", "episodes", "image_variants", "index_process", "indexing", "receipt", "sources"}),
    frozenset({"derive"}),
    frozenset({"pipeline"}),
    frozenset({"build", "checking"}),
    frozenset({"serve", "scaffold", "fixing", "external", "adopt", "compare", "deploy", "lookup", "speak"}),
    frozenset({"mcp_server"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)


def room(module: str) -> str:
    """The first part of a module's name inside the package: what the floors speak of."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def floor(name: str) -> int:
    return next(number for number, rooms in enumerate(FLOORS) if name in rooms)


def imports(path: Path) -> list[tuple[str, int]]:
    """Every module of devlog that a file imports, late and type-only imports included."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names if alias.name.split(".")[0] == "devlog"]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: relative import"
            if node.module and node.module.split(".")[0] == "devlog":
                if node.module == "devlog":  # from devlog import sanitize
                    found += [(f"devlog.{alias.name}", node.lineno) for alias in node.names]
                else:
                    found.append((node.module, node.lineno))
    own = {"devlog.__version__", "devlog.DISTRIBUTION"}  # values of the package itself, no modules
    return [(name if name not in own else "devlog", line) for name, line in found]


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name, line in imports(path):
        other = room(name)
        if other != own:
            assert floor(other) < floor(own), f"{path.name}:{line}: {own} imports its neighbour or superior {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_html_is_read_as_the_standard_has_it(path: Path) -> None:
    """The interpreter's own reader of HTML raises, and differs from one version to the next."""
    modules = {alias.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) for alias in _named(node)}
    assert modules.isdisjoint({"html.parser", "HTMLParser"})


def _named(node: ast.AST) -> list[ast.alias]:
    """The names that an import mentions."""
    if isinstance(node, ast.ImportFrom):
        return [ast.alias(node.module or ""), *node.names]
    return node.names if isinstance(node, ast.Import) else []


def test_no_knots() -> None:
    """No module imports itself by any way around, inside a room either."""
    names = {".".join(("devlog", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in MODULES}
    graph = {
        name: {other for other, _ in imports(path) if other in names and other != name} for name, path in names.items()
    }
    done: set[str] = set()
    while ready := {name for name in graph.keys() - done if graph[name] <= done}:
        done |= ready
    assert not graph.keys() - done
