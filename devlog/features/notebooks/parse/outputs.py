"""Writes the outputs of cells: of several forms of one result, the best that a page can show."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

import msgspec

from devlog.features.notebooks import problems
from devlog.features.notebooks.parse.markdown_text import MarkdownText, printed
from devlog.features.notebooks.parse.notebook import Line, NotebookError, Output, lines_of, text_of
from devlog.model.active_content import Look
from devlog.model.converted import ContainedFile, ToConvert
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.markdown import BARE_LINKS
from devlog.model.media import image_size
from devlog.native import NativeFaultError
from devlog.parse.html.raw_html import scan
from devlog.parse.html.tangled import is_tangled, may_grow
from devlog.sanitize import MAX_DEPTH, sanitize

MAX_LINES = 1_000
MAX_TEXT = 100_000
"""The maximum number of lines and of characters of a text that are shown."""
MAX_HTML = 256 * 1024
"""The maximum length of HTML in characters."""
MAX_IMAGE = 16 << 20
"""The maximum size of an image in bytes."""
MAX_FILES = 500
"""The maximum number of images in a notebook."""
MAX_PROBLEMS = 100
"""The maximum number of problems of a notebook that are reported."""
MAX_SIDE = 4_000
"""The maximum width and height that an image is said to have, in pixels."""

IMAGES = {
    "image/svg+xml": ("svg", b"<"),
    "image/png": ("png", b"\x89PNG"),
    "image/jpeg": ("jpg", b"\xff\xd8\xff"),
    "image/webp": ("webp", b"RIFF"),
    "image/gif": ("gif", b"GIF8"),
}
"""The media types of images, with the suffixes of their files and the first bytes of these."""

_NAMESPACE = b"http://www.w3.org/2000/svg"
"""Without it, browsers show an SVG image as XML."""

_SHOWN = ("text/html", "text/markdown", "text/latex", *IMAGES, "text/plain")
"""The forms of a result that can be shown, the best first."""

_DOLLARS = re.compile(r"\s*\$\$?(?:\\displaystyle\b)?([^$]+)\$\$?\s*")
_ENVIRONMENT = re.compile(r"\s*\\begin\{(?:align|alignat|eqnarray|equation|flalign|gather|multline)\*?\}")
_BORDER = re.compile(r'(?<=<table) border="\d{1,3}"')
"""The frame of data frames, which the theme replaces."""
_TAG = re.compile(r"<[^<>]*>")
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9_-]+")


class Files:
    """The files of a notebook so far, and the problems found.

    Attributes:
        request: the request to convert the notebook.
        found: the files.
        problems: the problems.
    """

    def __init__(self, request: ToConvert) -> None:
        """
        Args:
            request: the request to convert the notebook.
        """
        self.request = request
        self.found: list[ContainedFile] = []
        self.problems: list[Diagnostic] = []
        self._names: set[str] = set()

    def image(self, raw: msgspec.Raw, kind: str, stem: str) -> str:
        """Add an image.

        Args:
            raw: its content.
            kind: its media type.
            stem: the preferred name of its file, without a suffix.

        Returns:
            The target of links to it.

        Raises:
            NotebookError: if it cannot be published.
        """
        ending, begin = IMAGES[kind]
        content = text_of(raw)
        if len(content) > MAX_IMAGE * 4 // 3 + 4096:
            raise NotebookError(f"an image that is larger than {MAX_IMAGE >> 20} MiB")
        data = content.strip().encode() if ending == "svg" else _binary(content)
        is_image = _NAMESPACE in data if ending == "svg" else image_size(data) is not None
        if not (data.startswith(begin) and is_image):
            raise NotebookError(f"a damaged image of the type {kind}")
        look = Look(f"x.{ending}")
        look.feed(data)
        if reason := look.reason():
            raise NotebookError(f"an SVG image that browsers would not only show: {reason}")
        if len(self.found) >= MAX_FILES:
            raise NotebookError(f"an image: the notebook has more than {MAX_FILES}")
        name = self._free(_UNSAFE_NAME.sub("-", stem)[:60], ending)
        self.found.append(ContainedFile(name, data))
        return f"{self.request.folder}{name}"

    def report(self, at: int, cell: int, error: NotebookError) -> None:
        """Report what cannot be shown."""
        self.tell(problems.omitted_output(Span(self.request.file, at), cell, str(error)))

    def tell(self, problem: Diagnostic) -> None:
        """Report a problem, unless there are too many already."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def _free(self, stem: str, ending: str) -> str:
        name, number = f"{stem}.{ending}", 1
        while name.lower() in self._names:
            number += 1
            name = f"{stem}-{number}.{ending}"
        self._names.add(name.lower())
        return name


def _binary(text: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except (Base64Error, ValueError) as error:
        raise NotebookError("an image that is not valid Base64") from error


class OutputWriter:
    """Writes the outputs of one cell."""

    def __init__(self, text: MarkdownText, files: Files, cell: int, alt: str) -> None:
        """
        Args:
            text: the text of the post.
            files: the files of the notebook.
            cell: the number of the cell.
            alt: the alt text of its images.
        """
        self._text = text
        self._files = files
        self._cell = cell
        self._alt = alt

    def printed(self, text: str, at: int) -> None:
        """Write text that a program has printed, with the colors that it has in a terminal."""
        lines = printed(text[:MAX_TEXT])
        if len(text) > MAX_TEXT or len(lines) > MAX_LINES:
            self._cut(at, f"{MAX_LINES:,} lines" if len(lines) > MAX_LINES else f"{MAX_TEXT:,} characters")
            lines = [*lines[:MAX_LINES], "…"]
        if any(map(str.strip, lines)):
            info = "ansi output" if "\x1b" in text else "text output"
            self._text.fence(info, [Line(line, at) for line in lines], at)

    def error(self, output: Output, at: int) -> None:
        """Write an error."""
        self.printed("\n".join(output.traceback) or f"{output.ename}: {output.evalue}", at)

    def result(self, output: Output, at: int) -> None:
        """Write a result: the best of its forms that can be shown."""
        is_told = False
        for kind in _SHOWN:
            if kind in output.data and (kind in IMAGES or not _is_empty(bytes(output.data[kind]))):
                try:
                    if self._show(output, kind, at):
                        return
                except NotebookError as error:
                    self._files.report(at, self._cell, error)
                    is_told = True
        kinds = [kind for kind, raw in output.data.items() if not _is_empty(bytes(raw))]
        if kinds and not is_told:
            self._files.tell(problems.unshown_output(Span(self._files.request.file, at), self._cell, kinds))

    def _show(self, output: Output, kind: str, at: int) -> bool:
        raw = output.data[kind]
        if kind in IMAGES:
            self._image(raw, kind, output.metadata.get(kind), at)
            return True
        show: dict[str, Callable[[str, int], bool]] = {
            "text/html": self._html,
            "text/markdown": self._markdown,
            "text/latex": self._formula,
        }
        if kind in show:
            return show[kind](text_of(raw), at)
        self.printed(text_of(raw), at)
        return True

    def _image(self, raw: msgspec.Raw, kind: str, noted: Any, at: int) -> None:
        target = self._files.image(raw, kind, f"cell-{self._cell}")
        width, height = (noted.get(side) if isinstance(noted, dict) else None for side in ("width", "height"))
        size = f"{{width={int(width)} height={int(height)}}}" if _is_length(width) and _is_length(height) else ""
        self._text.write(f"![{escaped(self._alt)}]({target}){size}", at)

    def _html(self, html: str, at: int) -> bool:
        if self._files.request.html == "escape":
            return False
        if len(html) > MAX_HTML:
            raise NotebookError(f"HTML with more than {MAX_HTML:,} characters")
        depth = scan(html).depth
        if depth > MAX_DEPTH or (may_grow(html, len(html)) and is_tangled(html)):
            raise NotebookError("HTML with elements that are nested too deeply, or never closed")
        try:
            clean = _BORDER.sub("", sanitize(html))
        except NativeFaultError as error:
            raise NotebookError("HTML on which the sanitizer failed") from error
        clean = clean.replace("<th></th>", "<td></td>")  # the corner of a data frame heads nothing
        if "<img" not in clean and not _TAG.sub("", clean).strip():
            return False
        begin = '<div class="table" tabindex="0">' if "<table" in clean else "<div>"
        self._text.html(f"{begin}{clean}\n</div>", at)
        return True

    def _markdown(self, text: str, at: int) -> bool:
        self._text.markdown([Line(line, at) for line in lines_of(text[:MAX_TEXT].strip("\r\n"))])
        if len(text) > MAX_TEXT:
            self._cut(at, f"{MAX_TEXT:,} characters")
        return True

    def _cut(self, at: int, limit: str) -> None:
        self._files.tell(problems.long_output(Span(self._files.request.file, at), self._cell, limit))

    def _formula(self, text: str, at: int) -> bool:
        if not self._files.request.math:
            return False
        dollars = _DOLLARS.fullmatch(text)
        if not dollars and not _ENVIRONMENT.match(text):
            return False
        formula = "\n".join(line for line in lines_of(dollars[1] if dollars else text) if line.strip())
        if not formula:
            return False
        self._text.write(f"$$\n{formula.strip()}\n$$" if dollars else formula, at)
        return True


def _is_length(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and 1 <= value <= MAX_SIDE


def escaped(text: str) -> str:
    """A text in which nothing is Markdown, on one line."""
    return re.sub(rf"[\\`*_{{}}\[\]<>$&!|~^=:]|{BARE_LINKS}", r"\\\g<0>", " ".join(text.split()))


def streams(outputs: Sequence[tuple[Output, int]]) -> Iterable[tuple[Output, int]]:
    """Outputs in which adjacent pieces of one stream are joined."""
    joined: list[tuple[Output, int, list[str]]] = []
    for output, at in outputs:
        last = joined[-1][0] if joined else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            joined[-1][2].append(_text(output))
        else:
            joined.append((output, at, [_text(output)]))
    for output, at, pieces in joined:
        yield (output if len(pieces) == 1 else msgspec.structs.replace(output, text="".join(pieces))), at


def _text(output: Output) -> str:
    return output.text if isinstance(output.text, str) else "".join(output.text)


def _is_empty(json: bytes) -> bool:
    """Whether a form of an output has no text: one of several lines may have empty ones only."""
    if len(json) > _LONGEST_EMPTY:
        return False
    try:
        value = msgspec.json.decode(json)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # such as a number that no float holds
        return False
    lines = value if isinstance(value, list) else [value]
    return not any(line.strip() if isinstance(line, str) else line not in (None, {}) for line in lines)


_LONGEST_EMPTY = 1_000
