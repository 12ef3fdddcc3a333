"""Rules about Markdown that is valid, but probably not what was meant. The parser notes such doubts."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.check_facts import Doubt
from devlog.model.diagnostic import Diagnostic


def unknown_emoji(evidence: Evidence) -> Iterator[Diagnostic]:
    """The name of an emoji is misspelled, as in `:rokcet:`, so that it is shown as text.

    Names that are not similar to that of any emoji are not reported.
    """
    for doubt in _doubts(evidence, "unknown-emoji"):
        yield problems.unknown_emoji(doubt.span, doubt.text, doubt.meant)


def stray_asterisks(evidence: Evidence) -> Iterator[Diagnostic]:
    """`**` before or after a word is shown as text, because the other one is missing or not at a word.

    Bold text begins with `**` directly before its first character and ends with `**` directly after its last one, in
    the same paragraph. Exponents, pointers, globs and `**kwargs` are not reported.
    """
    for doubt in _doubts(evidence, "stray-asterisks"):
        yield problems.stray_asterisks(doubt.span)


def missing_cells(evidence: Evidence) -> Iterator[Diagnostic]:
    """A row of a table has fewer cells than its header.

    The missing cells are shown empty. A line of text directly below a table is part of it, too.
    """
    for doubt in _doubts(evidence, "missing-cells"):
        yield problems.missing_cells(doubt.span, doubt.text)


def _doubts(evidence: Evidence, code: str) -> Iterator[Doubt]:
    """The doubts with a code in all sources."""
    return (doubt for source in evidence.sources for doubt in source.facts.doubts if doubt.code == code)


RULES = (unknown_emoji, stray_asterisks, missing_cells)
