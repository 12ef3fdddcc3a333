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
from devlog.model.source import Source
from devlog.parse.front_matter.block import MAX_LENGTH, json_block_end, read_front_matter
from devlog.parse.front_matter.problems import front_matter_too_long
from devlog.scaffold import problems

NAME = "_template.md"
"""The name of a template, in the folder of a topic or in the content folder."""

_PLACEHOLDER = re.compile(r"\{(title|date|author|topic|tags)\}")
_WHOLE = re.compile(r"""[^\S\n]*(?:-[^\S\n]+|[\w-]+[^\S\n]*:[^\S\n]*)\Z""")
_WHOLE_IN_TOML = re.compile(r"""[^\S\n]*[\w.-]+[^\S\n]*=[^\S\n]*\Z""")
_ITEM = re.compile(r"""[^\S\n]*[\w.-]+[^\S\n]*[:=][^\S\n]*\[(?:[^\[\]"']*,)?[^\S\n]*\Z""")
_AFTER_ITEM = re.compile(r"[^\S\n]*[,\]]")
_LITERAL = re.compile(r"""^([^"'\n]*)'(\{(?:title|date|author|topic|tags)\})'""", re.MULTILINE)
_PROBE = "devlogtitle"
"""A title that needs no quotes."""
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
        yaml: the same values as YAML, used if a placeholder is the whole value of a key or list item.
        quoted: the same values as JSON, used in JSON if a placeholder is outside of quotes, in TOML if it is the
            whole value of a key, and in a list between brackets.

    Returns:
        The text with every placeholder replaced once: placeholders in inserted values are not replaced.
    """
    language, end = _front_matter(template)
    is_yaml = language == "yaml"
    if language == "toml":  # a literal string cannot contain any value
        front = _LITERAL.sub(r'\1"\2"', template[:end])
        template, end = front + template[end:], len(front)
    begins, whole = (_WHOLE, yaml) if is_yaml else (_WHOLE_IN_TOML, {**quoted, "date": values["date"]})

    def replaced(match: re.Match[str]) -> str:
        name = match[1]
        if match.start() >= end:
            return values[name]
        line, rest = template[: match.start()].rpartition("\n")[2], template[match.end() : end].partition("\n")[0]
        if language == "json":
            in_quotes = _ESCAPED.sub("", line).count('"') % 2
            return json.dumps(values[name], ensure_ascii=False)[1:-1] if in_quotes else quoted[name]
        if begins.match(line) and not rest.strip():
            return whole[name]
        if name == "tags" or (_ITEM.match(line) and _AFTER_ITEM.match(rest)):
            return quoted[name] if name not in ("tags", "date") and values[name] else values[name]
        if line.count("'") % 2 and not line.count('"') % 2 and is_yaml:
            return values[name].replace("'", "''")
        return json.dumps(values[name], ensure_ascii=False)[1:-1] if line.count('"') % 2 else values[name]

    return _PLACEHOLDER.sub(replaced, template)


def misfit(file: str, template: str, text: str, title: str) -> Diagnostic | None:
    """A problem if the title of a post is not what its template makes of other titles; `None` if it is.

    Args:
        file: of the template.
        template: its text.
        text: the post.
        title: the title that was filled in.
    """
    language, end = _front_matter(template)
    place = template.find("{title}", 0, end)
    if not language or place < 0:
        return None
    plain = {"title": _PROBE, "date": "2026-01-02", "author": "x", "topic": "x", "tags": "[]"}
    quoted = {name: json.dumps(value) for name, value in plain.items()} | {"tags": "[]"}
    sample, _, _, wrong, _ = read_front_matter(Source(file, file, fill(template, plain, plain, quoted)))
    if _PROBE not in sample.title or any(item.severity == "error" for item in wrong):
        return None  # the placeholder is in another key, or the template is wrong whatever the title
    made, _, _, wrong, _ = read_front_matter(Source(file, file, text))
    if made.title == sample.title.replace(_PROBE, title) and not any(item.severity == "error" for item in wrong):
        return None
    lines = [number for number, line in enumerate(template[:end].split("\n"), 1) if "{title}" in line]
    refused = [item.span.line for item in wrong if item.severity == "error" and item.span.line in lines]
    return problems.unfit_template(Span(file, (refused or lines)[0]), title)


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
