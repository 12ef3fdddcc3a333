"""Wraps the message streams: answers invalid lines with errors, and waits for pending answers at the end of input."""

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
"""The validation errors that carry the whole message, each with the length of its location."""


PATIENCE = 60.0
"""Seconds to wait for pending answers at the end of input."""


class Answers:
    """The stream of outgoing messages, which tracks requests without an answer."""

    def __init__(self, writing: Any) -> None:
        """
        Args:
            writing: the stream to write to.
        """
        self._writing = writing
        self._unanswered: set[int | str] = set()
        self._answered = anyio.Event()

    def expect(self, item: SessionMessage) -> None:
        """Record an incoming message: a request awaits an answer, and a cancellation no longer does."""
        message = item.message
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            given = (message.params or {}).get("requestId")
            if isinstance(given, int | str):  # the message is not validated yet
                self._unanswered.discard(given)

    async def send(self, item: SessionMessage) -> None:
        """Send an answer or another message."""
        await self._writing.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id is not None:
            self._unanswered.discard(item.message.id)
            self._answered.set()

    async def all_sent(self) -> None:
        """Wait until all requests are answered, at most `PATIENCE` seconds."""
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
    """Pass on messages until the input ends and all requests are answered, and answer invalid lines with errors.

    Args:
        reading: yields messages; for an invalid line, the exception of parsing it.
        answers: sends the errors, and tracks requests without an answer.
        messages: gets the messages; the server stops when it is closed.
    """
    try:
        async with messages:
            async for item in reading:
                if not isinstance(item, Exception):
                    if _has_no_id(item):
                        await answers.send(SessionMessage(_NO_ID))
                        continue
                    answers.expect(item)
                    await messages.send(item)
                elif answer := refusal(item):
                    await answers.send(SessionMessage(answer))
            await answers.all_sent()
    except (BrokenResourceError, ClosedResourceError):  # the client or the server has closed its stream
        return


_NO_ID = types.JSONRPCError(
    jsonrpc="2.0",
    id=None,
    error=types.ErrorData(
        code=types.INVALID_REQUEST, message="not a valid request: its id is no integer and no string"
    ),
)


def _has_no_id(item: SessionMessage) -> bool:
    """Whether a message is a request whose id no answer can contain, such as 1.5: it is parsed as a notification."""
    message = item.message
    return isinstance(message, types.JSONRPCNotification) and not message.method.startswith("notifications/")


def refusal(error: Exception) -> types.JSONRPCError | None:
    """The error response to an invalid line.

    A lone surrogate, for example, is valid JSON for many programs, which then wait for the answer to their request. So
    the id of the request is read from such a line too.

    Args:
        error: of parsing the line.

    Returns:
        `None` for a blank line, and for a notification or a response, which are never answered.
    """
    whole = _whole(error)
    is_text = isinstance(whole, str)
    if is_text and not whole.strip():
        return None
    message = _loaded(whole) if is_text else whole
    asks = not isinstance(message, dict) or ("id" in message if "method" in message else "result" not in message)
    if not asks:
        return None
    reason = "this line is not JSON" if is_text else "not a valid request"
    fault = types.ErrorData(code=types.PARSE_ERROR if is_text else types.INVALID_REQUEST, message=reason)
    return types.JSONRPCError(jsonrpc="2.0", id=_id(message), error=fault)


def _whole(error: Exception) -> Any:
    """The message that the error is about; a string if it is not JSON."""
    errors = error.errors(include_url=False, include_context=False) if isinstance(error, ValidationError) else []
    return next((item["input"] for item in errors if _WHOLE.get(item["type"]) == len(item["loc"])), None)


def _loaded(line: str) -> Any:
    """A line parsed by Python's more lenient JSON parser; `None` if that fails too."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _id(message: Any) -> int | str | None:
    """The id of a request, if a response can contain it."""
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return None if any("\ud800" <= character <= "\udfff" for character in found) else found
    return found if isinstance(found, int) and not isinstance(found, bool) else None
