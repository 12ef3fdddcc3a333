"""Ignores files in formats of which the old generator made no pages, and notebooks of which devlog makes none."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from devlog.adopt.adoption import Draft
from devlog.adopt.common import add_ignored, as_patterns, literal
from devlog.adopt.file_tree import folders_above
from devlog.adopt.foreign import read_head
from devlog.adopt.ignoring import WITH_NOTEBOOKS, content_of, is_draft
from devlog.adopt.survey import MARKDOWN, NOTEBOOK, Survey
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.dates import date_from_name
from devlog.report import count

_FILE_NAME = re.compile(r"[\w.%@+~-]+")
_HTML = (".html", ".htm")
_UNREAD = {
    "Astro": (*_HTML, NOTEBOOK),
    "Docusaurus": (".markdown", *_HTML, NOTEBOOK),
    "Eleventy": (".markdown", ".htm", NOTEBOOK),
    "Gatsby": (*_HTML, NOTEBOOK),
    "Hexo": (NOTEBOOK,),
    "Jupyter Book": (".markdown", *_HTML),
    "MyST": (".markdown", *_HTML),
    "Pelican": (NOTEBOOK,),
    "Quarto": _HTML,
    "VitePress": (".markdown", *_HTML, NOTEBOOK),
    "VuePress": (".markdown", *_HTML, NOTEBOOK),
}
"""The formats that devlog makes pages of, or offers for download, but a generator without plugins does not.

Others copy such files as they are, so that nothing in them was hidden.
"""
_OF_NOTEBOOKS = frozenset({"Jupyter Book", "MyST", "Nikola or Sphinx", "Quarto"})
"""The generators that make pages of notebooks."""
_PAGES_OF_ASTRO = "src/pages/"
"""The folder in which Astro makes pages of HTML files."""


def other_formats(draft: Draft, survey: Survey, other: str) -> None:
    """Ignore files in other formats than the generator's own, unless a post names them, and report them.

    Args:
        draft: receives the setting and the notes.
        survey: the files of the site.
        other: the generator.
    """
    if other in _OF_NOTEBOOKS:
        _downloads(draft, survey, other)
    content = content_of(draft)
    files = survey.below(content, _UNREAD[other]) if other in _UNREAD else []
    if files:
        named = named_files(survey, content)
        unnamed = [file for file in files if posixpath.basename(file) not in named]
        found = [file for file in unnamed if not (other == "Astro" and file.startswith(_PAGES_OF_ASTRO))]
        ignore_formats(draft, found, content, {posixpath.splitext(file)[1] for file in set(files).difference(found)})
        if found:
            least = f"{count(len(found), 'file')} ignored that {other} makes no pages of, and that no post names"
            draft.advise(least, Span(found[0]))


def ignore_formats(draft: Draft, files: list[str], content: str, kept: set[str]) -> None:
    """Ignore files by their extensions, or each by its path if there are others with its extension.

    Args:
        draft: receives the setting.
        files: the files.
        content: the content folder.
        kept: the extensions of the others.
    """
    endings = {posixpath.splitext(path)[1] for path in files} - {""} - kept
    add_ignored(draft, *sorted(f"*{literal(ending)}" for ending in endings))
    add_ignored(draft, *as_patterns((path for path in files if posixpath.splitext(path)[1] not in endings), content))


def named_files(survey: Survey, folder: str) -> frozenset[str]:
    """What may be a name of a file in the posts of a folder, without those that say that they are not published."""
    sources = (path for path in survey.below(folder, (*MARKDOWN, ".html")) if not is_draft(read_head(survey, path)))
    return frozenset(unquote(name) for path in sources for name in _FILE_NAME.findall(survey.head(path)))


def _downloads(draft: Draft, survey: Survey, other: str) -> None:
    """Ignore the notebooks that devlog would offer for download, with all that a page does not show."""
    content = content_of(draft)
    indexes = (file for file in survey.below(content, WITH_NOTEBOOKS) if _stem(file) == "index")
    bundles = {posixpath.dirname(file) for file in indexes} - {"" if content == "." else content}
    makes_pages = draft.setting("dialect") is None
    files = survey.below(content, (NOTEBOOK,))
    found = [file for file in files if not (makes_pages and _is_page(file, bundles))]
    add_ignored(draft, *as_patterns(found, content))
    if found:
        least = f"{count(len(found), 'notebook')} ignored that had a page in {other}, and would be a download in devlog"
        draft.advise(f"{least}: for a page, begin the name with the date (docs/notebooks.md)", Span(found[0]))


def _is_page(file: str, bundles: set[str]) -> bool:
    """Whether devlog makes a page of a notebook: its name has a date, and it is not beside the index of a post."""
    if _stem(file) == "index":
        return bundles.isdisjoint(folders_above(posixpath.dirname(file)))
    return date_from_name(_stem(file))[0] is not None and bundles.isdisjoint(folders_above(file))


def _stem(file: str) -> str:
    return posixpath.splitext(posixpath.basename(file))[0].lower()
