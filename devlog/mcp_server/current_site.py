"""The current site: reloads it when its files have changed."""

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
from devlog.disk.site_folder import is_site
from devlog.engine.store import Store
from devlog.inputs import Inputs
from devlog.mcp_server.site_snapshot import SiteSnapshot
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body
from devlog.model.secrets import masked
from devlog.model.target import Resources, Target
from devlog.model.theme import Theme
from devlog.pipeline import Session
from devlog.plugins.features import as_markdown
from devlog.render.template_dependencies import bodies_of
from devlog.stages import CACHE, Stages

PATIENCE = 2.0
"""Seconds to wait for the store while another process writes to it."""
FRESH = 1.0
"""Seconds after a check of the files during which they are not checked again."""
GONE = "the site is not there any more: it was moved or removed. Start the server again in the new place"


class NotReadableError(Exception):
    """The site cannot be read; the message says why. Secrets are masked in it: names of files may have some."""

    def __init__(self, message: str) -> None:
        """
        Args:
            message: why the site cannot be read.
        """
        super().__init__(masked(message))


class CurrentSite:
    """Loads a site on demand, and reloads it after changes. Must be used from one thread only.

    Attributes:
        is_kept: whether the last snapshot is an earlier one, since errors hide the posts of the current site.
    """

    def __init__(
        self, root: Path, *, drafts: bool, now: Callable[[], datetime], note: Callable[[str], None] = lambda _: None
    ) -> None:
        """
        Args:
            root: the site's folder.
            drafts: whether drafts are included.
            now: returns the current time, which decides which posts are scheduled.
            note: reports, once, that code has changed which only another process can run.
        """
        self._root = root
        self._drafts = drafts
        self._now = now
        self._note = note
        self._is_noted = False
        self._store = Store(root / CACHE, timeout=PATIENCE)
        self._stages = Stages(self._store, 0, lambda *_: None)
        self._session = Session(root, self._stages, effort=None)
        self._snapshot: SiteSnapshot | None = None
        self._read: Inputs | None = None
        self._external: build_record.ExternalState | None = None
        self._looked = float("-inf")
        self.is_kept = False
        self._since = self._now()
        self._until: datetime | None = None  # when posts appear or expire

    def snapshot(self) -> SiteSnapshot:
        """A snapshot of the current site.

        Raises:
            NotReadableError: the site has gone, or it cannot be read, and no earlier snapshot exists.
        """
        if self._snapshot and time.monotonic() - self._looked < FRESH:
            return self._snapshot
        if not is_site(self._root):
            raise NotReadableError(GONE)
        inputs = self._session.read()
        now = self._now()
        is_current = self._since <= now and (self._until is None or now < self._until)
        is_same = self._external is None or self._external.holds(self._root, inputs.config)
        if self._snapshot is None or inputs != self._read or not is_current or not is_same:
            self._snapshot = self._taken(inputs, now)
            self._read = inputs
        self._looked = time.monotonic()
        if not (self._is_noted or self._stages.runs_what_counts()):
            self._is_noted = True
            self._note(self._stages.advice)
        return self._snapshot

    def _taken(self, inputs: Inputs, now: datetime) -> SiteSnapshot:
        errors = (item for item in inputs.diagnostics if item.severity == "error")
        wrong = next((item for item in errors if _hides_posts(item, inputs)), None)
        self.is_kept = wrong is not None and self._snapshot is not None
        if wrong:
            if self._snapshot:
                return self._snapshot
            place = f"{wrong.span.path}:{wrong.span.line}" if wrong.span.line else wrong.span.path
            raise NotReadableError(f"{place}: {wrong.message}")
        self._stages.begin()
        inputs = _with_markdown(inputs)
        parsed = self._session.parse(inputs)
        self._session.forget_changed(item for text in parsed for item in text.diagnostics)
        self._stages.dismiss()  # workers are needed only for the first load: later changes are few
        assembled, git = self._session.assemble(inputs, parsed, Visibility(now, drafts=self._drafts))
        self._since, self._until = now, build_record.until(inputs.config, parsed, now)
        references, derived = self._session.derive(inputs, assembled)
        self._external = build_record.external_state(git, derived, uses_codecs=self._stages.uses_codecs)
        self._stages.remove_old_versions((text.file for text in parsed), parsed)
        write = partial(self._markdown, inputs.loaded.theme)
        return SiteSnapshot(inputs, self._session.plan(inputs, assembled, references, derived), write)

    def _markdown(self, theme: Theme, target: Target) -> str:
        """The Markdown version of a page, which needs no template."""
        data = self._stages.bodies(set(bodies_of(target)))
        bodies = {digest: msgspec.msgpack.decode(body, type=Body) for digest, body in data.items()}
        return as_markdown(target, Resources(theme, bodies, {})).decode()

    def close(self) -> None:
        """Stop the workers, and close the store."""
        with closing(self._store), closing(self._stages):
            pass


def _hides_posts(problem: Diagnostic, inputs: Inputs) -> bool:
    """Whether posts may be missing because of an error: one of the configuration, or of the whole content folder."""
    return problem.span.path in (inputs.config_file, inputs.config.content)


def _with_markdown(inputs: Inputs) -> Inputs:
    """The inputs with Markdown versions enabled, whether or not the site publishes them."""
    llms = msgspec.structs.replace(inputs.config.llms, enabled=True, markdown=True)
    return msgspec.structs.replace(inputs, config=msgspec.structs.replace(inputs.config, llms=llms))
