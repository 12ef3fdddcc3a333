"""Converts the settings of a deployer to a typed value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from devlog.model.problems import did_you_mean
from devlog.plugin import DeployError

Settings = TypeVar("Settings", bound=msgspec.Struct)


def read_settings(given: Mapping[str, Any], kind: type[Settings]) -> Settings:
    """Convert the settings of ``[deploy.NAME]``.

    Args:
        given: as configured, including ``to``.
        kind: the struct of the deployer's settings.

    Raises:
        DeployError: a setting is missing, unknown or of the wrong type.
    """
    own = {key: value for key, value in given.items() if key != "to"}
    names = [field.name for field in msgspec.structs.fields(kind)]
    for key in own:
        if key not in names:
            hint = did_you_mean(key, names) or f"it may have {_listed(names)}"
            raise DeployError(f"there is no setting “{key}”", hint, key)
    for field in msgspec.structs.fields(kind):
        if field.required and field.name not in own:
            raise DeployError(f"the setting “{field.name}” is missing")
    try:
        return msgspec.convert(own, kind)
    except msgspec.ValidationError as error:
        found = re.search(r"\$\.(\w+)", str(error))
        key = found[1] if found else ""
        raise DeployError(f"the setting “{key}” has the wrong type", key=key) from error


def _listed(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
