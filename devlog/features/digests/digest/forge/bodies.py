"""Descriptions of pull requests: their prose, and the issues that they resolve. Markdown in, plain text out."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_RESOLVED = 20
"""So many resolved issues of a change are named."""

_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)")
_NO_PROSE = re.compile(r"[ \t]{0,20}(?:#{1,6}(?:\s|$)|[-*+]\s|\d{1,9}[.)]\s|>|\||!\[|<|={3,}|-{3,}|\*{3,})")
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)")
_LINK = re.compile(r"\[([^\]\n]{1,500})\]\([^)\n]{0,2000}\)")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,500}>")
_EMPHASIS = re.compile(r"\*\*|__|`")
_RESOLVES = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)\b:?[ \t]{1,5}"
    r"(?P<list>(?:(?:issues?[ \t]|,|and[ \t]|&|[ \t]){0,4}(?:https?://[^\s,;)]{1,300}|[\w./-]{0,200}\#\d{1,9}\b)){1,20})",
    re.IGNORECASE,
)
_ISSUE = re.compile(r"(?P<url>https?://[^\s,;)]{1,300})|(?P<other>[\w./-]{0,200})#(?P<number>\d{1,9})\b")
_AT_END = re.compile(r"/(?:-/)?(?:issues|work_items)/(?P<number>[1-9]\d{0,8})")


def prose_of(body: str) -> str:
    """A description without what is not prose: comments, code, headings, lists, quotes, tables, images and tags."""
    lines, is_code = list[str](), False
    for line in _without_comments(body).split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
            lines.append("")
        elif is_code or _NO_PROSE.match(line):
            lines.append("")
        else:
            text = _LINK.sub(r"\1", _IMAGE.sub("", line))
            lines.append(_EMPHASIS.sub("", _TAG.sub("", text)).rstrip())
    return "\n".join(lines)


def resolved(bodies: Iterable[str], page: str) -> tuple[str, ...]:
    """The issues that descriptions or commit messages say they resolve, such as ``#12``, each once.

    Args:
        bodies: the descriptions.
        page: the URL of the project; issues of others are left out.
    """
    name = page.split("/", 3)[3].lower() if page.count("/") >= 3 else ""
    found = dict[str, None]()
    for body in bodies:
        for match in _RESOLVES.finditer(_without_code(_without_comments(body))):
            for issue in _ISSUE.finditer(match["list"]):
                if number := _own(issue, page.lower(), name):
                    found[f"#{number}"] = None
    return tuple(found)[:MOST_RESOLVED]


def _own(issue: re.Match[str], page: str, name: str) -> int:
    """The number of an issue of the project itself; 0 for any other one."""
    if issue["url"]:
        url = issue["url"].rstrip(".:!?")
        ends = _AT_END.fullmatch(url, len(page)) if page and url.lower().startswith(f"{page}/") else None
        return int(ends["number"]) if ends else 0
    return int(issue["number"]) if issue["other"].lower() in ("", name) else 0


def _without_comments(body: str) -> str:
    """A text without HTML comments, in time that grows with its length alone."""
    parts, end = list[str](), 0
    while (start := body.find("<!--", end)) >= 0:
        parts.append(body[end:start])
        close = body.find("-->", start + 4)
        end = close + 3 if close >= 0 else len(body)
    return "".join([*parts, body[end:]])


def _without_code(body: str) -> str:
    lines, is_code = list[str](), False
    for line in body.split("\n"):
        is_fence = bool(_FENCE.match(line))
        is_code = is_code != is_fence
        if not is_code and not is_fence:
            lines.append(re.sub(r"`[^`\n]{1,500}`", "", line))
    return "\n".join(lines)
