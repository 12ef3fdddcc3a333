"""Finds what Jekyll did not publish for other reasons than a file's own front matter: devlog ignores it."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from devlog.adopt.adoption import Draft
from devlog.adopt.common import (
    add_ignored,
    as_patterns,
    folder_of,
    literal,
    without_braces,
    without_escapes,
)
from devlog.adopt.file_tree import SPECIAL, Pages, folders_above
from devlog.adopt.foreign import Found, get, read_head
from devlog.adopt.ignoring import LOOK, SOURCES, content_of, ignore, is_off, kept_folders, path_inside, shortest
from devlog.adopt.spanning import spanning
from devlog.adopt.survey import Survey
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Span
from devlog.report import count

_POST_FILES = re.compile("post-?files")


def by_exclude(draft: Draft, survey: Survey) -> None:
    """Ignore what Jekyll's ``exclude`` names: all paths that begin with an item, or that it matches as a glob."""
    excluded = draft.take("exclude")
    if not (excluded and excluded.texts):
        return
    content = content_of(draft)
    paths = [path_inside(path, content) for path in survey.below(content)]
    texts = (text.lstrip("/") for text in excluded.texts if not text.startswith("../"))
    patterns = dict.fromkeys(pattern for text in texts if text for pattern in _excluded(text, paths))
    draft.put("ignore", tuple(patterns), excluded)


def _excluded(text: str, paths: Sequence[str]) -> tuple[str, ...]:
    beginning = f"/{literal(text)}" if text.endswith("/") else f"/{literal(text)}*"
    if not (SPECIAL.search(text) or "\\" in text):
        return (beginning.rstrip("/"),)
    at = bisect_left(paths, text)
    is_beginning = at < len(paths) and paths[at].startswith(text)
    return (*spanning(without_escapes(text.rstrip("/")), paths), *((beginning.rstrip("/"),) if is_beginning else ()))


class _Scope(NamedTuple):
    """A scope of Jekyll's ``defaults``: the path of the sources in it, their type, and whether they are published."""

    path: str
    type: str
    key: Found

    @property
    def rank(self) -> tuple[int, bool]:
        """Its precedence: of two of the same, the later one has it."""
        return len(self.path), bool(self.type)

    @property
    def globs(self) -> tuple[str, ...]:
        """What the paths of the sources in it match.

        For Jekyll 4, the path of a source begins with it; for Jekyll 3, it is its own, or that of a folder above it.
        What one of both leaves out is not published.
        """
        globs = without_braces(self.path) if "*" in self.path else [literal(self.path)]
        if is_off(self.key) or not self.path:
            return tuple(f"{glob}**" for glob in globs)
        return tuple(f"{glob.rstrip('/')}{end}" for glob in globs for end in ("", "/**"))


def collections_folder(draft: Draft) -> str:
    """The folder in the content folder with Jekyll's collections, also of posts and drafts, with a slash at its end.

    It is empty if they are in the content folder itself.
    """
    found = draft.peek("collections_dir")
    folder = folder_of(found.text).strip("/") if found else ""
    return f"{folder}/" if folder else ""


def posts_elsewhere(draft: Draft, survey: Survey) -> None:
    """Ignore the folders of posts and drafts outside of ``collections_dir``, in which Jekyll does not look."""
    key, above, content = draft.take("collections_dir"), collections_folder(draft), content_of(draft)
    if key and above:
        folders = [folder for folder in survey.folders if posixpath.basename(folder) in ("_posts", "_drafts")]
        inside = [path_inside(folder, content) for folder in folders if content in (".", *folders_above(folder))]
        draft.done(key, f"posts and collections are in {above}")
        others = (path for path in inside if not path.startswith(above))
        ignore(draft, [(key, as_patterns(others, "."))])


def by_defaults(draft: Draft, survey: Survey, type_of: Callable[[str], str]) -> None:
    """Ignore the sources that inherit ``published: false`` from Jekyll's ``defaults``.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        type_of: returns the type of a source, by its path in the content folder.
    """
    content = content_of(draft)
    defaults, above = draft.peek("defaults"), collections_folder(draft)
    scopes: dict[tuple[str, str], _Scope] = {}
    for item in defaults.items if defaults else ():
        path, kind = (get(item, ("scope", name)) for name in ("path", "type"))
        key = get(item, ("values", "published"))
        if key:
            start = path.text.lstrip("/").removeprefix(above) if path else ""
            scope = _Scope(start, kind.text if kind else "", key)
            scopes[scope.path, scope.type] = scope
    if not scopes:
        return
    sources = survey.below(content, SOURCES)
    kinds: dict[str, dict[str, str]] = {"": {file: path_inside(file, content).removeprefix(above) for file in sources}}
    for file, inside in kinds[""].items():
        kinds.setdefault(type_of(inside), {})[file] = inside
    pages = {kind: Pages(files) for kind, files in kinds.items()}
    decided: dict[str, Found] = {}
    for scope in sorted(scopes.values(), key=lambda scope: scope.rank):
        key = scope.key._replace(key=f"defaults.{scope.key.key.rpartition('.')[2]}")
        if compile_ignore(tuple(f"/{glob}" for glob in scope.globs))[1]:
            draft.leave(key, f"the path of its scope has no counterpart; {LOOK}")
        elif scope.type in pages:
            decided.update(dict.fromkeys(pages[scope.type].reached("", scope.globs), key))
    hidden: dict[Found, list[str]] = {}
    for file in sources:
        if file in decided and is_off(decided[file]) and not get(read_head(survey, file), ("published",)):
            hidden.setdefault(decided[file], []).append(file)
    kept = kept_folders(sources, [file for files in hidden.values() for file in files])
    ignore(draft, ((key, shortest(content, kept, files)) for key, files in hidden.items()))


def files_of_posts(draft: Draft, survey: Survey) -> None:
    """Ignore what is no source in Jekyll's folders of posts: Jekyll copies it only with a plugin, and devlog always."""
    plugins = [text for key in ("plugins", "gems") if (found := draft.peek(key)) for text in found.texts]
    if _POST_FILES.search("\n".join((*plugins, survey.head("Gemfile")))):
        return
    content = content_of(draft)
    files = [
        path
        for path in survey.below(content)
        if "_posts" in path.split("/")[:-1]
        and not path.lower().endswith(SOURCES)
        and posixpath.basename(path)[0] != "."
    ]
    add_ignored(draft, *as_patterns(files, content))
    if files:
        draft.advise(
            f"{count(len(files), 'file')} in _posts/ ignored that Jekyll does not publish either", Span(files[0])
        )
