"""Who prints into a pipe that nobody reads waits no longer than a moment, if others depend on it."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pipes_unread import fill, read_available

from devlog.engine import printing


@contextmanager
def full_pipe() -> Iterator[tuple[int, io.TextIOWrapper]]:
    reader, writer = os.pipe()
    fill(writer)
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        try:
            yield reader, stream
        finally:
            os.close(reader)


def until_read(reader: int, end: str) -> str:
    """What is in a pipe up to a text."""
    found = ""
    while not found.endswith(end):
        found += os.read(reader, 1 << 16).decode()
    return found.lstrip("-")


def test_printing_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "SECONDS", 0.01)
    with full_pipe() as (reader, stream):
        printed = printing.unfailing(stream, waits=False)
        for number in range(100):
            print(number, file=printed)
        assert until_read(reader, "99\n") == "".join(f"{number}\n" for number in range(100))
        print("and more", file=printed)
        assert until_read(reader, "more\n") == "and more\n"


def test_lines_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "SECONDS", 0.01)
    monkeypatch.setattr(printing, "MOST_WAITING", 10)
    with full_pipe() as (reader, stream):
        printed = printing.unfailing(stream, waits=False)
        for number in range(8):
            print(f"l{number}", file=printed)
        told = "(5 lines left out: nobody read them)\n"
        assert until_read(reader, told) == f"l0\nl1\nl2\n{told}"
        heard = "(1 lines left out: nobody read them)\n"
        while heard != "more\n":  # what was read just now may still count as waiting
            assert heard == "(1 lines left out: nobody read them)\n"
            print("more", file=printed)
            heard = until_read(reader, "\n")


def test_lines_are_written_when_print_returns() -> None:
    """Otherwise those of two streams on one terminal could change places."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        printed = printing.unfailing(stream, waits=False)
        for number in range(100):
            print(number, file=printed)
            assert read_available(reader) == f"{number}\n".encode()
    os.close(reader)
