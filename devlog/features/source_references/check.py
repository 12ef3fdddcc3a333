"""The source that texts cite: places that are no longer as they were when a text was written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.check.evidence import Evidence
from devlog.features.source_references import problems
from devlog.features.source_references.model.citation import Cited, Sources
from devlog.model.diagnostic import Diagnostic, Span

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def stale_citation(evidence: Evidence) -> Iterator[Diagnostic]:
    """A text cites lines or a file without a commit, and finds something else there now, or nothing.

    The clone that `source_checkout` names tells so: what stood there on the post's day is compared with what stands
    there now. Readers are led astray. `--fix` pins links to the commit of the post's day; a path in backticks has to be
    brought up to date, or linked.
    """
    for span, cited in _changed(evidence):
        if not _COMMIT.fullmatch(cited.source.ref):
            found = cited.found
            yield problems.stale_citation(span, str(cited.source.spot), found.state, _now(cited))


def changed_source(evidence: Evidence) -> Iterator[Diagnostic]:
    """A link leads to a commit, and what it shows is elsewhere now, or has changed.

    The link stays right, and the post's page tells readers what has become of the place. This is for whoever wants to
    bring posts up to date.
    """
    for span, cited in _changed(evidence):
        if _COMMIT.fullmatch(cited.source.ref):
            yield problems.changed_source(span, str(cited.source.spot), cited.found.state, _now(cited))


def _changed(evidence: Evidence) -> Iterator[tuple[Span, Cited]]:
    """The cited places that are no longer as they were, and where they are cited."""
    known = evidence.derived.of(Sources).cited
    for text in evidence.texts:
        for cited in known.get(text.parsed.path, ()):
            if cited.found.state != "unchanged":
                yield Span(text.parsed.file, cited.line), cited


def _now(cited: Cited) -> str:
    """Where a cited place is now; empty where nobody knows."""
    found = cited.found
    return f"{found.file}:{found.first}" if found.first else found.file


RULES = (stale_citation, changed_source)
