"""Trying configurations out: the whole pipeline but rendering and writing, with nothing left behind."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from devlog.assemble.site import Visibility
from devlog.assemble.urls import output_path
from devlog.disk.guard import check_output
from devlog.inputs import judge
from devlog.model.diagnostic import Diagnostic
from devlog.model.report import has_error
from devlog.model.site import Skipped
from devlog.pipeline import Session, stages_of
from devlog.stages import Progress


class Trial(msgspec.Struct, frozen=True):
    """What a build would find.

    Attributes:
        posts: how many posts are published.
        pages: how many plain pages are.
        topics: how many topics there are.
        addresses: the permalinks of posts and pages, sorted.
        skipped: posts that are left out, and why.
        diagnostics: what is wrong, sorted, with the lines that it is about.
        homes: the files of posts and pages, by the path that each is published at.
    """

    posts: int
    pages: int
    topics: int
    addresses: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]
    homes: dict[str, str]

    @property
    def fails(self) -> bool:
        """Whether the site cannot be built."""
        return has_error(self.diagnostics)


@contextmanager
def trials(root: Path, progress: Progress) -> Iterator[Session]:
    """Where configurations of a site are tried out, one after another.

    Args:
        root: the site's folder.
        progress: told how far each has come.
    """
    with (
        tempfile.TemporaryDirectory(prefix="devlog-adopt-") as folder,
        stages_of(Path(folder) / "cache.db", progress) as stages,
    ):
        yield Session(root, stages, "look")


def try_out(session: Session, configuration: str, now: datetime) -> Trial:
    """Read, parse, assemble and plan a site.

    Args:
        session: see `trials`.
        configuration: the text of the ``devlog.toml`` that is tried out.
        now: the moment that tells which posts are in the future.
    """
    root, stages = session.root, session.stages
    stages.begin()
    inputs = session.read(configuration=configuration)
    config = inputs.config
    found: list[Diagnostic] = [*inputs.diagnostics, *check_output(root, config.output, inputs.folders(root))]
    found += stages.theme_use(inputs.loaded.theme).diagnostics
    parsed = session.parse(inputs)
    found += [diagnostic for item in parsed for diagnostic in item.diagnostics]
    assembled, _ = session.assemble(inputs, parsed, Visibility(now))
    planner = session.plan(inputs, assembled, *session.derive(inputs, assembled))
    deque(planner.claims(), maxlen=0)
    found += [*planner.diagnostics, *stages.diagnostics]
    site = assembled.site
    return Trial(
        posts=len(site.posts),
        pages=len(site.pages),
        topics=len(site.topics),
        addresses=tuple(sorted(post.permalink for post in (*site.posts, *site.pages))),
        skipped=site.skipped,
        diagnostics=inputs.with_lines(root, judge(found, config, strict=False)),
        homes={output_path(post.permalink): post.parsed.file for post in (*site.posts, *site.pages)},
    )


def stoppers(trial: Trial, root: Path, content: str) -> dict[str, Diagnostic]:
    """The first error of each file of the content folder, by file: without these files, the rest can be built."""
    first: dict[str, Diagnostic] = {}
    for diagnostic in trial.diagnostics:
        if diagnostic.severity == "error":
            file = diagnostic.span.path
            if not is_below(root, file, content):  # a list of devlog's own, whose address a text has
                file = next((own for path, own in trial.homes.items() if f"“/{path}”" in diagnostic.message), "")
            if file:
                first.setdefault(file, diagnostic)
    return first


def is_below(root: Path, file: str, folder: str) -> bool:
    """Whether there is such a file in a folder of the site; ``.`` is the site's own."""
    return os.path.lexists(root / file) and (folder == "." or file.startswith(f"{folder}/"))


def as_patterns(files: Iterable[str], content: str) -> tuple[str, ...]:
    """Patterns that leave out single files of the content folder."""
    start = 0 if content == "." else len(content) + 1
    return tuple(_literal(file[start:]) for file in files)


def _literal(path: str) -> str:
    """A glob that matches nothing but a path."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)
