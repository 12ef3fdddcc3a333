"""Rules about source that posts cite and that has changed since they were written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.check.evidence import Evidence
from devlog.features.source_references import problems
from devlog.features.source_references.model.citation import Cited, Sources
from devlog.model.diagnostic import Diagnostic, Span

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def stale_citation(evidence: Evidence) -> Iterator[Diagnostic]:
    """A post cites lines or a file without a commit, and the cited source has changed or is gone.

    The checkout that `source_checkout` names shows it: the source on the day of the post is compared with the current
    source. Readers find something else there than the post describes. `--fix` pins links to the commit of the
    post's day; update a path in backticks, or make it a link.
    """
    for span, cited in _changed(evidence):
        if not _COMMIT.fullmatch(cited.source.ref):
            found = cited.found
            yield problems.stale_citation(span, str(cited.source.spot), found.state, _now(cited))


def changed_source(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link leads to a commit, and the source that it shows has moved or changed since.

    The link stays correct, and the post's page shows readers what has changed. This is for authors who want to update
    their posts.
    """
    for span, cited in _changed(evidence):
        if _COMMIT.fullmatch(cited.source.ref):
            yield problems.changed_source(span, str(cited.source.spot), cited.found.state, _now(cited))


def _changed(evidence: Evidence) -> Iterator[tuple[Span, Cited]]:
    """The cited source that has changed, and the positions of the citations."""
    known = evidence.derived.of(Sources).cited
    for text in evidence.sources:
        for cited in known.get(text.parsed.path, ()):
            if cited.found.state != "unchanged":
                yield Span(text.parsed.file, cited.line), cited


def _now(cited: Cited) -> str:
    """The current location of cited source; empty if it is unknown."""
    found = cited.found
    return f"{found.file}:{found.first}" if found.first else found.file


RULES = (stale_citation, changed_source)
