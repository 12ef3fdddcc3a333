"""Which project of which forge a digest asks, and which token it may send there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

import msgspec

from devlog.model.forges import Forge, forge_of
from devlog.model.urls import repository_url

OWN_TOKEN = "DEVLOG_FORGE_TOKEN"  # noqa: S105 - the name of a variable
_TOKENS: dict[Forge, str] = {"github": "GITHUB_TOKEN", "gitlab": "GITLAB_TOKEN", "forgejo": "GITEA_TOKEN"}
_PUBLIC: dict[Forge, tuple[str, ...]] = {
    "github": ("api.github.com",),
    "gitlab": ("gitlab.com",),
    "forgejo": ("codeberg.org", "gitea.com"),
}
"""Hosts to which tokens may be sent, whoever names them."""

_API = re.compile(
    r"(?P<root>https?://[^/]+(?:/[\w.~/-]{0,200})?)/(?P<kind>api/v3/repos|api/v4/projects|api/v1/repos)/(?P<name>[^?#]+)"
)
_GITHUB_API = re.compile(r"https://api\.github\.com/repos/(?P<name>[\w.-]+/[\w.-]+)")
_KINDS: dict[str, Forge] = {"api/v3/repos": "github", "api/v4/projects": "gitlab", "api/v1/repos": "forgejo"}
_SSH = re.compile(r"(?:ssh://)?(?:[\w.-]+@)?(?P<host>[\w.-]+)(?:(?::\d+)?/|:)(?P<name>[\w.-]+(?:/[\w.-]+)+)")
_TOKEN = re.compile(r"[!-~]{1,1000}")


class Project(msgspec.Struct, frozen=True):
    """A project on a forge.

    Attributes:
        forge: the software of its host.
        api: the URL of the project in its REST interface, without a slash at the end.
        page: the URL of its page; empty if the one of the interface does not tell.
        is_named: whether the configuration names its host, rather than only the clone.
    """

    forge: Forge
    api: str
    page: str = ""
    is_named: bool = True

    @property
    def host(self) -> str:
        """The name of the host that is asked."""
        return urlsplit(self.api).hostname or ""

    @property
    def token_names(self) -> tuple[str, str]:
        """The variables of the environment that may have a token for it, the first one found counts."""
        return OWN_TOKEN, _TOKENS[self.forge]

    def token(self, environment: Mapping[str, str]) -> str:
        """The token to send; empty without one.

        The origin of a clone can be any host, so that it gets no token unless it is a forge that everybody knows.
        """
        if not self.is_named and self.host not in _PUBLIC[self.forge]:
            return ""
        found = next(filter(None, (environment.get(name, "").strip() for name in self.token_names)), "")
        return found if _TOKEN.fullmatch(found) else ""


def project_of(
    configured: bool | str, source_repo: str, origin: str, forge: str = "", *, is_other: bool = False
) -> Project | None:
    """The project that a digest asks.

    Args:
        configured: the key ``forge``: the URL of the project's page or interface; `True` for that of the repository.
        source_repo: the URL of the repository in the configuration.
        origin: from where the clone was made.
        forge: the software of the host, if the configuration names it.
        is_other: whether the clone may be one of another repository than ``source_repo``: then its origin decides.

    Returns:
        `None` if there is no URL, or if it is not one that may be asked.
    """
    if isinstance(configured, str):
        return _of_api(configured.strip().rstrip("/")) or _of_page(configured, forge, is_named=True)
    own, cloned = repository_url(source_repo), repository_url(_as_page(origin))
    if own and not (is_other and cloned and cloned.lower() != own.lower()):
        return _of_page(own, forge, is_named=True)
    is_named = bool(own) and _host(own) == _host(cloned)
    return _of_page(cloned, forge if is_named or not own else "", is_named=is_named)


def _host(page: str) -> str:
    """The scheme and host of a page; empty without one."""
    return "/".join(page.lower().split("/")[:3])


def _of_api(url: str) -> Project | None:
    if found := _GITHUB_API.fullmatch(url):
        return Project("github", url, f"https://github.com/{found['name']}")
    found = _API.fullmatch(url)
    if not found or not _may_ask(url):
        return None
    name = unquote(found["name"])
    page = repository_url(f"{found['root']}/{name}") if "/" in name and ".." not in name else ""
    return Project(_KINDS[found["kind"]], url, page)


def _of_page(url: str, forge: str, *, is_named: bool) -> Project | None:
    page = repository_url(url)
    if not page or not _may_ask(page):
        return None
    kind = forge_of(page, forge)
    scheme, _, host, *parts = page.split("/")
    name, base = "/".join(parts), f"{scheme}//{host}"
    if ".." in parts:
        return None
    if kind == "gitlab":
        return Project(kind, f"{base}/api/v4/projects/{quote(name, safe='')}", page, is_named)
    if kind == "forgejo":
        return Project(kind, f"{base}/api/v1/repos/{name}", page, is_named)
    is_public = host.lower() in ("github.com", "www.github.com")
    return Project(
        kind, f"https://api.github.com/repos/{name}" if is_public else f"{base}/api/v3/repos/{name}", page, is_named
    )


def _as_page(origin: str) -> str:
    """The page of a repository that was cloned, over SSH or HTTPS; a password in the URL is left out."""
    if origin.startswith(("https://", "http://")):
        scheme, _, rest = origin.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
    found = _SSH.fullmatch(origin.rstrip("/"))
    return f"https://{found['host']}/{found['name']}" if found else ""


def _may_ask(url: str) -> bool:
    """Whether a URL is encrypted, or on this machine."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    return "@" not in parts.netloc and bool(host) and (parts.scheme == "https" or is_loopback(host))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    return host in ("localhost", "::1") or bool(re.fullmatch(r"127(?:\.\d{1,3}){3}", host))
