"""What a theme accepts as its settings, so that a misspelled name or a value that nothing understands is reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

Value = str | int | float | bool
Kind = Literal["string", "integer", "float", "boolean"]

_WORDS = {"string": "a string", "integer": "an integer", "float": "a number", "boolean": "true or false"}


class Setting(msgspec.Struct, frozen=True):
    """The values that a setting may have: an entry of ``[schema]`` in ``theme.toml``.

    Attributes:
        type: the types of TOML that it may have; an integer is a float, too. Without any, it has that of its default.
        values: all values that it may have; without any, there is no such list.
        pattern: a regular expression that a string must match as a whole.
        minimum: the smallest number.
        maximum: the largest number.
        description: the accepted values in words, which complete the sentence “it must be …”.
    """

    type: Kind | tuple[Kind, ...] = ()
    values: tuple[Value, ...] = ()
    pattern: str = ""
    minimum: float | None = None
    maximum: float | None = None
    description: str = ""

    @property
    def _kinds(self) -> tuple[Kind, ...]:
        return (self.type,) if isinstance(self.type, str) else self.type

    def accepts(self, value: Value) -> bool:
        """Whether a value is one of those that the setting may have."""
        kind = _kind(value)
        if self._kinds and kind not in self._kinds and not (kind == "integer" and "float" in self._kinds):
            return False
        if self.values and value not in self.values:
            return False
        if isinstance(value, str):
            return not self.pattern or re.fullmatch(self.pattern, value) is not None
        low = self.minimum is None or value >= self.minimum
        return low and (self.maximum is None or value <= self.maximum)

    @property
    def expected(self) -> str:
        """The accepted values in words."""
        if self.description or not (self.values or self._kinds):
            return self.description or "another value"
        if self.values:
            return "one of " + ", ".join(f"“{value}”" for value in self.values)
        ending = {"string": f" that matches “{self.pattern}”"} if self.pattern else {}
        words = " or ".join(_WORDS[kind] + ending.get(kind, "") for kind in self._kinds)
        limits = {"at least": self.minimum, "at most": self.maximum}
        bounds = " and ".join(f"{name} {limit:g}" for name, limit in limits.items() if limit is not None)
        return f"{words} of {bounds}" if bounds else words


def settings_of(defaults: Mapping[str, Value], schema: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings of a theme by name: those with a default, and those that its schema describes."""
    described = {name: schema.get(name, Setting()) for name in (*defaults, *schema)}
    return {
        name: setting
        if setting.type or setting.values or name not in defaults
        else msgspec.structs.replace(setting, type=_kind(defaults[name]))
        for name, setting in described.items()
    }


def _kind(value: Value) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "float"
