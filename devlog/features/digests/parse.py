"""Front matter of digests: the table ``digest``, which says how a post was made."""

from __future__ import annotations

from devlog.features.digests import problems
from devlog.model.diagnostic import Diagnostic
from devlog.parse.front_matter import values
from devlog.parse.front_matter.tree import Entry


def read_provenance(_field: str, entry: Entry) -> tuple[str, list[Diagnostic]]:
    """Read a key of the table.

    Args:
        _field: of `devlog.features.digests.model.provenance.Provenance`.
        entry: the key and its value.

    Returns:
        The value, empty if there is none, and problems with it.
    """
    text = values.line_of(entry)
    if isinstance(text, Diagnostic):
        return "", [problems.bad_digest_key(text.span, entry.key.text)]
    return text, []
