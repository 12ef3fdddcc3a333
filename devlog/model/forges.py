"""Which software a forge runs: GitHub, GitLab, or Forgejo, which has the URLs and the interface of Gitea."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import quote

Forge = Literal["github", "gitlab", "forgejo"]

_FORGES: dict[str, Forge] = {"github": "github", "gitlab": "gitlab", "forgejo": "forgejo"}
_FORGEJO = re.compile(r"(?:codeberg\.org|(?:[\w-]+\.)*(?:forgejo|gitea)\.)", re.ASCII)


def forge_of(url: str, configured: str = "") -> Forge:
    """The software of the host of a repository.

    Args:
        url: the URL of its page, with a scheme and a host.
        configured: the software that the configuration names; if empty, the host's name tells.
    """
    host = url.split("/")[2].lower()
    by_name: Forge = "gitlab" if "gitlab" in host else "forgejo" if _FORGEJO.match(host) else "github"
    return _FORGES.get(configured, by_name)


_EDITED = {
    "github": "/edit/{branch}/{path}",
    "gitlab": "/-/edit/{branch}/{path}",
    "forgejo": "/_edit/{branch}/{path}",
    "bitbucket": "/src/{branch}/{path}?mode=edit",
}
_VIEWED = {
    "github": "/blob/{branch}/{path}",
    "gitlab": "/-/blob/{branch}/{path}",
    "forgejo": "/src/branch/{branch}/{path}",  # HEAD since version 1.21
    "bitbucket": "/src/{branch}/{path}",
}
_SURE = re.compile(r"(?:(github|gitlab)\.(?:com$|.)|(bitbucket)\.org$)", re.ASCII)


def edit_pattern(repository: str, configured: str, branch: str) -> str:
    """The URL at which a file of a repository is edited, with ``{path}`` for its path.

    It is empty if the name of the host does not tell its software for certain, and without a branch where the forge has
    no name for the default one.

    Args:
        repository: the URL of its page, with a scheme and a host.
        configured: the software that the configuration names; if empty, the host's name tells.
        branch: the branch that is edited; if empty, the default one.
    """
    forge = configured or _by_name(repository)
    branch = branch or ("HEAD" if forge == "github" else "")
    return repository + _EDITED[forge].replace("{branch}", quote(branch)) if forge and branch else ""


def view_pattern(repository: str, configured: str, branch: str) -> str:
    """The URL at which a file of a repository is shown, with ``{path}`` for its path: on an unknown host as on GitHub.

    Args:
        repository: the URL of its page, with a scheme and a host.
        configured: the software that the configuration names; if empty, the host's name tells.
        branch: the branch that is shown; if empty, the default one.
    """
    forge = configured or _by_name(repository) or forge_of(repository)
    return repository + _VIEWED[forge].replace("{branch}", quote(branch or "HEAD"))


def _by_name(repository: str) -> str:
    """The software of a host if its name tells it for certain; empty otherwise."""
    host = repository.split("/")[2].lower()
    found = _SURE.match(host)
    return (found[1] or found[2]) if found else "forgejo" if _FORGEJO.match(host) else ""
