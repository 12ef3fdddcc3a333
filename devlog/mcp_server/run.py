"""The command `devlog mcp`: the main thread reads the site, and another one speaks the protocol.

The site is read in the main thread because only there can a signal interrupt a runaway post.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from devlog.disk.folder import describe
from devlog.engine.jobs import REQUEST, Jobs
from devlog.engine.printing import print_without_errors
from devlog.inputs import read_configuration
from devlog.mcp_server.current_site import CurrentSite
from devlog.mcp_server.server import make_server
from devlog.mcp_server.site_snapshot import SiteSnapshot
from devlog.mcp_server.streams import Answers, pass_on
from devlog.mcp_server.tools import Search
from devlog.report import printable
from devlog.search.lookup import Lookup
from devlog.search.values import Filters, Hit

Question = Callable[[SiteSnapshot, Search], Any]


def run(root: Path, *, drafts: bool, now: Callable[[], datetime]) -> None:
    """Answer requests until the client closes standard input.

    Args:
        root: the site's folder.
        drafts: whether drafts can be found and read.
        now: returns the current time.

    Raises:
        click.ClickException: standard output cannot be written.
    """
    jobs = Jobs()
    jobs.stop_at(signal.SIGINT, signal.SIGTERM)
    title = read_configuration(root)[0].title
    with (
        suppress(KeyboardInterrupt),
        closing(CurrentSite(root, drafts=drafts, now=now, note=_note)) as library,
        closing(Lookup(root, now())) as lookup,
    ):
        search = partial(_search, partial(_refresh, library, lookup, now), lookup, drafts)
        answer = partial(_answer, library, search)
        failures: list[OSError] = []
        threading.Thread(target=_speak, args=(jobs, answer, title, failures), daemon=True).start()
        jobs.run(lambda: False)
        if failures:
            raise click.ClickException(f"the output cannot be written: {describe(failures[0])}")


def _note(text: str) -> None:
    """Write a line for whoever has started the server, if anybody reads it."""
    with suppress(OSError, ValueError):  # a closed stream raises the latter
        click.echo(printable(text), err=True)


def _answer(library: CurrentSite, search: Search, question: Question) -> Any:
    return question(library.snapshot(), search)


def _refresh(library: CurrentSite, lookup: Lookup, now: Callable[[], datetime]) -> None:
    """Update the index to the posts of the last snapshot."""
    if not library.is_kept:
        lookup.refresh(now=now())


def _search(
    refresh: Callable[[], None], lookup: Lookup, drafts: bool, query: str, filters: Filters, limit: int
) -> tuple[Hit, ...]:
    refresh()
    return lookup.search(query, filters._replace(drafts=drafts), limit)


def _speak(jobs: Jobs, answer: Callable[[Question], Any], title: str, failures: list[OSError]) -> None:
    """Run the protocol, and let the main thread answer questions, until the client has gone.

    Args:
        jobs: of the main thread. They are stopped in the end.
        answer: answers a question in the main thread.
        title: of the site.
        failures: gets the error if an answer cannot be written.
    """

    async def ask(question: Question) -> Any:
        return await asyncio.wrap_future(jobs.submit(REQUEST, answer, question))

    async def serve() -> None:
        server = make_server(ask, title)
        async with stdio_server() as (reading, writing), reading:
            # Output of plugins would stay in a buffer, and follow the protocol once standard output is restored.
            print_without_errors(only_to_stderr=True)
            sending, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            answers: Any = Answers(writing)
            async with anyio.create_task_group() as group:
                group.start_soon(pass_on, reading, answers, sending)
                await server.run(messages, answers, server.create_initialization_options())
                group.cancel_scope.cancel()

    try:
        asyncio.run(serve())
    except* BrokenPipeError:  # raised in an exception group by the I/O tasks: the client has gone
        pass
    except* OSError as group:
        failures.append(_first(group))
    finally:
        jobs.stop()


def _first(group: ExceptionGroup[OSError]) -> OSError:
    """The first error of a group, in which there may be others."""
    error: OSError | ExceptionGroup[OSError] = group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
