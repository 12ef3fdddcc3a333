"""An HTML tokenizer that follows the HTML standard, shared by all code that inspects raw HTML.

No input makes it fail, and it looks at each character a bounded number of times. It ignores rules that need the tree:
in SVG and MathML, too, ``<![CDATA[`` begins a comment, and raw text elements contain text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from html.entities import html5
from typing import Literal, NamedTuple

from devlog.model.character_references import unescape

RAW_TEXT = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
"""Elements whose content is text without character references."""
PLAIN_TEXT = frozenset({"textarea", "title"})
"""Elements whose content is text with character references."""

_BLANK = r"\t\n\f\r "
_TAG = re.compile(rf"<(/?)([a-zA-Z][^{_BLANK}/>]*)(>?)")
# An equals sign may begin a name; quotes may occur in names and in unquoted values. An unterminated value continues to
# the end of the text. The pattern can match each text in only one way, so that no text takes long.
_ATTRIBUTE = re.compile(
    rf"[{_BLANK}/]*([^{_BLANK}/>][^{_BLANK}/>=]*)"
    rf"(?:[{_BLANK}]*(=)[{_BLANK}]*(?:\"([^\"]*)(?:\"|\Z)|'([^']*)(?:'|\Z)|([^{_BLANK}\"'>][^{_BLANK}>]*)|(?=>|\Z)))?"
)
_END_OF_TAG = re.compile(rf"[{_BLANK}/]*>")
_MARKUP = re.compile(r"<(?:[a-zA-Z!?]|/[\s\S])")
_END_OF_COMMENT = re.compile("--!?>")
_OPEN_END_OF_COMMENT = re.compile(r"(?:--!?|-)\Z")
_SCRIPT = (
    re.compile(rf"(<!--)|</script(?=[{_BLANK}/>])", re.IGNORECASE),
    re.compile(rf"(-->)|(<script(?=[{_BLANK}/>]))|</script(?=[{_BLANK}/>])", re.IGNORECASE),
    re.compile(rf"(-->)|</script(?=[{_BLANK}/>])", re.IGNORECASE),
)
"""What may end a script: at its beginning, inside a comment, and inside a script in a comment."""
_ENDS = {name: re.compile(rf"</{name}(?=[{_BLANK}/>])", re.IGNORECASE) for name in RAW_TEXT | PLAIN_TEXT}
_REFERENCE = re.compile(r"&(#(?:[xX][0-9a-fA-F]+|[0-9]+);?|[a-zA-Z][a-zA-Z0-9]*;?)(=?)")
_SMALL = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

Kind = Literal["text", "start", "end", "comment", "doctype"]


class Attribute(NamedTuple):
    """An attribute as written in a tag.

    Attributes:
        name: in lower case.
        value: with character references resolved; None if the attribute has no value.
        start: the offset at which its name begins.
        end: the offset after it.
    """

    name: str
    value: str | None
    start: int
    end: int


class Token(NamedTuple):
    """A token of HTML.

    Attributes:
        kind: the kind of token.
        text: for text, the text with character references resolved; for a comment or doctype, its content.
        start: the offset at which it begins.
        end: the offset after it.
        name: the name of a tag, in lower case.
        written: the attributes of a tag as written.
        closes_itself: whether a tag ends with ``/>``, which has no meaning outside SVG and MathML.
    """

    kind: Kind
    text: str
    start: int
    end: int
    name: str = ""
    written: Sequence[re.Match[str]] = ()
    closes_itself: bool = False

    def attributes(self) -> list[Attribute]:
        """The attributes of a start tag, in order; only the first of those with the same name."""
        found: dict[str, Attribute] = {}
        for match in self.written:
            name = small_name(match[1])
            if name not in found:
                value = unescape_value(match[3] or match[4] or match[5] or "") if match[2] else None
                found[name] = Attribute(name, value, match.start(1), match.end())
        return list(found.values())

    def values(self) -> dict[str, str]:
        """The values of a start tag's attributes by name; empty for an attribute without a value."""
        return {attribute.name: attribute.value or "" for attribute in self.attributes()} if self.written else {}


def tokens(html: str, markup: Collection[str] = ()) -> Iterator[Token]:
    """The tokens of a text, in order; text that a browser drops, such as an unterminated tag, yields no token.

    Args:
        html: any text.
        markup: raw text elements that are read like other elements: tags inside them are tags.
    """
    position, size = 0, len(html)
    while position < size:
        opening = _MARKUP.search(html, position)
        start = opening.start() if opening else size
        if start > position:
            yield Token("text", unescape(html[position:start]), position, start)
        if start == size:
            return
        tag = _TAG.match(html, start)
        if tag is None:
            token, position = _declaration(html, start)
            if token:
                yield token
            continue
        written, position, closes_itself = ([], tag.end(), False) if tag[3] else _attributes(html, tag.end())
        if position < 0:
            return  # as in a browser, an unterminated tag swallows the rest of the text
        name = small_name(tag[2])
        yield Token("end" if tag[1] else "start", "", start, position, name, written, closes_itself)
        if tag[1]:
            continue
        if name in _HOLD_TEXT and name not in markup:
            end = _end_of_text(html, name, position)
            if end > position:
                text = html[position:end].replace("\0", "\ufffd")
                yield Token("text", unescape(text) if name in PLAIN_TEXT else text, position, end)
            position = end


_NO_TOKENS = re.compile("(?:</>)*")
_HOLD_TEXT = RAW_TEXT | PLAIN_TEXT | {"plaintext"}


def _attributes(html: str, position: int) -> tuple[list[re.Match[str]], int, bool]:
    """The attributes of a tag, the offset of its end (-1 if it never ends), and whether it closes itself."""
    written = []
    while found := _ATTRIBUTE.match(html, position):
        written.append(found)
        position = found.end()
    end = _END_OF_TAG.match(html, position)
    return (written, end.end(), end[0].endswith("/>")) if end else ([], -1, False)


def _declaration(html: str, start: int) -> tuple[Token | None, int]:
    """A comment, a doctype, or markup that is read as a comment; and the offset of its end."""
    if html.startswith("<!--", start):
        return _comment(html, start)
    inside = start + (1 if html[start + 1] == "?" else 2)
    close = html.find(">", inside)
    end = len(html) if close < 0 else close
    if html.startswith("</>", start):
        return None, end + 1
    text = html[inside:end].replace("\0", "\ufffd")
    kind: Kind = "doctype" if html[start + 1] == "!" and text[:7].lower() == "doctype" else "comment"
    return Token(kind, text, start, min(end + 1, len(html)), ""), end + 1


def _comment(html: str, start: int) -> tuple[Token, int]:
    inside = start + 4
    for short in (">", "->"):
        if html.startswith(short, inside):
            end = inside + len(short)
            return Token("comment", "", start, end), end
    found = _END_OF_COMMENT.search(html, inside)
    end = found.end() if found else len(html)
    text = html[inside : found.start()] if found else html[inside:]
    if not found:  # drop characters that could begin the end of the comment
        text = _OPEN_END_OF_COMMENT.sub("", text)
    return Token("comment", text.replace("\0", "\ufffd"), start, end), end


def _end_of_text(html: str, name: str, position: int) -> int:
    """The offset at which the content of a raw text element ends."""
    if name == "plaintext":
        return len(html)
    if name != "script":
        found = _ENDS[name].search(html, position)
        return found.start() if found else len(html)
    state = 0
    while found := _SCRIPT[state].search(html, position):
        if found[1]:
            state = 1 - min(state, 1)
            position = found.start() + 2 if state else found.end()  # its hyphens may be part of the comment's end
        elif state == 1 and found[2]:
            state, position = 2, found.end()
        elif state == 2:
            state, position = 1, found.end()
        else:
            return found.start()
    return len(html)


def unescape_value(value: str) -> str:
    """An attribute's value with its character references resolved: fewer than in text, so that URLs stay intact."""
    value = value.replace("\0", "\ufffd") if "\0" in value else value
    return _REFERENCE.sub(_referred, value) if "&" in value else value


def _referred(found: re.Match[str]) -> str:
    name, sign = found[1], found[2]
    if name[0] == "#":
        return unescape(f"&{name}") + sign
    if name not in html5 or (sign and name[-1] != ";"):
        return found[0]
    return html5[name] + sign


def unclosed(html: str) -> frozenset[str]:
    """The raw text elements that have no end tag in a text: their content is probably not meant to be text."""
    small = html.lower()
    return frozenset(name for name in _ENDS if f"</{name}" not in small)


def unterminated(html: str, last: Token | None) -> int:
    """The offset of a comment or a tag that a text begins and does not end, and that swallows what follows; else -1.

    Args:
        html: any text.
        last: its last token.
    """
    if last and last.end == len(html) and last.kind in ("comment", "doctype"):
        written = html[last.start :]
        ended = written.endswith(">")
        if written.startswith("<!--"):
            ended = written in ("<!-->", "<!--->") or written[4:].endswith(("-->", "--!>"))
        return -1 if ended else last.start
    rest = _NO_TOKENS.match(html, last.end if last else 0)
    return rest.end() if rest and rest.end() < len(html) else -1


def small_name(name: str) -> str:
    """A name with its ASCII letters, and no others, in lower case."""
    small = name.lower() if name.isascii() else name.translate(_SMALL)
    return small.replace("\0", "\ufffd") if "\0" in small else small
