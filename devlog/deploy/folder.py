"""Publishing into a folder: one that a server shows, or that another program sends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from devlog.deploy.settings import read_settings
from devlog.disk.changes import Write, compare
from devlog.disk.folder import describe
from devlog.disk.guard import another_site, why_not
from devlog.disk.manifest import Entry, Manifest, Owner, load_manifest, open_output, owner_of, unchanged
from devlog.disk.write import Copy, Planned, staging
from devlog.model.diagnostic import Diagnostic
from devlog.model.report import has_error
from devlog.plugin import DeployError, Release


class Settings(msgspec.Struct, frozen=True):
    """Where: a folder, relative to the site's or absolute."""

    path: str


def to_folder(release: Release) -> Iterator[str | Diagnostic]:
    """Make a folder hold just the site: what changed is copied, what is gone is removed, both at one moment.

    Files there that devlog did not put there stay, and where they are all that there is, nothing is done.
    """
    path = read_settings(release.settings, Settings).path
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
    there = unchanged(release.root, path, manifest)
    kept = {file: entry for file, entry in there.items() if release.files.get(file) == entry.digest}
    new = [file for file in release.files if file not in kept]
    if release.dry_run:
        found = _reports_of(release, path, manifest, new, kept)
        yield from found
        if has_error(found):
            return
        yield from (f"{'~' if file in manifest.entries else '+'} {file}" for file in new)
        gone = [file for file in manifest.entries if file not in release.files]
        yield from (f"- {file}" for file in gone)
        yield summary(len(new), len(kept), len(gone), path, dry_run=True)
        return
    with staging(release.root, path, manifest, inputs=inputs, owner=owner) as stage:
        for file in new:
            digest = release.files[file]
            stage.add(Planned(file, digest, Copy(release.folder, file, digest)))
        published = stage.commit(kept)
    yield from published.diagnostics
    if not has_error(published.diagnostics):
        yield summary(len(published.written), len(published.unchanged), len(published.removed), path, dry_run=False)


def _reports_of(
    release: Release, path: str, manifest: Manifest, new: Iterable[str], kept: Mapping[str, Entry]
) -> tuple[Diagnostic, ...]:
    """What a deployment would report of files in a folder that others have put there or edited.

    Args:
        release: what is to be published.
        path: of the folder.
        manifest: what was published into it before.
        new: the files that would be written.
        kept: those that would stay as they are.
    """
    digests = {file: release.files[file] for file in new}
    writes = [Write(file, digest, "", Entry("", digest, 0, 0)) for file, digest in digests.items()]
    try:
        with open_output(release.root, path) as top:
            return compare(top, path, manifest, writes, kept).diagnostics
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise DeployError(f"“{path}” cannot be read: {describe(error)}", key="path") from error


def built_site(release: Release) -> Owner:
    """The site that was built, as its output folder names it."""
    manifest, _ = load_manifest(release.root, str(release.folder))
    return manifest.owner or Owner("", title=release.title)


def summary(written: int, same: int, removed: int, place: str, *, dry_run: bool) -> str:
    """What was done, in a line."""
    verb = "Would publish" if dry_run else "Published"
    return f"{verb} to {place}: {written:,} written, {same:,} as before, {removed:,} removed"
