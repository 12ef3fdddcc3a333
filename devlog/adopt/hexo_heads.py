"""Finds posts of Hexo whose front matter devlog does not read: it would be published as text, that of drafts, too."""

from __future__ import annotations

import re

from devlog.adopt.adoption import Draft
from devlog.adopt.foreign import read_head
from devlog.adopt.ignoring import SOURCES, content_of, ignore_until
from devlog.adopt.survey import Survey
from devlog.parse.front_matter.tree import Mapping
from devlog.parse.front_matter.yaml_events import read_yaml

_FENCE = re.compile(r"-{3,}|;{3,}")
_END = re.compile(r"\n(-{3,}|;{3,})")
_USUAL = re.compile(r"\s*^---[ \t]*$", re.MULTILINE)


def unread_heads(draft: Draft, survey: Survey) -> None:
    """Ignore the posts whose front matter only Hexo reads, and report each.

    Args:
        draft: receives the setting and the notes.
        survey: the files of the site.
    """
    content = content_of(draft)
    files = survey.below(content, SOURCES)
    ignore_until(draft, content, {file: wanted for file in files if (wanted := _wanted(survey, file))})


def _wanted(survey: Survey, file: str) -> str:
    """What makes devlog read front matter that only Hexo reads; empty if devlog does, too, or there is none."""
    text = survey.head(file)
    if _USUAL.match(text) or read_head(survey, file).entries:
        return ""
    if opening := _FENCE.match(text):
        fence, start = opening[0], opening.end() + 1
        is_closed = text.startswith(f"{fence}\n") and text.find(f"\n{fence}", start + 1) > 0
        return _between(fence, "the lines around it are “---”") if is_closed else ""
    if end := _END.search(text, 1):  # Hexo needs no line above it
        block, fence = text[: end.start()], end[1]
        # What Hexo cannot read here, such as text above a line of dashes, it does not publish either.
        node, wrong = read_yaml(block, file, 1)
        is_taken = isinstance(node, Mapping) or wrong or fence[0] == ";"
        return _between(fence, "it has a line “---” above it, too") if is_taken else ""
    return ""


def _between(fence: str, wanted: str) -> str:
    return "it is in braces instead of “;;;”, as JSON" if fence[0] == ";" else wanted
