"""Previews of small sites, asked without a server."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from devlog.disk.read import read_bytes
from devlog.engine.jobs import Jobs
from devlog.model.metadata import without_metadata
from devlog.model.minify import minified
from devlog.serve.preview import Preview
from devlog.serve.responses import Answer, Data, File, Page, RedirectResponse

ORIGIN = "http://127.0.0.1:8000"


def answered(future: Future[Answer], jobs: Jobs) -> Answer:
    """The answer, once what it needs is done."""
    while jobs.step():
        pass
    return future.result(0)


def shown(preview: Preview, jobs: Jobs, path: str) -> Answer:
    """What the preview shows for an output path."""
    return answered(preview.ask(preview.inputs.config.base_path + path), jobs)


def data_of(answer: Answer) -> bytes:
    """What an answer holds, for comparing it with an output."""
    if isinstance(answer, Page):
        return answer.html
    if isinstance(answer, Data):
        return answer.data
    if isinstance(answer, RedirectResponse):
        return answer.location.encode()
    assert isinstance(answer, File)
    data = read_bytes(answer.root, answer.file)
    assert isinstance(data, bytes), data
    if answer.minify:
        return minified(answer.file, data)
    return without_metadata(data) if answer.strip else data


def all_shown(preview: Preview, jobs: Jobs, paths: Iterable[str]) -> dict[str, bytes]:
    """What the preview shows for some output paths."""
    return {path: data_of(shown(preview, jobs, path)) for path in paths}
