"""Finds what Lektor hides: the pages and attachments whose ``.lr`` file says so, with all that is below them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from devlog.adopt.adoption import Draft
from devlog.adopt.file_tree import FileTree
from devlog.adopt.foreign import EMPTY, Found
from devlog.adopt.ignoring import content_of, ignore
from devlog.adopt.survey import Survey
from devlog.model.diagnostic import Span

_HIDDEN = re.compile(r"^_hidden:[ \t]*(?:yes|true|1|on)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def by_hidden(draft: Draft, survey: Survey) -> None:
    """Ignore what is hidden."""
    content = content_of(draft)
    tree = FileTree(survey.below(content), content)
    found: list[tuple[Found, Iterable[str]]] = []
    for file in survey.below(content, (".lr",)):
        text = survey.head(file)
        if hidden := _HIDDEN.search(text):
            is_page = posixpath.basename(file).startswith("contents")  # as contents.lr, contents+fr.lr
            key = Found("_hidden", Span(file, text.count("\n", 0, hidden.start()) + 1), EMPTY)
            found.append((key, tree.patterns([posixpath.dirname(file) if is_page else file.removesuffix(".lr")])))
    ignore(draft, found)
