"""Ignores files because of what the old site says of them, with the fewest patterns, and notes each reason."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Table
from functools import cache

from devlog.adopt.adoption import Draft, shown
from devlog.adopt.common import add_ignored, as_patterns
from devlog.adopt.file_tree import folders_above
from devlog.adopt.foreign import Found, get
from devlog.adopt.survey import MARKDOWN, NOTEBOOK
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping

SOURCES = (*MARKDOWN, ".html", ".htm")
"""The extensions of source files."""
WITH_NOTEBOOKS = (*SOURCES, NOTEBOOK)
"""The same for generators that make pages of notebooks, too."""
LOOK = "look at what is published"
"""The advice where devlog cannot tell what the old generator left out."""
_MOST_SHOWN = 3


def ignore(draft: Draft, found: Iterable[tuple[Found, Iterable[str]]]) -> None:
    """Ignore files because of keys, or other lines, of the old site, and note it: all that a caller has at once.

    Args:
        draft: receives the setting and the notes.
        found: the keys or lines, each with what to ignore; nothing if the files are not in the content folder.
    """
    everything: list[str] = []
    for key, patterns in found:
        valid: list[str] = []
        wrong: list[str] = []
        for pattern in dict.fromkeys(patterns):
            (wrong if compile_ignore((pattern,))[1] else valid).append(pattern)
        everything += valid
        if valid:
            rest = f", and {len(valid) - _MOST_SHOWN} more" if len(valid) > _MOST_SHOWN else ""
            draft.done(key, f"ignore = {shown(tuple(valid[:_MOST_SHOWN]))}{rest}")
        if wrong:
            draft.leave(key, f"{shown(tuple(wrong[:_MOST_SHOWN]))} is no pattern of “ignore”; {LOOK}")
    add_ignored(draft, *everything)


def ignore_until(draft: Draft, content: str, wanted: Table[str, str]) -> None:
    """Ignore files whose front matter devlog does not read, and report each.

    Args:
        draft: receives the setting and the notes.
        content: the content folder.
        wanted: what makes devlog read it, by file.
    """
    for file, what in wanted.items():
        draft.note(Span(file, 1), "front matter", f"ignored until {what}")
    add_ignored(draft, *as_patterns(wanted, content))


def ignored_paths(draft: Draft) -> Callable[[str], bool]:
    """A function that returns whether devlog ignores a path in the content folder."""
    patterns = draft.setting("ignore")
    rules, _ = compile_ignore(patterns if isinstance(patterns, tuple) else ())

    @cache
    def is_out(folder: str) -> bool:
        return bool(folder) and (
            rules.content(posixpath.basename(folder), folder, True) or is_out(posixpath.dirname(folder))
        )

    return lambda path: rules.content(posixpath.basename(path), path, False) or is_out(posixpath.dirname(path))


def content_of(draft: Draft) -> str:
    """The content folder."""
    return str(draft.setting("content") or "content")


def path_inside(path: str, content: str) -> str:
    """The path of a file or folder in the content folder; empty for that folder itself."""
    return path if content == "." else path[len(content) + 1 :]


def kept_folders(files: Iterable[str], hidden: Iterable[str]) -> frozenset[str]:
    """The folders that contain a file that is not hidden, at any depth."""
    out = frozenset(hidden)
    return frozenset(folder for path in files if path not in out for folder in folders_above(path))


def shortest(content: str, kept: frozenset[str], hidden: Iterable[str]) -> tuple[str, ...]:
    """Patterns that ignore hidden files: whole folders where nothing is kept."""
    top = "" if content == "." else content
    depth = top.count("/") + 1 if top else 0
    found = [next((folder for folder in folders_above(path)[depth:] if folder not in kept), path) for path in hidden]
    return ("/**",) if top in found else as_patterns(dict.fromkeys(found), content)


def is_off(key: Found) -> bool:
    """Whether the value of a key is false."""
    return key.text.lower() in ("false", "no", "off")


def is_draft(head: Mapping) -> bool:
    """Whether front matter says that a post is not published."""
    published, draft = get(head, ("published",)), get(head, ("draft",))
    return bool((published and is_off(published)) or (draft and draft.is_on))
