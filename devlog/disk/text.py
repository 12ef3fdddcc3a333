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


_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive, as office documents are"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database"),
)
"""The beginnings of common files that are not text."""
_LOOKED_AT = 4096
_CONTROL = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b\0"))
_MANY = 20
"""In a binary file, at least one in so many bytes is a control character that no text has."""


def _kind_of(data: bytes) -> str:
    """What a file is that is not text, in words; empty if it may be text, even in another encoding."""
    for begin, kind in _KINDS:
        if data.startswith(begin):
            return kind
    head = data[:_LOOKED_AT]
    odd = len(head) - len(head.translate(None, _CONTROL))
    return "a binary file" if odd * _MANY > len(head) and not _is_utf8(data) else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


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
    if kind := _kind_of(data):
        return problems.binary_file(file, kind)
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


def decode_leniently(data: bytes, file: str) -> str | Diagnostic:
    """Decode a text file like `decode`, but replace bytes that are not UTF-8 with U+FFFD."""
    text = decode(data, file)
    if isinstance(text, Diagnostic) and text.code == "not-utf8":
        return decode(data.decode(errors="replace").encode(), file)
    return text


def _span(data: bytes, offset: int, file: str) -> Span:
    """The line and column of a byte; the bytes before it must be valid UTF-8."""
    before = data[:offset].removeprefix(_BOM).decode().replace("\r\n", "\n").replace("\r", "\n")
    return Span(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1, 1)


def _in_windows_1252(byte: int) -> str:
    """The character of a byte in the encoding that was most likely meant; empty if it is not visible."""
    character = bytes([byte]).decode("cp1252", errors="replace")
    return character if character.isprintable() and character != "\N{REPLACEMENT CHARACTER}" else ""
