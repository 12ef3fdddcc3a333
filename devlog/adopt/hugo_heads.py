"""Finds files whose front matter only Hugo and Zola read: devlog would publish it as text, and that of drafts, too."""

from __future__ import annotations

import re

from devlog.adopt.adoption import Draft
from devlog.adopt.ignoring import SOURCES, content_of, ignore_until
from devlog.adopt.survey import Survey
from devlog.parse.front_matter.block import json_block_end
from devlog.parse.front_matter.json_tree import read_json
from devlog.parse.front_matter.toml_tree import read_toml
from devlog.parse.front_matter.tree import Mapping
from devlog.parse.front_matter.yaml_events import read_yaml

# Hugo skips blanks anywhere before front matter, and its older versions each line that begins a comment.
_OPENING = re.compile(
    r"(?P<before>(?:[ \t\n\ufeff]|<!--[^\n]*\n)*)(?:(?P<fence>---|\+\+\+)(?P<rest>[^\n]*)|(?P<brace>\{)|#\+)"
)
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
_ALONE = re.compile(r"[ \t]*(?:[a-z]+5?)?[ \t]*")


def unread_heads(draft: Draft, survey: Survey) -> None:
    """Ignore the files whose front matter devlog does not read, and report each."""
    content = content_of(draft)
    files = survey.below(content, SOURCES)
    ignore_until(draft, content, {file: wanted for file in files if (wanted := _wanted(survey.head(file), file))})


def _wanted(text: str, file: str) -> str:
    """What makes devlog read front matter that only Hugo reads; empty if devlog does, too, or there is none."""
    opening = _OPENING.match(text)
    if not opening:
        return ""
    fence, is_usual = opening["fence"], _BLANK_LINES.fullmatch(opening["before"])
    if not (fence or opening["brace"]):
        return "it is between lines “---”, and no longer behind “#+”"
    if is_usual and not (fence and not _ALONE.fullmatch(opening["rest"])):
        return ""
    if not _has_keys(text, file, opening):
        return ""
    if "<!--" in opening["before"]:
        return "it is at the top, and in no comment"
    return "the first line has nothing in front of it" if not is_usual else f"the line “{fence}” has nothing else"


def _has_keys(text: str, file: str, opening: re.Match[str]) -> bool:
    """Whether what follows is front matter, and not text between two lines of dashes."""
    fence = opening["fence"]
    if not fence:
        start = opening.start("brace")
        end = json_block_end(text[start:])
        return end > 0 and bool(read_json(text[start : start + end], file, 1)[0].entries)
    end = text.find(f"\n{fence}", opening.start("rest"))
    if end < 0:
        return False
    read = read_yaml if fence == "---" else read_toml
    node, wrong = read(text[opening.start("rest") : end], file, 1)
    return bool(wrong) or (isinstance(node, Mapping) and bool(node.entries))  # what is wrong may say anything
