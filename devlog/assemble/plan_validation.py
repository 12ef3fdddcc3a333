"""Validates what the plan of a plugin returns."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Any

import msgspec

from devlog.model.diagnostic import Span
from devlog.model.theme import Theme
from devlog.plugin import PlannedFile
from devlog.plugins.features import features
from devlog.plugins.results import misfit

_PLAIN = (str, bytes, bool, int, float, date, type(None))
_LIBRARIES = ("builtins", "collections")
"""The modules of lists and tables that all processes have: workers do not have the classes of a plugin in a file."""
_DEEP = 32

OWN = frozenset("redirect rss atom json_feed sitemap sitemap_index robots posts blob".split())
"""Recipes for files that devlog itself plans. Plans of plugins may use neither these nor those of features."""


def unfit(item: Any, theme: Theme) -> str:
    """What is wrong with an item that a plan returns; empty if it is a valid `PlannedFile`.

    Args:
        item: the item.
        theme: the theme of the site.
    """
    if not isinstance(item, PlannedFile):
        return f"it returned a {type(item).__name__} instead of a PlannedFile"
    texts = ("permalink", "recipe", "template", "title", "search")
    for name, kind in (*((text, str) for text in texts), ("context", dict)):
        if not isinstance(getattr(item, name), kind):
            return f"“{name}” is a {type(getattr(item, name)).__name__} instead of a {kind.__name__}"
    if reason := misfit(item.span, Span | None) or misfit(item.yields, bool):
        return f"“span” or “yields” is malformed: {reason}"
    checks = (
        (not item.permalink.startswith("/"), f"the permalink “{item.permalink}” does not begin with “/”"),
        (bool(item.template) and not _has(theme, item.template), f"there is no template “{item.template}”"),
        (item.recipe == "page" and not item.template, "the recipe “page” needs a template"),
        (item.recipe in OWN or _is_of_feature(item.recipe), f"the recipe “{item.recipe}” is for devlog's own files"),
        (item.make is not None, "“make” is for what devlog itself plans"),
        (item.about != (), "“about” is for what devlog itself plans"),
        # Cache keys cover the dependencies of a template only for the recipe “page”: another recipe may use more.
        (item.recipe != "page" and bool(item.template), f"the recipe “{item.recipe}” takes no template"),
    )
    wrong = next((reason for wrong, reason in checks if wrong), "") or unfit_value(item.context, "context")
    if wrong:
        return wrong
    reason = misfit((item.title, item.search, item.context), Any)
    return f"“context” is malformed: {reason}" if reason else ""


def _is_of_feature(recipe: str) -> bool:
    return any(recipe in plugin.recipes for plugin in features())


def _has(theme: Theme, name: str) -> bool:
    return any(template.name == name for template in theme.templates)


def unfit_value(value: Any, name: str, depth: int = 0) -> str:
    """What is wrong with a value of a context. It must mean the same in every process and have exactly one digest.

    Args:
        value: a value of a plugin.
        name: its name in messages.
        depth: its level of nesting.
    """
    kind = type(value)
    of_devlog = isinstance(value, msgspec.Struct) and kind.__module__.startswith("devlog.")
    if of_devlog or (isinstance(value, _PLAIN) and not isinstance(value, Enum)):
        return ""
    if not (isinstance(value, dict | tuple | list) and kind.__module__ in _LIBRARIES):
        return f"“{name}” is a {kind.__name__}: only strings, numbers, dates, lists and tables are allowed"
    if depth > _DEEP:
        return f"“{name}” contains itself, or is nested too deep"
    pairs = value.items() if isinstance(value, dict) else ((name, inner) for inner in value)
    for key, inner in pairs:
        if type(key) is not str:
            return f"“{name}” has a key that is not a string"
        if reason := unfit_value(inner, f"{name}.{key}" if isinstance(value, dict) else name, depth + 1):
            return reason
    return ""
