"""Creates a new site that is ready to be built, optionally with GitHub workflows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from devlog import DISTRIBUTION, __version__
from devlog.disk import problems as disk_problems
from devlog.disk.folder import describe, words_of
from devlog.disk.git import Identity, branch_of, identity
from devlog.disk.single_files import create
from devlog.json_schema import as_json, schema_of
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline
from devlog.scaffold import problems
from devlog.scaffold.outcome import Outcome
from devlog.scaffold.people import guess
from devlog.scaffold.writing import author_lines, clean, toml_text

_FOLDER = Path(__file__).with_name("starter_site")
"""The files of a new site, with placeholders such as ``@title@``."""

_WELCOME = re.compile(
    r"\.git|\.gitignore|\.gitattributes|\.github|(?:readme|licen[cs]e|copying|notice|code_of_conduct)(?:\..*)?"
    r"|\.DS_Store|\.venv|\.python-version|\.vscode|\.idea|\.editorconfig|\.pre-commit-config\.yaml",
    re.IGNORECASE,
)
"""Files that may already exist in the folder: those that a host puts into a new repository, and those of tools."""

_GITHUB = re.compile(
    r"(?:https://(?:[^@/]*@)?|git@|ssh://git@)github\.com[:/](?P<owner>[A-Za-z0-9-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)
_CLONABLE = re.compile(r"https://[A-Za-z0-9.-]+(?::\d+)?(?:/[\w.~-]+)+/?", re.ASCII)
_FORGES = re.compile(r"https://(?:github\.com|codeberg\.org|gitea\.com|gitlab\.(?:[a-z0-9-]+\.)*[a-z]+)/", re.ASCII)
"""Matches the URL of a repository whose host certainly has an interface that `devlog digest` can ask."""
_BRANCH = re.compile(r"[\w./-]+", re.ASCII)
"""Matches the names of branches that are no patterns in a workflow, and need no escapes there."""
_MARK = re.compile("@([a-z_]+)@")
_TEAM = Byline("The DevLog team", "devlog-team", Span(""), team=True)


class NewSite(msgspec.Struct, frozen=True):
    """The requested properties of a new site; defaults are used for empty ones, or they are left out.

    Attributes:
        title: its title.
        base_url: its URL.
        github: whether it gets workflows of GitHub.
        digest: the URL of the repository of which it publishes digests.
        branch: the branch that the workflows publish.
    """

    title: str = ""
    base_url: str = ""
    github: bool = False
    digest: str = ""
    branch: str = ""


def is_clonable(url: str) -> bool:
    """Whether a workflow can clone a repository without a secret, by a URL that no shell or YAML takes for more."""
    return bool(_CLONABLE.fullmatch(url))


def init(folder: Path, new_site: NewSite, now: datetime) -> Outcome:
    """Write a new site.

    Args:
        folder: a new or empty folder, except for files of hosts and tools, which are kept.
        new_site: the requested properties.
        now: the current time.

    Returns:
        The written and the kept files, or diagnostics if nothing was written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        return Outcome(diagnostics=(disk_problems.cannot_write(str(folder), describe(error)),))
    foreign = [name for name in names if not _WELCOME.fullmatch(name)]
    if foreign:
        return Outcome(diagnostics=(problems.folder_not_empty(str(folder), foreign),))
    title, found = clean(new_site.title, Span("--title"))
    who = identity(folder)
    top = _repository_of(folder)
    if top != folder.absolute():  # GitHub Pages would show the site of the enclosing repository
        who = msgspec.structs.replace(who, origin="")
    branch = branch_of(folder) if new_site.github and top == folder.absolute() else ""
    base_url = new_site.base_url or _pages(new_site, who)
    new_site = msgspec.structs.replace(new_site, title=title, base_url=base_url, branch=branch)
    if new_site.github and top and top != folder.absolute():
        found = (*found, problems.workflows_below(str(folder), str(top)))
    present = [name for name in names if (folder / name).is_file()]
    return _write(folder, site_files(new_site, now, who), new_site.base_url, present, found)


def not_ignored(folder: Path) -> tuple[str, ...]:
    """The lines that a new site's ``.gitignore`` would have, and the one that was there already does not have.

    Args:
        folder: the site.

    Returns:
        The lines, sorted; a line with other slashes around it counts as the same.
    """
    there, ours = (
        {line.strip().strip("/"): line for line in words_of(file, 1_000_000).splitlines() if not line.startswith("#")}
        for file in (folder / ".gitignore", _FOLDER / "dot-gitignore")
    )
    return tuple(sorted(ours[line] for line in ours.keys() - there))


def _repository_of(folder: Path) -> Path | None:
    """The root of the repository that contains a folder; `None` if there is none."""
    absolute = folder.absolute()
    for place in (absolute, *absolute.parents):
        with suppress(PermissionError):  # git cannot tell either
            if (place / ".git").exists():
                return place
    return None


def _write(
    folder: Path, files: Mapping[str, str], url: str, present: Iterable[str], found: tuple[Diagnostic, ...]
) -> Outcome:
    written: list[str] = []
    kept: list[str] = []
    for file, text in files.items():
        problem = create(folder, file, text.encode())
        if problem is None:
            written.append(file)
        elif problem.code == "already-there":
            kept.append(file)
        else:
            return Outcome(tuple(written), "", tuple(kept), (*found, problem))
    met = {file.casefold() for file in kept}
    kept += [name for name in present if name.casefold() not in met]
    return Outcome(tuple(written), url, tuple(sorted(kept)), found)


def site_files(new_site: NewSite, now: datetime, who: Identity) -> dict[str, str]:
    """The contents of a new site's files, by path, in the order in which they are written.

    Args:
        new_site: the requested properties.
        now: the current time.
        who: the user and the remote in git's configuration.
    """
    day = f"{now.year:04d}-{now.month:02d}-{now.day:02d}"
    repository = _GITHUB.fullmatch(who.origin.strip())
    source = f"https://github.com/{repository['owner']}/{repository['name']}" if repository else ""
    author = next((byline for byline in guess(who, ())[0] if byline.name and byline.handle), _TEAM)
    values = {
        "title": toml_text(new_site.title or "DevLog"),
        "heading": new_site.title or "DevLog",
        "base_url": _base_url_lines(new_site.base_url),
        "source_repo": f"source_repo = {toml_text(source)}" if source else '# source_repo = "https://github.com/…/…"',
        "severity": _NO_BASE_URL if new_site.base_url and "://" not in new_site.base_url else "",
        "author": "\n".join(author_lines([author])),
        "day": day,
        "distribution": DISTRIBUTION,
        "version": __version__,
        "branch": new_site.branch if _BRANCH.fullmatch(new_site.branch) else "main",
        "digest": _digest(new_site.digest),
        "digest_source": toml_text(new_site.digest),
    }
    files = {file: as_json(schema_of(kind)) for file, kind in _SCHEMAS.items()}
    for path in sorted(_FOLDER.rglob("*")):
        name = path.relative_to(_FOLDER).as_posix()
        if path.is_file() and _is_requested(name, new_site):
            text = _MARK.sub(lambda mark: values.get(mark[1], mark[0]), path.read_text("utf-8"))
            files[name.replace("dot-", ".").replace("DATE", day)] = text
    return dict(sorted(files.items()))


def _is_requested(name: str, new_site: NewSite) -> bool:
    """Whether a new site gets a file of the starter site."""
    if name in _OF_DIGESTS:
        return bool(new_site.digest)
    return new_site.github or not name.startswith("dot-github/")


_SCHEMAS = {"schemas/devlog.json": "config", "schemas/front-matter.json": "front-matter"}
"""The JSON schemas that files of the site name, for editors."""

_OF_DIGESTS = frozenset({"content/digests/_index.md", "dot-github/workflows/digest.yml"})
"""Files of a site that publishes digests of a repository."""

_DIGEST = """# What `devlog digest weekly` writes: a post for each week, about the repository that the workflow clones.
[digest.weekly]
topic = "digests"
period = "week"
tags = ["digest"]
{forge}
"""

_FORGE = """# Titles, descriptions, labels and discussion of pull requests come from the host of the repository.
forge = true
"""


def _digest(source: str) -> str:
    """The configuration of a series about a repository, which asks its host if devlog knows that."""
    return _DIGEST.format(forge=_FORGE if _FORGES.match(source) else "") if source else ""


def _pages(new_site: NewSite, who: Identity) -> str:
    """The URL of the site on GitHub Pages; empty if it is unknown, or workflows are not requested."""
    repository = _GITHUB.fullmatch(who.origin.strip())
    if not new_site.github or not repository:
        return ""
    host = f"{repository['owner'].lower()}.github.io"
    return f"https://{host}/" if repository["name"].lower() == host else f"https://{host}/{repository['name']}/"


def _base_url_lines(base_url: str) -> str:
    if base_url:
        return f"base_url = {toml_text(base_url)}"
    return f"# This one is a placeholder: replace it before you publish.\nbase_url = {toml_text(_PLACEHOLDER)}"


_PLACEHOLDER = "https://your-site.example/"
"""Gives a first build feeds, social cards and a sitemap; `devlog check` and `devlog deploy` warn about it."""

_NO_BASE_URL = """
[severity]
# Feeds and the sitemap need the base_url above. Until it is set, this is only a reminder; then remove this line.
no-base-url = "info"
"""
