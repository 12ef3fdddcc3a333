"""Finds what MkDocs did not publish for other reasons than a page's own front matter: devlog ignores it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

from devlog.adopt.adoption import Draft
from devlog.adopt.common import folder_of, without_escapes
from devlog.adopt.file_tree import FileTree
from devlog.adopt.foreign import EMPTY, Found, get
from devlog.adopt.git_lines import as_glob, named_by, stripped
from devlog.adopt.ignoring import LOOK, content_of, ignore, ignore_until, path_inside
from devlog.adopt.mkdocs import named
from devlog.adopt.spanning import spanning
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.engine.work import time_limit
from devlog.model.diagnostic import Span
from devlog.model.patterns import compile_pattern
from devlog.out_of_time import OutOfTimeError
from devlog.parse.front_matter.tree import Scalar

_METADATA = re.compile(r" {0,3}[A-Za-z0-9_-]+:")
"""The beginning of a page with metadata of MultiMarkdown, which need no line around them."""
_SECONDS = 5.0
"""How long the expressions of the old site may take for the names of all files."""


def by_exclude_docs(draft: Draft, survey: Survey) -> None:
    """Ignore what MkDocs does not publish: the files that its configuration names, and ``templates/``."""
    docs, content = _docs(draft), content_of(draft)
    tree = FileTree(survey.below(content), content)
    found: list[tuple[Found, Iterable[str]]] = []
    for key in filter(None, (draft.take("exclude_docs"), draft.take("draft_docs"))):
        for line in key.node.text.split("\n") if isinstance(key.node, Scalar) else ():
            text = stripped(line)
            name = without_escapes(text.rstrip("/"))
            if name and "/" not in name and "\\" not in name and not text.startswith(("!", "#")):
                found.append((key, (as_glob(name),)))  # in any folder
            else:
                whole = Found(text, key.span, EMPTY)
                found.append((whole, named_by(draft, tree, docs, whole)))
    templates = Found("/templates/", Span(f"{docs}/templates"), EMPTY)
    ignore(draft, [*found, (templates, named_by(draft, tree, docs, templates))])


def by_exclude_plugin(draft: Draft, survey: Survey) -> None:
    """Ignore what the plugin ``exclude`` leaves out, whose globs and expressions are for paths in ``docs``."""
    docs, content = _docs(draft), content_of(draft)
    files = survey.below(content)
    tree = FileTree(files, content)
    paths = {path_inside(file, docs): file for file in files}
    for plugin in (plugin for name, plugin in named(draft.peek("plugins")) if name == "exclude"):
        globs, expressions = _items(plugin, "glob"), _items(plugin, "regex")
        found: list[tuple[Found, Iterable[str]]] = [
            (key, spanning(glob, list(paths)) if docs == content else tree.patterns(_matching(paths, glob)))
            for key, glob in globs
        ]
        found += [(key, tree.patterns(hidden)) for key, hidden in _searched(draft, paths, expressions)]
        if not (globs or expressions):
            draft.leave(plugin, f"it has no “glob” or “regex” that devlog can read; {LOOK}")
        ignore(draft, found)


def unread_metadata(draft: Draft, survey: Survey) -> None:
    """Ignore pages whose metadata only MkDocs reads, as in MultiMarkdown: devlog would show them, and drafts, too."""
    content = content_of(draft)
    found = (file for file in survey.below(content, MARKDOWN) if _METADATA.match(survey.head(file)))
    ignore_until(draft, content, dict.fromkeys(found, "its metadata are between lines “---”"))


def _items(plugin: Found, name: str) -> list[tuple[Found, str]]:
    """The items of an option of the plugin, each as a key, too."""
    option = get(plugin.node, (name,))
    return [(Found(f"{plugin.key}: {text}", option.span, option.node), text) for text in option.texts] if option else []


def _matching(paths: Mapping[str, str], glob: str) -> list[str]:
    return [file for path, file in paths.items() if fnmatchcase(path, glob)]


def _searched(
    draft: Draft, paths: Mapping[str, str], expressions: Sequence[tuple[Found, str]]
) -> list[tuple[Found, list[str]]]:
    """The files whose paths begin with what each expression matches; one that cannot be searched is reported."""
    found: list[tuple[Found, list[str]]] = []
    with suppress(OutOfTimeError), time_limit(_SECONDS):
        for key, expression in expressions:
            try:
                begins = compile_pattern(expression).match
            except (re.error, OverflowError, RecursionError):
                draft.leave(key, f"it is not a regular expression of Python; {LOOK}")
                found.append((key, []))
            else:
                found.append((key, [file for path, file in paths.items() if begins(path)]))
    for key, _ in expressions[len(found) :]:
        draft.leave(key, f"it takes too long as a regular expression; {LOOK}")
    return found


def _docs(draft: Draft) -> str:
    """The folder of all source files."""
    configured = draft.peek("docs_dir")
    return folder_of(configured.text if configured else "docs") or "."
