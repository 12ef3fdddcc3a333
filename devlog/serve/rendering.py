"""Renders files on request, and caches each until its inputs change."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.recent import Recent
from devlog.model.target import Target
from devlog.model.theme import Theme
from devlog.stages import Stages

KEPT = 64 << 20
"""How many bytes cached files have together: a short post can have a page of megabytes."""

OVERHEAD = 1_000
"""About how many bytes a cached file takes besides its own."""


class Rendered(msgspec.Struct, frozen=True):
    """A rendered file.

    Attributes:
        key: the digest of its inputs.
        data: the bytes of the file.
        digest: of `data`.
        markdown: the bytes of its Markdown version; empty if it has none.
    """

    key: str
    data: bytes
    digest: str
    markdown: bytes = b""


class _Failure(msgspec.Struct, frozen=True):
    """The diagnostics of a file that could not be rendered from the inputs with this key."""

    key: str
    diagnostics: tuple[Diagnostic, ...]


class Rendering:
    """A cache of rendered files, which renders those that are missing or out of date.

    Attributes:
        has_news: whether a file has begun to fail, or has been fixed, since the caller last set this to false.
    """

    def __init__(self, stages: Stages) -> None:
        """
        Args:
            stages: renders the files.
        """
        self.has_news = False
        self._stages = stages
        self._done = Recent[str, Rendered](KEPT, _size)  # by output path
        self._failed: dict[str, _Failure] = {}  # likewise

    def get(self, target: Target, key: str, theme: Theme, bodies: Mapping[str, bytes]) -> Rendered | None:
        """The current version of a file; if it cannot be rendered, the last good one.

        Args:
            target: the file.
            key: the digest of all its inputs.
            theme: of the site.
            bodies: used instead of the cached ones, see `Stages.render`.

        Returns:
            `None` if it cannot be rendered, and there is no earlier version.
        """
        known = self._done.get(target.path)
        if known and known.key == key:
            self._note(target.path, None)
            return known
        failure = self._failed.get(target.path)
        if failure and failure.key == key:  # another attempt would take as long, and fail again
            return known
        before = len(self._stages.diagnostics)
        (output,) = self._stages.render([target], theme, bodies)
        found = (*output.diagnostics, *self._stages.diagnostics[before:])  # these tell of texts that could not be read
        if found:
            self._note(target.path, _Failure(key, found))
            return known
        self._note(target.path, None)
        made = Rendered(key, output.data, digest_bytes(output.data), output.markdown)
        self._done.add(target.path, made)
        return made

    def _note(self, path: str, failure: _Failure | None) -> None:
        """Record that a file cannot be rendered, or (with `None`) that it can be."""
        if failure:
            self._failed[path] = failure
        elif self._failed.pop(path, None) is None:
            return
        self.has_news = True

    @property
    def failed(self) -> tuple[str, ...]:
        """The output paths of the files that cannot be rendered."""
        return tuple(self._failed)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics of all files that cannot be rendered."""
        return [diagnostic for failure in self._failed.values() for diagnostic in failure.diagnostics]

    def forget(self, path: str) -> None:
        """Drop the diagnostics of a file that is no longer part of the site."""
        self._failed.pop(path, None)

    def retry(self) -> None:
        """Allow another attempt for files that may have failed only because the machine was busy."""
        for path, failure in self._failed.items():
            if any(item.code != "template-error" for item in failure.diagnostics):
                self._failed[path] = _Failure("", failure.diagnostics)


def _size(made: Rendered) -> int:
    return len(made.data) + len(made.markdown) + OVERHEAD
