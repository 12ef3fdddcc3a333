"""Front matter of digests: the table ``digest``, which says how a post was made."""

from __future__ import annotations

from typing import Any

from devlog.features.digests import problems
from devlog.features.digests.model.provenance import MOST_AUTHORS, Provenance
from devlog.model.diagnostic import Diagnostic
from devlog.parse.front_matter import values
from devlog.parse.front_matter.tree import Entry


def read_provenance(field: str, entry: Entry) -> tuple[str | tuple[str, ...], list[Diagnostic]]:
    """Read a key of the table.

    Args:
        field: of `devlog.features.digests.model.provenance.Provenance`.
        entry: the key and its value.

    Returns:
        The value, empty if there is none, and problems with it.
    """
    if field == "authors":
        names, wrong = values.strings_of(entry, "")
        return tuple(name.text.strip() for name in names[:MOST_AUTHORS]), [*wrong]
    text = values.line_of(entry)
    if isinstance(text, Diagnostic):
        return "", [problems.bad_digest_key(text.span, entry.key.text)]
    return text, []


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each key of the table."""
    names = {"type": ["array", "string"], "items": {"type": "string"}}
    return {field: {"type": ["string", "number"]} for field in Provenance.__struct_fields__} | {"authors": names}
