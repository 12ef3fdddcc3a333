"""The built-in features, and what they register."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from devlog.config import Config
from devlog.model.codes import CODES, FORGIVABLE, RULES
from devlog.model.document import Parsed
from devlog.model.target import Resources, Target
from devlog.plugin import ConvertSource, FindGaps, Lookup, MarkdownVersions, Plugin, Prose, SiteSearch


@cache
def features() -> tuple[Plugin, ...]:
    """The plugins of devlog's features whose folders exist, sorted by name."""
    folder = Path(__file__).parent.with_name("features")
    names = sorted(path.parent.name for path in folder.glob("*/plugin.py"))
    return tuple(importlib.import_module(f"devlog.features.{name}.plugin").PLUGIN for name in names)


@cache
def codes_of_builds() -> frozenset[str]:
    """The codes of all problems that builds and other commands report."""
    return CODES.union(*(plugin.codes.of_builds.split() for plugin in features()))


@cache
def codes_of_checks() -> frozenset[str]:
    """The codes of all problems that only `devlog check` reports, except those of plugins."""
    return RULES.union(*(plugin.codes.of_checks.split() for plugin in features()))


@cache
def known_codes() -> frozenset[str]:
    """The codes of all problems, except those of plugins."""
    return codes_of_builds() | codes_of_checks()


@cache
def forgivable_codes() -> frozenset[str]:
    """The codes of errors of builds whose severity the configuration may lower."""
    return FORGIVABLE.union(*(plugin.codes.forgivable.split() for plugin in features()))


@cache
def markdown_versions() -> MarkdownVersions | None:
    """The functions that write Markdown versions; `None` if the folder of their feature is missing."""
    return next((plugin.markdown_versions for plugin in features() if plugin.markdown_versions), None)


def has_markdown_versions(config: Config) -> bool:
    """Whether the pages of a site have Markdown versions."""
    return config.llms.markdown and markdown_versions() is not None


def as_markdown(target: Target, resources: Resources) -> bytes:
    """A page as Markdown; empty if no feature writes Markdown versions."""
    versions = markdown_versions()
    made = versions.page(target, resources) if versions else b""
    assert isinstance(made, bytes)
    return made


@cache
def fences() -> dict[str, Callable[..., str | None]]:
    """The functions that show fences as something other than code, by language."""
    known = [plugin.fences for plugin in features() if plugin.fences]
    return {language: fence.write for fence in known for language in fence.languages.split()}


@cache
def site_search() -> SiteSearch | None:
    """The search of the published site; `None` if the folder of its feature is missing."""
    return next((plugin.site_search for plugin in features() if plugin.site_search), None)


@cache
def gap_finder() -> FindGaps | None:
    """The function that finds what posts do not cover; `None` if the folder of its feature is missing."""
    return next((plugin.gaps for plugin in features() if plugin.gaps), None)


def source_formats(plugins: Iterable[Plugin] = ()) -> dict[str, ConvertSource]:
    """The functions that convert sources to Markdown, by suffix; those of plugins replace those of features."""
    return {suffix: read for plugin in (*features(), *plugins) for suffix, read in plugin.sources.items()}


def prose_in(config: Config) -> tuple[Prose, ...]:
    """The features that process the prose of a site with this configuration."""
    known = (plugin.prose for plugin in features())
    return tuple(prose for prose in known if prose and prose.settings(config) is not None)


def prose_of(settings: Iterable[tuple[str, Any]]) -> list[tuple[Prose, Any]]:
    """The features that process prose, with their settings, given the settings by the names of the features."""
    known = {plugin.name: plugin.prose for plugin in features() if plugin.prose}
    return [(known[name], value) for name, value in settings]


def lookups_of(parsed: Parsed) -> tuple[Lookup, ...]:
    """The features that add sections of a post to the search index; none if its front matter has no feature's keys."""
    return tuple(plugin.lookup for plugin in features() if plugin.lookup) if parsed.front_matter.parts else ()
