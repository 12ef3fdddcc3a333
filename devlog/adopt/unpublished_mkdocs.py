"""Finds what MkDocs did not publish for other reasons than a page's own front matter: devlog ignores it."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.adopt.adoption import Draft
from devlog.adopt.common import folder_of, without_escapes
from devlog.adopt.file_tree import FileTree
from devlog.adopt.foreign import EMPTY, Found
from devlog.adopt.git_lines import as_glob, named_by, stripped
from devlog.adopt.ignoring import content_of, ignore
from devlog.adopt.survey import Survey
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Scalar


def by_exclude_docs(draft: Draft, survey: Survey) -> None:
    """Ignore what MkDocs does not publish: the files that its configuration names, and ``templates/``."""
    configured = draft.peek("docs_dir")
    docs = folder_of(configured.text if configured else "docs")
    content = content_of(draft)
    tree = FileTree(survey.below(content), content)
    found: list[tuple[Found, Iterable[str]]] = []
    for key in filter(None, (draft.take("exclude_docs"), draft.take("draft_docs"))):
        for line in key.node.text.split("\n") if isinstance(key.node, Scalar) else ():
            text = stripped(line)
            name = without_escapes(text.rstrip("/"))
            if name and "/" not in name and "\\" not in name and not text.startswith(("!", "#")):
                found.append((key, (as_glob(name),)))  # in any folder
            else:
                named = Found(text, key.span, EMPTY)
                found.append((named, named_by(draft, tree, docs, named)))
    templates = Found("/templates/", Span(f"{docs}/templates"), EMPTY)
    ignore(draft, [*found, (templates, named_by(draft, tree, docs, templates))])
