"""Rules about superseded posts: links to them, and posts without a successor."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.check.evidence import Evidence
from devlog.features.supersession import problems
from devlog.features.supersession.model.status import PostStatuses
from devlog.model.diagnostic import Diagnostic


def no_successor(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post says that it is superseded, but no post supersedes it.

    Its page can then only say that there is something newer, but cannot link to it.
    """
    known = evidence.derived.of(PostStatuses).by_post
    for text in evidence.sources:
        post_status = known.get(text.parsed.path)
        if post_status and post_status.status == "superseded" and not post_status.newest:
            yield problems.no_successor(text.parsed.front_matter.span("status", text.parsed.file))


def link_to_superseded(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link leads to a post that a newer one supersedes.

    The old post links to the newer one, but readers should get there directly. Posts that are superseded or historical
    themselves may link to any post, and a post may link to one that it supersedes.
    """
    known = evidence.derived.of(PostStatuses).by_post
    old = {path for path, post_status in known.items() if post_status.status in ("superseded", "historical")}
    texts = {text.parsed.path: text for text in evidence.sources}
    for path, post_status in known.items():
        post = texts[path].post
        for use in evidence.uses.get(post.permalink, ()) if post and post_status.newest else ():
            if use.text.parsed.path not in old and use.text.parsed.path not in post_status.newest:
                newer = texts[post_status.newest[0]].parsed.file
                yield problems.link_to_superseded(use.ref.span, use.ref.target, newer)
