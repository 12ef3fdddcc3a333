"""Caches the compiled templates of a theme for the user, because rendering one page spends most time compiling them.

Compiled templates are code, so they must not be in a site's own cache, which may come from anywhere.
"""

from __future__ import annotations

import msgspec

from devlog.engine import user_cache
from devlog.model.record import decoded
from devlog.model.theme import Theme
from devlog.render.template_dependencies import ThemeUse


class _Kept(msgspec.Struct, frozen=True):
    """The cached data of a theme: its templates as bytecode, by name, and their dependencies, once they are known."""

    codes: dict[str, bytes] = {}
    use: ThemeUse | None = None


class TemplateCache:
    """The compiled templates of one theme.

    Attributes:
        codes: the cached ones, by name, as `devlog.render.templates.compiled` returns them.
        use: the dependencies of the templates; `None` until a command has found them.
    """

    def __init__(self, theme: Theme, key: str, *, read: bool) -> None:
        """Read the data that earlier commands have cached.

        Args:
            theme: the site's theme. A theme with plugins is not cached: their filters may run while a template is
                compiled, and compute a part of it from anything.
            key: the key of the theme and of everything that its compilation depends on.
            read: whether to use the data of earlier commands.
        """
        self._theme = theme
        self._name = f"templates {key}"
        kept = user_cache.read(self._name) if read and not theme.plugins else b""
        self._kept = decoded(kept, _Kept) or _Kept()
        self.codes = self._kept.codes
        self.use = self._kept.use

    def examine(self) -> ThemeUse:
        """Find the dependencies of the templates, and compile all templates: a new site needs most of them, in several
        processes.
        """
        from devlog.render.templates import compiled, theme_use  # loads the template engine, which few commands need

        self.use = theme_use(self._theme)
        self.codes = compiled(self._theme) | self.codes
        self.keep()
        return self.use

    def load(self) -> None:
        """Let this process render with the cached templates. It compiles others when a page needs them."""
        from devlog.render.templates import use_compiled

        use_compiled(self._theme, self.codes)

    def keep(self) -> None:
        """Cache what this process has found and compiled since."""
        from devlog.render.templates import compiled_so_far

        if self._theme.plugins:
            return
        now = _Kept(self.codes | compiled_so_far(self._theme), self.use)
        if now != self._kept:
            user_cache.write(self._name, msgspec.msgpack.encode(now))
            self._kept = now
