"""The post of a digest: its front matter and its text."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import NamedTuple

from devlog.features.digests.digest.text import Filled, fill
from devlog.features.digests.model.record import Record
from devlog.model.diagnostic import Span
from devlog.scaffold.writing import clean, yaml_list, yaml_text


class Post(NamedTuple):
    """A digest as a post.

    Attributes:
        text: the post.
        first: the line with which the text after its front matter begins.
        unnamed: the numbers of items that the lists of its template count instead of naming them.
    """

    text: str
    first: int
    unnamed: frozenset[int]


def post_of(record: Record, root: Path) -> Post:
    """The post that a record makes.

    Args:
        record: all that the post is written from.
        root: the folder in whose ``templates/`` the site's own templates are.

    Raises:
        TemplateFailedError: the template cannot be filled.
    """
    day = date.fromisoformat(record.day)
    body = Filled(record.text) if record.text else fill(root, record.template, record.activity, day)
    block = "\n".join(["---", *_front_matter(record), "---", "", ""])
    return Post(block + body.text, block.count("\n") + 1, body.unnamed)


def _front_matter(record: Record) -> list[str]:
    head, provenance = record.head, record.provenance
    lines = [f"title: {_line(head.title)}", f"description: {_line(head.description)}", *head.author]
    lines += [f"tags: {yaml_list(head.tags)}"] if head.tags else []
    lines += ["draft: true"] if head.draft else []
    lines += [f"ai: {_line(head.ai)}"] if head.ai else []
    named = [(field, getattr(provenance, field)) for field in provenance.__struct_fields__]
    written = [
        (field, yaml_list(value) if isinstance(value, tuple) else _line(value)) for field, value in named if value
    ]
    return [*lines, "digest:", *(f"  {field}: {value}" for field, value in written)]


def _line(text: str) -> str:
    return yaml_text(clean(text, Span(""))[0])
