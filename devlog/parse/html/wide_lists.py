"""Marks lists with long numbers in sanitized HTML, as the parser marks those of Markdown."""

from __future__ import annotations

import re

LAST_NARROW = 999
"""More digits do not fit beside the text on a phone."""

_TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)([^>"]*(?:"[^"]*"[^>"]*)*)>""")
_NUMBER = re.compile(r'\s(?:start|value)="\s*([+-]?\d{1,9})')
_MAY_BE_WIDE = re.compile(r'\s(?:start|value)="\s*[+-]?\d{2}')


def mark_wide_lists(html: str) -> str:
    """Give numbered lists whose numbers are long the class ``wide``.

    Args:
        html: a balanced fragment, as the sanitizer returns it.
    """
    if "<ol" not in html or (html.count("<li") <= LAST_NARROW and not _MAY_BE_WIDE.search(html)):
        return html
    wide: dict[int, re.Match[str]] = {}  # the tags of lists, by their position
    lists: list[tuple[re.Match[str], int]] = []  # those that are open, with their last number
    for tag in _TAG.finditer(html):
        closing, name, attributes = tag.groups()
        if name in ("ol", "ul"):
            if not closing:
                lists.append((tag, _number(attributes, 1) - 1))
            elif lists:
                lists.pop()
        elif name == "li" and lists and not closing:
            opened, last = lists[-1]
            number = _number(attributes, last + 1)
            lists[-1] = opened, number
            if opened[2] == "ol" and len(str(number)) > len(str(LAST_NARROW)):
                wide[opened.start()] = opened
    parts, end = list[str](), 0
    for start, tag in sorted(wide.items()):
        parts += (html[end:start], _marked(tag[0]))
        end = tag.end()
    return "".join([*parts, html[end:]])


def _number(attributes: str, default: int) -> int:
    found = _NUMBER.search(attributes)
    return int(found[1]) if found else default


def _marked(tag: str) -> str:
    """The tag of a list with the class; one that its author has marked stays as it is."""
    found = re.search(r'\sclass="([^"]*)', tag)
    if not found:
        return f'<ol class="wide"{tag[3:]}'
    return tag if "wide" in found[1].split() else f"{tag[: found.end()]} wide{tag[found.end() :]}"
