"""Reads lists of paths as in a ``.gitignore``, which several generators have."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from devlog.adopt.adoption import Draft
from devlog.adopt.common import without_escapes
from devlog.adopt.file_tree import SPECIAL, FileTree
from devlog.adopt.foreign import EMPTY, Found
from devlog.adopt.ignoring import LOOK, content_of, path_inside
from devlog.adopt.survey import Survey
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Span


def ignored_by(draft: Draft, survey: Survey, files: Iterable[str]) -> list[tuple[Found, Iterable[str]]]:
    """What the lines of files such as ``.eleventyignore`` name, as paths in the folder of the file."""
    content = content_of(draft)
    tree = FileTree(survey.below(content), content)
    lines = (
        (posixpath.dirname(file), Found(stripped(text), Span(file, number), EMPTY))
        for file in files
        for number, text in enumerate(survey.head(file).split("\n"), 1)
    )
    return [(line, named_by(draft, tree, folder, line)) for folder, line in lines]


def ignored_by_git(draft: Draft, survey: Survey, files: Iterable[str]) -> list[tuple[Found, Iterable[str]]]:
    """What the lines of files such as ``.gitignore`` name: without a slash, in any folder."""
    content = content_of(draft)
    parts = {part for path in survey.below(content) for part in path_inside(path, content).split("/")}
    found: list[tuple[Found, Iterable[str]]] = []
    for line, patterns in ignored_by(draft, survey, files):
        name = without_escapes(line.key.rstrip("/"))
        is_name = "/" not in name and not re.match("[!#]", line.key) and "\\" not in name
        if is_name and (name in parts or SPECIAL.search(name)) and not compile_ignore((name,))[1]:
            found.append((line, (*patterns, as_glob(name))))
        else:
            found.append((line, patterns))
    return found


def stripped(text: str) -> str:
    """A line without spaces around it, except for one at its end that is escaped."""
    short = text.strip()
    backslashes = len(short) - len(short.rstrip("\\"))
    return f"{short} " if backslashes % 2 and text.rstrip() != text else short


def as_glob(name: str) -> str:
    """A pattern for a name or glob of others, which must not become a regular expression."""
    return f"[r]{name[1:]}" if name.startswith("re:") else name


def named_by(draft: Draft, tree: FileTree, folder: str, line: Found) -> tuple[str, ...]:
    """Patterns of what a line of a ``.gitignore`` names, if it has a slash; one without a counterpart is reported.

    Args:
        draft: receives the notes.
        tree: the files of the content folder.
        folder: the folder that the line is about.
        line: the line as a key.
    """
    text = line.key
    if not text or text.startswith("#"):
        return ()
    path = without_escapes(text.rstrip("/").removeprefix("./").lstrip("/"))
    glob = posixpath.join(folder, path).strip("/")
    rule, wrong = compile_ignore((f"/{glob}",))
    if text.startswith("!") or "\\" in path or wrong:
        draft.leave(line, f"it has no counterpart; {LOOK}")
        return ()
    return tree.patterns(tree.named(glob, rule.paths[0]))
