"""Finds the front matter of Jupyter notebooks: in cells, as Quarto has it, or in their metadata, as Nikola has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import msgspec

_KEYS = ("devlog", "nikola")
"""The keys of a notebook's metadata that contain front matter."""

T = TypeVar("T")


class Head(NamedTuple):
    """A text that may begin with front matter, and its line in the file."""

    text: str
    line: int


class _Cell(msgspec.Struct):
    cell_type: str = ""
    source: str | list[str] = ""


class _Notebook(msgspec.Struct):
    cells: list[msgspec.Raw] = []
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


def heads_in(text: str) -> Iterator[Head]:
    """The texts in a notebook that may begin with front matter; none if it is no notebook.

    Quarto reads front matter in any cell that is not code. Of a damaged cell, nothing is read.

    Args:
        text: the text of the file.
    """
    notebook = _decoded(text, _Notebook)
    if not notebook:
        return
    metadata = _decoded(notebook.metadata, dict[str, msgspec.Raw]) or {}
    for key in _KEYS:
        if key in metadata:
            yield Head(bytes(metadata[key]).decode(), _line(text, text.find(f'"{key}"')))
    at = 0
    for raw in notebook.cells:
        cell = _decoded(raw, _Cell)
        if not cell or cell.cell_type == "code":
            continue
        source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        if source.lstrip()[:3] in ("---", "+++"):
            at = text.find(f'"{source.lstrip()[:3]}', at + 1)
            yield Head(source, _line(text, at))


def _decoded(json: str | msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(json, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, max(at, 0)) + 1
