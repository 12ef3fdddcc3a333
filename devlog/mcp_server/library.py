"""The site as its files are now: read again when they have changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from devlog import build_record
from devlog.assemble.site import Visibility
from devlog.engine.store import Store
from devlog.inputs import Inputs
from devlog.mcp_server.shelf import Shelf
from devlog.model.document import Body
from devlog.model.target import Resources, Target
from devlog.model.theme import Theme
from devlog.pipeline import Session
from devlog.plugin import as_markdown
from devlog.render.template_dependencies import bodies_of
from devlog.stages import CACHE, Stages

PATIENCE = 2.0
"""How many seconds to wait for the store while something else writes to it."""
FRESH = 1.0
"""For so many seconds after a look at the files, they are not looked at again."""


class NotReadableError(Exception):
    """Why there is no site."""


class Library:
    """A site that is read when somebody asks, for one thread."""

    def __init__(self, root: Path, *, drafts: bool, now: Callable[[], datetime]) -> None:
        """
        Args:
            root: the site's folder.
            drafts: whether drafts can be read.
            now: the present moment, for posts of the future.
        """
        self._root = root
        self._drafts = drafts
        self._now = now
        self._store = Store(root / CACHE, timeout=PATIENCE)
        self._stages = Stages(self._store, 0, lambda *_: None)
        self._session = Session(root, self._stages, effort=None)
        self._shelf: Shelf | None = None
        self._read: Inputs | None = None
        self._external: build_record.ExternalState | None = None
        self._looked = float("-inf")
        self._hour = ""

    def shelf(self) -> Shelf:
        """The site as it is now.

        Raises:
            NotReadableError: its configuration is wrong, and there was no site before.
        """
        if self._shelf and time.monotonic() - self._looked < FRESH:
            return self._shelf
        inputs = self._session.read()
        hour = self._now().isoformat()[:13]  # in which it was decided which posts are in the future
        is_same = self._external is None or self._external.holds(self._root, inputs.config)
        if self._shelf is None or inputs != self._read or hour != self._hour or not is_same:
            self._shelf = self._taken(inputs)
            self._read, self._hour = inputs, hour
        self._looked = time.monotonic()
        return self._shelf

    def _taken(self, inputs: Inputs) -> Shelf:
        wrong = [
            item for item in inputs.diagnostics if item.severity == "error" and item.span.path == inputs.config_file
        ]
        if wrong:
            if self._shelf:
                return self._shelf  # the last good one
            problem = wrong[0]
            raise NotReadableError(f"{problem.span.path}:{problem.span.line}: {problem.message}")
        self._stages.begin()
        inputs = _with_markdown(inputs)
        parsed = self._session.parse(inputs)
        self._stages.dismiss()  # a site is read once, and then a text now and then
        assembled, git = self._session.assemble(inputs, parsed, Visibility(self._now(), drafts=self._drafts))
        references, derived = self._session.derive(inputs, assembled)
        self._external = build_record.external_state(git, derived)
        write = partial(self._markdown, inputs.loaded.theme)
        return Shelf(inputs, self._session.plan(inputs, assembled, references, derived), write)

    def _markdown(self, theme: Theme, target: Target) -> str:
        """A page as Markdown, with no need of its template."""
        data = self._stages.bodies(set(bodies_of(target)))
        bodies = {digest: msgspec.msgpack.decode(body, type=Body) for digest, body in data.items()}
        return as_markdown(target, Resources(theme, bodies, {})).decode()

    def close(self) -> None:
        """End what works, and close the store."""
        with closing(self._store), closing(self._stages):
            pass


def _with_markdown(inputs: Inputs) -> Inputs:
    """The same site with its texts as Markdown, whether or not it publishes them so."""
    llms = msgspec.structs.replace(inputs.config.llms, enabled=True, markdown=True)
    return msgspec.structs.replace(inputs, config=msgspec.structs.replace(inputs.config, llms=llms))
