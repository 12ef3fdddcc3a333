"""Reads message catalogs: ``i18n/<language>.toml`` of the site, of its theme, and of the themes that this extends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from devlog.config_file.spans import key_spans, toml_error_span
from devlog.disk import problems
from devlog.disk.read import read_text
from devlog.model import problems as model_problems
from devlog.model.catalog import COUNT, FALLBACK, Message, has_odd_braces, language_code, languages_of
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.plurals import CATEGORIES, OTHER
from devlog.model.problems import did_you_mean
from devlog.model.toml import TomlError, load_toml

FOLDER = "i18n"
"""The folder of a theme's or site's catalogs."""

_NOTES = ("description", "hash")
"""Keys of a message for translators and their tools."""


class Layer(msgspec.Struct, frozen=True):
    """A folder that may have catalogs.

    Attributes:
        folder: the site's folder, or a theme's.
        label: the prefix of its files' names in messages; may be empty.
        is_own: whether it is the site's own one, and no theme's.
    """

    folder: Path
    label: str = ""
    is_own: bool = False


class _Fault(msgspec.Struct, frozen=True):
    """A problem of a message: its span, the reason, and what to do. Without a key, it concerns the whole catalog."""

    span: Span
    key: str
    reason: str
    hint: str = ""

    def as_diagnostic(self, *, is_known: bool) -> Diagnostic:
        """The problem as a diagnostic. It is an error if pages show the message; others may have other uses."""
        if not self.key:
            return problems.bad_catalog(self.span, self.reason)
        tell = model_problems.bad_message if is_known else problems.unusable_message
        return tell(self.span, self.key, self.reason, self.hint)


class Catalogs(msgspec.Struct, frozen=True):
    """The catalogs of a site.

    Attributes:
        messages: the messages to use, by key.
        files: the text of each catalog, by its name in messages.
        diagnostics: the problems of all catalogs.
    """

    messages: dict[str, Message]
    files: dict[str, str]
    diagnostics: tuple[Diagnostic, ...]


def read_catalogs(layers: Iterable[Layer], language: str) -> Catalogs:
    """Read the messages of a site.

    Messages in the site's language take precedence, from any folder, and English is the last fallback. Within a
    language, the first folder with a message takes precedence.

    Args:
        layers: the folders of catalogs, those that override others first.
        language: the site's language.
    """
    layers = tuple(layers)
    found: list[Diagnostic] = []
    files: dict[str, str] = {}
    read: list[tuple[Layer, str, Mapping[str, Message]]] = []
    faults: list[_Fault] = []
    named = [(layer, _files(layer.folder)) for layer in layers]
    for code in languages_of(language):
        for layer, names in named:
            if code in names:
                file = "/".join(filter(None, (layer.label, FOLDER, names[code])))
                text = read_text(layer.folder, f"{FOLDER}/{names[code]}")
                if isinstance(text, Diagnostic):
                    found.append(msgspec.structs.replace(text, span=Span(file)))
                    continue
                files[file] = text
                messages, wrong = _messages(text, file, code, is_known=code == FALLBACK and not layer.is_own)
                read.append((layer, code, messages))
                faults += wrong
    declared: dict[str, Message] = {}
    for layer, code, messages in read:
        if code == FALLBACK and not layer.is_own:
            declared |= messages  # the last theme defines the placeholders, since devlog passes just these
    found += [fault.as_diagnostic(is_known=fault.key in declared) for fault in faults]
    chosen: dict[str, Message] = {}
    for _, _, messages in read:
        fit, misfits = _fitting(messages, declared)
        chosen = {**fit, **chosen}
        found += misfits
    return Catalogs(chosen, files, tuple(found))


def _fitting(
    messages: Mapping[str, Message], declared: Mapping[str, Message]
) -> tuple[dict[str, Message], list[Diagnostic]]:
    """The messages of a catalog that fit the theme's English ones, or that have no English one, and the problems of
    the others.
    """
    fit: dict[str, Message] = {}
    wrong: list[Diagnostic] = []
    for key, message in messages.items():
        base = declared.get(key)
        problem = _misfit(key, message, base) if base and base is not message else None
        if problem:
            wrong.append(problem)
        else:
            is_news = base is not None and not message.is_known
            fit[key] = msgspec.structs.replace(message, is_known=True) if is_news else message
    return fit, wrong


def _files(folder: Path) -> dict[str, str]:
    """The file names of a folder's catalogs, by language."""
    try:
        names = sorted(path.name for path in (folder / FOLDER).iterdir())
    except OSError:  # there are none, or there is no permission to list them
        return {}
    found = ((language_code(name.removesuffix(".toml")), name) for name in names if name.endswith(".toml"))
    return {code: name for code, name in found if code}


@lru_cache(maxsize=16)  # a preview reads the theme again after each change of it
def _messages(
    text: str, file: str, language: str, *, is_known: bool
) -> tuple[Mapping[str, Message], tuple[_Fault, ...]]:
    """The messages of a catalog, without those that are not translated yet, and the problems of others.

    Args:
        text: the text of the catalog.
        file: its name in messages.
        language: its language.
        is_known: whether its keys are those of a theme.
    """
    try:
        tree = load_toml(text)
    except TomlError as error:
        reason = str(error).rpartition(" (at ")[0] or str(error)
        return {}, (_Fault(toml_error_span(str(error), file, text), "", reason),)
    lines = _lines(text, file)
    found: dict[str, Message] = {}
    wrong: list[_Fault] = []
    for key, value in tree.items():
        forms, reasons = _forms(value)
        wrong += [_Fault(_span(text, file, key), key, reason, hint) for reason, hint in reasons]
        if forms and not reasons:
            found[key] = Message(language, forms, file, lines.get(key, 0), is_known)
    return found, tuple(wrong)


def _lines(text: str, file: str) -> dict[str, int]:
    """The line of each message. Every build needs them, so this must be fast."""
    if '"""' in text or "'''" in text:
        return {key: span.line for key, span in key_spans(text, file).items()}
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        key = _KEY.match(line)
        if key:
            found.setdefault(key[1], number)
    return found


def _span(text: str, file: str, key: str) -> Span:
    return key_spans(text, file).get(key, Span(file))


_KEY = re.compile(r"""\s*\[?\s*["']?([\w-]+)["']?\s*[\]=]""")


def _forms(value: Any) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The texts of a message by plural category, and its problems, each a reason and a hint."""
    if isinstance(value, str) and "{" not in value and "}" not in value:
        return ({OTHER: value} if value else {}), []
    if isinstance(value, str):
        value = {OTHER: value}
    if not isinstance(value, dict):
        return {}, [("it is neither a string nor a table of plural forms", "")]
    forms: dict[str, str] = {}
    wrong: list[tuple[str, str]] = []
    for name, text in value.items():
        if name in _NOTES:
            continue
        if name not in CATEGORIES:
            hint = did_you_mean(name, CATEGORIES) or f"plural forms are called {', '.join(CATEGORIES)}"
            wrong.append((f"unknown plural form “{name}”", hint))
        elif not isinstance(text, str):
            wrong.append((f"the form “{name}” is not a string", ""))
        elif has_odd_braces(text):
            wrong.append(("a brace that belongs to no placeholder", "a placeholder is written {name}"))
        elif text:
            forms[name] = text
    if forms and OTHER not in forms:
        wrong.append(("it has no form “other”", "every message needs one"))
    return forms, wrong


def _misfit(key: str, message: Message, base: Message) -> Diagnostic | None:
    """Why a message does not fit the theme's English one; `None` if it does."""
    allowed = base.placeholders | ({COUNT} if base.is_plural else set())
    for name in sorted(message.placeholders - allowed):
        known = ", ".join(f"{{{other}}}" for other in sorted(allowed))
        hint = did_you_mean(name, allowed) or (f"it can have {known}" if known else "it has none")
        return model_problems.bad_message(message.span, key, f"unknown placeholder {{{name}}}", hint)
    if message.is_plural and COUNT not in allowed:
        return model_problems.bad_message(message.span, key, "it does not depend on a number", "write one string")
    return None
