"""The installed packages, found by the names of their folders.

`importlib.metadata` would take longer than everything else that a small build loads, because it parses mail headers.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from devlog import DISTRIBUTION


class Package(msgspec.Struct, frozen=True):
    """An installed package: its normalized name, its version, and the folder of its metadata."""

    name: str
    version: str
    folder: str


class EntryPoint(msgspec.Struct, frozen=True):
    """An entry point: a value that an installed package provides."""

    name: str
    module: str
    attribute: str
    package: Package


def version(name: str) -> str:
    """The version of an installed package; empty if it is not installed."""
    _counting.add(_comparable(name))
    return _versions().get(_comparable(name), "")


def folder(name: str) -> str:
    """The folder of a package's metadata; empty if it is not installed."""
    return next((package.folder for package in _packages() if package.name == _comparable(name)), "")


def versions() -> Mapping[str, str]:
    """The versions of all installed packages, by name."""
    _counting.add(_ALL)
    return _versions()


def changed() -> frozenset[str]:
    """The packages that have another version by now, or have come or gone, since this process found their versions.

    Python may import such a package late, and then runs code that this process knows nothing of. Packages whose
    versions nobody has asked for do not count.
    """
    found = _changed(_path(), tuple(map(_time, _path())))
    return found if _ALL in _counting else found & _counting


def install_folders() -> frozenset[str]:
    """The folders into which packages were installed from wheels."""
    return frozenset(
        str(Path(package.folder).parent) for package in _packages() if package.folder.endswith(".dist-info")
    )


def is_installed(module: Path) -> bool:
    """Whether the file or folder of a module is one of an installed package, so that it changes only with its version.

    Other modules may be in the same folder: somebody has put them there.
    """
    return _owner(module) is not None


def record(module: Path) -> bytes:
    """The record of the package that has installed the file or folder of a module, with the digests of its files.

    A package that somebody builds from a checkout may be installed again and again with one version.

    Returns:
        The bytes of the record; nothing if there is none, or the module is of no installed package.
    """
    package = _owner(module)
    with suppress(OSError):
        return _record(package) if package else b""
    return b""


def _owner(module: Path) -> Package | None:
    """The package that has installed the file or folder of a module."""
    place, name = str(module.parent), module.name
    if place not in install_folders():
        return None
    own = _comparable(name.partition(".")[0])
    here = (package for package in _packages() if str(Path(package.folder).parent) == place)
    likely_first = sorted(here, key=lambda package: package.name != own)
    return next((package for package in likely_first if _has(package, name)), None)


def _record(package: Package) -> bytes:
    """https://packaging.python.org/en/latest/specifications/recording-installed-packages/"""
    return Path(package.folder, "RECORD").read_bytes()


def _has(package: Package, name: str) -> bool:
    """Whether a package has installed a file or folder beside its metadata."""
    with suppress(OSError):
        lines = b"\n" + _record(package)
        return f"\n{name}/".encode() in lines or f"\n{name},".encode() in lines
    module = name.partition(".")[0]  # packages of Linux distributions have no such record
    with suppress(OSError):
        return module.encode() in Path(package.folder, "top_level.txt").read_bytes().split()
    return package.name == _comparable(module)


def offers(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group in all installed packages, sorted by name."""
    found = [point for package in _packages() for point in _entry_points(package, group)]
    return tuple(sorted(found, key=lambda point: (point.name, point.module, point.attribute)))


@cache
def _versions() -> dict[str, str]:
    return _versions_of(_packages())


def _versions_of(found: Sequence[Package]) -> dict[str, str]:
    return {package.name: package.version for package in reversed(found)}


@lru_cache(maxsize=1)
def _changed(path: tuple[str, ...], _times: tuple[int, ...]) -> frozenset[str]:
    """The packages that differ from those found first. Only if a folder has changed are they looked for again."""
    now = _versions_of(_packages_in(path)).items()
    return frozenset(name for name, _ in now ^ _versions_of(_packages()).items())


def _time(place: str) -> int:
    """When names in a folder last changed; 0 if it cannot be told."""
    with suppress(OSError):
        return os.stat(place).st_mtime_ns  # noqa: PTH116 - asked often
    return 0


@cache
def _path() -> tuple[str, ...]:
    """Where packages are looked for: plugins may add folders later."""
    return tuple(dict.fromkeys(entry or "." for entry in sys.path))


@cache
def _packages() -> tuple[Package, ...]:
    """All installed packages, as this process found them first."""
    return _packages_in(_path())


def _packages_in(path: tuple[str, ...]) -> tuple[Package, ...]:
    """All installed packages; of two with the same name, the one that Python would import."""
    found: dict[str, Package] = {}
    for place in path:
        try:
            names = sorted(os.listdir(place))  # noqa: PTH208 - only names are needed, of many files
        except OSError:  # it does not exist, or is an archive, which `importlib.metadata` can read
            names = []
            with suppress(OSError):  # there may be no permission to access it
                if Path(place).is_file():
                    return _asked(path)
        if any(name.endswith((".egg-info", ".egg", ".egg-link")) for name in names):
            return _asked(path)
        for name in names:
            if name.endswith(".dist-info"):
                stem, _, number = name.removesuffix(".dist-info").rpartition("-")
                package = Package(_comparable(stem), number, f"{place}{os.sep}{name}")
                found.setdefault(package.name, package)
    return tuple(found.values())


def _asked(path: tuple[str, ...]) -> tuple[Package, ...]:
    """All installed packages, as `importlib.metadata` finds them, since some were not installed from wheels."""
    from importlib.metadata import distributions

    found: dict[str, Package] = {}
    for item in distributions(path=list(path)):
        name = _comparable(item.metadata["Name"] or "")
        found.setdefault(name, Package(name, item.version, str(getattr(item, "_path", ""))))
    return tuple(found.values())


def _entry_points(package: Package, group: str) -> list[EntryPoint]:
    try:
        text = Path(package.folder, "entry_points.txt").read_text("utf-8")
    except (OSError, ValueError):
        return []
    own = re.search(rf"^\[{re.escape(group)}\]\s*$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    lines = own[1].splitlines() if own else []
    found = [_LINE.fullmatch(line) for line in lines]
    return [EntryPoint(line[1], line[2], line[3] or "plugin", package) for line in found if line]


_LINE = re.compile(r"\s*([^\s=#;][^=]*?)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?\s*(?:\[.*\])?\s*")


def _comparable(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


_ALL = "*"
_counting = {_comparable(DISTRIBUTION)}
"""devlog itself, and the packages whose versions were asked for; `_ALL` if those of all were."""
