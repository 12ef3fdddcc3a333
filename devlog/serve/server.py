"""Listen on a port, and answer from a thread of its own."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import uvicorn

_BACKLOG = 128


def bind(host: str, port: int, tries: int = 20) -> socket.socket:
    """Listen on the first free port.

    Args:
        host: a name or address of this machine.
        port: to begin with; 0 for any.
        tries: how many ports, from that one on.

    Raises:
        OSError: all of them are taken, or the system does not let us have one.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    last = min(port + tries, 65536) - 1
    for number in range(port, last + 1):
        try:
            # It listens at once: two servers that only bind can be given the same port.
            listener = socket.create_server((host, number), family=family, backlog=_BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or number == last:
                raise
            continue
        # Connections inherit it. asyncio would see to it, but not for listeners made like this one; without it, small
        # pieces of an answer wait 40 ms for each other.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    raise OSError(errno.EADDRINUSE, "no port to try", f"{host}:{port}")


class Server:
    """An application's server. It runs until it is stopped, or the program ends."""

    def __init__(self, log: Callable[[str], None], *, connections: int = 512, head_seconds: float = 20.0) -> None:
        """Make a server that does not run yet.

        Args:
            log: told, in one line, of what should not happen.
            connections: that may be open at once. Streams need one each, and browsers a few more.
            head_seconds: that the first lines of a request may take.
        """
        self.started = Event()
        """Set once requests are answered, or never will be."""
        self._log = log
        self._connections = connections
        self._head_seconds = head_seconds
        self._stopping = False
        self._inner: uvicorn.Server | None = None
        self._thread: Thread | None = None

    @property
    def running(self) -> bool:
        """Whether requests are answered."""
        return self.started.is_set() and self._thread is not None and self._thread.is_alive()

    def start(self, app: Callable[..., Awaitable[None]], listener: socket.socket) -> None:
        """Answer requests with an application, from now on, in another thread.

        Args:
            app: speaks ASGI.
            listener: from `bind`; it is closed in the end.
        """
        self._thread = Thread(target=self._run, args=(app, listener), name="devlog-http", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End at once, whatever is still being sent."""
        self._stopping = True
        if self._inner is not None:
            self._inner.should_exit = self._inner.force_exit = True
        if self._thread is not None:
            self._thread.join(5)

    def _run(self, app: Callable[..., Awaitable[None]], listener: socket.socket) -> None:
        try:
            asyncio.run(self._serve(app, listener))
        except Exception as error:
            self._log(f"the server ended: {type(error).__name__}: {error}")
        finally:
            listener.close()
            self.started.set()

    async def _serve(self, app: Callable[..., Awaitable[None]], listener: socket.socket) -> None:
        import uvicorn

        from devlog.serve.connection import limited

        config = uvicorn.Config(
            app,
            http=limited(self._connections, self._head_seconds),
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level=logging.CRITICAL,  # what clients send wrong is no news
            access_log=False,
            proxy_headers=False,
            server_header=False,
            workers=1,  # said here, so that the environment is not asked
            backlog=_BACKLOG,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=0,  # from Python 3.12 on, streams would be waited for
            h11_max_incomplete_event_size=16384,
        )
        asyncio.get_running_loop().set_exception_handler(self._tell)
        self._inner = server = uvicorn.Server(config)
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        try:
            while not (server.started or serving.done()):
                await asyncio.sleep(0)
            self.started.set()
            if self._stopping:
                server.should_exit = server.force_exit = True
            await serving
        finally:
            for connection in list(server.server_state.connections):
                connection.transport.abort()

    def _tell(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._log(f"{context['message']}{f': {type(error).__name__}: {error}' if error else ''}")
