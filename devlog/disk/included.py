"""Finds and reads the files that posts include: files of the site, and of the checkout of the source.

Files of the site are those that reading the content has found, so that nothing else can be included: no ignored file,
no link, nothing outside. Of the checkout, only what is committed can be included: the working tree may contain secrets,
and git never leaves the commit.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from devlog.disk import problems
from devlog.disk.checkout_folder import Refusal
from devlog.disk.git_contents import Blob, Contents, NoAnswerError, blobs_in
from devlog.disk.read import TEXT_LIMIT, Tree, read_bytes, read_source
from devlog.disk.text import decode
from devlog.model.composed import composed
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.included import IncludedFile, IncludedText, Obstacle
from devlog.model.source import Asset, Source, SourceFile

_COMMIT = re.compile(r"[\w][\w.+/-]{0,99}", re.ASCII)
_HELD = 1 << 24
"""How many bytes of texts are held while others are read."""

_NONE: Mapping[SourceFile, Source] = {}
_Files = Mapping[str, SourceFile | Asset]
_Place = tuple[str, str]
"""The commit and the path of a file of the checkout."""


def with_included(content: Tree, checkout: Path | Refusal | None) -> Tree:
    """The content, with the included files of each source found, and with their digests.

    Args:
        content: the files of the site.
        checkout: the checkout of the source, or why it is not to be read; `None` without one.
    """
    if not any(source.included for source in content.sources):
        return content
    files: dict[str, SourceFile | Asset] = {source.path: source for source in content.sources}
    files.update((asset.path, asset) for asset in content.assets)
    sources = _mapped(content.sources, lambda source, item: _in_site(source, item, files))
    missing = (item for source in sources for item in source.included if item.obstacle == "missing")
    places = list(dict.fromkeys(place for item in missing if (place := _place(item))))
    blobs = _blobs(checkout, places) if checkout and places else {}
    sources = _mapped(sources, lambda _, item: _in_checkout(item, blobs, checkout))
    return msgspec.structs.replace(content, sources=sources)


def _mapped(
    sources: Iterable[SourceFile], find: Callable[[SourceFile, IncludedFile], IncludedFile]
) -> tuple[SourceFile, ...]:
    return tuple(
        msgspec.structs.replace(source, included=tuple(find(source, item) for item in source.included))
        if source.included
        else source
        for source in sources
    )


def _in_site(source: SourceFile, item: IncludedFile, files: _Files) -> IncludedFile:
    """An included file, if it is one of the site; else a missing one."""
    for path in () if item.commit else _paths(source.path, item.name):
        if file := files.get(path):
            asset = file if isinstance(file, Asset) else None
            obstacle: Obstacle = "large" if asset and asset.length > TEXT_LIMIT else ""
            is_active = asset is not None and asset.active != ""
            return IncludedFile(item.name, "", path, file.file, file.digest, obstacle, is_active)
    return IncludedFile(item.name, item.commit, obstacle="missing")


def _paths(source: str, name: str) -> Iterator[str]:
    """The paths in the content at which a file may be: beside the source, then from the root of the content."""
    name = composed(name)
    if not name.startswith("/"):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    yield posixpath.normpath(name.lstrip("/"))


def _place(item: IncludedFile) -> _Place | None:
    """The place in the checkout where a file may be; `None` if its name leads nowhere there."""
    path = posixpath.normpath(item.name)
    is_plain = not path.startswith(("../", "/")) and path not in ("..", ".") and path.isprintable()
    is_named = not item.commit or _COMMIT.fullmatch(item.commit)
    return (item.commit or "HEAD", path) if is_plain and is_named else None


def _blobs(checkout: Path | Refusal, places: list[_Place]) -> Mapping[_Place, Blob | str]:
    found = None if isinstance(checkout, Refusal) else blobs_in(checkout, places)
    return dict.fromkeys(places, "no-checkout") if found is None else dict(zip(places, found, strict=True))


def _in_checkout(
    item: IncludedFile, blobs: Mapping[_Place, Blob | str], checkout: Path | Refusal | None
) -> IncludedFile:
    """An included file that is not one of the site, found in the checkout, or the reason why it is not."""
    is_absolute = item.name.startswith("/") and not item.commit  # from the root of the content
    if item.obstacle != "missing" or is_absolute:
        return item
    place = _place(item)
    blob = blobs.get(place, "missing") if place else "missing"
    if place and isinstance(blob, Blob):
        return IncludedFile(item.name, item.commit, place[1], "", blob.name, "large" if blob.size > TEXT_LIMIT else "")
    obstacle: Obstacle = "no-commit" if item.commit else "missing"
    if blob == "no-checkout" or (item.commit and not isinstance(checkout, Path)):
        obstacle = "no-checkout"
    elif place is None:
        obstacle = "bad-commit" if item.commit and not _COMMIT.fullmatch(item.commit) else "outside"
    elif blob == "symlink":
        obstacle = "link"
    return IncludedFile(item.name, item.commit, obstacle=obstacle)


def read_with_included(
    root: Path,
    checkout: Path | Refusal | None,
    sources: Iterable[SourceFile],
    known: Mapping[SourceFile, Source] = _NONE,
) -> Iterator[Source | Diagnostic]:
    """Read sources and the files that they include, each source as late as it is asked for.

    Args:
        root: the site's folder.
        checkout: the checkout of the source, or why it is not to be read; `None` without one.
        sources: the sources.
        known: sources without included files that were read already.

    Yields:
        Each source, or a problem if one of these files cannot be read any more, or has changed since it was found.
    """
    with closing(_Texts(root, checkout)) as texts:
        for found in sources:
            source = known.get(found) or read_source(root, found)
            yield source if isinstance(source, Diagnostic) else texts.added(source, found.included)


class _Texts:
    """The texts of included files. A few are held, since posts may include the same ones."""

    def __init__(self, root: Path, checkout: Path | Refusal | None) -> None:
        self._root = root
        self._contents = Contents(checkout) if isinstance(checkout, Path) else None
        self._held: dict[tuple[str, str], str] = {}
        self._left = _HELD

    def close(self) -> None:
        if self._contents:
            self._contents.close()

    def added(self, source: Source, included: Iterable[IncludedFile]) -> Source | Diagnostic:
        """A source with the files that it includes."""
        texts: list[IncludedText] = []
        for item in included:
            text = IncludedText(item, obstacle=item.obstacle) if item.obstacle else self._text(item)
            if isinstance(text, Diagnostic):
                return text
            texts.append(text)
        return msgspec.structs.replace(source, included=tuple(texts)) if texts else source

    def _text(self, item: IncludedFile) -> IncludedText | Diagnostic:
        key = item.file, item.digest
        if key in self._held:
            return IncludedText(item, self._held[key])
        try:
            data = self._data(item)
        except NoAnswerError:
            return problems.unreadable(item.path, "git does not answer in the checkout of the source")
        if data is None:
            return problems.changed_while_building(item.file or item.path)
        text = decode(data, item.file or item.path)
        if isinstance(text, Diagnostic):
            return IncludedText(item, obstacle="not-text")
        self._hold(key, text, len(data))
        return IncludedText(item, text)

    def _data(self, item: IncludedFile) -> bytes | None:
        """The bytes of a file; `None` if they are no longer those that were found.

        Raises:
            NoAnswerError: if git does not answer.
        """
        if not item.file:
            return self._contents.of(item.digest, TEXT_LIMIT) if self._contents else None
        data = read_bytes(self._root, item.file, limit=TEXT_LIMIT)
        return None if isinstance(data, Diagnostic) or digest_bytes(data) != item.digest else data

    def _hold(self, key: tuple[str, str], text: str, size: int) -> None:
        if size > self._left:
            self._held, self._left = {}, _HELD
        self._held[key] = text
        self._left -= size
