"""The section of a digest about what nobody has written: the gaps that its changes touch."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from devlog.config import Config
from devlog.features.digests.model.activity import Change
from devlog.model.diagnostic import Diagnostic
from devlog.model.gaps import Gaps
from devlog.plugins.features import gap_finder
from devlog.scaffold.site import Existing

_MOST_LISTED = 5
"""The maximum number of directories and of posts: a digest is about what happened."""


def gaps_of(site: Existing, changes: Iterable[Change], moment: datetime) -> Gaps | tuple[Diagnostic, ...]:
    """Find the gaps that the changes of a digest touch.

    Args:
        site: whose posts count. It is checked, since all links in its posts have to be resolved.
        changes: the changes of the digest.
        moment: the end of its period; the year before it counts, and later posts do not.

    Returns:
        Directories with a change that no post is about, and posts that cite a changed file. The errors of the site
        if it cannot be checked.
    """
    from devlog.checking import Options, check  # only digests with this section need the whole pipeline

    checked = check(Options(site.root, moment))
    if checked.evidence is None:
        return tuple(item for item in checked.diagnostics if item.severity == "error")
    find = gap_finder()
    found = find(site.root, checked.evidence, moment) if find else Gaps("")
    config = site.inputs.config
    touched = {file for change in changes for file in change.files}
    directories = (item for item in found.directories if any(file.startswith(f"{item.path}/") for file in touched))
    posts = (item for item in found.posts if not touched.isdisjoint(item.files))
    return Gaps(
        found.since,
        tuple(directories)[:_MOST_LISTED],
        tuple(msgspec.structs.replace(item, post=_target(config, item.post)) for item in posts)[:_MOST_LISTED],
        found.problem,
    )


def _target(config: Config, file: str) -> str:
    """The target of a link to a post or a page; empty for one that is not in the content."""
    prefix = config.content_prefix
    path = file.removeprefix(prefix) if file.startswith(prefix) else config.mounted(file)
    return f"/{path}" if path else ""
