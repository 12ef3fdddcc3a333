"""Cleans and quotes values for front matter and configuration, so that devlog reads back the same value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from yaml import ScalarNode
from yaml.resolver import Resolver

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.document import Byline, FrontMatter
from devlog.model.source import Source
from devlog.parse import problems
from devlog.parse.front_matter.authors import parse_authors
from devlog.parse.front_matter.block import read_front_matter

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PLAIN = re.compile(r"[^\W_][^\n]*")
_TEXT = "tag:yaml.org,2002:str"


def clean(text: str, span: Span) -> tuple[str, tuple[Diagnostic, ...]]:
    """A text on one line, without control and other invalid characters; and warnings about those."""
    line = " ".join(text.split())
    wrong = sorted(set(_CONTROL.findall(line)))
    kept = " ".join(_CONTROL.sub("", line).split())
    return kept, tuple(problems.control_character(span, character) for character in wrong)


def yaml_text(text: str, *, listed: bool = False) -> str:
    """A text as a YAML value: plain if every YAML parser reads it as that text, else in quotes.

    Args:
        text: on one line, without control characters.
        listed: whether it is an item of a list in brackets.
    """
    if _PLAIN.fullmatch(text) and not (listed and re.search(r"[][{},]", text)) and _is_plain(text, listed=listed):
        return text
    return json.dumps(text, ensure_ascii=False)


def _is_plain(text: str, *, listed: bool) -> bool:
    if Resolver().resolve(ScalarNode, text, (True, False)) != _TEXT:  # type: ignore[no-untyped-call]
        return False  # devlog reads it as text, but others as a number, a date or a Boolean
    front, found = _read(f"tags: [{text}]" if listed else f"title: {text}")
    read = [tag.name for tag in front.tags] if listed else [front.title]
    return not found and read == [text]


def _read(block: str) -> tuple[FrontMatter, tuple[Diagnostic, ...]]:
    front, _, _, found, *_ = read_front_matter(Source("new.md", "new.md", f"---\n{block}\n---\n"))
    return front, found


def yaml_list(texts: Iterable[str]) -> str:
    """A list of texts as a YAML value."""
    return f"[{', '.join(yaml_text(text, listed=True) for text in texts)}]"


def byline_text(authors: Sequence[Byline]) -> str:
    """Authors as people write them; empty if this would be parsed as different authors."""
    text = ", ".join(author.spelling for author in authors)
    read = parse_authors(text, Span(""))
    return text if [_facts(author) for author in read] == [_facts(author) for author in authors] else ""


def author_lines(authors: Sequence[Byline]) -> list[str]:
    """The YAML lines of a front matter that name authors."""
    if not authors:
        return []
    text = byline_text(authors)
    if text:
        return [f"author: {yaml_text(text)}"]
    lines = ["authors:"]
    for author in authors:
        facts = [("name", author.name), ("handle", author.handle), ("url", author.url), ("affiliation", author.aside)]
        marked = [f"{key}: {yaml_text(value)}" for key, value in facts if value]
        lines += [f"  {'-' if number == 0 else ' '} {line}" for number, line in enumerate(marked)]
    return lines


def _facts(author: Byline) -> tuple[str, str, str, str]:
    return author.name, author.handle, author.aside, author.url


def toml_text(text: str) -> str:
    """A text, on one line and without control characters, as a TOML value."""
    return json.dumps(text, ensure_ascii=False)
