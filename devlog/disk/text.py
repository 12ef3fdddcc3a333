"""Decodes text files, which must be UTF-8, and reports the position and the reason if they are not."""

from __future__ import annotations

from devlog.disk import problems
from devlog.model.diagnostic import Diagnostic, Span

_BOM = b"\xef\xbb\xbf"
_WIDE = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def decode(data: bytes, file: str) -> str | Diagnostic:
    """Decode a text file.

    Args:
        data: its bytes: UTF-8, with or without a byte order mark, and with any line ends.
        file: its name in messages.

    Returns:
        The text, with ``\\n`` line ends, or the problem of the first byte that is zero or not UTF-8.
    """
    for mark, name in _WIDE:
        if data.startswith(mark):
            return problems.other_encoding(file, name)
    try:
        text = data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        offset = error.start + (len(_BOM) if data.startswith(_BOM) else 0)
        return problems.not_utf8(_span(data, offset, file), offset, data[offset], _in_windows_1252(data[offset]))
    if "\0" in text:
        # Latin letters in UTF-16 are valid UTF-8 with every second byte zero.
        if len(data) % 2 == 0 and data.count(0) * 3 > len(data):
            return problems.other_encoding(file, "UTF-16")
        offset = data.index(0)
        return problems.zero_byte(_span(data, offset, file), offset)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _span(data: bytes, offset: int, file: str) -> Span:
    """The line and column of a byte; the bytes before it must be valid UTF-8."""
    before = data[:offset].removeprefix(_BOM).decode().replace("\r\n", "\n").replace("\r", "\n")
    return Span(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1, 1)


def _in_windows_1252(byte: int) -> str:
    """The character of a byte in the encoding that was most likely meant; empty if it is not visible."""
    character = bytes([byte]).decode("cp1252", errors="replace")
    return character if character.isprintable() and character != "\N{REPLACEMENT CHARACTER}" else ""
