"""Code blocks that can be drawn as diagrams: their languages and alt texts."""

from __future__ import annotations

import re

COMMON = frozenset({"mermaid", "d2", "dot", "graphviz", "plantuml", "puml"})
"""Languages that are drawn without configuration, if a program for them is installed."""

_ALT = re.compile(r"""(?<![\w-])alt\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TITLE = re.compile(r"^[ \t]*accTitle[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^[ \t]*accDescr[ \t]*(?::[ \t]*(\S.*)$|\{([^}]*)\})", re.MULTILINE)


def alternative(language: str, text: str, info: str) -> str:
    """The alt text of a diagram; empty if neither the fence nor the diagram has one.

    Args:
        language: the language of the diagram.
        text: the source of the diagram.
        info: the info string of the fence: an ``alt="…"`` in it takes precedence.
    """
    given = _ALT.search(info)
    if given:
        return (given[1] or given[2] or "").strip()
    if language != "mermaid":
        return ""
    title, description = _TITLE.search(text), _DESCRIPTION.search(text)
    found = [title[1] if title else "", (description[1] or description[2] or "") if description else ""]
    return ": ".join(" ".join(part.split()) for part in found if part.strip())
