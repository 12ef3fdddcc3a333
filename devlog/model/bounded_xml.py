"""Parses XML from others in time and memory that grow with its length.

A parser keeps far more of some markup than it has bytes: all attributes of an element at once, each open element, each
name, and the name of the namespace again for each name that belongs to it. What a handler raises does not stop it
either: expat first reads all that it was given. So it gets its input in small slices, which a second parser without
namespaces has measured, and of long tags it gets none that has not been looked at.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

MOST_ATTRIBUTES = 1_000
"""How many attributes an element may have, and how many attributes all declarations may have: a parser compares each
with all others of its element."""
MOST_NAMES = 10_000
"""How many names the elements and attributes may have, each counted once in each namespace."""
DEEPEST = 100_000
"""How many elements may be nested."""
LONGEST_NAMESPACE = 256
"""The maximum length of the name of a namespace; those in use have fewer than a hundred characters."""
LONGEST_DECLARATIONS = 256 << 10
"""The maximum length of the declarations of a document type."""
LONGEST_PROLOG = 1 << 20
"""The maximum length of what comes before the first element."""

_SLICE = 1 << 20
_FIRST_SLICES = 16 << 10
"""The lengths of what is parsed at once, and of that before the first element: what it declares applies to all after
it, and must be found too long before anything uses it."""
_PART = re.compile(r"""(?P<value>=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))|(?P<begun>=[ \t\r\n]*["'])|[<>"']""")
"""Matches what tells where a tag ends: the values of its attributes, which may contain “>”, and its end."""


class ExcessError(Exception):
    """Raised for XML of which a parser would make far more than there is; the message has the reason."""


class BoundedParser:
    """Parses XML in pieces; give its `reader` the handlers."""

    def __init__(self) -> None:
        self.reader: XMLParserType = expat.ParserCreate(namespace_separator=" ")
        """The parser, for setting its handlers; names are those of their namespaces, a space, and the local names."""
        self._measures = _Measures()
        self._guard = expat.ParserCreate()
        self._measures.watch(self._guard)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._codec = ""
        self._start = b""  # the first bytes, until they tell the encoding
        self._waiting: list[str] = []  # what was not parsed yet
        self._length = 0  # of that
        self._wanted = 0  # the length from which on another look is worthwhile

    def feed(self, piece: bytes) -> None:
        """Parse the next piece.

        Raises:
            ExcessError: a parser would make too much of it.
            ExpatError: it is not well-formed.
            UnicodeDecodeError: half of a character of UTF-16 is missing: expat would take what follows for that half.
            LookupError, ValueError: its encoding is unknown.
            Exception: what a handler raises.
        """
        text = self._decoded(piece)
        self._waiting.append(text)
        self._length += len(text)
        if self._length >= self._wanted:
            self._parse_waiting(is_all=False)

    def close(self) -> None:
        """Parse what is left at the end; raises what `feed` does."""
        if self._decoder is None:
            self._waiting, self._codec = [self._start.decode("latin-1")], "latin-1"
        self._parse_waiting(is_all=True)
        self._parse(self._decoder.getstate()[0] if self._decoder else b"", last=True)

    def _decoded(self, piece: bytes) -> str:
        """A piece as characters in which those of markup are themselves; expat decodes the others."""
        if self._decoder is None:
            piece = self._start = self._start + piece
            if len(piece) < 2:
                return ""
            self._codec = _codec(piece)
            self._decoder = codecs.getincrementaldecoder(self._codec)()
        return self._decoder.decode(piece)

    def _parse_waiting(self, *, is_all: bool) -> None:
        text = "".join(self._waiting)
        place = 0
        while place < len(text):
            end = _slice_end(text, place, _SLICE if self._measures.has_begun else _FIRST_SLICES)
            if end is None and not is_all:
                break
            self._parse(text[place:end].encode(self._codec), last=False)
            place = len(text) if end is None else end
        self._waiting = [text[place:]]
        self._length = len(text) - place
        self._wanted = 2 * self._length

    def _parse(self, data: bytes, *, last: bool) -> None:
        try:
            self._guard.Parse(data, last)
        except (expat.ExpatError, LookupError, ValueError):
            self.reader.Parse(data, last)  # its handlers may look for something before the error
            raise
        self._measures.note(len(data))
        self.reader.Parse(data, last)
        if max(len(self._guard.intern), len(self.reader.intern)) > MOST_NAMES:
            raise ExcessError(f"its elements and attributes have more than {MOST_NAMES:,} names")


class _Measures:
    """Measures what a parser finds. It does not refer to the parser, so that both are freed at once."""

    def __init__(self) -> None:
        self.has_begun = False  # whether the first element has
        self._is_declaring = False
        self._before = 0  # the length of what comes before the first element
        self._declarations = 0  # their length
        self._declared = 0  # the number of attributes in them
        self._depth = 0

    def watch(self, parser: XMLParserType) -> None:
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._begin_declarations
        parser.EndDoctypeDeclHandler = self._end_declarations
        parser.AttlistDeclHandler = self._declare

    def note(self, length: int) -> None:
        """Note that so many bytes were parsed."""
        if self.has_begun:
            return
        self._before += length
        self._declarations += length if self._is_declaring else 0
        if self._declarations > LONGEST_DECLARATIONS:
            raise ExcessError(f"the declarations in it are longer than {LONGEST_DECLARATIONS >> 10} KiB")
        if self._before > LONGEST_PROLOG:
            raise ExcessError(f"its first element comes after more than {LONGEST_PROLOG >> 20} MiB")

    def _begin(self, _name: str, attributes: dict[str, str]) -> None:
        self.has_begun = True
        self._depth += 1
        if self._depth > DEEPEST:
            raise ExcessError(f"it nests elements more than {DEEPEST:,} deep")
        if len(attributes) > MOST_ATTRIBUTES:
            raise _too_many_attributes()
        for name, value in attributes.items():
            if len(value) > LONGEST_NAMESPACE and name.startswith("xmlns"):
                raise ExcessError("the name of a namespace in it is very long")

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _begin_declarations(self, *_: object) -> None:
        self._is_declaring = True

    def _end_declarations(self) -> None:
        self._is_declaring = False

    def _declare(self, *_: object) -> None:
        self._declared += 1
        if self._declared > MOST_ATTRIBUTES:
            raise ExcessError(f"it declares more than {MOST_ATTRIBUTES:,} attributes")


def _codec(start: bytes) -> str:
    """The codec for the characters of markup in XML that begins so, by the rules of expat.

    All encodings but those of 16 bits have these characters where ASCII has them: expat refuses others.
    """
    if start.startswith((b"\xfe\xff", b"\0")):
        return "utf-16-be"
    return "utf-16-le" if start.startswith(b"\xff\xfe") or start[1] == 0 else "latin-1"


def _slice_end(text: str, start: int, length: int) -> int | None:
    """Where to end a slice, so that it has only complete tags; `None` if the text has only a part of its last tag.

    Raises:
        ExcessError: that tag has too many attributes; the parser would keep them all before it tells any.
    """
    end = min(start + length, len(text))
    opened = text.rfind("<", start, end)
    if opened < 0 or text[opened + 1 : opened + 2] in ("!", "?", "/"):
        return end
    for count, part in enumerate(_PART.finditer(text, opened + 1)):
        if part.lastgroup == "value":
            if count >= MOST_ATTRIBUTES:
                raise _too_many_attributes()
        elif part.lastgroup == "begun":
            follows = text.find("<", part.end())
            return follows if follows >= 0 else None
        else:  # a quotation mark elsewhere, or another tag: this is none, but text in a comment or the like
            return max(part.end() if part[0] == ">" else part.start(), end)
    return None


def _too_many_attributes() -> ExcessError:
    return ExcessError(f"an element of it has more than {MOST_ATTRIBUTES:,} attributes")
