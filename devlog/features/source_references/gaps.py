"""What nobody has written about, by the history of the configured repository checkout."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from devlog.check.evidence import Evidence
from devlog.features.source_references.assemble.gaps import DatedPost, outdated, unwritten
from devlog.features.source_references.assemble.index import mentions_in
from devlog.features.source_references.config import configured_repository
from devlog.features.source_references.model.citation import cited_source
from devlog.features.source_references.model.repository import Repository
from devlog.model.gaps import Gaps

_PERIOD = timedelta(days=365)


def find_gaps(root: Path, evidence: Evidence, now: datetime) -> Gaps:
    """Find what nobody has written about.

    Args:
        root: the folder to which the configured repository checkout is relative.
        evidence: the site.
        now: the current time; the year before it counts.

    Returns:
        What was found; only a problem if there is no repository checkout, or it cannot be read.
    """
    from devlog.disk.checkout_folder import Refusal, checkout_folder
    from devlog.features.source_references.disk import Checkout, SilentError

    config = evidence.config
    since = now - _PERIOD
    day = since.date().isoformat()
    repository = configured_repository(config)
    if repository is None or not config.source_checkout:
        return Gaps(day, problem="set “source_repo” and “source_checkout” to find what nobody has written about")
    folder = checkout_folder(root, config.source_checkout)
    if isinstance(folder, Refusal):
        return Gaps(day, problem=f"cannot read the repository checkout “{config.source_checkout}”: {folder.value}")
    checkout = Checkout(folder)
    if not checkout.exists:
        return Gaps(day, problem=f"there is no repository checkout at “{config.source_checkout}”")
    posts = list(_posts(evidence, repository))
    try:
        (head,) = checkout.commits(["HEAD"])
        commits = checkout.commits_since(head, since, now) if head else ()
        present = checkout.files(head) if head else {}
    except SilentError as error:
        return Gaps(day, problem=f"cannot read the repository checkout “{config.source_checkout}”: {error}")
    cited = {file for post in posts for file in post.cited}
    return Gaps(day, unwritten(commits, cited, present), outdated(commits, posts))


def _posts(evidence: Evidence, repository: Repository) -> Iterator[DatedPost]:
    """The published posts and pages, with the files of the repository that they cite."""
    site, companions = evidence.site, evidence.derived.companions
    for post in (*site.posts, *site.pages):
        if not post.state:
            sources = (cited_source(mention, repository) for mention in mentions_in(post, companions))
            cited = dict.fromkeys(source.spot.file for source in sources if source)
            yield DatedPost(post.parsed.file, post.title, post.date, tuple(cited))
