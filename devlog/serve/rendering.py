"""Rendered files, each kept until what it is made of has changed."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.target import Target
from devlog.model.theme import Theme
from devlog.stages import Stages

KEPT = 2_000
"""How many files are kept."""


class Rendered(msgspec.Struct, frozen=True):
    """A rendered file.

    Attributes:
        key: of what it was made of.
        data: its bytes.
        digest: of them.
        markdown: the bytes of its Markdown version, if it has one.
    """

    key: str
    data: bytes
    digest: str
    markdown: bytes = b""


class _Failure(msgspec.Struct, frozen=True):
    """Why a file could not be made of what `key` stands for."""

    key: str
    diagnostics: tuple[Diagnostic, ...]


class Rendering:
    """Renders what is asked for and not there yet.

    Attributes:
        has_news: whether something has been found or mended since this was last set to false.
    """

    def __init__(self, stages: Stages) -> None:
        """
        Args:
            stages: render.
        """
        self.has_news = False
        self._stages = stages
        self._done: dict[str, Rendered] = {}  # by output path
        self._failed: dict[str, _Failure] = {}  # likewise

    def get(self, target: Target, key: str, theme: Theme, bodies: Mapping[str, bytes]) -> Rendered | None:
        """A file as it is now; if it cannot be made, as it was.

        Args:
            target: the file.
            key: of all that it is made of.
            theme: of the site.
            bodies: to be taken instead of those that are remembered, see `Stages.render`.

        Returns:
            `None` if it cannot be made and never could be.
        """
        known = self._done.get(target.path)
        if known and known.key == key:
            self._note(target.path, None)
            return known
        failure = self._failed.get(target.path)
        if failure and failure.key == key:  # trying again would take as long, and help as little
            return known
        (output,) = self._stages.render([target], theme, bodies)
        if output.diagnostics:
            self._note(target.path, _Failure(key, output.diagnostics))
            return known
        self._note(target.path, None)
        made = self._done[target.path] = Rendered(key, output.data, digest_bytes(output.data), output.markdown)
        while len(self._done) > KEPT:
            del self._done[next(iter(self._done))]
        return made

    def _note(self, path: str, failure: _Failure | None) -> None:
        """Remember that a file cannot be made, or can be."""
        if failure:
            self._failed[path] = failure
        elif self._failed.pop(path, None) is None:
            return
        self.has_news = True

    @property
    def failed(self) -> tuple[str, ...]:
        """The output paths of what cannot be made."""
        return tuple(self._failed)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Why it cannot be made."""
        return [diagnostic for failure in self._failed.values() for diagnostic in failure.diagnostics]

    def forget(self, path: str) -> None:
        """A file is no longer part of the site."""
        self._failed.pop(path, None)

    def retry(self) -> None:
        """Let what may only have failed because the machine was busy be tried once more."""
        for path, failure in self._failed.items():
            if any(item.code != "template-error" for item in failure.diagnostics):
                self._failed[path] = _Failure("", failure.diagnostics)
