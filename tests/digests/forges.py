"""A forge on this machine that speaks made-up answers, in the shapes of GitHub, GitLab and Gitea."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Reply = tuple[int, dict[str, str], bytes]
"""Status, fields and body."""


def answer(value: Any, status: int = 200, **fields: str) -> Reply:
    """A value as JSON; names of fields are written with ``_`` for ``-``."""
    named = {name.replace("_", "-"): text for name, text in fields.items()}
    return status, {"Content-Type": "application/json", **named}, json.dumps(value).encode()


MISSING = answer({"message": "Not Found"}, 404)


@dataclass
class Forge:
    """What a forge has, and what it was asked.

    Attributes:
        kind: ``github``, ``gitlab`` or ``forgejo``.
        pulls: pull requests by number.
        issues: issues by number.
        milestones: the open ones.
        reactions: the number of reactions to pull requests, if these do not tell it themselves.
        page: how many items a page of a list has at most.
        misbehave: answers instead, unless it returns `None`; gets the path and the number of the request.
        paths: what was asked, with the query.
        fields: the fields of each request, with names in lower case.
    """

    kind: str = "github"
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    milestones: list[dict[str, Any]] = field(default_factory=list)
    reactions: Counter[int] = field(default_factory=Counter)
    page: int = 100
    misbehave: Callable[[str, int], Reply | None] = lambda _path, _number: None
    paths: list[str] = field(default_factory=list)
    fields: list[dict[str, str]] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        """The URL of the project in the interface."""
        way = {
            "github": "api/v3/repos/lumen/db",
            "gitlab": "api/v4/projects/lumen%2Fdb",
            "forgejo": "api/v1/repos/lumen/db",
        }[self.kind]
        return f"http://127.0.0.1:{self.port}/{way}"

    def reply(self, path: str, fields: dict[str, str]) -> Reply:
        """The answer to a request."""
        self.paths.append(path)
        self.fields.append(fields)
        if other := self.misbehave(path, len(self.paths)):
            return other
        base = urlsplit(self.url).path
        if not path.startswith(base):
            return MISSING
        parts = urlsplit(path.removeprefix(base))
        return self._gitlab(parts.path, parse_qs(parts.query)) if self.kind == "gitlab" else self._github(path, parts)

    def _github(self, path: str, parts: Any) -> Reply:
        asked = parse_qs(parts.query)
        both = {**self.issues, **self.pulls}
        if not parts.path:
            return answer({"full_name": "lumen/db"})
        if parts.path == "/milestones":
            return answer(self.milestones)
        if parts.path.endswith("/reactions"):
            number = int(parts.path.split("/")[2])
            return answer([{"content": "+1"}] * self.reactions[number] or None) if number in both else MISSING
        if parts.path.startswith("/issues/"):
            number = int(parts.path.rpartition("/")[2])
            return answer({"number": number, **both[number]}) if number in both else MISSING
        if "milestone" in asked or "milestones" in asked:
            wanted = (asked.get("milestone") or asked["milestones"])[0]
            titles = {one["title"] for one in self.milestones if wanted in (str(one["number"]), one["title"])}
            some = [
                {"number": number, **one}
                for number, one in self.issues.items()
                if (one.get("milestone") or {}).get("title") in titles and one.get("state") == "open"
            ]
            return answer(some[:5])
        page = int(asked.get("page", ["1"])[0])
        some = [{"number": number, **one} for number, one in both.items()]
        fields, most = {}, min(self.page, *map(int, [*asked.get("per_page", []), *asked.get("limit", [])]))
        if page * most < len(some):
            bare = path.partition("&page=")[0]
            fields["Link"] = f'<http://127.0.0.1:{self.port}{bare}&page={page + 1}>; rel="next", <x>; rel="last"'
        return answer(some[(page - 1) * most : page * most], ETag=f'"{page}"', **fields)

    def _gitlab(self, path: str, asked: dict[str, list[str]]) -> Reply:
        if not path:
            return answer({"path_with_namespace": "lumen/db"})
        if path == "/milestones":
            return answer(self.milestones)
        if "milestone" in asked:
            some = [
                {"iid": number, **one}
                for number, one in self.issues.items()
                if (one.get("milestone") or {}).get("title") == asked["milestone"][0]
            ]
            return answer(some[:5], X_Total=str(len(some)))
        held = self.pulls if path == "/merge_requests" else self.issues
        return answer([{"iid": int(one), **held[int(one)]} for one in asked["iids[]"] if int(one) in held])


@contextlib.contextmanager
def serving(forge: Forge) -> Iterator[Forge]:
    """Have a forge answer on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fields = {name.lower(): value for name, value in self.headers.items()}
            status, named, body = forge.reply(self.path, fields)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **named}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    forge.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
