"""Messages on their way in and out: lines that are none are refused, and the end of input waits for the last answer."""

from __future__ import annotations

import json
from typing import Any, Self

import anyio
import mcp_types as types
from anyio import BrokenResourceError, ClosedResourceError
from anyio.streams.memory import MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_WHOLE = {"json_invalid": 0, "model_type": 1, "missing": 2}
"""The errors that hold all of a message, by how deep in it they say that they are."""


PATIENCE = 60.0
"""So many seconds the end of input waits for answers."""


class Answers:
    """The stream of answers, which knows the requests that have none yet."""

    def __init__(self, writing: Any) -> None:
        """
        Args:
            writing: takes the answers.
        """
        self._writing = writing
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()

    def expect(self, item: SessionMessage) -> None:
        """Note that a message asks for an answer, or that one is not wanted any more."""
        message = item.message
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            given = (message.params or {}).get("requestId")
            if isinstance(given, int | str):  # nobody has looked at it yet
                self._unanswered.discard(given)

    async def send(self, item: SessionMessage) -> None:
        """Send an answer, or anything else."""
        await self._writing.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
            self._unanswered.discard(item.message.id)
            self._answered.set()

    async def all_sent(self) -> None:
        """Wait until each request has its answer, but not for ever."""
        with anyio.move_on_after(PATIENCE):
            while self._unanswered:
                self._answered = anyio.Event()
                await self._answered.wait()

    async def aclose(self) -> None:
        """Close the stream."""
        await self._writing.aclose()

    async def __aenter__(self) -> Self:
        await self._writing.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._writing.__aexit__(*error)


async def pass_on(reading: Any, answers: Answers, messages: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Hand messages on until there are no more and all are answered, and refuse what is none.

    Args:
        reading: messages, and in place of any other line the error of reading it.
        answers: takes the refusals, and knows what is not answered yet.
        messages: takes the messages; who reads them stops when it is closed.
    """
    try:
        async with messages:
            async for item in reading:
                if not isinstance(item, Exception):
                    answers.expect(item)
                    await messages.send(item)
                elif answer := refusal(item):
                    await answers.send(SessionMessage(answer))
            await answers.all_sent()
    except (BrokenResourceError, ClosedResourceError):  # nobody listens any more
        return


def refusal(error: Exception) -> types.JSONRPCError | None:
    """The answer to a line that is no message.

    Half of a surrogate pair, for one, is valid in JSON for many programs, which then wait for the answer to their
    request: its id is looked for there too.

    Args:
        error: of reading the line.

    Returns:
        `None` for a blank line, and for a notification or an answer, neither of which is ever answered.
    """
    whole = _whole(error)
    is_text = isinstance(whole, str)
    if is_text and not whole.strip():
        return None
    message = _loaded(whole) if is_text else whole
    asks = not isinstance(message, dict) or ("id" in message if "method" in message else "result" not in message)
    if not asks:
        return None
    told = "this line is not JSON" if is_text else "not a valid request"
    fault = types.ErrorData(code=types.PARSE_ERROR if is_text else types.INVALID_REQUEST, message=told)
    return types.JSONRPCError(jsonrpc="2.0", id=_id(message), error=fault)


def _whole(error: Exception) -> Any:
    """What the error is about: a text where that is no JSON."""
    errors = error.errors(include_url=False, include_context=False) if isinstance(error, ValidationError) else []
    return next((item["input"] for item in errors if _WHOLE.get(item["type"]) == len(item["loc"])), None)


def _loaded(line: str) -> Any:
    """What other readers of JSON make of a line."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _id(message: Any) -> int | str | None:
    """The id of a request, if an answer can name it."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return None if any("\ud800" <= character <= "\udfff" for character in found) else found
    return found if isinstance(found, int) and not isinstance(found, bool) else None
