"""The MCP tool for source references: finds posts about pull requests, commits, files and symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from devlog.features.source_references.assemble.lookup import posts_about as posts_in
from devlog.features.source_references.assemble.pages import references
from devlog.features.source_references.model.mention import KINDS
from devlog.features.source_references.model.reference import Reference
from devlog.mcp_server.site_snapshot import SiteSnapshot
from devlog.mcp_server.tools import (
    LIMIT,
    LONGEST,
    QUOTED,
    Answer,
    AskedWrongError,
    Search,
    SearchPosts,
    Some,
    Text,
    Tool,
    found_posts,
    listed,
    schema,
    shown_hit,
    string,
)

_NUMBER = re.compile(r"(?:(?:PR|pull request|pull|issue|bug)\s*)?#?(\d+)", re.IGNORECASE)
_PATH = re.compile(r"[^\s:]+/[^\s:]*")


class PostsAbout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of ``posts_about``."""

    what: Text
    kind: Literal["", "pull", "issue", "commit", "file", "symbol", "handle"] = ""
    limit: Some = 20


def _posts_about(snapshot: SiteSnapshot, search: Search, asked: PostsAbout) -> Answer:
    if not asked.what.strip():
        raise AskedWrongError("say what the posts are to be about, such as #185998, a path, a commit or a name")
    known = snapshot.context.once(references)
    found = [item for item in _referring(known, asked.what) if asked.kind in ("", item.kind)]
    if not found and asked.kind in ("", "file") and (inside := _in_source(snapshot, asked)):
        return inside
    if not found:
        hits = found_posts(snapshot, search, SearchPosts(asked.what, limit=asked.limit))
        shown = [shown_hit(snapshot, post, hit) for post, hit in hits]
        note = (
            "no post refers to it; these contain its words" if shown else "no post refers to it or contains its words"
        )
        return listed("results", shown, note=note)
    about, left = [], asked.limit
    for item in found:
        posts = [{**post._asdict(), "sentence": post.sentence[:LONGEST]} for post in item.posts[:left]]
        left -= len(posts)
        if posts:
            counted = {"posts_in_all": len(item.posts)} if len(posts) < len(item.posts) else {}
            about.append({"kind": item.kind, "id": item.id, "url": item.url, **counted, "posts": posts})
    return listed("references", about)


def _in_source(snapshot: SiteSnapshot, asked: PostsAbout) -> Answer | None:
    """The posts that cite files of a directory, or of the nearest directory above a path; `None` if there are none."""
    path = asked.what.strip().strip("`").removeprefix("./")
    found = posts_in(snapshot.context.outline, path, asked.limit) if path.strip("/") and _PATH.fullmatch(path) else None
    if found is None:
        return None
    note = f"these posts cite files in {found.path}/"
    if found.kind == "above":
        note = f"no post cites {path[:LONGEST]}; {note}"
    items = [post._asdict() for post in found.posts]
    return listed("posts", items, note=f"{note} ({found.total} in all)" if found.total > len(items) else note)


def _referring(known: Iterable[Reference], what: str) -> list[Reference]:
    """The references for a name: as posts write it, a URL, or the end of a file's path."""
    text = what.strip().strip("`")
    number = _NUMBER.fullmatch(text)
    wanted = number[1] if number else text.lstrip("@").casefold()
    exact = [item for item in known if _ids(item) & {wanted, text.casefold()}]
    if exact or number:
        return exact
    commits = re.fullmatch(r"[0-9a-f]{7,40}", wanted)
    return [
        item
        for item in known
        if (item.kind == "file" and item.id.casefold().endswith(f"/{wanted}"))
        or (commits and item.kind == "commit" and (item.id.startswith(wanted) or wanted.startswith(item.id)))
    ]


def _ids(item: Reference) -> frozenset[str]:
    return frozenset({item.id.casefold(), item.url.casefold()})


def tools() -> tuple[Tool, ...]:
    """The tools that this feature adds."""
    return (
        Tool(
            "posts_about",
            "Posts about part of the source",
            "Which posts talk about a pull request, an issue, a commit, a file, a symbol or a person, newest first, "
            "each with the sentence. For a directory, the posts that cite files in it. Where nobody "
            "refers to a path, the posts about the nearest directory above it, or else a search for its words."
            + QUOTED,
            schema(
                ["what"],
                what=string(
                    "Such as #185998, PR 185998, org/repo#12, a commit id, src/a.py, src/wal/, a name in code, "
                    "@handle, or a URL."
                ),
                kind=string("Only references of this kind.", enum=list(KINDS)),
                **LIMIT,
            ),
            PostsAbout,
            _posts_about,
            begin_for="a pull request, commit, file or symbol",
        ),
    )
