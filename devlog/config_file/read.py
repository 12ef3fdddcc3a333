"""Reads a configuration file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from devlog.config import Config
from devlog.config_file import problems
from devlog.config_file.checks import checked, look_at_severities
from devlog.config_file.reader import Reader
from devlog.config_file.spans import Path, dotted, spans_of, table_of, toml_error_span
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.directional_controls import turning
from devlog.model.merge_conflict import hint_about_conflict
from devlog.model.toml import TomlError, load_toml


def read_config(text: str, file: str, codes: frozenset[str] | None = None) -> tuple[Config, tuple[Diagnostic, ...]]:
    """Read a configuration file.

    Args:
        text: the file's text; of a ``pyproject.toml`` only ``[tool.devlog]`` is read.
        file: its name in messages.
        codes: the existing codes, which the configuration may name; `None` to accept any.

    Returns:
        The configuration, with defaults for invalid values, and the problems.
    """
    try:
        tree: dict[str, Any] = load_toml(text)
    except TomlError as error:
        reason = str(error).rpartition(" (at ")[0] or str(error)
        span = toml_error_span(str(error), file, text)
        return Config(), (problems.invalid_toml(span, reason, hint_about_conflict(text)),)
    prefix = table_of(file)
    for part in prefix:
        inner = tree.get(part, {})
        if not isinstance(inner, dict):
            return Config(), (problems.wrong_config_type(Span(file, 1), part, "a table", ""),)
        tree = inner
    reader = Reader(spans_of(text), file)
    config = reader.struct(Config, tree, ())
    assert isinstance(config, Config)
    for path, character in _directional(tree, ()):
        reader.diagnostics.append(problems.directional_in_config(reader.span(path), dotted(path), character))
    if codes is not None:
        look_at_severities(config, reader, codes)
    return checked(config, reader)


def _directional(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """The keys whose texts turn what is beside them, with the first such character of each."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _directional(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _directional(inner, (*path, index))
    elif isinstance(value, str) and path[:2] != ("check", "patterns") and (found := turning(value)):
        yield path, value[found[0]]  # a pattern may look for such characters
