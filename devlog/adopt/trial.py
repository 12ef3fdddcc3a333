"""Trial builds of configurations: the whole pipeline except rendering and writing, which leaves no files behind."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from unicodedata import normalize

import msgspec

from devlog.assemble.site import Visibility
from devlog.config import Config
from devlog.disk.guard import check_output
from devlog.disk.scratch import scratch_folder
from devlog.inputs import judge
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.report import has_error
from devlog.model.site import Skipped
from devlog.pipeline import Session, stages_of
from devlog.stages import Progress

_INDEX = re.compile(r"(?:^|/)_index\.[^/]*$")
_ESCAPED = re.compile(r"\\x([89a-f][0-9a-f])")


class Trial(msgspec.Struct, frozen=True):
    """The result of a trial build.

    Attributes:
        posts: the number of published posts.
        pages: the number of published pages.
        topics: the number of topics.
        addresses: the permalinks of posts and pages, sorted.
        skipped: the posts that are not published, and why.
        diagnostics: the problems found, sorted, with the source lines that they refer to.
    """

    posts: int
    pages: int
    topics: int
    addresses: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def fails(self) -> bool:
        """Whether errors prevent a build of the site."""
        return has_error(self.diagnostics)


@contextmanager
def trials(root: Path, progress: Progress) -> Iterator[Session]:
    """A session for trial builds of a site with several configurations, one after another.

    Args:
        root: the site's folder.
        progress: called with the progress of each build.
    """
    with (
        scratch_folder("adopt") as folder,
        stages_of(folder / "cache.db", progress) as stages,
    ):
        yield Session(root, stages, "look")


def try_out(session: Session, configuration: str, now: datetime) -> Trial:
    """Read, parse, assemble and plan a site.

    Args:
        session: the session from `trials`.
        configuration: the text of the ``devlog.toml`` to try.
        now: the current time, which determines the scheduled posts.
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
    )


def stoppers(trial: Trial, root: Path, config: Config) -> dict[str, Diagnostic]:
    """The first error of each file in the content or static folder, by file: without these, the rest can be built."""
    first: dict[str, Diagnostic] = {}
    for diagnostic in trial.diagnostics:
        if diagnostic.severity == "error":
            # The other files are those whose URL something outside of the content folder claims, such as a redirect.
            named = (diagnostic.span.path if diagnostic.span.is_file else "", *diagnostic.others)
            files = map(_on_disk, named) if diagnostic.code == "undecodable-name" else named
            file = _to_ignore(root, [file for file in files if file], config)
            # A pattern ignores all names that differ only in their Unicode form: each of them is reported.
            same = _same_names(root, file) if file and diagnostic.code == "same-name" else []
            for one in same:
                first.setdefault(one, msgspec.structs.replace(diagnostic, span=Span(one)))
            if file and not same:
                first.setdefault(file, diagnostic)
    return first


def _to_ignore(root: Path, files: list[str], config: Config) -> str:
    """The file to ignore because of an error about several; empty if none of them can be.

    Generators publish the static file if one of the content has its URL, too. But devlog has a list for each folder
    whatever is ignored, and to ignore the folder would cost all its posts: then it is the static file.
    """
    static = [file for file in files if is_below(root, file, config.static)]
    content = [file for file in files if file not in static and is_below(root, file, config.content)]
    alone = [file for file in content if not ((root / file).is_dir() or _INDEX.search(file))]
    return next(iter((alone if static else content) or static), "")


def _same_names(root: Path, file: str) -> list[str]:
    """The paths of what is beside a file under its name, in any Unicode form."""
    folder, _, name = file.rpartition("/")
    names = [
        entry.name for entry in os.scandir(root / folder) if normalize("NFC", entry.name) == normalize("NFC", name)
    ]
    return [f"{folder}/{found}" if folder else found for found in sorted(names)]


def _on_disk(file: str) -> str:
    """A path as Python has it, of one in which bytes that are not UTF-8 are escaped for messages."""
    return _ESCAPED.sub(lambda byte: chr(0xDC00 + int(byte[1], 16)), file)


def is_below(root: Path, file: str, folder: str) -> bool:
    """Whether a file exists and is in a folder of the site; ``.`` is the site's own folder."""
    return os.path.lexists(root / file) and (folder == "." or file.startswith(f"{folder}/"))
