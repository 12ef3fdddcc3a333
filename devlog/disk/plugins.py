"""Finds plugins: those of installed packages, and those in files of the site."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from devlog import packages
from devlog.disk.as_read import run_as_read
from devlog.disk.read import read_text
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.theme import PluginRef

GROUP = "devlog.plugins"
"""The group of entry points with which installed packages provide plugins."""


@cache
def installed() -> tuple[PluginRef, ...]:
    """The plugins of installed packages, by name."""
    return tuple(_installed())


@cache
def _installed() -> dict[PluginRef, frozenset[str]]:
    """The plugins of installed packages, with their modules and those that these import."""
    found = {}
    for point in packages.offers(GROUP):
        module = _module(point.module)
        files = _read(module)
        version = f"{point.package.version} {_digest(files)}"
        imported = _imports(files)
        around = _around({module.name}, imported)
        ref = PluginRef(point.name, point.module, point.attribute, version, around=around)
        found[ref] = frozenset({module.name, *imported})
        _code(module.name)
    return found


def local(root: Path, file: str) -> PluginRef | Diagnostic:
    """A plugin in a file of the site, or why it cannot be read.

    Args:
        root: the site's folder.
        file: the file as configured, relative to it.
    """
    text = read_text(root, file)
    if isinstance(text, Diagnostic):
        return text
    return PluginRef(file, file, "plugin", digest_bytes(text.encode()), text, _around(set(), _imports_of(text)))


@lru_cache(maxsize=64)
def are_same(refs: tuple[PluginRef, ...]) -> bool:
    """Whether this process runs the same code for plugins as the process that the references are from.

    A worker process starts later and imports modules by itself, which may have been edited meanwhile.
    """
    return all(ref.around == _around(set(), _imports_of(ref.text)) if ref.text else ref in installed() for ref in refs)


def changed(refs: Iterable[PluginRef]) -> frozenset[str]:
    """The packages and modules that plugins may run, and that have changed since this process found them.

    Those that it imports late would run as they are now, but its results are stored under the key of what it found.
    """
    found = set(packages.changed())
    for ref in refs:
        imported = _imports_of(ref.text) if ref.text else _installed().get(ref, ())
        found.update(name for name, code in _reached(set(), imported) if _is_changed(name, code))
    return frozenset(found)


@lru_cache(maxsize=64)
def _imports_of(text: str) -> dict[str, int]:
    """The modules that a plugin in a file of the site imports, as `_imports` finds them."""
    return _imports({"plugin.py": text.encode()})


# -- the code that a plugin may run


class _Module(NamedTuple):
    """A module or package that can be imported: its name, and the file or the folders of its code, if known.

    A namespace package may have several folders: one in a wheel, say, and one in a checkout.
    """

    name: str
    places: tuple[Path, ...]


def _module(dotted: str) -> _Module:
    """The top-level module or package of a dotted name."""
    top = dotted.partition(".")[0]
    # Of a standard module, the first file on the path counts, which may shadow it. Other finders need not be asked.
    find = PathFinder.find_spec if top in sys.stdlib_module_names else find_spec
    try:
        spec = find(top)
    except (ImportError, ValueError):
        spec = None
    return _Module(top, _places(spec))  # if there is none, loading it will report the problem


def _places(spec: ModuleSpec | None) -> tuple[Path, ...]:
    """The file or the folders that a module was found in."""
    if spec is None:
        return ()
    folders = [*(spec.submodule_search_locations or ())]
    files = [spec.origin] if spec.has_location and spec.origin else []
    return tuple(map(Path, folders or files))


def _read(module: _Module) -> dict[str, bytes]:
    """The files of a module's code, by relative path. Of a module in an archive, all of that archive is code.

    From now on, this process runs the code that was read.
    """
    found: dict[str, bytes] = {}
    for name, path, data in _files(module):
        found[name] = data
        if path.suffix == ".py":
            run_as_read(module.name, path, data)
    return found


def _files(module: _Module) -> Iterator[tuple[str, Path, bytes]]:
    """The files of a module's code: their names in `_read`, their paths and their bytes."""
    for number, place in enumerate(module.places):
        prefix = f"{number}/" if number else ""
        archive = next((above for above in place.parents if above.is_file()), None)
        if archive:
            yield from ((f"{prefix}{name}", archive, data) for name, data in _read_archive(archive).items())
            continue
        for path in [place] if place.is_file() else sorted(_code_below(place)):
            with suppress(OSError):
                yield f"{prefix}{path.relative_to(place.parent).as_posix()}", path, path.read_bytes()


def _code_below(folder: Path) -> Iterator[Path]:
    """The files of code in a folder, also behind links to folders, which Python follows. Each folder counts once."""
    seen = set[tuple[int, int]]()
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        with suppress(OSError):  # it was removed meanwhile
            status = place.stat()
            if (status.st_dev, status.st_ino) in seen or place.name == "__pycache__":
                continue
            seen.add((status.st_dev, status.st_ino))
            inside = sorted(place.iterdir(), reverse=True)
            yield from (path for path in inside if path.suffix in _CODE and path.is_file())
            waiting += [path for path in inside if path.is_dir()]


_CODE = (".py", ".pyc", ".so", ".pyd")


def _read_archive(archive: Path) -> dict[str, bytes]:
    """The bytes of an archive, and its members in Python, by name."""
    from zipfile import ZipFile

    found: dict[str, bytes] = {}
    with suppress(Exception):  # it is damaged: loading the module will report the problem
        found[archive.name] = archive.read_bytes()
        with ZipFile(archive) as opened:
            found |= {name: opened.read(name) for name in opened.namelist() if name.endswith(".py")}
    return found


def _digest(files: Mapping[str, bytes]) -> str:
    digest = blake2b(digest_size=16)
    for name, data in files.items():
        digest.update(f"{name} {len(data)} ".encode() + data)
    return digest.hexdigest()


def _imports(files: Mapping[str, bytes]) -> dict[str, int]:
    """The top-level modules that some code imports, anywhere in it, except by relative imports, and a line that does.

    Code that knows a function that imports by name may give it any other name, or take names from a list. So in such
    code, each string that could name a module counts. Names that it computes cannot be told without running it, which a
    build with nothing to do must not.
    """
    found: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing the code issues the same ones, and these name no file
        for name, data in files.items():
            try:
                tree = ast.parse(data) if name.endswith(".py") else None
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # such code cannot run either
            nodes = list(ast.walk(tree)) if tree else []
            by_name = any(map(_imports_by_name, nodes))
            for node in nodes:
                for dotted in _imported(node, by_name=by_name):
                    found.setdefault(re.split("[.:]", dotted, maxsplit=1)[0], getattr(node, "lineno", 0))
    found.pop("", None)
    return found


def _imports_by_name(node: ast.AST) -> bool:
    """Whether a part of code mentions a function that imports a module by its name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name) | ast.Constant(value=str(name)):
            return name in _IMPORTING
    return False


def _imported(node: ast.AST, *, by_name: bool) -> Iterable[str]:
    """The dotted names that a statement imports, or that a string may name if the code imports by name."""
    match node:
        case ast.Import():
            return (alias.name for alias in node.names)
        case ast.ImportFrom(module=str(module), level=0):
            return (module,)
        case ast.Constant(value=str(text)) if by_name and _DOTTED.fullmatch(text):
            return (text,)
    return ()


_IMPORTING = frozenset({"__import__", "import_module", "resolve_name", "run_module"})
_DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)*(?::[\w.]+)?")
"""A dotted name, which may name a value of a module as entry points do."""


def _around(known: set[str], names: Iterable[str]) -> str:
    """A digest of the versions of all packages, and of importable code that has no version.

    An example of such code is a package that is imported from its checkout, or a file that somebody has put beside
    installed packages. Which packages a plugin uses cannot be determined reliably, since they use others. So if the
    version of any package changes, everything that the plugin was involved in is made again. Of the installed ones
    that it imports itself, the records count as well, since one version may have been built several times.

    Args:
        known: the names of modules that are already taken into account.
        names: the names of imported modules.
    """
    digest = blake2b(
        "".join(f"{name} {value}\n" for name, value in sorted(packages.versions().items())).encode(), digest_size=16
    )
    for name, code in _reached(known, names):
        if code.digest:
            digest.update(f"{name} {code.digest}\n".encode())
    return digest.hexdigest()


def _reached(known: set[str], names: Iterable[str]) -> Iterator[tuple[str, _Code]]:
    """The modules that are imported, and those that their code imports, unless it has a version; see `_around`."""
    pending, seen = sorted(names), {*known, "devlog"}
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        code = _code(name)
        yield name, code
        pending += sorted(code.imports)


class _Code(NamedTuple):
    """The code of a module.

    Attributes:
        digest: its digest; of code that has a version, that of its record, which is empty if there is none.
        imports: the modules that it imports.
        places: where it was found.
        own: those of these places whose code has no version.
        path: the folders and archives in which Python looked for it.
        on_path: what it found there.
    """

    digest: str
    imports: frozenset[str]
    places: tuple[Path, ...]
    own: tuple[Path, ...]
    path: tuple[str, ...]
    on_path: tuple[Path, ...]


@cache
def _code(name: str) -> _Code:
    """The code of a module, as this process found it first: Python loads it once, however often it changes."""
    path = tuple(sys.path)
    module = _module(name)
    own = tuple(place for place in module.places if not _has_version(place))
    files = _read(module._replace(places=own))
    digest = _digest_of(module.places, files)
    return _Code(digest, frozenset(_imports(files)), module.places, own, path, _on_path(name, path))


def _is_changed(name: str, code: _Code) -> bool:
    """Whether a module is another one by now, or has other code. That is read, but this process does not run it."""
    if _on_path(name, code.path) != code.on_path:
        return True
    files = {name: data for name, _, data in _files(_Module(name, code.own))}
    return _digest_of(code.places, files) != code.digest


def _digest_of(places: Iterable[Path], files: Mapping[str, bytes]) -> str:
    """The digest of the code of a module, in files without a version or as installed; empty if there is none."""
    records = {f"RECORD {number}": found for number, place in enumerate(places) if (found := packages.record(place))}
    return _digest({**files, **records}) if files or records else ""


def _on_path(name: str, path: Sequence[str]) -> tuple[Path, ...]:
    """Where Python would find a module, if it was not imported yet and no finder of a package knew it."""
    try:
        spec = PathFinder.find_spec(name, path)
    except (ImportError, ValueError):
        spec = None
    return _places(spec)


def astray(ref: PluginRef) -> tuple[str, Path, int] | None:
    """A module that a plugin in a file of the site imports from where devlog has not looked for it.

    Its code does not count, so that nothing would be made again after a change of it. The plugin must be loaded: its
    code may add folders to the path of Python, which cannot be told without running it.

    Args:
        ref: the plugin.

    Returns:
        The name of the module, its file or folder, and the line of the plugin that imports it, 0 if another module
        does; `None` if there is no such module.
    """
    lines = _imports_of(ref.text)
    reached = dict(_reached(set(), lines))
    read = {place for code in reached.values() for place in code.places}
    for name, code in sorted(reached.items()):
        path = frozenset(map(Path, code.path))
        for place in _module(name).places:
            if not (place.parent in path or _is_installed(place) or read.intersection((place, *place.parents))):
                return name, place, lines.get(name, 0)
    return None


def _is_installed(place: Path) -> bool:
    """Whether a file or folder is anywhere in an installation: some packages contain others, and import them."""
    folders = (*_STANDARD, *map(Path, packages.install_folders()))
    return not {*place.parents}.isdisjoint(folders)


def _has_version(place: Path) -> bool:
    """Whether the file or folder of a module belongs to a package with a version, or to Python's standard library."""
    return place.parent in _STANDARD or packages.is_installed(place)


_STANDARD = (Path(os.__file__).parent, Path(os.__file__).parent / "lib-dynload")
