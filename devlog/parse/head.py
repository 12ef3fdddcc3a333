"""Reads the front matter of a source into typed values, without parsing its body."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from devlog.model.check_facts import Block
from devlog.model.control_characters import CONTROL, NONCHARACTERS
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.dialect import Dialect
from devlog.model.document import Document, FrontMatter, Parsed
from devlog.model.source import Source
from devlog.model.theme import PluginRef
from devlog.parse import problems
from devlog.parse.code.ansi import with_marks
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.convert import convert, convert_source_of
from devlog.parse.front_matter.block import read_front_matter
from devlog.parse.front_matter.dates import date_from_name, impossible_date
from devlog.parse.markdown.emoji import replace_emoji
from devlog.parse.options import ParseOptions
from devlog.plugin import Rewrite
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import features
from devlog.plugins.loading import load

# No feed reader accepts most of these, and all are invisible in text.
ILLEGAL = re.compile(f"[{CONTROL}{NONCHARACTERS}\ud800-\udfff]")

# All bytes except the one-byte characters in `ILLEGAL`.
_LEGAL_BYTES = bytes(byte for byte in range(256) if byte > 127 or not ILLEGAL.match(chr(byte)))
_MAY_BE_LONGER = b"\xc2"
_LONGER = re.compile(b"\xc2[\x80-\x9f]")
"""The others in Latin-1: terminals obey some of them as they obey the escape character."""


class Head(msgspec.Struct, frozen=True):
    """The front matter of a source, and the body that follows it.

    Attributes:
        front_matter: the typed values.
        block: the front matter as written, if there is any.
        text: the body.
        first_line: the line of the file on which the body begins.
        diagnostics: the problems found so far.
        rewrite: the function of a feature or plugin that rewrites the body before it becomes HTML, if there is one.
    """

    front_matter: FrontMatter
    block: Block | None
    text: str
    first_line: int
    diagnostics: tuple[Diagnostic, ...]
    rewrite: Rewrite | None = None


def read_head(source: Source, options: ParseOptions) -> Head:
    """Read the front matter of a source, and separate it from the body."""
    source, illegal = without_illegal(source)
    diagnostics = [*illegal]
    front_matter, text, first_line, found, block = read_front_matter(source, options)
    if wrong := impossible_date(_name(source.path)):
        diagnostics.append(problems.impossible_date(Span(source.file), wrong))
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


def without_illegal(source: Source) -> tuple[Source, tuple[Diagnostic, ...]]:
    """A source without the characters that no output may contain, and a diagnostic for the first of each.

    The escape characters of terminals in code are replaced: from them colors are read later.
    """
    if "\x1b" in source.text:
        source = msgspec.structs.replace(source, text=with_marks(source.text, CodeRanges(source.text).__contains__))
    diagnostics = []
    for character, start in _illegal(source.text).items():
        before = source.text[:start]
        span = Span(source.file, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1, 1)
        diagnostics.append(problems.control_character(span, character))
    if diagnostics:
        source = msgspec.structs.replace(source, text=ILLEGAL.sub("", source.text))
    return source, tuple(diagnostics)


def _rewrite(front_matter: FrontMatter, options: ParseOptions) -> Rewrite | Diagnostic | None:
    """The function of the first feature or plugin that rewrites the body below this front matter."""
    pairs = [*((None, plugin) for plugin in features()), *zip(options.plugins, load(options.plugins), strict=True)]
    for ref, plugin in pairs:
        keys = plugin.front_matter
        try:
            if keys and keys.rewrites and keys.rewrites(front_matter.of(keys.kind)):
                return _checked(ref, plugin.name, keys.rewrite) if ref and keys.rewrite else keys.rewrite
        except faults() as error:
            if ref is None:
                raise
            # the plugin's own code
            return fault(ref, f"“rewrites” of the plugin “{plugin.name}”", error, keys.rewrites if keys else None)
    return None


def _checked(ref: PluginRef, name: str, rewrite: Rewrite) -> Rewrite:
    from devlog.parse.rewriting import checked  # loads the Markdown parser, which reading front matter needs not

    return checked(rewrite, ref, name)


def _is_template(head: Head, dialect: Dialect) -> bool:
    """Whether the content of a page comes from a template: Jekyll's is in the body, Zola's replaces the body."""
    if dialect.template_pages:
        return not head.text.strip() and "template" in msgspec.json.decode(head.front_matter.params)
    return dialect.liquid and "{%" in head.text


def parsed_of(
    source: Source, options: ParseOptions, head: Head, document: Document, diagnostics: Sequence[Diagnostic]
) -> Parsed:
    """Combine the head of a source and its document into a `Parsed` value."""
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
    """Parse only the front matter of a source, since parsing the body takes most of the time.

    Returns:
        The result of `parse` with an empty document, or `None` if the body affects which files there are: it
        contains the title, a feature rewrites it, or it must be converted first.
    """
    if convert_source_of(source.path, options):
        return None
    head = read_head(source, options)
    front_matter = head.front_matter
    if not front_matter.title or head.rewrite:
        return None
    return parsed_of(source, options, head, Document(""), head.diagnostics)


def outline(source: Source, options: ParseOptions) -> Parsed:
    """Parse only the front matter of a source, even if its body would add to that, such as the title."""
    conversion = convert(source, options)
    own = conversion.source if conversion else source
    head = read_head(own, options)
    return parsed_of(own, options, head, Document(""), head.diagnostics)


def is_legal(text: str) -> bool:
    """Whether a text has no illegal character. This takes a third of the time of a search for one."""
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a surrogate
        return False
    if data.translate(None, _LEGAL_BYTES) or (_MAY_BE_LONGER in data and _LONGER.search(data)):
        return False
    return "\ufffe" not in text and "\uffff" not in text


def _illegal(text: str) -> dict[str, int]:
    """The illegal characters in a text, each with the offset of its first occurrence."""
    places: dict[str, int] = {}
    if is_legal(text):
        return places
    for found in ILLEGAL.finditer(text):
        places.setdefault(found[0], found.start())
    return places


def _separator(front_matter: FrontMatter) -> str:
    """The marker after the excerpt that a post defines in its front matter; empty without one."""
    if "excerpt_separator" not in front_matter.params:
        return ""
    mark = msgspec.json.decode(front_matter.params).get("excerpt_separator")
    return mark.strip() if isinstance(mark, str) else ""


def _name(path: str) -> str:
    """The name of a source: the stem of its file, or the name of the folder for a bundle."""
    folder, _, file = path.rpartition("/")
    stem = file.rpartition(".")[0]
    return folder.rpartition("/")[2] if stem == "index" and folder else stem
