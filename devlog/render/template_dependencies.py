"""Determines what rendering depends on without rendering, so that an unchanged site needs no template engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.target import IN_MARKDOWN, Blob, Entry, Filling, Target

TEXTS = ("content", "transcript")
"""The names of bodies in the context of a page."""


class TemplateUse(msgspec.Struct, frozen=True):
    """What the output of a template can depend on, apart from its recipe.

    Attributes:
        digest: a digest of the template and all that it extends, includes and imports, of the messages in them,
            and of the plugins whose filters they use; of all plugins if that cannot be determined.
        names: the names that they take from the context; `None` if that cannot be determined, because a template's
            name is computed, or a filter sees everything.
    """

    digest: str
    names: frozenset[str] | None


class ThemeUse(msgspec.Struct, frozen=True):
    """What targets may refer to in a theme, and the dependencies of that.

    Attributes:
        templates: the templates with their dependencies.
        diagnostics: problems of the theme's templates.
        recipes: the recipes of plugins, with a digest of the plugin.
        words: a digest of the messages in Markdown versions.
    """

    templates: dict[str, TemplateUse]
    diagnostics: tuple[Diagnostic, ...]
    recipes: dict[str, str] = {}
    words: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether nothing can be rendered."""
        return not self.templates


def dependencies(target: Target, theme: ThemeUse) -> tuple[str, list[tuple[str, Any]]]:
    """The dependencies of a target's output: the digest of its templates, and the names and values that they use.

    The values are in the order of the plan, which is the same in each build.
    """
    if not target.template:
        return "", list(target.context.items())
    use = theme.templates[target.template]
    if use.names is None:
        return use.digest, list(target.context.items())
    names, more = use.names, IN_MARKDOWN if target.markdown else frozenset()
    return use.digest, [pair for pair in target.context.items() if pair[0] in names or pair[0] in more]


def bodies_of(target: Target) -> Iterator[str]:
    """The names of the bodies that rendering a target needs: see `Filling.body`."""
    for name in TEXTS:
        content = target.context.get(name)
        if isinstance(content, Filling):
            yield content.body
    entries = target.context.get("entries")  # in a plugin's context, it may be anything
    for entry in entries if isinstance(entries, tuple) else ():
        if isinstance(entry, Entry) and entry.content:
            yield entry.content.body


def blobs_of(target: Target) -> Iterator[str]:
    """The digests of the stored bytes that rendering a target needs."""
    for value in target.context.values():
        if isinstance(value, Blob):
            yield value.digest
