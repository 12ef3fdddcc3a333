"""Tags: one spelling for each, and only those that the site wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from devlog.check import problems
from devlog.check.evidence import Evidence
from devlog.model.diagnostic import Diagnostic, Edit, Fix
from devlog.model.document import Tag


def tag_drift(evidence: Evidence) -> Iterator[Diagnostic]:
    """A tag is spelt in two ways: `dynamic_shapes` and `dynamic-shapes`, `PT2` and `pt2`.

    Different letters between them make two pages of what is one tag. The spelling in `allowed` of `[tags]` counts, else
    the one that most posts use. `--fix` writes it, unless the post has both.
    """
    counts: dict[str, Counter[str]] = {}
    for text in evidence.texts:
        for tag in text.parsed.front_matter.tags:
            counts.setdefault(_fold(tag.name), Counter())[tag.name] += 1
    shown = {name for _, name in evidence.site.tags}
    usual = {key: _usual(names, shown) for key, names in counts.items()}
    usual |= {_fold(name): name for name in evidence.config.tags.allowed if _fold(name) in usual}
    for text in evidence.texts:
        own = {tag.name for tag in text.parsed.front_matter.tags}
        for tag in text.parsed.front_matter.tags:
            right = usual[_fold(tag.name)]
            if tag.name != right:
                twice = right in own
                yield problems.tag_drift(
                    tag.span, tag.name, right, None if twice else _renaming(tag, right), twice=twice
                )


def unknown_tag(evidence: Evidence) -> Iterator[Diagnostic]:
    """A tag is not among those that `allowed` in `[tags]` lists, if that lists any."""
    allowed = evidence.config.tags.allowed
    known = {_fold(name) for name in allowed}
    for text in evidence.texts if allowed else ():
        for tag in text.parsed.front_matter.tags:
            if _fold(tag.name) not in known and any(map(str.isalnum, tag.name)):  # else it is left out, as builds tell
                yield problems.unknown_tag(tag.span, tag.name, allowed)


def _usual(names: Mapping[str, int], shown: set[str]) -> str:
    """The spelling that most posts use; of equals, the one that pages show."""
    return min(names, key=lambda name: (-names[name], name not in shown, name))


def _renaming(tag: Tag, right: str) -> Fix | None:
    """Another spelling for a tag, where it stands as it is read and the new one means the same there."""
    exact = tag.span.length == len(tag.name) and not set(right) & set("#:,[]{}\"'&*!|>%@`")
    return Fix((Edit(tag.span, tag.name, right),)) if exact else None


@lru_cache(maxsize=8192)  # few tags, on many posts
def _fold(name: str) -> str:
    """What two spellings of one tag share."""
    return "".join(char for char in name.casefold() if char not in "-_ .")


RULES = (tag_drift, unknown_tag)
