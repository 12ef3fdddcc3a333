"""The codes of the problems that functions of plugins find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from devlog.plugin import Plugin


def code_of(plugin: Plugin, function: Callable[..., Any]) -> str:
    """The code of the problems that a function of a plugin finds, such as ``lumen.needs-summary``."""
    return f"{plugin.name}.{function.__name__.strip('_').replace('_', '-')}"


def codes(plugins: Iterable[Plugin]) -> dict[str, Callable[..., Any]]:
    """The codes of all problems that plugins can find, and the function that finds each."""
    return {
        code_of(plugin, function): function
        for plugin in plugins
        for function in (*_converters_and_recipes(plugin), *finders(plugin))
    }


def has_name(function: Any) -> bool:
    """Whether a value is a function from whose name a code can be made."""
    return callable(function) and str(getattr(function, "__name__", "")).isidentifier()


def _converters_and_recipes(plugin: Plugin) -> tuple[Callable[..., Any], ...]:
    """The functions of a plugin that may find problems besides what they make, if they have names."""
    return tuple(filter(has_name, (*plugin.sources.values(), *plugin.recipes.values())))


def finders(plugin: Plugin) -> tuple[Callable[..., Any], ...]:
    """The functions of a plugin for which each has a name, and a code, of its own."""
    read = plugin.front_matter and plugin.front_matter.read
    return (
        *plugin.checks,
        *plugin.pages,
        *plugin.plans,
        *(one for one in (read, plugin.targets, plugin.derive) if one),
    )
