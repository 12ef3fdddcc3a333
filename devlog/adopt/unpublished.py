"""Finds what the old generator did not publish for other reasons than a post's own front matter: devlog ignores it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from devlog.adopt.adoption import Draft
from devlog.adopt.common import add_ignored, as_patterns, folder_of, literal, without_braces
from devlog.adopt.file_tree import SPECIAL, FileTree, Pages, folders_above
from devlog.adopt.foreign import EMPTY, Found, Path, get, read_head, read_list
from devlog.adopt.git_lines import as_glob, ignored_by, ignored_by_git, named_by
from devlog.adopt.ignoring import (
    LOOK,
    SOURCES,
    WITH_NOTEBOOKS,
    content_of,
    ignore,
    is_off,
    kept_folders,
    path_inside,
    shortest,
)
from devlog.adopt.metadata import Datum, described, metadata
from devlog.adopt.survey import NOTEBOOK, Survey
from devlog.assemble.dates import moment
from devlog.disk.ignore import compile_ignore
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.dates import date_from_name, parse_date
from devlog.parse.front_matter.tree import Mapping, Scalar
from devlog.report import count

_MOST_SHOWN = 3
_NOT_INHERITED = "front matter is not inherited"
_NEVER = {"draft": ("true", "yes", "on", "1"), "render": ("never", "false", "link"), "list": ("never", "false")}
"""The values of Hugo's keys with which a page has no file, or is in no list."""
_RESOURCES = "publishresources"

_PATHS = {
    "draft": (("draft",),),
    "render": (("build", "render"), ("_build", "render")),
    "list": (("build", "list"), ("_build", "list")),
    _RESOURCES: (("build", _RESOURCES), ("_build", _RESOURCES)),
}
_DATES = {
    "publishDate": ("publishdate", "pubdate", "published", "date"),
    "expiryDate": ("expirydate", "unpublishdate", "expires"),
}
"""The names in front matter under which devlog finds the dates itself of which Hugo's configuration sets the names."""
_ADAPTER = re.compile(r"_content(?:\..*)?\.gotmpl", re.IGNORECASE)
_IN_NAME = ":filename"
_NO_DATES = (":default", ":git", ":filemodtime")
"""What may stand among the names of dates in Hugo's configuration, but for the date in the name of a file."""
_TEMPLATE = re.compile(r"\{[{%]")
_ELEVENTY = re.compile(r"\.eleventy\.js|eleventy\.config\.[cm]?[jt]s")
_USES_NO_GIT = re.compile(r"setUseGitIgnore\(\s*false\s*\)")
_EXTENDED = re.compile(r"[\\(){}]")
"""What globs of some generators have beyond those of `ignore`."""

_UNDERSCORED = r"re:(?:^|/)_.*\.(?:md|markdown|html?)$"
_BY_NAME = {
    "Astro": (_UNDERSCORED,),
    "Docusaurus": (_UNDERSCORED,),
    "Eleventy": ("_includes", "_data"),
    "Hexo": (r"re:(?:^|/)_",),
    "Quartz": ("private", "templates"),
    "Quarto": (r"re:(?:^|/)_.*\.(?:md|markdown|html?|ipynb)$",),
}
"""The files that generators leave out by default; images in folders such as ``_images`` are used by posts."""

_HIDDEN = frozenset({"draft", "private", "hidden", "skip"})


# -- Zola


def draft_sections(draft: Draft, survey: Survey) -> None:
    """Ignore Zola's draft sections, of which it loads nothing."""
    indexes = survey.below("content", ("/_index.md",))
    drafts = ((posixpath.dirname(file), get(read_head(survey, file), ("draft",))) for file in indexes)
    ignore(
        draft,
        (
            (found, ("/**",) if folder == "content" else as_patterns((folder,), "content"))
            for folder, found in drafts
            if found and found.is_on
        ),
    )


# -- Hugo, and Zola


def by_render_of_sections(draft: Draft, survey: Survey, code: str, paths: Iterable[Path]) -> None:
    """Ignore the texts of sections that have no page of their own: devlog would show them above its list.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        code: the code of the site's language.
        paths: the keys that turn off a page.
    """
    content = content_of(draft)
    indexes = (file for file in survey.below(content, SOURCES) if _stem(file, code) == "_index")
    keys = ((file, key) for file in indexes for path in paths if (key := get(read_head(survey, file), path)))
    off = ((file, key) for file, key in keys if key.text.lower() in _NEVER["render"])
    ignore(draft, ((key, as_patterns((file,), content)) for file, key in off))


# -- Hugo


class _Cascade(NamedTuple):
    """Front matter that pages inherit.

    Attributes:
        folder: the folder that they are in; empty for the site's own.
        globs: what the paths of these pages match.
        keys: the keys that count.
    """

    folder: str
    globs: tuple[str, ...]
    keys: dict[str, Found]


def cascades(draft: Draft, survey: Survey, code: str) -> None:
    """Ignore what inherits Hugo's ``draft`` or ``build`` from a section or the configuration; report other keys.

    Files in the folder of a page that has, or inherits, ``build.publishResources: false`` are ignored as well.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        code: the code of the site's language.
    """
    content = content_of(draft)
    sources = survey.below(content, SOURCES)
    indexes = [file for file in sources if _stem(file, code) == "_index"]
    written = [(posixpath.dirname(file), get(read_head(survey, file), ("cascade",))) for file in indexes]
    written.append(("" if content == "." else content, draft.take("cascade")))
    for name in ("target", "_target"):
        if target := draft.peek("cascade", name):
            draft.done(target, "which pages inherit the other keys")
    found = [item for folder, cascade in written for item in _read_cascades(draft, cascade, folder, code) if item.keys]
    inherited = _inherited(found, {file: _page(file, content, code) for file in sources} if found else {})
    if found:
        _hide_pages(draft, survey, inherited)
    _hide_resources(draft, survey, inherited[_RESOURCES], code)


def _inherited(cascades: Iterable[_Cascade], paths: dict[str, str]) -> dict[str, dict[str, Found]]:
    """The keys that sources inherit: by name, and by source.

    Args:
        cascades: what pages inherit.
        paths: the path of each source as targets have it.
    """
    pages = Pages(paths)
    inherited: dict[str, dict[str, Found]] = {name: {} for name in _PATHS}
    known: set[tuple[str, tuple[str, ...], str]] = set()
    nearest = sorted(cascades, key=lambda item: item.folder.count("/") + bool(item.folder), reverse=True)
    for folder, globs, keys in nearest:
        new = [name for name in keys if (folder, globs, name) not in known]
        known.update((folder, globs, name) for name in new)
        for file in pages.reached(folder, globs) if new else ():
            for name in new:
                inherited[name].setdefault(file, keys[name])
    return inherited


def _own(head: Mapping, name: str) -> Found | None:
    return next((key for path in _PATHS[name] if (key := get(head, path))), None)


def _hide_pages(draft: Draft, survey: Survey, inherited: dict[str, dict[str, Found]]) -> None:
    content = content_of(draft)
    sources = survey.below(content, SOURCES)
    out: set[str] = set()
    hidden: dict[int, tuple[Found, list[str]]] = {}
    for file in sources:
        own = read_head(survey, file)
        for name, never in _NEVER.items():
            own_key = _own(own, name)
            key = own_key or inherited[name].get(file)
            if key and key.text.lower() in never:
                out.add(file)
                if not own_key:
                    hidden.setdefault(id(key), (key, []))[1].append(file)
    kept = kept_folders(sources, out)
    ignore(draft, ((key, shortest(content, kept, files)) for key, files in hidden.values()))


def _hide_resources(draft: Draft, survey: Survey, inherited: dict[str, Found], code: str) -> None:
    """Ignore the files in the folders of pages whose files Hugo only publishes where a template asks for them."""
    content = content_of(draft)
    indexes = {file: _stem(file, code) for file in survey.below(content, SOURCES)}
    pages = {posixpath.dirname(file): file for file, stem in indexes.items() if stem in ("_index", "index")}
    keys = {folder: _own(read_head(survey, file), _RESOURCES) or inherited.get(file) for folder, file in pages.items()}
    off = {folder: key for folder, key in keys.items() if key and is_off(key)}
    if not off:
        return
    posts = {folder for folder, file in pages.items() if indexes[file] == "index"} - {"" if content == "." else content}
    files = survey.below(content)
    hidden: dict[int, tuple[Found, list[str]]] = {}
    for file in files:
        above = [folder for folder in folders_above(file) if folder in pages]
        # What is in the folder of a post is of that post, at any depth.
        owner = next((folder for folder in above if folder in posts), above[-1] if above else None)
        if owner in off and file not in indexes:
            hidden.setdefault(id(off[owner]), (off[owner], []))[1].append(file)
    tree = FileTree(files, content)
    ignore(draft, [(key, tree.patterns(out)) for key, out in hidden.values()])


def _read_cascades(draft: Draft, written: Found | None, folder: str, code: str) -> Iterator[_Cascade]:
    """The tables of a key ``cascade``; what cannot be inherited in devlog is reported."""
    nodes = (written.items or (written.node,)) if written else ()
    for node in (node for node in nodes if isinstance(node, Mapping)):
        globs = _target(get(node, ("target",)) or get(node, ("_target",)), code)
        keys = {
            name: key._replace(key=f"cascade.{key.key}")
            for name, paths in _PATHS.items()
            for path in paths
            if (key := get(node, path))
        }
        if globs:
            yield _Cascade(folder, globs, keys)
        for entry in node.entries:
            name = entry.key.text.lower()
            if name not in ("target", "_target") and not (globs and name in ("draft", "build", "_build")):
                reason = _NOT_INHERITED if globs else f"{_NOT_INHERITED} by such a target"
                draft.note(entry.key.span, f"cascade.{entry.key.text}", reason)


def _target(found: Found | None, code: str) -> tuple[str, ...]:
    """The globs for the pages that a cascade is for; empty if that is not known."""
    entries = found.entries if found else ()
    texts = {entry.key.text.lower(): Found("", entry.key.span, entry.value).text.lower() for entry in entries}
    path = texts.pop("path", "/**")
    known = {"kind": "page", "lang": code.lower(), "environment": "production"}
    if any(texts[name] != known.get(name) for name in texts) or re.search(r"[\\!\[]", path):
        return ()
    globs = tuple(glob.strip("/") for glob in without_braces(path))
    return () if compile_ignore(tuple(f"/{glob}" for glob in globs))[1] else globs


def by_dates(draft: Draft, survey: Survey, code: str, now: datetime) -> None:
    """Ignore what Hugo holds back, or publishes no longer, because of dates under names that devlog does not know.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        code: the code of the site's language.
        now: the current time.
    """
    content = content_of(draft)
    sources, zone = survey.below(content, SOURCES), _zone(draft)
    for kind, usual in _DATES.items():
        order = draft.peek("frontmatter", kind)
        names = [text.lower() for text in order.texts] if order else []
        if not order or all(name in usual or name in _NO_DATES for name in names):
            continue
        draft.take("frontmatter", kind)
        every = chain.from_iterable(usual if name == ":default" else (name,) for name in names)
        ranks = {name: rank for rank, name in enumerate(dict.fromkeys(every))}
        hidden: list[tuple[Found, list[str]]] = []
        later: list[Found] = []
        for file in sources:
            key = _date_by(survey, file, ranks, usual, code)
            date = parse_date(key.text) if key else None
            is_later = date is not None and moment(date, zone) > now
            if key and (date is None or is_later == (kind == "publishDate")):
                hidden.append((key, _with_bundle(survey, file, content, code)))
            elif key and is_later:
                later.append(key)
        kept = kept_folders(sources, [file for _, files in hidden for file in files])
        ignore(draft, [(key, shortest(content, kept, files)) for key, files in hidden])
        own = [f"“{name}”" for name in ranks if name not in (*usual, _IN_NAME, *_NO_DATES)]
        words = f"devlog does not read {', '.join(own[:_MOST_SHOWN])}" if own else "devlog reads the front matter first"
        if kind == "publishDate":
            draft.leave(order, f"{words}: remove from “ignore” later what these dates hold back")
        else:
            draft.leave(order, f"{words}: write “expiryDate” for dates in the future")
        for key in later:
            draft.leave(key, "devlog publishes it without end: write “expiryDate”")


def _date_by(survey: Survey, file: str, ranks: dict[str, int], usual: Container[str], code: str) -> Found | None:
    """The date that Hugo takes for a source; `None` if there is none, or devlog finds it itself.

    Args:
        survey: the files of the site.
        file: the source.
        ranks: the names under which Hugo looks for the date, the first one with the lowest number.
        usual: the names that devlog knows.
        code: the code of the site's language.
    """
    head = read_head(survey, file)
    params = get(head, ("params",))
    entries = (*(params.entries if params else ()), *head.entries)
    keys = {entry.key.text.lower(): Found(entry.key.text, entry.key.span, entry.value) for entry in entries}
    stem = _stem(file, code)
    in_name, _ = date_from_name(posixpath.basename(posixpath.dirname(file)) if stem == "index" else stem)
    if in_name:
        keys[_IN_NAME] = Found(_IN_NAME, Span(file), Scalar(in_name.value.date().isoformat(), Span(file)))
    first = min((name for name, key in keys.items() if name in ranks and key.text), key=ranks.__getitem__, default="")
    return None if first in usual else keys.get(first)


def _with_bundle(survey: Survey, file: str, content: str, code: str) -> list[str]:
    """A source, and those in the folder of the post if it is its index: they belong to it in Hugo."""
    folder = posixpath.dirname(file)
    is_bundle = _stem(file, code) == "index" and folder not in ("", content)
    return survey.below(folder, SOURCES) if is_bundle else [file]


def _zone(draft: Draft) -> tzinfo:
    """The time zone of the site: UTC if it has none, or one that does not exist."""
    try:
        return ZoneInfo(str(draft.setting("timezone") or "UTC"))
    except (KeyError, ValueError, OSError):
        return UTC


def adapters(draft: Draft, survey: Survey) -> None:
    """Ignore the templates with which Hugo makes pages: it publishes these pages, and never the templates."""
    files = [file for file in survey.below(content_of(draft)) if _ADAPTER.fullmatch(posixpath.basename(file))]
    for file in files:
        draft.note(Span(file), posixpath.basename(file), "Hugo makes pages with it, which are missing in devlog")
    add_ignored(draft, *dict.fromkeys(literal(posixpath.basename(file)) for file in files))


def _stem(file: str, code: str) -> str:
    """A file's name without its suffix and the site's language."""
    return posixpath.basename(file).rpartition(".")[0].removesuffix(f".{code}")


def _page(file: str, content: str, code: str) -> str:
    """The path of a page as targets have it, without a slash at its beginning."""
    stem = _stem(file, code)
    folder = posixpath.dirname(path_inside(file, content))
    return (folder if stem in ("index", "_index") else posixpath.join(folder, stem)).lower().replace(" ", "-")


def mount_filters(draft: Draft, survey: Survey, code: str) -> None:
    """Ignore the files that the mount of the content folder leaves out.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        code: the code of the site's language.
    """
    mounts, content = draft.peek("module", "mounts"), content_of(draft)
    for mount in mounts.items if mounts else ():
        source, target, language = (get(mount, (key,)) for key in ("source", "target", "lang"))
        filters = [key for name in ("files", "includeFiles", "excludeFiles") if (key := get(mount, (name,)))]
        if not (source and target) or (language and language.text.lower() != code.lower()):
            continue
        is_content = folder_of(target.text) == "content" and (folder_of(source.text) or ".") == content
        for key in filters:
            named = Found(f"module.mounts.{key.key}", key.span, key.node)
            if is_content:
                _filter(draft, survey, named)
            elif folder_of(target.text).partition("/")[0] in ("content", "static"):
                draft.leave(named, f"only files of the content folder can be ignored; {LOOK}")


def _filter(draft: Draft, survey: Survey, key: Found) -> None:
    """Ignore what a filter of a mount excludes: its globs are for paths in the folder, and ``!`` negates them."""
    content = content_of(draft)
    excludes = "exclude" in key.key.lower()
    globs = [glob for text in key.texts for glob in without_braces(text)]
    out = [glob.lstrip("! ") for glob in globs if excludes or glob.startswith("!")]
    if out:
        ignore(draft, [(key, [f"/{glob.lstrip('/')}" for glob in out])])
    kept, wrong = compile_ignore(tuple(f"/{glob.lstrip('/')}" for glob in globs if not glob.startswith("!")))
    if excludes or not (kept.paths or wrong):
        return
    if wrong:
        draft.leave(key, f"it has no counterpart; {LOOK}")
        return
    files = survey.below(content)
    hidden = [file for file in files if not any(glob.fullmatch(path_inside(file, content)) for glob in kept.paths)]
    ignore(draft, [(key, shortest(content, kept_folders(files, hidden), hidden))])


# -- folders of Markdown


def by_name(draft: Draft, survey: Survey, generator: str) -> None:
    """Ignore the files that a generator leaves out because of their names.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        generator: the name of the generator.
    """
    patterns = _BY_NAME.get(generator, ())
    rules, _ = compile_ignore(patterns)
    content = content_of(draft)
    files = [
        file
        for file in survey.below(content, WITH_NOTEBOOKS)
        if any(glob.fullmatch(part) for glob in rules.globs for part in path_inside(file, content).split("/"))
        or any(expression.search(path_inside(file, content)) for expression in rules.expressions)
    ]
    add_ignored(draft, *patterns)
    if files:
        draft.advise(f"{count(len(files), 'file')} ignored, as by {generator}: {', '.join(patterns)}", Span(files[0]))


def by_status(draft: Draft, survey: Survey, now: datetime, *, held_back: bool) -> None:
    """Ignore the drafts and private posts of Nikola and Pelican, as their metadata say.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        now: the current time.
        held_back: whether posts with a future date are not published either, nor those with some tags, as in Nikola.
    """
    content = content_of(draft)
    found: list[tuple[Found, Iterable[str]]] = []
    for file, sources in described(survey, content):
        hides = (item.found for item in metadata(survey, file) if _hides(item, now if held_back else None))
        if key := next(hides, None):
            found.append((key, as_patterns(sources, content)))
    ignore(draft, found)


def _hides(item: Datum, now: datetime | None) -> bool:
    """Whether a post is not published because of its metadata; with `now`, also because of tags or a future date."""
    value = item.value.strip().lower()
    if item.name == "status":
        return value in _HIDDEN and not (item.is_read and value == "draft")  # devlog knows drafts itself
    if now and item.name == "tags":
        return not _HIDDEN.isdisjoint(tag.strip() for tag in value.split(","))
    if now and item.name == "date" and not item.is_read:
        date = parse_date(item.value) or parse_date(item.value.partition(" ")[0])
        return date is not None and moment(date, UTC) > now
    return False


def by_permalink(draft: Draft, survey: Survey) -> None:
    """Ignore what Eleventy writes no file for, and what ``.eleventyignore`` and ``.gitignore`` name."""
    content = content_of(draft)
    sources = survey.below(content, SOURCES)
    own = {file: _permalink(read_head(survey, file)) for file in sources}
    found: list[tuple[Found, Iterable[str]]] = [
        (key, as_patterns((file,), content)) for file, key in own.items() if key and is_off(key)
    ]
    templates = [key for key in own.values() if key and _TEMPLATE.search(key.text)]
    tree = FileTree(sources, content)
    for file in survey.below(".", (".json",)):
        of_data = [path for path in _with_data(survey, file) if path in own]
        below = [path for path in of_data if not own[path]]
        data = read_list(survey, file) if of_data else EMPTY
        permalink, unready = _permalink(data), get(data, ("draft",))
        if permalink and is_off(permalink):
            found.append((permalink, tree.patterns(below)))
        elif unready and unready.text.lower() in _NEVER["draft"]:
            found.append((unready, tree.patterns(below)))
        elif permalink and _TEMPLATE.search(permalink.text):
            templates.append(permalink)
    for key in templates:
        draft.leave(key, "it is a template, so the URL changes: set “url”")
    for file in survey.below(content, (".11tydata.js", ".11tydata.cjs", ".11tydata.mjs", ".11tydata.ts")):
        draft.note(Span(file), posixpath.basename(file), f"it is a program, which devlog does not run; {LOOK}")
    _note_use_of_git(draft, survey)
    named = [path for path in survey.files if posixpath.basename(path) == ".eleventyignore"]
    ignore(draft, [*found, *ignored_by(draft, survey, named), *ignored_by_git(draft, survey, (".gitignore",))])


def _permalink(data: Mapping) -> Found | None:
    """The key with the address of a page, which what Eleventy computes takes precedence over.

    It may be a table, of which only ``build`` is an address: without it, or if it is false, no file is written.
    """
    key = get(data, ("eleventyComputed", "permalink")) or get(data, ("permalink",))
    if not (key and isinstance(key.node, Mapping)):
        return key
    build = get(key.node, ("build",))
    return key._replace(node=build.node if build else Scalar("false", key.span))


def _note_use_of_git(draft: Draft, survey: Survey) -> None:
    """Report a configuration that seems to publish what git ignores. It is a program: whether it does, only a run of it
    would tell, so devlog ignores that all the same."""
    for file in survey.beside("."):
        program = survey.head(file) if _ELEVENTY.fullmatch(file) and survey.has(".gitignore") else ""
        if found := _USES_NO_GIT.search(program):
            line = program.count("\n", 0, found.start()) + 1
            reason = "what .gitignore names is ignored: remove it from “ignore” if it was published"
            draft.note(Span(file, line), found[0], reason)


def _with_data(survey: Survey, file: str) -> list[str]:
    """The sources that a JSON file has data for: all in its folder if it is named like that, else the one it is for."""
    stem, folder = file.removesuffix(".json").removesuffix(".11tydata"), posixpath.dirname(file)
    if folder and posixpath.basename(stem) == posixpath.basename(folder):
        return survey.below(folder, SOURCES)
    return [stem + end for end in SOURCES if survey.has(stem + end)]


def by_skipping(draft: Draft, survey: Survey) -> None:
    """Ignore the posts that the configuration of Hexo has Hexo skip or ignore."""
    content = content_of(draft)
    tree = FileTree(survey.below(content), content)
    source = posixpath.dirname(content)  # paths to skip are relative to it
    found: list[tuple[Found, Iterable[str]]] = []
    keys = ((draft.take("skip_render"), source), (draft.take("exclude"), source), (draft.take("ignore"), ""))
    for key, folder in keys:
        for text in key.texts if key else ():
            for glob in without_braces(text):
                line = Found(glob, key.span if key else Span(""), EMPTY)
                if _EXTENDED.search(glob):
                    draft.leave(line, f"it may have no counterpart; {LOOK}")
                found.append((line, named_by(draft, tree, folder, line)))
    ignore(draft, found)


# -- Quarto


def by_render(draft: Draft, survey: Survey) -> None:
    """Ignore what Quarto does not render, and what its configuration lists as drafts."""
    content = content_of(draft)
    sources = survey.below(content, WITH_NOTEBOOKS)
    tree = FileTree(survey.below(content), content)
    render, drafts = draft.take("project", "render"), draft.take("website", "drafts")
    listed = [node for node in (render.items if render else ()) if isinstance(node, Scalar)]
    wanted = [node for node in listed if not node.text.startswith("!")]
    left_out = [node for node in listed if node.text.startswith("!")]
    left_out += [node for node in (drafts.items if drafts else ()) if isinstance(node, Scalar)]
    found: list[tuple[Found, Iterable[str]]] = []
    for node in left_out:
        for glob in without_braces(node.text.removeprefix("!")):
            line = Found(glob, node.span, EMPTY)
            if _EXTENDED.search(glob):
                draft.leave(line, f"it may have no counterpart; {LOOK}")
            found.append((line, (*named_by(draft, tree, "", line), *_anywhere(glob))))
    if render and wanted:
        globs = [glob for node in wanted for glob in _rendered(draft, node)]
        kept = frozenset(Pages({file: file for file in sources}).reached("", globs))
        hidden = [file for file in sources if file not in kept]
        found.append((render, shortest(content, kept_folders(sources, hidden), hidden)))
    # It also reads the front matter of notebooks where devlog has none, such as below the first cell.
    heads = ((file, get(read_head(survey, file), ("draft",))) for file in survey.below(content, (NOTEBOOK,)))
    unready = ((file, key) for file, key in heads if key and key.text.lower() in _NEVER["draft"])
    ignore(draft, [*found, *((key, as_patterns((file,), content)) for file, key in unready)])


def _anywhere(glob: str) -> tuple[str, ...]:
    """A pattern for what an item of ``render`` that is a name, or a glob, leaves out in any folder."""
    name = glob.removeprefix("./").rstrip("/")
    if glob.startswith(("/", "**/")) or not name:
        return ()
    if "/" not in name:
        return (as_glob(name),)
    return (f"**/{name}",) if SPECIAL.search(name) else ()


def _rendered(draft: Draft, node: Scalar) -> tuple[str, ...]:
    """Globs for what an item of ``render`` names, also in folders of that name; none if it has no counterpart."""
    text = node.text.removeprefix("./")
    places = ("", "**/") if SPECIAL.search(text) and not text.startswith(("/", "**/")) else ("",)
    names = [name.strip("/") for name in without_braces(text)]
    globs = tuple(f"{place}{name}{end}" for name in names for place in places for end in ("", "/**"))
    if any(map(_EXTENDED.search, names)) or compile_ignore(tuple(f"/{glob}" for glob in globs))[1]:
        draft.note(node.span, f"render: {node.text}", f"it has no counterpart; {LOOK}")
        return ()
    return globs


def by_folder(draft: Draft, survey: Survey, names: Container[str], everywhere: Found | None = None) -> None:
    """Ignore the sources that inherit ``draft: true`` from a file with metadata in a folder above them.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        names: the names of such files.
        everywhere: the key in the configuration, which is for all sources.
    """
    content = content_of(draft)
    keys = {"": everywhere} if everywhere else {}
    for file in survey.files:
        if posixpath.basename(file) in names and (key := get(read_list(survey, file), ("draft",))):
            keys[posixpath.dirname(file)] = key
    sources = survey.below(content, WITH_NOTEBOOKS) if keys else []
    hidden: dict[Found, list[str]] = {}
    for file in sources:
        key = next((keys[folder] for folder in reversed(folders_above(file)) if folder in keys), None)
        if key and key.text.lower() in _NEVER["draft"] and not get(read_head(survey, file), ("draft",)):
            hidden.setdefault(key, []).append(file)
    kept = kept_folders(sources, [file for files in hidden.values() for file in files])
    ignore(draft, ((key, shortest(content, kept, files)) for key, files in hidden.items()))
