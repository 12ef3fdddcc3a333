"""Cache keys, which decide whether something must be parsed, derived or rendered again.

Equal keys mean equal results.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from devlog.engine.digests import Digester, Plain
from devlog.engine.toolchain import codecs, toolchain
from devlog.model import view
from devlog.model.derived import Work
from devlog.model.source import SourceFile
from devlog.model.target import COMMON, Entry, FeedView, Filling, Target
from devlog.model.theme import PluginRef, Theme
from devlog.parse.options import ParseOptions
from devlog.render.template_dependencies import ThemeUse, dependencies

_VIEWS = [kind for kind in vars(view).values() if getattr(kind, "__module__", "") == view.__name__]
PLAIN: Plain = {**dict.fromkeys((*_VIEWS, Filling, FeedView)), Entry: attrgetter("note.facts")}
"""The values in contexts of which there are many, and the part of an entry that plugins may fill with any values."""


class CacheKeys:
    """Computes the keys of one round of work. Digests that many keys share are computed once."""

    def __init__(self) -> None:
        self._digester = Digester(PLAIN, COMMON)

    def of_sources(self, sources: Sequence[SourceFile], options: ParseOptions) -> list[str]:
        """The keys of the results of parsing some sources."""
        way = self._digester.key([toolchain(), options])
        return [self._digester.key([way, source]) for source in sources]

    def of_work(self, work: Work, plugin: str = "") -> str:
        """The key of the result of a work item.

        Args:
            work: the work item.
            plugin: the key of the plugin that asks for it; empty if devlog itself does.
        """
        files = [file.digest for file in work.files]
        tools = [toolchain(), codecs()] if work.codecs else [toolchain()]
        makers = [*tools, plugin] if plugin else tools
        return self._digester.key([*makers, work.function, files], work.parts.items())

    def of_plugin(self, plugin: PluginRef) -> str:
        """The key of a plugin's code, and of everything that it may import."""
        return self._digester.key([plugin])

    def of_theme(self, theme: Theme) -> str:
        """The key of the dependencies of a theme's templates."""
        return self._digester.key([theme.name, theme.templates, theme.plugins, theme.catalog, theme.is_incomplete])

    def of_target(self, target: Target, theme: ThemeUse) -> tuple[str, str]:
        """The key of a target's Markdown version, which does not depend on the template, and that of all outputs."""
        templates, values = dependencies(target, theme)
        parts = [toolchain(), target.recipe]
        if target.recipe in theme.recipes:
            parts.append(theme.recipes[target.recipe])
        if target.markdown:
            parts.append(theme.words)
        return self._digester.keys(parts, values, (target.template, templates))
