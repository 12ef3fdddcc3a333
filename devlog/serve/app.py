"""The ASGI application of the preview: answers each request from the site's snapshot.

No request ever becomes the path of a file. The path of a request is only looked up in the snapshot, and a file is
opened only at the location that the snapshot has for it.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from html import escape
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from devlog.disk.read import open_regular
from devlog.model.digest import digest_bytes
from devlog.model.metadata import without_metadata
from devlog.model.minify import minified
from devlog.serve import guard, ranges
from devlog.serve.file_stats import Stamp, stamp
from devlog.serve.guard import Allowed, Headers, Refusal
from devlog.serve.hub import Hub, Stream
from devlog.serve.policy import ATTACHED, Policy, attached, made
from devlog.serve.responses import Answer, Data, File, Page, RedirectResponse, Site

SCRIPT = f"{guard.OWN}live.js"
EVENTS = f"{guard.OWN}events"

_PIECE = 1 << 18  # the bytes sent at once: a client that does not read keeps only these in its connection's memory
_HTML = "text/html; charset=utf-8"
_PLACES = tuple(
    re.compile(pattern, re.IGNORECASE) for pattern in (rb"<head(?:\s[^>]*)?>()", rb"()</head\s*>", rb"()</body\s*>")
)
"""Where the script can be inserted (at the group), the best position first: before the deferred scripts of the theme,
so that it sees the page before they change it."""


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
T = TypeVar("T")


class App:
    """The ASGI application: answers requests from a site."""

    def __init__(
        self,
        site: Site,
        hub: Hub,
        allowed: Allowed,
        log: Callable[[str], None],
        *,
        policy: Callable[[], Policy] = Policy,
        scripts: Mapping[str, bytes] | None = None,
    ) -> None:
        """Make an application.

        Args:
            site: answers requests by path.
            hub: the event streams of open tabs.
            allowed: the hosts and origins to accept.
            log: called with one line for each unexpected error.
            policy: returns the current content security policy of pages.
            scripts: the scripts to serve, by path; `None` for those of this package.
        """
        self._site = site
        self._hub = hub
        self._allowed = allowed
        self._log = log
        self._policy = policy
        self._scripts = read_scripts() if scripts is None else scripts
        self._rewritten = Rewritten()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        reply = _Reply(scope, send)
        try:
            await self._answer(scope, receive, reply)
        except Exception as error:
            self._log(f"{scope['method']} {scope['raw_path'].decode('latin-1')[:200]}: {_describe(error)}")
            if not reply.started:  # else the connection is closed, and the browser knows that something is missing
                await reply.text(500, "The preview failed to answer. Its terminal says why.")

    async def _answer(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        headers: Headers = list(scope["headers"])
        refused = guard.refusal(scope["method"], scope["raw_path"], headers, self._allowed)
        path = None if refused else guard.decode_path(guard.origin_form(scope["raw_path"], self._allowed) or b"")
        if refused or path is None:
            await reply.refuse(refused or guard.NOT_FOUND)
        elif path == EVENTS:
            await self._events(guard.asked_page(scope["query_string"]), receive, reply)
        elif path in self._scripts:
            await reply.data(self._scripts[path], "text/javascript")
        elif path.startswith(guard.OWN):
            await reply.refuse(guard.NOT_FOUND)
        else:
            answer = await settled(self._site.ask(path))
            if guard.is_foreign(headers) and not _is_page(answer):
                await reply.refuse(guard.NO_PAGE)
            else:
                await self._show(path, answer, receive, reply)

    async def _show(self, path: str, answer: Answer, receive: Receive, reply: _Reply) -> None:
        """Send the site's answer for a path."""
        policy = self._policy()
        if isinstance(answer, Page):
            reply.policy = policy.page(answer.html)
        elif isinstance(answer, Data | File):
            is_own = answer.is_own or _is_page(answer)  # a script run as a worker gets the policy of its own answer
            of_type = made if isinstance(answer, Data) else attached
            reply.policy = policy.page() if is_own else of_type(answer.media_type)
        if isinstance(answer, Page):
            html = with_script(answer, path, digest_bytes(reply.policy.encode()))
            await reply.whole(answer.status, html, [(b"content-type", _HTML.encode())])
        elif isinstance(answer, Data):
            await reply.data(answer.data, answer.media_type)
        elif isinstance(answer, RedirectResponse):
            await reply.text(302, "Elsewhere.", (b"location", answer.location.encode("ascii")))
        else:
            await _show_file(answer, self._rewritten, receive, reply)

    async def _events(self, page: str | None, receive: Receive, reply: _Reply) -> None:
        if page is None:
            await reply.text(400, "Missing ?page=/path/")
            return
        stream = self._hub.join(page)
        if stream is None:
            await reply.text(503, "Too many tabs are listening.")
            return
        tasks = (asyncio.ensure_future(self._tell(stream, reply)), asyncio.ensure_future(_gone(receive)))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()  # raises the task's exception
        finally:
            self._hub.leave(stream)
            for task in tasks:
                task.cancel()

    async def _tell(self, stream: Stream, reply: _Reply) -> None:
        """Send the messages of a stream. It has joined the hub before, so that it misses no update until the first."""
        first = await settled(self._site.hello(stream.page))
        await reply.start(200, [(b"content-type", b"text/event-stream")])
        if reply.is_head:
            await reply.end()
            return
        await reply.send(stream.begin(first))
        while True:
            await reply.send(await stream.next())


class _Reply:
    """Sends one answer, always with the headers that protect it.

    Attributes:
        policy: the content security policy: it allows nothing until the answer turns out to be more than a line of
            text from the preview itself.
        is_head: whether the request's method is HEAD, which gets no body.
        started: whether the status and the headers have been sent.
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self.policy = ATTACHED
        self._headers: Headers = list(scope["headers"])
        self.is_head = scope["method"] == "HEAD"
        self.started = False

    async def start(self, status: int, headers: Headers) -> None:
        headers = [*headers, *guard.protection(self.policy)]
        if guard.has_body(self._headers):  # the body of the request is never read
            headers.append((b"connection", b"close"))
        self.started = True
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def send(self, piece: bytes) -> None:
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def body(self, *parts: memoryview | bytes) -> None:
        """Send a body that is in memory, as fast as the client reads, so that no copy of it waits in the connection."""
        for part in () if self.is_head else parts:
            for start in range(0, len(part), _PIECE):
                await self.send(bytes(part[start : start + _PIECE]))
                await asyncio.sleep(0)  # the loop sees if the client has gone: then nothing more is written
        await self.end()

    async def whole(self, status: int, parts: Sequence[memoryview | bytes], headers: Headers) -> None:
        """Send an answer whose body is in memory, in several parts."""
        await self.start(status, [*headers, (b"content-length", b"%d" % sum(map(len, parts)))])
        await self.body(*parts)

    async def text(self, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
        """Send a line of text from the preview itself."""
        await self.whole(status, [f"{text}\n".encode()], [(b"content-type", b"text/plain; charset=utf-8"), *headers])

    async def refuse(self, refusal: Refusal) -> None:
        extra = [(b"allow", b"GET, HEAD")] if refusal is guard.WRONG_METHOD else []
        await self.text(refusal.status, refusal.reason, *extra)

    async def data(self, data: bytes, media_type: str) -> None:
        part = await self.choose(len(data), media_type)
        if part is not None:
            await self.body(memoryview(data)[part.start : part.stop])

    async def choose(self, length: int, media_type: str) -> range | None:
        """Start the answer for a body of known length, considering the requested range.

        Returns:
            The bytes to send; `None` if the answer is already complete.
        """
        headers: Headers = [(b"content-type", _with_charset(media_type)), (b"accept-ranges", b"bytes")]
        part = ranges.chosen(self._range(), length)
        if part is not None and not part:
            await self.text(416, "The range does not exist.", (b"content-range", b"bytes */%d" % length))
            return None
        if part is None:
            part, status = range(length), 200
        else:
            status = 206
            headers.append((b"content-range", b"bytes %d-%d/%d" % (part.start, part.stop - 1, length)))
        await self.start(status, [*headers, (b"content-length", b"%d" % len(part))])
        return part

    def _range(self) -> bytes:
        """The requested range; empty if there is none to consider.

        Only GET supports ranges. Answers have no validator that ``If-Range`` could be compared with.
        """
        asked = guard.values(self._headers, b"range")
        ignored = self.is_head or len(asked) != 1 or guard.values(self._headers, b"if-range")
        return b"" if ignored else asked[0]


def _is_page(answer: Answer) -> bool:
    """Whether an answer is a page of devlog or a plugin, or a redirect."""
    is_html = isinstance(answer, Data) and answer.media_type == "text/html"
    return is_html or isinstance(answer, Page | RedirectResponse)


async def _show_file(answer: File, rewritten: Rewritten, receive: Receive, reply: _Reply) -> None:
    """Send a file piece by piece, as fast as the client reads. Its length is the current one, not the snapshot's."""
    try:
        opened = await asyncio.to_thread(open_regular, answer.root, answer.file, follow=answer.follow)
    except OSError:  # it has been deleted since, or replaced by a link
        await reply.refuse(guard.NOT_FOUND)
        return
    if answer.strip or answer.minify:
        with opened:
            content = await rewritten.ask(answer, opened)
        await reply.data(content.data, answer.media_type)
        return
    gone = asyncio.ensure_future(_gone(receive))
    try:
        part = await reply.choose(os.fstat(opened.fileno()).st_size, answer.media_type)
        if part is None:
            return
        left = 0 if reply.is_head else len(part)
        opened.seek(part.start)
        while left:
            piece = b"" if gone.done() else await asyncio.to_thread(_read, opened, min(left, _PIECE))
            if not piece:  # truncated meanwhile: the answer stays incomplete, and the connection is closed
                return
            left -= len(piece)
            await reply.send(piece)
        await reply.end()
    finally:
        gone.cancel()
        opened.close()


class _Content:
    """The bytes of a file as a build publishes them."""

    __slots__ = ("__weakref__", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data


class Rewritten:
    """Files that are not published as they are: images without metadata, minified style sheets and scripts.

    Each is in memory once, as long as it is being sent, no matter to how many clients. One is read at a time: clients
    that ask for it at the same time would each read it.
    """

    def __init__(self) -> None:
        self._reading = asyncio.Lock()
        self._sent = WeakValueDictionary[tuple[Path, str, bool, Stamp], _Content]()

    async def ask(self, answer: File, file: BufferedReader) -> _Content:
        """What is published of an open file, read in another thread."""
        async with self._reading:
            return await asyncio.to_thread(self.read, answer, file)

    def read(self, answer: File, file: BufferedReader) -> _Content:
        """What is published of an open file."""
        key = (answer.root, answer.file, answer.minify, stamp(os.fstat(file.fileno())))
        content = self._sent.get(key)
        if content is None:
            data = file.read()
            data = minified(answer.file, data) if answer.minify else without_metadata(data)
            content = self._sent[key] = _Content(data)
        return content


def _read(file: BufferedReader, length: int) -> bytes:
    return file.read(length)


def read_scripts() -> dict[str, bytes]:
    """The preview's scripts, by URL path. They are read once; no others are served."""
    folder = Path(__file__).with_name("client")
    return {f"{guard.OWN}{file.name}": file.read_bytes() for file in sorted(folder.glob("*.js"))}


def with_script(page: Page, path: str, policy: str) -> tuple[memoryview, bytes, memoryview]:
    """The HTML of a page with the preview's script inserted: what is before the script, the script, and the rest.

    Args:
        page: the page as a build would write it.
        path: the decoded path of the request.
        policy: the digest of its content security policy: if that changes, the tab must reload the page.
    """
    facts = {
        "page": path,
        "key": page.key,
        "policy": policy,
        "state": page.state,
        "note": page.note,
        "editor": page.editor,
    }
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in facts.items() if value)
    tag = f'<script type="module" src="{SCRIPT}"{attributes}></script>'.encode()
    place = next((match.start(1) for pattern in _PLACES if (match := pattern.search(page.html))), len(page.html))
    html = memoryview(page.html)
    return html[:place], tag, html[place:]


async def settled(future: Future[T]) -> T:
    """The result of work in another thread. Canceling the wait does not cancel the work, which may be shared."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def tell(_: Future[T]) -> None:
        with suppress(RuntimeError):  # the loop has been closed meanwhile
            loop.call_soon_threadsafe(done.set)

    future.add_done_callback(tell)
    await done.wait()
    return future.result()


async def _gone(receive: Receive) -> None:
    """Wait until the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _with_charset(media_type: str) -> bytes:
    """The value of ``Content-Type``: text is declared as UTF-8, as hosts of static sites do."""
    return f"{media_type}; charset=utf-8".encode() if media_type.startswith("text/") else media_type.encode()


def _describe(error: Exception) -> str:
    """An error and the line that raised it, in one line."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    place = f" ({Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno})" if trace else ""
    text = "".join(character if character.isprintable() else " " for character in str(error))
    return f"{type(error).__name__}: {text}{place}"
