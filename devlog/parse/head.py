"""What a source says about itself: its front matter with a meaning, without the parser of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from devlog.model.check_facts import Block
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.dialect import Dialect
from devlog.model.document import Document, FrontMatter, Parsed
from devlog.model.source import Source
from devlog.parse import problems
from devlog.parse.code.ansi import ESCAPE
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.front_matter.block import read_front_matter
from devlog.parse.front_matter.dates import date_from_name
from devlog.parse.markdown.emoji import replace_emoji
from devlog.parse.options import ParseOptions
from devlog.plugin import FAULTS, Rewrite, fault, features, load

# What XML 1.0 cannot hold: no feed reader accepts it, and no reader of text misses it.
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")

# The bytes of UTF-8 that none of the characters of one byte in `ILLEGAL` is written with.
_LEGAL_BYTES = bytes(byte for byte in range(256) if not ILLEGAL.match(chr(byte)))


class Head(msgspec.Struct, frozen=True):
    """What a source says about itself, how, and the text that follows, which begins on `first_line`.

    `rewrite` is what a feature or a plugin makes of that text before it becomes HTML, if one does.
    """

    front_matter: FrontMatter
    block: Block | None
    text: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...]
    rewrite: Rewrite | None = None


def read_head(source: Source, options: ParseOptions) -> Head:
    """Read what stands before the text of a source."""
    if "\x1b" in source.text:
        source = msgspec.structs.replace(source, text=_show_escapes(source.text))
    diagnostics: list[Diagnostic] = []
    for character, start in _illegal(source.text).items():
        before = source.text[:start]
        span = Span(source.file, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1, 1)
        diagnostics.append(problems.control_character(span, character))
    if diagnostics:
        source = msgspec.structs.replace(source, text=ILLEGAL.sub("", source.text))
    front_matter, text, first_line, found, block = read_front_matter(source, options)
    if options.emoji:
        front_matter = msgspec.structs.replace(
            front_matter,
            title=replace_emoji(front_matter.title),
            summary=replace_emoji(front_matter.summary),
            description=replace_emoji(front_matter.description),
        )
    if separator := _separator(front_matter):
        text = text.replace(separator, "<!--more-->", 1)
    rewrite = _rewrite(front_matter, options) if front_matter.parts else None
    if isinstance(rewrite, Diagnostic):
        return Head(front_matter, block, text, first_line, (*diagnostics, *found, rewrite))
    return Head(front_matter, block, text, first_line, (*diagnostics, *found), rewrite)


def _rewrite(front_matter: FrontMatter, options: ParseOptions) -> Rewrite | Diagnostic | None:
    """What the first feature or plugin that does so makes of the text below a front matter."""
    pairs = [*((None, plugin) for plugin in features()), *zip(options.plugins, load(options.plugins), strict=True)]
    for ref, plugin in pairs:
        keys = plugin.front_matter
        try:
            if keys and keys.rewrites and keys.rewrites(front_matter.of(keys.kind)):
                return keys.rewrite
        except FAULTS as error:
            if ref is None:
                raise
            return fault(ref, f"“rewrites” of the plugin “{plugin.name}”", error)  # the plugin's own code
    return None


def _is_template(head: Head, dialect: Dialect) -> bool:
    """Whether what a page shows comes from a template: of Jekyll, in the text; of Zola, in place of one."""
    if dialect.template_pages:
        return not head.text.strip() and "template" in msgspec.json.decode(head.front_matter.params)
    return dialect.liquid and "{%" in head.text


def parsed_of(
    source: Source, options: ParseOptions, head: Head, document: Document, diagnostics: Sequence[Diagnostic]
) -> Parsed:
    """A source with what its head says, and a document."""
    name = _name(source.path)
    name_date, name_slug = date_from_name(name)
    found = tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key))
    return Parsed(
        path=source.path,
        file=source.file,
        name=name,
        name_date=name_date,
        name_slug=name_slug,
        front_matter=head.front_matter,
        document=document,
        diagnostics=found,
        is_template=_is_template(head, options.conventions),
    )


def sketch(source: Source, options: ParseOptions) -> Parsed | None:
    """What a source says about itself, without its text, which takes most of the time.

    Returns:
        What `parse` gives but for an empty document, or `None` where the text decides what files there are: it holds
        the title, or a feature rewrites it.
    """
    head = read_head(source, options)
    front_matter = head.front_matter
    if not front_matter.title or head.rewrite:
        return None
    return parsed_of(source, options, head, Document(""), head.diagnostics)


def is_legal(text: str) -> bool:
    """Whether a text has no illegal character, found in a third of the time that a search for one takes."""
    try:
        illegal = text.encode().translate(None, _LEGAL_BYTES)
    except UnicodeEncodeError:  # a surrogate
        return False
    return not illegal and "\ufffe" not in text and "\uffff" not in text


def _show_escapes(text: str) -> str:
    """A text whose code shows the control characters of a terminal as a sign, by which colors are known."""
    code = CodeRanges(text)
    return re.sub("\x1b", lambda found: ESCAPE if found.start() in code else found[0], text)


def _illegal(text: str) -> dict[str, int]:
    """The characters that must go, each with its first place."""
    places: dict[str, int] = {}
    if is_legal(text):
        return places
    for found in ILLEGAL.finditer(text):
        places.setdefault(found[0], found.start())
    return places


def _separator(front_matter: FrontMatter) -> str:
    """The mark that a post itself says its excerpt ends at."""
    if "excerpt_separator" not in front_matter.params:
        return ""
    mark = msgspec.json.decode(front_matter.params).get("excerpt_separator")
    return mark.strip() if isinstance(mark, str) else ""


def _name(path: str) -> str:
    """The name of a source: of a bundle, the folder's."""
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0]
    return folder.rpartition("/")[2] if stem == "index" and folder else stem
