"""Finds posts with text that only the old generator hides, as in comments of its templates: devlog would show it."""

from __future__ import annotations

import re
from typing import NamedTuple

from devlog.adopt.adoption import Draft
from devlog.adopt.common import add_ignored, as_patterns
from devlog.adopt.foreign import get, read_head
from devlog.adopt.ignoring import SOURCES, content_of, is_off
from devlog.adopt.mkdocs import named
from devlog.adopt.survey import Survey
from devlog.adopt.vault import OBSIDIAN
from devlog.model.diagnostic import Span
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.front_matter.tree import Mapping
from devlog.report import count


class _Syntax(NamedTuple):
    """What hides text.

    Attributes:
        begin: the beginning; a group ``name`` is the name of a tag.
        end: what must follow it anywhere; empty if nothing must.
        in_code: whether the generator also hides what is in code.
    """

    begin: re.Pattern[str]
    end: str = ""
    in_code: bool = False


_TAG = re.compile(r"\{%[-~+]?\s*(?:(?P<name>raw|endraw|verbatim|endverbatim|comment|if|unless|case)\b|#)")
_COMMENT = re.compile(r"\{#(?![\w-]+\})")  # no id of a heading
_TEMPLATES = (_Syntax(_TAG, "%}", in_code=True), _Syntax(_COMMENT, "#}", in_code=True))
_MYST = re.compile(r"\bmyst_(?:parser|nb)\b")
"""The extensions of Sphinx that read Markdown."""
_VUE = _Syntax(re.compile(r"<[A-Za-z][^<>]{0,1000}?\sv-(?:if|show)\b"))
_HIDDEN_CELL = (
    r"^(?:\+\+\+|[ \t]*:?tags:).{0,300}?\bremove-(?:cell|input|output)\b"
    r"|^[ \t]*-[ \t]+[\"']?remove-(?:cell|input|output)[\"']?[ \t]*$"
    r"|^[ \t]*:?visibility:[ \t]*[\"']?remove\b"
)
"""Metadata of a cell or a block that has it, or parts of it, removed."""
_OF_MYST = (
    _Syntax(re.compile(r"^ {0,3}%", re.MULTILINE)),
    _Syntax(re.compile(r"^[ \t>]*(?:`{3,}|~{3,}|:{3,})\{(?:only|ifconfig|todo|comment)\}", re.MULTILINE), in_code=True),
    _Syntax(re.compile(_HIDDEN_CELL, re.MULTILINE), in_code=True),
)
_HIDING: dict[str, tuple[_Syntax, ...]] = {
    "Docusaurus": (
        _Syntax(re.compile(r"\{\s*/(?:/|\*(?!\s*truncate\s*\*/\s*\}))"), "}"),
        _Syntax(re.compile(r"\{\s{0,100}[^{}\n]{0,300}?(?:&&|\?\s)"), "}"),  # an expression with a condition
    ),
    "Eleventy": _TEMPLATES,
    "Hexo": tuple(syntax._replace(in_code=False) for syntax in _TEMPLATES),
    "Jupyter Book": _OF_MYST,
    "MyST": _OF_MYST,
    "Quartz": (_Syntax(re.compile("%%"), "%%", in_code=True),),
    "Quarto": (_Syntax(re.compile(r"\{[^{}\n]{0,300}\.(?:content-hidden|content-visible|hidden)\b")),),
    "VitePress": (_VUE,),
    "VuePress": (_VUE,),
}
_ALSO_IN_CODE = "; what is shown, also in code, belongs between {% raw %} and {% endraw %}"
_OF_TEMPLATES = _Syntax(re.compile(r"\{(?:%|\{(?![<%]))"))
_DIRECTIVES = _Syntax(re.compile(r"^ {0,3}(?:`{3,}|~{3,}|:{3,})\{", re.MULTILINE), in_code=True)
_SHOWN = {
    "Docusaurus": _Syntax(re.compile(r"^(?:import|export)[ \t]", re.MULTILINE)),
    "Eleventy": _OF_TEMPLATES,
    "Hexo": _Syntax(re.compile(r"\{(?:%(?!-?\s*(?:asset_(?:img|link|path)|post_(?:link|path))\s)|\{(?![<%]))")),
    "Jupyter Book": _DIRECTIVES,
    "MyST": _DIRECTIVES,
    "mdBook": _Syntax(re.compile(r"(?<!\\)\{\{#")),
}
"""What devlog shows as text, but the generator does not."""


def by_hidden_text(draft: Draft, survey: Survey, other: str) -> None:
    """Ignore the posts with text that the generator may hide, and report them, and those with other tags.

    Args:
        draft: receives the setting and the notes.
        survey: the files of the site.
        other: the generator.
    """
    if other == "Nikola or Sphinx" and _MYST.search(survey.head("conf.py")):
        other = "MyST"
    has_macros = other == "MkDocs" and any(name == "macros" for name, _ in named(draft.peek("plugins")))
    hiding = _TEMPLATES if has_macros else _HIDING.get(other, ())
    also = _ALSO_IN_CODE if hiding is _TEMPLATES else ""
    hiding += _HIDING["Quartz"] if survey.has_folder(OBSIDIAN) else ()
    content, found, shown = content_of(draft), [], []
    for file in survey.below(content, SOURCES) if hiding or other in _SHOWN else ():
        if other == "Eleventy" and _runs_nothing(read_head(survey, file)):
            continue
        text = survey.head(file)
        if begin := next(filter(None, (_first(text, syntax) for syntax in hiding)), None):
            line = text.count("\n", 0, begin.start()) + 1
            what = "ignored until there is no text that it may hide: devlog would show it"
            draft.note(Span(file, line), begin[0][-40:], what + also)
            found.append(file)
        elif other in _SHOWN and _first(text, _SHOWN[other]):
            shown.append(file)
    add_ignored(draft, *as_patterns(found, content))
    if shown:
        draft.advise(f"{count(len(shown), 'file')} with tags of {other}, which devlog shows as text", Span(shown[0]))


def _runs_nothing(head: Mapping) -> bool:
    """Whether the front matter of a post of Eleventy says that no template engine reads it."""
    engine = get(head, ("templateEngineOverride",))
    return engine is not None and (is_off(engine) or engine.text.lower() == "md")


def _first(text: str, syntax: _Syntax) -> re.Match[str] | None:
    """The first place where text is hidden; not in code, unless that counts, and not where tags are only shown."""
    if not syntax.begin.search(text):
        return None
    last = text.rfind(syntax.end) if syntax.end else len(text)
    code, is_raw = CodeRanges("" if syntax.in_code else text), False
    for found in syntax.begin.finditer(text):
        name = found.groupdict().get("name") or ""
        if name.endswith(("raw", "verbatim")):
            is_raw = not name.startswith("end")
        elif not is_raw and found.start() < last and found.start() not in code:
            return found
    return None
