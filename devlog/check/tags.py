"""Rules about tags: one spelling for each, and only allowed ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Edit, Fix
from devlog.model.document import Tag
from devlog.model.short_texts import cache_of_short


def tag_drift(evidence: Evidence) -> Iterator[Diagnostic]:
    """A tag has two spellings: `dynamic_shapes` and `dynamic-shapes`, `PT2` and `pt2`.

    If they differ in the characters between words, the tag gets two pages. The spelling in `allowed` of `[tags]` is
    right, or else the one that most posts use. `--fix` writes it, unless the post has both, or its URL contains the
    tag.
    """
    separator = evidence.config.conventions.list_separator
    moves = ":categor" in evidence.config.permalinks.post  # the URLs of posts contain what counts as tags
    counts: dict[str, Counter[str]] = {}
    for text in evidence.sources:
        for tag in text.parsed.front_matter.tags:
            counts.setdefault(fold_tag(tag.name), Counter())[tag.name] += 1
    shown = {name for _, name in evidence.site.tags}
    usual = {key: _usual(names, shown) for key, names in counts.items()}
    usual |= {fold_tag(name): name for name in evidence.config.tags.allowed if fold_tag(name) in usual}
    for text in evidence.sources:
        own = {tag.name for tag in text.parsed.front_matter.tags}
        for tag in text.parsed.front_matter.tags:
            right = usual[fold_tag(tag.name)]
            if tag.name != right:
                twice = right in own
                fix = None if twice or moves else _renaming(tag, right, separator)
                yield problems.tag_drift(tag.span, tag.name, right, fix, twice=twice)


def spaced_tag(evidence: Evidence) -> Iterator[Diagnostic]:
    """`tags` is a single string with spaces, such as `tags: foo bar`, which is one tag.

    A list shows which words belong together: `tags: [foo, bar]` or `tags: [foo bar]`. Nothing is reported if another
    post has the same tag or `allowed` of `[tags]` lists it, nor in a site of Jekyll, where spaces separate tags.
    """
    if evidence.config.conventions.list_separator == " ":
        return
    known = Counter(tag.name for text in evidence.sources for tag in text.parsed.front_matter.tags)
    known.update(evidence.config.tags.allowed)
    for text in evidence.sources:
        block = text.facts.block
        for key in block.keys if block and block.language == "yaml" else ():
            if key.name.lower() == "tags" and " " in key.value.strip() and known[key.value] == 1:
                yield problems.spaced_tag(key.value_span, key.value)


def unknown_tag(evidence: Evidence) -> Iterator[Diagnostic]:
    """A tag is not in `allowed` of `[tags]`, if that lists any."""
    allowed = evidence.config.tags.allowed
    known = {fold_tag(name) for name in allowed}
    for text in evidence.sources if allowed else ():
        for tag in text.parsed.front_matter.tags:
            if fold_tag(tag.name) not in known and any(
                map(str.isalnum, tag.name)
            ):  # builds remove and report other tags
                yield problems.unknown_tag(tag.span, tag.name, allowed)


def _usual(names: Mapping[str, int], shown: set[str]) -> str:
    """The spelling that most posts use; of equals, the one that pages show."""
    return min(names, key=lambda name: (-names[name], name not in shown, name))


def _renaming(tag: Tag, right: str, separator: str) -> Fix | None:
    """A fix that changes the spelling of a tag, if it is in the file as parsed and the new one means the same there.

    Args:
        tag: the tag.
        right: its right spelling.
        separator: what stands between tags that are written as one string.
    """
    marked = bool(set(right) & set("#:,[]{}\"'\\&*!|>%@`")) or right.startswith(("-", "?")) or not right.isprintable()
    empty = right.casefold() in ("null", "~")  # without quotes
    splits = separator in right and separator not in tag.name
    exact = tag.span.length == len(tag.name)
    return Fix((Edit(tag.span, tag.name, right),)) if exact and not (marked or empty or splits) else None


@cache_of_short(8192)  # many posts share few tags
def fold_tag(name: str) -> str:
    """The form that all spellings of a tag share; a version, such as 1.12, stays another one than 11.2."""
    return _SEPARATOR.sub(lambda found: "." if found[1] else "", name.casefold())


_SEPARATOR = re.compile(r"((?<=\d)[-_ .]+(?=\d))|[-_ .]+")
"""What stands between words; in the group, what stands between numbers."""


RULES = (tag_drift, spaced_tag, unknown_tag)
