"""The MCP tool for reading paths: where to begin, and in which order to read."""

from __future__ import annotations

from typing import Any

import msgspec

from devlog.features.reading_paths.model.reading_path import Before, ReadingPath, ReadingPaths
from devlog.mcp_server.site_snapshot import SiteSnapshot, page_of
from devlog.mcp_server.tools import (
    LONGEST,
    QUOTED,
    Answer,
    AskedWrongError,
    Offset,
    Search,
    Text,
    Tool,
    listed,
    named,
    schema,
    string,
)

_SOME = 50


class ListPaths(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of ``list_paths``."""

    path: Text = ""
    offset: Offset = 0


def _list_paths(snapshot: SiteSnapshot, _search: Search, asked: ListPaths) -> Answer:
    paths = [path for path in snapshot.context.derived.of(ReadingPaths).paths if path.steps]
    if asked.path.strip():
        return _one(snapshot, paths, asked.path)
    some, more = page_of(paths, asked.offset, _SOME)
    note = "" if paths else "this log has no reading paths; list_topics and list_recent show what there is"
    return listed("paths", [_about(snapshot, path) for path in some], more, note, offset=asked.offset)


def _one(snapshot: SiteSnapshot, paths: list[ReadingPath], name: str) -> Answer:
    """The steps of one path, by its title or by any name of its page."""
    wanted = " ".join(name.split()).casefold()
    path = next((path for path in paths if path.title.casefold() == wanted), None)
    if path is None:
        page, _ = named(snapshot, name)
        path = next((path for path in paths if path.page == page.id), None)
    if path is None:
        raise AskedWrongError("this page is not a reading path; without “path”, list_paths names all of them")
    return listed("steps", list(_steps(snapshot, path)), note=_note(snapshot, path))


def _about(snapshot: SiteSnapshot, path: ReadingPath) -> dict[str, Any]:
    return {
        "title": path.title,
        "url": snapshot.address(path.permalink),
        "id": path.page,
        "description": path.description[:LONGEST],
        "posts": len(path.steps),
        **({"before": _before(snapshot, path.before)} if path.before else {}),
    }


def _steps(snapshot: SiteSnapshot, path: ReadingPath) -> list[dict[str, Any]]:
    found = []
    for number, step in enumerate(path.steps, start=1):
        post = snapshot.find(step.post)
        if post:
            about = snapshot.about(post[0])
            why = {"why": step.why[:LONGEST]} if step.why else {}
            before = {"before": _before(snapshot, step.before)} if step.before else {}
            found.append({"step": number, **{key: about[key] for key in ("title", "url", "id")}, **why, **before})
    return found


def _before(snapshot: SiteSnapshot, before: tuple[Before, ...]) -> list[str]:
    origin = snapshot.inputs.config.origin
    return [
        f"{item.title} ({origin + item.url if item.url.startswith('/') else item.url})"[:LONGEST]
        if item.url
        else item.title[:LONGEST]
        for item in before
    ]


def _note(snapshot: SiteSnapshot, path: ReadingPath) -> str:
    known = "; ".join(_before(snapshot, path.before))
    return f"{path.title}. Before: {known}"[: 2 * LONGEST] if known else path.title


def tools() -> tuple[Tool, ...]:
    """The tools that this feature adds."""
    return (
        Tool(
            "list_paths",
            "List reading paths",
            "The reading paths of this developer log: posts in the order in which to read them, for those who are new "
            "to a subject. With path, its steps, each with a reason and what to read before." + QUOTED,
            schema(
                [],
                path=string("Only this path, with its steps: its title, URL, source file or id.", maxLength=2000),
                offset={"type": "integer", "description": "Offset to continue from.", "minimum": 0},
            ),
            ListPaths,
            _list_paths,
            begin_for="a first overview of a subject",
        ),
    )
