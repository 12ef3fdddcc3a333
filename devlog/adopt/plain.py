"""Imports a folder of Markdown files without a configuration of Hugo, Jekyll or Zola."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from datetime import datetime

from devlog.adopt.adoption import Adoption, Draft
from devlog.adopt.blogs import Blog, blog_of_material
from devlog.adopt.books import BOOKS, adopt_book, book_file, book_of, by_contents, url_of_book
from devlog.adopt.common import (
    OTHER_TEXTS,
    add_ignored,
    authors_file,
    base_url,
    feed_names,
    folder_of,
    literal,
    no_static_folder,
    other_texts,
    output,
    own_theme,
)
from devlog.adopt.docusaurus import blog_of_docusaurus
from devlog.adopt.foreign import EMPTY, Found, get, merged, read_list, read_tree
from devlog.adopt.formats import ignore_formats, named_files, other_formats
from devlog.adopt.hexo import FILES as HEXO
from devlog.adopt.hexo import adopt_hexo, is_hexo
from devlog.adopt.hexo_files import by_posts
from devlog.adopt.hexo_heads import unread_heads
from devlog.adopt.hexo_hidden import by_plugins
from devlog.adopt.hidden_text import by_hidden_text
from devlog.adopt.ignoring import LOOK
from devlog.adopt.lektor import by_hidden
from devlog.adopt.mkdocs import flat_urls, named, parents, plugins, with_parents
from devlog.adopt.other_urls import changed_urls
from devlog.adopt.protected import by_password
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.adopt.unpublished import (
    by_folder,
    by_name,
    by_permalink,
    by_render,
    by_skipping,
    by_status,
)
from devlog.adopt.unpublished_mkdocs import by_exclude_docs, by_exclude_plugin, unread_metadata
from devlog.adopt.vault import OBSIDIAN, by_obsidian, by_quartz
from devlog.adopt.vitepress import by_src_exclude, folders, name_of
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.media import media_type
from devlog.parse.front_matter.dates import date_from_name
from devlog.parse.front_matter.tree import Mapping
from devlog.report import count

FILES = ("mkdocs.yml", "mkdocs.yaml")
"""The names of MkDocs's configuration, which takes the first, too."""
QUARTO = ("_quarto.yml", "_quarto.yaml")
"""The names of Quarto's configuration. Of others, only that of Hexo is read here, too."""
_KEYS_OF_QUARTO = (
    ("title", ("website", "title"), ("book", "title"), ("project", "title"), ("title",)),
    ("description", ("website", "description"), ("book", "description")),
)

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
"""The usual content folders of repositories, the likeliest first."""

_NOT_TEXTS = re.compile(
    r"(?i)(?:readme|changelog|changes|contributing|license|licence|code_of_conduct|security|authors|history|news|todo)(?:\.|$)"
)
_TEXTS = (".html", ".htm", ".pdf", ".zip", ".csv", ".ipynb", ".vtt", ".srt")
_DATED = re.compile(r"\A---\n(?:(?!---\n).*\n)*?date[ \t]*:", re.MULTILINE)
_ADMONITION = re.compile(
    r"^(?:!!!|\?\?\?\+?|:::) ?(?:note|tip|info|warning|danger|caution|example|abstract)\b", re.MULTILINE
)
_IN_HTML = re.compile(r"^[ \t]*<[a-z][a-z0-9]*(?:[ \t][^<>\n]*)?[ \t]markdown(?=[\s=>])", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile(r"^#[ \t]+(?P<title>\S.{0,999})$", re.MULTILINE)
_OTHERS = {
    "mkdocs.yml": "MkDocs",
    "mkdocs.yaml": "MkDocs",
    "pelicanconf.py": "Pelican",
    "conf.py": "Nikola or Sphinx",
    ".eleventy.js": "Eleventy",
    "_quarto.yml": "Quarto",
    "_quarto.yaml": "Quarto",
    "hexo.config.js": "Hexo",
    "quartz.config.ts": "Quartz",
}
_PROGRAMS = {
    "astro.config": "Astro",
    "docusaurus.config": "Docusaurus",
    "eleventy.config": "Eleventy",
    "gatsby-config": "Gatsby",
}
"""The same for programs, by their names without the extension."""
_PROGRAM = re.compile(r"(?P<name>[^/]+)\.[cm]?[jt]s")
_LEKTOR = ".lektorproject"
"""The extension of Lektor's configuration, which may have any name."""

_PRESSES = ("VitePress", "VuePress")
_SPARING = frozenset(
    {
        "Astro",
        "Docusaurus",
        "Eleventy",
        "Gatsby",
        "Jupyter Book",
        "Lektor",
        "MyST",
        "Nikola or Sphinx",
        "Pelican",
        "Quarto",
        *_PRESSES,
    }
)
"""The generators that publish no other files of the content folder than those that posts name."""
_PROFILE = re.compile(r"_quarto-.+\.ya?ml|_quarto\.ya?ml\.local")
_WITH_FOLDER = frozenset({"Eleventy", "Nikola or Sphinx"})
"""The generators that have the folder of posts in URLs by default."""

_EXTENSIONS = {
    "admonition": "admonitions",
    "pymdownx.caret": "superscript",
    "pymdownx.details": "admonitions",
    "pymdownx.mark": "mark",
    "pymdownx.tilde": "subscript",
    "smarty": "typographer",
}
"""Keys of ``[markdown]`` by the extension of Python-Markdown that has the same syntax."""


def sources_of(survey: Survey) -> list[str]:
    """The Markdown files of a folder, without those about the repository itself, such as its README."""
    found = survey.below(".", MARKDOWN)
    return [path for path in found if not _NOT_TEXTS.match(posixpath.basename(path)) and not path.startswith(".")]


def configuration(survey: Survey) -> tuple[tuple[str, ...], Mapping, tuple[Diagnostic, ...]]:
    """The configuration of MkDocs, Quarto, Hexo or a book: its file, its keys, and why it cannot be read."""
    other = _other(survey)
    if other == "MkDocs":
        return with_parents(survey, survey.first(*FILES))
    files = QUARTO if other == "Quarto" else HEXO if other == "Hexo" else FILES
    file = book_file(survey, other) if other in BOOKS else survey.first(*files)
    tree, wrong = read_tree(survey, file) if file else (EMPTY, ())
    included = get(tree, ("metadata-files",)) if file in QUARTO else None
    names = [name for name in (included.texts if included else ()) if name.endswith((".yml", ".yaml"))]
    tree = merged(*(read_list(survey, name) for name in names if survey.has(name)), tree)
    return ((file,) if file else ()), tree, wrong


def adopt_plain(survey: Survey, files: tuple[str, ...], tree: Mapping, now: datetime) -> Adoption:
    """Generate a configuration for a folder of Markdown files.

    Args:
        survey: the files of the site.
        files: the configuration files that were read.
        tree: the keys in these files.
        now: the current time, which determines the scheduled posts.
    """
    other = _other(survey)
    draft = Draft("a folder of Markdown", files, tree)
    _names(draft, survey, other)
    extensions = draft.take("markdown_extensions")
    if other == "MkDocs" and not _makes_anchors(extensions):
        draft.put(("markdown", "anchors"), "python-markdown", comment="MkDocs's default")
    if extensions:
        _extensions(draft, extensions)
        draft.leave(extensions, "devlog reads one kind of Markdown (docs/writing.md)")
    _title(draft, survey)
    urls = {"Hexo": ("url",), "Quarto": ("website", "site-url")}
    key = url_of_book(draft, other) if other in BOOKS else draft.take(*urls.get(other, ("site_url",)))
    base_url(draft, survey, key)
    folder = str(draft.setting("content") or _content(draft, survey, tree))
    docs, blog = folder, _blog(draft, survey, folder, other)
    _paths(draft, folder, other)
    folder = str(draft.setting("content") or folder)
    draft.put("content", folder, comment="where most posts are")
    if other == "MkDocs":
        plugins(draft, survey, docs, blog.plugin if blog else None)
    _outside(draft, survey, folder)
    _without_dates(draft, survey, folder)
    _admonitions(draft, survey, folder)
    if other == "Quartz" or survey.has_folder(OBSIDIAN):
        draft.put(("markdown", "wiki_links"), True, comment="[[page]] is a link")
    _markdown_in_html(draft, survey, folder)
    if folder == ".":
        draft.put("dialect", "jekyll", comment="posts are next to everything else") if survey.has_folder(
            "_posts"
        ) else None
        _leave_out(draft, survey)
    elif other in _SPARING:
        _leave_out_unnamed(draft, survey, folder, other)
    if other in ("Hexo", "MkDocs", *BOOKS):
        no_static_folder(draft, survey, other)
    is_input = survey.has_folder("public") and not (survey.has("public/index.html") or survey.has_output("public"))
    if is_input and not survey.has_folder("static"):
        draft.put("static", "public", comment="files that are published as is")
        draft.put("output", "devlog-public", comment="public/ contains files to publish")
    output(draft, survey, "public")
    own_theme(draft, survey)
    _unpublished(draft, survey, other, now)
    changed_urls(draft, survey, other)
    other_texts(draft, survey, folder)
    feed_names(draft, survey, (str(draft.setting("static") or "static"),), {}, {})
    own = {"metadata-files": "the keys in these files are read"} if other == "Quarto" else {}
    return draft.finish(
        {
            **own,
            "": "",
            "hooks": f"devlog runs no programs of a site; {LOOK}",
            "theme": "devlog has its own theme",
            "nav": "posts are ordered by topic and date",
        }
    )


def _names(draft: Draft, survey: Survey, other: str) -> None:
    """Set what a configuration says of the site as a whole, and the folders of those whose texts are in a known one."""
    if other == "Hexo":
        adopt_hexo(draft, survey)
    elif other == "Quarto":
        for key, *paths in _KEYS_OF_QUARTO:
            draft.text(key, *paths)
        draft.language(("lang",))
    elif other in BOOKS:
        adopt_book(draft, other)
    elif other and other != "MkDocs":
        if other in _PRESSES:
            folders(draft, survey)
        what = "check the title and URL, and that nothing is published which it leaves out"
        draft.advise(f"the configuration of {other} is a program, which devlog does not run: {what}")
    draft.text("title", ("site_name",))
    draft.text("description", ("site_description",))
    draft.text("copyright", ("copyright",))


def _other(survey: Survey) -> str:
    """The generator that a folder of Markdown is for; empty if it has a configuration of none."""
    if is_hexo(survey):
        return "Hexo"
    found = next((name for file, name in _OTHERS.items() if survey.has(file)), "")
    return book_of(survey) or found or _by_extension(survey) or name_of(survey)


def _by_extension(survey: Survey) -> str:
    """The generator whose configuration may have several extensions, or any name; empty if there is none."""
    files = survey.beside(".")
    programs = {found["name"] for file in files if (found := _PROGRAM.fullmatch(file))}
    known = next((name for stem, name in _PROGRAMS.items() if stem in programs), "")
    return known or ("Lektor" if any(file.lower().endswith(_LEKTOR) for file in files) else "")


def _paths(draft: Draft, folder: str, other: str) -> None:
    """Keep the name of the content folder in URLs, if the old generator has it there by default.

    Dates in names of files are in URLs, too.
    """
    if other in _WITH_FOLDER and folder not in (".", "content", "src", "src/content", "source"):
        for kind in ("post", "page"):
            draft.put(("permalinks", kind), f"/{folder}/:topic/:name/", comment=f"as by {other}")


def _unpublished(draft: Draft, survey: Survey, other: str, now: datetime) -> None:
    """Ignore what the old generator did not publish."""
    by_name(draft, survey, other)
    other_formats(draft, survey, other)
    by_hidden_text(draft, survey, other)
    by_obsidian(draft, survey)
    if other != "Hexo":  # see by_plugins
        by_password(draft, survey, other)
    if other in ("Nikola or Sphinx", "Pelican"):
        by_status(draft, survey, now, held_back=other != "Pelican")
    elif other == "Eleventy":
        by_permalink(draft, survey)
    elif other in _PRESSES:
        by_src_exclude(draft, survey)
    elif other == "Lektor":
        by_hidden(draft, survey)
    elif other == "MkDocs":
        parents(draft, survey, survey.first(*FILES))
        by_exclude_docs(draft, survey)
        by_exclude_plugin(draft, survey)
        unread_metadata(draft, survey)
        by_folder(draft, survey, (".meta.yml",))
    elif other == "Quarto":
        by_render(draft, survey)
        by_folder(draft, survey, ("_metadata.yml", "_metadata.yaml"), draft.take("draft"))
        if profiles := [path for path in survey.beside(".") if _PROFILE.fullmatch(path)]:
            draft.advise("profiles of Quarto are not read: check what they leave out", Span(profiles[0]))
    elif other == "Quartz":
        by_quartz(draft, survey)
    elif other in BOOKS:
        by_contents(draft, survey, other)
    elif other == "Hexo":
        by_skipping(draft, survey)
        unread_heads(draft, survey)
        by_plugins(draft, survey)
        by_posts(draft, survey)


def _extensions(draft: Draft, extensions: Found) -> None:
    """Enable what the extensions of Python-Markdown add."""
    names = {name for name, _ in named(extensions)}
    for name in sorted(names & _EXTENSIONS.keys()):
        draft.put(("markdown", _EXTENSIONS[name]), True, comment=f"for the extension {name}")


def _makes_anchors(extensions: Found | None) -> bool:
    """Whether a custom function generates the fragments of headings: the common ones generate those of GitHub."""
    return any(name == "toc" and get(options.node, ("slugify",)) for name, options in named(extensions))


def _blog(draft: Draft, survey: Survey, folder: str, other: str) -> Blog | None:
    """If a site has a blog beside its documentation, import only the blog."""
    if other == "Docusaurus":
        blog = blog_of_docusaurus(draft, survey)
    else:
        blog = blog_of_material(draft, survey, folder) if other == "MkDocs" else None
    if other == "MkDocs":
        flat_urls(draft, survey, folder, blog.pattern if blog else "")
    if blog:
        draft.put("content", blog.folder, comment="the posts of the blog")
        draft.put(("permalinks", "post"), blog.pattern, comment=blog.why)
        if blog.page:
            draft.put(("permalinks", "page"), blog.page, comment="posts without a date")
        if blog.authors:
            authors_file(draft, survey, (blog.authors,))
    return blog


def _outside(draft: Draft, survey: Survey, folder: str) -> None:
    """Report the source files that are skipped because they are outside the content folder."""
    start = "" if folder == "." else f"{folder}/"
    others = [path for path in sources_of(survey) if not path.startswith(start)]
    if others:
        draft.advise(
            f"{count(len(others), 'file')} outside {start} skipped: a site has one content folder, “content”",
            Span(others[0]),
        )


def _without_dates(draft: Draft, survey: Survey, folder: str) -> None:
    """Treat undated source files as posts, if most files directly in the folder have no date."""
    texts = [path for path in sources_of(survey) if posixpath.dirname(path) == ("" if folder == "." else folder)]
    undated = [path for path in texts if not (_has_date_in_name(path) or _DATED.match(survey.head(path)))]
    if len(undated) > 1 and len(undated) * 2 > len(texts):
        draft.put("undated", "posts", comment="most posts have no date: git's is used")


def _admonitions(draft: Draft, survey: Survey, folder: str) -> None:
    """Enable admonitions if a source file has some."""
    inside = [path for path in sources_of(survey) if folder == "." or path.startswith(f"{folder}/")]
    found = [(path, match) for path in inside if (match := _ADMONITION.search(survey.head(path)))]
    if found:
        path, match = found[0]
        draft.put(("markdown", "admonitions"), True, comment=f"posts such as {path} have “{match[0].strip()}”")


def _markdown_in_html(draft: Draft, survey: Survey, folder: str) -> None:
    """Report source files with Markdown in HTML elements, which Python-Markdown's extension ``md_in_html`` reads."""
    inside = [path for path in sources_of(survey) if folder == "." or path.startswith(f"{folder}/")]
    found = [path for path in inside if _IN_HTML.search(survey.head(path))]
    if found and draft.setting("dialect") != "jekyll":  # kramdown has it, too
        draft.advise(
            f"{count(len(found), 'file')} with “markdown” in an HTML tag, which has no meaning: Markdown in HTML is "
            "read only between blank lines",
            Span(found[0]),
        )


def _has_date_in_name(path: str) -> bool:
    return date_from_name(posixpath.basename(path).rpartition(".")[0])[0] is not None


def _title(draft: Draft, survey: Survey) -> None:
    file = survey.first("README.md", "readme.md", "Readme.md", "README.markdown")
    heading = _HEADING.search(survey.head(file)) if file else None
    written = heading["title"].rstrip(" \t").rstrip("#") if heading else ""
    title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|[`*]|<[^>]*>", r"\1", written).strip()
    if title:
        draft.put("title", title, comment=f"from {file}")
    else:
        draft.put("title", survey.name or "DevLog", comment="from the folder's name")


def _content(draft: Draft, survey: Survey, tree: Mapping) -> str:
    """The content folder.

    It is the configured one, else a usual one with at least half of the source files, else one with almost all of
    them, else the site's own folder.
    """
    configured = draft.take("docs_dir") if tree.entries else None
    if isinstance(configured, Found) and configured.text and survey.has_folder(configured.text):
        draft.done(configured, "the folder of all source files")
        return folder_of(configured.text)
    texts = sources_of(survey)
    counts = Counter(path.partition("/")[0] if "/" in path else "." for path in texts)
    for folder in FOLDERS:
        inside = [path for path in texts if path.startswith(folder + "/")]
        if inside and len(inside) * 2 >= len(texts):
            return folder
    top = [folder for folder, number in counts.most_common(1) if number * 10 >= len(texts) * 9 and folder != "."]
    return top[0] if top else "."


def _leave_out(draft: Draft, survey: Survey) -> None:
    """Ignore files that are not for publishing, such as programs, if the content folder is the whole repository."""
    add_ignored(draft, *(literal(path) for path in survey.beside(".") if _NOT_TEXTS.match(path)))
    others = [path for path in survey.below(".") if not _is_published(path)]
    endings = {posixpath.splitext(path)[1] for path in others} - {""}
    add_ignored(draft, *sorted(f"*{literal(ending)}" for ending in endings))
    names = {posixpath.basename(path) for path in others if not posixpath.splitext(path)[1]}
    add_ignored(draft, *sorted(map(literal, names)))
    if survey.has("_blog.yml"):
        draft.advise("what _blog.yml says of posts is not read: put dates in the front matter")


def _leave_out_unnamed(draft: Draft, survey: Survey, folder: str, other: str) -> None:
    """Ignore files that only the old generator reads, such as data: it publishes no other files than posts name."""
    named = named_files(survey, folder)
    static = f"{draft.setting('static') or 'static'}/"  # it may be in the content folder
    files = [path for path in survey.below(folder) if not (path.startswith(static) or _is_published(path))]
    others = [path for path in files if posixpath.basename(path) not in named and not path.endswith(OTHER_TEXTS)]
    ignore_formats(draft, others, folder, {posixpath.splitext(path)[1] for path in set(files).difference(others)})
    if others:
        draft.advise(f"{count(len(others), 'file')} ignored that no post names, as by {other}", Span(others[0]))


def _is_published(path: str) -> bool:
    """Whether a file is a source file, or one that posts embed or offer for download."""
    if any(part.startswith(".") for part in path.split("/")):
        return True  # such names are ignored anyway
    kind = media_type(path).partition("/")[0]
    return kind in ("image", "audio", "video", "font") or path.lower().endswith((*MARKDOWN, *_TEXTS))


def looks_like_texts(survey: Survey) -> bool:
    """Whether there is a source file to publish."""
    return bool(sources_of(survey))
