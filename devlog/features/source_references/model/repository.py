"""The repository that texts speak of: where its pull requests, issues, commits and files are to be seen."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import quote, unquote

import msgspec

from devlog.features.source_references.model.mention import MentionKind
from devlog.model.urls import repository_url

NAME = "sources"
"""Of the feature, as a plugin."""

Forge = Literal["github", "gitlab", "forgejo"]

# What stands behind the name of a repository, in the manner of any forge.
_PLACE = re.compile(
    r"/([\w.-]+(?:/[\w.-]+)+?)/(?:-/)?(?:"
    r"(?P<pull>(?:pulls?|merge_requests)/(?P<pull_number>[1-9]\d{0,8})(?![\w.]))"
    r"|(?P<issue>(?:issues|work_items)/(?P<issue_number>[1-9]\d{0,8})(?![\w.]))"
    r"|(?P<commit>commits?/(?P<sha>[0-9a-f]{7,64})(?![\w.]))"
    r"|(?P<file>(?:blob|blame|raw|src/(?:branch|commit|tag))/(?P<ref>[^/?#]+)/(?P<path>[^?#]+)"
    r"(?:\?[^#]*)?(?:#L(?:ines-)?(?P<first>\d{1,7})(?:C\d+)?(?:-L?(?P<last>\d{1,7})(?:C\d+)?)?)?)"
    r")",
    re.ASCII,
)
_KINDS: tuple[MentionKind, ...] = ("pull", "issue", "commit", "file")


class Named(msgspec.Struct, frozen=True):
    """A thing of a repository as a `Mention` names it, and where it is to be seen."""

    kind: MentionKind
    id: str
    url: str


class Repository(msgspec.Struct, frozen=True):
    """A repository on the web.

    Attributes:
        url: as `repository_url` has it.
        forge: whose manner of addresses its host has.
    """

    url: str
    forge: Forge = "github"

    @property
    def host(self) -> str:
        """Scheme and host."""
        return "/".join(self.url.split("/", 3)[:3])

    @property
    def name(self) -> str:
        """Owner and name: ``org/repo``."""
        return self.url.split("/", 3)[3]

    def pull(self, number: str, other: str = "") -> Named:
        """A pull request by its number, in this repository or in another one of the host."""
        way = {"github": "pull", "gitlab": "-/merge_requests", "forgejo": "pulls"}[self.forge]
        return self._numbered("pull", way, number, other)

    def issue(self, number: str, other: str = "") -> Named:
        """An issue by its number, or a pull request of which nobody says that it is one: hosts lead on to that."""
        return self._numbered("issue", "-/issues" if self.forge == "gitlab" else "issues", number, other)

    def _numbered(self, kind: MentionKind, way: str, number: str, other: str) -> Named:
        base = f"{self.host}/{other}" if other else self.url
        return Named(kind, f"{other}#{number}" if other else number, f"{base}/{way}/{number}")

    def commit(self, sha: str, other: str = "") -> Named:
        """A commit."""
        base, way = f"{self.host}/{other}" if other else self.url, "-/commit" if self.forge == "gitlab" else "commit"
        return Named("commit", f"{other}@{sha}" if other else sha, f"{base}/{way}/{sha}")

    def file(self, path: str, first: str = "", last: str = "", commit: str = "HEAD") -> Named:
        """A file as a commit has it, if none is given the newest one, with the lines that are meant."""
        way = {"github": "blob", "gitlab": "-/blob", "forgejo": "src/commit"}[self.forge]
        lines = _lines(first, last)
        fragment = lines.replace("-L", "-") if self.forge == "gitlab" else lines
        return Named("file", path + lines, f"{self.url}/{way}/{commit}/{quote(path)}{fragment}")

    def ref_of(self, url: str) -> str:
        """The commit, release or branch at which an address leads to a file of this repository; empty for any other."""
        host = self.host
        found = _PLACE.match(url, len(host)) if host and url.startswith(host) else None
        is_own = found and found["file"] and found[1].lower() == self.name.lower()
        return unquote(found["ref"]) if found and is_own else ""

    def read(self, url: str) -> Named | None:
        """What an address of the host leads to; `None` for what is no thing of a repository."""
        host = self.host
        found = _PLACE.match(url, len(host)) if host and url.startswith(host) else None
        if found is None:
            return None
        other = "" if found[1].lower() == self.name.lower() else found[1]
        kind = next(kind for kind in _KINDS if found[kind])
        if kind == "pull":
            return self.pull(found["pull_number"], other)
        if kind == "issue":
            return self.issue(found["issue_number"], other)
        if kind == "commit":
            return self.commit(found["sha"], other)
        path = unquote(found["path"])
        if not path.isprintable() or len(path) > 300 or not set(path.split("/")).isdisjoint({"", ".", ".."}):
            return None
        lines = _lines(found["first"] or "", found["last"] or "")
        return Named("file", f"{other}:{path}{lines}" if other else path + lines, url)


def _lines(first: str, last: str) -> str:
    """Lines as a fragment."""
    return f"#L{first}" + (f"-L{last}" if last and last != first else "") if first else ""


def repository_of(url: str, forge: str = "") -> Repository | None:
    """The repository at an address.

    Args:
        url: of its page on the web.
        forge: what its host runs; if empty, that is told by the host's name.

    Returns:
        `None` for what is no such address.
    """
    page = repository_url(url)
    if not page:
        return None
    host = page.split("/")[2].lower()
    by_name: Forge = "gitlab" if "gitlab" in host else "forgejo" if _FORGEJO.match(host) else "github"
    return Repository(page, _FORGES.get(forge, by_name))


_FORGES: dict[str, Forge] = {"github": "github", "gitlab": "gitlab", "forgejo": "forgejo"}
_FORGEJO = re.compile(r"(?:codeberg\.org|(?:[\w-]+\.)*(?:forgejo|gitea)\.)", re.ASCII)


class Speech(msgspec.Struct, frozen=True):
    """How texts speak of a repository.

    Attributes:
        repository: references to it become links, and are collected.
        digits: how long a number must at least be that is such a reference without a word before it.
        symbols: whether names in backticks are collected, too.
    """

    repository: Repository
    digits: int = 2
    symbols: bool = False
