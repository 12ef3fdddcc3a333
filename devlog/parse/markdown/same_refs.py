"""Merges equal references of a body: a long URL can be defined once and used thousands of times.

Limits of expansion apply to the page of one post. References are in memory for all posts of a site at once, with what
they lead to and what is wrong with them, so their targets must not be much longer than the text that they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from devlog.model.check_facts import Outside
from devlog.model.diagnostic import Span
from devlog.model.document import LABEL, Body, Image, Ref

_Reference = TypeVar("_Reference", Ref, Outside)

_ALWAYS = 16 << 10
_FACTOR = 2

_NOWHERE = Span("")


def merge_refs(body: Body, refs: Sequence[Ref], length: int) -> tuple[Body, tuple[Ref, ...]]:
    """Give equal holes of a body the same reference.

    Args:
        body: the body.
        refs: the reference of each of its holes.
        length: the length of its text as written.

    Returns:
        The body, and its different references, in the order of their first holes.
    """
    keys = _keys(refs, lambda ref: ref.target, length)
    firsts = _firsts(keys, refs)
    if len(firsts) == len(refs):
        return body, tuple(refs)
    numbers = {key: number for number, key in enumerate(firsts)}
    of_holes = {hole: numbers[key] for hole, key in enumerate(keys)}
    return _renumbered(body, of_holes), tuple(firsts.values())


def merge_outside(links: Sequence[Outside], length: int) -> tuple[Outside, ...]:
    """The different links of a body to other sites, in the order of their first uses.

    Args:
        links: the links.
        length: the length of its text as written.
    """
    return tuple(_firsts(_keys(links, lambda link: link.url, length), links).values())


def _keys(
    references: Sequence[_Reference], target_of: Callable[[_Reference], str], length: int
) -> Sequence[_Reference]:
    """What makes each reference differ from others.

    It is where they are, too, unless their targets are longer than a text of this length can spell out.
    """
    if sum([len(target_of(one)) for one in set(references)]) <= max(_ALWAYS, _FACTOR * length):
        return references
    return [msgspec.structs.replace(one, span=_NOWHERE) for one in references]


def _firsts(keys: Sequence[_Reference], references: Sequence[_Reference]) -> dict[_Reference, _Reference]:
    """The first reference with each key, in order."""
    found: dict[_Reference, _Reference] = {}
    for key, one in zip(keys, references, strict=True):
        found.setdefault(key, one)
    return found


def _renumbered(body: Body, numbers: Mapping[int, int]) -> Body:
    """A body whose holes have other numbers."""
    pieces = list(body.pieces)
    for index, piece in enumerate(pieces):
        if isinstance(piece, Image):
            pieces[index] = Image(numbers[piece.ref], piece.start, piece.end)
        elif isinstance(piece, int):
            pieces[index] = numbers[piece]
    markdown = [numbers.get(piece, LABEL) if isinstance(piece, int) else piece for piece in body.markdown]
    return Body(tuple(pieces), tuple(markdown))
