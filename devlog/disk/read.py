"""Reads the site's inputs: content, static files and themes.

Contributors control the content and static folders, so their files are untrusted. Every file is opened in the open
folder that lists it, never through a symbolic link, and only as a regular file within a size limit.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import msgspec

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder, describe, is_link, new_digest
from devlog.disk.ignore import CONFIGURATION, NO_RULES, Ignore, Rules, Skip, compile_ignore, skip_static
from devlog.disk.manifest import MANIFEST
from devlog.disk.stat_cache import SETTLED_NS, Read, StatCache
from devlog.disk.text import decode
from devlog.model.active import BUILT, obeyed_at_root
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.included import IncludedFile, included_in
from devlog.model.media import image_size, media_type
from devlog.model.source import Asset, Size, Source, SourceFile

TEXT_SUFFIXES = (".md", ".markdown", ".html", ".htm")
TEXT_LIMIT = 1 << 20
CONVERTED_LIMIT = 32 << 20
"""The maximum size of a source in another format, which may contain images."""
_DATED = re.compile("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9])")
ASSET_LIMIT = 512 << 20
_BEGAN = time.time_ns()
_CHUNK = 1 << 20
_POSTS = frozenset({"_posts", "_drafts"})
# Jekyll runs any file as a template; files of other types never begin with front matter.
_TEMPLATES = (".xml", ".json", ".txt", ".css", ".scss", ".sass", ".less", ".js", ".coffee", ".svg", ".atom", ".rss")
_DEPTH = 32  # each level keeps a folder open, and outputs may not be deeper


class Tree(msgspec.Struct, frozen=True):
    """The files of a folder, sorted by path, and the problems of the others."""

    sources: tuple[SourceFile, ...] = ()
    assets: tuple[Asset, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def paths(self) -> Iterator[tuple[str, str]]:
        """The path of each source and asset, and its file."""
        yield from ((source.path, source.file) for source in self.sources)
        yield from ((asset.path, asset.file) for asset in self.assets)

    def with_folder(self, folder: str, below: str, read: Tree) -> Tree:
        """The files of the content folder after one folder in it was read again.

        Args:
            folder: the content folder.
            below: the folder that was read, relative to that.
            read: the files of that folder, with everything below it.
        """
        inside, place = f"{below}/", posixpath.normpath(f"{folder}/{below}")
        sources = (source for source in self.sources if not source.path.startswith(inside))
        assets = (asset for asset in self.assets if not asset.path.startswith(inside))
        wrong = (item for item in self.diagnostics if not f"{item.span.path}/".startswith(f"{place}/"))
        return Tree(
            tuple(sorted((*sources, *read.sources), key=lambda source: source.path)),
            tuple(sorted((*assets, *read.assets), key=lambda asset: asset.path)),
            _sorted([*wrong, *read.diagnostics]),
        )


class ThemeFiles(msgspec.Struct, frozen=True):
    """The files of a theme.

    Attributes:
        templates: the text of each template by name, sorted; names are relative to the theme's ``templates`` folder.
        assets: the static files; their paths are relative to its ``static`` folder, and ``file`` to the theme.
        diagnostics: the problems of files that cannot be read.
        is_incomplete: whether some of these may be templates.
    """

    templates: dict[str, str]
    assets: tuple[Asset, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    is_incomplete: bool = False


class _Found(NamedTuple):
    """A file: its open folder and its name there, its path in the site, and its name in messages."""

    folder: Folder
    name: str
    path: str
    file: str


class _Walk(NamedTuple):
    """How to walk a tree, and the list for the problems found in it; `above` is how many folders it is inside of, and
    `skips_outputs` says whether it leaves out folders that devlog has written."""

    skip: Skip
    follow: bool
    found: list[Diagnostic]
    stat_cache: StatCache
    rules: Rules = NO_RULES
    above: int = 0
    skips_outputs: bool = False


def read_content(
    root: Path,
    folder: str,
    ignore: tuple[str, ...] = (),
    ignore_span: Span = CONFIGURATION,
    stat_cache: StatCache | None = None,
    rules: Rules = NO_RULES,
) -> Tree:
    """Read the content folder.

    Args:
        root: the site's folder.
        folder: the content folder, relative to it.
        ignore: the site's own patterns of files to ignore (see `compile_ignore`).
        ignore_span: where the configuration sets them.
        stat_cache: the stat cache, which is updated.
        rules: rules for files that are not content, regardless of the patterns.

    Returns:
        Markdown and HTML files and those of other formats as sources, and all others as assets; a problem for each file
        that cannot be read.
        Sources have only names and digests: `read_source` reads those that are needed again, and reports those that are
        not text.
    """
    ignored, found = compile_ignore(ignore, ignore_span, rules)
    cache = stat_cache or StatCache()
    walk = _Walk(ignored.content, follow=False, found=list(found), stat_cache=cache, rules=rules, skips_outputs=True)
    return _content(root, folder, walk, required=True)


def read_mount(
    root: Path, folder: str, place: str, ignored: Ignore, stat_cache: StatCache, mounted: Callable[[str], str]
) -> Tree:
    """Read a folder outside of the content folder whose files are content, too.

    Args:
        root: the site's folder.
        folder: the folder, relative to it.
        place: the path at which it is mounted in the content.
        ignored: which files to ignore, by their paths in the content.
        stat_cache: the stat cache, which is updated.
        mounted: the path in the content of a file, by its path relative to the site's folder.
    """

    def skip(name: str, path: str, is_folder: bool) -> bool:
        return ignored.content(name, f"{place}/{path}", is_folder)

    walk = _Walk(skip, follow=False, found=[], stat_cache=stat_cache, rules=ignored.rules, skips_outputs=True)
    read = _content(root, folder, walk, required=True)
    return Tree(
        tuple(msgspec.structs.replace(source, path=mounted(source.file)) for source in read.sources),
        tuple(msgspec.structs.replace(asset, path=mounted(asset.file)) for asset in read.assets),
        read.diagnostics,
    )


def read_content_below(root: Path, folder: str, below: str, ignored: Ignore, stat_cache: StatCache) -> Tree:
    """Read one folder of the content folder, with everything below it, as `read_content` reads it.

    Args:
        root: the site's folder.
        folder: the content folder, relative to it.
        below: the folder to read, relative to that.
        ignored: which files to ignore.
        stat_cache: the stat cache, which is updated.
    """

    def skip(name: str, path: str, is_folder: bool) -> bool:
        return ignored.content(name, f"{below}/{path}", is_folder)

    place = posixpath.normpath(f"{folder}/{below}")
    above = below.count("/") + 1
    walk = _Walk(skip, False, [], stat_cache, rules=ignored.rules, above=above, skips_outputs=True)
    read = _content(root, place, walk, required=False)
    return Tree(
        tuple(msgspec.structs.replace(source, path=f"{below}/{source.path}") for source in read.sources),
        tuple(msgspec.structs.replace(asset, path=f"{below}/{asset.path}") for asset in read.assets),
        read.diagnostics,
    )


def _content(root: Path, folder: str, walk: _Walk, *, required: bool) -> Tree:
    sources: list[SourceFile] = []
    assets: list[Asset] = []
    for place in _files(root, folder, walk, required=required):
        if walk.rules.jekyll and not _is_jekylls_text(place, walk):
            if asset := _jekylls_asset(place, walk):
                assets.append(asset)
        elif _is_text(place.name) or _is_converted(place, walk):
            if source := _source(place, walk):
                sources.append(source)
        elif asset := _asset(place, walk):
            assets.append(asset)
    return Tree(
        tuple(sorted(sources, key=lambda source: source.path)),
        tuple(sorted(assets, key=lambda asset: asset.path)),
        _sorted(walk.found),
    )


def _is_converted(place: _Found, walk: _Walk) -> bool:
    """Whether a file is a source in another format: it has a name as posts have. Others are files to download."""
    stem, ending = posixpath.splitext(place.name.lower())
    return ending in walk.rules.formats and (stem == "index" or _DATED.match(stem) is not None)


def _is_jekylls_text(place: _Found, walk: _Walk) -> bool:
    """Whether Jekyll treats a file as a source: it is in a folder of posts, or begins with front matter."""
    if not place.name.lower().endswith(TEXT_SUFFIXES):
        return False
    return _is_among_posts(place.file) or _begins_with_front_matter(place, walk)


def _is_among_posts(file: str) -> bool:
    """Whether a file is in one of Jekyll's folders of posts, where it is a source whatever it contains."""
    return not _POSTS.isdisjoint(file.split("/"))


def _jekylls_asset(place: _Found, walk: _Walk) -> Asset | None:
    """A file that Jekyll copies. Jekyll runs files that begin with front matter as templates, which devlog skips."""
    if place.name.lower().endswith(_TEMPLATES) and _begins_with_front_matter(place, walk):
        walk.found.append(problems.template_file(place.file))
        return None
    return _asset(place, walk)


def _begins_with_front_matter(place: _Found, walk: _Walk) -> bool:
    try:
        fd = place.folder.open_file(place.name, follow=walk.follow)
    except OSError:
        return False  # reading it will report the reason
    try:
        return _has_front_matter(os.read(fd, 8))
    finally:
        os.close(fd)


def _has_front_matter(head: bytes) -> bool:
    """Whether a file begins with front matter; `head` are its first eight bytes."""
    return head.removeprefix(b"\xef\xbb\xbf")[:4].rstrip() == b"---"


def read_source(root: Path, found: SourceFile) -> Source | Diagnostic:
    """Read a source that `read_content` has found. Return a problem if it is not text, or has changed since."""
    data = read_bytes(root, found.file, limit=_limit_of(found.file))
    if isinstance(data, Diagnostic):
        return data
    if digest_bytes(data) != found.digest:
        return problems.changed_while_building(found.file)
    text = decode(data, found.file)
    return text if isinstance(text, Diagnostic) else Source(found.path, found.file, text)


def read_again(root: Path, found: SourceFile, *, jekyll: bool) -> tuple[SourceFile, Source] | None:
    """Read a source again that `read_content` has found; `None` if it no longer exists or is no source now.

    Args:
        root: the site's folder.
        found: the source.
        jekyll: whether Jekyll's rules decide what a source is.
    """
    data = read_bytes(root, found.file, limit=_limit_of(found.file))
    text = data if isinstance(data, Diagnostic) else decode(data, found.file)
    if isinstance(data, Diagnostic) or isinstance(text, Diagnostic):
        return None
    if jekyll and not _is_among_posts(found.file) and not _has_front_matter(data[:8]):
        return None
    again = SourceFile(found.path, found.file, digest_bytes(data), _included(data, found.file))
    return again, Source(found.path, found.file, text)


def _limit_of(name: str) -> int:
    """The maximum size of a source."""
    return TEXT_LIMIT if _is_text(name) else CONVERTED_LIMIT


def _is_text(name: str) -> bool:
    return name.lower().endswith(TEXT_SUFFIXES)


def _included(data: bytes, name: str) -> tuple[IncludedFile, ...]:
    """The files that a source includes. In JSON, such as that of notebooks, quotes inside of texts are escaped."""
    return included_in(data if _is_text(name) else data.replace(b'\\"', b'"'))


def read_static(
    root: Path,
    folder: str,
    ignore: tuple[str, ...] = (),
    ignore_span: Span = CONFIGURATION,
    stat_cache: StatCache | None = None,
) -> Tree:
    """Read a folder of files that are published unchanged. It may be missing.

    Args:
        root: the site's folder.
        folder: the static folder, relative to it.
        ignore: the site's own patterns of files to ignore (see `compile_ignore`).
        ignore_span: where the configuration sets them.
        stat_cache: the stat cache, which is updated.

    Returns:
        All other files as assets; a problem for each file that cannot be read.
    """
    ignored, found = compile_ignore(ignore, ignore_span)
    walk = _Walk(ignored.static, follow=False, found=list(found), stat_cache=stat_cache or StatCache())
    assets = _assets(root, folder, walk)
    return Tree(assets=assets, diagnostics=_sorted(walk.found))


def read_theme(folder: Path) -> ThemeFiles:
    """Read a theme. It is trusted, so symbolic links in it are followed, which package installers may create.

    Args:
        folder: the folder with ``templates/`` and ``static/``; either may be missing.

    Returns:
        Its templates and static files; a problem for each file that cannot be read.
    """
    walk = _Walk(skip_static, follow=True, found=[], stat_cache=StatCache())
    templates = _templates(folder, walk)
    is_incomplete = bool(walk.found)
    assets = _assets(folder, "static", walk)
    return ThemeFiles(templates, assets, _sorted(walk.found), is_incomplete)


def read_overrides(folder: Path) -> ThemeFiles:
    """Read the templates by which a site overrides those of its theme, as those of a theme.

    Its ``static/`` is no part of a theme: it is untrusted, so that links in it must not be followed.

    Args:
        folder: the folder with ``templates/``.
    """
    walk = _Walk(skip_static, follow=True, found=[], stat_cache=StatCache())
    templates = _templates(folder, walk)
    return ThemeFiles(templates, (), _sorted(walk.found), is_incomplete=bool(walk.found))


def _templates(folder: Path, walk: _Walk) -> dict[str, str]:
    """The templates of a theme, sorted by path."""
    templates: dict[str, str] = {}
    for place in _files(folder, "templates", walk):
        data = _data(place, walk)
        text = None if data is None else decode(data, place.file)
        if isinstance(text, Diagnostic):
            walk.found.append(text)
        elif text is not None:
            templates[place.path] = text
    return dict(sorted(templates.items()))


def read_bytes(root: Path, file: str, *, limit: int = ASSET_LIMIT) -> bytes | Diagnostic:
    """Read one file of the site, with the same precautions as for all others.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.
        limit: the maximum size in bytes.

    Returns:
        Its bytes, or why it cannot be read.
    """
    folder, _, name = file.rpartition("/")
    if ".." in folder.split("/") or file.startswith("/"):
        return problems.unreadable(_printable(file), "it is not in the site's folder")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            place = cursor.enter(folder)
            try:
                return b"".join(place.read(name, limit=limit))
            except OSError as error:
                return _refused(place, name, file, error, limit)
    except NotADirectoryError as error:
        return problems.unreadable(_printable(file), f"“{error.filename}” is not a folder, or is a symbolic link")
    except OSError as error:
        return problems.unreadable(_printable(file), describe(error))


def open_regular(root: Path, file: str, *, follow: bool) -> BufferedReader:
    """Open one file of the site, or of a theme, to read its bytes.

    Args:
        root: the site's folder, or the theme's.
        file: the path relative to it, with ``/`` between segments.
        follow: whether to follow symbolic links; for trusted trees only.

    Raises:
        OSError: if it is missing, is not a regular file, or its path contains a symbolic link that is not followed.
    """
    folder, _, name = file.rpartition("/")
    with Folder.open(root) as top, Cursor(top, follow=follow) as cursor:
        return os.fdopen(cursor.enter(folder).open_file(name, follow=follow), "rb")


def is_unchanged(file: BufferedReader, digest: str) -> bool:
    """Whether an open file still has the bytes that devlog has read before, by their digest. Raises OSError.

    Its bytes are only read if it has changed since devlog was started.
    """
    status = os.fstat(file.fileno())
    if os.name == "posix" and max(status.st_ctime_ns, status.st_mtime_ns) < _BEGAN - SETTLED_NS:
        return True
    file.seek(0)
    state = new_digest()
    while chunk := file.read(_CHUNK):
        state.update(chunk)
    return state.hexdigest() == digest


def read_text(root: Path, file: str) -> str | Diagnostic:
    """Read one text file of the site, such as its configuration.

    Args:
        root: the site's folder.
        file: the path relative to it, with ``/`` between segments.

    Returns:
        Its text, with ``\\n`` line ends, or why it cannot be read.
    """
    data = read_bytes(root, file, limit=TEXT_LIMIT)
    return data if isinstance(data, Diagnostic) else decode(data, file)


def _assets(root: Path, folder: str, walk: _Walk) -> tuple[Asset, ...]:
    assets = [asset for place in _files(root, folder, walk) if (asset := _asset(place, walk))]
    return tuple(sorted(assets, key=lambda asset: asset.path))


def _files(root: Path, folder: str, walk: _Walk, *, required: bool = False) -> Iterator[_Found]:
    """All files below a folder of the site."""
    names = [name for name in folder.split("/") if name not in {"", "."}]
    if ".." in names or folder.startswith("/"):
        walk.found.append(problems.outside_folder(folder))
        return
    with ExitStack() as stack:
        try:
            top = stack.enter_context(Folder.open(root))
        except OSError as error:
            walk.found.append(problems.unreadable(folder, describe(error)))
            return
        for name in names:
            parent = top
            try:
                top = stack.enter_context(parent.folder(name, follow=walk.follow))
            except FileNotFoundError:
                if required:
                    walk.found.append(problems.missing_folder(folder))
                return
            except OSError as error:
                walk.found.append(_refused(parent, name, folder, error))
                return
        yield from _below(top, "", "/".join(names), walk, walk.above + 1)


def _below(folder: Folder, path: str, file: str, walk: _Walk, depth: int) -> Iterator[_Found]:
    if depth > _DEPTH:
        walk.found.append(problems.too_deep(file, _DEPTH))
        return
    try:
        entries = folder.scan()
    except OSError as error:
        walk.found.append(problems.unreadable(_printable(file) or ".", describe(error)))
        return
    if walk.skips_outputs and any(entry.name == MANIFEST for entry in entries):
        # An output folder: of this site, or of one inside of its content, whose pages are no posts.
        walk.found.append(problems.output_in_content(_printable(file) or ".", MANIFEST))
        return
    # What a site inside of the content is built with is not content, as for the site around it.
    is_site = walk.skips_outputs and depth > 1 and any(entry.name == CONFIGURATION.path for entry in entries)
    stat_cache: set[str] = set()
    for name, entry in sorted(((normalize("NFC", entry.name), entry) for entry in entries), key=_order):
        here, there = _join(path, name), _join(file, entry.name)
        is_folder = _is_folder(entry, walk)
        if walk.skip(name, here, is_folder) or (is_site and obeyed_at_root(name) == BUILT):
            continue
        if wrong := _wrong(entry, name, there, stat_cache, walk):
            walk.found.append(wrong)
            continue
        stat_cache.add(name)
        if not is_folder:
            yield _Found(folder, entry.name, here, there)
            continue
        try:
            child = folder.folder(entry.name, follow=walk.follow)
        except OSError as error:
            walk.found.append(_refused(folder, entry.name, there, error))
            continue
        with child:
            yield from _below(child, here, there, walk, depth + 1)


def _wrong(entry: os.DirEntry[str], name: str, file: str, stat_cache: set[str], walk: _Walk) -> Diagnostic | None:
    """Why an entry is rejected before it is opened; `None` if it is not."""
    if _printable(name) != name:
        return problems.undecodable_name(_printable(file))
    if name in stat_cache:
        return problems.same_name(file)
    if entry.is_symlink() and not walk.follow:
        return problems.symlink(file)
    try:
        regular = entry.is_file(follow_symlinks=walk.follow) or entry.is_dir(follow_symlinks=walk.follow)
    except OSError as error:
        return problems.unreadable(file, describe(error))
    return None if regular else problems.special_file(file)


def _is_folder(entry: os.DirEntry[str], walk: _Walk) -> bool:
    try:
        return entry.is_dir(follow_symlinks=walk.follow)
    except OSError:
        return False  # opening it will report the reason


def _source(place: _Found, walk: _Walk) -> SourceFile | None:
    """A text file, with the files that it includes as it names them; `None` if it cannot be read."""
    try:
        known = walk.stat_cache.recall(place.folder, place.name, place.file, is_source=True)
    except OSError as error:
        walk.found.append(_refused(place.folder, place.name, place.file, error, TEXT_LIMIT))
        return None
    if known and known.stamp.size <= _limit_of(place.name):
        return SourceFile(place.path, place.file, known.digest, known.included or ())
    data = _data(place, walk, _limit_of(place.name))
    if data is None:
        return None
    digest, included = digest_bytes(data), _included(data, place.name)
    walk.stat_cache.note(place.file, Read(digest, included=included))
    return SourceFile(place.path, place.file, digest, included)


def _data(place: _Found, walk: _Walk, limit: int = TEXT_LIMIT) -> bytes | None:
    """The bytes of a text file; `None` if it cannot be read."""
    try:
        return place.folder.read_all(place.name, limit, follow=walk.follow)
    except OSError as error:
        walk.found.append(_refused(place.folder, place.name, place.file, error, limit))
        return None


def _asset(place: _Found, walk: _Walk) -> Asset | None:
    state = new_digest()
    length = 0
    size: Size | None = None
    try:
        known = None if walk.follow else walk.stat_cache.recall(place.folder, place.name, place.file, place.path)
        if known:
            return _known(place, known)
        # Their expressions take long to compile, and few files are new.
        from devlog.model.active_content import Look
        from devlog.model.image_look import ImageLook

        look, image = Look(place.path), ImageLook(place.name)
        for chunk in place.folder.read(place.name, limit=ASSET_LIMIT, follow=walk.follow):
            if not length and media_type(place.name).startswith("image/"):
                size = image_size(chunk)
            state.update(chunk)
            look.feed(chunk)
            image.feed(chunk)
            length += len(chunk)
    except OSError as error:
        walk.found.append(_refused(place.folder, place.name, place.file, error))
        return None
    read = Read(state.hexdigest(), size, image.strips, image.location(), look.reason(), place.path)
    walk.stat_cache.note(place.file, read)
    return _known(place, read, length)


def _known(place: _Found, read: Read, length: int | None = None) -> Asset:
    """An asset from its cached data; `length` is that of the bytes if they have just been read."""
    length = read.stamp.size if length is None else length
    return Asset(place.path, place.file, read.digest, length, read.size, read.strips, read.location, read.active)


def _refused(folder: Folder, name: str, file: str, error: OSError, limit: int = ASSET_LIMIT) -> Diagnostic:
    """The problem that explains an error on opening or reading something."""
    if error.errno == errno.EFBIG:
        return problems.too_large(file, f"{limit >> 20} MiB")
    try:
        status = folder.stat(name)
    except OSError:
        return problems.unreadable(_printable(file), describe(error))
    if is_link(status):
        return problems.symlink(file)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return problems.special_file(file)
    return problems.unreadable(_printable(file), describe(error))


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _printable(name: str) -> str:
    """A name in which bytes that are not UTF-8 are escaped."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _order(pair: tuple[str, os.DirEntry[str]]) -> tuple[str, str]:
    """The sort key of an entry: its composed name. If two have the same, the composed one comes first, in any order of
    listing.
    """
    name, entry = pair
    return (name, "" if entry.name == name else entry.name)


def _sorted(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(found, key=lambda diagnostic: diagnostic.sort_key))
