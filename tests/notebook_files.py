"""Notebooks as Jupyter writes them."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from writers import png

HEAD = "---\ntitle: A faster log\ndate: 2026-05-04\nauthor: Ada Quill (@adaquill)\n---"


def notebook(*cells: dict[str, Any], **metadata: Any) -> str:
    """A notebook with some cells."""
    known = {"language_info": {"name": "python"}, **metadata}
    whole = {"cells": cells, "metadata": known, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def text(source: str, kind: str = "markdown", **more: Any) -> dict[str, Any]:
    """A cell that is not code."""
    return {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True), **more}


def code(source: str, *outputs: dict[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    """A cell with code and its outputs."""
    return {**text(source, "code"), "execution_count": 1, "metadata": {"tags": tags}, "outputs": outputs}


def printed(content: str, name: str = "stdout") -> dict[str, Any]:
    """An output that a program has printed."""
    return {"output_type": "stream", "name": name, "text": content.splitlines(keepends=True)}


def result(**forms: Any) -> dict[str, Any]:
    """An output in some forms: ``text_plain="…"``."""
    data = {kind.replace("_", "/", 1).replace("_", "+"): value for kind, value in forms.items()}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}


def encoded(data: bytes) -> str:
    """An image as notebooks have it."""
    return b64encode(data).decode() + "\n"


FILE = "content/log/2026-05-04-faster.ipynb"
IMAGE = "log/2026-05-04-faster/cell-3.png"
SITE: dict[str, str] = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "/"\n[cards]\nenabled = false\n',
    "content/log/_index.md": "---\ntitle: Log\n---\n",
}


def plotted(image: bytes, words: str = "It is *fast*.", *more: str) -> str:
    """A notebook with some text, an image, and more text."""
    cells = [text(words), code("log.plot()", result(image_png=encoded(image)))]
    return notebook(text(HEAD, "raw"), *cells, *(text(one) for one in more))


EDITS = {
    "other words": plotted(png(4, 3), "It is faster."),
    "another image": plotted(png(5, 3), "It is faster."),
    "no image": notebook(text(HEAD, "raw"), text("It is faster.")),
    "a broken link": plotted(png(5, 3), "See [x](y.md)."),
    "the same below a longer head": plotted(png(5, 3), "\n\nSee [x](y.md)."),
    "a large image again": plotted(png(2000, 400), "It is faster."),
    "a draft": plotted(png(4, 3)).replace("date: 2026", "draft: true\\ndate: 2026"),
}
"""Versions of the notebook, each of which is another edit."""
