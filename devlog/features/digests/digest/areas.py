"""Dividing changes into areas: by configured paths, by scopes in subjects, by owners, or by what changes together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import NamedTuple

import msgspec

from devlog.features.digests.digest.changes import Found

OTHER = "other"
"""The area of changes that belong to no other one."""

_ENOUGH = 0.5
"""Scopes in subjects are areas if at least this share of the listed changes has one."""

_TOGETHER = 0.5
"""Two directories are one area if at least this share of the changes of the smaller one changes both."""

_LEAST = 3
"""So many changes must touch a directory before what it changes together with counts."""

_SWEEPING = 8
"""A change of more directories, such as a renaming, says nothing about which of them belong together."""

_TRUNK = 0.5
"""A directory with more than this share of all changed files is the project itself: what is below it are areas."""

_MOST_WILD = 200
"""So many patterns with wildcards of a CODEOWNERS file are compared with each path: its last ones."""

_MOST_PATHS = 200
"""So many paths of a change are compared with patterns: a small clone can contain changes of a million files."""

_MOST_COMPARED = 100_000_000
"""So many characters of paths are compared with patterns with wildcards: those of 8,000 files with 200 patterns.

Both come from the repository, a pattern such as ``*???…x`` takes a step for each of its characters at each of those of
the path, and git packs long paths that repeat a letter into a few bytes.
"""

_LONGEST_PATH = 4096
"""No file that a system can hold has a longer path, though a commit can name one."""

_LONGEST_PATTERN = 200
_WILD = re.compile(r"[*?\[]")

_TESTS = frozenset({"test", "tests", "testing", "spec", "specs", "src", "lib", "include", "packages", "crates", "pkg"})
"""Directories that mirror the others: the directory below them names the part of the project."""


class ConfiguredAreas(msgspec.Struct, frozen=True):
    """The areas that the configuration names.

    Attributes:
        patterns: patterns of the paths of each area, by its name.
        labels: the names of areas by the label on the forge.
    """

    patterns: Mapping[str, Sequence[str]] = {}
    labels: Mapping[str, str] = {}


def areas_of(
    changes: Sequence[Found], configured: ConfiguredAreas, owners: str, changed: Sequence[Sequence[str]]
) -> dict[str, str]:
    """The area of each change.

    Args:
        changes: the listed changes.
        configured: the areas that the configuration names.
        owners: the text of the CODEOWNERS file.
        changed: the paths that each of some earlier commits changes.

    Returns:
        The name of the area, by commit.
    """
    found = {}
    patterns = configured.patterns
    scopes = _scopes(changes)
    rules = _rules(owners)
    owned = _Owned(rules)
    history = [*(one.paths for one in changes), *changed] if not patterns and not any(rules) else []
    trunk = _trunk(history)
    learnt = _learn(history, trunk)
    matching = cache(partial(_matching, patterns=patterns))  # many changes are of the same files
    by_label = {label.lower(): name for label, name in configured.labels.items()}
    for one in changes:
        some = one.paths[:: len(one.paths) // _MOST_PATHS + 1]  # from all its directories
        paths = [path for path in some if len(path) <= _LONGEST_PATH]
        found[one.change.commit] = (
            next((by_label[label.lower()] for label in one.change.labels if label.lower() in by_label), "")
            or _most(paths, matching)
            or _labeled(one.change.labels)
            or scopes.get(one.change.scope.lower(), "")
            or _most(paths, owned.area)
            or _most(paths, lambda path: learnt.get(_directory(path, trunk), ""))
            or OTHER
        )
    return found


def _most(paths: Iterable[str], area: object) -> str:
    """The area of most of some paths; of several with as many, the first by name."""
    assert callable(area)
    counts = Counter(name for path in paths if (name := area(path)))
    return min(counts, key=lambda name: (-counts[name], name)) if counts else ""


_AREA_LABEL = re.compile(
    r"(?:area|comp(?:onent)?|module|package|pkg|subsystem)(?:\s*::?\s*|\s*/\s*)(?P<name>[^\s:/][^:/]{0,60})"
    r"|A-(?P<short>[a-z][\w-]{1,40})",
    re.IGNORECASE,
)
"""Labels that name an area: ``area: x``, ``area::x``, ``module: x``, ``component/x``, ``A-x``."""


def _labeled(labels: Iterable[str]) -> str:
    """The area that the first label of such a form names."""
    found = next(filter(None, map(_AREA_LABEL.fullmatch, labels)), None)
    return (found["name"] or found["short"]).strip() if found else ""


def _matching(path: str, patterns: Mapping[str, Sequence[str]]) -> str:
    return next((name for name, some in patterns.items() if any(fnmatchcase(path, one) for one in some)), "")


def _scopes(changes: Sequence[Found]) -> dict[str, str]:
    """The spelling of each scope, by its lower case; empty if too few changes have one."""
    spelt = Counter(one.change.scope for one in changes if one.change.scope)
    if not changes or spelt.total() / len(changes) < _ENOUGH:
        return {}
    found: dict[str, str] = {}
    for scope in sorted(spelt, key=lambda scope: (-spelt[scope], scope)):
        found.setdefault(scope.lower(), scope)
    return found


class _Rules(NamedTuple):
    """The rules of a CODEOWNERS file, numbered in order: each pattern that names a directory or file, with its area.

    Attributes:
        named: the rules that have no wildcard, or only one for all in a directory, by their path.
        wild: the others, the last one first.
    """

    named: dict[str, tuple[int, str]]
    wild: tuple[tuple[int, str, str], ...]


def _rules(owners: str) -> _Rules:
    named, wild = dict[str, tuple[int, str]](), list[tuple[int, str, str]]()
    for number, line in enumerate(owners.splitlines()):
        pattern = line.partition("#")[0].split()[:1]
        name = pattern[0].strip("/*") if pattern else ""
        if not name or line.startswith("[") or len(pattern[0]) > _LONGEST_PATTERN:
            continue
        path = pattern[0].strip("/")
        while path.endswith("/*"):
            path = path[:-2].rstrip("/")
        if _WILD.search(path):
            wild.append((number, path, _name(name)))
        else:
            named[path] = number, _name(name)
    return _Rules(named, tuple(reversed(wild[-_MOST_WILD:])))


class _Owned:
    """The areas of paths by the rules of a CODEOWNERS file, each found once.

    After `_MOST_COMPARED`, only the rules without wildcards count.
    """

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        self._known: dict[str, str] = {}
        self._left = _MOST_COMPARED

    def area(self, path: str) -> str:
        """The area of the last rule that matches, as CODEOWNERS has it."""
        if path not in self._known:
            self._known[path] = self._found(path)
        return self._known[path]

    def _found(self, path: str) -> str:
        rules = self._rules
        parts = path[: _LONGEST_PATTERN + 1].split("/")  # no rule names a longer path
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        last, found = max((rules.named[one] for one in above if one in rules.named), default=(-1, ""))
        for number, pattern, name in rules.wild:
            if number < last or self._left < 0:
                break
            self._left -= len(path)
            below = pattern.rstrip("*").rstrip("/")
            if fnmatchcase(path, pattern) or path.startswith(f"{below}/"):
                return name
        return found


def _parts(path: str) -> list[str]:
    """The directories of a path, without those that mirror others."""
    return [part for part in path.split("/")[:-1] if part not in _TESTS]


def _trunk(changes: Iterable[Sequence[str]]) -> list[str]:
    """The directories in which most of the changed files are: those of the package, if a project has one."""
    below = [parts for paths in changes for path in paths if (parts := _parts(path))]
    total, trunk = len(below), list[str]()
    while below:
        level = len(trunk)
        name, count = Counter(parts[level] for parts in below).most_common(1)[0]
        below = [parts for parts in below if parts[level] == name and len(parts) > level + 1]
        if min(count, 2 * len(below)) <= total * _TRUNK:  # else there is nothing below that could be an area
            break
        trunk.append(name)
    return trunk


def _directory(path: str, trunk: Sequence[str]) -> str:
    """The directory that stands for a path: at most two levels below the trunk, or the trunk itself."""
    parts, level = _parts(path), 0
    while level < len(trunk) and level + 1 < len(parts) and parts[level] == trunk[level]:
        level += 1
    return "/".join(parts[level : level + 2])


def _learn(changes: Iterable[Sequence[str]], trunk: Sequence[str]) -> dict[str, str]:
    """The area of each directory: directories that mostly change together are one area.

    The strongest pair is joined first, and each directory joins once: this is single-linkage clustering by the overlap
    coefficient, cut at `_TOGETHER`.
    """
    alone, both = Counter[str](), Counter[tuple[str, str]]()
    for paths in changes:
        touched = sorted({directory for path in paths if (directory := _directory(path, trunk))})
        if len(touched) <= _SWEEPING:
            both.update((one, other) for index, one in enumerate(touched) for other in touched[index + 1 :])
            alone.update(touched)
        else:
            alone.update(dict.fromkeys(touched, 0))
    area = {directory: directory for directory in alone}

    def root(directory: str) -> str:
        while area[directory] != directory:
            area[directory] = area[area[directory]]  # halved, paths stay short
            directory = area[directory]
        return directory

    def overlap(pair: tuple[str, str]) -> float:
        return both[pair] / min(alone[pair[0]], alone[pair[1]])

    for pair in sorted(both, key=lambda pair: (-overlap(pair), pair)):
        smaller, larger = sorted(map(root, pair), key=lambda name: (alone[name], name))
        if both[pair] >= _LEAST and overlap(pair) >= _TOGETHER and smaller != larger:
            area[smaller] = larger
    return {directory: _name(root(directory)) for directory in area}


_WORD = re.compile(r"[A-Za-z0-9]")


def _name(directory: str) -> str:
    """The name of an area: the last part of its directory that has a letter or digit."""
    return next((part for part in reversed(directory.split("/")) if _WORD.search(part)), directory)
