"""Evaluates the subset of Liquid that posts of Jekyll use: a fixed set of text functions that preserve line numbers.

Jekyll runs Liquid over the whole text before Markdown, including code. Includes, computations and loops are not
evaluated here: such a tag is removed with a warning, and its content is shown.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from html import escape
from typing import Any

import msgspec

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import FrontMatter
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.dialects import problems
from devlog.parse.dialects.jekyll_includes import read_arguments, read_embed
from devlog.parse.dialects.liquid_filters import FILTERS

MAX_TAG = 4000
"""The maximum length of a tag in characters; longer ones are text."""
MAX_VALUE = 2000
"""The maximum length of a value that is inserted or passed to a filter: a text could use one thousands of times."""
MAX_FILLED = 256 * 1024
"""The maximum total length of the values inserted into one text, in characters."""

KNOWN = (
    *("comment", "codeblock", "endraw", "gist", "highlight", "include", "include_cached", "include_relative", "img"),
    *("link", "mermaid", "post_url", "raw", "tweet", "twitter", "vimeo", "youtube"),
)
"""The tags that devlog evaluates or replaces."""
_LOGIC = frozenset({"case", "capture", "for", "if", "ifchanged", "tablerow", "unless"})
_COMMANDS = frozenset({"assign", "cycle", "decrement", "echo", "increment", "liquid", "render"})
_SILENT = frozenset({"break", "continue", "else", "elsif", "when"})
_CODE = frozenset({"codeblock", "highlight", "mermaid"})

_NAME = re.compile(r"-?\s*(#|[A-Za-z_][\w-]*)")
_LITERAL = re.compile(r"""\{\{-?\s*(?:"[^"\n]*"|'[^'\n]*')""")
_PART = re.compile(r"""(?:"[^"]*"|'[^']*'|[^|"'])+|["']""")
_OPERAND = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w.-]*))\s*""")
_ARGUMENT = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,"'])+""")
_INDEX = re.compile(r"""\[\s*["']([\w-]+)["']\s*\]""")
_ASSIGN = re.compile(r"([\w-]+)\s*=\s*(.*)", re.DOTALL)
_LOOP = re.compile(r"([\w-]+)\s+in\b")
_LINK_START = re.compile(r"""\]\(\s*<?|=\s*["']|\]:\s*<?""")
_LINK_PART = re.compile(r"""(?:[^\s()"'<>{}]|\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\})*""")
_BEFORE_CODE = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*")
_LANGUAGE = re.compile(r"[\w+#.-]+")
_TEMPLATE = re.compile(r"\{\{-?([^{}]*?)-?\}\}")
_BACKTICKS = re.compile("`+")
_BLANKS = re.compile(r"[ \t]*")
_RAW = re.compile(r"\{%-?\s*(?:end)?raw\s*-?%\}")
_CODEBLOCK_LANGUAGE = re.compile(r"\blang:([\w+#.-]+)")
_NO_INFO = re.compile(r"[`\n]")


class _Tag(msgspec.Struct, frozen=True):
    """A tag: its start and end offset in the text, its name, and the markup after the name."""

    start: int
    end: int
    name: str
    markup: str


def page_variables(front_matter: FrontMatter) -> dict[str, str]:
    """The values of ``page.…`` in a post: the strings and numbers of its front matter, by dotted name."""
    values = dict(flatten(json.loads(front_matter.params), "page")) if front_matter.params else {}
    known = {"title": front_matter.title, "description": front_matter.description, "excerpt": front_matter.summary}
    known |= dict.fromkeys(("lang", "language"), front_matter.language)
    return {**values, **{f"page.{name}": value for name, value in known.items() if value}}


def flatten(tree: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    """The strings and numbers in nested mappings, by dotted name."""
    for key, value in tree.items():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping):
            yield from flatten(value, name)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield name, str(value)


class Filled(msgspec.Struct, frozen=True):
    """A text after Liquid.

    Attributes:
        text: the result, whose lines correspond to those of the source, except inserted ones.
        inserted: the lines of the result, counted from 0, that have no line of their own in the source.
        diagnostics: problems such as tags and values that could not be evaluated.
    """

    text: str
    inserted: tuple[int, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def source_line(self, line: int) -> int:
        """The line of the source, counted from 0, that a line of the result comes from."""
        return line - bisect_right(self.inserted, line)


def fill_liquid(text: str, file: str, first_line: int, variables: Mapping[str, str], *, html: bool = False) -> Filled:
    """Evaluate the Liquid in a text, as far as possible.

    Args:
        text: the body, without front matter.
        file: the name used in messages.
        first_line: the line of the file on which the body begins.
        variables: the values of names such as ``site.title``.
        html: whether the text is HTML rather than Markdown.
    """
    if "{{" not in text and "{%" not in text:
        return Filled(text)
    filler = _Filler(text, file, first_line, variables, html)
    return Filled(filler.fill(), tuple(filler.inserted), tuple(filler.diagnostics))


class _Filler:
    """Goes through a text once, and replaces its tags and outputs."""

    def __init__(self, text: str, file: str, first_line: int, variables: Mapping[str, str], html: bool) -> None:
        self._text = text
        self._file = file
        self._first_line = first_line
        self._values = dict(variables)
        self._html = html
        self._code = CodeRanges("" if html else text)
        self._out: list[str] = []
        self._next = {"%}": -1, "}}": -1}  # the next offset of each mark: a missing one is searched for only once
        self._unclosed: set[str] = set()
        self._filled = 0
        self._said_in_code = False
        self._unknown: set[str] = set()
        self._repeated: set[str] = set()  # the names of loop variables
        self._fence: tuple[str, str] | None = None  # of the open code block: its closing fence and its indentation
        self._written = self._counted = 0  # the number of lines in the pieces counted so far, and of these pieces
        self.diagnostics: list[Diagnostic] = []
        self.inserted: list[int] = []

    def fill(self) -> str:
        """The whole text after evaluation."""
        done, position = 0, self._find(0)
        while position >= 0:
            tag = self._read_tag(position) if self._text.startswith("{%", position) else None
            end = tag.end if tag else self._end_of_output(position)
            if end is None:
                position = self._find(position + 2)
                continue
            self._out.append(self._text[done:position])
            if tag:
                done = self._write_tag(tag)
            else:
                self._out.append(self._output(position, end))
                done = end
            position = self._find(done)
        self._out.append(self._text[done:])
        return "".join(self._out)

    # -- reading

    def _find(self, position: int) -> int:
        """The next offset at which a tag or output may begin; -1 if there is none."""
        brace = self._text.find("{", position)
        while brace >= 0 and not self._text.startswith(("{", "%"), brace + 1):
            brace = self._text.find("{", brace + 1)
        return brace

    def _closing(self, mark: str, position: int) -> int:
        """The next offset of `mark`; the length of the text if there is none."""
        if -1 < self._next[mark] < position or self._next[mark] == -1:
            found = self._text.find(mark, position)
            self._next[mark] = len(self._text) if found < 0 else found
        return self._next[mark]

    def _read_tag(self, position: int) -> _Tag | None:
        """The tag that begins at a position; `None` if there is none."""
        found = _NAME.match(self._text, position + 2, position + MAX_TAG)
        if found is None:
            return None
        end = self._closing("%}", found.end())
        if end - position > MAX_TAG or end == len(self._text) or "\n\n" in (inner := self._text[found.end() : end]):
            return None
        return _Tag(position, end + 2, found[1].lower(), inner.strip().removesuffix("-").rstrip())

    def _end_of_output(self, position: int) -> int | None:
        """The end of the output that begins at a position; `None` if there is none."""
        if not self._text.startswith("{{", position) or self._text.startswith(("<", "%"), position + 2):  # a shortcode
            return None
        literal = _LITERAL.match(self._text, position, position + MAX_TAG)
        end = self._closing("}}", literal.end() if literal else position + 2)
        if end - position > MAX_TAG or end == len(self._text) or "\n\n" in self._text[position:end]:
            return None
        return end + 2

    # -- positions

    @cached_property
    def _lines(self) -> list[int]:
        """The offset at which each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self._text))]

    def _span(self, start: int, end: int) -> Span:
        """The span of a piece of the text, up to the end of its first line."""
        line = bisect_right(self._lines, start) - 1
        length = len(self._text[start:end].partition("\n")[0])
        return Span(self._file, self._first_line + line, start - self._lines[line] + 1, length)

    def _warn(self, tag: _Tag, problem: Callable[..., Diagnostic], *details: Any, **named: bool) -> None:
        self.diagnostics.append(problem(self._span(tag.start, tag.end), *details, **named))

    # -- output

    def _output(self, start: int, end: int) -> str:
        """The replacement of ``{{ … }}``; the text itself, with a diagnostic, if its value is unknown."""
        written = self._text[start:end]
        value = self._inserted(self._value(written[2:-2].removeprefix("-").removesuffix("-"), start, end))
        if value is not None:
            return self._plain(value, start)
        if start not in self._code and self._is_repeated(written):
            return ""  # the loop has been reported already
        span = self._span(start, end)
        if start not in self._code:
            if written not in self._unknown:  # report each expression once: one value fixes all its occurrences
                self._unknown.add(written)
                self.diagnostics.append(problems.liquid_variable(span, written.partition("\n")[0]))
        elif not self._said_in_code:
            self._said_in_code = True
            self.diagnostics.append(problems.liquid_in_code(span, written.partition("\n")[0]))
        return written

    def _inserted(self, value: str | None) -> str | None:
        """A value that is inserted; `None` if it is unknown, or too long by itself or together with the others."""
        if value is None or len(value) > MAX_VALUE or self._filled + len(value) > MAX_FILLED:
            return None
        self._filled += len(value)
        return value

    def _is_repeated(self, written: str) -> bool:
        """Whether an output shows a loop variable, whose values are unknown."""
        return bool(self._repeated) and re.split(r"[^\w-]", written[2:].lstrip("- \n"), maxsplit=1)[0] in self._repeated

    def _plain(self, text: str, position: int) -> str:
        """Escape text so that devlog does not read shortcodes in it, unless it is in code."""
        if position in self._code or self._fence:
            return text
        return text.replace("{{<", "&#123;{<").replace("{{%", "&#123;{%")

    def _value(self, expression: str, start: int, end: int, *, linked: bool = False) -> str | None:
        """The value of an expression after its filters; `None` if it is unknown.

        In a link (`linked`, or found at `start`), URLs inside the site are reduced to their path.
        """
        first, *filters = _PART.findall(expression) or [""]
        linked = linked or self._in_link(start)
        value = self._operand(_INDEX.sub(r".\1", first), linked)
        if value is None and first.strip() in ("page.url", "page.id") and self._text.startswith("#", end):
            value = ""  # a fragment of this page
        for written in filters:
            name, _, arguments = written.strip().partition(":")
            name = name.strip()
            values = [self._operand(argument, linked) for argument in _ARGUMENT.findall(arguments)]
            if value is None and name != "default":
                return None
            if name in ("relative_url", "absolute_url") and value is not None:
                if "://" not in value and (value or not linked):  # links inside the site need only a path
                    value = ("" if linked else self._address(name)) + "/" + value.lstrip("/")
                continue
            known = [argument for argument in values if argument is not None and len(argument) <= MAX_VALUE]
            function, count = FILTERS.get(name, (None, 0))
            if function is None or len(known) != len(values) or not count <= len(known) <= count + 1:
                return None
            value = function(value or "", *known[:count])
            if len(value) > MAX_VALUE:
                return None
        return value

    def _address(self, name: str) -> str:
        base = self._values.get("site.baseurl", "")
        return self._values.get("site.url", "") + base if name == "absolute_url" else base

    def _operand(self, text: str, linked: bool) -> str | None:
        found = _OPERAND.fullmatch(text)
        if found is None:
            return None
        if found[4] is None:
            return found[1] or found[2] or found[3] or ""
        if linked and found[4] in ("site.url", "site.baseurl"):
            return ""  # links inside the site need neither
        return self._values.get(found[4])

    def _in_link(self, position: int) -> bool:
        """Whether a position is inside the target of a link, or the value of an attribute."""
        window = self._text[max(0, position - 160) : position]
        start = -1
        for found in _LINK_START.finditer(window):
            start = found.end()
        return start >= 0 and _LINK_PART.fullmatch(window, start) is not None

    # -- tags

    def _write_tag(self, tag: _Tag) -> int:
        """Write the replacement of a tag.

        Returns:
            The offset at which the text continues.
        """
        name = tag.name
        if name in ("raw", "comment"):
            return self._enclosed(tag)
        if name in ("post_url", "link"):
            self._out.append(self._target(tag))
        elif name in _CODE and tag.start not in self._code and not self._fence:
            return self._open_code(tag)
        elif self._fence and name.startswith("end") and name[3:] in _CODE:
            return self._close_code(tag)
        elif tag.start in self._code or self._fence:
            self._literally(tag)
        elif name == "#" or (name == "assign" and self._assign(tag)):
            self._blank(tag)
        elif name in _LOGIC or name in _COMMANDS:
            if loop := _LOOP.match(tag.markup):
                self._repeated |= {loop[1], "forloop"}
            if name == "capture":
                self._values[tag.markup.strip("\"' ")] = ""  # its content is shown in place
            self._warn(tag, problems.liquid_logic, name)
            self._blank(tag)
        elif name in _SILENT or name.startswith("end"):
            self._blank(tag)
        else:
            self._embed(tag)
        return tag.end

    def _blank(self, tag: _Tag) -> None:
        self._out.append("\n" * self._text.count("\n", tag.start, tag.end))

    def _literally(self, tag: _Tag) -> None:
        """Write a tag in code unchanged, since authors rarely mean it to be evaluated there."""
        if not self._said_in_code:
            self._said_in_code = True
            self._warn(tag, problems.liquid_in_code, self._text[tag.start : tag.end].partition("\n")[0])
        self._out.append(self._text[tag.start : tag.end])

    def _enclosed(self, tag: _Tag) -> int:
        """Write the content of ``raw`` unchanged, or drop that of ``comment``; returns the offset after the end tag."""
        end = self._end_tag(tag)
        if end is None:
            self._warn(tag, problems.liquid_unclosed, tag.name)
            self._blank(tag)
            return tag.end
        body = self._text[tag.end : end[0]]
        self._blank(tag)
        self._out.append(self._plain(body, tag.end) if tag.name == "raw" else "\n" * body.count("\n"))
        self._out.append("\n" * self._text.count("\n", *end))
        return end[1]

    def _end_tag(self, tag: _Tag) -> tuple[int, int] | None:
        """The start and end of the next end tag of a tag; `None` if there is none."""
        if tag.name in self._unclosed:
            return None
        found = re.compile(rf"\{{%-?\s*end{tag.name}\s*-?%\}}").search(self._text, tag.end)
        if found is None:
            self._unclosed.add(tag.name)
            return None
        return found.span()

    def _target(self, tag: _Tag) -> str:
        """The file that a tag names: as the target of a link, or in text as a shortcode for its URL."""
        target = tag.markup.strip("\"' ").removeprefix("/")
        if tag.name == "post_url":
            target = target.rpartition("/")[2]
        if self._in_link(tag.start) or tag.start in self._code or not target or '"' in target:
            return target
        return f'{{{{< ref "{target}" >}}}}'

    def _assign(self, tag: _Tag) -> bool:
        found = _ASSIGN.fullmatch(tag.markup)
        value = self._value(found[2], tag.start, tag.end) if found else None
        if found is None or value is None or len(value) > MAX_VALUE:
            return False
        self._values[found[1]] = value
        return True

    def _embed(self, tag: _Tag) -> None:
        """Write the replacement of an include or of a plugin's tag."""

        def resolve(value: str) -> str:
            return _TEMPLATE.sub(
                lambda found: self._inserted(self._value(found[1], tag.start, tag.end, linked=True)) or "", value
            )

        arguments = read_arguments(tag.markup, lambda name: self._inserted(self._operand(name, True)))
        if self._in_link(tag.start):  # the tag of a plugin that looks up files
            self._warn(tag, problems.liquid_tag, tag.name, KNOWN)
            self._out.append(next(iter((*arguments.positional, *arguments.named.values())), ""))
            return
        embed = read_embed(tag.name, arguments, resolve)
        lines = self._text.count("\n", tag.start, tag.end)
        if embed.figure:
            self._warn(tag, problems.liquid_figure, embed.name)
        elif not embed.known and tag.name.startswith("include"):
            self._warn(tag, problems.liquid_include, embed.name, has_text=bool(embed.text))
        elif not embed.known:
            self._warn(tag, problems.liquid_tag, tag.name, KNOWN)
        self._out.append(embed.written(lines))

    # -- code

    def _open_code(self, tag: _Tag) -> int:
        """Open a code block, whose content is then processed like other text; returns the offset of the content."""
        end = self._end_tag(tag)
        if end is None:
            self._warn(tag, problems.liquid_unclosed, tag.name)
            self._blank(tag)
            return tag.end
        body = self._text[tag.end : end[0]]
        if self._html:
            code = escape(_RAW.sub("", body), quote=False)
            shown = code.lstrip("\n")
            self._out.append(f"{code[: len(code) - len(shown)]}<pre><code>{shown}</code></pre>")
            return end[1]
        before = self._text[self._text.rfind("\n", 0, tag.start) + 1 : tag.start]
        alone = _BEFORE_CODE.fullmatch(before) is not None
        if not alone and "\n" not in body:
            self._out.append(_code_span(_RAW.sub("", body).strip()))
            return end[1]
        indent = re.sub(r"[^\s>]", " ", before) if alone else ""
        mark = "`" * max(3, 1 + _longest_run(body))
        if not alone:
            self._insert_line("")
        self._out.append(f"{mark}{_info(tag)}")
        self._fence = (mark, indent)
        start = _BLANKS.match(self._text, tag.end).end()  # type: ignore[union-attr]
        if not self._text.startswith("\n", start):
            self._insert_line(indent)
        return start

    def _close_code(self, tag: _Tag) -> int:
        """Close a code block on a line of its own; returns the offset at which the text continues."""
        assert self._fence is not None
        mark, indent = self._fence
        self._fence = None
        begin = self._text.rfind("\n", 0, tag.start) + 1
        if self._text[begin : tag.start].strip(" \t>"):
            self._insert_line(indent)
        elif self._out:
            self._out[-1] = self._out[-1].rstrip(" \t>")
            self._out.append(indent)
        self._out.append(mark)
        end = _BLANKS.match(self._text, tag.end).end()  # type: ignore[union-attr]
        if end < len(self._text) and self._text[end] != "\n":
            self._insert_line(indent)
        return end

    def _insert_line(self, indent: str) -> None:
        """Insert a line break that the source does not have, and record the new line."""
        self._out.append("\n" + indent)
        self._written += sum(piece.count("\n") for piece in self._out[self._counted :])
        self._counted = len(self._out)
        self.inserted.append(self._written)


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def _code_span(code: str) -> str:
    mark = "`" * (1 + _longest_run(code))
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{mark}{space}{code}{space}{mark}" if code else ""


def _info(tag: _Tag) -> str:
    """The arguments of a code tag as the info string of a fence."""
    if tag.name == "mermaid":
        return "mermaid"
    if tag.name == "codeblock":
        found = _CODEBLOCK_LANGUAGE.search(tag.markup)
        return found[1] if found else ""
    language, _, options = tag.markup.partition(" ")
    found = _LANGUAGE.fullmatch(language)
    return f"{found[0] if found else 'text'} {_NO_INFO.sub('', options)}".strip()
