"""Rules about links whose targets exist, so that a build finds nothing wrong with them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import quote

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Edit, Fix
from devlog.model.relative import relative

_LINES = re.compile(
    r"https://(?:[\w.-]+/){3}(?:-/)?(?:blob|blame|tree)/(?P<ref>[^/#?]+)/[^#?]+(?:\?[^#]*)?#L(?:ines-)?\d",
    re.IGNORECASE,
)
_SAFE = "/~!$*,;=:@+"  # characters without another meaning in Markdown and HTML attributes
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_RELEASE = re.compile(r"v?\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|post|alpha|beta)\.?\d*)?")


def placeholder_link(evidence: Evidence) -> Iterator[Diagnostic]:
    """The target of a link was never filled in: `[like this](#)`."""
    for text in evidence.sources:
        for ref in text.parsed.document.refs:
            if ref.kind == "link" and ref.target.strip() in {"", "#"} and ref.span.path:
                yield problems.placeholder_link(ref.span, ref.target.strip())


def unpinned_link(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link leads to lines of a file on a branch, where the lines will soon move.

    Links to a commit or a release stay correct. `--fix` writes the commit that was the newest when the post was
    written, if a checkout of the repository is available: that of the site itself, or the one that `source_checkout`
    names.
    """
    for text in evidence.sources:
        for outside in text.facts.outside:
            found = _LINES.match(outside.url)
            if found and not (_COMMIT.fullmatch(found["ref"].lower()) or _RELEASE.fullmatch(found["ref"].lower())):
                yield problems.unpinned_link(outside.span, found["ref"])


_BEHIND_PATH = re.compile(r"^[^?#]*")
"""What stands before the query and the fragment of a URL."""


def own_url(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link to a page of this site contains the host of the site.

    It leads out of previews, and breaks when the site moves. `--fix` writes the path of the file, relative to the post,
    which also works in the repository.
    """
    # Paths in the repository: a mounted folder is somewhere else than its pages.
    files = {text.post.permalink: text.parsed.file for text in evidence.sources if text.post}
    files |= {topic.permalink: topic.index.file for topic in evidence.site.topics if topic.index}
    files |= {item.permalink: item.asset.file for item in evidence.site.assets if item.folder == "content"}
    for permalink, uses in evidence.uses.items():
        for use in uses:
            if not use.ref.target.lower().startswith(("https://", "http://")):
                continue
            file = files.get(permalink)
            folder = posixpath.dirname(use.text.parsed.file)
            right = quote(relative(file, folder) if file else permalink, safe=_SAFE)
            right += _BEHIND_PATH.sub("", use.ref.target, 1)
            exact = use.ref.span.length >= len(use.ref.target) and not use.ref.shown
            fix = Fix((Edit(use.ref.span, use.ref.target, right),)) if exact else None
            instead = f"[…]({right})" if use.ref.shown else right
            yield problems.own_url(use.ref.span, use.ref.target, instead, fix)


def missing_source(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link leads to a file of the repository that does not exist there.

    With `source_repo`, links to files outside `content/` lead to the repository. The checkout around the site tells
    which files it has; without one, such links are not checked.
    """
    for ref, path in evidence.absent:
        yield problems.missing_source(ref.span, path)


RULES = (placeholder_link, unpinned_link, own_url, missing_source)
