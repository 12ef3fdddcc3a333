"""Finds what a template that extends another has, and what is never rendered: Jinja says nothing about either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from jinja2 import nodes

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.theme import Template
from devlog.render import problems


class Blocks(msgspec.Struct, frozen=True):
    """The blocks of a template, and what is outside of them.

    Attributes:
        extends: the template that it extends; empty if there is none, or its name is computed.
        names: the names of all its blocks.
        outer: the blocks that are inside no other block, with their lines.
        called: the blocks that it renders by name, as in ``{{ self.title() }}``.
        calls_any: whether it may render any block, as in ``{{ self[name]() }}``.
        loose: the first line of each text that is outside of blocks, after the tag that extends the other template.
    """

    extends: str = ""
    names: frozenset[str] = frozenset()
    outer: tuple[tuple[str, int], ...] = ()
    called: frozenset[str] = frozenset()
    calls_any: bool = False
    loose: tuple[int, ...] = ()


def blocks_of(tree: nodes.Template, found: list[nodes.Node]) -> Blocks:
    """The blocks of a template.

    Args:
        tree: the template.
        found: all nodes of it.
    """
    blocks = [node for node in found if isinstance(node, nodes.Block)]
    inner = {id(node) for block in blocks for node in block.find_all(nodes.Block)}
    names = frozenset(block.name for block in blocks)
    outer = tuple((block.name, block.lineno) for block in blocks if id(block) not in inner)
    by_name = [node for node in found if isinstance(node, nodes.Getattr) and _is_self(node.node)]
    called = frozenset(node.attr for node in by_name)
    calls_any = sum(map(_is_self, found)) > len(by_name)
    for index, node in enumerate(tree.body):
        if isinstance(node, nodes.Extends) and isinstance(node.template, nodes.Const):
            return Blocks(
                str(node.template.value), names, outer, called, calls_any, tuple(_loose(tree.body[index + 1 :]))
            )
    return Blocks("", names, outer, called, calls_any)


def _is_self(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "self"


def _loose(body: list[nodes.Node]) -> Iterator[int]:
    for node in body:
        for text in node.nodes if isinstance(node, nodes.Output) else ():
            if isinstance(text, nodes.TemplateData) and text.data.strip():
                before = text.data[: -len(text.data.lstrip())]
                yield text.lineno + before.count("\n")


def never_rendered(templates: Sequence[Template], blocks: Mapping[str, Blocks]) -> Iterator[Diagnostic]:
    """Warnings about the parts of templates that no page shows.

    Args:
        templates: all templates of a theme.
        blocks: the blocks of those that can be read, by their names.
    """
    called = frozenset[str]().union(*(own.called for own in blocks.values()))
    calls_any = any(own.calls_any for own in blocks.values())
    for template in templates:
        own = blocks.get(template.name, Blocks())
        known = _inherited(template.name, templates, blocks) if own.extends else None
        if known is None:
            continue
        for name, line in own.outer:
            if name not in known | called and not calls_any:
                yield problems.unknown_block(Span(template.file, line), name, own.extends, sorted(known))
        for line in own.loose:
            yield problems.outside_blocks(Span(template.file, line), own.extends)


def _inherited(name: str, templates: Sequence[Template], blocks: Mapping[str, Blocks]) -> frozenset[str] | None:
    """The blocks that a template can fill; `None` if one that it extends is missing, which is reported.

    Those of a template that the site replaces count too: its own one may leave out a block that others still fill.
    """
    known, seen, waiting = frozenset[str](), {name}, [blocks[name].extends]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        if current not in blocks:
            return None
        known |= blocks[current].names
        waiting += [other.name for other in templates if other.is_replaced and other.name.endswith(f"/{current}")]
        waiting += filter(None, [blocks[current].extends])
    return known
