"""Reads configurations of other generators: TOML, YAML and JSON as one type of tree, with the line of each key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from devlog.adopt import problems
from devlog.adopt.notebook_heads import heads_in
from devlog.adopt.survey import NOTEBOOK, Survey, UnreadableError
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.front_matter.block import json_block_end
from devlog.parse.front_matter.json_tree import read_json
from devlog.parse.front_matter.toml_tree import read_toml
from devlog.parse.front_matter.tree import Entry, Mapping, Node, Scalar, Sequence
from devlog.parse.front_matter.yaml_events import read_yaml

SUFFIXES = ("toml", "yaml", "yml", "json")
_DEPTH = 32
_LONGEST = 500
"""How many characters of the name of a table are in those of its keys; no variable of Liquid has more."""
_LANGUAGES = {"toml": "TOML", "yaml": "YAML", "yml": "YAML", "json": "JSON"}
_FATAL = frozenset({"front-matter-syntax", "front-matter-too-deep"})

_FENCED = re.compile(
    r"\s*^(---|\+\+\+)[ \t]*(?P<language>ya?ml|toml|json)?[ \t]*\n(?P<block>.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL
)

EMPTY = Mapping((), Span(""))
Path = tuple[str, ...]


class Found(NamedTuple):
    """A value, its key as written, such as ``params.description``, and the span of the key."""

    key: str
    span: Span
    node: Node

    @property
    def text(self) -> str:
        """The value as text without line breaks; empty for a list or a table."""
        if not isinstance(self.node, Scalar) or self.node.is_null:
            return ""
        return " ".join(self.node.text.split())

    @property
    def is_on(self) -> bool:
        """Whether the value is true."""
        return self.text.lower() in ("true", "yes", "on")

    @property
    def number(self) -> int | None:
        """The value as a whole number."""
        digits = self.text.removeprefix("-")
        return int(self.text) if digits.isdecimal() and len(digits) < 10 else None

    @property
    def items(self) -> tuple[Node, ...]:
        """The values of a list; a single value counts as a list of one."""
        if isinstance(self.node, Sequence):
            return self.node.items
        return (self.node,) if isinstance(self.node, Scalar) and not self.node.is_null else ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The non-empty strings of a list."""
        return tuple(item.text for item in self.items if isinstance(item, Scalar) and item.text)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The keys of a table."""
        return self.node.entries if isinstance(self.node, Mapping) else ()


def read_tree(survey: Survey, file: str) -> tuple[Mapping, tuple[Diagnostic, ...]]:
    """Read a configuration file.

    Args:
        survey: the files of the site.
        file: the name of the file, whose extension determines the language.

    Returns:
        Its keys, and the problems if it cannot be read. Other problems, such as a key that is set twice, are ignored,
        since the generator that the file was written for accepts them.
    """
    text = survey.text(file)
    if isinstance(text, Diagnostic):
        return EMPTY, (text,)
    node, found = _configured(text, file)
    wrong = _unread(found, file)
    return EMPTY if wrong else node, wrong


def read_list(survey: Survey, file: str) -> Mapping:
    """The keys of a file that may say what is not published, with bytes that are not UTF-8 replaced.

    Raises:
        UnreadableError: if a part of it cannot be read.
    """
    node, found = _configured(survey.head(file), file)
    if wrong := _unread(found, file):
        raise UnreadableError(*wrong)
    return node


def _configured(text: str, file: str) -> tuple[Mapping, tuple[Diagnostic, ...]]:
    node, found = _read(text, file, 1, file.rpartition(".")[2].lower())
    return node if isinstance(node, Mapping) else EMPTY, found


def _unread(found: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """The problems of a configuration because of which its generator cannot read it either, and unread aliases of YAML.

    Without a word, the value of an alias would be missing, which may be the folder of the posts, or what to leave out.
    """
    language, listed = _LANGUAGES[file.rpartition(".")[2].lower()], tuple(found)
    aliases = [item.span for item in listed if item.code == "yaml-feature" and item.message.startswith("an alias")]
    fatal = (item for item in listed if item.code in _FATAL)
    reasons = ((item.span, item.message.partition(": ")[2] or item.message) for item in fatal)
    return (
        *(problems.foreign_config(span, language, reason) for span, reason in reasons),
        *map(problems.foreign_alias, aliases[:1]),
    )


def read_head(survey: Survey, file: str) -> Mapping:
    """The keys of a file's front matter; none if it has none, or one that the trial build reports as wrong."""
    text = survey.head(file)
    if file.lower().endswith(NOTEBOOK):
        return merged(*(_head(head.text, file, head.line) for head in heads_in(text)))
    return _head(text, file, 1)


def _head(text: str, file: str, line: int) -> Mapping:
    """The keys of the front matter of a text that begins in a line of a file."""
    fenced, end = _FENCED.match(text), json_block_end(text)
    if fenced:
        line += text.count("\n", 0, fenced.start("block"))
        language = fenced["language"] or ("yaml" if fenced[1] == "---" else "toml")
        node, _ = _read(fenced["block"].rstrip(), file, line, language)
    else:
        node, _ = read_json(text[:end], file, line, _DEPTH) if end > 0 else (EMPTY, ())
    return node if isinstance(node, Mapping) else EMPTY


def _read(text: str, file: str, line: int, suffix: str) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    if suffix == "toml":
        return read_toml(text, file, line, _DEPTH)
    if suffix == "json":
        return read_json(text, file, line, _DEPTH)
    return read_yaml(text, file, line, _DEPTH, aliases=True)


def merged(*trees: Mapping) -> Mapping:
    """Trees merged into one; values of later ones take precedence. Keys are compared ignoring case.

    All are merged at once: one after the other, each would be copied as often as there are files after it.
    """
    if not trees:
        return EMPTY
    same: dict[str, list[Entry]] = {}
    for tree in trees:
        for name, entry in {entry.key.text.lower(): entry for entry in tree.entries}.items():
            same.setdefault(name, []).append(entry)
    return Mapping(tuple(map(_merged_entry, same.values())), trees[-1].span)


def _merged_entry(entries: list[Entry]) -> Entry:
    """The last of several entries of one key; if it is a table, with what is in the tables right before it."""
    tables = [entry.value for entry in takewhile(lambda entry: isinstance(entry.value, Mapping), reversed(entries))]
    below = [table for table in reversed(tables) if isinstance(table, Mapping)]
    return Entry(entries[-1].key, merged(*below)) if len(below) > 1 else entries[-1]


def under(path: Iterable[str], node: Mapping, file: str) -> Mapping:
    """A tree that contains another one under a path of keys."""
    for key in reversed(tuple(path)):
        node = Mapping((Entry(Scalar(key, Span(file, 1)), node),), Span(file, 1))
    return node


def get(tree: Node, path: Path) -> Found | None:
    """The value under a path of keys, ignoring case; `None` if there is none."""
    names: list[str] = []
    span = tree.span
    for part in path:
        if not isinstance(tree, Mapping):
            return None
        entry = tree.by_name.get(part.lower())
        if entry is None:
            return None
        names.append(entry.key.text)
        tree, span = entry.value, entry.key.span
    return Found(".".join(names), span, tree)


def leaves(tree: Mapping, path: Path = (), name: str = "") -> Iterator[tuple[Path, Found]]:
    """All values of a tree except non-empty tables, each with its path in lower case."""
    for entry in tree.entries:
        own = (*path, entry.key.text.lower())
        key = within(name, entry.key.text) if name else entry.key.text
        if isinstance(entry.value, Mapping) and entry.value.entries:
            yield from leaves(entry.value, own, key)
        else:
            yield own, Found(key, entry.key.span, entry.value)


def spans_in(node: Node) -> Iterator[Span]:
    """The spans of the keys and values at any depth in a value."""
    for item in node.items if isinstance(node, Sequence) else ():
        yield item.span
        yield from spans_in(item)
    for entry in node.entries if isinstance(node, Mapping) else ():
        yield entry.key.span
        yield from spans_in(entry.value)


def within(table: str, key: str) -> str:
    """The name of a key in a table, such as ``params.description``; that of the table is cut if it is too long.

    Each of its keys has a copy, so that a long one would take all memory.
    """
    return f"{table if len(table) <= _LONGEST else table[: _LONGEST - 1] + '…'}.{key}"
