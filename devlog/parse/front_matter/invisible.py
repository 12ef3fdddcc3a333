"""Characters that nobody sees in the values of front matter and of the authors file, and that are left out."""

from __future__ import annotations

import re

from devlog.model.diagnostic import Diagnostic
from devlog.model.directional_controls import without_directions
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def without_invisible(node: Node, where: str = "the front matter") -> tuple[Node, list[Diagnostic]]:
    """The tree without control characters that come from escapes such as ``\\u0000``, and without characters that would
    change the direction of what is beside a value; and the problems found.

    Args:
        node: the tree.
        where: what it was read from, as messages name it.
    """
    found: list[Diagnostic] = []
    if isinstance(node, Scalar):
        text, turning = without_directions(node.text)
        if turning:
            found.append(problems.direction_in_front_matter(node.span, turning))
            node = Scalar(text, node.span, node.plain)
        match = CONTROL.search(node.text)
        if match is None:
            return node, found
        found.append(problems.control_in_front_matter(node.span, match[0], where))
        return Scalar(CONTROL.sub(" ", node.text), node.span, node.plain), found
    if isinstance(node, Sequence):
        items = []
        for item in node.items:
            cleaned, more = without_invisible(item, where)
            items.append(cleaned)
            found += more
        return Sequence(tuple(items), node.span), found
    entries = []
    for entry in node.entries:
        key, of_key = without_invisible(entry.key, where)
        value, of_value = without_invisible(entry.value, where)
        found += [*of_key, *of_value]
        if isinstance(key, Scalar):
            entries.append(Entry(key, value))
    return Mapping(tuple(entries), node.span), found
