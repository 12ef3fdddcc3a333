"""Adds an author to the authors file, or to the configuration if the site has its authors there."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from devlog.config import AuthorEntry
from devlog.config_file.read import read_config
from devlog.disk.folder import is_there
from devlog.disk.read import TEXT_LIMIT, read_bytes
from devlog.disk.single_files import create, replace
from devlog.disk.text import decode
from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.front_matter.authors import link_url
from devlog.parse.front_matter.authors_file import read_authors_file
from devlog.parse.front_matter.tree import Mapping as Tree
from devlog.parse.front_matter.yaml_events import read_yaml
from devlog.plugins.features import known_codes
from devlog.scaffold import problems
from devlog.scaffold.outcome import Outcome
from devlog.scaffold.people import people
from devlog.scaffold.site import Existing
from devlog.scaffold.writing import clean, toml_text, yaml_text

_HANDLE = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def new_author(site: Existing, handle: str, facts: Mapping[str, str]) -> Outcome:
    """Add an author to a site.

    The entry goes into the authors file if it exists; else into the configuration if that has authors; else into a new
    authors file.

    Args:
        site: the author's site.
        handle: with or without an ``@``.
        facts: ``name``, ``url`` and ``bio``; empty ones are left out.

    Returns:
        The changed file, or diagnostics if it is unchanged.
    """
    if wrong := site.problem():
        return Outcome(diagnostics=wrong)
    handle = handle.strip().removeprefix("@").lower()
    cleaned = {key: clean(value, Span(f"--{key}")) for key, value in facts.items()}
    found = tuple(item for _, wrong in cleaned.values() for item in wrong)
    values = {key: text for key, (text, _) in cleaned.items() if text}
    if problem := _refused(site, handle, values):
        return Outcome(diagnostics=(*found, problem))
    return _write(site, handle, values, found)


def _refused(site: Existing, handle: str, values: Mapping[str, str]) -> Diagnostic | None:
    """Why an entry cannot be added; `None` if it can."""
    if not _HANDLE.fullmatch(handle) or len(handle) > 100:
        return problems.bad_name(Span("HANDLE"), handle, "a handle has letters a to z, digits, “-”, “_” and “.” only")
    if "url" in values and not link_url(values["url"]):
        return problems.bad_name(Span("--url"), values["url"], "an address is such as “https://example.org/ada”")
    registered = people((), site.inputs.author_entries)
    if any(person.handle == handle or handle in map(str.lower, person.others) for person in registered):
        return problems.known_author(Span("HANDLE"), handle)
    return None


def _write(site: Existing, handle: str, values: Mapping[str, str], found: tuple[Diagnostic, ...]) -> Outcome:
    file = site.inputs.authors_file
    config_file = site.inputs.config_file
    in_yaml = is_there(site.root / file, follow=False)
    if not in_yaml and site.inputs.config.authors:
        file, problem = config_file, _append_toml(site, config_file, handle, values)
    elif in_yaml:
        problem = _append_yaml(site, file, handle, values)
    else:
        problem = create(site.root, file, _yaml_entry(handle, values, 0).encode())
    return Outcome(diagnostics=(*found, problem)) if problem else Outcome((file,), diagnostics=found)


def _entry(values: Mapping[str, str]) -> AuthorEntry:
    return msgspec.structs.replace(AuthorEntry(), **values)


def _yaml_entry(handle: str, values: Mapping[str, str], indent: int) -> str:
    key = yaml_text(handle)
    lines = [f"  {name}: {yaml_text(text)}" for name, text in values.items()]
    entry = [f"{key}:", *lines] if lines else [f"{key}: {{}}"]
    return "".join(f"{' ' * indent}{line}\n" for line in entry)


def _append_yaml(site: Existing, file: str, handle: str, values: Mapping[str, str]) -> Diagnostic | None:
    data = read_bytes(site.root, file, limit=TEXT_LIMIT)
    text = data if isinstance(data, Diagnostic) else decode(data, file)
    if isinstance(data, Diagnostic) or isinstance(text, Diagnostic):
        return data if isinstance(data, Diagnostic) else text if isinstance(text, Diagnostic) else None
    tree, _ = read_yaml(text, file, 1)
    indent = tree.span.column - 1 if isinstance(tree, Tree) and tree.entries else 0
    entry = _yaml_entry(handle, values, indent)
    before = read_authors_file(text, file)
    if wrong := next((item for item in before.diagnostics if item.severity == "error"), None):
        return wrong
    new = _appended(data, text, entry, apart="\n\n" in text.strip())
    after = read_authors_file(new.decode("utf-8-sig"), file)
    known = {**before.authors, handle: _entry(values)}
    if after.authors != known or any(item.severity == "error" for item in after.diagnostics):
        return problems.cannot_append(file, handle, has_authors=bool(before.authors))
    return replace(site.root, file, data, new)


def _append_toml(site: Existing, file: str, handle: str, values: Mapping[str, str]) -> Diagnostic | None:
    data = read_bytes(site.root, file, limit=TEXT_LIMIT)
    text = data if isinstance(data, Diagnostic) else decode(data, file)
    if isinstance(data, Diagnostic) or isinstance(text, Diagnostic):
        return data if isinstance(data, Diagnostic) else text if isinstance(text, Diagnostic) else None
    table = "tool.devlog.authors" if file.endswith("pyproject.toml") else "authors"
    key = handle if _BARE.fullmatch(handle) else toml_text(handle)
    lines = [f"[{table}.{key}]", *(f"{name} = {toml_text(value)}" for name, value in values.items()), ""]
    entry = "\n".join(lines)
    before, _ = read_config(text, file)
    new = _appended(data, text, entry, apart=True)
    after, wrong = read_config(new.decode("utf-8-sig"), file, known_codes())
    wanted = msgspec.structs.replace(before, authors={**before.authors, handle: _entry(values)})
    if after != wanted or any(item.severity == "error" for item in wrong):
        return problems.cannot_append(file, handle, has_authors=True)
    return replace(site.root, file, data, new)


def _appended(data: bytes, text: str, entry: str, *, apart: bool) -> bytes:
    """A file with an entry appended, in the file's style of line endings. All existing bytes are kept.

    Args:
        data: the bytes of the file.
        text: the same, decoded.
        entry: the entry, with line feeds.
        apart: whether an empty line precedes it.
    """
    gap = "" if not text or text.endswith("\n") else "\n"
    gap += "\n" if apart and text.strip() and not text.endswith("\n\n") else ""
    added = gap + entry
    return data + (added.replace("\n", "\r\n") if b"\r\n" in data else added).encode()
