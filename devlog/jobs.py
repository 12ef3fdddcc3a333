"""What worker processes run for each stage, and all that they get for it."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from devlog.disk.plugins import are_same
from devlog.engine.memory import NOT_ENOUGH, limited_memory
from devlog.engine.work import Loading
from devlog.model.derived import Made, Work
from devlog.model.error_line import error_line
from devlog.model.source import Source
from devlog.model.target import Output, Target
from devlog.model.theme import PluginRef, Theme
from devlog.parse.options import ParseOptions
from devlog.parse.record import ParsedRecord

T = TypeVar("T")
R = TypeVar("R")


def parse_jobs(sources: Sequence[Source], options: ParseOptions) -> list[ParsedRecord]:
    """Parse texts; see `parse_batch`."""
    from devlog.parse.parse import parse_batch  # loads the Markdown parser: a build may have nothing to parse

    return parse_batch(sources, options)


class RenderJob(msgspec.Struct, frozen=True):
    """A target with the encoded bodies and the other bytes that it needs: everything that a worker gets."""

    target: Target
    data: dict[str, bytes]

    def size(self) -> int:
        """How many bytes of data it has."""
        return sum(map(len, self.data.values()))


class MakeJob(msgspec.Struct, frozen=True):
    """A work item with the bytes of its files, or why they cannot be read: everything that a worker gets."""

    work: Work
    files: tuple[bytes, ...]
    problem: str = ""


def is_apart(job: MakeJob) -> bool:
    """Whether a job may take so much memory or time that it must not run in the process of the command."""
    return job.work.apart


def make_jobs(jobs: Sequence[MakeJob]) -> list[Made]:
    """Do work items; what fails, or needs too much memory, is a problem of its item."""
    return [_made(job) for job in jobs]


def _made(job: MakeJob) -> Made:
    if job.problem:
        return Made(problem=job.problem, retry=True)
    module, _, name = job.work.function.partition(":")
    make = getattr(importlib.import_module(module), name)
    start = time.process_time()
    try:
        with limited_memory():
            made: Made = make(job.work.parts, job.files)
    except MemoryError:
        return Made(problem=NOT_ENOUGH, retry=True)
    except Exception as error:  # a bug in devlog must fail only this file, and the message must name it
        return Made(problem=f"devlog failed on it, which is a bug in devlog ({error_line(error)[:200]})", retry=True)
    return msgspec.structs.replace(made, seconds=time.process_time() - start)


def render_jobs(jobs: Sequence[RenderJob], theme: Theme) -> list[Output]:
    """Render targets; see `render_batch`."""
    from devlog.render.render import render_batch  # loads the template engine: a build may have nothing to render

    data: dict[str, bytes] = {}
    for job in jobs:
        data.update(job.data)
    return render_batch([job.target for job in jobs], theme, data)


def load_templates(theme: Theme, codes: Mapping[str, bytes]) -> None:
    """Load compiled templates before the first target needs them, if the code of the theme's plugins is as it was."""
    from devlog.render.templates import load

    if are_same(theme.plugins):
        load(theme, codes)


def with_plugins(
    function: Callable[[Sequence[T]], Sequence[R]], plugins: tuple[PluginRef, ...]
) -> Callable[[Sequence[T]], Sequence[R]]:
    """A function that workers refuse if the code of these plugins has changed since this process loaded it."""
    return Loading(function, partial(are_same, plugins)) if plugins else function
