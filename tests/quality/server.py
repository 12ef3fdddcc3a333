"""A small server for published sites: compression, caching, parts of files and the page for what is missing as on
GitHub Pages.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_COMPRESSED = ("text/", "application/json", "application/javascript", "application/xml", "image/svg+xml")
_RANGE = re.compile(r"bytes=([0-9]+)-([0-9]*)")
_OWN_TYPES = {
    ".js": "text/javascript",
    ".avif": "image/avif",
    ".webp": "image/webp",
    ".wasm": "application/wasm",
    ".md": "text/markdown",
}


@contextmanager
def serving(folder: Path, base_path: str = "/", slow: Mapping[str, float] | None = None) -> Iterator[str]:
    """Serve a folder on a free port of this machine until the block ends.

    Args:
        folder: that is read anew with every request, so that it may be made after its address is known.
        base_path: under which its files are found, with a slash at both ends.
        slow: by the endings of files that are late, as on a slow line, for how many seconds each time that they are
            asked for: pages are then seen before these are there.

    Yields:
        The address of the folder, with a slash at its end.
    """

    class Handler(_Handler):
        root = folder.resolve()
        base = base_path
        late = slow or {}

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{base_path}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def media_type(path: str) -> str:
    """What a file is, by the end of its name."""
    ending = Path(path).suffix
    kind = _OWN_TYPES.get(ending) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


class _Server(ThreadingHTTPServer):
    """Forgives browsers that hang up: a page that is left wants no more of its pictures."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    root: Path
    base: str
    late: Mapping[str, float]

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        time.sleep(self._late(path))
        file = self._file(path)
        if file is not None and file.is_dir():
            self._answer(301, b"", "text/html", location=self.path + "/")
        elif file is not None:
            self._answer(200, file.read_bytes(), media_type(file.name))
        else:
            missing = self.root / "404.html"
            self._answer(404, missing.read_bytes() if missing.is_file() else b"", "text/html; charset=utf-8")

    do_HEAD = do_GET  # noqa: N815 - the name is the base class's

    def _late(self, path: str) -> float:
        return self.late.get(Path(urlsplit(path).path).suffix, 0.0)

    def _file(self, path: str) -> Path | None:
        """The file or folder that a path names; nothing outside of the folder that is served."""
        if not path.startswith(self.base):
            return None
        found = (self.root / path[len(self.base) :]).resolve()
        if not found.is_relative_to(self.root):
            return None
        if found.is_dir() and path.endswith("/"):
            found /= "index.html"
        return found if found.exists() else None

    def _answer(self, status: int, data: bytes, kind: str, location: str = "") -> None:
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if status == 200 and self.headers.get("if-none-match") == tag:
            status, data = 304, b""
        part = _RANGE.fullmatch(self.headers.get("range", "")) if status == 200 else None
        if part and int(part[1]) < len(data):
            self._answer_part(data, kind, int(part[1]), min(int(part[2] or len(data)), len(data) - 1))
            return
        packed = "gzip" in self.headers.get("accept-encoding", "") and kind.startswith(_COMPRESSED) and len(data) > 0
        if packed:
            data = gzip.compress(data, 6, mtime=0)
        self.send_response(status)
        kept = "no-store" if self._late(self.path) else "max-age=600"
        headers = {"content-type": kind, "content-length": str(len(data)), "cache-control": kept, "etag": tag}
        headers |= {"accept-ranges": "bytes"} if status == 200 else {}
        headers |= {"content-encoding": "gzip", "vary": "accept-encoding"} if packed else {}
        headers |= {"location": location} if location else {}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _answer_part(self, data: bytes, kind: str, first: int, last: int) -> None:
        """Players ask for parts of films and sounds, and cannot leap where there are none."""
        self.send_response(206)
        self.send_header("content-type", kind)
        self.send_header("content-range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("content-length", str(last - first + 1))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[first : last + 1])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
        """Say nothing: tests look at what browsers ask for themselves."""
