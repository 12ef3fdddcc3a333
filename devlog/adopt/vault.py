"""Finds what Obsidian and Quartz leave out of a folder of notes: devlog ignores it."""

from __future__ import annotations

import posixpath
import re

from devlog.adopt.adoption import Draft
from devlog.adopt.common import as_patterns, folder_of, without_braces
from devlog.adopt.file_tree import FileTree, folders_above
from devlog.adopt.foreign import EMPTY, Found, get, read_head, read_list
from devlog.adopt.git_lines import ignored_by_git, named_by
from devlog.adopt.ignoring import LOOK, SOURCES, content_of, ignore, is_off
from devlog.adopt.survey import Survey
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping

OBSIDIAN = ".obsidian"
"""The folder with the settings of Obsidian."""

_TEMPLATES = (
    (f"{OBSIDIAN}/templates.json", "folder"),
    (f"{OBSIDIAN}/plugins/templater-obsidian/data.json", "templates_folder"),
)
"""The settings with the folder of templates of notes."""
_CONFIGURATION = "quartz.config.ts"
_PATTERNS = re.compile(
    r"\bignorePatterns\s*:\s*"
    r"(?:\[(?P<items>(?:[^\]\"'`/]|/(?!/)|//[^\n]*\n|\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`)*)\])?"
)
_STRING = re.compile(r"//.*|(?P<quote>[\"'`])(?P<glob>[^\"'`\n]*)(?P=quote)")


def by_obsidian(draft: Draft, survey: Survey) -> None:
    """Ignore the templates of notes in a folder of Obsidian, and the notes that say that they are not published."""
    if not survey.has_folder(OBSIDIAN):
        return
    content = content_of(draft)
    tree = FileTree(survey.below(content), content)
    settings = (get(read_list(survey, file), (key,)) for file, key in _TEMPLATES if survey.has(file))
    folders = [(key, named_by(draft, tree, "", key._replace(key=folder_of(key.text)))) for key in settings if key]
    own = ((file, get(read_head(survey, file), ("publish",))) for file in survey.below(content, SOURCES))
    ignore(draft, [*folders, *((key, as_patterns((file,), content)) for file, key in own if key and is_off(key))])


def by_quartz(draft: Draft, survey: Survey) -> None:
    """Ignore what git ignores and what the configuration names, and all but published notes if it wants that."""
    content = content_of(draft)
    above = folders_above(f"{content}/")
    files = (path for path in survey.files if posixpath.basename(path) == ".gitignore")
    within = (path for path in files if posixpath.dirname(path) in above or content in (".", *folders_above(path)))
    found = ignored_by_git(draft, survey, within)
    program = survey.head(_CONFIGURATION)
    tree = FileTree(survey.below(content), content)
    for key in _patterns(draft, program):
        globs = without_braces(key.key)
        found += [(key, named_by(draft, tree, content, key._replace(key=glob))) for glob in globs]
    explicit = program.find("ExplicitPublish(")
    if explicit >= 0:
        sources = survey.below(content, SOURCES)
        hidden = [file for file in sources if not _says(read_head(survey, file), "publish")]
        found.append((_key("ExplicitPublish", program, explicit), as_patterns(hidden, content)))
    ignore(draft, found)


def _patterns(draft: Draft, program: str) -> list[Found]:
    """The globs of what Quartz does not read, as its configuration has them; it is reported if they are not a list."""
    written = _PATTERNS.search(program)
    if written and written["items"] is None:
        draft.leave(_key("ignorePatterns", program, written.start()), f"it is not a list of strings; {LOOK}")
    if not written or not written["items"]:
        return []
    strings = _STRING.finditer(program, written.start("items"), written.end("items"))
    return [_key(string["glob"], program, string.start()) for string in strings if string["glob"]]


def _key(name: str, program: str, start: int) -> Found:
    return Found(name, Span(_CONFIGURATION, program.count("\n", 0, start) + 1), EMPTY)


def _says(head: Mapping, name: str) -> bool:
    key = get(head, (name,))
    return key is not None and key.is_on
