"""The post of a digest: its front matter and its text."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from devlog.features.digests.digest.text import fill
from devlog.features.digests.model.record import Record
from devlog.model.diagnostic import Span
from devlog.scaffold.writing import clean, yaml_list, yaml_text


def post_of(record: Record, root: Path) -> tuple[str, int]:
    """The post that a record makes.

    Args:
        record: all that the post is written from.
        root: the site's folder, for templates of its own.

    Returns:
        The post, and the number of the line with which its text begins.

    Raises:
        TemplateFailedError: the template cannot be filled.
    """
    text = record.text or fill(root, record.template, record.activity, date.fromisoformat(record.day))
    block = "\n".join(["---", *_front_matter(record), "---", "", ""])
    return block + text, block.count("\n") + 1


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
