"""A folder of Markdown without the configuration of a generator that devlog reads."""

from __future__ import annotations

import posixpath
import re
from collections import Counter

from devlog.adopt.adoption import Adoption, Draft
from devlog.adopt.common import add_ignored, base_url, feed_names, folder_of, other_texts, output
from devlog.adopt.foreign import EMPTY, Found, read_tree
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.model.media import media_type
from devlog.parse.tree import Mapping

FOLDERS = (
    "content",
    "blog",
    "posts",
    "_posts",
    "docs",
    "devlog",
    "devlogs",
    "articles",
    "src/content",
    "source",
    "src",
)
"""Where texts lie in most repositories, the likeliest first."""

_NOT_TEXTS = re.compile(
    r"(?i)(?:readme|changelog|changes|contributing|license|licence|code_of_conduct|security|authors|history|news|todo)(?:\.|$)"
)
_TEXTS = (".html", ".htm", ".pdf", ".zip", ".csv", ".ipynb", ".vtt", ".srt")
_HEADING = re.compile(r"^#[ \t]+(?P<title>.+?)[ \t]*#*$", re.MULTILINE)
_OTHERS = {
    "mkdocs.yml": "MkDocs",
    "docusaurus.config.js": "Docusaurus",
    "docusaurus.config.ts": "Docusaurus",
    "pelicanconf.py": "Pelican",
    "conf.py": "Nikola or Sphinx",
    "eleventy.config.js": "Eleventy",
    ".eleventy.js": "Eleventy",
    "gatsby-config.js": "Gatsby",
    "astro.config.mjs": "Astro",
    "_quarto.yml": "Quarto",
    "lektor.lektorproject": "Lektor",
    "hexo.config.js": "Hexo",
    "quartz.config.ts": "Quartz",
}


def texts_of(survey: Survey) -> list[str]:
    """The texts of a folder, without those that only speak of the repository."""
    found = survey.below(".", MARKDOWN)
    return [path for path in found if not _NOT_TEXTS.match(posixpath.basename(path)) and not path.startswith(".")]


def adopt_plain(survey: Survey) -> Adoption:
    """Make a configuration for a folder of Markdown."""
    other = next((name for file, name in _OTHERS.items() if survey.has(file)), "")
    file = "mkdocs.yml" if survey.has("mkdocs.yml") else ""
    tree, wrong = read_tree(survey, file) if file else (EMPTY, ())
    draft = Draft("a folder of Markdown", (file,) if file and not wrong else (), tree)
    if other and other != "MkDocs":
        draft.advise(f"the configuration of {other} is a program, which devlog does not run: check title and address")
    draft.text("title", ("site_name",))
    draft.text("description", ("site_description",))
    draft.text("copyright", ("copyright",))
    _title(draft, survey)
    base_url(draft, survey, draft.take("site_url"))
    folder = _content(draft, survey, tree)
    draft.put("content", folder, comment="where most texts are")
    if folder == ".":
        draft.put("dialect", "jekyll", comment="texts lie beside everything else") if survey.has_folder(
            "_posts"
        ) else None
        _leave_out(draft, survey)
    if not survey.has_folder("static") and survey.has_folder("public") and not survey.has("public/index.html"):
        draft.put("static", "public", comment="files that are published as they are")
        draft.put("output", "devlog-public", comment="public/ holds files to publish")
    output(draft, survey, "public")
    other_texts(draft, survey, folder)
    feed_names(draft, survey, (str(draft.setting("static") or "static"),), {}, {})
    return draft.finish({"": "", "theme": "devlog has a theme of its own", "nav": "topics and dates order the texts"})


def _title(draft: Draft, survey: Survey) -> None:
    file = survey.first("README.md", "readme.md", "Readme.md", "README.markdown")
    heading = _HEADING.search(survey.head(file)) if file else None
    title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|<[^>]*>", r"\1", heading["title"]).strip() if heading else ""
    if title:
        draft.put("title", title, comment=f"from {file}")
    else:
        draft.put("title", survey.name or "DevLog", comment="from the folder's name")


def _content(draft: Draft, survey: Survey, tree: Mapping) -> str:
    """The folder with the texts: a usual one that has any, else the one above them all."""
    configured = draft.take("docs_dir") if tree.entries else None
    if isinstance(configured, Found) and configured.text and survey.has_folder(configured.text):
        return folder_of(configured.text)
    texts = texts_of(survey)
    counts = Counter(path.partition("/")[0] if "/" in path else "." for path in texts)
    for folder in FOLDERS:
        inside = [path for path in texts if path.startswith(folder + "/")]
        if inside and len(inside) * 2 >= len(texts):
            return folder
    top = [folder for folder, number in counts.most_common(1) if number * 10 >= len(texts) * 9 and folder != "."]
    return top[0] if top else "."


def _leave_out(draft: Draft, survey: Survey) -> None:
    """Leave out what is not for publishing when the content folder is the whole repository, such as its programs."""
    add_ignored(draft, *(path for path in survey.beside(".") if _NOT_TEXTS.match(path)))
    others = [path for path in survey.below(".") if not _is_published(path)]
    endings = {posixpath.splitext(path)[1] for path in others} - {""}
    add_ignored(draft, *sorted(f"*{ending}" for ending in endings))
    add_ignored(draft, *sorted({posixpath.basename(path) for path in others if not posixpath.splitext(path)[1]}))
    if survey.has("_blog.yml"):
        draft.advise("what _blog.yml says of texts is not read: their dates belong into their front matter")


def _is_published(path: str) -> bool:
    """Whether a file is a text, or something that texts show or hand out."""
    if any(part.startswith(".") for part in path.split("/")):
        return True  # such names are left out anyway
    kind = media_type(path).partition("/")[0]
    return kind in ("image", "audio", "video", "font") or path.lower().endswith((*MARKDOWN, *_TEXTS))


def looks_like_texts(survey: Survey) -> bool:
    """Whether there is a text to publish."""
    return bool(texts_of(survey))
