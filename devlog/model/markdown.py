"""Writes Markdown: escapes text, URLs and front matter values so that they are read literally."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from devlog.model.short_texts import cache_of_short
from devlog.model.urls import ENOUGH, RUN, runs, safe

NOTHING = "<!-- -->"
"""Separates two blocks, or fills a position where Markdown needs content and there is none."""

BARE_LINKS = r":(?=//)|(?<=(?<![^\W_])[Ww]{3})\.(?!\s)|(?<=[\w.+-])@(?=[\w/-]*\.[A-Za-z0-9])"
"""A pattern for the signs without which bare URLs and e-mail addresses are no links, as GitHub's parser finds them.

Inside such a link a backslash escapes nothing: it is shown, and is a part of the URL. So a text is written without any.
"""

_HANDLER = re.compile(r"\bon[a-z]{1,30}\s*=", re.IGNORECASE)
_BRACE = re.compile(r"(?<!\\)\{")
# Characters that may be markup anywhere; an underscore between letters, or a tilde before a number, is not.
_SPECIAL = re.compile(
    r"""\\[()\[\]]|[\\`*\[$]|(?<![^\W_])_|_(?![^\W_])|~(?!\d)|<(?=[A-Za-z/!?]|$)|&(?=\#|[A-Za-z][A-Za-z0-9]*;|$)"""
    rf"|\{{(?=[{{#.:%<]|$)|{BARE_LINKS}"
)
# What is markup only where the site turns it on.
_EXTENDED = re.compile(rf"{_SPECIAL.pattern}|==(?=.{{0,300}}?==)|\^|^(?::::|!!!|\?\?\?)")
_REFERENCES = {"<": "&lt;", "\\(": "&bsol;(", "\\)": "&bsol;)", "\\[": "&bsol;\\[", "\\]": "&bsol;]"}
_BRACE_REFERENCE = "&lbrace;"
_MAY_BE_SPECIAL = re.compile(r"[\\`*\[$_~<&{@]|://|[Ww]{3}\.")
# What may be more than a name in angle brackets, as in generic types: an end tag, a tag with attributes, or
# one that has an effect by itself.
_ACTS = (
    "base|embed|form|frameset|head|html|iframe|link|math|meta|noembed|noframes|noscript|object|plaintext|script|select"
    "|style|svg|template|textarea|title|xmp"
)
_TAG = re.compile(rf"<(?=[A-Za-z/!?])(?!(?!(?:{_ACTS})>)[A-Za-z0-9]+>)", re.IGNORECASE)
_TAG_IN_FORMULA = re.compile(r"<(?:/?[A-Za-z][A-Za-z0-9-]*[\s/>]|[!?])")
_MAY_BE_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_NO_LIST = str.maketrans({"{": "\\u007b"})
_NO_LINK = _NO_LIST | str.maketrans({"[": "\\u005b", "]": "\\u005d", "<": "\\u003c"})
# What starts a block at the beginning of a line.
_OPENING = re.compile(r"^( {0,3})(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+[ \t]*$|--|:(?=\s)|\+\+\+)", re.MULTILINE)
_NUMBER = re.compile(r"^( {0,3}\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_OPENINGS = tuple("#>-+=: 0123456789")
_IN_ADDRESS = str.maketrans(
    {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", "\n": "", "\t": ""}
)
_ENTITY_IN_ADDRESS = re.compile(r"&(?=#|[A-Za-z][A-Za-z0-9]{0,31};)")
_ODD_IN_ADDRESS = re.compile(rf"[ ()<>\\\n\t]|{_ENTITY_IN_ADDRESS.pattern}")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
"""Characters that a YAML parser treats as line ends, or rejects."""


class Hidden(NamedTuple):
    """Lines that readers do not see: the first, the one after the last, and whether the block before them is a list."""

    start: int
    end: int
    after_list: bool = False


class AsWritten(NamedTuple):
    """The source text of a post that its Markdown version can use.

    Attributes:
        lines: the lines of the text; where it is written in another way, several lines stand for one.
        hidden: the lines to remove, since readers do not see them.
        has_notes: whether the text has footnotes; then ``[^`` begins nothing else.
    """

    lines: Sequence[str]
    hidden: tuple[Hidden, ...] = ()
    has_notes: bool = False

    def without(self, *hidden: Hidden) -> AsWritten:
        """The same with more lines to remove, none of which is removed already."""
        return AsWritten(self.lines, (*hidden, *self.hidden), self.has_notes)


@cache_of_short(4096)
def escaped(text: str) -> str:
    """Escape a text of one line for use inside a line. Cached, since many lists contain the same titles."""
    if not _MAY_BE_SPECIAL.search(text):
        return text
    written = _SPECIAL.sub(_escaped, text)
    return with_plain_braces(written) if may_have_handler(text) else written


def with_plain_braces(text: str) -> str:
    """An escaped text in which no parser finds a list of attributes, not even one that goes on in what follows."""
    return _BRACE.sub(r"\\{", text) if "{" in text else text


def escaped_with_extensions(text: str) -> str:
    """Escape a text for a post as `escaped` does, and what is markup only where a site turns it on, such as ``==``.

    A reference stands for a brace, which a backslash does not escape: Jekyll runs Liquid before Markdown.
    """
    written = _EXTENDED.sub(lambda found: _BRACE_REFERENCE if found[0] == "{" else _escaped(found), text)
    return written.replace("{", _BRACE_REFERENCE) if may_have_handler(text) else written


def _escaped(found: re.Match[str]) -> str:
    """A special character, escaped, or a reference to it where a backslash does not escape it.

    The first Markdown parsers, and Python-Markdown, know no backslash before ``<``. Two backslashes before a bracket
    begin or end a formula as one does.
    """
    return _REFERENCES.get(found[0]) or f"\\{found[0]}"


def opened(lines: str) -> str:
    """Escape the beginnings of already escaped lines, so that they stay one paragraph and none starts another block."""
    if "\n" not in lines and not lines.startswith(_OPENINGS):
        return lines
    return _NUMBER.sub(r"\1\\\2", _OPENING.sub(r"\1\\\2", lines))


def address(url: str) -> str:
    """Escape a URL for use as the destination of a link; empty if some program would run it."""
    if _ODD_IN_ADDRESS.search(url):
        url = _ENTITY_IN_ADDRESS.sub("&amp;", url).translate(_IN_ADDRESS)
    return safe(url)


# The oldest parsers allow line breaks in a destination, and skip any number of angle brackets before it; browsers
# ignore line breaks, and blanks before a URL. What is looked at is not consumed, since a destination may be in another
# one, and definitions are found by the end of their labels, whatever is before.
_BLANK = r"[\s\x00-\x20]*"
_ATTRIBUTES = "href|src|action|data|poster|background|values|to|from"
_DESTINATIONS = re.compile(
    rf"\](?=\({_BLANK}<*{_BLANK}([^<>()\[\]]{{1,{ENOUGH}}}))"
    rf"|\](?=:[\s>]*<*([^\s>]{{1,{ENOUGH}}}))"
    rf"|<(?=([^\s<>]{{1,{ENOUGH}}})>)"
    rf"|(?:{_ATTRIBUTES})(?=\s*=\s*(?:"
    rf"""\"{_BLANK}([^"]{{0,{ENOUGH}}})|'{_BLANK}([^']{{0,{ENOUGH}}})|([^\s"'>]{{1,{ENOUGH}}})))""",
    re.IGNORECASE,
)
_SCRIPT = re.compile(rf"(?<![\w/#?&=:.+@-])(?:{'|'.join(sorted(RUN))}):\S", re.IGNORECASE)
_QUOTED = re.compile(r"\n[ \t>]+")
_SCHEMES = ("script", "data", "mocha", "vbs")
_LONGEST_SCHEME = max(map(len, _SCHEMES))
_LAST_LETTERS = frozenset("aAsStT")


def leads_to_script(text: str) -> bool:
    """Whether some Markdown parser may find a link to a script in a text, whatever the text is meant to be."""
    if "\\" in text and leads_to_script(text.replace("\\", "")):  # it escapes any sign, such as the colon of a scheme
        return True
    if not may_lead_to_script(text):
        return False
    if _SCRIPT.search(text):  # wherever it is: what is a destination depends on what else a parser knows
        return True
    text = _QUOTED.sub("\n", text)
    return any(runs(url) for found in _DESTINATIONS.finditer(text) for url in found.groups() if url)


def may_lead_to_script(text: str) -> bool:
    """Whether a text contains a scheme of scripts, or an escape that may stand for one. Most texts contain neither."""
    return "%" in text or "&" in text or any(map(_ends_with_scheme, text.split(":")[:-1]))


def _ends_with_scheme(text: str) -> bool:
    """Whether a text ends with the name of a scheme, without the white space and the marks of quotes in between."""
    end = text[-40:].replace(">", " ").rstrip()
    if end and end[-1] not in _LAST_LETTERS:
        return False
    end = "".join(end.split())
    if len(end) < _LONGEST_SCHEME:  # there is much white space
        end = "".join(text.replace(">", " ").split())[-40:]
    return end.lower().endswith(_SCHEMES)


_LANGUAGE = re.compile(r"[A-Za-z0-9_+-]{1,60}")
"""Names of languages with which every parser that knows fences finds one."""


def fence_of(language: str) -> str:
    """The line that begins code in Markdown versions: three backticks and, if it has a plain name, the language.

    Every parser that knows fences finds one there, and ends it at a line of three backticks.
    """
    name = language.removeprefix(".").replace("#", "sharp")
    return f"```{name}" if _LANGUAGE.fullmatch(name) else "```"


_TAG_BEGINS = re.compile("<[a-z]", re.IGNORECASE)
_RUNS = re.compile(rf"<(?:{_ACTS})(?![a-z0-9-])|[\s/\"'>]on[a-z]{{2,30}}\s*=", re.IGNORECASE)
_ENDS_VALUE = re.compile(r"[\"']on[a-z]{2,30}\s*=", re.IGNORECASE)
# What may begin a tag, but for an address in angle brackets, by itself or as a destination.
_OPENS_TAG = re.compile(
    r"<(?=[A-Za-z/!?])(?!(?:https?://[^\s<>\"'`]+|(?:mailto:)?[\w.+-]+@[\w.-]+)>)"
    r"(?!(?:(?<=\]\(<)|(?<=\]: <))[^<>\"'`=\n]+>)",
    re.IGNORECASE,
)


def count_active(text: str) -> int:
    """How many elements that run something, or handlers of events, some Markdown parser may find in a text."""
    return len(_RUNS.findall(text))


def may_close_value(text: str) -> bool:
    """Whether a handler is directly behind a quote, which may end a value that some parser writes, such as a title."""
    return _ENDS_VALUE.search(text) is not None


def count_tags(text: str) -> int:
    """How many tags may begin in a text, whether or not they end in it."""
    return len(_OPENS_TAG.findall(text)) if "<" in text else 0


def opens_tag(code: str) -> bool:
    """Whether a tag may begin in some code, whether or not it ends in it."""
    return _MAY_BE_TAG.search(code) is not None


def may_run(code: str) -> bool:
    """Whether some code, read as Markdown, may contain an element that runs, a link to a script, or a handler."""
    has_tag = _TAG_BEGINS.search(code) is not None
    return (has_tag and count_active(code) > 0) or may_have_handler(code) or leads_to_script(code)


def may_have_handler(text: str) -> bool:
    """Whether some Markdown parser may find a handler of an event in a list of attributes in braces.

    A list may go on in other lines, and a quoted brace does not end it.
    """
    start = text.find("{")
    return start >= 0 and _HANDLER.search(text, start) is not None


def has_fence(tex: str) -> bool:
    """Whether a formula contains what parsers without formulas read as the beginning or the end of code."""
    return "`" in tex or "~~~" in tex


def has_tag(tex: str) -> bool:
    """Whether parsers without formulas find HTML in a formula by itself."""
    return _TAG_IN_FORMULA.search(tex) is not None


def without_tags(tex: str) -> str:
    """A formula in which no Markdown parser without formulas finds HTML, not even one that goes on behind it.

    TeX ignores the spaces that are added.
    """
    return _MAY_BE_TAG.sub("< ", tex)


def scalar(text: str) -> str:
    """Write a text as a YAML value that a Markdown parser without YAML support reads neither as HTML nor as a link to a
    script, nor as a list of attributes, even one that ends in another value.

    Many Markdown parsers do not know front matter, and in a file with several documents all of them read it as
    paragraphs.
    """
    if leads_to_script(text):
        # A YAML list, or a value above, may have started a link that this text ends.
        return _plain_scalar(text).translate(_NO_LINK)
    written = _TAG.sub(r"\\u003c", _plain_scalar(text))
    return written.translate(_NO_LIST) if "{" in written else written


def _plain_scalar(text: str) -> str:
    if text.isprintable():  # nearly all texts are: nothing to replace
        return msgspec.json.encode(text).decode()
    quoted = msgspec.json.encode(text.encode("utf-8", "replace").decode()).decode()
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
