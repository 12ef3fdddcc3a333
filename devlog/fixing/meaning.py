"""Compares what a source says before and after fixes, most of which change how something is written, not its meaning.

Rules know what a fix is for, but not all that depends on the changed place: the anchors of other headings, or where a
link without markup ends. So the text is parsed again, and everything that its fixes are not for must be as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import zip_longest

from devlog.check.evidence import CheckedSource, Evidence
from devlog.check.tags import fold_tag
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Body, FrontMatter
from devlog.model.names import fold
from devlog.parse.html.tokens import Token, tokens

_OF_LINKS = frozenset({"image", "redirect", "params"})
"""The keys of front matter that may have links."""

_SET: Mapping[str, frozenset[str]] = {
    "no-front-matter": frozenset({"title", "date"}),
    "missing-title": frozenset({"title"}),
    "date-from-git": frozenset({"date"}),
    "unpadded-date": frozenset({"params"}),
    "authors-key": frozenset(),
    "missing-handle": frozenset(),
    "author-spelling": frozenset(),
    "tag-drift": frozenset(),
    "repeated-title": frozenset(),
    "own-url": frozenset(),
    "case-mismatch": _OF_LINKS,
    "broken-link": _OF_LINKS,
    "broken-image": _OF_LINKS,
    "moved-url": frozenset(),
    "unpinned-link": frozenset(),
}
"""The codes whose fixes keep the meaning of a source, each with the values of front matter that its fix sets.

All others, such as a key that was misspelt and those of plugins, may give a source another meaning.
"""

_SHOWN = frozenset({"moved-url", "unpinned-link"})
"""The codes that concern links whose target may be their text."""


def keeps_meaning(problem: Diagnostic) -> bool:
    """Whether the fix of a problem only changes how something is written."""
    return problem.code in _SET and not (problem.fix and problem.fix.rename)


def sources_of(evidence: Evidence | None, files: Iterable[str]) -> dict[str, CheckedSource]:
    """The sources that are some files, by file."""
    wanted = frozenset(files)
    return {text.parsed.file: text for text in (evidence.sources if evidence else ()) if text.parsed.file in wanted}


def destinations_of(evidence: Evidence | None, files: Iterable[str]) -> dict[str, Counter[str]]:
    """How often some files link to each page or file that the site has, by file."""
    found: dict[str, Counter[str]] = {file: Counter() for file in files}
    for permalink, uses in evidence.uses.items() if evidence else ():
        for use in uses if evidence and permalink in evidence.outputs else ():
            if use.text.parsed.file in found:
                found[use.text.parsed.file][permalink] += 1
    return found


def changed(before: CheckedSource, after: CheckedSource, fixed: Sequence[Diagnostic]) -> str:
    """What of a source has changed that its fixes are not for, in a few words; empty if nothing has.

    Args:
        before: the source before it was fixed.
        after: the same source after it.
        fixed: the problems that were fixed, all of which keep its meaning.
    """
    codes = {problem.code for problem in fixed}
    free = frozenset().union(*(_SET[code] for code in codes))
    old, new = _front_matter(before.parsed.front_matter), _front_matter(after.parsed.front_matter)
    key = next((key for key in old if key not in free and old[key] != new[key]), "")
    if key:
        return f"“{key}” in the front matter"
    if _anchors(before, removed="repeated-title" in codes) != _anchors(after):
        return "its anchors"
    if _targets(before, fixed) != _targets(after):
        return "its links"
    if not codes & _SHOWN and _text(before) != _text(after):
        return "its text"
    return ""


def shows_same(before: Body, after: Body, fixed: Iterable[Diagnostic], anchor: str = "") -> bool:
    """Whether two bodies have the same HTML, apart from the targets of links.

    Targets in the site are holes. Those elsewhere are part of the HTML, and may be the text of their links as well.

    Args:
        before: the body of a source before it was fixed.
        after: the body of the same source after it.
        fixed: the problems that were fixed.
        anchor: the anchor of a first heading that repeats the title; all that the body has of that heading.
    """
    codes = {problem.code for problem in fixed}
    old_html, new_html = _html(before), _html(after)
    if anchor and "repeated-title" in codes:
        old_html = old_html.replace(f'<a id="{escape(anchor)}"></a>\n', "", 1)
    if old_html == new_html:
        return True
    if not codes & _SHOWN:
        return False
    is_shown = False
    for old, new in zip_longest(tokens(old_html), tokens(new_html)):
        if old is None or new is None or (old.kind, old.name) != (new.kind, new.name):
            return False
        if old.kind == "start" and _without_urls(old) != _without_urls(new):
            return False
        if old.kind != "start" and old.text != new.text and not is_shown:
            return False
        is_shown = old.name == "a" and old.kind == "start" and old.values() != new.values()
    return True


def _html(body: Body) -> str:
    """The HTML of a body, with a text for each hole."""
    return "".join([piece if isinstance(piece, str) else escape(repr(piece)) for piece in body.pieces])


def _without_urls(tag: Token) -> dict[str, str]:
    """The attributes of a tag, without the values that have URLs of other sites."""
    return {name: "" if "//" in value else value for name, value in tag.values().items()}


def _front_matter(found: FrontMatter) -> dict[str, object]:
    """The values of front matter, without their positions, and without what spellings of one name differ in."""
    values = {name: getattr(found, name) for name in found.__struct_fields__ if name not in ("spans", "parts")}
    values["tags"] = [fold_tag(tag.name) for tag in found.tags]
    values["categories"] = [fold_tag(tag.name) for tag in found.categories]
    values["aliases"] = [alias.url for alias in found.aliases]
    values["authors"] = [(fold(author.name), author.url, author.team) for author in found.authors]
    return values


def _anchors(text: CheckedSource, *, removed: bool = False) -> frozenset[str]:
    """The anchors of a source, without that of its removed heading."""
    heading = text.facts.repeated_title if removed else None
    return frozenset(text.parsed.document.anchors).difference([heading.anchor] if heading else [])


def _targets(text: CheckedSource, fixed: Iterable[Diagnostic] = ()) -> Counter[tuple[str, str]]:
    """The targets of links and images in the text of a source, with their kinds.

    Args:
        text: the source.
        fixed: problems whose edits change the targets of links, each that of the links at its place.
    """
    edits = [edit for problem in fixed if problem.fix for edit in problem.fix.edits]
    new = {(edit.span, edit.old): edit.new for edit in edits}
    found = [(ref.kind, ref.target, ref.span) for ref in text.parsed.document.refs]
    found += [(outside.kind, outside.url, outside.span) for outside in text.facts.outside]
    return Counter((kind, new.get((span, target), target)) for kind, target, span in found)


def _text(text: CheckedSource) -> tuple[object, ...]:
    """What is known of what a source shows, apart from its anchors and links."""
    document = text.parsed.document
    diagrams = [(diagram.language, diagram.text) for diagram in document.diagrams]
    return (document.words, document.headings, document.excerpt, document.marks, diagrams, document.formulas)
