"""Code blocks that can be shown as pictures."""

from __future__ import annotations

import re

COMMON = frozenset({"mermaid", "d2", "plantuml", "puml"})
"""Languages in which nothing but pictures is written: that a site does not have them drawn is worth a word."""

_ALT = re.compile(r"""(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TITLE = re.compile(r"^[ \t]*accTitle[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^[ \t]*accDescr[ \t]*(?::[ \t]*(\S.*)$|\{([^}]*)\})", re.MULTILINE)


def alternative(language: str, text: str, info: str) -> str:
    """What stands for a diagram where it is not seen; empty if neither the fence nor the diagram says what it shows.

    Args:
        language: of the diagram.
        text: the diagram.
        info: what stands behind the fence: ``alt="…"`` counts first.
    """
    given = _ALT.search(info)
    if given:
        return (given[1] or given[2] or "").strip()
    if language != "mermaid":
        return ""
    title, description = _TITLE.search(text), _DESCRIPTION.search(text)
    found = [title[1] if title else "", (description[1] or description[2] or "") if description else ""]
    return ": ".join(" ".join(part.split()) for part in found if part.strip())
