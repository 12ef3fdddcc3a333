"""What clients that read slowly, or many pages, keep in the memory of the preview."""

from __future__ import annotations

import asyncio
import io
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from serve_sites import ORIGIN, all_shown
from sites import NOW, write_site

from devlog.engine.jobs import Jobs
from devlog.model.metadata import without_metadata
from devlog.serve import app, guard, preview, rendering, sources
from devlog.serve.app import App, Rewritten
from devlog.serve.hub import Hub
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Answer, Data, File, Page

PORT = 8000
HTML = b"<head></head>" + b"<p>A long page.</p>" * 50_000


def picture() -> bytes:
    data = io.BytesIO()
    Image.effect_noise((900, 900), 90).save(data, "PNG", exif=Image.Exif())
    return data.getvalue()


class One:
    """A site with the same answer for every path."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def ask(self, _: str) -> Future[Answer]:
        done: Future[Answer] = Future()
        done.set_result(self._answer)
        return done

    def hello(self, _: str) -> Any:
        raise AssertionError


def sent(answer: Answer, method: str = "GET") -> list[bytes]:
    """The pieces of the body that the server is given, each of which it may keep until the client reads."""
    pieces = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            pieces.append(message["body"])

    async def receive() -> Any:
        await asyncio.sleep(60)

    headers = [(b"host", b"127.0.0.1:%d" % PORT)]
    scope = {"type": "http", "method": method, "raw_path": b"/a", "query_string": b"", "headers": headers}
    shown = App(One(answer), Hub(), guard.allow(PORT), pytest.fail, scripts={})
    asyncio.run(shown(scope, receive, send))
    return pieces


@pytest.mark.parametrize("kind", ["page", "data", "image"])
def test_bodies_are_sent_in_pieces(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.png").write_bytes(picture())
    answer = {
        "page": Page(HTML, "k"),
        "data": Data(HTML, "text/plain"),
        "image": File(tmp_path, "a.png", follow=False, media_type="image/png", strip=True),
    }[kind]
    pieces = sent(answer)
    assert max(map(len, pieces)) <= app._PIECE
    whole = b"".join(pieces)
    assert len(whole) > 2 * app._PIECE
    if kind != "image":
        assert HTML.removeprefix(b"<head>") in whole
    assert sent(answer, "HEAD") == [b""]


def test_the_loop_gets_a_turn_between_pieces() -> None:
    """Else it does not see that a client has gone, and asyncio warns of each piece that is written nevertheless."""
    turns: list[int] = []

    async def send(_message: Any) -> None:
        asyncio.get_running_loop().call_soon(turns.append, 1)

    async def answer() -> int:
        reply = app._Reply({"headers": [], "method": "GET"}, send)
        await reply.body(HTML)
        return len(turns)

    assert asyncio.run(answer()) >= len(HTML) // app._PIECE


def test_an_image_is_in_memory_once(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(picture())
    answer = File(tmp_path, "a.png", follow=False, media_type="image/png", strip=True)
    rewritten = Rewritten()

    def read() -> Any:
        with (tmp_path / "a.png").open("rb") as file:
            return rewritten.read(answer, file)

    first = read()
    assert read() is first
    (tmp_path / "a.png").write_bytes(picture())
    other = read()
    assert other is not first
    assert other.data != first.data
    del first, other
    assert not rewritten._sent


def test_clients_that_ask_at_the_same_time_share_an_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(picture())
    read: list[int] = []

    def rewrite(data: bytes) -> bytes:
        read.append(len(data))
        time.sleep(0.1)  # the others ask meanwhile
        return without_metadata(data)

    monkeypatch.setattr(app, "without_metadata", rewrite)
    answer = File(tmp_path, "a.png", follow=False, media_type="image/png", strip=True)

    async def ask_all() -> set[int]:
        rewritten = Rewritten()

        async def ask() -> Any:
            with (tmp_path / "a.png").open("rb") as file:
                return await rewritten.ask(answer, file)

        return {id(content) for content in await asyncio.gather(*(ask() for _ in range(4)))}

    assert len(asyncio.run(ask_all())) == 1
    assert len(read) == 1


def test_pages_in_memory_are_limited_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short posts can have long pages, and a single post can let a browser ask for all of them."""
    for module in (preview, rendering):
        monkeypatch.setattr(module, "KEPT", 700_000)
    monkeypatch.setattr(sources, "MARKED", 700_000)
    posts = {f"content/log/{name}.md": f"---\ntitle: {name}\n---\n{'A text. ' * 25_000}\n" for name in "abcdef"}
    config = "search.enabled = false\ncards.enabled = false\nllms = {enabled = false, markdown = false}\n"
    root = write_site(tmp_path, {"devlog.toml": f'{config}serve.editor = "edit:{{path}}:{{line}}"\n', **posts})
    jobs = Jobs()
    site = Preview(Options(root, ORIGIN, drafts=False, now=lambda: NOW, jobs=1), jobs)
    try:
        site.change(frozenset())
        paths = [f"log/{name}/index.html" for name in "abcdef"]
        assert len(set(all_shown(site, jobs, paths).values())) == 6
        assert [path for path in paths if site._ready.get(path)] == paths[-3:]
        assert [path for path in paths if site._rendering._done.get(path)] == paths[-3:]
        assert [file for file in posts if site._texts._marked.get(file)] == list(posts)[-3:]
    finally:
        site.close()
