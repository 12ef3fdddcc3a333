"""Turns the values of a configuration file into the types of the keys."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec

from devlog.config import Config, Count
from devlog.config_file import problems
from devlog.config_file.spans import Path, dotted, nearest_span
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import nearest
from devlog.model.secrets import shortened

FORMER: dict[Path, str] = {("llms", "twins"): "markdown"}
"""Former names of keys, which are still read."""


class Reader:
    """Turns a TOML tree into structs, key by key, so that one mistake does not hide the next."""

    def __init__(
        self,
        spans: Mapping[Path, tuple[int, int]],
        file: str,
        root: type[msgspec.Struct] = Config,
        own: str = "[params]",
    ) -> None:
        """Prepare for a file.

        Args:
            spans: where it sets its keys, from `spans_of`.
            file: its name in messages.
            root: the keys of the whole file.
            own: the table for keys of which only templates know.
        """
        self._spans = spans
        self._file = file
        self._root = root
        self._own = own
        self.diagnostics: list[Diagnostic] = []

    def span(self, path: Path) -> Span:
        """The span of the key `path`, or else of the nearest table around it."""
        return nearest_span(self._spans, self._file, path)

    def struct(self, kind: type[msgspec.Struct], tree: dict[str, Any], path: Path) -> msgspec.Struct:
        hints = _hints(kind)
        values: dict[str, Any] = {}
        for written, value in tree.items():
            key = FORMER.get((*path, written), written)
            if key not in hints:
                self.diagnostics.append(self._unknown(kind, key, path))
                continue
            converted = self._value(hints[key], value, (*path, written))
            if converted is not msgspec.UNSET:
                values[key] = converted
        try:
            return kind(**values)
        except TypeError:  # a required key is missing
            required = [field.name for field in msgspec.structs.fields(kind) if field.required]
            missing = [name for name in required if name not in values]
            self.diagnostics.append(problems.missing_config_key(self.span(path), missing, dotted(path)))
            return kind(**{**dict.fromkeys(required, ""), **values})

    def _value(self, hint: Any, value: Any, path: Path) -> Any:
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and isinstance(value, dict):
            return self.struct(hint, value, path)
        arguments = typing.get_args(hint)
        inner = arguments[-1] if typing.get_origin(hint) is dict else arguments[0] if arguments else None
        holds_structs = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
        if holds_structs and isinstance(value, list) and typing.get_origin(hint) is tuple:
            items = tuple(self._value(inner, item, (*path, index)) for index, item in enumerate(value))
            return msgspec.UNSET if msgspec.UNSET in items else items  # without one, others would have other indexes
        if isinstance(value, dict) and typing.get_origin(hint) is dict and inner is not Any and not _has_nul([*value]):
            read = {key: self._value(inner, item, (*path, key)) for key, item in value.items()}
            return {key: item for key, item in read.items() if item is not msgspec.UNSET}
        if _has_nul(value):
            reason = "it contains the character U+0000, which no name or text has"
            self.diagnostics.append(problems.wrong_config_type(self.span(path), dotted(path), _expected(hint), reason))
            return msgspec.UNSET
        try:
            return msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            reason = _why(path, value, str(error))
            self.diagnostics.append(problems.wrong_config_type(self.span(path), dotted(path), _expected(hint), reason))
            return msgspec.UNSET

    def _unknown(self, kind: type[msgspec.Struct], key: str, path: Path) -> Diagnostic:
        span = self.span((*path, key))
        known = [field.name for field in msgspec.structs.fields(kind)]
        home = next((table for table in _homes(self._root, key) if table != path), None)
        if home is not None and not nearest(key, known):
            return problems.misplaced_config_key(span, dotted((*path, key)), dotted(home))
        own = "" if path[:1] == ("schema",) else self._own  # a setting is described by nothing but these keys
        return problems.unknown_config_key(span, dotted((*path, key)), known, key, own)


def _has_nul(value: Any) -> bool:
    """Whether a value contains a NUL, which neither file names nor arguments of programs can contain."""
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return any(map(_has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value


def _homes(root: type[msgspec.Struct], key: str) -> Iterator[Path]:
    """The tables of a file with the keys of `root` in which `key` has a meaning."""
    if key in root.__struct_fields__:
        yield ()
    for field in msgspec.structs.fields(root):
        if isinstance(field.default, msgspec.Struct) and key in field.default.__struct_fields__:
            yield (field.name,)


_FOUND = {dict: "a table", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
"""The types of TOML, in words; the other ones are dates and times."""


def _why(path: Path, value: Any, reason: str) -> str:
    """Why a value is not accepted, in words, or nothing if what is expected says it; `reason` is the library's one."""
    if path[0] == "severity" and isinstance(value, dict):
        return "a code with a dot stands in quotes"
    if len(path) == 2 and isinstance(path[1], str) and reason.startswith("Expected `object`"):
        table = path[0]  # of which each table has a name that the user chooses, as in [deploy.site]
        return f"[{table}] has a table for each name: write the settings of one below [{table}.NAME]"
    if unknown := re.search(r"unknown field `([^`]{1,80})", reason):
        return f"it has the unknown key “{unknown[1]}”"
    entry = re.search(r"at `\$\[(\d+)\]", reason)
    if entry and isinstance(value, list):
        found = value[int(entry[1])]
        shown = f"“{shortened(found, 80)}”" if isinstance(found, str) else _FOUND.get(type(found), "a date or time")
        return f"entry {int(entry[1]) + 1} is {shown}"
    return f"it is {_FOUND.get(type(value), 'a date or time')}" if "got `" in reason else ""


def _expected(hint: Any) -> str:
    """The type that a key expects, in words."""
    origin = typing.get_origin(hint)
    if origin is Literal:
        return "one of " + ", ".join(f"“{choice}”" for choice in typing.get_args(hint))
    if origin is typing.Annotated:
        limits = typing.get_args(hint)[1]
        return f"a number of at least {limits.ge}" if limits.le is None else f"a number from {limits.ge} to {limits.le}"
    if origin is tuple:
        return f"a list of {_many(typing.get_args(hint)[0])}"
    if origin is dict:
        inner = typing.get_args(hint)[-1]
        return "a table" if inner is Any else f"a table of {_many(inner)}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_expected(choice) for choice in typing.get_args(hint) if choice is not types.NoneType)
    names = {str: "a string", int: "a whole number", bool: "true or false", float: "a number"}
    return names.get(hint, "a table")


def _many(hint: Any) -> str:
    """The type that a list expects of its values, in the plural, in words."""
    if hint is str:
        return "strings"
    if hint is Count:
        return "numbers of at least 1"
    return _expected(hint)


@lru_cache
def _hints(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a struct's fields, which take longer to find than its values to convert."""
    return typing.get_type_hints(kind, include_extras=True)
