"""Finds the front matter of a file, parses it in any format, and converts it to typed fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from devlog.model.check_facts import Block
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import FrontMatter
from devlog.model.outpath import IGNORED
from devlog.model.source import Source
from devlog.parse.check_facts import note_block
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.invisible import CONTROL, without_invisible
from devlog.parse.front_matter.json_tree import json_end, read_json, torn_string
from devlog.parse.front_matter.schema import read_schema
from devlog.parse.front_matter.toml_tree import read_toml
from devlog.parse.front_matter.tree import Mapping, Node
from devlog.parse.front_matter.yaml_events import KEY, read_yaml
from devlog.parse.options import DEFAULTS, ParseOptions

MAX_LENGTH = 16 * 1024
"""The maximum length of front matter in characters."""

Result = tuple[FrontMatter, str, int, tuple[Diagnostic, ...], Block | None]

_OPENING = re.compile(r"""(?:[ \t]*\n)*(?:(?P<fence>---|\+\+\+)[ \t]*(?:\n|\Z)|(?P<brace>\{)(?=\s*["}]|[ \t]*\n))""")
# Eleventy, and other programs that read front matter with gray-matter, name its language.
_NAMED = re.compile(r"(?:[ \t]*\n)*(?P<fence>---[ \t]*(?P<language>ya?ml|toml|json5?|js|javascript|coffee))[ \t]*\n")
_Reading = Callable[[str, str, int], tuple[Node | None, tuple[Diagnostic, ...]]]
_READERS: dict[str, _Reading] = {"yaml": read_yaml, "yml": read_yaml, "toml": read_toml, "json": read_json}
_CLOSING = {
    "---": re.compile(r"^(?:-{3,}|\.\.\.)[ \t]*$\n?", re.MULTILINE),  # Hugo accepts a longer line too
    "+++": re.compile(r"^\+\+\+[ \t]*$\n?", re.MULTILINE),
}
# What is not shown, or only as a space or nothing: separators, fillers, and controls but tabs and line breaks.
_UNSEEN = IGNORED + r"\x00-\x08\x0b-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ufff9-\ufffb"
_BLANK = f"[ \\t{_UNSEEN}]*"
# What looks like the beginning of front matter, and may be none because of a character that nobody sees.
_LOOKS_LIKE = re.compile(
    rf"(?:{_BLANK}\n)*{_BLANK}"
    rf"(?:(?P<fence>-[{_UNSEEN}]*-[{_UNSEEN}]*-|\+[{_UNSEEN}]*\+[{_UNSEEN}]*\+)"
    rf"{_BLANK}(?P<language>ya?ml|toml|json5?|js|javascript|coffee)?{_BLANK}\n|\{{[\s{_UNSEEN}]*\")"
)
_SPOILED_END = {fence: re.compile(rf"^{_BLANK}{re.escape(fence)}{_BLANK}$", re.MULTILINE) for fence in _CLOSING}
_FIRST_UNSEEN = re.compile(f"[{_UNSEEN}]")
_BLANK_LINE = re.compile(r"[ \t]*\n")
# No text begins like this: the object was closed too early, and what follows may say that the post is a draft.
_MORE_JSON = re.compile(
    r'[ \t]*\n?[ \t]*(?P<rest>[,}]|\{\s*")'
    r'|\s*(?P<apart>(?:\{\s*)?"(?i:title|date|draft|published|publish_?date)"\s*:)'
)
_NO_CONTENT = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*")


def read_front_matter(source: Source, options: ParseOptions = DEFAULTS) -> Result:
    """Split a file into front matter and body.

    Args:
        source: the file.
        options: the parse options of the site.

    Returns:
        The front matter, the body, the line of the file on which the body begins (counted from 1), the problems with
        the front matter, sorted, and the front matter as written. A file without front matter is all body.
    """
    opening = _OPENING.match(source.text)
    if opening is None:
        named = _NAMED.match(source.text)
        closing = _CLOSING["---"].search(source.text, named.end()) if named else None
        if named and closing:
            return _named(source, options, named, closing)
        ending = _SPOILED_END["---"].search(source.text, named.end()) if named else None
        return _all_body(source, *((_unseen(source, *ending.span()) if ending else ()) or _spoiled(source)))
    if opening["brace"]:
        return _json(source, options, opening.start("brace"))
    return _fenced(source, options, opening["fence"], opening.start("fence"), opening.end())


def _fenced(source: Source, options: ParseOptions, fence: str, begin: int, start: int) -> Result:
    """Read YAML or TOML; the fence begins at offset `begin`, its block at `start`."""
    closing = _CLOSING[fence].search(source.text, start)
    block = source.text[start : closing.start()] if closing else source.text[start:]
    if fence == "---" and not _begins_with_key(block) and _is_text(block, closed=closing is not None):
        return _all_body(source, *_spoiled(source))  # a thematic break
    place = Span(source.file, _line(source.text, begin), 1, len(fence))
    if closing is None:
        spoiled = _SPOILED_END[fence].search(source.text, start)
        ending = _unseen(source, *spoiled.span()) if spoiled else ()
        return _all_body(source, problems.unclosed_front_matter(place, fence), *ending)
    if len(block) > MAX_LENGTH:
        return _result(source, options, closing.end(), [problems.front_matter_too_long(place, MAX_LENGTH)], None)
    block, found = _without_controls(block, source.file, _line(source.text, start))
    read = read_yaml if fence == "---" else read_toml
    root, faults = read(block, source.file, _line(source.text, start))
    if root is not None and not isinstance(root, Mapping):
        return _all_body(source, problems.not_front_matter(place, fence))
    language = "yaml" if fence == "---" else "toml"
    present = Mapping((), place) if root is None else root  # an empty block is front matter too
    note = note_block(language, place.line, _line(source.text, closing.start()), present)
    return _result(source, options, closing.end(), [*found, *faults], root, note)


def _named(source: Source, options: ParseOptions, opening: re.Match[str], closing: re.Match[str]) -> Result:
    """Read front matter between lines of which the first names the language."""
    line = _line(source.text, opening.start("fence"))
    place, language = Span(source.file, line, 1, len(opening["fence"])), opening["language"]
    block = source.text[opening.end() : closing.start()]
    read = _READERS.get(language)
    if read is None:  # what may say that the post is a draft must not be shown as its text
        hint = "write it in YAML, TOML or JSON"
        wrong = problems.front_matter_syntax(place, language, "this language is not supported", hint)
        return _result(source, options, closing.end(), [wrong], None)
    if len(block) > MAX_LENGTH:
        return _result(source, options, closing.end(), [problems.front_matter_too_long(place, MAX_LENGTH)], None)
    block, found = _without_controls(block, source.file, line + 1)
    root, faults = read(block.rstrip(), source.file, line + 1)
    if root is not None and not isinstance(root, Mapping):
        return _all_body(source, problems.not_front_matter(place, opening["fence"]))
    return _result(source, options, closing.end(), [*found, *faults], root)


def json_block_end(text: str) -> int:
    """The offset after the front matter of a text if it is a JSON object, whatever it contains; else -1."""
    opening = _OPENING.match(text)
    if opening is None or not opening["brace"]:
        return -1
    start = opening.start("brace")
    length = json_end(text[start:])
    return start + length if length >= 0 else -1


def _json(source: Source, options: ParseOptions, start: int) -> Result:
    place = Span(source.file, _line(source.text, start), 1, 1)
    length = json_end(source.text[start : start + MAX_LENGTH])
    if length < 0:
        too_long = json_end(source.text[start:]) >= 0
        unclosed = problems.unclosed_front_matter(place, "}")
        torn = torn_string(source.text[start : start + MAX_LENGTH])
        if torn >= 0:  # the unclosed string hides everything that could close the object
            _, faults = read_json(source.text[start : start + torn], source.file, place.line)
            unclosed = next(iter(faults), unclosed)
        return _all_body(source, problems.front_matter_too_long(place, MAX_LENGTH) if too_long else unclosed)
    block, found = _without_controls(source.text[start : start + length], source.file, place.line)
    root, faults = read_json(block, source.file, place.line)
    if more := _MORE_JSON.match(source.text, start + length):
        at = more.start(more.lastgroup or "rest")
        span = Span(source.file, _line(source.text, at), at - source.text.rfind("\n", 0, at), 1)
        faults = (*faults, problems.after_object(span))
    rest = _BLANK_LINE.match(source.text, start + length)
    note = None
    if isinstance(root, Mapping):
        note = note_block("json", place.line, _line(source.text, start + length - 1), root)
    end = rest.end() if rest else start + length
    return _result(source, options, end, [*found, *faults], root, note)


def _result(
    source: Source,
    options: ParseOptions,
    end: int,
    found: Iterable[Diagnostic],
    root: Mapping | None,
    note: Block | None = None,
) -> Result:
    """The result for a file whose front matter ends at an offset."""
    front, faults = FrontMatter(), list(found)
    if root is not None:
        cleaned, more = without_invisible(root)
        faults += more
        if isinstance(cleaned, Mapping):
            front, problems_of_schema = read_schema(cleaned, options)
            faults += problems_of_schema
    diagnostics = tuple(sorted(dict.fromkeys(faults), key=lambda problem: problem.sort_key))
    return front, source.text[end:], _line(source.text, end), diagnostics, note


def _all_body(source: Source, *found: Diagnostic) -> Result:
    return FrontMatter(), source.text, 1, found, None


def _spoiled(source: Source) -> tuple[Diagnostic, ...]:
    """An error if a text that is no front matter would be some without the characters that nobody sees."""
    opening = _LOOKS_LIKE.match(source.text)
    if opening is None:
        return ()
    first = _FIRST_UNSEEN.sub("", source.text[opening.end() : opening.end() + MAX_LENGTH])
    is_front_matter = (opening["fence"] or "")[:1] != "-" or opening["language"] or _begins_with_key(first)
    return _unseen(source, 0, len(source.text)) if is_front_matter else ()


def _unseen(source: Source, start: int, end: int) -> tuple[Diagnostic, ...]:
    """An error for the first character that nobody sees between two offsets, if there is one."""
    found = _FIRST_UNSEEN.search(source.text, start, end)
    if not found:
        return ()
    column = found.start() - source.text.rfind("\n", 0, found.start())
    return (problems.unseen_in_fence(Span(source.file, _line(source.text, found.start()), column, 1), found[0]),)


def _begins_with_key(block: str) -> bool:
    """Whether the first line that is neither blank nor a comment sets a key."""
    blank = _NO_CONTENT.match(block)
    return KEY.match(block, blank.end() if blank else 0) is not None


def _is_text(block: str, closed: bool) -> bool:
    """Whether text that follows a “---” and does not begin with a key is the body of a post."""
    has_content = _NO_CONTENT.fullmatch(block) is None
    return not closed or len(block) > MAX_LENGTH or (has_content and _BLANK_LINE.match(block) is not None)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _without_controls(block: str, file: str, line: int) -> tuple[str, list[Diagnostic]]:
    """The block with a space for each control character, and a problem for the first such character of each line."""
    found = []
    for number, text in enumerate(block.split("\n")):
        match = CONTROL.search(text)
        if match:
            span = Span(file, line + number, match.start() + 1, 1)
            found.append(problems.control_in_front_matter(span, match[0]))
    return CONTROL.sub(" ", block), found
