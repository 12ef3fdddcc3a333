"""The reference on devlog's own site: a page for each command, configuration key and code, made of devlog itself.

It is a plugin that `devlog.toml` names. What it shows comes from click's commands, the JSON schema of the
configuration, the tables of `docs/` and the docstrings of messages and rules: `--help`, editors and `--explain` show
the same.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from devlog.plugin import Outline, PlannedFile, Plugin

if TYPE_CHECKING:
    import click

Block = dict[str, Any]
"""A part of a page for the template, by its kind: ``text``, ``code``, ``heading`` or ``table``."""

ROOT = "/docs/reference/"
DOCUMENTS = "/docs/"

_SPAN = re.compile(r"\[(?P<text>(?:`[^`]*`|[^\]])+)\]\((?P<url>[^)\s]+)\)|(?P<ticks>``?)(?P<code>.+?)(?P=ticks)")
_ROW = re.compile(r"^\| (?P<codes>[a-z][a-z,. 0-9-]*) \| (?P<level>warning|info) \|", re.MULTILINE)


def plan_reference(outline: Outline) -> Iterator[PlannedFile]:
    """Plan the pages, and the page that lists them."""
    lists = {
        "Commands": [*_commands(outline.url)],
        "Configuration keys": [*_keys(outline.url)],
        "Codes of problems": [*_codes(outline.url)],
    }
    blocks: list[Block] = []
    for heading, pages in lists.items():
        blocks.append({"kind": "heading", "text": heading})
        rows = [[_code(page.title, outline.url(page.permalink)), page.context["lead"]] for page in pages]
        blocks.append({"kind": "table", "label": heading, "head": [], "rows": rows})
    lead = _spans("Every command, configuration key and code of devlog, from its own code.", outline.url)
    yield PlannedFile(ROOT, "page", {"lead": lead, "blocks": blocks, "up": []}, "reference.html", "Reference")
    for pages in lists.values():
        yield from pages


def _page(url: Callable[[str], str], path: str, title: str, lead: list[Block], blocks: list[Block]) -> PlannedFile:
    up = [{"title": "Documentation", "url": url(DOCUMENTS)}, {"title": "Reference", "url": url(ROOT)}]
    context = {"lead": lead, "blocks": blocks, "up": up}
    search = f"{_said(lead)} {_said(blocks)}"
    return PlannedFile(f"{ROOT}{path}/", "page", context, "reference.html", title, search=search)


def _said(shown: object) -> str:
    """The text of blocks; that of spans is put together as it is."""
    if isinstance(shown, dict):
        return str(shown["text"]) if "text" in shown else " ".join(map(_said, shown.values()))
    if not isinstance(shown, list):
        return ""
    is_text = all(isinstance(item, dict) and "code" in item for item in shown)
    return ("" if is_text else " ").join(map(_said, shown))


# -- commands


def _commands(url: Callable[[str], str]) -> Iterator[PlannedFile]:
    import click

    from devlog.cli import main

    for name, command in _below(main, "devlog"):
        context = click.Context(command, info_name=name)
        lead, *more = re.split(r"\n\s*\n", (command.help or command.short_help or "").strip())
        rows = [[_record(param, context), _spans(_help(param, context), url)] for param in command.params]
        blocks: list[Block] = [{"kind": "code", "text": " ".join([name, *command.collect_usage_pieces(context)])}]
        blocks += [_text(" ".join(text.split()), url) for text in more]
        if isinstance(command, click.Group):
            names = (f"{name} {part}" for part in command.list_commands(context))
            some = [[_code(part, url(_permalink("commands", part)))] for part in names]
            blocks.append({"kind": "table", "head": ["Command"], "rows": some})
        elif rows:
            blocks.append({"kind": "table", "head": ["Option", "Meaning"], "rows": rows})
        anchor = name.replace(" ", "-")
        blocks.append(_text(f"More in [Commands](commands.md#{anchor}).", url))
        yield _page(url, f"commands/{anchor}", name, _spans(" ".join(lead.split()), url), blocks)


def _below(group: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    import click

    context = click.Context(group)
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        assert command
        yield f"{name} {part}", command
        if isinstance(command, click.Group):
            yield from _below(command, f"{name} {part}")


def _record(param: click.Parameter, context: click.Context) -> list[Block]:
    """How an option or argument is written, as in ``--help``."""
    found = param.get_help_record(context)
    return _code(found[0] if found else param.make_metavar(context))


def _help(param: click.Parameter, context: click.Context) -> str:
    found = param.get_help_record(context)
    return found[1].replace("  [", " [") if found else "see above"


# -- keys


def _keys(url: Callable[[str], str]) -> Iterator[PlannedFile]:
    from devlog.json_schema import schema_of
    from devlog.json_schema.config import DOCUMENT, meaning, struct_in, table_of
    from devlog.json_schema.descriptions import Section, fragment, linked, section

    def pages(table: dict[str, Any], about: Section, prefix: str) -> Iterator[PlannedFile]:
        for key, schema in table["properties"].items():
            row = next((row for row in about.rows if key in row.keys), None)
            if row is None or schema.get("deprecated"):
                continue
            name, inner = f"{prefix}{key}", struct_in(schema)
            of_key = linked(" ".join(row.cells), DOCUMENT) if prefix else table_of(key)
            default = f"`{json.dumps(schema['default'], ensure_ascii=False)}`" if "default" in schema else ""
            facts = {
                "Type": row.cells[0] if len(row.cells) > 1 else "",
                "One of": ", ".join(f"`{choice}`" for choice in schema.get("enum", ()) if choice),
                "At least": f"`{schema['minimum']}`" if "minimum" in schema else "",
                "At most": f"`{schema['maximum']}`" if "maximum" in schema else "",
                "Default": "none: the key is required" if key in table.get("required", ()) else default,
            }
            rows = [[_spans(fact, url), _spans(text, url)] for fact, text in facts.items() if text]
            facts_table = [{"kind": "table", "head": [], "rows": rows}] if rows else []
            more = _text(f"More in [Configuration]({DOCUMENT}#{fragment(about.title)}).", url)
            is_elsewhere = meaning(row).startswith("see [")
            lead = _spans(_sentence((is_elsewhere and of_key.intro) or meaning(row)), url)
            yield _page(url, f"keys/{name}", name, lead, [*facts_table, more])
            if "properties" in inner and key not in ("severity", "settings"):
                outer = name if prefix else of_key.title.strip("`[]")
                yield from pages(inner, of_key, f"{outer}.")

    yield from pages(schema_of("config"), section(DOCUMENT, "Top level"), "")


# -- codes


def _codes(url: Callable[[str], str]) -> Iterator[PlannedFile]:
    from devlog.built_in import documents
    from devlog.check.rules import explain
    from devlog.plugins.features import codes_of_builds, known_codes

    text = "".join((documents() / name).read_text("utf-8") for name in ("configuration.md", "checking.md"))
    rows = [(found["codes"].split(", "), found["level"]) for found in _ROW.finditer(text)]
    levels = {code: level for codes, level in rows for code in codes}
    for code in sorted(known_codes()):
        lead, *more = (" ".join(part.split()) for part in re.split(r"\n\s*\n", explain(code).strip()))
        level = {"warning": "A warning", "info": "A remark"}.get(levels.get(code, ""), "An error")
        by = "a build, or another command" if code in codes_of_builds() else "[`devlog check`](checking.md)"
        how = f"{level} by default, found by {by}. See [Severity](configuration.md#severity)."
        yield _page(url, f"codes/{code}", code, _spans(lead, url), [*(_text(part, url) for part in (*more, how))])


# -- text


def _sentence(markdown: str) -> str:
    """What a table says, which has neither a capital letter nor a period."""
    return f"{markdown[:1].upper()}{markdown[1:]}{'' if markdown.endswith('.') else '.'}"


def _permalink(kind: str, name: str) -> str:
    return f"{ROOT}{kind}/{name.replace(' ', '-')}/"


def _text(markdown: str, url: Callable[[str], str]) -> Block:
    return {"kind": "text", "spans": _spans(markdown, url)}


def _code(text: str, url: str = "") -> list[Block]:
    return [{"text": text, "code": True, "url": url}]


def _spans(markdown: str, url: Callable[[str], str]) -> list[Block]:
    """Text with links and code, as Markdown in a table or a docstring, as spans for the template."""
    spans: list[Block] = []
    end = 0
    for found in _SPAN.finditer(markdown):
        spans += _plain(markdown[end : found.start()])
        if found["url"]:
            text = found["text"]
            spans.append({"text": text.strip("`"), "code": text.startswith("`"), "url": _address(found["url"], url)})
        else:
            spans += _code(found["code"].replace("\\|", "|"))
        end = found.end()
    return [*spans, *_plain(markdown[end:])]


def _plain(text: str) -> list[Block]:
    return [{"text": text.replace("\\|", "|").replace("**", ""), "code": False, "url": ""}] if text else []


def _address(target: str, url: Callable[[str], str]) -> str:
    """The URL of a document's link."""
    if "://" in target:
        return target
    name, _, place = target.partition("#")
    page = posixpath.join(DOCUMENTS, (name or "configuration.md").removesuffix(".md"), "")
    return url(page) + (f"#{place}" if place else "")


plugin = Plugin("reference", pages=(plan_reference,))
