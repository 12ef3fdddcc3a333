"""Reads the configurations of Jupyter Book, MyST and mdBook, which publish what a table of contents lists."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from devlog.adopt.adoption import Draft
from devlog.adopt.common import add_ignored, configured_folder, folder_of, literal
from devlog.adopt.file_tree import FileTree, Pages
from devlog.adopt.foreign import EMPTY, Found, Path, get, leaves, read_list, read_tree
from devlog.adopt.git_lines import named_by
from devlog.adopt.ignoring import content_of, ignore, is_off, kept_folders, path_inside, shortest
from devlog.adopt.mkdocs import FLAT, report_indexes
from devlog.adopt.survey import MARKDOWN, NOTEBOOK, Survey
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping, Node, Scalar, Sequence
from devlog.report import count

BOOKS = frozenset({"Jupyter Book", "MyST", "mdBook"})

_CONFIGURATIONS = {
    "Jupyter Book": ("_config.yml", "_config.yaml"),
    "MyST": ("myst.yml", "myst.yaml"),
    "mdBook": ("book.toml",),
}
_CONTENTS = ("_toc.yml", "_toc.yaml")
_SUMMARY = "SUMMARY.md"
_KEYS: dict[str, tuple[tuple[str, tuple[Path, ...]], ...]] = {
    "Jupyter Book": (("title", (("title",),)), ("description", (("description",),)), ("copyright", (("copyright",),))),
    "MyST": (
        ("title", (("site", "title"), ("project", "title"))),
        ("description", (("project", "description"), ("site", "description"))),
    ),
    "mdBook": (("title", (("book", "title"),)), ("description", (("book", "description"),))),
}
"""The keys of devlog.toml, each with those of the book, by generator."""
_LANGUAGES = {"mdBook": ("book", "language"), "Jupyter Book": ("sphinx", "config", "language")}
_URLS = {"mdBook": ("output", "html", "site-url"), "Jupyter Book": ("html", "baseurl")}
_EXCLUDED = {"Jupyter Book": ("exclude_patterns",), "MyST": ("project", "exclude")}
_NAMES = frozenset({"file", "root"})
_GLOBS = frozenset({"glob", "pattern"})
"""The keys in a table of contents that name files."""
_OTHER_NAMES = {
    "MyST": (
        re.compile(r"[0-9_.-]|.*_"),
        "with numbers at the beginning of the name, or “_”, unlike in URLs of MyST: give such files their old “url”",
    ),
    "mdBook": (
        re.compile(r"readme\.", re.IGNORECASE),
        "named README, of which mdBook makes the page of the folder: give such files the name “_index.md”",
    ),
}
"""The names of files that have others in URLs, by generator, with what the report says of them."""
_COMMENT = re.compile(r"<!--(?:(?!-->).)*", re.DOTALL)
_LINK = re.compile(r"\[[^\[\]\n]{0,1000}\]\((?P<file>[^()\n]{0,1000})\)")


def book_of(survey: Survey) -> str:
    """Jupyter Book, MyST or mdBook; empty if a site is of none of these."""
    if survey.first(*_CONFIGURATIONS["mdBook"]) and survey.has(f"{_source(survey)}/{_SUMMARY}"):
        return "mdBook"
    if survey.first(*_CONTENTS) and not survey.has_folder("_posts"):
        return "Jupyter Book"
    return "MyST" if survey.first(*_CONFIGURATIONS["MyST"]) else ""


def book_file(survey: Survey, book: str) -> str:
    """The configuration of a book; empty if it has none."""
    return survey.first(*_CONFIGURATIONS[book])


def url_of_book(draft: Draft, book: str) -> Found | None:
    """The key with the URL of a book."""
    return draft.take(*_URLS[book]) if book in _URLS else None


def adopt_book(draft: Draft, book: str) -> None:
    """Convert the keys of a book that have counterparts: what it is called, its folder and the pattern of its URLs."""
    for key, paths in _KEYS[book]:
        draft.text(key, *paths)
    if book in _LANGUAGES:
        draft.language(_LANGUAGES[book])
    pattern, why = FLAT, f"as by {book}"
    if book == "mdBook":
        source = draft.take("book", "src")
        draft.put("content", configured_folder(draft, source) or "src", source, "the folder of mdBook")
        _redirects(draft)
    else:
        draft.put("content", ".", comment="its files are anywhere in the site")
    if book == "MyST":
        folders = draft.take("site", "options", "folders")
        has_folders = bool(folders and folders.is_on)
        pattern = "/:topic/:name/" if has_folders else "/:name/"
        why = f"{folders.key}, {folders.span.path}:{folders.span.line}" if folders and has_folders else "MyST's default"
        if folders:
            draft.done(folders, f"permalinks.post = “{pattern}”")
    for kind in ("post", "page"):
        draft.put(("permalinks", kind), pattern, comment=why)


def by_contents(draft: Draft, survey: Survey, book: str) -> None:
    """Ignore what the configuration of a book excludes, and what its table of contents does not list.

    Args:
        draft: receives the settings; the content folder is set.
        survey: the files of the site.
        book: the generator.
    """
    content = content_of(draft)
    add_ignored(draft, f"/{_SUMMARY}" if book == "mdBook" else "/_build")
    excluded = draft.take(*_EXCLUDED[book]) if book in _EXCLUDED else None
    tree = FileTree(survey.below(content), content)
    lines = [Found(glob, excluded.span, EMPTY) for glob in excluded.texts] if excluded else []
    ignore(draft, ((line, named_by(draft, tree, "", line)) for line in lines))
    listing = _listing(draft, survey, book)
    if listing:
        sources = survey.below(content, MARKDOWN if book == "mdBook" else (*MARKDOWN, NOTEBOOK))
        kept = _kept(sources, content, listing.texts)
        hidden = [file for file in sources if file not in kept]
        key = Found(listing.key, listing.span, EMPTY)
        ignore(draft, [(key, shortest(content, kept_folders(sources, hidden), hidden))] if hidden else [])
    _report_names(draft, survey, book)


def _source(survey: Survey) -> str:
    """The folder of mdBook's chapters."""
    tree, _ = read_tree(survey, "book.toml") if survey.has("book.toml") else (EMPTY, ())
    found = get(tree, ("book", "src"))
    return folder_of(found.text if found and found.text else "src") or "."


def _listing(draft: Draft, survey: Survey, book: str) -> Found | None:
    """The table of contents, as a list of the files that are published; `None` if all are."""
    if book == "mdBook":
        file = f"{content_of(draft)}/{_SUMMARY}"
        names = (
            _glob(unquote(link["file"].partition("#")[0].strip("<> ")))
            for link in _LINK.finditer(_COMMENT.sub("", survey.head(file)))
        )
        return Found(_SUMMARY, Span(file, 1), _texts(names, file))
    if book == "MyST":
        contents = draft.take("project", "toc")
        return contents._replace(node=_texts(_files(contents.node), contents.span.path)) if contents else None
    only = draft.take("only_build_toc_files")
    file = survey.first(*_CONTENTS)
    if only is None or is_off(only):
        return None
    return only._replace(node=_texts(_files(read_list(survey, file)), file))


def _texts(names: Iterable[str], file: str) -> Sequence:
    return Sequence(tuple(Scalar(name, Span(file)) for name in names if name), Span(file))


def _files(node: Node) -> Iterator[str]:
    """Globs for the files that a table of contents names, at any depth."""
    for item in node.items if isinstance(node, Sequence) else ():
        yield from _files(item)
    for entry in node.entries if isinstance(node, Mapping) else ():
        name = entry.value
        if not isinstance(name, Scalar):
            yield from _files(name)
        elif entry.key.text in _NAMES:
            yield _glob(name.text)
        elif entry.key.text in _GLOBS:
            yield name.text


def _glob(name: str) -> str:
    """A glob that only matches a file."""
    return literal(folder_of(name))


def _kept(sources: Iterable[str], content: str, globs: Iterable[str]) -> frozenset[str]:
    """The sources that a table of contents names, with or without their extensions."""
    above = "" if content == "." else content
    paths = {file: path_inside(file, above or ".") for file in sources}
    stems = {file: posixpath.splitext(path)[0] for file, path in paths.items()}
    valid = [glob for glob in globs if not compile_ignore((f"/{glob}",))[1]]
    return frozenset((*Pages(paths).reached("", valid), *Pages(stems).reached("", valid)))


def _redirects(draft: Draft) -> None:
    """Convert the redirects of mdBook: from paths to URLs, or to paths beside them."""
    found = draft.take("output", "html", "redirect")
    if not found or not isinstance(found.node, Mapping):
        return
    for _, key in leaves(found.node, (), found.key):
        old, target = "/" + key.key.removeprefix(f"{found.key}.").lstrip("/"), key.text
        if not target:
            draft.leave(key, "it is not a URL")
            continue
        is_url = target.startswith(("https://", "http://", "/"))
        goal = target if is_url else posixpath.normpath(posixpath.join(posixpath.dirname(old), target))
        draft.put(("redirects", old), goal, key)


def _report_names(draft: Draft, survey: Survey, book: str) -> None:
    """Report the files with another path in URLs than in the book, other than those that all generators change."""
    content = content_of(draft)
    if book != "MyST":
        report_indexes(draft, survey, content, book)
    expression, what = _OTHER_NAMES.get(book, (None, ""))
    files = survey.below(content, MARKDOWN) if expression else []
    found = [file for file in files if expression and expression.match(posixpath.basename(file))]
    if found:
        draft.advise(f"{count(len(found), 'file')} {what}", Span(found[0]))
