"""Recognizes VitePress and VuePress, whose configuration is a program in a folder beside the texts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from devlog.adopt.adoption import Draft
from devlog.adopt.common import add_ignored, as_patterns, folder_of, without_braces
from devlog.adopt.file_tree import FileTree
from devlog.adopt.foreign import EMPTY, Found
from devlog.adopt.git_lines import named_by
from devlog.adopt.ignoring import LOOK, content_of, ignore
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.config_file.checks import may_be_folder
from devlog.model.diagnostic import Span

_CONFIGURATION = re.compile(r"(?:.*/)?\.(?P<name>vitepress|vuepress)/config(?:/index)?\.(?:[cm]?[jt]s|ya?ml|toml|json)")
_NAMES = {"vitepress": "VitePress", "vuepress": "VuePress"}
_SOURCE = re.compile(r"\bsrcDir\s*:\s*[\"'](?P<folder>[^\"'\n]+)[\"']")
_EXCLUDED = re.compile(r"\bsrcExclude\s*:\s*\[(?P<globs>[^\]]*)\]")
_PATTERNS = re.compile(r"\bpagePatterns\s*:\s*\[(?P<globs>[^\]]*)\]")
_STRING = re.compile(r"[\"'`](?P<text>[^\"'`\n]+)[\"'`]")
_NEGATED = re.compile(r"[\"'`]!(?P<text>[^\"'`\n]+)[\"'`]")
_LISTS = {_STRING: _EXCLUDED, _NEGATED: _PATTERNS}
"""The lists of globs that are not published, by the items that count."""
_EXTENDED = re.compile(r"[(){}]")


def name_of(survey: Survey) -> str:
    """VitePress or VuePress; empty if a site is of neither."""
    found = _CONFIGURATION.fullmatch(_file(survey))
    return _NAMES[found["name"]] if found else ""


def _file(survey: Survey) -> str:
    """The configuration that is nearest to the site's own folder; empty if there is none."""
    found = (file for file in survey.files if "press/config" in file and _CONFIGURATION.fullmatch(file))
    return min(found, key=lambda file: (file.count("/"), file), default="")


def folders(draft: Draft, survey: Survey) -> None:
    """Set the folder of the texts, and that of the files that are published as they are, which may be in it."""
    root = posixpath.dirname(posixpath.dirname(_file(survey)))
    written = _SOURCE.search(survey.head(_file(survey)))
    folder = folder_of(posixpath.join(root, written["folder"] if written else "")) or "."
    if not (survey.below(folder, MARKDOWN) and (folder == "." or may_be_folder(folder))):
        return
    name = name_of(survey)
    draft.put("content", folder, comment=f"the folder of {name}")
    draft.advise(f"URLs of {name} end in “.html” by default, those of devlog in “/”: compare the outputs")
    own = f"{root}/.vuepress/public".lstrip("/")
    if survey.has_folder(own):
        draft.advise(f"the files in {own}/ are not published: move them to static/")
    elif folder != "." and survey.has_folder(f"{folder}/public"):
        draft.put("static", f"{folder}/public", comment="files that are published as is")
        add_ignored(draft, *as_patterns((f"{folder}/public",), folder))


def by_src_exclude(draft: Draft, survey: Survey) -> None:
    """Ignore the globs of ``srcExclude``, and those with ``!`` in VuePress's ``pagePatterns``, as far as they are text.

    A run of the program may have others.
    """
    file, content = _file(survey), content_of(draft)
    program = survey.head(file)
    tree = FileTree(survey.below(content), content)
    found: list[tuple[Found, Iterable[str]]] = []
    lists = ((listed, string) for string, name in _LISTS.items() for listed in name.finditer(program))
    for listed, text in lists:
        for string in text.finditer(program, listed.start("globs"), listed.end("globs")):
            span = Span(file, program.count("\n", 0, string.start()) + 1)
            for glob in without_braces(string["text"]):
                line = Found(glob, span, EMPTY)
                if _EXTENDED.search(glob):
                    draft.leave(line, f"it may have no counterpart; {LOOK}")
                found.append((line, named_by(draft, tree, "" if content == "." else content, line)))
    ignore(draft, found)
