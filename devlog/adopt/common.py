"""Conversions that the imports from several generators share: titles, URLs, feeds, authors, menus."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Mapping
from itertools import chain
from itertools import count as numbers
from unicodedata import normalize
from urllib.parse import quote

from devlog.adopt.adoption import Draft
from devlog.adopt.foreign import Found, get, read_head, read_tree
from devlog.adopt.survey import Survey
from devlog.config import is_base_url
from devlog.config_file.checks import may_be_folder
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.model.diagnostic import Span
from devlog.model.dialect import APART, APART_STATIC, DIALECTS
from devlog.model.urls import runs
from devlog.parse.front_matter.tree import Mapping as Tree
from devlog.parse.front_matter.tree import Scalar, Sequence
from devlog.parse.front_matter.web_urls import web_url
from devlog.report import count

OTHER_TEXTS = (
    ".adoc",
    ".asciidoc",
    ".ad",
    ".org",
    ".rst",
    ".pandoc",
    ".pdc",
    ".mdx",
    ".textile",
    ".ipynb",
    ".mmark",
    ".mkd",
    ".mkdn",
    ".mkdown",
    ".mdown",
    ".lr",
    ".qmd",
    ".rmd",
)
"""The extensions of source files that other generators can read, but devlog cannot."""

_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(?P<title>\S.{0,999})$", re.MULTILINE)
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
_AUTHOR_KEYS = {
    "name": ("name", "display_name", "full_name", "title"),
    "url": ("url", "web", "website", "homepage", "link", "uri", "site"),
    "bio": ("bio", "about", "description", "summary"),
    "avatar": ("avatar", "image", "image_url", "photo", "picture", "thumbnail"),
    "affiliation": ("affiliation", "company", "organization", "organisation", "org"),
}


def folder_of(text: str) -> str:
    """A normalized folder name from a configuration, relative to the site's folder; empty for that folder itself."""
    path = posixpath.normpath(text.strip()) if text.strip() else "."
    return "" if path == "." else path


def configured_folder(draft: Draft, found: Found | None, text: str = "") -> str:
    """The folder that a key of the old configuration names; empty without one, and with a note if it is refused.

    The configuration is somebody else's: a folder such as ``.git`` would publish what only its owner may see.

    Args:
        draft: receives the note.
        found: the key.
        text: its value, if that is not one text.
    """
    folder = folder_of(text or found.text) if found else ""
    if found and folder and not (may_be_folder(folder) and folder.partition("/")[0].lower() not in CONFIGURATIONS):
        draft.leave(found, f"“{folder}” cannot be a folder of a site")
        return ""
    return folder


def fallback_title(draft: Draft, survey: Survey, home: str) -> None:
    """Set the title of a site whose configuration has none: that of its home page, else the name of its folder.

    Args:
        draft: receives the setting.
        survey: the files of the site.
        home: the path of the home page's source file.
    """
    if draft.setting("title"):
        return
    found = _TITLE.search(survey.head(home).partition("\n\n")[0])
    if found:
        draft.put("title", _unquoted(found["title"].rstrip(" \t")), comment=f"from {home}")
    else:
        draft.put("title", survey.name or "DevLog", comment="from the folder's name")


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 2 and text[0] in "\"'" and text[-1] == text[0] else text


def base_url(draft: Draft, survey: Survey, found: Found | None, path: str = "") -> None:
    """Set the URL of the site: the configured one, else the host in a ``CNAME`` file.

    Args:
        draft: receives the setting.
        survey: the files of the site.
        found: the old key.
        path: a path to append to the URL.
    """
    address = found.text if found else ""
    if address.startswith("//"):
        address = f"https:{address}"
    if not address.isascii():
        address = web_url(address) or address
    path = path if path.isascii() else quote(path, safe="/%")
    if found and address and is_base_url(address):
        draft.put("base_url", address.rstrip("/") + "/" + path.strip("/"), found)
        return
    if found and address:
        draft.leave(found, f"“{address}” is not a URL; set “base_url” by hand")
    cname = survey.first("CNAME", "static/CNAME")
    host = survey.head(cname).split("\n")[0].strip() if cname else ""
    if _HOST.fullmatch(host):
        draft.put("base_url", f"https://{host}/{path.strip('/')}", comment=f"from {cname}")
    else:
        if path.strip("/"):
            draft.put("base_url", f"/{path.strip('/')}/")
        draft.advise("the URL of the site was not found: feeds and the sitemap need “base_url”")


def output(draft: Draft, survey: Survey, folder: str, found: Found | None = None) -> None:
    """Set the output folder: that of the old generator, unless it still contains the old output, or has other files."""
    if survey.is_free(folder) and not _source_at(draft, folder):
        if folder != "public" or found:
            draft.put("output", folder, found)
        return
    names = chain(("devlog-public",), (f"devlog-public-{number}" for number in numbers(2)))
    spare = next(name for name in names if survey.is_free(name) and not _source_at(draft, name))
    if source := _source_at(draft, folder):
        draft.put("output", spare, found, f"{folder}/ is the {source} folder, or overlaps it")
        return
    draft.put("output", spare, found, f"{folder}/ contains the output of the old generator")
    draft.advise(
        f"{folder}/ contains files that devlog did not write, so the site is built in {spare}/; "
        f"compare the two with “devlog compare --old {folder}”"
    )


def _source_at(draft: Draft, folder: str) -> str:
    """The kind of the folder that is at the place of another one, above or below it; empty if there is none."""
    for kind in ("content", "static"):
        own = str(draft.setting(kind) or kind)
        if own != "." and (f"{folder}/".startswith(f"{own}/") or f"{own}/".startswith(f"{folder}/")):
            return kind
    return ""


def no_static_folder(draft: Draft, survey: Survey, generator: str) -> None:
    """Publish nothing of ``static/`` at the root, if the old generator has no static folder."""
    if survey.is_taken("static"):
        names = chain((APART_STATIC,), (f"{APART_STATIC}-{number}" for number in numbers(2)))
        name = next(name for name in names if not survey.is_taken(name))
        draft.put("static", name, comment=f"static/ is no special folder of {generator}")


_OF_THEME = ("templates", "i18n", "themes")
_PROGRAMS = "node_modules/mermaid"
"""What is trusted as a part of the theme by its name."""


def own_theme(draft: Draft, survey: Survey, dialect: str = "devlog") -> None:
    """Keep what is not made for devlog out of its theme, though it has the names of parts of one.

    devlog runs what it finds under these names, and nobody has looked at the files of the old site yet.
    """
    usual = DIALECTS[dialect].theme_folder
    found = [name for name in (*_OF_THEME, _PROGRAMS) if survey.is_taken(name)]
    others = [f"{name}/" for name in (found if usual == "." else filter(survey.is_taken, [usual]))]
    if others:
        names = chain((APART,), (f"{APART}-{number}" for number in numbers(2)))
        usual = next(name for name in names if not survey.is_taken(name))
        draft.put("theme_folder", usual, comment=f"{', '.join(others)} may not be for devlog")
    if found:
        draft.advise(
            f"devlog uses nothing in {', '.join(f'{name}/' for name in found)}: your own templates, messages and "
            f"themes belong in {usual}/ (“theme_folder”); if the old ones are for devlog, set it to “.”"
        )


def feed_names(
    draft: Draft, survey: Survey, statics: Iterable[str], names: dict[str, str], why: dict[str, str]
) -> None:
    """Set the names of feeds that differ from devlog's defaults.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        statics: the folders whose files are published at the root.
        names: the names of the old site's feeds, by format.
        why: the origin of each name, by format.
    """
    taken = {file.rpartition("/")[2].lower() for folder in statics for file in survey.beside(folder)}
    defaults = {"rss": ("index.xml", "rss.xml"), "atom": ("feed.xml", "atom.xml"), "json": ("feed.json", "index.json")}
    used = {name.lower() for name in names.values()} | taken
    for kind, candidates in defaults.items():
        if kind in names:
            if names[kind] != candidates[0]:
                draft.put(("feeds", kind), names[kind], comment=why.get(kind, ""))
            continue
        free = [name for name in (*candidates, f"devlog-{candidates[0]}") if name not in used]
        if free[0] != candidates[0]:
            draft.put(("feeds", kind), free[0], comment=f"the site has another {candidates[0]}")
        used.add(free[0])


def slug_is_last(pattern: str, token: re.Pattern[str], slugs: Container[str]) -> bool:
    """Whether a pattern of another generator has the slug of a post where devlog puts it: as the whole last segment.

    Args:
        pattern: the pattern.
        token: a placeholder of the pattern.
        slugs: the placeholders that stand for the slug, as found by `token`.
    """
    head, _, last = pattern.rstrip("/").rpartition("/")
    first = token.match(last)
    end = last[first.end() :] if first else ""
    is_whole = end in ("", ":output_ext") or end.startswith(".")
    used = [name for name in token.findall(f"{head}/{last}") if name.lower() in slugs]
    return bool(first and is_whole and len(used) == 1 and token.findall(last)[0] in used)


def other_slugs(draft: Draft, survey: Survey, files: Iterable[str], unlike: str, key: str = "url") -> None:
    """Report posts with a slug that was not the last segment of their URLs.

    Args:
        draft: receives the note.
        survey: the files of the site.
        files: the posts.
        unlike: the pattern or generator that has the slug elsewhere.
        key: the key of the old generator that sets the whole URL.
    """
    posts = (file for file in files if not posixpath.basename(file).startswith("_index."))
    found = [file for file in posts if _has_slug(read_head(survey, file), key)]
    if found:
        draft.advise(
            f"{count(len(found), 'file')} with “slug”, of which devlog makes the last segment of the URL, "
            f"unlike {unlike}: give such files a “{key}”",
            Span(found[0]),
        )


def _has_slug(head: Tree, key: str) -> bool:
    slug, url = get(head, ("slug",)), get(head, (key,))
    return bool(slug and slug.text and not (url and url.text))


def other_texts(draft: Draft, survey: Survey, folder: str) -> None:
    """Ignore source files in formats that devlog does not read, and report them."""
    for suffix in OTHER_TEXTS:
        files = survey.below(folder, (suffix,))
        if files and suffix != ".ipynb":  # notebooks are downloads beside a post
            add_ignored(draft, *dict.fromkeys(f"*{posixpath.splitext(file)[1]}" for file in files))
            draft.advise(
                f"{count(len(files), 'file')} in *{suffix} skipped: devlog reads *.md, *.markdown and *.html",
                Span(files[0]),
            )


def add_ignored(draft: Draft, *patterns: str) -> None:
    """Add patterns of files to ignore: all that a caller has at once, since each call copies those before."""
    before = draft.setting("ignore")
    if patterns:
        draft.replace("ignore", tuple(dict.fromkeys((*(before if isinstance(before, tuple) else ()), *patterns))))


def as_patterns(files: Iterable[str], content: str) -> tuple[str, ...]:
    """Patterns that ignore individual files of the content folder."""
    start = 0 if content == "." else len(content) + 1
    return tuple(f"/{literal(normalize('NFC', file[start:]))}" for file in files)  # names are compared like this


_BYTE = re.compile("[\udc80-\udcff]")
_ANY_BYTE = "[! -\ud7ff\ue000-\U0010ffff]"
"""A glob for a byte of a name that is not UTF-8, which a configuration cannot contain: it matches no character."""


def literal(name: str) -> str:
    """A glob that matches only one name: names of files are somebody else's, and may look like patterns."""
    escaped = "".join(f"[{char}]" if char in "*?[" else char for char in name)
    escaped = _BYTE.sub(_ANY_BYTE, escaped)
    return f"[r]{escaped[1:]}" if escaped.startswith("re:") else escaped


def authors_file(draft: Draft, survey: Survey, files: Iterable[str]) -> None:
    """Import the authors from data files.

    Args:
        draft: receives the settings.
        survey: the files of the site.
        files: a file with all authors, or one file per author.
    """
    for file in files:
        tree, wrong = read_tree(survey, file)
        if wrong:
            draft.advise(f"the authors in {file} cannot be read: {wrong[0].message}", wrong[0].span)
            continue
        own = file.rpartition("/")[2].rpartition(".")[0].lstrip(".")
        inner = get(tree, ("authors",))
        if inner and isinstance(inner.node, Tree) and len(tree.entries) == 1:
            tree = inner.node
        people = [(entry.key.text, entry.value) for entry in tree.entries if isinstance(entry.value, Tree)]
        if not own.lower().startswith("authors") and not own.lower().startswith("people"):
            people = [(own, tree)]
        for handle, person in people:
            _author(draft, handle, person, file)


def _author(draft: Draft, handle: str, person: Tree, file: str) -> None:
    values = {entry.key.text.lower(): entry.value for entry in person.entries}
    for key, names in _AUTHOR_KEYS.items():
        texts = (" ".join(node.text.split()) for name in names if isinstance(node := values.get(name), Scalar))
        text = next((text for text in texts if text), "")
        if text:
            draft.put(("authors", handle, key), text, comment=file if key == "name" else "")


def menu(draft: Draft, items: Iterable[tuple[Tree, str]], base_path: str) -> None:
    """Import the entries of a menu.

    Args:
        draft: receives the settings.
        items: tables with ``name`` or ``title``, and ``url``, ``pageRef`` or ``link``, and the origin of each.
        base_path: the path of the site, which devlog itself prepends to URLs.
    """
    number = 0
    for item, origin in items:
        values = {entry.key.text.lower(): entry.value for entry in item.entries}

        def text(*names: str, values: Mapping[str, object] = values) -> str:
            nodes = (values.get(name) for name in names)
            return next((node.text.strip() for node in nodes if isinstance(node, Scalar) and node.text.strip()), "")

        target = text("url", "pageref", "link", "href", "path")
        name = text("name", "title", "text", "label", "identifier") or target.strip("/").rpartition("/")[2].title()
        place = item.entries[0].key.span if item.entries else item.span
        if not target:
            draft.note(place, f"menu entry “{name}”", "it has no URL")
            continue
        if runs(target):
            draft.note(place, f"menu entry “{name}”", "its URL is a script")
            continue
        if isinstance(values.get("parent"), Scalar) or isinstance(values.get("children"), Sequence):
            draft.note(place, f"menu entry “{name}”", "menus have one level: it is listed with the others")
        draft.put(("menu", number, "name"), name, comment=f"{origin}, {place.path}:{place.line}")
        draft.put(("menu", number, "url"), menu_url(target, base_path))
        draft.entry(place, f"menu entry “{name}”", "[[menu]]")
        weight = text("weight").removeprefix("+")
        if weight.removeprefix("-").isdecimal() and len(weight) < 9:
            draft.put(("menu", number, "weight"), int(weight))
        number += 1


def menu_url(target: str, base_path: str) -> str:
    """The URL of a menu entry in devlog's form: absolute, or a path from the site's root as its page is published."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) or target.startswith(("//", "#")):
        return target
    target = re.sub(r"\{\{[^{}\n]*\}\}", "", target)
    path, mark, rest = re.fullmatch(r"([^?#]*)([?#]?)(.*)", target, re.DOTALL).groups()  # type: ignore[union-attr]
    path = "/" + path.lstrip("/")
    if base_path != "/" and (path + "/").startswith(base_path):
        path = "/" + path[len(base_path) :].lstrip("/")
    if not path.endswith("/") and "." not in path.rpartition("/")[2]:
        path += "/"
    return path + mark + rest


def base_path_of(draft: Draft) -> str:
    """The path of the site's base URL; ``/`` if it is unknown."""
    address = draft.setting("base_url")
    path = re.sub(r"^https?://[^/]*", "", address).strip("/") if isinstance(address, str) else ""
    return f"/{path}/" if path else "/"


_FOREIGN = re.compile(r"\\(?P<escaped>.)|\[\^", re.DOTALL)
_ESCAPED_IN_SET = re.compile(r"(?<!\\)\[[^\]]*\\")


def without_escapes(glob: str) -> str:
    """A glob with escapes (``\\*``), and with ``^`` for all characters but some, as a pattern has both.

    A set of characters with an escape in it stays as it is.
    """
    if _ESCAPED_IN_SET.search(glob):
        return glob
    return _FOREIGN.sub(lambda found: literal(found["escaped"]) if found["escaped"] else "[!", glob)


_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_GLOBS = 30


def without_braces(glob: str) -> list[str]:
    """The globs that one with alternatives in braces, as ``*.{py,xlsx}``, stands for; very many stay one."""
    globs = [glob]
    if glob.count("{") > _MOST_GLOBS:
        return globs
    while found := _BRACES.search(globs[0]):  # alternatives have no braces, so that each glob has the same ones
        if len(globs) * (found[1].count(",") + 1) > _MOST_GLOBS:
            return [glob]
        globs = [
            one[: braces.start()] + part + one[braces.end() :]
            for one in globs
            if (braces := _BRACES.search(one))
            for part in braces[1].split(",")
        ]
    return globs
