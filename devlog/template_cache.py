"""The compiled templates of a theme, kept for a user: most of what rendering one page costs is to compile them.

They are code, so a site's own cache, which may come from anywhere, is no place for them.
"""

from __future__ import annotations

import msgspec

from devlog.engine import user_cache
from devlog.model.record import decoded
from devlog.model.theme import Theme
from devlog.render.template_dependencies import ThemeUse


class _Kept(msgspec.Struct, frozen=True):
    """What is kept of a theme: its templates as bytecode, by name, and what all of them use, once that is known."""

    codes: dict[str, bytes] = {}
    use: ThemeUse | None = None


class TemplateCache:
    """The compiled templates of one theme.

    Attributes:
        codes: those that are known, by name: what `devlog.render.templates.compiled` gives.
        use: what the templates use, if an earlier command has found that out.
    """

    def __init__(self, theme: Theme, key: str, *, read: bool) -> None:
        """Read what earlier commands have kept.

        Args:
            theme: of the site. Of one with plugins nothing is kept: a filter of theirs may have computed a part of a
                template while it was compiled, from whatever it liked.
            key: of the theme and of all that decides how it is compiled.
            read: whether what earlier commands have kept counts.
        """
        self._theme = theme
        self._name = f"templates {key}"
        kept = user_cache.read(self._name) if read and not theme.plugins else b""
        self._kept = decoded(kept, _Kept) or _Kept()
        self.codes = self._kept.codes
        self.use = self._kept.use

    def examine(self) -> ThemeUse:
        """Find out what the templates use, and compile all: a new site needs most of them, in several processes."""
        from devlog.render.templates import compiled, theme_use  # the template engine, which few commands need

        self.use = theme_use(self._theme)
        self.codes = compiled(self._theme) | self.codes
        self.keep()
        return self.use

    def load(self) -> None:
        """Let this process render with what is known; what is not, it compiles when a page needs it."""
        from devlog.render.templates import use_compiled

        use_compiled(self._theme, self.codes)

    def keep(self) -> None:
        """Keep what this process has found out and compiled since."""
        from devlog.render.templates import compiled_so_far

        if self._theme.plugins:
            return
        now = _Kept(self.codes | compiled_so_far(self._theme), self.use)
        if now.codes.keys() != self._kept.codes.keys() or now.use != self._kept.use:
            user_cache.write(self._name, msgspec.msgpack.encode(now))
            self._kept = now
