"""Which software a forge runs: GitHub, GitLab, or Forgejo, which has the URLs and the interface of Gitea."""

from __future__ import annotations

import re
from typing import Literal

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
