"""Lists the files of a generator's output by URL, and reads them one at a time without following symbolic links."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Self

import msgspec

from devlog.compare import problems, urls
from devlog.compare.facts import Page, read_page
from devlog.compare.html import decode
from devlog.compare.xml import Feed, RefusedError, feed_format, read_feed
from devlog.disk import problems as disk_problems
from devlog.disk.folder import Cursor, Folder, describe
from devlog.model.diagnostic import Diagnostic

Kind = Literal["page", "list", "feed", "file", "asset"]

_PAGE_BYTES = 16 << 20
_FEED_BYTES = 64 << 20
_HEAD = 4096
_DEPTH = 64
_FEEDS = (".xml", ".rss", ".atom", ".json", ".rdf")
_PACKED = (".gz", ".br", ".zst")


class Item(msgspec.Struct, frozen=True):
    """The file at a URL.

    Attributes:
        kind: a ``page`` or ``list`` of pages, a ``feed``, an ``asset`` of the theme, or another ``file``.
        file: its path in the tree; empty if only its URL is known.
        format: the format of a feed.
    """

    kind: Kind
    file: str = ""
    format: str = ""


class Tree(msgspec.Struct, frozen=True):
    """An output.

    Attributes:
        name: its name in messages.
        root: its folder; `None` if only its URLs are known.
        bases: the possible base URLs of the site, the likeliest first.
        items: its files by URL, sorted.
        diagnostics: files that could not be read.
    """

    name: str
    root: Path | None
    bases: tuple[urls.Base, ...]
    items: dict[str, Item]
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def pages(self) -> int:
        """The number of pages, including lists."""
        return sum(item.kind in {"page", "list"} for item in self.items.values())


class Reader:
    """Reads the files of a tree; for use in a ``with`` statement."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._top: Folder | None = None
        self._cursor: Cursor | None = None
        self._problems = dict.fromkeys(tree.diagnostics)

    def __enter__(self) -> Self:
        if self._tree.root is not None:
            self._top = Folder.open(self._tree.root)
            self._cursor = Cursor(self._top)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._cursor and self._top:
            self._cursor.__exit__(None, None, None)
            self._top.close()

    def page(self, url: str) -> Page | None:
        """The page at a URL; `None` if there is no page, or it cannot be read."""
        item = self._tree.items.get(url)
        if item is None or item.kind not in {"page", "list"} or not item.file:
            return None
        try:
            return read_page(decode(b"".join(self._chunks(item.file, _PAGE_BYTES))))
        except RefusedError as error:
            self._not_compared(item.file, str(error))
            return None

    def feed(self, url: str) -> Feed | None:
        """The feed at a URL; `None` if there is no feed, or it cannot be read."""
        item = self._tree.items.get(url)
        if item is None or item.kind != "feed" or not item.file:
            return None
        try:
            return read_feed(item.format, self._chunks(item.file, _FEED_BYTES))
        except RefusedError as error:
            self._not_compared(item.file, str(error))
            return None

    def _chunks(self, file: str, limit: int) -> Iterator[bytes]:
        folder, _, name = file.rpartition("/")
        assert self._cursor is not None
        try:
            yield from self._cursor.enter(folder).read(name, limit=limit)
        except OSError as error:
            large = error.errno == errno.EFBIG
            raise RefusedError(f"it is larger than {limit >> 20} MiB" if large else describe(error)) from None

    def _not_compared(self, file: str, reason: str) -> None:
        self._problems[problems.not_compared(shown(self._tree.name, file), reason)] = None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems, each once."""
        return tuple(self._problems)


def read_tree(root: Path, name: str, given: urls.Base | None, configured: urls.Base) -> Tree | Diagnostic:
    """List the files of an output.

    Args:
        root: its folder.
        name: its name in messages.
        given: the base URL that the user passed, if any.
        configured: the base URL to use if neither the user nor the home page specifies one.

    Returns:
        The tree, or the problem if it contains nothing to compare.
    """
    items: dict[str, Item] = {}
    found: list[Diagnostic] = []
    try:
        with Folder.open(root) as top:
            for folder, entry, file in _files(top, "", name, found):
                url = urls.of_file(file)
                items.setdefault(url, _item(folder, entry, url, file))
    except OSError as error:
        return disk_problems.unreadable(shown(name), describe(error))
    for url in [url for url in items if url.endswith(_PACKED) and urls.of_file(url[1 : url.rfind(".")]) in items]:
        items[url] = msgspec.structs.replace(items[url], kind="asset")
    tree = Tree(name, root, (given or configured,), dict(sorted(items.items())), tuple(found))
    if not tree.pages:
        return problems.no_pages(shown(name))
    own = None if given else _own_base(tree)
    return msgspec.structs.replace(tree, bases=(own, configured)) if own else tree


def shown(name: str, file: str = "") -> str:
    """The name of a tree, or of a file in it, with escapes for bytes that are not UTF-8."""
    path = f"{name.rstrip('/')}/{file}" if file else name
    return os.fsencode(path).decode(errors="backslashreplace")


def _own_base(tree: Tree) -> urls.Base | None:
    """The base URL that the home page of a tree declares as its canonical URL; `None` if there is none."""
    with Reader(tree) as reader:
        home = reader.page("/")
    url = home.canonical if home else ""
    if not url.startswith(("http://", "https://")):
        return None
    try:
        return urls.base(url.removesuffix("index.html"))
    except ValueError:  # invalid brackets in the host
        return None


def _files(
    folder: Folder, path: str, name: str, found: list[Diagnostic], depth: int = 1
) -> Iterator[tuple[Folder, str, str]]:
    """All regular files below a folder: the open folder that contains each, its name there, and its path."""
    if depth > _DEPTH:
        found.append(problems.not_compared(shown(name, path), f"it is more than {_DEPTH} folders deep"))
        return
    for entry in sorted(folder.scan(), key=lambda entry: (not entry.is_file(follow_symlinks=False), entry.name)):
        file = f"{path}/{entry.name}" if path else entry.name
        if entry.name.startswith(".") and entry.name != ".well-known":
            continue
        if entry.is_file(follow_symlinks=False):
            yield folder, entry.name, file
        elif not entry.is_dir(follow_symlinks=False):
            kind = "a symbolic link" if entry.is_symlink() else "not a regular file"
            found.append(problems.not_compared(shown(name, file), f"it is {kind}"))
        else:
            try:
                inner = folder.folder(entry.name)
            except OSError as error:
                found.append(problems.not_compared(shown(name, file), describe(error)))
                continue
            with inner:
                yield from _files(inner, file, name, found, depth + 1)


def _item(folder: Folder, name: str, url: str, file: str) -> Item:
    if urls.is_page(url):
        return Item("list" if urls.is_list(url) else "page", file)
    if name.lower().endswith(_FEEDS):
        kind = feed_format(_head_of(folder, name))
        if kind:
            return Item("feed", file, kind)
    return Item("asset" if urls.is_asset(url) else "file", file)


def _head_of(folder: Folder, name: str) -> bytes:
    """The first bytes of a file; read errors are reported later, when the file is compared."""
    try:
        return next(folder.read(name), b"")[:_HEAD]
    except OSError:
        return b""
