"""Templates of posts: a file of the topic in which a few placeholders are replaced, and nothing else."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from devlog.disk.folder import is_there
from devlog.disk.read import read_text
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.front_matter.block import MAX_LENGTH, json_block_end
from devlog.parse.front_matter.problems import front_matter_too_long
from devlog.scaffold import problems

NAME = "_template.md"
"""The name of a template, in the folder of a topic or in the content folder."""

_PLACEHOLDER = re.compile(r"\{(title|date|author|topic|tags)\}")
_WHOLE = re.compile(r"""[^\S\n]*[\w-]+[^\S\n]*:[^\S\n]*\Z""")
_DRAFT = re.compile(r"^draft[ \t]*[:=].*$", re.MULTILINE)
_JSON_DRAFT = re.compile(r'"draft"\s*:\s*[^\s,}]+')
_ESCAPED = re.compile(r"\\.")
_BLOCK = re.compile(r"\A\s*(?P<fence>---|\+\+\+)[ \t]*\n.*?^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)


def read_template(root: Path, folders: Iterable[str]) -> tuple[str, str] | Diagnostic | None:
    """The template for a post of a topic: that of the topic itself, of its nearest parent, or of the whole site.

    Args:
        root: the site's folder.
        folders: those of the topic, of its parents, nearest first, and of the whole site, relative to `root`.

    Returns:
        The template's file and text; a diagnostic if it cannot be read, or no post may have its front matter; `None` if
        there is none.
    """
    for folder in folders:
        file = posixpath.join(folder, NAME)
        if is_there(root / file, follow=False):
            text = read_text(root, file)
            if isinstance(text, Diagnostic):
                return text
            if _front_matter(text)[1] > MAX_LENGTH:  # each placeholder in it costs its length
                return front_matter_too_long(Span(file, 1), MAX_LENGTH)
            return file, text
    return None


def fill(template: str, values: Mapping[str, str], yaml: Mapping[str, str], quoted: Mapping[str, str]) -> str:
    """Create a post from a template.

    Args:
        template: the text of the template.
        values: the values of the placeholders, by name.
        yaml: the same values as YAML, used if a placeholder is the whole value of a key.
        quoted: the same values as JSON, used in JSON if a placeholder is outside of quotes.

    Returns:
        The text with every placeholder replaced once: placeholders in inserted values are not replaced.
    """
    language, end = _front_matter(template)
    is_yaml = language == "yaml"

    def replaced(match: re.Match[str]) -> str:
        name = match[1]
        if match.start() >= end:
            return values[name]
        line, rest = template[: match.start()].rpartition("\n")[2], template[match.end() : end].partition("\n")[0]
        if language == "json":
            in_quotes = _ESCAPED.sub("", line).count('"') % 2
            return json.dumps(values[name], ensure_ascii=False)[1:-1] if in_quotes else quoted[name]
        if is_yaml and _WHOLE.match(line) and not rest.strip():
            return yaml[name]
        if name == "tags":
            return values[name]
        if line.count("'") % 2 and not line.count('"') % 2 and is_yaml:
            return values[name].replace("'", "''")
        return json.dumps(values[name], ensure_ascii=False)[1:-1] if line.count('"') % 2 else values[name]

    return _PLACEHOLDER.sub(replaced, template)


def _front_matter(text: str) -> tuple[str, int]:
    """The language of a text's front matter, and the offset after it; an empty string and 0 if there is none."""
    if (end := json_block_end(text)) >= 0:
        return "json", end
    block = _BLOCK.match(text)
    return ("yaml" if block["fence"] == "---" else "toml", block.end()) if block else ("", 0)


def as_draft(text: str) -> str:
    """A post with ``draft: true`` in its front matter."""
    if (end := json_block_end(text)) >= 0:
        return _json_draft(text, end)
    block = _BLOCK.match(text)
    if block is None:
        return f"---\ndraft: true\n---\n\n{text}"
    line = "draft: true" if block["fence"] == "---" else "draft = true"
    written = _DRAFT.search(text, 0, block.end())
    if written:
        return text[: written.start()] + line + text[written.end() :]
    end = text.rindex(block["fence"], 0, block.end())
    return f"{text[:end]}{line}\n{text[end:]}"


def _json_draft(text: str, end: int) -> str:
    """A post with ``"draft": true`` in its front matter, a JSON object that ends at an offset."""
    written = _JSON_DRAFT.search(text, 0, end)
    if written:
        return f'{text[: written.start()]}"draft": true{text[written.end() :]}'
    head, _, rest = text.partition("{")
    keys = rest.lstrip()
    gap = rest[: len(rest) - len(keys)]
    after = "" if keys.startswith("}") else f",{gap or ' '}"
    return f'{head}{{{gap}"draft": true{after}{keys}'


def unused(file: str, template: str, asked: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Warnings about given options whose placeholders are missing in a template.

    Args:
        file: of the template.
        template: its text.
        asked: the given options, by the name of the placeholder that they fill.
    """
    present = {match[1] for match in _PLACEHOLDER.finditer(template)}
    return tuple(
        problems.unused_option(Span(file), option, f"{{{name}}}")
        for name, option in asked.items()
        if name not in present
    )
