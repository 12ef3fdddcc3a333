"""The HTTP server: listens on a port, and runs an ASGI application in its own thread."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Awaitable, Callable
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import uvicorn

_BACKLOG = 128
_MOST = 512
"""The maximum number of open connections."""
_LEAST = 16
_RESERVE = 64 + _BACKLOG
"""How many open files are left for the preview itself, and for connections that are accepted only to be closed."""


def most_connections() -> int:
    """The maximum number of open connections: so few that the preview can still open files."""
    if sys.platform == "win32":  # it has no limit that is so low
        return _MOST
    import resource

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if files == resource.RLIM_INFINITY else min(_MOST, max(files - _RESERVE, _LEAST))


def bind(host: str, port: int, tries: int = 20) -> socket.socket:
    """Listen on the first free port.

    Args:
        host: a host name or IP address of this machine.
        port: the first port to try; 0 for any.
        tries: how many successive ports to try.

    Raises:
        OSError: all of them are taken, or the system refuses one.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    last = min(port + tries, 65536) - 1
    for number in range(port, last + 1):
        try:
            # Listen at once, since two servers that only bind can get the same port.
            listener = socket.create_server((host, number), family=family, backlog=_BACKLOG)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or number == last:
                raise
            continue
        # Connections inherit this option. asyncio does not set it for sockets that are created like this one; without
        # it, small pieces of an answer wait 40 ms for each other.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    raise OSError(errno.EADDRINUSE, "no port to try", f"{host}:{port}")


class Server:
    """A server for one application. It runs until it is stopped, or the program ends."""

    def __init__(self, log: Callable[[str], None], *, connections: int = _MOST, head_seconds: float = 20.0) -> None:
        """Create a server without starting it.

        Args:
            log: called with one line for each unexpected error; only once if the error repeats.
            connections: the maximum number of open connections. Each event stream needs one, and browsers a few more.
            head_seconds: the time limit for the head of a request.
        """
        self.started = Event()
        """Set once requests are answered, or the server has failed to start."""
        self._log = log
        self._last_error = ""
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
        """Start a thread that answers requests with an application.

        Args:
            app: an ASGI application.
            listener: from `bind`; it is closed when the server ends.
        """
        self._thread = Thread(target=self._run, args=(app, listener), name="devlog-http", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop immediately, even while answers are being sent."""
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
            log_level=logging.CRITICAL,  # mistakes of clients are not worth reporting
            access_log=False,
            proxy_headers=False,
            server_header=False,
            workers=1,  # explicit, so that uvicorn does not read it from the environment
            backlog=_BACKLOG,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=0,  # since Python 3.12, the server would wait for event streams to end
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
        line = f"{context['message']}{f': {type(error).__name__}: {error}' if error else ''}"
        if line != self._last_error:  # asyncio tries a hundred times at once to accept a connection
            self._last_error = line
            self._log(line)
