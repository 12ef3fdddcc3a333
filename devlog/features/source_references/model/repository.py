"""The repository that posts refer to: the URLs of its pull requests, issues, commits and files."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

import msgspec

from devlog.features.source_references.model.mention import MentionKind
from devlog.model.forges import Forge, forge_of
from devlog.model.urls import repository_url

NAME = "sources"
"""The name of the feature as a plugin."""

_GROUPS = frozenset(
    """
    backport bug bugfix chore dependabot enhancement feat feature features fix gh hotfix patch refactor release releases
    renovate revert topic user users
    """.split()
)
"""What names of branches begin with that go on after a slash, as “feature/x” does: where in a URL such a name ends and
the path of the file begins, only the repository could tell. Hardly any branch has such a name alone."""

_FULL = "(?:refs/(?:heads|tags)/)?"  # hosts accept full names of branches and releases
# The part of a URL after the host, for all supported forges.
_PLACE = re.compile(
    r"/([\w.-]+(?:/[\w.-]+)+?)/(?:-/)?(?:"
    r"(?P<pull>(?:pulls?|merge_requests)/(?P<pull_number>[1-9]\d{0,8})(?![\w.]))"
    r"|(?P<issue>(?:issues|work_items)/(?P<issue_number>[1-9]\d{0,8})(?![\w.]))"
    r"|(?P<commit>commits?/(?P<sha>[0-9a-f]{7,64})(?![\w.]))"
    rf"|(?P<file>(?:blob|blame|raw|src/(?:branch|commit|tag))/{_FULL}(?P<ref>[^/?#]+)/(?P<path>[^?#]+)"
    r"(?:\?[^#]*)?(?:#L(?:ines-)?(?P<first>\d{1,7})(?:C\d+)?(?:-L?(?P<last>\d{1,7})(?:C\d+)?)?)?)"
    rf"|(?P<directory>tree/{_FULL}(?P<at>[^/?#]+)/(?P<inside>[^?#]+))"
    r")",
    re.ASCII,
)
_KINDS = ("pull", "issue", "commit", "file", "directory")


class Named(msgspec.Struct, frozen=True):
    """Something in a repository as a `Mention` identifies it, and its URL."""

    kind: MentionKind
    id: str
    url: str


class Repository(msgspec.Struct, frozen=True):
    """A repository on the web.

    Attributes:
        url: the URL in the form of `repository_url`.
        forge: the software of its host, which determines the form of URLs.
    """

    url: str
    forge: Forge = "github"

    @property
    def host(self) -> str:
        """The scheme and the host."""
        return "/".join(self.url.split("/", 3)[:3])

    @property
    def name(self) -> str:
        """The owner and the name: ``org/repo``."""
        return self.url.split("/", 3)[3]

    def pull(self, number: str, other: str = "") -> Named:
        """A pull request by its number, in this repository or in another one on the same host."""
        way = {"github": "pull", "gitlab": "-/merge_requests", "forgejo": "pulls"}[self.forge]
        return self._numbered("pull", way, number, other)

    def issue(self, number: str, other: str = "") -> Named:
        """An issue by its number, or a pull request that is not marked as one: hosts redirect to it."""
        return self._numbered("issue", "-/issues" if self.forge == "gitlab" else "issues", number, other)

    def _numbered(self, kind: MentionKind, way: str, number: str, other: str) -> Named:
        base = f"{self.host}/{other}" if other else self.url
        return Named(kind, f"{other}#{number}" if other else number, f"{base}/{way}/{number}")

    def commit(self, sha: str, other: str = "") -> Named:
        """A commit by its digest, in this repository or in another one on the same host."""
        base, way = f"{self.host}/{other}" if other else self.url, "-/commit" if self.forge == "gitlab" else "commit"
        return Named("commit", f"{other}@{sha}" if other else sha, f"{base}/{way}/{sha}")

    def file(self, path: str, first: str = "", last: str = "", commit: str = "HEAD") -> Named:
        """A file in a commit, by default the newest one, optionally with a range of lines."""
        way = {"github": "blob", "gitlab": "-/blob", "forgejo": "src/commit"}[self.forge]
        lines = _lines(first, last)
        fragment = lines.replace("-L", "-") if self.forge == "gitlab" else lines
        return Named("file", path + lines, f"{self.url}/{way}/{commit}/{quote(path)}{fragment}")

    def directory(self, path: str) -> Named:
        """A directory in the newest commit; its path ends with a slash."""
        way = {"github": "tree", "gitlab": "-/tree", "forgejo": "src/commit"}[self.forge]
        return Named("file", path, f"{self.url}/{way}/HEAD/{quote(path)}")

    def ref_of(self, url: str) -> str:
        """The commit, release or branch in the URL of a file of this repository; empty for any other URL."""
        host = self.host
        found = _PLACE.match(url, len(host)) if host and url.startswith(host) else None
        is_own = found and found["file"] and found[1].lower() == self.name.lower()
        return unquote(found["ref"]) if found and is_own else ""

    def read(self, url: str) -> Named | None:
        """What a URL on this host refers to; `None` if it is not something in a repository, or nobody can tell what."""
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
        path = unquote(found["path"] or found["inside"].rstrip("/"))
        is_unclear = (found["ref"] or found["at"]).lower() in _GROUPS or not path.isprintable() or len(path) > 300
        if is_unclear or not set(path.split("/")).isdisjoint({"", ".", ".."}):
            return None
        # A directory is a file whose path ends with a slash.
        lines = "/" if kind == "directory" else _lines(found["first"] or "", found["last"] or "")
        return Named("file", f"{other}:{path}{lines}" if other else path + lines, url)


def _lines(first: str, last: str) -> str:
    """A range of lines as a fragment."""
    return f"#L{first}" + (f"-L{last}" if last and last != first else "") if first else ""


def repository_of(url: str, forge: str = "") -> Repository | None:
    """The repository with a URL.

    Args:
        url: the URL of its page on the web.
        forge: the software of its host; if empty, it is derived from the host's name.

    Returns:
        `None` if it is not the URL of a repository.
    """
    page = repository_url(url)
    if not page:
        return None
    return Repository(page, forge_of(page, forge))


class Speech(msgspec.Struct, frozen=True):
    """The settings for finding references to a repository in prose.

    Attributes:
        repository: the repository; references to it become links, and are collected.
        digits: the minimum number of digits of a reference that is a number without a word before it.
        symbols: whether names in backticks are collected, too.
    """

    repository: Repository
    digits: int = 2
    symbols: bool = False
