"""Converts a notebook to Markdown: its text is the post, with its code as fences and what that has put out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import unquote

import msgspec

from devlog.features.notebooks import problems
from devlog.features.notebooks.parse.markdown_text import MarkdownText
from devlog.features.notebooks.parse.notebook import RESULTS, Cell, Line, Notebook, NotebookError, Output, read_output
from devlog.features.notebooks.parse.outputs import IMAGES, Files, OutputWriter, streams
from devlog.model.converted import Converted, ToConvert
from devlog.model.diagnostic import Span
from devlog.model.secrets import shortened
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.code.highlight import known_language
from devlog.parse.convert import LIMIT
from devlog.parse.front_matter.block import MAX_LENGTH

_ATTACHED = re.compile(
    r"""(?P<before>(?:\]\(\s*|\bsrc\s*=\s*["']?|^ {0,3}\[[^\]\n]{1,200}\]:\s*)(?P<angle><)?)"""
    r"""attachment:(?P<name>(?(angle)[^<>\n]+|(?:[^\s()"'<>]|\([^\s()"'<>]*\))+))""",
    re.MULTILINE,
)
_MAGIC = re.compile(r"%%(\w+)")
_MAGICS = {
    "bash": "bash",
    "sh": "sh",
    "script": "bash",
    "html": "html",
    "HTML": "html",
    "javascript": "js",
    "js": "js",
    "latex": "latex",
    "markdown": "markdown",
    "perl": "perl",
    "ruby": "ruby",
    "R": "r",
    "sql": "sql",
    "svg": "xml",
    "cython": "cython",
    "writefile": "text",
}
"""The languages of cells that begin with these magics of IPython."""
_OPTION = re.compile(r"#\| ?(?:([\w-]+) ?: ?)?(.*)")
_OPTIONS = {
    ("echo", "false"): "remove-input",
    ("output", "false"): "remove-output",
    ("eval", "false"): "",
    ("include", "false"): "remove-cell",
    ("code-fold", "true"): "hide-input",
    ("", "hide"): "remove-cell",
    ("", "hide_input"): "remove-input",
    ("", "hide_output"): "remove-output",
}
"""The tags that options in a cell's first lines stand for, as in Quarto and nbdev."""
_FOLDED = re.compile(r"[>|][+-]?")
"""What YAML has in place of a text that is in the lines below."""
_RAW = frozenset({"", "text/markdown", "text/html"})
"""The media types of raw cells that are part of a page."""


def convert_notebook(request: ToConvert) -> Converted:
    """Convert a notebook to Markdown."""
    try:
        notebook = Notebook(request.text)
    except NotebookError as error:
        span = Span(request.file)
        other = problems.other_format(span, error.version) if error.version else None
        wrong = other or problems.not_a_notebook(span, str(error))
        return Converted("", problems=(wrong,))
    text, files = MarkdownText(html=request.html != "escape"), Files(request)
    writer = _CellWriter(text, files, notebook)
    for number, part in enumerate(notebook.parts, start=1):
        if text.length > LIMIT:
            break  # such a text is refused, however long it would be
        try:
            writer.write(notebook.cell(number))
        except NotebookError as error:
            span = Span(request.file, notebook.line_of(part))
            files.tell(problems.bad_cell(span, number, str(error)))
    lines = [*_front_matter(notebook, text.lines), *text.lines]
    return Converted(
        "".join(f"{line.text}\n" for line in lines),
        tuple(line.at for line in lines),
        tuple(files.found),
        tuple(files.problems),
        sanitized=True,  # programs have written much of it, and few people read it in the file
    )


def _front_matter(notebook: Notebook, lines: Sequence[Line]) -> list[Line]:
    """The front matter in the notebook's own metadata, unless its first cell has front matter."""
    if lines and lines[0].text.strip() in ("---", "+++"):
        return []
    own = notebook.metadata.get("devlog")
    found = own if isinstance(own, dict) else {}
    title, authors = notebook.metadata.get("title"), notebook.metadata.get("authors")
    if isinstance(title, str) and title.strip():
        found = {"title": title, **found}
    names = (
        [one["name"] for one in authors if isinstance(one, dict) and isinstance(one.get("name"), str)]
        if isinstance(authors, list)
        else []
    )
    if names:
        found = {"authors": names, **found}
    if not found:
        return []
    encoded = msgspec.json.encode(found)
    # Too long in any case, and indenting many values that are nested deeply would make it many times as long.
    indent = 1 if len(encoded) <= MAX_LENGTH else 0
    written = msgspec.json.format(encoded, indent=indent).decode()
    return [Line(line, notebook.metadata_at) for line in (*written.split("\n"), "")]


class _CellWriter:
    def __init__(self, text: MarkdownText, files: Files, notebook: Notebook) -> None:
        self._text = text
        self._files = files
        self._notebook = notebook
        self._language = _language_of(notebook.metadata)

    def write(self, cell: Cell) -> None:
        """Write a cell, unless it is tagged not to be part of the page."""
        tags = _tags(cell.metadata)
        if "remove-cell" in tags:
            return
        if cell.kind == "markdown":
            self._text.markdown(self._with_attachments(cell))
        elif cell.kind == "code":
            self._code(cell, tags)
        elif cell.kind == "raw":
            if str(cell.metadata.get("raw_mimetype", cell.metadata.get("format", ""))) in _RAW:
                self._text.markdown(cell.lines)
        else:
            raise NotebookError(f"its type “{shortened(cell.kind, 40)}” is unknown")

    def _code(self, cell: Cell, tags: frozenset[str]) -> None:
        lines, options = _without_options(cell.lines)
        tags |= {_OPTIONS.get(option, "") for option in options}
        if "remove-cell" in tags:
            return
        if any(line.text.strip() for line in lines) and "remove-input" not in tags:
            self._folded("hide-input" in tags, self._files.request.t("code"), cell.at, lambda: self._source(lines))
        alt = dict(options).get("fig-alt", "").strip("\"'") or self._files.request.t("cell_output")
        if cell.outputs and "remove-output" not in tags:
            writer = OutputWriter(self._text, self._files, cell.number, alt)
            summary = self._files.request.t("cell_output")
            self._folded("hide-output" in tags, summary, cell.at, lambda: self._outputs(cell, tags, writer))

    def _source(self, lines: Sequence[Line]) -> None:
        magic = _MAGIC.match(lines[0].text)
        self._text.fence(_MAGICS.get(magic[1], self._language) if magic else self._language, lines, lines[0].at)

    def _folded(self, is_folded: bool, summary: str, at: int, write: Callable[[], None]) -> None:
        """Write something that readers see at once, or after a click."""
        folds = is_folded and self._files.request.html != "escape"
        if folds:
            self._text.write(f"<details>\n<summary>{escape(summary)}</summary>", at)
        write()
        if folds:
            self._text.write("</details>", at)

    def _outputs(self, cell: Cell, tags: frozenset[str], writer: OutputWriter) -> None:
        read: list[tuple[Output, int]] = []
        for part in cell.outputs:
            at = self._notebook.line_of(part)
            try:
                read.append((read_output(part), at))
            except NotebookError as error:
                self._files.report(at, cell.number, NotebookError(f"a damaged output: {error}"))
        for output, at in streams(read):
            if self._text.length > LIMIT:
                return  # see `convert_notebook`
            if output.output_type == "stream":
                if f"remove-{output.name}" not in tags:
                    writer.printed("".join(output.text), at)
            elif output.output_type == "error":
                writer.error(output, at)
            elif output.data or output.output_type in RESULTS:
                writer.result(output, at)
            else:
                reason = f"an output of the unknown type “{shortened(output.output_type, 80)}”"
                self._files.report(at, cell.number, NotebookError(reason))

    def _with_attachments(self, cell: Cell) -> Sequence[Line]:
        """The lines of a Markdown cell, with links to the files that are attached to it."""
        text = "\n".join(line.text for line in cell.lines)
        if "attachment:" not in text:
            return cell.lines
        links: dict[str, str] = {}
        for name, forms in cell.attachments.items():
            kind = next((kind for kind in IMAGES if kind in forms), "")
            if kind:
                try:
                    links[name] = self._files.image(forms[kind], kind, f"cell-{cell.number}-{name.rpartition('.')[0]}")
                except NotebookError as error:
                    self._files.report(cell.at, cell.number, error)
        code = CodeRanges(text)

        def link(found: re.Match[str]) -> str:
            if found.start("name") in code:
                return found[0]
            name = found["name"]
            return found["before"] + links.get(unquote(name), name)  # one that is missing is reported as a link

        changed = _ATTACHED.sub(link, text).split("\n")
        return [msgspec.structs.replace(line, text=text) for line, text in zip(cell.lines, changed, strict=True)]


def _tags(metadata: Mapping[str, Any]) -> frozenset[str]:
    """The tags of a cell, and what Jupyter notes about folded parts, as tags."""
    tags = metadata.get("tags")
    found = {tag.replace("_", "-") for tag in tags if isinstance(tag, str)} if isinstance(tags, list) else set()
    jupyter = metadata.get("jupyter")
    noted = jupyter if isinstance(jupyter, dict) else {}
    found |= {"hide-input"} if noted.get("source_hidden") is True else set()
    found |= {"hide-output"} if noted.get("outputs_hidden") is True else set()
    return frozenset(found | {"hide-input", "hide-output"} if "hide-cell" in found else found)


def _without_options(lines: Sequence[Line]) -> tuple[Sequence[Line], list[tuple[str, str]]]:
    """The lines of a cell without the options in its first ones, and these."""
    options: list[tuple[str, str]] = []
    folded = ""  # the option whose value is in the lines below it
    for index, line in enumerate(lines):
        text = line.text.strip()
        found = _OPTION.fullmatch(text)
        if not found:
            return lines[index:], options
        if folded and text.startswith("#|  "):
            options[-1] = folded, f"{options[-1][1]} {text[2:].strip()}".lstrip()
            continue
        name, value = found[1] or "", _boolean(found[2].strip())
        folded = name if _FOLDED.fullmatch(value) else ""
        options.append((name, "" if folded else value))
    return (), options


def _boolean(value: str) -> str:
    """The value of an option; in lower case if it is a boolean of YAML, which has three spellings."""
    return value.lower() if value in ("True", "TRUE", "False", "FALSE") else value


def _language_of(metadata: Mapping[str, Any]) -> str:
    """The language of the notebook's code; Python if it does not say, empty if it is not highlighted."""
    for key, own in (("language_info", "name"), ("kernelspec", "language")):
        noted = metadata.get(key)
        name = noted.get(own) if isinstance(noted, dict) else None
        if isinstance(name, str) and name:
            language = "python" if name.lower().startswith("ipython") else name.lower()
            return language if known_language(language) else ""
    return "python"
