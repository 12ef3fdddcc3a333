"""Reads the ``theme.toml`` of a theme, as strictly as the configuration of a site."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import NamedTuple

import msgspec

from devlog.built_in import built_in_themes
from devlog.config import Count
from devlog.config_file import problems
from devlog.config_file.reader import Reader
from devlog.config_file.spans import Path, spans_of, toml_error_span
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.merge_conflict import hint_about_conflict
from devlog.model.patterns import compile_pattern
from devlog.model.theme_settings import Setting, Value, settings_of
from devlog.model.toml import TomlError, load_toml


class ThemeFile(msgspec.Struct, frozen=True):
    """A ``theme.toml``. `docs/themes.md` describes each key."""

    name: str = ""
    version: str = ""
    description: str = ""
    license: str = ""
    author: str | dict[str, str] = ""
    homepage: str = ""
    repository: str = ""
    tags: tuple[str, ...] = ()
    extends: str = ""
    requires: Count = 1
    settings: dict[str, Value] = {}
    schema: dict[str, Setting] = {}


class ReadThemeFile(NamedTuple):
    """A ``theme.toml`` that was read.

    Attributes:
        keys: its keys, with defaults for invalid values.
        spans: where it sets them.
        file: its name in messages.
        diagnostics: its problems.
    """

    keys: ThemeFile
    spans: Mapping[Path, tuple[int, int]]
    file: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_incomplete(self) -> bool:
        """Whether a key that others depend on could not be read: what is missing may be in it."""
        return any(item.code != "unknown-config-key" for item in self.diagnostics)

    def span(self, *path: str) -> Span:
        """Where it sets a key."""
        return Reader(self.spans, self.file).span(path)


def read_theme_file(text: str, file: str, seen: Container[str] = ()) -> ReadThemeFile:
    """Read the ``theme.toml`` of a theme.

    Args:
        text: the file's text.
        file: its name in messages.
        seen: the names of the theme and of those that extend it.
    """
    try:
        tree = load_toml(text)
    except TomlError as error:
        reason = str(error).rpartition(" (at ")[0] or str(error)
        wrong = problems.invalid_toml(toml_error_span(str(error), file, text), reason, hint_about_conflict(text))
        return ReadThemeFile(ThemeFile(), {}, file, (wrong,))
    spans = spans_of(text)
    reader = Reader(spans, file, ThemeFile, "[settings]")
    keys = reader.struct(ThemeFile, tree, ())
    assert isinstance(keys, ThemeFile)
    if keys.extends in seen:
        is_built_in = (built_in_themes() / keys.extends).is_dir()
        span = reader.span(("extends",))
        reader.diagnostics.append(problems.circular_theme(span, keys.extends, hides_built_in=is_built_in))
    keys = msgspec.structs.replace(keys, schema=_with_valid_patterns(keys.schema, reader))
    return ReadThemeFile(keys, spans, file, tuple(sorted(reader.diagnostics, key=lambda item: item.sort_key)))


def _with_valid_patterns(schema: Mapping[str, Setting], reader: Reader) -> dict[str, Setting]:
    """The descriptions of settings, without patterns that are no regular expressions."""
    good = dict(schema)
    for name, setting in schema.items():
        try:
            compile_pattern(setting.pattern)
        except re.error as error:
            span = reader.span(("schema", name, "pattern"))
            reader.diagnostics.append(problems.bad_pattern(span, setting.pattern, str(error)))
            good[name] = msgspec.structs.replace(setting, pattern="")
    return good


def settings_of_themes(files: list[ReadThemeFile]) -> tuple[dict[str, Value], dict[str, Setting], list[Diagnostic]]:
    """The settings of a theme and of those that it extends.

    Args:
        files: the ``theme.toml`` of each, beginning with the theme itself.

    Returns:
        The defaults, what is accepted, and the problems of defaults that are not.
    """
    values: dict[str, Value] = {}
    schema: dict[str, Setting] = {}
    wrong = []
    for file in reversed(files):
        own = file.keys
        described = {name: value for name, value in own.settings.items() if name in own.schema}
        accepted = {**settings_of(values, schema), **settings_of(described, own.schema)}
        for name, value in own.settings.items():
            setting = accepted.get(name)
            if setting and not setting.accepts(value):
                span, expected = file.span("settings", name), setting.expected
                wrong.append(problems.default_not_accepted(span, name, expected, in_schema=name in own.schema))
        values |= own.settings
        schema |= own.schema
    return values, settings_of(values, schema), wrong
