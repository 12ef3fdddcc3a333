"""The deployer that publishes into a folder, which a web server serves or another program uploads."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from devlog.deploy.settings import read_settings
from devlog.disk.changes import Write, compare
from devlog.disk.folder import Cursor, Folder, describe
from devlog.disk.guard import another_site, read_only, why_not
from devlog.disk.manifest import Entry, Manifest, Owner, load_manifest, open_output, owner_of, unchanged
from devlog.disk.write import Copy, Planned, staging
from devlog.model.diagnostic import Diagnostic
from devlog.model.report import has_error
from devlog.plugin import DeployError, Release


class Settings(msgspec.Struct, frozen=True):
    """The settings of this deployer.

    Attributes:
        path: the target folder, relative to the site's folder or absolute; ``~`` is the home folder.
    """

    path: str


def to_folder(release: Release) -> Iterator[str | Diagnostic]:
    """Update a folder to the site, atomically: copies changed files, and removes deleted ones.

    Files that devlog did not put there stay; if the folder has only such files, nothing is done.
    """
    path = _expanded(read_settings(release.settings, Settings).path)
    inputs = (*release.inputs, str(release.folder))
    refused = why_not(release.root, path, inputs)
    if refused:
        raise DeployError(f"“{path}” {refused}", "choose a folder used only for the published site", key="path")
    manifest, damaged = load_manifest(release.root, path)
    yield from damaged
    site = built_site(release)
    owner = owner_of(release.root, path, site.url, site.title)
    if reason := another_site(manifest, owner):
        raise DeployError(f"“{path}” {reason}", "choose another folder, or delete this one", key="path")
    unchanged_files = unchanged(release.root, path, manifest)
    kept = {file: entry for file, entry in unchanged_files.items() if release.files.get(file) == entry.digest}
    new = [file for file in release.files if file not in kept]
    if release.dry_run:
        yield from _would_publish(release, path, manifest, new, kept)
        return
    with staging(release.root, path, manifest, inputs=inputs, owner=owner) as stage:
        stage.keep_apart(str(release.folder))
        for file in new:
            digest = release.files[file]
            stage.add(Planned(file, digest, Copy(release.folder, file, digest)))
        published = stage.commit(kept)
    yield from published.diagnostics
    if not has_error(published.diagnostics):
        yield summary(len(published.written), len(published.unchanged), len(published.removed), path, dry_run=False)


def _expanded(path: str) -> str:
    """A path with the home folder in place of a ``~`` at its beginning, if there is such a user."""
    if path.startswith("~"):
        with suppress(RuntimeError):
            return str(Path(path).expanduser())
    return path


def _would_publish(
    release: Release, path: str, manifest: Manifest, new: Sequence[str], kept: Mapping[str, Entry]
) -> Iterator[str | Diagnostic]:
    """What a deployment would say, and the files that it would write and remove.

    Args:
        release: the site to publish.
        path: of the folder.
        manifest: of the previous deployment into it.
        new: the files that would be written.
        kept: the files that would stay unchanged.
    """
    digests = {file: release.files[file] for file in new}
    writes = [Write(file, digest, "", Entry("", digest, 0, 0)) for file, digest in digests.items()]
    try:
        with open_output(release.root, path) as top:
            changes = compare(top, path, manifest, writes, kept)
            there = _there(top, changes.writes)
    except FileNotFoundError:
        _refuse_read_only(release, path)
        yield from (f"+ {file}" for file in new)
        yield summary(len(new), 0, 0, path, dry_run=True)
        return
    except OSError as error:
        raise DeployError(f"“{path}” cannot be read: {describe(error)}", key="path") from error
    yield from changes.diagnostics
    if has_error(changes.diagnostics):
        return
    written, removed = [write.path for write in changes.writes], sorted((*changes.first, *changes.last))
    if new or removed:
        _refuse_read_only(release, path)
    yield from (f"{'~' if file in there else '+'} {file}" for file in written)
    yield from (f"- {file}" for file in removed)
    yield summary(len(written), len(kept) + len(changes.same), len(removed), path, dry_run=True)


def _refuse_read_only(release: Release, path: str) -> None:
    if reason := read_only(release.root, path):
        hint = "see its permissions, and whether its file system is mounted read-only, or choose another folder"
        raise DeployError(f"“{path}” {reason}", hint, key="path")


def _there(top: Folder, writes: Iterable[Write]) -> set[str]:
    """The paths of those planned files in whose places there are files, and not folders or nothing."""
    found = set()
    with Cursor(top) as cursor:
        for write in writes:
            above, _, name = write.path.rpartition("/")
            with suppress(FileNotFoundError, NotADirectoryError):
                if stat.S_ISREG(cursor.enter(above).stat(name).st_mode):
                    found.add(write.path)
    return found


def built_site(release: Release) -> Owner:
    """The owner that the output folder's manifest names: the site that was built there."""
    manifest, _ = load_manifest(release.root, str(release.folder))
    return manifest.owner or Owner("", title=release.title)


def summary(written: int, same: int, removed: int, place: str, *, dry_run: bool) -> str:
    """A summary of the deployment in one line."""
    verb = "Would publish" if dry_run else "Published"
    return f"{verb} to {place}: {written:,} written, {same:,} as before, {removed:,} removed"
