"""The deployer that publishes onto a git branch, as GitHub Pages and other hosts use it. It changes no work tree."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from devlog.deploy.folder import built_site
from devlog.deploy.foreseen import refuse_checked_out, refuse_read_only, refuse_unborn
from devlog.deploy.git import FETCHING, Repository
from devlog.deploy.owner import Made, has_earlier, refuse_others, refuse_own_branch, refuse_unknown
from devlog.deploy.passwords import shown
from devlog.deploy.remote import above, destination, refuse_clash, tip_at
from devlog.deploy.settings import read_settings
from devlog.disk.folder import Cursor, Folder, describe, new_digest
from devlog.disk.scratch import scratch_folder
from devlog.plugin import DeployError, Release

_NO_JEKYLL = ".nojekyll"
"""A file that tells GitHub Pages to publish the files without running Jekyll."""

_PUSHED_ALONE = ("--no-verify", "--no-recurse-submodules", "--no-follow-tags")
"""Options that override the user's settings for pushing, which are meant for their own work and not for publishing."""

_OTHER_COMMITS = re.compile(
    r"\[rejected\] \((?:stale info|fetch first|non-fast-forward)\)$"
    r"|cannot lock ref '[^']*': (?:reference already exists|is at \w+ but expected \w+)"
)
"""What git says if it does not push, or a remote of its push, because the branch has other commits than it should."""
_CHANGED = "somebody else has changed the branch meanwhile: see what is on it, and deploy again"
_DIVERGED = "the branch there has commits that the first URL lacks: delete it there if nobody needs them"

_SHA1 = 40
"""The number of digits of a blob's name in a SHA-1 repository."""

_BRANCH = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_][\w.-]*)*", re.ASCII)
_NO_BRANCH = re.compile(r"HEAD$|refs/|.*(?:\.\.|\.$|\.lock(?:/|$))")
"""Git refuses these, or takes them for something else than a branch, though it may make branches of these names."""
_REMOTE = re.compile(r"[A-Za-z0-9_./~\\][^\s\x00-\x1f]*")


class Settings(msgspec.Struct, frozen=True):
    """The settings of this deployer.

    Attributes:
        branch: the name of the branch.
        remote: the repository that it is pushed to: a name, a URL or a folder; empty to keep it local.
        message: of the commits.
    """

    branch: str = "gh-pages"
    remote: str = "origin"
    message: str = "Publish the site"


def to_branch(release: Release) -> Iterator[str]:
    """Commit the site onto a branch, and push it. If nothing has changed, there is no commit."""
    settings = read_settings(release.settings, Settings)
    if not _BRANCH.fullmatch(settings.branch) or _NO_BRANCH.match(settings.branch):
        raise DeployError(f"“{settings.branch}” is not the name of a branch", key="branch")
    if settings.remote and not _REMOTE.fullmatch(settings.remote):
        raise DeployError(f"“{shown(settings.remote)}” is not the name or the URL of a repository", key="remote")
    try:
        with scratch_folder("deploy") as scratch:
            repository = Repository(release.root, scratch.resolve(), files=len(release.files))
            yield from _publish(release, settings, repository)
    except OSError as error:
        raise DeployError(f"temporary files cannot be written: {describe(error)}") from error


def _publish(release: Release, settings: Settings, repository: Repository) -> Iterator[str]:
    remote = shown(settings.remote)
    where = f"the branch “{settings.branch}”" + (f" of {remote}" if remote else "")
    reference = f"refs/heads/{settings.branch}"
    places = destination(repository, settings.remote) if settings.remote else ()
    to = tuple(repository.add_remote(f"devlog-{number}", place) for number, place in enumerate(places))
    tip = _remote_tip(repository, settings, to) if to else _local_tip(repository, settings)
    locations = dict(zip(to, places, strict=True))
    _refuse_each(locations, lambda place: refuse_unborn(repository, place, reference))
    tree = _tree(release, repository)
    old = repository.line("rev-parse", f"{tip}^{{tree}}") if tip else _empty_tree(release, repository)
    folder = repository.prefix.encode(errors="backslashreplace").decode()  # messages of commits are UTF-8
    made = Made(repository.commit_of("HEAD"), folder, built_site(release).url)
    refuse_others(release, repository, tip, settings.branch, made)
    refuse_own_branch(release, repository, places, settings.branch)
    refuse_unknown(made)
    is_made = old == tree and bool(tip)
    if is_made and all(found == tip for found in _tips(repository, to, reference)):
        yield f"No changes: {where} has all {len(release.files):,} files"
        return
    changes = _changes(repository, old, tree)
    said = _summary(changes, release.files)
    if release.dry_run:
        if not is_made:
            _commit(repository.rehearse, settings.message, tree, "", made)  # which fails as the other one would
            for place in places or (repository.common,):
                refuse_read_only(Path(place), reference)
            _refuse_each(locations, lambda place: refuse_checked_out(repository, place, reference))
        _rehearse(repository, locations, reference, tip)
        yield from (f"{mark} {path}" for mark, path in changes)
        yield f"Would publish to {where}: {said}" + ", if the remote's hooks and rules allow it" * bool(to)
        return
    # Another URL may lack the commit that there is.
    commit = tip if is_made else _commit(repository.line, settings.message, tree, tip, made)
    if to:
        _push(repository, locations, f"{commit}:{reference}", tip)
        with suppress(OSError):  # without them, the next deployment fetches what this one has pushed
            repository.keep_objects()
    else:
        _keep_objects(repository)
        repository.own("update-ref", "--no-deref", "-m", "devlog deploy", reference, commit, tip or "0" * len(commit))
    try:
        previous = _tips(repository, to, reference) if to else [repository.commit_of(reference)]
    except DeployError as error:
        asked = f"git published to {where}, but the remote does not tell whether it has the site: {error}"
        hint = error.hint or "deploy again: what is there already is not published twice"
        raise DeployError(asked, hint, error.key) from error
    for found in previous:
        if found != commit:
            has = f"is at {found[:10]}" if found else "is not there"
            raise DeployError(f"git reported success, but {where} {has}, and not at {commit[:10]}")
    yield f"Published to {where}: {said}, as commit {commit[:10]}"


def _refuse_each(to: Mapping[str, str], refuse: Callable[[str], None]) -> None:
    """Refuse each place of a remote that a function refuses; see `_refused`."""
    for name, place in to.items():
        try:
            refuse(place)
        except DeployError as error:
            raise _refused(error, to, name, error.hint) from error


def _keep_objects(repository: Repository) -> None:
    try:
        repository.keep_objects()
    except OSError as error:
        raise DeployError(f"objects cannot be added to the repository: {describe(error)}") from error


def _push(repository: Repository, to: Mapping[str, str], what: str, tip: str) -> None:
    """Push to each place of a remote.

    Only what is new goes to a place that has the branch as it was fetched: git checks that when it pushes. Others get
    all that the branch consists of, as the first place sends it: that place decides what the branch consists of, and
    could name commits that only the site's own repository has.

    Args:
        repository: of the site.
        to: the places, by their names in the scratch repository. From the first one the branch was fetched.
        what: the commit and the branch.
        tip: the newest commit of the branch so far; empty if there was none.

    Raises:
        DeployError: some place has refused it. If it is the first one, no other got it.
    """
    commit, _, reference = what.partition(":")
    failed, lacking, first = [], list[str](), next(iter(to))
    for place in to:
        try:
            if place != first and tip_at(repository, place, reference) != tip:
                lacking.append(place)
                continue
            lease = f"--force-with-lease={reference}:{tip}"
            repository.talk("push", *_PUSHED_ALONE, lease, "--porcelain", place, what)
        except DeployError as error:
            failed.append(_refused(error, to, place, _CHANGED))
            if place == first:  # others would have a commit that the next deployment does not begin with
                raise failed[0] from error
    if lacking:
        repository.separate(first, reference, commit)
    for place in lacking:
        try:
            repository.push_separately(*_PUSHED_ALONE, "--porcelain", place, what)
        except DeployError as error:
            failed.append(_refused(error, to, place, _DIVERGED))
    if failed:
        raise failed[0]


def _rehearse(repository: Repository, to: Mapping[str, str], reference: str, tip: str) -> None:
    """Check whether `_push` would succeed at the places that do not have the branch as the first one has it.

    Args:
        repository: of the site.
        to: the places, by their names in the scratch repository.
        reference: the branch.
        tip: its newest commit at the first place; empty if there is none.

    Raises:
        DeployError: some place would refuse it, or cannot be reached.
    """
    first, *others = to or ("",)
    lacking = []
    for place in others:
        try:
            found = tip_at(repository, place, reference)
        except DeployError as error:
            raise _refused(error, to, place, error.hint) from error
        if found != tip:
            lacking.append(place)
        if found and not tip:
            raise _refused(DeployError("the branch has other commits", _DIVERGED), to, place, _DIVERGED)
    for place in lacking if tip else ():  # without it, they get a new branch of one commit
        try:
            if place == lacking[0]:
                repository.separate(first, reference, tip)
            repository.push_separately("--dry-run", *_PUSHED_ALONE, "--porcelain", place, f"{tip}:{reference}")
        except DeployError as error:
            raise _refused(error, to, place, _DIVERGED) from error


def _refused(error: DeployError, to: Mapping[str, str], name: str, hint: str) -> DeployError:
    """The error of a push, with the place if there are several.

    Args:
        error: as git's answer says it.
        to: all places, by their names.
        name: that of the place which the error is about.
        hint: what to do if the branch there has other commits.
    """
    where = f"“{shown(to[name])}”: " if len(to) > 1 else ""
    return DeployError(f"{where}{error}", hint if _OTHER_COMMITS.search(str(error)) else error.hint, error.key)


def _tips(repository: Repository, to: tuple[str, ...], reference: str) -> list[str]:
    """The newest commit of a branch at each place of a remote."""
    return [tip_at(repository, place, reference) for place in to]


def _remote_tip(repository: Repository, settings: Settings, to: tuple[str, ...]) -> str:
    """The newest commit of the branch in the remote repository, after fetching it; empty if there is none."""
    reference = f"refs/heads/{settings.branch}"
    tip = tip_at(repository, to[0], reference)
    if tip and not has_earlier(repository, tip):
        repository.know((f"refs/remotes/{settings.remote}/{settings.branch}", reference))
        # The remote may itself lack the oldest commits. Which ones, only the scratch repository learns.
        repository.talk("fetch", *FETCHING, "--update-shallow", "--", to[0], reference)
    return tip


def _local_tip(repository: Repository, settings: Settings) -> str:
    """The newest commit of a local branch; empty if there is none.

    Raises:
        DeployError: the branch is checked out in some work tree, or is a symbolic name of another one, or cannot exist
            beside another one, or git would write elsewhere to move it.
    """
    reference = f"refs/heads/{settings.branch}"
    # Git before 2.36 has no “-z” here. A folder whose name has a line break can thus only refuse too much.
    if f"branch {reference}" in repository.own("worktree", "list", "--porcelain").split("\n"):
        raise DeployError(f"the branch “{settings.branch}” is checked out", key="branch")
    if other := repository.stands_for(reference):
        raise DeployError(f"the branch “{settings.branch}” is only another name of “{other}”", key="branch")
    repository.refuse_links(reference)
    tip = repository.commit_of(reference)
    if not tip:
        others = repository.own("for-each-ref", "--format=%(refname)", "--", *above(reference), f"{reference}/")
        refuse_clash(reference, others.split("\n"), "the repository")
    return tip


def _tree(release: Release, repository: Repository) -> str:
    """The tree of all files of the site. In a dry run, it is only to be compared: there are no contents of files."""
    paths = sorted(release.files)
    stored = () if release.dry_run else ("-w",)
    answer = repository.ask(
        "hash-object",
        *stored,
        "--no-filters",
        "--stdin-paths",
        # git would unquote a path that begins with a quotation mark, which could then be any path.
        data="".join(f"./{path}\n" for path in paths).encode(),
        folder=release.folder,
    )
    found = dict(zip(paths, answer.decode("ascii").split(), strict=True))
    _refuse_changed(release, found)
    found.setdefault(_NO_JEKYLL, repository.line("hash-object", *stored, "--stdin"))
    entries = "".join(f"100644 {found[path]}\t{path}\0" for path in sorted(found))
    repository.ask("update-index", "-z", "--index-info", data=entries.encode())
    return repository.rehearse("write-tree", "--missing-ok") if release.dry_run else repository.line("write-tree")


def _refuse_changed(release: Release, blobs: dict[str, str]) -> None:
    """Refuse files that differ from the built ones: git follows symbolic links, and reads the files at another time.

    Args:
        release: the site to publish.
        blobs: the names of the blobs that git has written for its files, by path.

    Raises:
        DeployError: a blob does not match the built file.
    """
    with Folder.open(release.folder) as top, Cursor(top) as cursor:
        for path, blob in sorted(blobs.items()):
            above, _, name = path.rpartition("/")
            digest, found = new_digest(), ""
            with suppress(OSError):
                folder = cursor.enter(above)
                named = _blob(len(blob), folder.stat(name).st_size)
                for piece in folder.read(name):
                    digest.update(piece)
                    named.update(piece)
                found = named.hexdigest()
            if found != blob or digest.hexdigest() != release.files[path]:
                raise DeployError(f"“{path}” is not as the last build left it", "build again")


def _blob(length: int, size: int) -> hashlib._Hash:
    """The hash object for the name of a blob, after the blob's header.

    Args:
        length: of the repository's blob names, in digits, which determines the algorithm.
        size: of the blob, in bytes.
    """
    state = hashlib.sha1(usedforsecurity=False) if length == _SHA1 else hashlib.sha256()
    state.update(f"blob {size}\0".encode())
    return state


def _empty_tree(release: Release, repository: Repository) -> str:
    write = repository.rehearse if release.dry_run else repository.line
    return write("hash-object", "-w", "-t", "tree", "--stdin")


def _changes(repository: Repository, old: str, new: str) -> list[tuple[str, str]]:
    """The changes between two trees: ``+`` (added), ``~`` (changed) or ``-`` (removed), each with the path."""
    answer = repository.ask("diff-tree", "-r", "-z", "--no-renames", "--name-status", old, new)
    parts = answer.decode("utf-8", "replace").split("\0")
    marks = {"A": "+", "D": "-"}
    return [(marks.get(mark, "~"), path) for mark, path in zip(parts[::2], parts[1::2], strict=False)]


def _summary(changes: Collection[tuple[str, str]], files: Container[str]) -> str:
    """How many files change, apart from the one that is added to the site's own.

    Args:
        changes: see `_changes`.
        files: of the site.
    """
    is_added = _NO_JEKYLL not in files and ("+", _NO_JEKYLL) in changes
    counts = Counter(mark for mark, _ in changes)
    new = f"{counts['+'] - is_added:,} new" + f" (and “{_NO_JEKYLL}”)" * is_added
    return f"{new}, {counts['~']:,} changed, {counts['-']:,} removed"


def _commit(write: Callable[..., str], message: str, tree: str, tip: str, made: Made) -> str:
    """Make a commit, and return its name.

    Args:
        write: how git is run, such as `Repository.line`.
        message: as configured.
        tree: the files.
        tip: the commit before it; empty if there is none.
        made: its origin.
    """
    message = f"{message}\n\n{made}\n"
    parent = ["-p", tip] if tip else []
    return write("commit-tree", tree, *parent, "-F", "-", data=message.encode())
