"""Where a configuration file sets its keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from devlog.model.diagnostic import Span
from devlog.model.toml import toml_entries

Path = tuple[str | int, ...]
"""The names of the tables around a key and its own, and the indexes of lists."""


SpanOf = Callable[..., Span]
"""Returns where the configuration sets a key, given as the names of its tables and its own, or the nearest table."""


def key_span(text: str, file: str, *path: str) -> Span:
    """Where a configuration file sets a key; the whole file if it does not."""
    span = spans_of(text).get((*table_of(file), *path))
    return Span(file, span[0], span[1], len(path[-1])) if span else Span(file)


def nearest_span(spans: Mapping[Path, tuple[int, int]], file: str, path: Path) -> Span:
    """Where a configuration file sets a key, or else the nearest table around it.

    Args:
        spans: those of all keys, from `spans_of`.
        file: the name of the file.
        path: the key, with the tables around it but that of devlog.
    """
    for end in range(len(path), 0, -1):
        if span := spans.get(table_of(file) + path[:end]):
            return Span(file, span[0], span[1], len(str(path[end - 1])))
    return Span(file, 1)


@lru_cache(maxsize=8)
def key_spans(text: str, file: str) -> Mapping[str, Span]:
    """Where a configuration file sets its keys and tables, by their dotted names, such as ``menu.0.url``."""
    prefix = table_of(file)
    found = {}
    for path, (line, column) in spans_of(text).items():
        if path[: len(prefix)] == prefix and len(path) > len(prefix):
            found[dotted(path[len(prefix) :])] = Span(file, line, column, len(str(path[-1])))
    return found


def table_of(file: str) -> tuple[str, ...]:
    """The table of a configuration file that belongs to devlog."""
    return ("tool", "devlog") if file.endswith("pyproject.toml") else ()


def toml_error_span(message: str, file: str, text: str) -> Span:
    """The location of a syntax error in TOML, taken from the message of a `TomlError`."""
    found = re.search(r"at line (\d+), column (\d+)", message)
    if found:
        return Span(file, int(found[1]), int(found[2]), 1)
    return Span(file, text.count("\n") + 1, 1)


def dotted(path: Path) -> str:
    """A path of keys as people write it, such as ``menu.0.url``."""
    return ".".join(str(part) for part in path)


@lru_cache(maxsize=8)  # for a configuration with many redirects or authors, each of which asks for its place
def spans_of(text: str) -> Mapping[Path, tuple[int, int]]:
    """The line and column of each key and table of a valid TOML text, except of keys inside inline tables.

    A table without a header of its own, as `author` in ``[author.ada]``, and the list of several tables of one name
    are where they begin.
    """
    found: dict[Path, tuple[int, int]] = {}
    line = start = 0
    for entry in toml_entries(text):
        line += text.count("\n", start, entry.start)
        start = entry.start
        place = (line + 1, start - text.rfind("\n", 0, start))
        for end in range(1, len(entry.path) + 1):
            found.setdefault(entry.path[:end], place)
    return found
