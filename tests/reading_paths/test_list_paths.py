"""Reading paths over MCP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from path_site import path, path_of, path_site
from sites import write_site

from devlog.mcp_server import tools
from devlog.mcp_server.current_site import CurrentSite
from devlog.mcp_server.tools import MOST, AskedWrongError


def asked(site: CurrentSite, **arguments: Any) -> dict[str, Any]:
    tool = next(tool for tool in tools.tools() if tool.name == "list_paths")
    answer = tool.answer(site.snapshot(), lambda *_: (), tools.arguments_of(tool, arguments))
    assert len(answer.text) <= MOST
    assert json.loads(answer.text) == answer.value
    return answer.value or {}


def opened(root: Path) -> CurrentSite:
    return CurrentSite(root, drafts=False, now=lambda: datetime(2026, 6, 15, tzinfo=UTC))


def test_the_paths_and_the_steps_of_one(tmp_path: Path) -> None:
    keys = "before: [basics.md, You can build Lumen.]\n"
    steps = path("ab", "The log", keys).replace("    why: Why b.\n", f"    before: [{path_of('a')}]\n")
    site = opened(write_site(tmp_path, path_site({"start": steps, "basics": path("c", "Basics")})))
    origin = "https://lumen.example.org/log"
    try:
        first, second = asked(site)["paths"]
        assert first == {
            "title": "Basics",
            "url": f"{origin}/basics/",
            "id": "basics.md",
            "description": "About Basics",
            "posts": 1,
        }
        before = [f"Basics ({origin}/basics/)", "You can build Lumen."]
        assert (second["title"], second["posts"], second["before"]) == ("The log", 2, before)
        for name in ("the log", "start.md", f"{origin}/start/", "/content/start.md", "start"):
            found = asked(site, path=name)
            assert found["note"] == f"The log. Before: {'; '.join(before)}"
            assert found["steps"] == [
                {
                    "step": 1,
                    "title": "Post A",
                    "url": f"{origin}/storage/2026-05-01-a/",
                    "id": path_of("a"),
                    "why": "Why a.",
                },
                {
                    "step": 2,
                    "title": "Post B",
                    "url": f"{origin}/storage/2026-05-02-b/",
                    "id": path_of("b"),
                    "before": [f"Post A ({origin}/storage/2026-05-01-a/)"],
                },
            ]
        for wrong in (path_of("a"), "nothing.md"):
            with pytest.raises(AskedWrongError):
                asked(site, path=wrong)
    finally:
        site.close()


def test_a_site_without_paths_says_so(tmp_path: Path) -> None:
    site = opened(write_site(tmp_path, path_site({})))
    try:
        found = asked(site)
        assert found["paths"] == []
        assert "no reading paths" in found["note"]
    finally:
        site.close()


def test_many_long_paths_come_in_parts(tmp_path: Path) -> None:
    paths = {f"path{number:03}": path("abc", f"Path {number:03} {'x' * 900}") for number in range(60)}
    site = opened(write_site(tmp_path, path_site(paths)))
    try:
        found: list[str] = []
        answer = asked(site)
        found += [item["id"] for item in answer["paths"]]
        while "next_offset" in answer:
            answer = asked(site, offset=answer["next_offset"])
            found += [item["id"] for item in answer["paths"]]
        assert found == [f"{name}.md" for name in paths]
    finally:
        site.close()
