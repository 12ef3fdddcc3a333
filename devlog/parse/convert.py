"""Converts sources in formats of features and plugins to Markdown, and relates what is found in that to the source."""

from __future__ import annotations

import posixpath
import re
import sys
from typing import Any, TypeVar, cast
from urllib.parse import quote

import msgspec

from devlog.model.active_content import Look
from devlog.model.check_facts import CheckFacts
from devlog.model.converted import ContainedFile, Converted, ToConvert
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Document, FrontMatter, Parsed
from devlog.model.image_look import ImageLook
from devlog.model.media import image_size, media_type
from devlog.model.parts import Encoded
from devlog.model.plurals import OTHER
from devlog.model.secrets import shortened
from devlog.model.source import Asset, Source
from devlog.parse import problems
from devlog.parse.options import ParseOptions
from devlog.parse.words import KEYS, catalog_for
from devlog.plugin import ConvertSource
from devlog.plugins.codes import code_of
from devlog.plugins.faults import fault, faults
from devlog.plugins.features import source_formats
from devlog.plugins.loading import load
from devlog.plugins.results import misfit, misfit_problems

LIMIT = 1 << 20
"""The maximum length of the Markdown in characters: that of a Markdown file."""

_MOST_FILES = 1000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")

T = TypeVar("T")
Holder = TypeVar("Holder", Document, FrontMatter)


class Conversion(msgspec.Struct, frozen=True):
    """A converted source.

    Attributes:
        source: the source with Markdown as its text.
        lines: the line of the file for each line of that text.
        files: the files that the source contains.
        problems: the problems of the conversion.
        sanitized: whether raw HTML in it is sanitized even if the site trusts that of posts.
    """

    source: Source
    lines: tuple[int, ...] = ()
    files: tuple[ContainedFile, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    sanitized: bool = False


def convert(source: Source, options: ParseOptions) -> Conversion | None:
    """Convert a source to Markdown.

    Args:
        source: the source as it was read.
        options: the parse options of the site.

    Returns:
        `None` if it is Markdown or HTML already. A source that cannot be converted is empty, with the reason.
    """
    convert_source = convert_source_of(source.path, options)
    return _converted(convert_source, source, options) if convert_source else None


def convert_source_of(path: str, options: ParseOptions) -> ConvertSource | None:
    """The function that converts a source; `None` if it is Markdown or HTML already."""
    ending = _ending(path)
    return None if ending in _TEXT else source_formats(load(options.plugins)).get(ending)


def contained_files(source: Source, options: ParseOptions) -> dict[str, bytes]:
    """The files that a source contains, by name."""
    conversion = convert(source, options)
    return {one.name: one.data for one in conversion.files} if conversion else {}


def assets_of(conversion: Conversion) -> tuple[Asset, ...]:
    """The files that a source contains, to be published beside its page."""
    source = conversion.source
    folder = posixpath.join(posixpath.dirname(source.path), _folder_of(source.path))
    return tuple(_asset(f"{folder}{one.name}", source.file, one) for one in conversion.files)


def related(parsed: Parsed, facts: CheckFacts, conversion: Conversion) -> tuple[Parsed, CheckFacts]:
    """What was found in the Markdown of a source, with spans in the source itself, and without fixes.

    A fix is an edit of the Markdown, which exists in no file.
    """
    relate = _Relate(conversion.source.file, conversion.lines)
    own = (msgspec.structs.replace(item, fix=None) for item in relate(parsed.diagnostics))
    if conversion.sanitized:  # their hint is to trust the HTML of posts
        own = (msgspec.structs.replace(item, hint="") if item.code == "unsafe-html" else item for item in own)
    found = sorted((*own, *conversion.problems), key=lambda item: item.sort_key)
    parsed = msgspec.structs.replace(
        parsed,
        document=relate.with_parts(relate.with_lines(parsed.document)),
        front_matter=relate.with_parts(parsed.front_matter),
        diagnostics=tuple(found),
        files=assets_of(conversion),
    )
    block = facts.block
    if block:
        first, last = relate.line(block.first), relate.line(block.last)
        block = msgspec.structs.replace(relate(block), first=first, last=last)
    return parsed, msgspec.structs.replace(relate(facts), block=block)


_TEXT = frozenset({".md", ".markdown", ".html", ".htm"})


def _ending(path: str) -> str:
    return posixpath.splitext(path)[1].lower()


def _folder_of(path: str) -> str:
    """The folder of the files in a source, relative to it; with a trailing slash, unless it is empty."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return "" if stem == "index" else f"{stem}/"


def _converted(convert_source: ConvertSource, source: Source, options: ParseOptions) -> Conversion:
    """Convert a source. The function may be a plugin's, and the plugin may fail."""
    if not source.text:
        return Conversion(source)
    empty = msgspec.structs.replace(source, text="")
    own = {suffix: ref for ref in options.plugins for suffix in load([ref])[0].sources}
    ref = own.get(_ending(source.path))
    request = ToConvert(
        source.text,
        source.file,
        quote(_folder_of(source.path)),
        options.html,
        options.math,
        _words(options.words),
    )
    if ref is None:
        made = convert_source(request)
    else:
        what = f"reading “{source.file}”"
        try:
            made = convert_source(request)
        except faults() as error:
            return Conversion(empty, problems=(fault(ref, what, error, convert_source),))
        reason = misfit(made, Converted) or _misfit_files(made)
        reason = f"what it returned is malformed: {reason}" if reason else _misfit_found(made, source, convert_source)
        if reason:
            return Conversion(empty, problems=(fault(ref, what, reason, convert_source),))
        code = code_of(load([ref])[0], convert_source) if made.problems else ""
        found = tuple(msgspec.structs.replace(problem, code=code, fix=None) for problem in made.problems)
        made = msgspec.structs.replace(made, problems=found)
    if len(made.text) > LIMIT:
        return Conversion(empty, problems=(*made.problems, problems.converts_too_long(Span(source.file), LIMIT)))
    text = msgspec.structs.replace(source, text=made.text)
    return Conversion(text, made.lines, made.files, made.problems, made.sanitized)


def _misfit_files(made: Converted) -> str:
    """Why the files of a conversion cannot be published; empty if they can."""
    names = [one.name for one in made.files]
    wrong = next((name for name in names if not _NAME.fullmatch(name)), "")
    if wrong:
        return f"“{shortened(wrong, 100)}” is no name of a file"
    if len(names) > _MOST_FILES or len({name.lower() for name in names}) < len(names):
        return f"it has more than {_MOST_FILES} files, or two of one name"
    return ""


def _misfit_found(made: Converted, source: Source, convert_source: ConvertSource) -> str:
    """Why the problems that a plugin has found in a source cannot be reported; empty if they can."""
    if other := next((item.span.path for item in made.problems if item.span.path != source.file), None):
        return f"a problem that it returned is in “{shortened(other, 100)}”, and not in this file"
    return misfit_problems(made.problems, convert_source)


def _words(words: str) -> dict[str, str]:
    """The messages that text may need, without those that count something."""
    messages = catalog_for(words).messages
    texts = {key: messages[key].forms for key in KEYS}
    return {key: forms[OTHER] for key, forms in texts.items() if len(forms) == 1 and "{" not in forms[OTHER]}


def _asset(path: str, file: str, one: ContainedFile) -> Asset:
    is_image = media_type(path).startswith("image/")
    look, image = Look(path), ImageLook(path)
    look.feed(one.data)
    image.feed(one.data)
    return Asset(
        path,
        file,
        digest_bytes(one.data),
        len(one.data),
        image_size(one.data) if is_image else None,
        image.strips,
        image.location(),
        look.reason(),
        inside=one.name,
    )


class _Relate:
    """Replaces the spans in frozen values: those in the Markdown of a source become spans in the source."""

    def __init__(self, file: str, lines: tuple[int, ...]) -> None:
        self._file = file
        self._lines = lines

    def line(self, line: int) -> int:
        """The line of the source for a line of the Markdown."""
        return self._lines[line - 1] if 0 < line <= len(self._lines) else 0

    def __call__(self, value: T) -> T:
        return cast("T", self._of(value))

    def _of(self, value: Any) -> Any:
        if isinstance(value, Span):
            return Span(self._file, self.line(value.line)) if value.path == self._file else value
        if isinstance(value, tuple):
            return tuple(map(self._of, value))
        if isinstance(value, msgspec.Struct):
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = {name: new for name, old in fields.items() if (new := self._of(old)) is not old and new != old}
            return msgspec.structs.replace(value, **changed) if changed else value
        return value

    def with_lines(self, document: Document) -> Document:
        """A document with the lines of its diagrams, which may not follow each other in the source."""
        if not document.diagrams:
            return document
        diagrams = []
        for diagram in document.diagrams:
            lines = range(diagram.span.line + 1, diagram.span.line + diagram.text.count("\n") + 2)
            diagrams.append(msgspec.structs.replace(diagram, lines=tuple(map(self.line, lines))))
        return msgspec.structs.replace(document, diagrams=tuple(diagrams))

    def with_parts(self, value: Holder) -> Holder:
        """A document, or front matter."""
        return msgspec.structs.replace(self(value), parts=tuple(map(self._part, value.parts)))

    def _part(self, part: Encoded) -> Encoded:
        """The value of a feature or a plugin, which may have spans, too."""
        module, _, name = part.kind.partition(":")
        kind = getattr(sys.modules.get(module), name, None)
        if kind is None:
            return part
        value = self(msgspec.msgpack.decode(part.data, type=kind))
        return msgspec.structs.replace(part, data=msgspec.msgpack.encode(value))
