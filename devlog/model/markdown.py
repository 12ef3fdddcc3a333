"""Writing Markdown: texts, addresses and values of front matter that mean themselves, whatever they hold."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import msgspec

from devlog.model.urls import runs, safe

NOTHING = "<!-- -->"
"""What keeps two blocks apart, or stands where Markdown needs something and there is nothing."""

# What may be markup wherever it stands; an underscore between letters, or a tilde before a number, is none.
_SPECIAL = re.compile(
    r"""[\\`*\[$]|(?<![^\W_])_|_(?![^\W_])|~(?!\d)|<(?=[A-Za-z/!?]|$)|&(?=\#|[A-Za-z][A-Za-z0-9]*;|$)|\{(?=[{#.:%<]|$)"""
)
_MAY_BE_SPECIAL = re.compile(r"[\\`*\[$_~<&{]")
# What may be more than a name in angle brackets, as types have: an end tag, a tag with attributes, or
# one that does something by itself.
_ACTS = (
    "base|embed|form|frameset|head|html|iframe|link|math|meta|noembed|noframes|noscript|object|plaintext|script|select"
    "|style|svg|template|textarea|title|xmp"
)
_TAG = re.compile(rf"<(?=[A-Za-z/!?])(?!(?!(?:{_ACTS})>)[A-Za-z0-9]+>)", re.IGNORECASE)
_NO_LINK = str.maketrans({"[": "\\u005b", "]": "\\u005d", "<": "\\u003c"})
# What begins a block at the beginning of a line.
_OPENING = re.compile(r"^( {0,3})(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+[ \t]*$|--|:(?=\s)|\+\+\+)", re.MULTILINE)
_NUMBER = re.compile(r"^( {0,3}\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_OPENINGS = tuple("#>-+=: 0123456789")
_IN_ADDRESS = str.maketrans(
    {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", "\n": "", "\t": ""}
)
_ENTITY_IN_ADDRESS = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]{0,31};)")
_ODD_IN_ADDRESS = re.compile(rf"[ ()<>\\\n\t]|{_ENTITY_IN_ADDRESS.pattern}")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
"""What a reader of YAML takes for the end of a line, or refuses."""


class Hidden(NamedTuple):
    """Lines that readers do not see: the first, that behind the last, and whether the block before them is a list."""

    start: int
    end: int
    after_list: bool = False


class AsWritten(NamedTuple):
    """A text that can stand in Markdown in its writer's own words.

    Attributes:
        text: it.
        hidden: the lines that have to go, since readers do not see them.
    """

    text: str
    hidden: tuple[Hidden, ...] = ()

    def without(self, start: int, end: int) -> AsWritten:
        """The same where some lines, before all others, have to go, too; `end` is that behind the last."""
        return AsWritten(self.text, (Hidden(start, end), *self.hidden))


@lru_cache(maxsize=4096)
def escaped(text: str) -> str:
    """A text of one line for the inside of a line. Titles and descriptions stand in many lists."""
    return _SPECIAL.sub(r"\\\g<0>", text) if _MAY_BE_SPECIAL.search(text) else text


def opened(lines: str) -> str:
    """Escaped lines as those of a paragraph: none of them begins another block."""
    if "\n" not in lines and not lines.startswith(_OPENINGS):
        return lines
    return _NUMBER.sub(r"\1\\\2", _OPENING.sub(r"\1\\\2", lines))


def address(url: str) -> str:
    """An address as the destination of a link; empty when some reader would run it."""
    if _ODD_IN_ADDRESS.search(url):
        url = _ENTITY_IN_ADDRESS.sub("&amp;", url).translate(_IN_ADDRESS)
    return safe(url)


# The oldest readers let lines break in a destination, and browsers pass over the break.
_DESTINATIONS = re.compile(
    r"\]\((?=[ \t\n]*<?([^<>()\[\]]{1,500}))"
    r"|^[ >]*\[[^\]\n]+\]:[ \t\n>]*<?([^\s>]+)"
    r"|<([^\s<>]+)>"
    r"""|(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = re.compile(r"\n[ \t>]+")
_MAY_LEAD = ("script:", "data:", "mocha:", "vbs:", "%", "&")


def leads_to_script(text: str) -> bool:
    """Whether some reader of Markdown may find a link in a text that it would run, whatever the text is meant to be."""
    joined = "".join(text.lower().replace(">", " ").split())  # by far the fastest way to take gaps out
    if not any(sign in joined for sign in _MAY_LEAD):
        return False
    text = _QUOTED.sub("\n", text)
    return any(runs(url) for found in _DESTINATIONS.finditer(text) for url in found.groups() if url)


def scalar(text: str) -> str:
    """A text as a value of YAML, which is neither HTML nor a link that would run to whoever does not know YAML.

    Many readers of Markdown know no front matter, and all of them take that of the texts in one file for paragraphs.
    """
    if leads_to_script(text):
        # A list of YAML, or a value above, may have begun a link that this text ends.
        return _plain_scalar(text).translate(_NO_LINK)
    return _TAG.sub(r"\\u003c", _plain_scalar(text))


def _plain_scalar(text: str) -> str:
    if text.isprintable():  # as nearly all are: nothing to replace
        return msgspec.json.encode(text).decode()
    quoted = msgspec.json.encode(text.encode("utf-8", "replace").decode()).decode()
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def markdown_path_of(place: str) -> str:
    """Where the same page stands as Markdown.

    Args:
        place: the permalink of a page, its URL, or its path below the output folder.

    Returns:
        A place of the same kind; empty if `place` names no page of HTML.
    """
    if place.endswith("/"):
        return f"{place}index.md"
    if place.endswith(".html"):
        return f"{place[:-5]}.md"
    return ""
