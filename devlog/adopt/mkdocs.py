"""Reads the configuration of MkDocs, also what it inherits, and plugins: names, with or without options."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from devlog.adopt.adoption import Draft
from devlog.adopt.common import folder_of
from devlog.adopt.foreign import Found, get, merged, read_tree
from devlog.adopt.ignoring import LOOK, is_off
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence
from devlog.report import count

_INDEXES = ("index", "README")
_INHERIT = "INHERIT"
_ENV = re.compile(r"!ENV(?=[\s\[])")
"""The tag of a value from the environment."""
_LONGEST_SHOWN = 80
_FLAT = "use_directory_urls"
_PLUGINS = {
    "rss": "feeds are part of devlog",
    "search": "search is part of devlog",
    "tags": "lists of tags are part of devlog",
}

_HIDES = re.compile("exclude|ignore|draft|hid|private|publish|unused")
"""What is in the names of plugins that leave out pages."""


FLAT = "/:topic/:name.html"
"""The pattern of URLs with ``use_directory_urls: false``, but for those of blogs and of indexes."""


def with_parents(survey: Survey, file: str) -> tuple[tuple[str, ...], Mapping, tuple[Diagnostic, ...]]:
    """A configuration with those that it inherits from: their files, their keys, and why one of them cannot be read."""
    trees: dict[str, Mapping] = {}
    wrong: tuple[Diagnostic, ...] = ()
    while survey.has(file) and file not in trees:
        tree, faults = read_tree(survey, file)
        trees[file] = _defaults(tree, survey.head(file).split("\n"))
        wrong += faults
        file = _parent(file, trees[file])
    return tuple(trees), merged(*reversed(trees.values())), wrong


def _defaults(tree: Mapping, lines: Iterable[str]) -> Mapping:
    """A tree with the default of each value from the environment: the last item of a list, or nothing.

    Args:
        tree: the keys of a configuration.
        lines: its lines.
    """
    starts = {(number, found.start() + 1) for number, line in enumerate(lines, 1) for found in _ENV.finditer(line)}

    def default(node: Node) -> Node:
        if (node.span.line, node.span.column) in starts and not isinstance(node, Mapping):
            items = node.items if isinstance(node, Sequence) else ()
            return default(items[-1]) if len(items) > 1 else Scalar("", node.span, plain=True)
        if isinstance(node, Sequence):
            return Sequence(tuple(map(default, node.items)), node.span)
        return of_table(node) if isinstance(node, Mapping) else node

    def of_table(table: Mapping) -> Mapping:
        return Mapping(tuple(Entry(entry.key, default(entry.value)) for entry in table.entries), table.span)

    return of_table(tree) if starts else tree


def _parent(file: str, tree: Mapping) -> str:
    """The file that a configuration inherits from; empty if there is none."""
    found = get(tree, (_INHERIT,))
    return folder_of(posixpath.join(posixpath.dirname(file), found.text)) if found and found.text else ""


def parents(draft: Draft, survey: Survey, file: str) -> None:
    """Report from where a configuration inherits keys, and which values it has from the environment."""
    draft.take(_INHERIT)
    for each in with_parents(survey, file)[0]:
        for number, line in enumerate(survey.head(each).split("\n"), 1):
            if _ENV.search(f" {line}".partition(" #")[0]):  # not in comments
                what = "devlog does not read the environment, and takes the default, if there is one"
                draft.note(Span(each, number), line.strip()[:_LONGEST_SHOWN], what)
        tree, _ = read_tree(survey, each)
        if key := get(tree, (_INHERIT,)):
            if survey.has(_parent(each, tree)):
                draft.done(key, "the keys in this file are read")
            else:
                draft.leave(
                    key, f"the file is not in the folder of the site, and what it leaves out is unknown; {LOOK}"
                )


def named(found: Found | None) -> Iterator[tuple[str, Found]]:
    """The plugins or extensions of a configuration, each with its name and, as the value, its options."""
    if found is None:
        return
    for node in (found.node,) if isinstance(found.node, Mapping) else found.items:
        if isinstance(node, Scalar):
            yield node.text, Found(f"{found.key}: {node.text}", node.span, node)
        for entry in node.entries if isinstance(node, Mapping) else ():
            yield entry.key.text, Found(f"{found.key}: {entry.key.text}", entry.key.span, entry.value)


def flat_urls(draft: Draft, survey: Survey, folder: str, blog: str) -> None:
    """Keep the ending of URLs without folders (``use_directory_urls: false``).

    Args:
        draft: receives the settings; those of a blog are not set yet.
        survey: the files of the site.
        folder: the content folder.
        blog: the pattern of the URLs of the blog that is adopted; empty if there is none.
    """
    flat = draft.take(_FLAT)
    if flat is None:
        return
    if not is_off(flat):
        draft.done(flat, "devlog's default")
        return
    draft.put(("permalinks", "post"), f"{blog.rstrip('/')}.html" if blog else FLAT, flat)
    draft.put(("permalinks", "page"), FLAT, flat)
    if not blog:
        report_indexes(draft, survey, folder, "MkDocs")


def report_indexes(draft: Draft, survey: Survey, folder: str, generator: str) -> None:
    """Report the indexes of folders, which are the pages of these folders, though the URLs of others end in ``.html``.

    Args:
        draft: receives the note.
        survey: the files of the site.
        folder: the content folder.
        generator: the name of the generator.
    """
    files = [path for path in survey.below(folder, MARKDOWN) if _is_index(path) and posixpath.dirname(path) != folder]
    if files:
        draft.advise(
            f"{count(len(files), 'index file')} with a URL that ends in “/” in {generator}, and in “.html” in devlog: "
            "give such files their old URL as “url”",
            Span(files[0]),
        )


def _is_index(path: str) -> bool:
    return posixpath.splitext(posixpath.basename(path))[0] == "index"


def plugins(draft: Draft, survey: Survey, docs: str, blog: Found | None) -> None:
    """Convert the redirects of the plugin ``redirects``, and report the other plugins.

    Args:
        draft: receives the settings; the content folder is set.
        survey: the files of the site.
        docs: the folder of all source files.
        blog: the plugin whose blog is adopted, which is reported already.
    """
    for name, plugin in named(draft.take("plugins")):
        short = name.removeprefix("material/")
        if blog and plugin.span == blog.span:
            continue
        if short == "redirects":
            _redirects(draft, survey, docs, plugin)
        elif short in _PLUGINS:
            draft.done(plugin, _PLUGINS[short])
        elif short == "exclude":
            continue  # see by_exclude_plugin
        elif _HIDES.search(short):
            draft.leave(plugin, f"MkDocs plugins are not converted; {LOOK}")
        else:
            draft.leave(plugin, "MkDocs plugins are not converted")


def options(draft: Draft, plugin: Found, used: Iterable[tuple[str, str]] = ()) -> None:
    """Report the options of a plugin.

    Args:
        draft: receives the notes.
        plugin: the plugin.
        used: the names of options that have a counterpart, each with what became of it.
    """
    known = dict(used)
    for entry in plugin.entries:
        name = entry.key.text
        option = Found(f"{plugin.key}.{name}", entry.key.span, entry.value)
        if name in known:
            draft.done(option, known[name])
        else:
            draft.leave(option, "it has no counterpart in devlog")


def _redirects(draft: Draft, survey: Survey, docs: str, plugin: Found) -> None:
    maps = get(plugin.node, ("redirect_maps",))
    if not (maps and maps.entries):
        draft.leave(plugin, "it has no redirects that devlog can read")
    flat = draft.peek(_FLAT)
    ending = ".html" if flat and is_off(flat) else "/"
    content = str(draft.setting("content") or "content")
    for entry in maps.entries if maps else ():
        key = Found(f"{plugin.key}: {entry.key.text}", entry.key.span, entry.value)
        old, target = folder_of(entry.key.text), _target(survey, docs, content, key.text)
        if survey.has(f"{docs}/{old}") or not old.lower().endswith(MARKDOWN) or old.startswith(("/", "../")):
            draft.leave(key, "it is not the path of a Markdown file that is gone")
        elif not target:
            draft.leave(key, "its target is not adopted")
        else:
            draft.put(("redirects", _url(old, ending)), target, key)


def _target(survey: Survey, docs: str, content: str, text: str) -> str:
    """The target of a redirect: an absolute URL, or a source file in the content folder; empty if it is neither."""
    if text.startswith(("https://", "http://")):
        return text
    path, mark, fragment = text.partition("#")
    file, start = folder_of(f"{docs}/{path}"), "" if content == "." else f"{content}/"
    return f"/{file.removeprefix(start)}{mark}{fragment}" if survey.has(file) and file.startswith(start) else ""


def _url(file: str, ending: str) -> str:
    """The URL of a source file in MkDocs, in which an index is the page of its folder."""
    path = "/" + posixpath.splitext(file)[0]
    folder, name = posixpath.split(path)
    return f"{folder.rstrip('/')}/" if name in _INDEXES else path + ending
